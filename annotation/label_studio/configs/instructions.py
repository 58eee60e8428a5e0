"""What people read before the first task, as HTML."""

from __future__ import annotations

import html
import re

from annotation.campaigns.project import ProjectFile
from annotation.label_studio.texts import words


def instructions(definition: ProjectFile, *, text: str | None = None) -> str:
    """The title, a content warning, the text of the task, and what is asked, all escaped.

    `text` are the instructions as the database keeps them; the project file holds only those written in it.
    """
    say = words(definition.language)
    told = definition.instructions if text is None else text
    parts = [f"<h3>{html.escape(definition.title)}</h3>"]
    if definition.content_warning:
        parts.append(f"<p><strong>{html.escape(definition.content_warning)}</strong></p>")
    parts += [_block(one) for one in re.split(r"\n\s*\n", told.strip()) if one.strip()]
    asked = "".join(
        f"<li>{html.escape(one.text)}{f'<br><em>{html.escape(one.help)}</em>' if one.help else ''}</li>"
        for one in definition.asked
    )
    return "\n".join([*parts, f"<h4>{html.escape(say('questions'))}</h4>", f"<ul>{asked}</ul>"])


def _block(text: str) -> str:
    """A paragraph, a heading of Markdown, or a list of lines that begin with a dash."""
    lines = [line.strip() for line in text.strip().splitlines()]
    if lines[0].startswith("#") and len(lines) == 1:
        return f"<h4>{html.escape(lines[0].lstrip('# '))}</h4>"
    if all(re.match(r"[-*•]\s", line) for line in lines):
        return f"<ul>{''.join(f'<li>{html.escape(line[1:].strip())}</li>' for line in lines)}</ul>"
    return f"<p>{'<br>'.join(html.escape(line) for line in lines)}</p>"
