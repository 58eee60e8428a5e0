"""Reads that more than one use-case needs."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from sqlmodel import Session, col, func, select

from annotation.errors import NotFound
from annotation.store.models import Annotator, Assignment, Item, Judgement, Project


def project(session: Session, name: str) -> Project:
    """A project by name; raises NotFound naming the nearest."""
    found = session.exec(select(Project).where(Project.name == name)).first()
    if found is None:
        names = [one.name for one in projects(session)]
        close = difflib.get_close_matches(name, names, n=1)
        remedy = f"Did you mean {close[0]}?" if close else f"Loaded: {', '.join(names) or 'none yet'}."
        raise NotFound(f"No project {name!r} is loaded.", remedy=remedy)
    return found


def projects(session: Session) -> Sequence[Project]:
    """All projects in the order in which they were loaded."""
    return session.exec(select(Project).order_by(col(Project.id))).all()


def counts(session: Session, *, project_id: int) -> tuple[int, int, int, int]:
    """Items, assignments that are live, judgements, annotators of a project."""
    items = session.exec(select(func.count()).select_from(Item).where(Item.project_id == project_id)).one()
    chosen = select(
        func.count().filter(col(Assignment.status) == "live"),
        func.count(col(Judgement.id)),
        func.count(func.distinct(col(Assignment.annotator_id))),
    )
    joined = chosen.select_from(Assignment).join(Item).outerjoin(Judgement).where(Item.project_id == project_id)
    live, judgements, annotators = session.exec(joined).one()
    return items, live, judgements, annotators


def annotator_by_telegram(session: Session, telegram_id: int) -> Annotator | None:
    """The person with this Telegram id."""
    return session.exec(select(Annotator).where(Annotator.telegram_id == telegram_id)).first()
