"""Reviewers: who may review an answer or adjudicate an item.

Nobody judges what they answered, made, or saw the gold of.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from aggregation import spelling
from annotation.errors import BadInput, Conflict, NotFound, Where
from annotation.store import journal, pseudonyms
from annotation.store.models import IS_KNOWN, Annotator, AnnotatorRow, Assignment, Item, Journal, Project
from annotation.vocabulary import AssignmentStatus, Event
from annotation.workflow import definitions

NAMESPACE = "reviewer"
MAX_NAME_LENGTH = 64
ITEMS_PER_QUERY = 500


def add_reviewer(session: Session, *, name: str, key: bytes, now: datetime) -> Annotator:
    """The team member with this name, who reviews and has no Telegram; made at the first call.

    Only a pseudonym made of the name and the key is stored. Raises BadInput for an empty or too long name.
    """
    stripped = name.strip()
    if not stripped or len(stripped) > MAX_NAME_LENGTH:
        raise BadInput(
            f"A name has 1 to {MAX_NAME_LENGTH} characters.", where=Where(field="name"), remedy="Write it like `olha`."
        )
    pseudonym = pseudonyms.make_pseudonym(key, namespace=NAMESPACE, name=stripped)
    existing = session.exec(select(Annotator).where(Annotator.pseudonym == pseudonym)).first()
    if existing is not None:
        return existing
    reviewer = Annotator(pseudonym=pseudonym, insider=True, created_at=now)
    session.add(reviewer)
    session.flush()
    journal.record_event(session, Event.ANNOTATOR_JOINED, now=now, annotator_id=reviewer.id)
    return reviewer


def get_reviewer(session: Session, pseudonym: str) -> Annotator:
    """The person with this pseudonym, an annotator or a reviewer; raises NotFound, and Conflict for a suspended one."""
    reviewer = session.exec(select(Annotator).where(Annotator.pseudonym == spelling.build_key(pseudonym))).first()
    if reviewer is None:
        raise NotFound(
            f"Nobody has the pseudonym {spelling.quote_word(pseudonym)}.",
            remedy="`hromada people add-reviewer NAME` gives one to somebody who does not use the bot.",
        )
    if reviewer.suspended_at is not None or reviewer.is_gone:
        raise Conflict(f"{pseudonym} is suspended, forgotten or detached.", remedy="Let somebody else do it.")
    return reviewer


def build_revocable_condition(annotator_id: Any, *, by: AnnotatorRow) -> sa.ColumnElement[bool]:
    """The condition that a decision of a person (a column) can be taken back by somebody.

    It is their own, or that of somebody who cannot do it any more, suspended, forgotten or detached.
    """
    gone = sa.select(col(Annotator.id)).where(sa.or_(col(Annotator.suspended_at).is_not(None), ~IS_KNOWN))
    return sa.or_(annotator_id == by.id, annotator_id.in_(gone))


_OTHER, _ANSWERED = aliased(Item), aliased(Assignment)


def build_answered_condition(annotator_id: int) -> sa.ColumnElement[bool]:
    """The condition that a person was assigned the item, here or in another project.

    It is the same item where id and group are the same, as in follow-up projects. An assignment that expired before it
    was shown is none.
    """
    of_item = (
        sa.select(col(_ANSWERED.id))
        .join(_OTHER, col(_OTHER.id) == col(_ANSWERED.item_id))
        .where(col(_OTHER.external_id) == col(Item.external_id), col(_OTHER.group_id) == col(Item.group_id))
    )
    return of_item.where(
        col(_ANSWERED.annotator_id) == annotator_id,
        sa.or_(col(_ANSWERED.status) != AssignmentStatus.EXPIRED, col(_ANSWERED.shown_at).is_not(None)),
    ).exists()


def record_shown_gold(
    session: Session, *, project: Project, reviewer: AnnotatorRow, items: Iterable[str], now: datetime
) -> None:
    """Record that a reviewer is shown the gold of these items (external ids), of which they then adjudicate none."""
    seen = _list_shown_items(session, reviewer).get(project.id or 0, set())
    unseen = sorted(set(items) - seen)
    if unseen:
        journal.record_event(
            session,
            Event.GOLD_SHOWN,
            now=now,
            project_id=project.id,
            annotator_id=reviewer.id,
            data={"items": unseen},
        )


def list_seen_items(
    session: Session, *, project: Project, reviewer: AnnotatorRow, items: Sequence[Item]
) -> frozenset[str]:
    """Which of these items of a project (external ids) a reviewer was shown the gold of, here or in another project."""
    shown = _list_shown_items(session, reviewer)
    seen = {item.external_id for item in items} & shown.pop(project.id or 0, set())
    for project_id, names in shown.items():
        met = _list_same_items(session, project_id, items, names=names)
        seen |= {item.external_id for item in met}
    return frozenset(seen)


def list_made_items(
    session: Session, *, project: Project, reviewer: AnnotatorRow, items: Sequence[Item]
) -> frozenset[str]:
    """Which of these items of a project (external ids) a reviewer made, by `review.made_by` here and elsewhere."""
    made: set[str] = set()
    for other in session.exec(select(Project).order_by(col(Project.id))):
        section = definitions.get_project_definition(other).review
        if section is not None and section.made_by is not None:
            same = items if other.id == project.id else _list_same_items(session, other.id or 0, items)
            made |= {item.external_id for item in same if _is_maker(item.data.get(section.made_by), reviewer.pseudonym)}
    return frozenset(made)


def _list_shown_items(session: Session, reviewer: AnnotatorRow) -> dict[int, set[str]]:
    """The items (external ids) of which a reviewer was shown the gold, by project."""
    events = select(Journal).where(Journal.event == Event.GOLD_SHOWN.value, Journal.annotator_id == reviewer.id)
    shown: dict[int, set[str]] = defaultdict(set)
    for event in session.exec(events):
        shown[event.project_id or 0] |= set(event.data["items"])
    return shown


def _list_same_items(
    session: Session, project_id: int, items: Sequence[Item], *, names: Collection[str] | None = None
) -> list[Item]:
    """The items of another project with the id and group of one of these; with `names` those of these ids alone."""
    groups = {item.external_id: item.group_id for item in items if names is None or item.external_id in names}
    same: list[Item] = []
    wanted = list(groups)
    for start in range(0, len(wanted), ITEMS_PER_QUERY):
        some = col(Item.external_id).in_(wanted[start : start + ITEMS_PER_QUERY])
        same_items = session.exec(select(Item).where(Item.project_id == project_id, some))
        same += [item for item in same_items if item.group_id == groups[item.external_id]]
    return same


def _is_maker(cell: object, pseudonym: str) -> bool:
    """Whether a cell of the column `review.made_by` names the person: pseudonyms, with blanks or commas between."""
    return pseudonym in re.split(r"[\s,;\[\]\"']+", str(cell or ""))
