"""Which projects the bot can offer, and in which order: those that ask for nothing that it does not do yet."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, col, select

from annotation.campaigns.project import ProjectFile
from annotation.campaigns.questions import Choice
from annotation.campaigns.stages import DynamicOverlap
from annotation.store.models import Project
from annotation.vocabulary import ProjectStatus


def turn(session: Session, *, annotator_id: int, now: datetime) -> tuple[int, ...]:  # noqa: ARG001
    """The projects in the order in which a person is offered their items."""
    running = select(Project.id).where(Project.status == ProjectStatus.RUNNING, col(Project.served))
    return tuple(found for found in session.exec(running.order_by(col(Project.id))) if found is not None)


def missing(definition: ProjectFile) -> tuple[str, ...]:
    """What the project asks for and the bot's first form does not do; nothing where it can offer it."""
    first = definition.asked[0]
    plain = isinstance(first, Choice) and first.required and first.step == 1 and len(definition.asked) == 1
    wanted = {
        "questions other than one choice": not plain,
        "stages": bool(definition.stages.named),
        "control items": definition.controls is not None,
        "pages": definition.pages is not None,
        "dynamic overlap": isinstance(definition.overlap, DynamicOverlap),
        "admission": definition.admission is not None,
        "consent": definition.consent is not None,
        "a profile": bool(definition.profile),
        "a content warning": definition.content_warning is not None,
        "quality rules": bool(definition.quality),
        "caps": definition.caps is not None,
    }
    return tuple(what for what, asked in wanted.items() if asked)


def sentence(definition: ProjectFile) -> str | None:
    """Why the bot does not offer the project; None where it does."""
    asked = missing(definition)
    if not asked:
        return None
    return f"{definition.project} is not offered: this bot does not know {', '.join(asked)} yet."
