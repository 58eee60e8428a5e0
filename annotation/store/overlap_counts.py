"""The overlap counts of items: from the start of a project on, `free`, `held`, `n_live` and `n_done` change only here.

An item of the main or pilot pool has as many places as it is to get answers; `free + held + n_live` is their number,
and the imported answers beyond them. A place is free (it can be assigned), held (the item is paused) or taken (an
assignment has it, answered or not: `n_live`); `n_done` counts the taken places that are answered. So assigning moves
one from `free` to `n_live`, answering adds one to `n_done`, and releasing moves it back. Whenever a place becomes free
again the item is put into the queue again (`RequeuedItem`) for annotators whose cursor has passed it.

Overlap is never exceeded, however many processes assign at the same time: every statement carries its own condition
(`free > 0`) and the table has checks; nothing depends on a count that was read before. Each function costs the same for
any number of items, but for `raise_overlap` and `requeue_new_items`, which change a whole project. (Before the start
the free places are set by `item_writer`; imports count many answers at once in `repeated_votes`.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store import models
from annotation.store.models import Item, ItemRow, RequeuedItem
from annotation.vocabulary import POOLS_WITH_OVERLAP, ItemStatus, Pool

N_PLACES = col(Item.free) + col(Item.held) + col(Item.n_live)
"""How many places an item has."""
IS_OPEN = col(Item.status) == ItemStatus.OPEN

_TAKE = sa.text("UPDATE item SET free = free - 1, n_live = n_live + 1 WHERE id = :item AND free > 0")
_TAKE_HELD = sa.text("UPDATE item SET held = held - 1, n_live = n_live + 1 WHERE id = :item AND held > 0")
_FILL = sa.text("UPDATE item SET n_done = n_done + 1 WHERE id = :item")
_ITEMS: sa.Table = Item.__table__  # type: ignore[attr-defined]
_TAKE_RETURNING = (
    sa.update(_ITEMS)
    .where(_ITEMS.c.free > 0)
    .values(free=_ITEMS.c.free - 1, n_live=_ITEMS.c.n_live + 1)
    .returning(*models.ITEMS.columns)
)
_TAKE_ONE = _TAKE_RETURNING.where(_ITEMS.c.id == sa.bindparam("item"))
_TAKE_UNLOCKED = _TAKE_RETURNING.where(
    _ITEMS.c.id
    == sa.text("""(
SELECT id FROM item WHERE id = ANY(CAST(:items AS integer[])) AND free > 0
ORDER BY array_position(CAST(:items AS integer[]), id) LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)""")
)
_RELEASE = (
    sa.update(Item)
    .where(col(Item.id) == sa.bindparam("item"))
    .values(
        n_live=col(Item.n_live) - 1,
        n_done=col(Item.n_done) - sa.bindparam("done"),
        free=col(Item.free) + sa.case((IS_OPEN, 1), else_=0),
        held=col(Item.held) + sa.case((IS_OPEN, 0), else_=1),
    )
)


def take_place(session: Session, *, item_id: int) -> bool:
    """Take a free place of an item; False where it has none."""
    return session.connection().execute(_TAKE, {"item": item_id}).rowcount == 1


def take_held_place(session: Session, *, item_id: int) -> bool:
    """Take a place that a paused item holds, for a Label Studio batch; False where it has none."""
    return session.connection().execute(_TAKE_HELD, {"item": item_id}).rowcount == 1


def take_first_place(session: Session, item_ids: Sequence[int]) -> ItemRow | None:
    """Take a place of the first of these items that has one; None where none has.

    On PostgreSQL items locked by another transaction are passed over.
    """
    connection = session.connection()
    if connection.dialect.name == "postgresql":
        taken = connection.execute(_TAKE_UNLOCKED, {"items": list(item_ids)}).first()
    else:
        attempts = (connection.execute(_TAKE_ONE, {"item": item_id}).first() for item_id in item_ids)
        taken = next((row for row in attempts if row is not None), None)
    return None if taken is None else models.ITEMS.build(taken)


def return_place(session: Session, *, item_id: int) -> None:
    """Return a place that was taken in this transaction, so that nobody has to be told of it."""
    session.connection().execute(_RELEASE, {"item": item_id, "done": 0})


def fill_place(session: Session, *, item_id: int) -> None:
    """Count a taken place as answered."""
    session.connection().execute(_FILL, {"item": item_id})


def release_place(session: Session, *, item_id: int, done: bool, now: datetime) -> None:
    """Free a taken place, which was answered where `done`; a paused item holds it until it is resumed."""
    session.connection().execute(_RELEASE, {"item": item_id, "done": int(done)})
    requeue_item(session, item_id=item_id, now=now)


def release_places(session: Session, *, item_ids: Sequence[int], now: datetime) -> None:
    """Free one unanswered place for each id in `item_ids`; an id may occur more than once."""
    if item_ids:
        session.connection().execute(_RELEASE, [{"item": item_id, "done": 0} for item_id in item_ids])
        _requeue(session, col(Item.id).in_(item_ids), col(Item.free) > 0, now=now)


def remove_imported_answer(session: Session, *, item_id: int) -> None:
    """Stop counting an imported answer: it had taken none of the places, so none becomes free."""
    session.connection().execute(
        sa.update(Item).where(col(Item.id) == item_id).values(n_live=Item.n_live - 1, n_done=Item.n_done - 1)
    )


def add_imported_answer(session: Session, *, item_id: int) -> None:
    """Count an imported answer, in addition to the places."""
    session.connection().execute(
        sa.update(Item).where(col(Item.id) == item_id).values(n_live=Item.n_live + 1, n_done=Item.n_done + 1)
    )


def add_places(session: Session, *, item_id: int, number: int, now: datetime) -> None:
    """Give an item `number` more places."""
    session.connection().execute(
        sa.update(Item)
        .where(col(Item.id) == item_id)
        .values(
            free=Item.free + sa.case((IS_OPEN, number), else_=0), held=Item.held + sa.case((IS_OPEN, 0), else_=number)
        )
    )
    requeue_item(session, item_id=item_id, now=now)


def pause_item(session: Session, *, item_id: int) -> None:
    """Stop assigning an item: its free places are held."""
    session.connection().execute(
        sa.update(Item)
        .where(col(Item.id) == item_id)
        .values(status=ItemStatus.PAUSED, held=Item.held + Item.free, free=0)
    )


def resume_item(session: Session, *, item_id: int, now: datetime) -> None:
    """Assign a paused item again: its held places are free."""
    session.connection().execute(
        sa.update(Item)
        .where(col(Item.id) == item_id)
        .values(status=ItemStatus.OPEN, free=Item.free + Item.held, held=0)
    )
    requeue_item(session, item_id=item_id, now=now)


def requeue_item(session: Session, *, item_id: int, now: datetime) -> None:
    """Put an item with a free place into the queue again, for annotators whose cursor has passed it."""
    _requeue(session, col(Item.id) == item_id, col(Item.free) > 0, now=now)


def requeue_new_items(session: Session, *, project_id: int, after: Mapping[Pool, int], now: datetime) -> None:
    """Put items that were added at the end of the queue order into the queue again.

    `after` is the first new queue position of each pool.
    """
    for pool in POOLS_WITH_OVERLAP:
        new_items = (
            col(Item.project_id) == project_id,
            col(Item.pool) == pool,
            col(Item.queue_position) >= after.get(pool, 0),
        )
        _requeue(session, *new_items, col(Item.free) > 0, now=now)


def raise_overlap(session: Session, *, project_id: int, overlap: int, now: datetime, least: int = 0) -> int:
    """Give main and pilot items with fewer places `overlap` places in all; returns how many items were changed.

    Items with fewer than `least` places are left as they are.
    """
    places = N_PLACES
    too_few = sa.and_(
        col(Item.project_id) == project_id,
        col(Item.pool).in_(POOLS_WITH_OVERLAP),
        col(Item.status) != ItemStatus.RETIRED,
        places < overlap,
        places >= least,
    )
    _requeue(session, too_few, IS_OPEN, now=now)
    more = overlap - places
    changed = {
        "free": Item.free + sa.case((IS_OPEN, more), else_=0),
        "held": Item.held + sa.case((IS_OPEN, 0), else_=more),
    }
    return session.connection().execute(sa.update(Item).where(too_few).values(changed)).rowcount


def _requeue(session: Session, *conditions: sa.ColumnElement[bool], now: datetime) -> None:
    items = sa.select(col(Item.project_id), col(Item.pool), col(Item.id), sa.literal(now, RequeuedItem.at.type))  # type: ignore[attr-defined]
    session.connection().execute(
        sa.insert(RequeuedItem).from_select(
            ["project_id", "pool", "item_id", "at"], items.where(*conditions).order_by(col(Item.queue_position))
        )
    )
