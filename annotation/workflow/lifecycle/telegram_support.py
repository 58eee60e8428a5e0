"""Which projects the bot can offer: those that ask for nothing that it does not do yet."""

from __future__ import annotations

from annotation.campaigns.project import ProjectFile
from annotation.campaigns.questions import Choice, Choices, Scale


def missing(definition: ProjectFile) -> tuple[str, ...]:
    """What the project asks for and the bot does not do; nothing where it can offer it."""
    wanted = {
        "questions that are answered in writing": not all(
            isinstance(one, Choice | Choices | Scale) for one in definition.asked
        ),
        "questions in several steps": any(one.step > 1 for one in definition.asked),
    }
    return tuple(what for what, asked in wanted.items() if asked)


def sentence(definition: ProjectFile) -> str | None:
    """Why the bot does not offer the project; None where it does."""
    asked = missing(definition)
    if not asked:
        return None
    return f"{definition.project} is not offered: this bot does not know {', '.join(asked)} yet."
