"""The tables about Label Studio: batches with their projects there, tasks, accounts, and refused annotations."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from annotation.store.table_base import UtcDateTime, build_enum_check, build_enum_type
from annotation.vocabulary import BatchWork


class LabelStudioBatch(SQLModel, table=True):
    """The items of a project that wait for one annotator in Label Studio, as a project there.

    `work` says what they wait for, `question` on which question an adjudicator decides; it is empty for any other work.
    An adopted project, which somebody made in Label Studio, is a batch without an annotator. `second` marks the second
    pass, in which the annotator sees the gold. `server` is the hash of the server's address. `remote_id` is the id of
    the project in Label Studio, None before it is created; `mark` is a random key in its title, by which a project is
    found whose id was not stored. `config_sha256` is the hash of the labelling configuration on the server. `watermark`
    is the time up to which annotations were read from the server. `holder` is the process that pushes to the batch now;
    other processes may not until it releases the batch, or until `held_until`.
    """

    __tablename__ = "label_studio_batch"

    __table_args__ = (
        sa.UniqueConstraint(
            "project_id", "annotator_id", "work", "question", "second", "server", name="uq_label_studio_batch_owner"
        ),
        sa.UniqueConstraint("mark", name="uq_label_studio_batch_mark"),
    )

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    annotator_id: int | None = Field(default=None, foreign_key="annotator.id", index=True)
    work: BatchWork = Field(
        default=BatchWork.ANSWERS,
        sa_type=build_enum_type(BatchWork),
        sa_column_args=[build_enum_check(BatchWork, "work")],
    )
    question: str = Field(default="", max_length=64)
    second: bool = False
    server: str = Field(max_length=16)
    mark: str = Field(max_length=32)
    remote_id: int | None = None
    config_sha256: str | None = Field(default=None, max_length=64)
    watermark: datetime | None = Field(default=None, sa_type=UtcDateTime)
    holder: str | None = Field(default=None, max_length=64)
    held_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)


class LabelStudioTask(SQLModel, table=True):
    """An assignment as a task of a Label Studio batch.

    `sent_at` is set before the task is sent, `remote_id` is the id that the server gives the task. An annotator who
    answered a task in another annotator's batch gets an assignment with the same `remote_id`. `seen` is the hash of the
    annotator's annotations when they were imported last, `seen_at` the time of the task's last change that is known. A
    task with `seen_at` and without `seen` was closed, as its assignment ended: it is not offered there any more.
    """

    __tablename__ = "label_studio_task"
    __table_args__ = (sa.Index("ix_label_studio_task_batch_id_remote_id", "batch_id", "remote_id"),)

    assignment_id: int = Field(foreign_key="assignment.id", primary_key=True)
    batch_id: int = Field(foreign_key="label_studio_batch.id")
    remote_id: int | None = None
    sent_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    seen: str | None = Field(default=None, max_length=64)
    seen_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class LabelStudioReviewTask(SQLModel, table=True):
    """A case, or an answer (by its assignment), on which somebody decides, as a task of their Label Studio batch.

    `revision` is the revision of the item, or of the answer, that the task shows, `content_sha256` the hash of all that
    it shows, and `candidates` are the answers behind its choices, in their order; all three are None before it is sent.
    `sent_at`, `remote_id`, `seen` and `seen_at` are as in LabelStudioTask. `decision_number` is the number of the
    decision that was taken over from the task last (`Adjudication.number`, `SubmissionReview.number`).
    """

    __tablename__ = "label_studio_review_task"
    __table_args__ = (
        sa.UniqueConstraint("batch_id", "case_id", name="uq_label_studio_review_task_case"),
        sa.UniqueConstraint("batch_id", "assignment_id", name="uq_label_studio_review_task_assignment"),
        sa.Index("ix_label_studio_review_task_batch_id_remote_id", "batch_id", "remote_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    batch_id: int = Field(foreign_key="label_studio_batch.id")
    case_id: int | None = Field(default=None, foreign_key="adjudication_case.id")
    assignment_id: int | None = Field(default=None, foreign_key="assignment.id")
    revision: int | None = None
    content_sha256: str | None = Field(default=None, max_length=64)
    candidates: list[str] | None = Field(default=None, sa_type=sa.JSON)
    decision_number: int | None = None
    remote_id: int | None = None
    sent_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    seen: str | None = Field(default=None, max_length=64)
    seen_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class LabelStudioAccount(SQLModel, table=True):
    """The Label Studio account of an annotator on one server: `user_id` is its id there; no name, no mail address."""

    __tablename__ = "label_studio_account"

    server: str = Field(primary_key=True, max_length=16)
    user_id: int = Field(primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id", index=True)


class LabelStudioSetAside(SQLModel, table=True):
    """An annotation in Label Studio that could not be stored as an answer; its content is kept only there.

    `annotation_id`, `remote_task_id` and `user_id` are ids on the server. `reason` says why the annotation could not be
    stored, `since` when that was noticed first.
    """

    __tablename__ = "label_studio_set_aside"

    batch_id: int = Field(foreign_key="label_studio_batch.id", primary_key=True)
    annotation_id: int = Field(primary_key=True)
    remote_task_id: int
    user_id: int | None = None
    reason: str
    since: datetime = Field(sa_type=UtcDateTime)
