"""The tables of campaigns: projects with their items, programmes, versions of texts, and the journal of events."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from annotation.store.table_base import (
    PlainRow,
    UtcDateTime,
    build_enum_check,
    build_enum_type,
    build_partial_index,
)
from annotation.vocabulary import ItemStatus, Pool, ProjectStatus, Stage, TextKind

QUEUE_COLUMNS = ("project_id", "pool", "queue_position", "group_id", "free", "bin")
"""Columns of the index of open items: the first three sort the items of a pool in queue order; the other columns are
those that the queries of the item queue read, so that they read the index alone and not the table."""


class ProjectRow(PlainRow):
    """A campaign that is described by one project file.

    `source` is the path of that file, `definition` its content after the checks, as JSON. `definition_sha256` is the
    hash of the definition, the texts and the content of all items. `language` is the language of the items.
    `instructions` is the text that annotators read before they work.

    `overlap` is how many answers an item gets, or the least number with dynamic overlap. `overlap_max` is the largest
    number that dynamic overlap may ask for, and equal to `overlap` where the overlap is fixed. Both are None for a
    project that only imports votes.

    `texts` holds the sha256 of the current version of each text, by the kind of the text (a value of `TextKind`); the
    versions themselves are rows of `TextVersion`. `word_lists` are the words that the quality rules refuse: lists by
    the name of the file from which they were loaded.

    `frames` are the sampling frames: one record for each sample that was drawn at load, with the pool it was drawn for,
    the hash of the ids of all candidates, the seed, the numbers of drawn items and of candidates, and these numbers by
    stratum (`SamplingFrame.to_dict` in `loading/pools.py`). None without samples.

    `started_at` is the time of the first start; `active_since` is when the project was last started, resumed, extended
    or reopened, or got items.

    `frozen` is the record that is made at the first start (`workflow/lifecycle/freeze.py`): the time, hashes of
    definition, items, gold and rules, the hashes of the texts, the sampling frames, and the precision plan. Changes
    after the start are added to its list `post_hoc`. None before the start.
    """

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True, max_length=64)
    title: str
    language: str = Field(max_length=8)
    instructions: str
    instructions_sha256: str = Field(max_length=64)
    definition_sha256: str = Field(max_length=64)
    overlap: int | None = None
    overlap_max: int | None = None
    status: ProjectStatus = Field(
        default=ProjectStatus.LOADED,
        sa_type=build_enum_type(ProjectStatus),
        sa_column_args=[build_enum_check(ProjectStatus, "status")],
        sa_column_kwargs={"server_default": "loaded"},
    )
    started_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    active_since: datetime | None = Field(default=None, sa_type=UtcDateTime)
    closed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    frozen: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    texts: dict[str, str] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    word_lists: dict[str, list[str]] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    created_at: datetime = Field(sa_type=UtcDateTime)


class Project(ProjectRow, table=True):
    """The table of projects, with what is read of one only where it is needed."""

    model_config = {"frozen": False}

    definition: dict[str, Any] = Field(sa_type=sa.JSON)
    source: str
    frames: list[dict[str, Any]] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))


class ItemRow(PlainRow):
    """One thing to judge.

    An item has as many places as answers are wanted; a place is free, held or taken. `free` places can be assigned,
    `held` places become free when the paused item is resumed, `n_live` places are taken by an assignment, and `n_done`
    of these are answered. `store/overlap_counts.py` changes these four numbers. Control, training and qualification
    items have no places: they may be assigned to every annotator.

    `external_id` is the item's id in the organisers' file, `rank` its number in the order of that file, from 0.
    `revision` counts the contents of the item, from 1. `group_id` is the group (story, article, word), of which an
    annotator sees one item only where the project is blind. `stage` is the stage in which the item is shown; `pool`
    says the same, and that an item is a control item, which is shown in the main stage.

    `queue_position` is the item's number in the random order in which its pool is assigned; it is fixed at load. `bin`
    is the number of the bin of the item's group in a group allocation, -1 for a group that every annotator may meet,
    and None without an allocation (`workflow/allocation/group_partition.py`).

    `data` are all fields of the item as they were read from the file. `options` are the item's own answer options,
    None where the question has fixed ones. `stimulus` is the text of the first step as plain text, `stimulus_sha256`
    the hash of all that is shown. `pieces` is the list of shown fields, each a `Piece` of `campaigns/stimulus.py` as
    JSON; None where each of them is plain text, without title, gap, highlights, folding or later steps.

    `gold` is the right answer to the first question, `golds` the right answers to all questions by question name; it is
    None in a project with one question. `accepted` are further right answers to the first question. `gold_origin` is a
    value of `GoldOrigin`, `gold_version` the version of the gold that the project file states. `explanation` says why
    the gold is right; annotators read it in training and in the second pass.

    `stratum` and `tags` are values from the file of items by which samples and scores are split. `lineage` is the
    origin of an item of a follow-up project: the source project, the item there with its revision, and the consensus
    that selected it.
    """

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    external_id: str
    revision: int = 1
    group_id: str = Field(index=True)
    stage: Stage = Field(
        default=Stage.MAIN, sa_type=build_enum_type(Stage), sa_column_args=[build_enum_check(Stage, "stage")]
    )
    pool: Pool = Field(
        default=Pool.MAIN,
        sa_type=build_enum_type(Pool),
        sa_column_args=[build_enum_check(Pool, "pool")],
        sa_column_kwargs={"server_default": "main"},
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
        sa_type=build_enum_type(ItemStatus),
        sa_column_args=[build_enum_check(ItemStatus, "status")],
        sa_column_kwargs={"server_default": "open"},
    )
    queue_position: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    bin: int | None = None
    free: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    held: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    n_live: int = 0
    n_done: int = 0


class Item(ItemRow, table=True):
    """The table of items."""

    model_config = {"frozen": False}
    __table_args__ = (
        sa.UniqueConstraint("project_id", "external_id", name="uq_item_project_id_external_id"),
        sa.CheckConstraint("n_done >= 0 AND n_done <= n_live", name="counts"),
        sa.CheckConstraint("free >= 0 AND held >= 0", name="places"),
        # open items (those with a free place) in queue order
        sa.Index("ix_item_open", *QUEUE_COLUMNS, **build_partial_index("free > 0")),
        # open items that somebody has or has answered
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
        # items that are not of the main pool
        sa.Index("ix_item_apart", "project_id", "pool", **build_partial_index("pool <> 'main'")),
    )


class ProjectTally(SQLModel, table=True):
    """How many main items a project had at a time, how many were done, and how many answers they needed and had.

    `doubts` has the items in doubt, each as item_id, question and reasons (`review/doubts.py`). It is
    counted each minute beside the transactions that write, so that no card has to count all items.
    """

    __tablename__ = "project_tally"

    project_id: int = Field(foreign_key="project.id", primary_key=True)
    at: datetime = Field(sa_type=UtcDateTime)
    items: int
    items_done: int
    needed: int
    done: int
    doubts: list[tuple[str, str, list[str]]] = Field(default_factory=list, sa_type=sa.JSON)


class ProgrammeRow(PlainRow):
    """Several projects that share one invitation, one consent and one profile.

    `source` is the path of the programme file, `definition` its content after the checks, as JSON, and
    `definition_sha256` the hash of it and of the texts. `texts` holds the sha256 of the current version of each text,
    by its kind.
    """

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True, max_length=64)
    title: str
    language: str = Field(max_length=8)
    definition: dict[str, Any] = Field(sa_type=sa.JSON)
    definition_sha256: str = Field(max_length=64)
    texts: dict[str, str] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    created_at: datetime = Field(sa_type=UtcDateTime)


class Programme(ProgrammeRow, table=True):
    """The table of programmes."""

    model_config = {"frozen": False}

    source: str


class ProgrammeProject(SQLModel, table=True):
    """A project that belongs to a programme; a project belongs to one programme at most.

    `position` is its index in the programme file, from 0. `quota` is the largest number of its items that one annotator
    may answer, None without a limit.
    """

    __tablename__ = "programme_project"
    __table_args__ = (sa.UniqueConstraint("project_id", name="uq_programme_project_project_id"),)

    programme_id: int = Field(foreign_key="programme.id", primary_key=True)
    project_id: int = Field(foreign_key="project.id", primary_key=True)
    position: int
    quota: int | None = None


class Picture(SQLModel, table=True):
    """A picture that items show, as it is shown; `sha256` is the hash of `content`.

    Items name it in their `pieces`; one that no item shows any more is deleted when a project is loaded
    (`store/pictures.py`).
    """

    sha256: str = Field(primary_key=True, max_length=64)
    media_type: str = Field(max_length=32)
    width: int
    height: int
    content: bytes


class TextVersion(SQLModel, table=True):
    """One version of a text that annotators read or agreed to: instructions, consent or content warning.

    `since` is the time at which the version was stored first.
    """

    __tablename__ = "text_version"

    sha256: str = Field(primary_key=True, max_length=64)
    kind: TextKind = Field(
        sa_type=build_enum_type(TextKind), sa_column_args=[build_enum_check(TextKind, "kind")], primary_key=True
    )
    text: str
    since: datetime = Field(sa_type=UtcDateTime)


class Journal(SQLModel, table=True):
    """A row is one event of the journal, the table to which rows are only added.

    `event` is a value of `vocabulary.Event`, without a CHECK constraint, so that a new kind of event needs no
    migration. `data` are details whose keys depend on the event; they never tell who an annotator is.
    """

    id: int | None = Field(default=None, primary_key=True)
    at: datetime = Field(sa_type=UtcDateTime)
    event: str = Field(max_length=32)
    project_id: int | None = Field(default=None, foreign_key="project.id")
    annotator_id: int | None = Field(default=None, foreign_key="annotator.id")
    data: dict[str, Any] = Field(default_factory=dict, sa_type=sa.JSON)
