"""The tables of what the bot writes first: wishes of annotators, announcements, what organisers were told, exports."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from annotation.store.models.column_types import UtcDateTime, build_partial_index


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

    It began at `since` and was seen last at `seen_at`. `doublings` says how long it lasted at the worst: 1 for as long
    as organisers are told of it, and one more for each doubling.
    """

    name: str = Field(primary_key=True, max_length=32)
    since: datetime = Field(sa_type=UtcDateTime)
    seen_at: datetime = Field(sa_type=UtcDateTime)
    doublings: int


class Heartbeat(SQLModel, table=True):
    """When something that goes on all the time last succeeded: `name` is what, such as "polling"."""

    name: str = Field(primary_key=True, max_length=32)
    at: datetime = Field(sa_type=UtcDateTime)
