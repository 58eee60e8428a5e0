"""The places of items: taken, filled, given back. `free`, `held`, `n_live` and `n_done` change here and nowhere else.

An item has `free + held + n_live` places in all. That overlap is never exceeded rests on the conditions of these
statements and on the table's checks, not on what was read before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.store.models import Item, Reopened
from annotation.vocabulary import ItemStatus, Pool

OPEN = col(Item.status) == ItemStatus.OPEN
PLACED = (Pool.MAIN, Pool.PILOT)
"""The pools whose items have places; the others may be met by everybody."""

_TAKE = sa.text("UPDATE item SET free = free - 1, n_live = n_live + 1 WHERE id = :item AND free > 0")
_TAKE_HELD = sa.text("UPDATE item SET held = held - 1, n_live = n_live + 1 WHERE id = :item AND held > 0")
_FILL = sa.text("UPDATE item SET n_done = n_done + 1 WHERE id = :item")
_TAKING = (
    sa.update(Item)
    .where(col(Item.free) > 0)
    .values(free=col(Item.free) - 1, n_live=col(Item.n_live) + 1)
    .returning(Item)
)
_FRESH = {"populate_existing": True, "autoflush": False}
_TAKE_ONE = select(Item).from_statement(_TAKING.where(col(Item.id) == sa.bindparam("item"))).execution_options(**_FRESH)
_UNLOCKED = sa.text("""(
SELECT id FROM item WHERE id = ANY(CAST(:items AS integer[])) AND free > 0
ORDER BY array_position(CAST(:items AS integer[]), id) LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)""")
_TAKE_UNLOCKED = select(Item).from_statement(_TAKING.where(col(Item.id) == _UNLOCKED)).execution_options(**_FRESH)
_GIVE_BACK = (
    sa.update(Item)
    .where(col(Item.id) == sa.bindparam("item"))
    .values(
        n_live=col(Item.n_live) - 1,
        n_done=col(Item.n_done) - sa.bindparam("done"),
        free=col(Item.free) + sa.case((OPEN, 1), else_=0),
        held=col(Item.held) + sa.case((OPEN, 0), else_=1),
    )
)


def take(session: Session, *, item_id: int) -> bool:
    """Take a free place of an item; False where there is none any more."""
    return session.connection().execute(_TAKE, {"item": item_id}).rowcount == 1


def take_held(session: Session, *, item_id: int) -> bool:
    """Take a place that a paused item holds, for a desk; False where there is none any more."""
    return session.connection().execute(_TAKE_HELD, {"item": item_id}).rowcount == 1


def take_first(session: Session, item_ids: Sequence[int]) -> Item | None:
    """Take a place of the first of these items that nobody else is taking at this moment; None where all are gone."""
    if session.get_bind().dialect.name == "postgresql":
        return session.execute(_TAKE_UNLOCKED, {"items": list(item_ids)}).scalars().first()
    found = (session.execute(_TAKE_ONE, {"item": one}).scalars().first() for one in item_ids)
    return next((item for item in found if item is not None), None)


def fill(session: Session, *, item_id: int) -> None:
    """The answer of a place that was taken is there."""
    session.connection().execute(_FILL, {"item": item_id})


def give_back(session: Session, *, item_id: int, done: bool, now: datetime) -> None:
    """Free a place that was taken, and filled where `done`; a paused item holds it until it goes on."""
    session.connection().execute(_GIVE_BACK, {"item": item_id, "done": int(done)})
    announce(session, item_id=item_id, now=now)


def give_back_all(session: Session, *, item_ids: Sequence[int], now: datetime) -> None:
    """Free a place of each of these items that nobody answered; an item that lost two people stands there twice."""
    if item_ids:
        session.connection().execute(_GIVE_BACK, [{"item": one, "done": 0} for one in item_ids])
        _announce(session, col(Item.id).in_(item_ids), col(Item.free) > 0, now=now)


def leave(session: Session, *, item_id: int) -> None:
    """An answer from outside counts no more: it had taken none of the places, so none is free now."""
    session.connection().execute(
        sa.update(Item).where(col(Item.id) == item_id).values(n_live=Item.n_live - 1, n_done=Item.n_done - 1)
    )


def enter(session: Session, *, item_id: int) -> None:
    """An answer from outside counts, beside the places."""
    session.connection().execute(
        sa.update(Item).where(col(Item.id) == item_id).values(n_live=Item.n_live + 1, n_done=Item.n_done + 1)
    )


def open_more(session: Session, *, item_id: int, number: int, now: datetime) -> None:
    """Give an item more places than it had."""
    session.connection().execute(
        sa.update(Item)
        .where(col(Item.id) == item_id)
        .values(free=Item.free + sa.case((OPEN, number), else_=0), held=Item.held + sa.case((OPEN, 0), else_=number))
    )
    announce(session, item_id=item_id, now=now)


def pause(session: Session, *, item_id: int, status: ItemStatus = ItemStatus.PAUSED) -> None:
    """Hand an item out no more; its free places are held."""
    session.connection().execute(
        sa.update(Item).where(col(Item.id) == item_id).values(status=status, held=Item.held + Item.free, free=0)
    )


def resume(session: Session, *, item_id: int, now: datetime) -> None:
    """Hand a paused item out again; the places that were held are free."""
    session.connection().execute(
        sa.update(Item)
        .where(col(Item.id) == item_id)
        .values(status=ItemStatus.OPEN, free=Item.free + Item.held, held=0)
    )
    announce(session, item_id=item_id, now=now)


def announce(session: Session, *, item_id: int, now: datetime) -> None:
    """Say that an item has a place again, to those who went round the ring already."""
    _announce(session, col(Item.id) == item_id, col(Item.free) > 0, now=now)


def announce_from(session: Session, *, project_id: int, after: Mapping[Pool, int], now: datetime) -> None:
    """Say that items came behind the ends (`after`, by pool) of the orders in which people go round."""
    for pool in PLACED:
        behind = (col(Item.project_id) == project_id, col(Item.pool) == pool, col(Item.ring) >= after.get(pool, 0))
        _announce(session, *behind, col(Item.free) > 0, now=now)


def raise_to(session: Session, *, project_id: int, overlap: int, now: datetime, least: int = 0) -> int:
    """Give every item of the main and pilot pools so many places in all, where it has fewer; how many got some.

    Only items that have `least` places already are looked at.
    """
    total = col(Item.free) + col(Item.held) + col(Item.n_live)
    short = sa.and_(
        col(Item.project_id) == project_id,
        col(Item.pool).in_(PLACED),
        col(Item.status) != ItemStatus.RETIRED,
        total < overlap,
        total >= least,
    )
    _announce(session, short, OPEN, now=now)
    more = overlap - total
    places = {"free": Item.free + sa.case((OPEN, more), else_=0), "held": Item.held + sa.case((OPEN, 0), else_=more)}
    return session.connection().execute(sa.update(Item).where(short).values(places)).rowcount


def _announce(session: Session, *chosen: sa.ColumnElement[bool], now: datetime) -> None:
    came = sa.select(col(Item.project_id), col(Item.pool), col(Item.id), sa.literal(now, Reopened.at.type))  # type: ignore[attr-defined]
    session.connection().execute(
        sa.insert(Reopened).from_select(
            ["project_id", "pool", "item_id", "at"], came.where(*chosen).order_by(col(Item.ring))
        )
    )
