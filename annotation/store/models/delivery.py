"""Delivery: updates before they are handled, calls before they are made, who does what alone, where an item stands."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field

from annotation.store.models.base import Moment, Row, where

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""A number of Telegram's as a key: on SQLite an INTEGER, which alone needs no index of its own."""


class Inbox(Row, table=True):
    """An update of Telegram's, stored before it is confirmed. Once it is handled only its number is left.

    `attempts` counts those that failed; `code` is under which the log tells why it was given up.
    """

    __table_args__ = (sa.Index("ix_inbox_waiting", "telegram_id", "update_id", **where("done_at IS NULL")),)

    update_id: int = Field(sa_column=sa.Column(BIG, primary_key=True, autoincrement=False))
    telegram_id: int | None = Field(default=None, sa_type=sa.BigInteger)
    payload: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    received_at: datetime = Field(sa_type=Moment)
    done_at: datetime | None = Field(default=None, sa_type=Moment)
    attempts: int = 0
    code: str | None = Field(default=None, max_length=16)


class Outbox(Row, table=True):
    """Calls that are to be made for one chat, in their order; the row goes when they are made.

    From `due_at` on any process may make them; whoever does puts it off first. `begun_at` is set before calls that must
    not be made twice: found set, it says that nobody knows whether they were. `paced` are those that wait their turn.
    """

    __table_args__ = (sa.Index("ix_outbox_due_at", "due_at"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, sa_column=sa.Column(BIG, primary_key=True))
    chat_id: int = Field(sa_type=sa.BigInteger)
    calls: list[dict[str, Any]] = Field(sa_type=sa.JSON)
    content: bytes | None = None
    repeatable: bool = True
    paced: bool = False
    attempts: int = 0
    due_at: datetime = Field(sa_type=Moment)
    begun_at: datetime | None = Field(default=None, sa_type=Moment)


class Lease(Row, table=True):
    """What only one process does at a time, who does it, and until when it has said that it will."""

    name: str = Field(primary_key=True, max_length=32)
    holder: str = Field(max_length=128)
    until: datetime = Field(sa_type=Moment)


class Screen(Row, table=True):
    """The message under which an assignment's buttons stand."""

    assignment_id: int = Field(foreign_key="assignment.id", primary_key=True)
    message_id: int = Field(sa_type=sa.BigInteger)


class Talk(Row, table=True):
    """Where a conversation with a person stands that is about something else than an answer."""

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    step: str = Field(max_length=32)
    data: dict[str, Any] = Field(default_factory=dict, sa_type=sa.JSON)
    at: datetime = Field(sa_type=Moment)
