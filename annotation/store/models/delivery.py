"""The tables of updates, calls and notices."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from annotation.store.table_base import UtcDateTime, build_partial_index


class NoticeWish(SQLModel, table=True):
    """What an annotator wants the bot to write to them first.

    `reminders` come now and then until the annotator ends them, `news` once: when there is something to answer again,
    that is, after there was nothing (`saw_none`). `due_at` is when to look next whether one of them is to be sent, None
    where nothing is wanted. `reminded_at` is when the last reminder was stored in the outbox, `ignored` how many were
    stored since the annotator answered last; before `rest_until` no other one comes. `promised_at` is when they asked
    to be reminded.
    """

    __tablename__ = "notice_wish"
    __table_args__ = (sa.Index("ix_notice_wish_due_at", "due_at", **build_partial_index("due_at IS NOT NULL")),)

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    reminders: bool = False
    news: bool = False
    saw_none: bool = False
    due_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    reminded_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    rest_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    promised_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    ignored: int = 0


class Announcement(SQLModel, table=True):
    """A message of the organisers to all annotators of a project or of a programme, or to everybody.

    `author_id` is the organiser who wrote it in the chat, None for one that was written on the command line. It is a
    draft until `sent_at`, when its recipients are stored.
    """

    id: int | None = Field(default=None, primary_key=True)
    author_id: int | None = Field(default=None, foreign_key="annotator.id")
    project_id: int | None = Field(default=None, foreign_key="project.id")
    programme_id: int | None = Field(default=None, foreign_key="programme.id")
    text: str
    created_at: datetime = Field(sa_type=UtcDateTime)
    sent_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class AnnouncementRecipient(SQLModel, table=True):
    """An annotator who gets an announcement; `queued_at` is when it was stored in the outbox for them."""

    __tablename__ = "announcement_recipient"
    __table_args__ = (
        sa.Index(
            "ix_announcement_recipient_waiting",
            "announcement_id",
            "annotator_id",
            **build_partial_index("queued_at IS NULL"),
        ),
    )

    announcement_id: int = Field(foreign_key="announcement.id", primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    queued_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class OrganiserNotice(SQLModel, table=True):
    """That an organiser was told something in the chat: an alert, or the digest of a day.

    `key` names what it was, such as "half 3 5" or "digest 2026-11-24"; it is told once. `notice` is the name in the
    outbox of the message that tells it: where that is taken back, the organiser was not told.
    """

    __tablename__ = "organiser_notice"

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    key: str = Field(primary_key=True, max_length=96)
    notice: str = Field(max_length=32)
    at: datetime = Field(sa_type=UtcDateTime)


class ExportRequest(SQLModel, table=True):
    """An export that an organiser asked for in the chat, until the files are sent or it is given up.

    `attempts` counts the processes that began it.
    """

    __tablename__ = "export_request"

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    annotator_id: int = Field(foreign_key="annotator.id")
    requested_at: datetime = Field(sa_type=UtcDateTime)
    attempts: int = 0


class Incident(SQLModel, table=True):
    """The latest time that something was wrong with the bot: `name` is what, such as "backlog".

    It began at `since` and was seen last at `seen_at`; `until` is when it ends, if that is known. `doublings` says how
    long it lasted at the worst: 1 for as long as organisers are told of it, and one more for each doubling.
    """

    name: str = Field(primary_key=True, max_length=32)
    since: datetime = Field(sa_type=UtcDateTime)
    seen_at: datetime = Field(sa_type=UtcDateTime)
    until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    doublings: int


class PictureUpload(SQLModel, table=True):
    """A picture that a bot has uploaded: Telegram sends it again by `file_id`, which this bot alone may use."""

    __tablename__ = "picture_upload"

    bot_id: int = Field(primary_key=True, sa_type=sa.BigInteger)
    sha256: str = Field(primary_key=True, max_length=64)
    file_id: str


class Heartbeat(SQLModel, table=True):
    """When something that goes on all the time last succeeded: `name` is what, such as "polling"."""

    name: str = Field(primary_key=True, max_length=32)
    at: datetime = Field(sa_type=UtcDateTime)


BIG_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""Type of a 64-bit primary key. SQLite numbers rows by a column declared INTEGER, which holds 64 bits as well."""


class Inbox(SQLModel, table=True):
    """A row is a Telegram update, stored before it is confirmed to Telegram.

    `bot_id` is the bot that received it, `update_id` Telegram's number of the update, of which each bot has its own,
    `telegram_id` its sender, `payload` the parts of the update that are needed. Once the update is handled, at
    `done_at`, sender and payload are deleted. `attempts` counts failed attempts to handle it. An update that cannot be
    handled is parked at `done_at`: it keeps what it has, and gets the `reason`, the `trace` of the failure, without
    texts and ids of people, and the `code` that its sender is told.
    """

    __table_args__ = (
        sa.Index("ix_inbox_waiting", "telegram_id", "update_id", **build_partial_index("done_at IS NULL")),
        sa.Index("ix_inbox_parked", "update_id", **build_partial_index("reason IS NOT NULL")),  # else a count reads all
    )

    bot_id: int = Field(sa_column=sa.Column(BIG_KEY, primary_key=True, autoincrement=False))
    update_id: int = Field(sa_column=sa.Column(BIG_KEY, primary_key=True, autoincrement=False))
    telegram_id: int | None = Field(default=None, sa_type=sa.BigInteger)
    payload: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    received_at: datetime = Field(sa_type=UtcDateTime)
    done_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    attempts: int = 0
    code: str | None = Field(default=None, max_length=16)
    reason: str | None = None
    trace: str | None = None


class Outbox(SQLModel, table=True):
    """A row is a message: Telegram calls for one chat, in their order. It is deleted once the calls were made.

    `bot_id` is the bot that makes them. `calls` are the calls with method and parameters, `content` is the file that a
    call uploads. From `due_at` on any process may make the calls; the process that takes the message first, its
    `holder`, moves `due_at` forward, so that no other process takes it meanwhile. `repeatable` is false where the calls
    must not be made twice: then `begun_at` is set before the first call, and a message with `begun_at` may have been
    sent already. `attempts` counts failed attempts. `paced` messages are sent at a limited rate, and other messages may
    overtake them. A message that cannot be sent is parked: it has a `reason`, and only the calls that were not made.
    `notice` names what an annotator gets without having asked the bot for it now ("reminder", "news", "announcement
    12"), so that it can be taken back; it is not begun at `send_before` or later, when night falls where the annotator
    is, or an urgent alert has grown old.
    """

    __table_args__ = (
        sa.Index("ix_outbox_due_at", "due_at", **build_partial_index("reason IS NULL")),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, sa_column=sa.Column(BIG_KEY, primary_key=True))
    bot_id: int = Field(sa_type=sa.BigInteger)
    chat_id: int = Field(sa_type=sa.BigInteger)
    calls: list[dict[str, Any]] = Field(sa_type=sa.JSON)
    content: bytes | None = None
    repeatable: bool = True
    paced: bool = False
    attempts: int = 0
    created_at: datetime = Field(sa_type=UtcDateTime)
    due_at: datetime = Field(sa_type=UtcDateTime)
    holder: str = Field(default="", max_length=16)
    begun_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    parked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    reason: str | None = None
    notice: str | None = Field(default=None, max_length=32)
    send_before: datetime | None = Field(default=None, sa_type=UtcDateTime)


class ChatPause(SQLModel, table=True):
    """A chat to which a bot sends nothing `until` a time, because Telegram asked for it."""

    __tablename__ = "chat_pause"

    bot_id: int = Field(sa_column=sa.Column(BIG_KEY, primary_key=True, autoincrement=False))
    chat_id: int = Field(sa_column=sa.Column(BIG_KEY, primary_key=True, autoincrement=False))
    until: datetime = Field(sa_type=UtcDateTime)


class ToldGroup(SQLModel, table=True):
    """A group or channel in which the bot has said, `at` a time, that it speaks in private; it says no more there."""

    __tablename__ = "told_group"

    chat_id: int = Field(sa_column=sa.Column(BIG_KEY, primary_key=True, autoincrement=False))
    at: datetime = Field(sa_type=UtcDateTime)


class ProcessLease(SQLModel, table=True):
    """A lease on a task that only one process does at a time.

    `name` is the task, `holder` the process that holds the lease, `until` the time at which the lease ends.
    """

    __tablename__ = "process_lease"

    name: str = Field(primary_key=True, max_length=32)
    holder: str = Field(max_length=128)
    until: datetime = Field(sa_type=UtcDateTime)


class ItemMessage(SQLModel, table=True):
    """The Telegram message that shows an assignment with its buttons.

    Texts that were sent at `asks_since` or later can answer what it asks; NULL while a change of it is on its way.
    """

    __tablename__ = "item_message"

    assignment_id: int = Field(foreign_key="assignment.id", primary_key=True)
    message_id: int = Field(sa_type=sa.BigInteger)
    asks_since: datetime | None = Field(default=None, sa_type=UtcDateTime)


class AnswerMessage(SQLModel, table=True):
    """The annotator's Telegram message whose text is the final answer to a question of an assignment.

    A change of the message is a revision of the answer.
    """

    __tablename__ = "answer_message"

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    message_id: int = Field(sa_column=sa.Column(BIG_KEY, primary_key=True, autoincrement=False))
    assignment_id: int = Field(foreign_key="assignment.id", index=True)
    question: str


class Conversation(SQLModel, table=True):
    """The state of an annotator's conversation with the bot, as far as it is not in other tables.

    `step` says what the annotator's next text means, "" for none
    (`workflow/conversations/conversation_state.py`). `data` are the other fields of the state, such as incomplete
    answers. `at` is when the state was stored. `asked_by` is the update that made the bot ask for the step, `asked_in`
    the message in which it asks; NULL until that is sent.
    """

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    step: str = Field(max_length=32)
    data: dict[str, Any] = Field(default_factory=dict, sa_type=sa.JSON)
    at: datetime = Field(sa_type=UtcDateTime)
    asked_by: int | None = Field(default=None, sa_type=sa.BigInteger)
    asked_in: int | None = Field(default=None, sa_type=sa.BigInteger)
