"""Desks in Label Studio: which project there belongs to whom, which task to which assignment, which account to whom."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field

from annotation.store.models.base import Moment, Row


class Desk(Row, table=True):
    """A person's project in Label Studio, for one pass of one campaign.

    `server` is the hash of the server's address, `mark` our own name of the project there, by which it is found again.
    `config_sha256` is of the configuration that the server was given. `watermark` is how far answers were read.
    `holder` pushes until `held_until` at the longest; others wait.
    """

    __table_args__ = (
        sa.UniqueConstraint("project_id", "annotator_id", "second", "server", name="uq_desk_whose"),
        sa.UniqueConstraint("mark", name="uq_desk_mark"),
    )

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    annotator_id: int = Field(foreign_key="annotator.id", index=True)
    second: bool = False
    server: str = Field(max_length=16)
    mark: str = Field(max_length=32)
    remote_id: int | None = None
    config_sha256: str | None = Field(default=None, max_length=64)
    watermark: datetime | None = Field(default=None, sa_type=Moment)
    holder: str | None = Field(default=None, max_length=64)
    held_until: datetime | None = Field(default=None, sa_type=Moment)
    created_at: datetime = Field(sa_type=Moment)


class DeskTask(Row, table=True):
    """An assignment as a task at a desk. `sent_at` is set before it is sent, `remote_id` once the server named it.

    Whoever answered at somebody else's desk has an assignment of her own with the same task.

    `seen` is the hash of her annotations as they were last taken over, `seen_at` when anything there had changed then.
    """

    __tablename__ = "desk_task"
    __table_args__ = (sa.Index("ix_desk_task_desk_id_remote_id", "desk_id", "remote_id"),)

    assignment_id: int = Field(foreign_key="assignment.id", primary_key=True)
    desk_id: int = Field(foreign_key="desk.id")
    remote_id: int | None = None
    sent_at: datetime | None = Field(default=None, sa_type=Moment)
    seen: str | None = Field(default=None, max_length=64)
    seen_at: datetime | None = Field(default=None, sa_type=Moment)


class DeskUser(Row, table=True):
    """An account of a person on a server: its number there, no name and no address."""

    __tablename__ = "desk_user"

    server: str = Field(primary_key=True, max_length=16)
    user_id: int = Field(primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id", index=True)


class DeskAside(Row, table=True):
    """An annotation that could not become an answer, and why; Label Studio keeps what it says."""

    __tablename__ = "desk_aside"

    desk_id: int = Field(foreign_key="desk.id", primary_key=True)
    annotation_id: int = Field(primary_key=True)
    remote_task_id: int
    user_id: int | None = None
    reason: str
    since: datetime = Field(sa_type=Moment)
