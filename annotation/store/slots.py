"""The places of items: taken, filled, given back. `free`, `held`, `n_live` and `n_done` change here and nowhere else.

An item has `free + held + n_live` places in all. That overlap is never exceeded rests on the conditions of these
statements and on the table's checks, not on what was read before.
"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store.models import Item, Reopened
from annotation.vocabulary import ItemStatus

OPEN = col(Item.status) == ItemStatus.OPEN


def take(session: Session, *, item_id: int) -> bool:
    """Take a free place of an item; False where there is none any more."""
    taken = sa.update(Item).where(col(Item.id) == item_id, col(Item.free) > 0)
    changed = session.connection().execute(taken.values(free=Item.free - 1, n_live=Item.n_live + 1))
    return changed.rowcount == 1


def fill(session: Session, *, item_id: int) -> None:
    """The answer of a place that was taken is there."""
    session.connection().execute(sa.update(Item).where(col(Item.id) == item_id).values(n_done=Item.n_done + 1))


def give_back(session: Session, *, item_id: int, done: bool, now: datetime) -> None:
    """Free a place that was taken, and filled where `done`; a paused item holds it until it goes on."""
    session.connection().execute(
        sa.update(Item)
        .where(col(Item.id) == item_id)
        .values(
            n_live=Item.n_live - 1,
            n_done=Item.n_done - int(done),
            free=Item.free + sa.case((OPEN, 1), else_=0),
            held=Item.held + sa.case((OPEN, 0), else_=1),
        )
    )
    announce(session, item_id=item_id, now=now)


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
    came = sa.select(col(Item.project_id), col(Item.pool), col(Item.id), sa.literal(now, Reopened.at.type))  # type: ignore[attr-defined]
    session.connection().execute(
        sa.insert(Reopened).from_select(
            ["project_id", "pool", "item_id", "at"], came.where(col(Item.id) == item_id, col(Item.free) > 0)
        )
    )
