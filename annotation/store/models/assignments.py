"""The tables of assignments, judgements, exposures and reports, of the item queue and of group allocations."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from annotation.store.table_base import (
    FindingList,
    FindingText,
    PlainRow,
    UtcDateTime,
    build_enum_check,
    build_enum_type,
    build_partial_index,
)
from annotation.vocabulary import (
    AssignmentStatus,
    Exclusion,
    ExclusionKind,
    ExposureCause,
    Pool,
    Stage,
    Surface,
    UnknownDuration,
)


class AssignmentRow(PlainRow):
    """An item assigned to an annotator.

    `project_id` is a copy of the item's project, `item_revision` the revision of the item when it was assigned.
    `occasion` is 0 the first time that the annotator gets the item, and counts repeats and further attempts from 1; it
    is -1 in the second pass. `surface` is where the assignment is answered. `status` is live until
    the assignment is answered (done) or skipped, its lease ends (expired), or the annotator withdraws. `stage` is that
    of the item's pool. `lease_until` is when a live assignment expires, None without a limit.

    `holds_place` is true where the assignment is counted in the item's `n_live`, and also in `n_done` once it is
    answered: it takes one of the item's places, or is an imported answer, which is counted beyond the places.
    `is_control` marks a control item, `is_repeat` an item that the annotator gets again to compare both answers.
    `exposed` is true where the annotator had met the item's group before: in another project that the project file
    excepts (`exposure.exceptions`), or with an account that was united with theirs since. From `repeat_at` on the item
    is due to be assigned to the same annotator once more.

    `position` is the number of the item among the annotator's items in the project, from 1; `page` is the number of the
    annotator's page, from 1. `attempt` is the number of the attempt at training or qualification, from 1. All three are
    None where they do not apply. `open_revision` is the number of the revision that the annotator may store now,
    because an undo opened the answer again; None otherwise.

    `option_order` lists the indices of the first question's options in the order shown, `option_orders` those of all
    questions by question name, where there are several. `instructions_sha256` and `stimulus_sha256` are the hashes of
    the instructions and of the item's content that were shown. `shown_at` is when the item appeared on the screen.
    `clock_changed` says that the clock was set since then, so that nobody knows how long the answer takes.
    """

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    item_id: int = Field(foreign_key="item.id")
    item_revision: int = 1
    annotator_id: int = Field(foreign_key="annotator.id")
    occasion: int = 0
    surface: Surface = Field(sa_type=build_enum_type(Surface), sa_column_args=[build_enum_check(Surface, "surface")])
    status: AssignmentStatus = Field(
        sa_type=build_enum_type(AssignmentStatus), sa_column_args=[build_enum_check(AssignmentStatus, "status")]
    )
    stage: Stage = Field(
        default=Stage.MAIN, sa_type=build_enum_type(Stage), sa_column_args=[build_enum_check(Stage, "stage")]
    )
    holds_place: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})
    is_control: bool = False
    is_repeat: bool = False
    exposed: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})
    position: int | None = None
    page: int | None = None
    attempt: int | None = None
    repeat_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    open_revision: int | None = None
    option_order: list[int] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    option_orders: dict[str, list[int]] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    instructions_sha256: str | None = Field(default=None, max_length=64)
    stimulus_sha256: str | None = Field(default=None, max_length=64)
    assigned_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    shown_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    lease_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    clock_changed: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})


class Assignment(AssignmentRow, table=True):
    """The table of assignments."""

    model_config = {"frozen": False}
    __table_args__ = (
        sa.UniqueConstraint("item_id", "annotator_id", "occasion", name="uq_assignment_item_annotator_occasion"),
        sa.Index(
            "uq_assignment_one_live_in_telegram",
            "annotator_id",
            unique=True,
            **build_partial_index("status = 'live' AND surface = 'telegram'"),
        ),
        # the other partial indexes hold the few rows that one query of an annotator or of expiring leases looks for
        sa.Index("ix_assignment_lease_until", "lease_until", **build_partial_index("status = 'live'")),
        sa.Index("ix_assignment_expired", "annotator_id", "project_id", **build_partial_index("status = 'expired'")),
        sa.Index(
            "ix_assignment_repeat",
            "annotator_id",
            "project_id",
            "repeat_at",
            **build_partial_index("repeat_at IS NOT NULL"),
        ),
        sa.Index("ix_assignment_control", "annotator_id", "project_id", "id", **build_partial_index("is_control")),
        sa.Index(
            "ix_assignment_training", "annotator_id", "project_id", "id", **build_partial_index("stage = 'training'")
        ),
        sa.Index("ix_assignment_annotator_id_project_id", "annotator_id", "project_id", "id"),
    )


class JudgementRow(PlainRow):
    """One revision of an annotator's answer: a correction adds a row, and no row is overwritten.

    `revision` counts from 0; the highest one of an assignment is the final answer. `excluded_kind` says why the answer
    was excluded, None while it is not, and `excluded_reason` is the finding, or a person's words; which answers count
    is told by `annotation/store/judgements`. `response` is the answer to the first question as it was understood,
    `response_raw` as it was received. `answers` holds the answers to all questions by question name, None in a project
    with one question. A skip is a judgement with an empty `response` and a `skip_reason`. `seconds` is the time from
    showing the item to this revision, None where it is not known; then `seconds_unknown` says why, if a time was
    measured. `flags` are the quality rules that the answer broke without being excluded, as findings
    (`rules.describe_rule`). `main_project_id` is the project where this is the first revision of an annotator's answer
    in the main stage, and None otherwise: what came in which hour is counted by it. `post_hoc` marks an exclusion that
    was made after the start by a decision, not by a rule frozen at the start. `on_page` says that the answer was given
    on the answer page; any other was given on the surface of its assignment.
    """

    id: int | None = Field(default=None, primary_key=True)
    assignment_id: int = Field(foreign_key="assignment.id")
    revision: int = 0
    response: str
    response_raw: str
    answers: dict[str, str] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    seconds: float | None = None
    seconds_unknown: UnknownDuration | None = Field(
        default=None,
        sa_type=build_enum_type(UnknownDuration),
        sa_column_args=[build_enum_check(UnknownDuration, "seconds_unknown")],
    )
    answered_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    main_project_id: int | None = None
    skip_reason: str | None = None
    flags: list[str] | None = Field(default=None, sa_type=FindingList)
    excluded_kind: ExclusionKind | None = Field(
        default=None,
        sa_type=build_enum_type(ExclusionKind),
        sa_column_args=[build_enum_check(ExclusionKind, "excluded_kind")],
    )
    excluded_reason: str | None = Field(default=None, sa_type=FindingText)
    post_hoc: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})
    on_page: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})

    @property
    def exclusion(self) -> Exclusion | None:
        """The exclusion that is stored with the answer, None where there is none."""
        if self.excluded_kind is None or self.excluded_reason is None:
            return None
        return Exclusion(self.excluded_kind, self.excluded_reason)


class Judgement(JudgementRow, table=True):
    """The table of judgements."""

    model_config = {"frozen": False}
    __table_args__ = (
        sa.UniqueConstraint("assignment_id", "revision", name="uq_judgement_assignment_revision"),
        sa.CheckConstraint("(excluded_kind IS NULL) = (excluded_reason IS NULL)", name="exclusion"),
        sa.Index(
            "ix_judgement_main",
            "main_project_id",
            "answered_at",
            **build_partial_index("main_project_id IS NOT NULL"),
        ),
    )


class Exposure(SQLModel, table=True):
    """A row says that an annotator has met a group of items, in which project, how (`cause`) and when first (`at`).

    The same `group_id` means the same group in all projects.
    """

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    group_id: str = Field(primary_key=True)
    project_id: int = Field(foreign_key="project.id", primary_key=True)
    cause: ExposureCause = Field(
        sa_type=build_enum_type(ExposureCause),
        sa_column_args=[build_enum_check(ExposureCause, "cause")],
        primary_key=True,
    )
    at: datetime = Field(sa_type=UtcDateTime)


class Report(SQLModel, table=True):
    """A problem with an item that an annotator reported; one annotator can report several problems with one item.

    `reason` is the chosen kind of problem, `text` what the annotator wrote about it. `resolved_at` is when an organiser
    dismissed the report or fixed the item.
    """

    __table_args__ = (sa.Index("ix_report_item_annotator", "item_id", "annotator_id"),)

    id: int | None = Field(default=None, primary_key=True)
    item_id: int = Field(foreign_key="item.id")
    annotator_id: int = Field(foreign_key="annotator.id")
    assignment_id: int = Field(foreign_key="assignment.id")
    reason: str
    text: str = ""
    at: datetime = Field(sa_type=UtcDateTime)
    resolved_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class QueueCursor(SQLModel, table=True):
    """How far the search for an annotator's items has gone through a pool: see `annotation/store/item_queue.py`.

    `start` is the queue position at which the search began, `pos` the position at which it goes on; `wrapped` is true
    once it has passed the last position and continued at 0. `seq` is the last row of `RequeuedItem` that the search
    has passed.
    """

    __tablename__ = "queue_cursor"

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    project_id: int = Field(foreign_key="project.id", primary_key=True)
    pool: Pool = Field(sa_type=build_enum_type(Pool), sa_column_args=[build_enum_check(Pool, "pool")], primary_key=True)
    start: int
    pos: int
    wrapped: bool = False
    seq: int = 0


class RequeuedItem(SQLModel, table=True):
    """A row says that an item got a free place again, or was added after the start; `seq` is the order of the rows."""

    __tablename__ = "requeued_item"

    __table_args__ = (sa.Index("ix_requeued_item_project_id_pool", "project_id", "pool", "seq"),)

    seq: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    pool: Pool = Field(sa_type=build_enum_type(Pool), sa_column_args=[build_enum_check(Pool, "pool")])
    item_id: int = Field(foreign_key="item.id")
    at: datetime = Field(sa_type=UtcDateTime)


class GroupAllocation(SQLModel, table=True):
    """Groups of items divided between several projects, so that no annotator meets a group in two of them.

    `slots` lists ids of projects; one that needs more annotators for each group stands there several times. A bin is a
    number from 0 to m - 1, where m is the length of `slots`; every annotator has one (`AllocatedAnnotator`), and every
    group (`Item.bin`). An annotator may meet a group only in the project with the id `slots[(annotator's bin + group's
    bin) % m]`. `people` is the planned number of annotators, `seed` the seed of the random choice of the groups' bins.
    """

    __tablename__ = "group_allocation"

    id: int | None = Field(default=None, primary_key=True)
    slots: list[int] = Field(sa_type=sa.JSON)
    people: int
    seed: int
    created_at: datetime = Field(sa_type=UtcDateTime)


class AllocatedProject(SQLModel, table=True):
    """A project that takes part in a group allocation; a project takes part in one at most."""

    __tablename__ = "allocated_project"

    project_id: int = Field(foreign_key="project.id", primary_key=True)
    allocation_id: int = Field(foreign_key="group_allocation.id")


class AllocatedAnnotator(SQLModel, table=True):
    """An annotator's bin in a group allocation; an annotator's first item gives them the bin with fewest annotators."""

    __tablename__ = "allocated_annotator"

    allocation_id: int = Field(foreign_key="group_allocation.id", primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    bin: int
