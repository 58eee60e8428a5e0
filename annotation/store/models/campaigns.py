"""Campaigns: projects with their items, programmes, versions of texts, and the journal of events."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field

from annotation.store.models.table_model import TableModel, UtcDateTime, build_enum_type, build_partial_index
from annotation.vocabulary import ItemStatus, Pool, ProjectStatus, Stage, TextKind

QUEUE_COLUMNS = ("project_id", "pool", "queue_position", "group_id", "free", "bin")
"""Columns of the index of open items: first the queue order, then all columns that the queue's queries read, so that
the index alone answers them."""


class Project(TableModel, table=True):
    """A campaign described by one file; `definition` is that file as checked, `source` its path.

    `supports_telegram` says that the bot can show its items; `frames` describes the frames that samples were drawn
    from, with seeds and hashes. `frozen` is what was fixed at the start: hashes of items, gold and rules, the frames,
    the plan and the time. `texts` are the current versions of its texts, by kind: sha256 values of `TextVersion`.
    `word_lists` are the words that its quality rules refuse, by the file in which they stood at load.
    """

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True, max_length=64)
    title: str
    language: str = Field(max_length=8)
    instructions: str
    instructions_sha256: str = Field(max_length=64)
    definition: dict[str, Any] = Field(sa_type=sa.JSON)
    definition_sha256: str = Field(max_length=64)
    source: str
    overlap: int | None = None
    overlap_max: int | None = None
    status: ProjectStatus = Field(
        default=ProjectStatus.LOADED,
        sa_type=build_enum_type(ProjectStatus, "status"),
        sa_column_kwargs={"server_default": "loaded"},
    )
    started_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    closed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    frozen: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    texts: dict[str, str] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    word_lists: dict[str, list[str]] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    supports_telegram: bool = Field(default=True, sa_column_kwargs={"server_default": sa.true()})
    frames: list[dict[str, Any]] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    created_at: datetime = Field(sa_type=UtcDateTime)


class Item(TableModel, table=True):
    """One thing to judge. `n_live` counts the assignments that hold one of its places, `n_done` those answered.

    `free` places can be assigned, `held` places become free when a paused item is resumed (`store/overlap_counts.py`);
    control, training and qualification items have no places, every annotator may get them. `queue_position` is a random
    order, fixed at load; `rank` is the order of the file. `bin` is the bin of the item's group in a group allocation.

    `stimulus` is the text that the first step shows, `pieces` all that is shown, with gap, highlights, folds and steps.
    `gold` answers the first question, `golds` all questions by name where there are several; `accepted` are further
    right answers to the first question.
    """

    __table_args__ = (
        sa.UniqueConstraint("project_id", "external_id", name="uq_item_project_id_external_id"),
        sa.CheckConstraint("n_done >= 0 AND n_done <= n_live", name="counts"),
        sa.CheckConstraint("free >= 0 AND held >= 0", name="places"),
        sa.Index("ix_item_open", *QUEUE_COLUMNS, **build_partial_index("free > 0")),
        sa.Index(
            "ix_item_started",
            "project_id",
            "pool",
            "queue_position",
            "group_id",
            "free",
            "bin",
            "n_live",
            **build_partial_index("free > 0 AND n_live > 0"),
        ),
        sa.Index("ix_item_apart", "project_id", "pool", **build_partial_index("pool <> 'main'")),
    )

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    external_id: str
    revision: int = 1
    group_id: str = Field(index=True)
    stage: Stage = Field(default=Stage.MAIN, sa_type=build_enum_type(Stage, "stage"))
    pool: Pool = Field(
        default=Pool.MAIN, sa_type=build_enum_type(Pool, "pool"), sa_column_kwargs={"server_default": "main"}
    )
    rank: int
    data: dict[str, Any] = Field(sa_type=sa.JSON)
    options: list[str] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    stimulus: str
    pieces: list[dict[str, Any]] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    stimulus_sha256: str = Field(max_length=64)
    gold: str | None = None
    gold_origin: str | None = Field(default=None, max_length=32)
    gold_version: str | None = Field(default=None, max_length=64)
    golds: dict[str, str] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    accepted: list[str] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    explanation: str | None = None
    stratum: str | None = None
    tags: list[str] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    lineage: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    status: ItemStatus = Field(
        default=ItemStatus.OPEN,
        sa_type=build_enum_type(ItemStatus, "status"),
        sa_column_kwargs={"server_default": "open"},
    )
    queue_position: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    bin: int | None = None
    free: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    held: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    n_live: int = 0
    n_done: int = 0


class Programme(TableModel, table=True):
    """Several projects behind one invitation, one consent and one profile; `texts` as in `Project`."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True, max_length=64)
    title: str
    language: str = Field(max_length=8)
    definition: dict[str, Any] = Field(sa_type=sa.JSON)
    definition_sha256: str = Field(max_length=64)
    source: str
    texts: dict[str, str] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    created_at: datetime = Field(sa_type=UtcDateTime)


class ProgrammeProject(TableModel, table=True):
    """A project of a programme; `quota` is how many of its items one annotator gets at most."""

    __tablename__ = "programme_project"
    __table_args__ = (sa.UniqueConstraint("project_id", name="uq_programme_project_project_id"),)

    programme_id: int = Field(foreign_key="programme.id", primary_key=True)
    project_id: int = Field(foreign_key="project.id", primary_key=True)
    position: int
    quota: int | None = None


class TextVersion(TableModel, table=True):
    """One version of a text that annotators worked by or agreed to, by its sha256."""

    __tablename__ = "text_version"

    sha256: str = Field(primary_key=True, max_length=64)
    kind: TextKind = Field(sa_column=sa.Column(build_enum_type(TextKind, "kind"), primary_key=True))
    text: str
    since: datetime = Field(sa_type=UtcDateTime)


class Journal(TableModel, table=True):
    """One event of the append-only journal. `event` is a value of `vocabulary.Event`, without a check, so that a new
    kind of event needs no migration. `data` never holds an identity.
    """

    id: int | None = Field(default=None, primary_key=True)
    at: datetime = Field(sa_type=UtcDateTime)
    event: str = Field(max_length=32)
    project_id: int | None = Field(default=None, foreign_key="project.id")
    annotator_id: int | None = Field(default=None, foreign_key="annotator.id")
    data: dict[str, Any] = Field(default_factory=dict, sa_type=sa.JSON)
