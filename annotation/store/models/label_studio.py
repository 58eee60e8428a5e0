"""Label Studio: batches with their projects there, tasks, accounts, and annotations that were set aside."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field

from annotation.store.models.table_model import TableModel, UtcDateTime


class LabelStudioBatch(TableModel, table=True):
    """An annotator's project in Label Studio, for one pass of one campaign; `second` marks the second pass.

    `server` is the hash of the server's address, `mark` a random key in the title of the project there, by which it is
    found again. `config_sha256` is the hash of the labelling configuration on the server. `watermark` is the time up to
    which annotations were read. `holder` is the process that pushes now, at most until `held_until`; others wait.
    """

    __tablename__ = "label_studio_batch"

    __table_args__ = (
        sa.UniqueConstraint("project_id", "annotator_id", "second", "server", name="uq_label_studio_batch_owner"),
        sa.UniqueConstraint("mark", name="uq_label_studio_batch_mark"),
    )

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    annotator_id: int = Field(foreign_key="annotator.id", index=True)
    second: bool = False
    server: str = Field(max_length=16)
    mark: str = Field(max_length=32)
    remote_id: int | None = None
    config_sha256: str | None = Field(default=None, max_length=64)
    watermark: datetime | None = Field(default=None, sa_type=UtcDateTime)
    holder: str | None = Field(default=None, max_length=64)
    held_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)


class LabelStudioTask(TableModel, table=True):
    """An assignment as a task of a batch. `sent_at` is set before it is sent, `remote_id` once the server has named it.

    An annotator who answered in somebody else's batch has their own assignment with the same task. `seen` is the hash
    of the annotations as last imported, `seen_at` the task's last change at that time.
    """

    __tablename__ = "label_studio_task"
    __table_args__ = (sa.Index("ix_label_studio_task_batch_id_remote_id", "batch_id", "remote_id"),)

    assignment_id: int = Field(foreign_key="assignment.id", primary_key=True)
    batch_id: int = Field(foreign_key="label_studio_batch.id")
    remote_id: int | None = None
    sent_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    seen: str | None = Field(default=None, max_length=64)
    seen_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class LabelStudioAccount(TableModel, table=True):
    """An annotator's account on a server: its number there, without name and address."""

    __tablename__ = "label_studio_account"

    server: str = Field(primary_key=True, max_length=16)
    user_id: int = Field(primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id", index=True)


class LabelStudioSetAside(TableModel, table=True):
    """An annotation that could not be stored as an answer, and why; Label Studio keeps its content."""

    __tablename__ = "label_studio_set_aside"

    batch_id: int = Field(foreign_key="label_studio_batch.id", primary_key=True)
    annotation_id: int = Field(primary_key=True)
    remote_task_id: int
    user_id: int | None = None
    reason: str
    since: datetime = Field(sa_type=UtcDateTime)
