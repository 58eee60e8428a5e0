"""Campaigns: projects with their items, programmes, and every version of their texts."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field

from annotation.store.models.base import Moment, Row, stored, where
from annotation.vocabulary import ItemStatus, Pool, ProjectStatus, Stage, WordingKind

RING = ("project_id", "pool", "ring", "group_id", "free", "bin")
"""The order in which open items are looked at, and all that is asked of them there: the index alone answers."""


class Project(Row, table=True):
    """A campaign described by one file; `definition` is that file as checked, `source` where it was read.

    `served` says that the bot can offer it; `frames` are what samples were drawn from, with their seeds and hashes.
    `frozen` is what was fixed at the start: hashes of items, gold and rules, the frames, the plan, and the time.
    `texts` are the versions that hold now, by kind: their sha256, under which `wording` keeps them.
    `word_lists` are the words that its quality rules refuse, by the file in which they stood when it was loaded.
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
        sa_type=stored(ProjectStatus, "status"),
        sa_column_kwargs={"server_default": "loaded"},
    )
    started_at: datetime | None = Field(default=None, sa_type=Moment)
    closed_at: datetime | None = Field(default=None, sa_type=Moment)
    frozen: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    texts: dict[str, str] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    word_lists: dict[str, list[str]] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    served: bool = Field(default=True, sa_column_kwargs={"server_default": sa.true()})
    frames: list[dict[str, Any]] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    created_at: datetime = Field(sa_type=Moment)


class Item(Row, table=True):
    """One thing to judge. `n_live` counts assignments that hold one of its places, `n_done` those answered.

    `free` are the places that are still open, `held` those that open again when a paused item goes on; control,
    training and qualification items have neither, everybody may meet them. `ring` is a random order, fixed at load;
    `rank` is the order of the file. `bin` is the class of its group in an allotment.

    `stimulus` is what the first step shows as text, `pieces` all that is shown, with gap, highlights, folds and steps.
    `gold` answers the first question, `golds` all by name where there are several; `accepted` are further right
    answers to the first.
    """

    __table_args__ = (
        sa.UniqueConstraint("project_id", "external_id", name="uq_item_project_id_external_id"),
        sa.CheckConstraint("n_done >= 0 AND n_done <= n_live", name="counts"),
        sa.CheckConstraint("free >= 0 AND held >= 0", name="places"),
        sa.Index("ix_item_open", *RING, **where("free > 0")),
        sa.Index(
            "ix_item_started",
            "project_id",
            "pool",
            "ring",
            "group_id",
            "free",
            "bin",
            "n_live",
            **where("free > 0 AND n_live > 0"),
        ),
        sa.Index("ix_item_apart", "project_id", "pool", **where("pool <> 'main'")),
    )

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    external_id: str
    revision: int = 1
    group_id: str = Field(index=True)
    stage: Stage = Field(default=Stage.MAIN, sa_type=stored(Stage, "stage"))
    pool: Pool = Field(default=Pool.MAIN, sa_type=stored(Pool, "pool"), sa_column_kwargs={"server_default": "main"})
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
        default=ItemStatus.OPEN, sa_type=stored(ItemStatus, "status"), sa_column_kwargs={"server_default": "open"}
    )
    ring: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    bin: int | None = None
    free: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    held: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    n_live: int = 0
    n_done: int = 0


class Programme(Row, table=True):
    """Several projects behind one invitation, one consent and one profile; `texts` as a project has them."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True, max_length=64)
    title: str
    language: str = Field(max_length=8)
    definition: dict[str, Any] = Field(sa_type=sa.JSON)
    definition_sha256: str = Field(max_length=64)
    source: str
    texts: dict[str, str] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    created_at: datetime = Field(sa_type=Moment)


class ProgrammeProject(Row, table=True):
    """A project of a programme; `quota` is how many of its items one person gets at most."""

    __tablename__ = "programme_project"
    __table_args__ = (sa.UniqueConstraint("project_id", name="uq_programme_project_project_id"),)

    programme_id: int = Field(foreign_key="programme.id", primary_key=True)
    project_id: int = Field(foreign_key="project.id", primary_key=True)
    place: int
    quota: int | None = None


class Wording(Row, table=True):
    """Every version of a text that people worked by or agreed to, by its sha256."""

    sha256: str = Field(primary_key=True, max_length=64)
    kind: WordingKind = Field(sa_column=sa.Column(stored(WordingKind, "kind"), primary_key=True))
    text: str
    since: datetime = Field(sa_type=Moment)
