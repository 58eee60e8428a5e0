"""Parked updates and messages: those that could not be handled or sent, until somebody tries them again or drops them.

Updates are parked in the inbox, messages in the outbox; both keep their content and have a reason there. Counted with
them is what waits in Label Studio for somebody: annotations set aside, and copies of erased annotators.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.errors import BadInput, NotFound
from annotation.store.models import (
    IS_KNOWN,
    Annotator,
    Inbox,
    LabelStudioAccount,
    LabelStudioBatch,
    LabelStudioSetAside,
    Outbox,
)

UPDATE, MESSAGE = "u", "m"
"""The first letters of the keys of updates and of messages."""


@dataclass(frozen=True, kw_only=True)
class ParkedDelivery:
    """A parked update or message.

    `key` names it in commands: a letter and its id, of updates of several bots also the id of the bot. `methods` are
    the methods of the calls that a message has left. `pseudonym` is None where the person is no annotator. `code` is
    what the sender of an update was told. `is_empty`: an update that could not be stored, of which nothing is there to
    be tried again.
    """

    key: str
    kind: str
    parked_at: datetime
    attempts: int
    pseudonym: str | None
    reason: str
    code: str | None = None
    trace: str | None = None
    methods: tuple[str, ...] = ()
    is_empty: bool = False


@dataclass(frozen=True, kw_only=True)
class ParkedCounts:
    """How many updates and messages are parked, and annotations in Label Studio set aside; `copies` are the projects
    and accounts there of erased annotators that are still to be looked after.
    """

    updates: int
    messages: int
    annotations: int
    copies: int


def list_parked(session: Session) -> Sequence[ParkedDelivery]:
    """All parked updates and messages, the longest parked first."""
    execute = session.connection().execute
    pseudonym, telegram_id = col(Annotator.pseudonym), col(Annotator.telegram_id)
    fields = ("bot_id", "update_id", "done_at", "attempts", "reason", "code", "trace", "telegram_id")
    updates = sa.select(*(getattr(Inbox, name) for name in fields), pseudonym).outerjoin(
        Annotator, telegram_id == col(Inbox.telegram_id)
    )
    messages = sa.select(
        *(getattr(Outbox, name) for name in ("id", "parked_at", "attempts", "reason", "calls")), pseudonym
    ).outerjoin(Annotator, telegram_id == col(Outbox.chat_id))
    rows = execute(updates.where(col(Inbox.reason).is_not(None))).all()
    suffixes = {row.bot_id: f"-{row.bot_id}" for row in rows}
    suffixes = suffixes if len(suffixes) > 1 else dict.fromkeys(suffixes, "")
    parked = [
        *(
            ParkedDelivery(
                key=f"{UPDATE}{row.update_id}{suffixes[row.bot_id]}", kind="update", parked_at=row.done_at,
                attempts=row.attempts, pseudonym=row.pseudonym, reason=row.reason, code=row.code, trace=row.trace,
                is_empty=row.telegram_id is None,
            )
            for row in rows
        ),
        *(
            ParkedDelivery(
                key=f"{MESSAGE}{row.id}", kind="message", parked_at=row.parked_at, attempts=row.attempts,
                pseudonym=row.pseudonym, reason=row.reason, methods=tuple(call["method"] for call in row.calls),
            )
            for row in execute(messages.where(col(Outbox.reason).is_not(None)))
        ),
    ]  # fmt: skip
    return sorted(parked, key=lambda delivery: (delivery.parked_at, delivery.key))


def count_parked(session: Session) -> ParkedCounts:
    """How many updates, messages, annotations and copies wait for somebody."""
    updates, messages = (
        session.connection()
        .execute(sa.select(sa.func.count()).select_from(table).where(col(table.reason).is_not(None)))
        .scalar_one()
        for table in (Inbox, Outbox)
    )
    set_aside = sa.select(sa.func.count()).select_from(LabelStudioSetAside)
    annotations = session.connection().execute(set_aside).scalar_one()
    return ParkedCounts(updates=updates, messages=messages, annotations=annotations, copies=count_copies(session))


def count_copies(session: Session) -> int:
    """How many projects and accounts of erased annotators are still to be looked after, on all servers."""
    counts = (
        sa.select(sa.func.count())
        .select_from(table)
        .join(Annotator, col(Annotator.id) == col(table.annotator_id))
        .where(~IS_KNOWN)
        for table in (LabelStudioBatch, LabelStudioAccount)
    )
    return sum(session.connection().execute(count).scalar_one() for count in counts)


def retry_parked(session: Session, keys: Sequence[str], *, now: datetime) -> None:
    """Let the bot try parked updates and messages again, from the first attempt; raises BadInput and NotFound.

    `now` is the time by the database's clock. An update that could not be stored is refused (BadInput).
    """
    again = {"reason": None, "attempts": 0}
    empty_keys = {delivery.key for delivery in list_parked(session) if delivery.is_empty}
    for key in keys:
        if key in empty_keys:
            raise BadInput(
                f"{key} has no stored content, so it cannot be retried.", remedy=f"hromada delivery drop {key}"
            )
        statement: sa.Update = (
            sa.update(Inbox).values(done_at=None, received_at=now, code=None, trace=None, **again)
            if key.startswith(UPDATE)
            else sa.update(Outbox).values(parked_at=None, created_at=now, due_at=now, holder="", **again)
        )
        _change_row(session, statement, key)


def drop_parked(session: Session, keys: Sequence[str], *, now: datetime) -> None:
    """Give up parked updates and messages for good; raises BadInput and NotFound.

    The id of an update stays, so that Telegram cannot send it again; its content and its sender are deleted.
    """
    emptied = {"telegram_id": None, "payload": sa.null(), "reason": None, "trace": None, "done_at": now}
    for key in keys:
        _change_row(session, sa.update(Inbox).values(emptied) if key.startswith(UPDATE) else sa.delete(Outbox), key)


def _change_row(session: Session, statement: sa.Update | sa.Delete, key: str) -> None:
    """Change the parked row that this key names; of several bots with that number, the key must name one."""
    named = re.fullmatch(rf"(?:{UPDATE}([0-9]+)(?:-([0-9]+))?|{MESSAGE}([0-9]+))", key, re.ASCII)
    if named is None:
        raise BadInput(f"{key} is not a parked update or message.", remedy="`hromada delivery list` shows their keys.")
    update_id, bot_id, message_id = named.groups()
    table, row_id = (Inbox, col(Inbox.update_id)) if message_id is None else (Outbox, col(Outbox.id))
    is_named = sa.type_coerce(row_id, sa.BigInteger) == int(message_id or update_id)
    if bot_id is not None:
        is_named = sa.and_(is_named, sa.type_coerce(col(Inbox.bot_id), sa.BigInteger) == int(bot_id))
    changed = session.connection().execute(statement.where(is_named, col(table.reason).is_not(None))).rowcount
    if changed > 1:
        raise BadInput(f"Several bots have an update {key}.", remedy="`hromada delivery list` shows their keys.")
    if not changed:
        raise NotFound(f"{key} is not parked (any more).", remedy="`hromada delivery list` shows what is.")
