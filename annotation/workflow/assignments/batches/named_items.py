"""Items that an organiser names for an annotator's Label Studio batch, and why one of them is not assigned."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import sqlalchemy as sa
from sqlmodel import Session, col, select

from aggregation import spelling
from annotation.campaigns import conditions
from annotation.campaigns.conditions import ConditionFacts
from annotation.errors import NotFound, Where
from annotation.store import item_queue, overlap_counts
from annotation.store.models import Assignment, Item, Project
from annotation.vocabulary import POOLS_WITH_OVERLAP, AssignmentStatus, ItemStatus
from annotation.workflow.assignments import item_selection
from annotation.workflow.assignments.annotator_context import AnnotatorContext

FACT_NAMES = ("id", "group", "pool", "stratum", "tag", "gold")
"""The names in a condition on named items: what is known of an item before anybody answers."""
MOST_NAMED = 5


class NotAssigned(StrEnum):
    """Why a named item is not assigned to the annotator."""

    ASSIGNED = "they have it already, or had it"
    GROUP = "they met another item of its group"
    STAGE = "it is not of the stage where they are"
    RETIRED = "it is retired"
    FULL = "it has all the annotators that it needs"


def find_named_items(session: Session, *, project: Project, ids: Sequence[str], where: Sequence[str]) -> list[int]:
    """The items with these external ids, in this order, and those that meet every condition, in the file's order.

    Raises BadInput for a condition that is not valid, NotFound for ids that the project has not, or where nothing is
    found.
    """
    items = session.exec(select(Item).where(Item.project_id == project.id).order_by(col(Item.rank))).all()
    by_key = {spelling.build_key(item.external_id): item.id or 0 for item in items}
    missing = [name for name in ids if spelling.build_key(name) not in by_key]
    if missing:
        more = f" and {len(missing) - MOST_NAMED} others" if len(missing) > MOST_NAMED else ""
        raise NotFound(
            f"{project.name} has no item {', '.join(spelling.quote_words(missing[:MOST_NAMED]))}{more}.",
            where=Where(field="--item"),
            remedy=f"Its ids are like {items[0].external_id!r}." if items else "Load its items first.",
        )
    parsed = [conditions.parse_condition(text, (), names=FACT_NAMES) for text in where]
    met = [
        item.id or 0
        for item in items
        if parsed and all(condition.is_met(build_item_facts(item), ()) for condition in parsed)
    ]
    if where and not met:
        raise NotFound(
            f"None of the {len(items)} items of {project.name} meets the conditions.",
            where=Where(field="--where"),
            remedy=_list_known_values(items, [condition.name for condition in parsed]),
        )
    return list(dict.fromkeys([*(by_key[spelling.build_key(name)] for name in ids), *met]))


def _list_known_values(items: Sequence[Item], names: Sequence[str]) -> str:
    """What the items have of these facts, as a sentence."""
    parts = []
    for name in dict.fromkeys(names):
        values = sorted({value for item in items for value in build_item_facts(item).facts[name] if value})
        more = ", …" if len(values) > MOST_NAMED else ""
        parts.append(f"{name}: {', '.join(values[:MOST_NAMED]) or 'none'}{more}")
    return f"The items have {'; '.join(parts)}."


def build_item_facts(item: Item) -> ConditionFacts:
    """What conditions can test of an item before anybody answers."""
    facts = {
        "id": (item.external_id,), "group": (item.group_id,), "pool": (item.pool.value,), "gold": (item.gold or "",),
        "stratum": (item.stratum or "",), "tag": tuple(item.tags or ()),
    }  # fmt: skip
    return ConditionFacts(facts=facts)


def take_named_item(session: Session, context: AnnotatorContext, *, item_id: int) -> NotAssigned | None:
    """Take a place of a named item for the annotator; None where it was taken, else why not."""
    item = session.get_one(Item, item_id, populate_existing=True)
    query = item_selection.build_queue_query(session, context, item.pool)
    if item.status is ItemStatus.RETIRED:
        return NotAssigned.RETIRED
    if item.pool not in POOLS_WITH_OVERLAP or item.stage is not context.participation.stage:
        return NotAssigned.STAGE
    if session.exec(select(Assignment.id).where(Assignment.item_id == item_id, *build_had_conditions(context))).first():
        return NotAssigned.ASSIGNED
    if item_queue.is_barred_item(session, query, item_id=item_id):
        return NotAssigned.GROUP
    take = overlap_counts.take_held_place if item.status is ItemStatus.PAUSED else overlap_counts.take_place
    return None if take(session, item_id=item_id) else NotAssigned.FULL


def build_had_conditions(context: AnnotatorContext) -> tuple[sa.ColumnElement[bool], ...]:
    """The conditions that an assignment gave the annotator its item, and did not only expire."""
    return (
        col(Assignment.annotator_id) == context.annotator_id,
        sa.or_(col(Assignment.status) != AssignmentStatus.EXPIRED, col(Assignment.occasion) != 0),
    )
