"""What table models share: names of constraints, enums, UTC times, findings, partial indexes."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlmodel import SQLModel

from aggregation.findings import read_plain, write_plain

metadata = SQLModel.metadata
metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class PlainRow(SQLModel):
    """The base of frozen values of rows. The table model with the same columns inherits from the value's class.

    Assigning to a value would store nothing. `RowTable.update` of `row_tables` changes both.
    """

    model_config = {"frozen": True}


def build_partial_index(condition: str) -> dict[str, Any]:
    """Build the arguments that make an `sa.Index` partial, with the same condition on SQLite and PostgreSQL."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


def build_enum_type(enum: type[StrEnum]) -> Any:
    """Build the type of a text column that stores members of an enum by their values; it needs `build_enum_check`.

    Without `values_callable` SQLAlchemy would store the names of the members.
    """
    return sa.Enum(
        enum, values_callable=lambda members: [member.value for member in members], native_enum=False, length=32
    )


def build_enum_check(enum: type[StrEnum], name: str) -> sa.CheckConstraint:
    """Build the constraint that a column holds a value of an enum; column and constraint have the same name.

    SQLAlchemy's own constraint compares with IN, for which SQLite makes a table of the values for every row that is
    written; OR takes a fraction of that time.
    """
    return sa.CheckConstraint(" OR ".join(f"{name} = '{member.value}'" for member in enum), name=name)


class UtcDateTime(sa.TypeDecorator[datetime]):
    """A time with a time zone, stored in UTC. SQLite stores no zone, so UTC is added when a row is read."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002
        """Convert to UTC; raises ValueError for a time without a zone."""
        if value is not None and value.tzinfo is None:
            raise ValueError("a time without a zone cannot be stored")
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002
        """Return the time in UTC."""
        return None if value is None else value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class FindingText(sa.TypeDecorator[str]):
    """A finding, or words of a person, as JSON text with sorted keys: equal texts are equal in the database too."""

    impl = sa.String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """The JSON text to store."""
        return None if value is None else json.dumps(write_plain(value), ensure_ascii=False, sort_keys=True)

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """The finding, or the words."""
        return None if value is None else _read_text(value)


class FindingList(sa.TypeDecorator[list[str]]):
    """A list of findings in a column of JSON."""

    impl = sa.JSON(none_as_null=True)
    cache_ok = True

    def process_bind_param(self, value: Sequence[str] | None, dialect: sa.Dialect) -> Any:  # noqa: ARG002
        """The list to store."""
        return None if value is None else [write_plain(text) for text in value]

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> list[str] | None:  # noqa: ARG002
        """The findings."""
        return None if value is None else [read_plain(stored) for stored in value]


@lru_cache(maxsize=4096)
def _read_text(stored: str) -> str:
    return read_plain(json.loads(stored) if stored.startswith("{") else stored)
