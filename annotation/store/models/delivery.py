"""Delivery: inbox and outbox of the bot, process leases, messages that show items, conversations."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field

from annotation.store.models.table_model import TableModel, UtcDateTime, build_partial_index

BIG_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""Type of a 64-bit primary key; on SQLite only an INTEGER key is the rowid and needs no index of its own."""


class Inbox(TableModel, table=True):
    """A Telegram update, stored before it is confirmed to Telegram. Once it is handled only its number is left.

    `attempts` counts failed attempts; `code` is the code in the log that explains why it was given up.
    """

    __table_args__ = (
        sa.Index("ix_inbox_waiting", "telegram_id", "update_id", **build_partial_index("done_at IS NULL")),
    )

    update_id: int = Field(sa_column=sa.Column(BIG_KEY, primary_key=True, autoincrement=False))
    telegram_id: int | None = Field(default=None, sa_type=sa.BigInteger)
    payload: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    received_at: datetime = Field(sa_type=UtcDateTime)
    done_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    attempts: int = 0
    code: str | None = Field(default=None, max_length=16)


class Outbox(TableModel, table=True):
    """Telegram calls for one chat, in their order; the row is deleted when they were made.

    From `due_at` on any process may make them; the process that does first moves `due_at` forward. `begun_at` is set
    before calls that must not be made twice: a row found with it is in doubt, it may have been sent. `paced` rows are
    sent at a limited rate and let other rows pass.
    """

    __table_args__ = (sa.Index("ix_outbox_due_at", "due_at"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, sa_column=sa.Column(BIG_KEY, primary_key=True))
    chat_id: int = Field(sa_type=sa.BigInteger)
    calls: list[dict[str, Any]] = Field(sa_type=sa.JSON)
    content: bytes | None = None
    repeatable: bool = True
    paced: bool = False
    attempts: int = 0
    due_at: datetime = Field(sa_type=UtcDateTime)
    begun_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class ProcessLease(TableModel, table=True):
    """A task that only one process does at a time: its name, the process that holds it, and until when."""

    __tablename__ = "process_lease"

    name: str = Field(primary_key=True, max_length=32)
    holder: str = Field(max_length=128)
    until: datetime = Field(sa_type=UtcDateTime)


class ItemMessage(TableModel, table=True):
    """The Telegram message that shows an assignment and carries its buttons."""

    __tablename__ = "item_message"

    assignment_id: int = Field(foreign_key="assignment.id", primary_key=True)
    message_id: int = Field(sa_type=sa.BigInteger)


class Conversation(TableModel, table=True):
    """An annotator's conversation with the bot about something other than an answer: its step and what it needs."""

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    step: str = Field(max_length=32)
    data: dict[str, Any] = Field(default_factory=dict, sa_type=sa.JSON)
    at: datetime = Field(sa_type=UtcDateTime)
