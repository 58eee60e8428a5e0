"""Reviewers: who may review an answer or adjudicate an item.

Nobody judges what they answered, made, or saw the gold of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from annotation.campaigns.project_file import ProjectFile
from annotation.errors import BadInput, Conflict, NotFound, Where
from annotation.store import journal, pseudonyms
from annotation.store.models import Annotator, Assignment, Item, Project
from annotation.vocabulary import AssignmentStatus, Event

NAMESPACE = "reviewer"
MAX_NAME_LENGTH = 64


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
    known = session.exec(select(Annotator).where(Annotator.pseudonym == pseudonym)).first()
    if known is not None:
        return known
    reviewer = Annotator(pseudonym=pseudonym, insider=True, created_at=now)
    session.add(reviewer)
    session.flush()
    journal.record_event(session, Event.ANNOTATOR_JOINED, now=now, annotator_id=reviewer.id)
    return reviewer


def get_reviewer(session: Session, pseudonym: str) -> Annotator:
    """The person with this pseudonym, an annotator or a reviewer; raises NotFound, and Conflict for a suspended one."""
    found = session.exec(select(Annotator).where(Annotator.pseudonym == pseudonym)).first()
    if found is None:
        raise NotFound(
            f"Nobody has the pseudonym {pseudonym!r}.",
            remedy="`hromada people add-reviewer NAME` gives one to somebody who does not use the bot.",
        )
    if found.suspended_at is not None or found.forgotten_at is not None:
        raise Conflict(f"{pseudonym} is suspended or forgotten.", remedy="Let somebody else do it.")
    return found


def build_revocable_condition(annotator_id: Any, *, by: Annotator) -> sa.ColumnElement[bool]:
    """The condition that a decision of a person (a column) can be taken back by somebody.

    It is their own, or that of somebody who cannot do it any more, suspended or forgotten.
    """
    gone = sa.select(col(Annotator.id)).where(
        sa.or_(col(Annotator.suspended_at).is_not(None), col(Annotator.forgotten_at).is_not(None))
    )
    return sa.or_(annotator_id == by.id, annotator_id.in_(gone))


def build_answered_condition(annotator_id: int) -> sa.ColumnElement[bool]:
    """The condition that a person was assigned the item, here or in another project.

    It is the same item where id and group are the same, as in follow-up projects. An assignment that expired before it
    was shown is none.
    """
    other, answered = aliased(Item), aliased(Assignment)
    of_item = (
        sa.select(col(answered.id))
        .join(other, col(other.id) == col(answered.item_id))
        .where(col(other.external_id) == col(Item.external_id), col(other.group_id) == col(Item.group_id))
    )
    return of_item.where(
        col(answered.annotator_id) == annotator_id,
        sa.or_(col(answered.status) != AssignmentStatus.EXPIRED, col(answered.shown_at).is_not(None)),
    ).exists()


def record_shown_gold(
    session: Session, *, project: Project, reviewer: Annotator, items: Iterable[str], now: datetime
) -> None:
    """Record that a reviewer is shown the gold of these items (external ids), of which they then adjudicate none."""
    unseen = sorted(set(items) - list_seen_gold(session, project=project, reviewer=reviewer))
    if unseen:
        journal.record_event(
            session,
            Event.GOLD_SHOWN,
            now=now,
            project_id=project.id,
            annotator_id=reviewer.id,
            data={"items": unseen},
        )


def list_seen_gold(session: Session, *, project: Project, reviewer: Annotator) -> frozenset[str]:
    """The items (external ids) of a project of which a reviewer was shown the gold."""
    events = journal.list_project_events(session, Event.GOLD_SHOWN, project_id=project.id or 0)
    return frozenset(item for event in events if event.annotator_id == reviewer.id for item in event.data["items"])


def is_maker(definition: ProjectFile, item: Item, pseudonym: str) -> bool:
    """Whether the column `review.made_by` of the items names the person: pseudonyms, with blanks or commas between.

    Raises BadInput for an item without the column.
    """
    column = None if definition.review is None else definition.review.made_by
    if column is not None and column not in item.data:
        raise BadInput(
            f"The item {item.external_id!r} has no column {column!r}, which `review.made_by` names.",
            where=Where(field="review.made_by"),
            remedy="Name a column of the items; it may be empty for an item that nobody of the team made.",
        )
    makers = "" if column is None else str(item.data[column] or "")
    return pseudonym in re.split(r"[\s,;\[\]\"']+", makers)
