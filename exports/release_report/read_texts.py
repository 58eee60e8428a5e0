"""What people read, verbatim: instructions, consent and warning, in every version."""

from __future__ import annotations

from exports.release_state import ReleaseState
from exports.report.chapters import Chapter, VerbatimText

HOW = (
    "The texts as people read them, each version with the number of people who worked under it or agreed to it. Each"
    " answer in human_responses.csv names its version by the hash; texts/ has the same as files."
)
NAMES = {"instructions": "Instructions", "consent": "Consent", "content_warning": "Content warning"}


def build_text_chapter(state: ReleaseState) -> Chapter:
    """Every version of the texts, equal ones of several projects once."""
    found: dict[tuple[str, str], list[str]] = {}
    headings: dict[tuple[str, str], VerbatimText] = {}
    for project in state.facts.projects:
        for text in project.texts:
            if not text.text:
                continue
            key = (text.kind, text.sha256)
            found.setdefault(key, []).append(project.name)
            version = f", version {text.version}" if text.version else ""
            people = f", {text.n_people} people" if text.n_people else ""
            heading = f"{NAMES.get(text.kind, text.kind)}{version} ({text.sha256[:12]}{people})"
            headings.setdefault(key, VerbatimText(heading, project.language, text.text))
    texts = tuple(
        own if len(state.facts.projects) == 1 else own._replace(heading=f"{own.heading}: {', '.join(found[key])}")
        for key, own in headings.items()
    )
    return Chapter(id="texts", title="What people read", how=HOW, texts=texts)
