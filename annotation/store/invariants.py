"""What must always be true of the rows, as queries that find where it is not; all read, none writes.

`findings` is what `hromada database check` shows and what tests of concurrency and crashes ask after every storm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.store.models import Annotator, Assignment, Exposure, Item, Judgement, Project
from annotation.vocabulary import AssignmentStatus, Pool, Surface

EXAMPLES = 5
"""How many ids a finding names."""
DONE = col(Assignment.status) == AssignmentStatus.DONE
LIVE = col(Assignment.status) == AssignmentStatus.LIVE
SERVED = col(Assignment.surface) != Surface.IMPORT
Query = sa.Select[tuple[str]]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One rule: how many rows break it, and the first of them."""

    rule: str
    wrong: int
    examples: tuple[str, ...] = ()


def findings(session: Session) -> tuple[Finding, ...]:
    """Every rule with what breaks it, in a fixed order."""
    return tuple(_finding(session, rule, query()) for rule, query in RULES.items())


def broken(session: Session) -> tuple[Finding, ...]:
    """The rules that do not hold."""
    return tuple(one for one in findings(session) if one.wrong)


def _finding(session: Session, rule: str, query: Query) -> Finding:
    found = query.subquery()
    wrong = session.execute(sa.select(func.count()).select_from(found)).scalar_one()
    shown = session.execute(sa.select(found.c[0]).order_by(found.c[0]).limit(EXAMPLES)).scalars() if wrong else ()
    return Finding(rule=rule, wrong=wrong, examples=tuple(str(one) for one in shown))


def _named(what: str, identity: Any) -> Any:
    return (sa.literal(f"{what} ") + sa.cast(identity, sa.String)).label("name")


def _holders(*conditions: Any) -> Any:
    """The number of assignments that take a place of the item and fulfil the conditions."""
    counted = sa.select(func.count()).select_from(Assignment)
    return counted.where(col(Assignment.item_id) == col(Item.id), col(Assignment.holds), *conditions).scalar_subquery()


def _miscounted() -> Query:
    wrong = sa.or_(col(Item.n_live) != _holders(), col(Item.n_done) != _holders(DONE))
    return sa.select(_named("item", col(Item.id))).where(wrong)


def _over_full() -> Query:
    """Imported votes come from outside, and may be more than were asked for."""
    places = col(Item.free) + col(Item.held) + col(Item.n_live) - _holders(~SERVED)
    joined = sa.select(_named("item", col(Item.id))).join(Project, col(Project.id) == col(Item.project_id))
    return joined.where(places > func.coalesce(col(Project.overlap_max), col(Project.overlap)))


def _negative() -> Query:
    counts = (Item.free, Item.held, Item.n_live, Item.n_done)
    return sa.select(_named("item", col(Item.id))).where(sa.or_(*(col(one) < 0 for one in counts)))


def _idle_holders() -> Query:
    return sa.select(_named("assignment", col(Assignment.id))).where(col(Assignment.holds), ~LIVE, ~DONE)


def _strayed() -> Query:
    joined = sa.select(_named("assignment", col(Assignment.id))).join(Item, col(Item.id) == col(Assignment.item_id))
    return joined.where(col(Assignment.project_id) != col(Item.project_id))


def _two_live() -> Query:
    held = sa.select(_named("annotator", col(Assignment.annotator_id)))
    held = held.where(LIVE, col(Assignment.surface) == Surface.TELEGRAM)
    return held.group_by(col(Assignment.annotator_id)).having(func.count() > 1)


def _same_position() -> Query:
    whose = (col(Assignment.annotator_id), col(Assignment.project_id), col(Assignment.position))
    given = sa.select(_named("assignment", func.min(col(Assignment.id)))).where(SERVED, whose[2].is_not(None))
    return given.group_by(*whose).having(func.count() > 1)


def _gaps() -> Query:
    chained = sa.select(_named("assignment", col(Judgement.assignment_id))).group_by(col(Judgement.assignment_id))
    ends = sa.or_(func.min(col(Judgement.revision)) != 0, func.max(col(Judgement.revision)) != func.count() - 1)
    return chained.having(ends)


def _unanswered() -> Query:
    """Done without an answer, or answered and still live."""
    answered = select(Judgement.id).where(Judgement.assignment_id == Assignment.id).exists()
    return sa.select(_named("assignment", col(Assignment.id))).where(sa.or_(DONE & ~answered, LIVE & answered))


def _wrongly_open() -> Query:
    newest = sa.select(func.max(col(Judgement.revision))).where(col(Judgement.assignment_id) == col(Assignment.id))
    opened = col(Assignment.open_revision)
    wrong = sa.or_(LIVE, DONE & (opened != func.coalesce(newest.scalar_subquery(), -1) + 1))
    return sa.select(_named("assignment", col(Assignment.id))).where(opened.is_not(None), wrong)


def _exposures(*conditions: Any) -> Any:
    met = select(Exposure.annotator_id).where(
        Exposure.annotator_id == Assignment.annotator_id, Exposure.group_id == Item.group_id, *conditions
    )
    return met.exists()


def _unrecorded() -> Query:
    """Shown, and the group is not among those that the person has met; those who were forgotten have met none."""
    joined = (
        sa.select(_named("assignment", col(Assignment.id)))
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
    )
    recorded = _exposures(Exposure.project_id == Item.project_id)
    shown = (SERVED, col(Assignment.shown_at).is_not(None), col(Annotator.forgotten_at).is_(None))
    return joined.where(*shown, ~recorded)


def _met_before() -> Query:
    """In a baseline, and the group was met earlier: by another of its items, or in a project that is no exception.

    Training and qualification may come back to a group; they are in no score. A control item is in none either, so
    that only those of the same project are looked at.
    """
    first = sa.and_(col(Project.definition)["kind"].as_string() == "baseline", SERVED, col(Assignment.occasion) == 0)
    kept = col(Item.pool).in_((Pool.MAIN, Pool.PILOT))
    elsewhere = _exposures(Exposure.project_id != Item.project_id, col(Exposure.at) < col(Assignment.assigned_at))
    return (
        sa.select(_named("assignment", col(Assignment.id)))
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Project, col(Project.id) == col(Item.project_id))
        .where(first, sa.or_(kept & ~col(Assignment.exposed) & elsewhere, (kept | _CONTROL) & _another()))
    )


_CONTROL = col(Item.pool) == Pool.CONTROL


def _another() -> Any:
    """The person was handed another item of the group, in the same project, before this one: one pass over all."""
    whose = (col(Assignment.annotator_id), col(Item.project_id), col(Item.group_id))
    first = func.first_value(col(Assignment.item_id)).over(partition_by=whose, order_by=col(Assignment.id))
    handed = sa.select(col(Assignment.id), col(Assignment.item_id), first.label("first"))
    met = handed.join(Item, col(Item.id) == col(Assignment.item_id)).where(SERVED).subquery()
    return col(Assignment.id).in_(sa.select(met.c.id).where(met.c.item_id != met.c.first))


def _remembered() -> Query:
    """What should have been emptied when a person asked to be forgotten."""
    said = (
        select(Judgement.id)
        .join(Assignment)
        .where(
            Assignment.annotator_id == Annotator.id,
            sa.or_(col(Judgement.response) != "", col(Judgement.response_raw) != ""),
        )
        .exists()
    )
    known = sa.or_(col(Annotator.telegram_id).is_not(None), said)
    return sa.select(_named("annotator", col(Annotator.id))).where(col(Annotator.forgotten_at).is_not(None), known)


RULES: dict[str, Callable[[], Query]] = {
    "an item's counts are those of its assignments": _miscounted,
    "an item has no more places than its overlap": _over_full,
    "no count is below zero": _negative,
    "only what is live or done takes a place": _idle_holders,
    "an assignment is in its item's project": _strayed,
    "nobody has two live items in Telegram": _two_live,
    "a person's items in a project are numbered once": _same_position,
    "revisions of an answer run from 0 without a gap": _gaps,
    "what is done is answered, what is live is not": _unanswered,
    "an opened revision is the next one": _wrongly_open,
    "what was shown is recorded as met": _unrecorded,
    "nobody judges in a baseline what she had met": _met_before,
    "of people who were forgotten nothing is left": _remembered,
}
