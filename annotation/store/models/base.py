"""What every table shares: names of constraints, words, moments, partial indexes."""

from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any

import sqlalchemy as sa
from pydantic.fields import FieldInfo
from sqlmodel import SQLModel

metadata = SQLModel.metadata
metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Row(SQLModel):
    """A row of a table. It is changed as any object is: pydantic, which checks no row, would do everything once more,
    and six times as slowly.
    """

    def __init__(self, **values: Any) -> None:
        for name, field in _defaults(type(self)).items():
            if name not in values:
                values[name] = field.get_default(call_default_factory=True)
        known = type(self).model_fields
        for name, value in values.items():
            if name in known:
                setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


@cache
def _defaults(kind: type[Row]) -> dict[str, FieldInfo]:
    return {name: field for name, field in kind.model_fields.items() if not field.is_required()}


def where(condition: str) -> dict[str, Any]:
    """A partial index, on both databases."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


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
