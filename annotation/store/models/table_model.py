"""What all tables share: names of constraints, enum columns, times in UTC, partial indices, single rows written."""

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any

import sqlalchemy as sa
from pydantic.fields import FieldInfo
from sqlalchemy.orm import InstanceState, make_transient, make_transient_to_detached
from sqlalchemy.orm.exc import StaleDataError
from sqlmodel import Session, SQLModel

metadata = SQLModel.metadata
metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class TableModel(SQLModel):
    """A row of a table, without pydantic's validation on assignment, which would make attribute access six times
    slower.

    Values are not checked here; the database's constraints and the callers do that.
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
def _defaults(kind: type[TableModel]) -> dict[str, FieldInfo]:
    return {name: field for name, field in kind.model_fields.items() if not field.is_required()}


def build_partial_index(condition: str) -> dict[str, Any]:
    """Build the arguments that make an `sa.Index` partial, with the same condition on SQLite and PostgreSQL."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


def build_enum_type(enum: type[StrEnum], name: str) -> Any:
    """Build the type of a text column that holds a member of an enum by its value, with a named check.

    SQLAlchemy alone would store the member's name.
    """
    return sa.Enum(
        enum,
        values_callable=lambda members: [member.value for member in members],
        native_enum=False,
        create_constraint=True,
        length=32,
        name=name,
    )


class UtcDateTime(sa.TypeDecorator[datetime]):
    """A time with its zone, stored in UTC; SQLite keeps no zone, so that it is added again when a row is read."""

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


def write_row(session: Session, row: TableModel) -> None:
    """Insert a new row, which then has its id and belongs to the session; update the changed columns of an existing
    one.

    After a rollback to a savepoint, rows written since have to be read again. Raises StaleDataError where the row is
    gone.
    """
    state: InstanceState[Any] = sa.inspect(row)
    if state.pending:
        session.expunge(row)
    if state.transient:
        _insert(session, row)
    else:
        _update(session, row, [name for name, before in state.committed_state.items() if before != state.dict[name]])
        make_transient(row)
    make_transient_to_detached(row)
    session.add(row)


def _insert(session: Session, row: TableModel) -> None:
    names, generated = _columns(type(row))
    result = session.connection().execute(_insert_statement(type(row)), {name: getattr(row, name) for name in names})
    if generated is not None and result.inserted_primary_key is not None:
        setattr(row, generated, result.inserted_primary_key[0])


def _update(session: Session, row: TableModel, changed: Sequence[str]) -> None:
    if changed:
        statement, key = _update_statement(type(row), tuple(sorted(changed)))
        values = {name: getattr(row, name) for name in changed} | {f"is_{name}": getattr(row, name) for name in key}
        if session.connection().execute(statement, values).rowcount != 1:
            raise StaleDataError(f"This row of {type(row).__name__} is not there any more.")


@cache
def _columns(kind: type[TableModel]) -> tuple[tuple[str, ...], str | None]:
    """The columns that a new row brings, and the column that the database fills, if any."""
    table: sa.Table = sa.inspect(kind).local_table
    generated = None if table.autoincrement_column is None else table.autoincrement_column.name
    return tuple(column.name for column in table.columns if column.name != generated), generated


@cache
def _insert_statement(kind: type[TableModel]) -> sa.Insert:
    return sa.insert(sa.inspect(kind).local_table)


@cache
def _update_statement(kind: type[TableModel], changed: tuple[str, ...]) -> tuple[sa.Update, tuple[str, ...]]:
    """The statement, and the names of the primary key."""
    table: sa.Table = sa.inspect(kind).local_table
    key = list(table.primary_key)
    same_key = sa.and_(*(column == sa.bindparam(f"is_{column.name}") for column in key))
    statement = sa.update(table).where(same_key).values({name: sa.bindparam(name) for name in changed})
    return statement, tuple(column.name for column in key)
