"""What follows from an answer: quality rules, and whether an item needs more answers."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from annotation.campaigns.project import ProjectFile
from annotation.store.models import Project


def after_answer(
    session: Session, *, project: Project, definition: ProjectFile, assignment_id: int, now: datetime
) -> None:
    """Apply the quality rules of the project to the person who answered."""


def wants_more(session: Session, *, project: Project, definition: ProjectFile, item_id: int) -> bool:  # noqa: ARG001
    """Whether an item that has its answers needs another one."""
    return False
