"""Work: what was handed to whom, what was answered, what people met, and the order in which items come."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field

from annotation.store.models.base import Moment, Row, stored, where
from annotation.vocabulary import AssignmentStatus, Cause, Pool, Stage, Surface


class Assignment(Row, table=True):
    """An item handed to an annotator. `occasion` is 0, and counts on for every repeat and every new attempt.

    `project_id` copies the item's. `holds` says that it takes one of the item's places (`n_live`, and `n_done` once it
    is done). `open_revision` is the revision that an undo opened. `exposed` says that the person had met the group, by
    an exception that the project lists. `position` counts a person's items in the project from 1, `page` her pages.
    `attempt` is that of training or qualification. `repeat_at` is from when on the item is to come to her once more.
    """

    __table_args__ = (
        sa.UniqueConstraint("item_id", "annotator_id", "occasion", name="uq_assignment_item_annotator_occasion"),
        sa.Index(
            "uq_assignment_one_live_in_telegram",
            "annotator_id",
            unique=True,
            **where("status = 'live' AND surface = 'telegram'"),
        ),
        sa.Index("ix_assignment_lease_until", "lease_until", **where("status = 'live'")),
        sa.Index("ix_assignment_expired", "annotator_id", "project_id", **where("status = 'expired'")),
        sa.Index("ix_assignment_repeat", "annotator_id", "project_id", "repeat_at", **where("repeat_at IS NOT NULL")),
        sa.Index("ix_assignment_control", "annotator_id", "project_id", "id", **where("is_control")),
        sa.Index("ix_assignment_training", "annotator_id", "project_id", "id", **where("stage = 'training'")),
        sa.Index("ix_assignment_annotator_id_project_id", "annotator_id", "project_id", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    item_id: int = Field(foreign_key="item.id")
    item_revision: int = 1
    annotator_id: int = Field(foreign_key="annotator.id")
    occasion: int = 0
    surface: Surface = Field(sa_type=stored(Surface, "surface"))
    status: AssignmentStatus = Field(sa_type=stored(AssignmentStatus, "status"))
    stage: Stage = Field(default=Stage.MAIN, sa_type=stored(Stage, "stage"))
    holds: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})
    is_control: bool = False
    is_repeat: bool = False
    exposed: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})
    position: int | None = None
    page: int | None = None
    attempt: int | None = None
    repeat_at: datetime | None = Field(default=None, sa_type=Moment)
    open_revision: int | None = None
    option_order: list[int] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    option_orders: dict[str, list[int]] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    instructions_sha256: str | None = Field(default=None, max_length=64)
    stimulus_sha256: str | None = Field(default=None, max_length=64)
    assigned_at: datetime | None = Field(default=None, sa_type=Moment)
    shown_at: datetime | None = Field(default=None, sa_type=Moment)
    lease_until: datetime | None = Field(default=None, sa_type=Moment)


class Judgement(Row, table=True):
    """What the annotator answered: append-only, one row a revision. `excluded_reason` is empty while it counts.

    `response` answers the first question; `answers` those of all by name, where the project asks several.
    A skip is a judgement without a response and with its `skip_reason`. `flags` are rules that it broke and that only
    flag. `post_hoc` says that it was excluded by a rule that was changed after the start.
    """

    __table_args__ = (sa.UniqueConstraint("assignment_id", "revision", name="uq_judgement_assignment_revision"),)

    id: int | None = Field(default=None, primary_key=True)
    assignment_id: int = Field(foreign_key="assignment.id")
    revision: int = 0
    response: str
    response_raw: str
    answers: dict[str, str] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    seconds: float | None = None
    answered_at: datetime | None = Field(default=None, sa_type=Moment)
    skip_reason: str | None = None
    flags: list[str] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    excluded_reason: str | None = None
    post_hoc: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})


class Exposure(Row, table=True):
    """That a person has met a group: where, and how. Groups are one namespace for all projects."""

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    group_id: str = Field(primary_key=True)
    project_id: int = Field(foreign_key="project.id", primary_key=True)
    cause: Cause = Field(sa_column=sa.Column(stored(Cause, "cause"), primary_key=True))
    at: datetime = Field(sa_type=Moment)


class Report(Row, table=True):
    """A problem that a person reported with an item; `resolved_at` is when an organiser had looked at it."""

    __table_args__ = (sa.UniqueConstraint("item_id", "annotator_id", name="uq_report_item_annotator"),)

    id: int | None = Field(default=None, primary_key=True)
    item_id: int = Field(foreign_key="item.id")
    annotator_id: int = Field(foreign_key="annotator.id")
    assignment_id: int = Field(foreign_key="assignment.id")
    reason: str
    text: str = ""
    at: datetime = Field(sa_type=Moment)
    resolved_at: datetime | None = Field(default=None, sa_type=Moment)


class Walk(Row, table=True):
    """How far a person has gone round the ring of open items: see `annotation/store/item_queue.py`."""

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    project_id: int = Field(foreign_key="project.id", primary_key=True)
    pool: Pool = Field(sa_column=sa.Column(stored(Pool, "pool"), primary_key=True))
    start: int
    pos: int
    wrapped: bool = False
    seq: int = 0


class Reopened(Row, table=True):
    """Items that got a free place back, or opened late, in the order in which that happened."""

    __table_args__ = (sa.Index("ix_reopened_project_id_pool", "project_id", "pool", "seq"),)

    seq: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    pool: Pool = Field(sa_type=stored(Pool, "pool"))
    item_id: int = Field(foreign_key="item.id")
    at: datetime = Field(sa_type=Moment)


class Allotment(Row, table=True):
    """Groups shared out among people over several projects: in `slots[(person's bin + group's bin) % m]` stands the
    project in which a person may meet a group; `m` is the number of slots. `people` is how many were planned with.
    """

    id: int | None = Field(default=None, primary_key=True)
    slots: list[int] = Field(sa_type=sa.JSON)
    people: int
    seed: int
    created_at: datetime = Field(sa_type=Moment)


class AllottedProject(Row, table=True):
    """A project that an allotment shares groups out to; a project is in one at the most."""

    __tablename__ = "allotted_project"

    project_id: int = Field(foreign_key="project.id", primary_key=True)
    allotment_id: int = Field(foreign_key="allotment.id")


class AllottedPerson(Row, table=True):
    """The bin of a person in an allotment, given at her first item: the one with the fewest people."""

    __tablename__ = "allotted_person"

    allotment_id: int = Field(foreign_key="allotment.id", primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    bin: int
