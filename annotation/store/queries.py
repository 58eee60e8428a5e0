"""Reads that more than one use-case needs."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.errors import NotFound
from annotation.store.models import Annotator, Assignment, Item, Judgement, Project
from annotation.vocabulary import AssignmentStatus, Pool, Stage


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


@dataclass(frozen=True, kw_only=True)
class Counts:
    """How far a project is: main items, those that have their overlap, assignments in hand, judgements, annotators."""

    items: int
    done: int
    live: int
    judgements: int
    annotators: int


def counts(session: Session, *, project_id: int) -> Counts:
    """How far a project is; an item is done when it has its judgements."""
    items, done = session.exec(
        select(func.count(), func.count().filter(col(Item.n_done) >= func.coalesce(Project.overlap, 1)))
        .select_from(Item)
        .join(Project)
        .where(Item.project_id == project_id, Item.pool == Pool.MAIN)
    ).one()
    chosen = select(
        func.count().filter(col(Assignment.status) == AssignmentStatus.LIVE),
        func.count(col(Judgement.id)),
        func.count(func.distinct(col(Assignment.annotator_id))),
    )
    joined = chosen.select_from(Assignment).join(Item).outerjoin(Judgement).where(Item.project_id == project_id)
    live, judgements, annotators = session.exec(joined).one()
    return Counts(items=items, done=done, live=live, judgements=judgements, annotators=annotators)


_COUNTS = (
    col(Judgement.skip_reason).is_(None),
    col(Assignment.stage).in_((Stage.PILOT, Stage.MAIN)),
    ~col(Assignment.is_control),
    ~col(Assignment.is_repeat),
    ~col(Assignment.exposed),
)
"""With no reason against it, what `DataSet.retained` keeps, and the pilot, whose consensus is handed on too."""


def counting_answers(
    session: Session, *, project_id: int, pilot: bool = False
) -> list[tuple[int, str, dict[str, str] | None, str]]:
    """The answers that count, as they finally stand: item id, pseudonym, answers by question (None for one), response.

    With `pilot` those on pilot items instead, also where the pilot is the reason why they count for nothing else.
    """
    counting: sa.ColumnElement[bool] = col(Judgement.excluded_reason).is_(None)
    if pilot:
        counting = sa.or_(counting, col(Judgement.excluded_reason) == Pool.PILOT.excludes) & (Item.pool == Pool.PILOT)
    final = (
        select(Judgement.assignment_id, func.max(Judgement.revision).label("revision"))
        .group_by(col(Judgement.assignment_id))
        .subquery()
    )
    chosen = (
        select(Assignment.item_id, Annotator.pseudonym, Judgement.answers, Judgement.response)
        .select_from(Assignment)
        .join(Item)
        .join(Annotator)
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .join(final, (final.c.assignment_id == Judgement.assignment_id) & (final.c.revision == Judgement.revision))
        .where(Item.project_id == project_id, counting, *_COUNTS)
        .order_by(col(Assignment.id))
    )
    rows = session.exec(chosen).all()
    return [(item, who, None if answers is None else dict(answers), response) for item, who, answers, response in rows]


def annotator_by_telegram(session: Session, telegram_id: int) -> Annotator | None:
    """The person with this Telegram id."""
    return session.exec(select(Annotator).where(Annotator.telegram_id == telegram_id)).first()
