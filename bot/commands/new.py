"""`hromada new`: a campaign from a template."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annotation.errors import BadInput
from bot.commands import terminal_output
from bot.commands.command_line import AsJson


def new(
    folder: Annotated[Path | None, typer.Argument(help="The folder to make.", show_default=False)] = None,
    template: Annotated[str, typer.Option(help="The template to begin from.")] = "baseline",
    language: Annotated[
        str | None, typer.Option(help="The language of items, texts and comments: uk (as it is without it) or en.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the templates.")] = False,
    json: AsJson = False,
) -> None:
    """Begin a campaign from a template.

    Writes a commented project file, a few items and instructions that load as they are, and says what comes next.
    """
    from annotation.campaigns import template_files

    if list_:
        templates = template_files.list_templates(language or "en")
        if json:
            terminal_output.print_json({entry.name: entry.description for entry in templates})
        else:
            terminal_output.print_table(
                "Templates", ("template", "about"), [(entry.name, entry.description) for entry in templates]
            )
        return
    if folder is None:
        raise BadInput("Where to?", remedy="Write hromada new FOLDER --template NAME; --list shows the templates.")
    written = template_files.write_template(
        folder, template_name=template, language=language or template_files.LANGUAGES[0]
    )
    if json:
        terminal_output.print_json([str(path) for path in written])
        return
    for path in written:
        terminal_output.print_line(str(path))
    file = next(path for path in written if path.name in {template_files.PROJECT, template_files.PROGRAMME})
    terminal_output.print_line(f"Look at it and write your own items, then: hromada check {file}")
