"""The outbox: calls that follow from a transaction are stored by it, and go when they are made.

A letter is a row: calls for one chat, in their order. Whoever makes them puts its `due_at` off first; the letters of a
process that died are due when that time is over, and are made by another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store.models import Outbox

MOST = 100
"""How many letters are taken at once."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A letter to be stored; `content` is the file of a document."""

    chat_id: int
    calls: Sequence[Mapping[str, Any]]
    content: bytes | None = None
    repeatable: bool = True
    paced: bool = False


@dataclass(frozen=True, kw_only=True)
class Letter:
    """A stored letter. `in_doubt`: somebody began to make its calls, and nobody knows how far it went. `after` are
    letters to the same chat that were stored before it.
    """

    id: int
    chat_id: int
    calls: Sequence[Mapping[str, Any]]
    content: bytes | None = None
    repeatable: bool = True
    paced: bool = False
    attempts: int = 0
    in_doubt: bool = False
    after: tuple[int, ...] = ()


def put(session: Session, drafts: Sequence[Draft], *, due_at: datetime) -> tuple[Letter, ...]:
    """Store letters; until `due_at` they are this process's to make."""
    return tuple(_put(session, draft, due_at) for draft in drafts)


def _put(session: Session, draft: Draft, due_at: datetime) -> Letter:
    values = {
        "chat_id": draft.chat_id,
        "calls": [dict(call) for call in draft.calls],
        "content": draft.content,
        "repeatable": draft.repeatable,
        "paced": draft.paced,
        "attempts": 0,
        "due_at": due_at,
    }
    made = session.connection().execute(_PUT, values).scalar_one()
    return Letter(
        id=made,
        chat_id=draft.chat_id,
        calls=draft.calls,
        content=draft.content,
        repeatable=draft.repeatable,
        paced=draft.paced,
    )


def placed(session: Session, letters: Sequence[Letter]) -> tuple[Letter, ...]:
    """The letters with what was stored for their chats before them and is not known to be made; paced ones let others
    pass.
    """
    made = session.connection()
    given = [{"chat": one.chat_id, "number": one.id} for one in letters]
    return tuple(
        replace(one, after=tuple(made.execute(_EARLIER, each).scalars()))
        for one, each in zip(letters, given, strict=True)
    )


def remain(session: Session, ids: Sequence[int]) -> bool:
    """Whether one of them is still there."""
    return session.connection().execute(sa.select(_id).where(_id.in_(ids)).limit(1)).first() is not None


def remove(session: Session, ids: Sequence[int]) -> None:
    """These were made."""
    if ids:
        session.connection().execute(_REMOVE, [{"number": number} for number in ids])


def begin(session: Session, *, letter_id: int, now: datetime) -> bool:
    """What must not be made twice is being made; False where it was dropped meanwhile."""
    return session.connection().execute(sa.update(Outbox).where(_id == letter_id).values(begun_at=now)).rowcount > 0


def put_off(session: Session, *, letter_id: int, until: datetime) -> None:
    """Not before then, and not by anybody else; what was begun was refused, and is in doubt no more."""
    changed = {"due_at": until, "begun_at": None, "attempts": Outbox.attempts + 1}
    session.connection().execute(sa.update(Outbox).where(_id == letter_id).values(changed))


def hold(session: Session, ids: Sequence[int], *, until: datetime) -> None:
    """They are still being made."""
    session.connection().execute(sa.update(Outbox).where(_id.in_(ids)).values(due_at=until))


def take_due(session: Session, *, now: datetime, until: datetime, paced: bool, most: int = MOST) -> tuple[Letter, ...]:
    """Letters that are due, the oldest first; until then nobody else takes them."""
    chosen = sa.select(Outbox.__table__).where(col(Outbox.due_at) <= now, col(Outbox.paced) == paced)  # type: ignore[attr-defined]
    rows = session.connection().execute(chosen.order_by(_id).limit(most).with_for_update(skip_locked=True)).all()
    if rows:
        hold(session, [row.id for row in rows], until=until)
    return tuple(
        Letter(
            id=row.id,
            chat_id=row.chat_id,
            calls=row.calls,
            content=row.content,
            repeatable=row.repeatable,
            paced=row.paced,
            attempts=row.attempts,
            in_doubt=row.begun_at is not None,
        )
        for row in rows
    )


def make_due(session: Session, *, now: datetime) -> None:
    """Nobody else is there: whatever somebody was making is due now."""
    changed = sa.update(Outbox).where(col(Outbox.due_at) > now, ~col(Outbox.paced), col(Outbox.attempts) == 0)
    session.connection().execute(changed.values(due_at=now))


def drop(session: Session, *, chat_id: int) -> tuple[int, ...]:
    """The chat is gone, and nothing can be sent to it; the messages whose answers were on their way."""
    dropped = sa.delete(Outbox).where(col(Outbox.chat_id) == chat_id).returning(col(Outbox.calls))
    calls = [call for several in session.connection().execute(dropped).scalars() for call in several]
    return tuple(sorted({call["answers"] for call in calls if "answers" in call}))


def move(session: Session, *, chat_id: int, to: int) -> None:
    """The chat has another number now."""
    session.connection().execute(sa.update(Outbox).where(col(Outbox.chat_id) == chat_id).values(chat_id=to))


_id: sa.ColumnElement[int] = sa.type_coerce(col(Outbox.id), sa.BigInteger)
_PUT = sa.insert(Outbox).returning(_id)
_EARLIER = sa.select(_id).where(
    col(Outbox.chat_id) == sa.bindparam("chat"), _id < sa.bindparam("number"), ~col(Outbox.paced)
)
_REMOVE = sa.text("DELETE FROM outbox WHERE id = :number")
