"""Tables. Invariants live here as named constraints; a race is settled by an IntegrityError, not by a check before it.

Table models do not validate: values are checked where they enter (campaigns, loading, workflow).
"""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from annotation.vocabulary import AssignmentStatus, Pool, Stage, Surface

metadata = SQLModel.metadata
metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


def stored(words: type[StrEnum], name: str) -> Any:
    """A text column that holds a word by its value: SQLAlchemy alone would store the member's name."""
    return sa.Enum(
        words,
        values_callable=lambda members: [member.value for member in members],
        native_enum=False,
        create_constraint=True,
        length=32,
        name=name,
    )


class Moment(sa.TypeDecorator[datetime]):
    """A time in UTC; SQLite keeps no zone, so it is put back on the way out."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002
        """Refuse a naive time before it is stored as a wrong one."""
        if value is not None and value.tzinfo is None:
            raise ValueError("a time without a zone cannot be stored")
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002
        """Times come back in UTC."""
        return None if value is None else value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Project(SQLModel, table=True):
    """A campaign described by one file; `definition` is that file as checked, `source` where it was read.

    `served` says that the bot can offer it; `frames` are what samples were drawn from, with their seeds and hashes.
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
    served: bool = Field(default=True, sa_column_kwargs={"server_default": sa.true()})
    frames: list[dict[str, Any]] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    created_at: datetime = Field(sa_type=Moment)


class Item(SQLModel, table=True):
    """One thing to judge. `n_live` counts assignments handed out or answered, `n_done` answered ones.

    `stimulus` is what the first step shows as text, `pieces` all that is shown, with gap, highlights, folds and steps.
    `gold` answers the first question, `golds` all by name where there are several; `accepted` are further right
    answers to the first.
    """

    __table_args__ = (
        sa.UniqueConstraint("project_id", "external_id", name="uq_item_project_id_external_id"),
        sa.CheckConstraint("n_done >= 0 AND n_done <= n_live", name="counts"),
        sa.Index("ix_item_next", "project_id", "n_done", "n_live", "rank"),
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
    n_live: int = 0
    n_done: int = 0


class Annotator(SQLModel, table=True):
    """A person, known outside the database only by a keyed pseudonym; imported people have no Telegram id."""

    id: int | None = Field(default=None, primary_key=True)
    pseudonym: str = Field(unique=True, max_length=64)
    telegram_id: int | None = Field(default=None, unique=True, sa_type=sa.BigInteger)
    language: str | None = Field(default=None, max_length=8)
    simulated: bool = False
    created_at: datetime = Field(sa_type=Moment)


class Assignment(SQLModel, table=True):
    """An item handed to an annotator. `occasion` is 0, and counts on for every repeat."""

    __table_args__ = (
        sa.UniqueConstraint("item_id", "annotator_id", "occasion", name="uq_assignment_item_annotator_occasion"),
        sa.Index(
            "uq_assignment_one_live_in_telegram",
            "annotator_id",
            unique=True,
            sqlite_where=sa.text("status = 'live' AND surface = 'telegram'"),
            postgresql_where=sa.text("status = 'live' AND surface = 'telegram'"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    item_id: int = Field(foreign_key="item.id")
    item_revision: int = 1
    annotator_id: int = Field(foreign_key="annotator.id", index=True)
    occasion: int = 0
    surface: Surface = Field(sa_type=stored(Surface, "surface"))
    status: AssignmentStatus = Field(sa_type=stored(AssignmentStatus, "status"))
    stage: Stage = Field(default=Stage.MAIN, sa_type=stored(Stage, "stage"))
    is_control: bool = False
    is_repeat: bool = False
    position: int | None = None
    option_order: list[int] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    instructions_sha256: str | None = Field(default=None, max_length=64)
    stimulus_sha256: str | None = Field(default=None, max_length=64)
    assigned_at: datetime | None = Field(default=None, sa_type=Moment)


class Judgement(SQLModel, table=True):
    """What the annotator answered: append-only, one row a revision. `excluded_reason` is empty while it counts.

    `response` answers the first question; `answers` those of all by name, where the project asks several.
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
    excluded_reason: str | None = None


class Journal(SQLModel, table=True):
    """The append-only table of events (`vocabulary.Event`; no check, so that a new event needs no migration).

    `data` never holds an identity.
    """

    id: int | None = Field(default=None, primary_key=True)
    at: datetime = Field(sa_type=Moment)
    event: str = Field(max_length=32)
    project_id: int | None = Field(default=None, foreign_key="project.id")
    annotator_id: int | None = Field(default=None, foreign_key="annotator.id")
    data: dict[str, Any] = Field(default_factory=dict, sa_type=sa.JSON)
