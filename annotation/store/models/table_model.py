"""The base of all table models: names of constraints, enums, UTC times, partial indexes, rows read and written."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.orm.exc import StaleDataError
from sqlmodel import Session, SQLModel

from aggregation.findings import read_plain, write_plain

metadata = SQLModel.metadata
metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class TableModel(SQLModel):
    """The base class of table models: an instance is a row of a table.

    Values are not validated here: constraints of the database and callers check them. Without pydantic's validation on
    assignment, access to attributes is six times faster. A new row has no history, so its values are set at once.
    """

    def __init__(self, **values: Any) -> None:
        columns = type(self).model_fields
        given = {name: value for name, value in values.items() if name in columns}
        constants, factories = _get_defaults(type(self))
        made = {name: make() for name, make in factories.items() if name not in given}
        self.__dict__.update(constants | made | given)

    __setattr__ = object.__setattr__  # type: ignore[assignment]


@cache
def _get_defaults(model: type[TableModel]) -> tuple[dict[str, Any], dict[str, Callable[[], Any]]]:
    """The defaults of columns: values, and functions that make a value for each row."""
    optional = {name: field for name, field in model.model_fields.items() if not field.is_required()}
    factories: dict[str, Any] = {
        name: field.default_factory for name, field in optional.items() if field.default_factory is not None
    }
    return {name: field.default for name, field in optional.items() if name not in factories}, factories


Row = TypeVar("Row", bound=TableModel)


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
    return read_plain(json.loads(stored))


class RowReader(Generic[Row]):
    """Makes instances of a model from what a statement on its table has read.

    `columns` are the columns that the statement reads, in this order; those in `without` are read when they are used.
    The ORM would need twice the time for a table of many columns.
    """

    def __init__(self, model: type[Row], *, without: Collection[str] = ()) -> None:
        self._mapper: orm.Mapper[Row] = sa.inspect(model)
        self.columns = tuple(column for column in self._mapper.local_table.columns if column.name not in without)
        self._names = tuple(column.name for column in self.columns)
        self._unread = frozenset(column.name for column in self._mapper.local_table.columns) - {*self._names}
        self._key = tuple(self._names.index(column.name) for column in self._mapper.primary_key)

    def load_row(self, session: Session, values: Sequence[Any]) -> Row | None:
        """The row with these values, which belongs to the session; None where an outer join has found none.

        A row that the session has already gets these values, so its changes have to be flushed before.
        """
        key = tuple(values[index] for index in self._key)
        if None in key:
            return None
        identity = self._mapper.identity_key_from_primary_key(key)
        row: Row | None = session.identity_map.get(identity)
        if row is None:
            row = self._mapper.class_manager.new_instance()
            row.__dict__.update(zip(self._names, values, strict=True))
            state: orm.InstanceState[Row] = orm.attributes.instance_state(row)
            state.key = identity
            state.expired_attributes.update(self._unread)
            _attach_state(session, state)
        else:
            for name, value in zip(self._names, values, strict=True):
                orm.attributes.set_committed_value(row, name, value)
        return row


def read_first_rows(
    session: Session, statement: sa.Executable, parameters: Mapping[str, Any], *readers: RowReader[Any]
) -> list[Any] | None:
    """The rows of several tables that stand side by side in the first result of a statement, None without a result.

    The statement reads the columns of the readers, in their order, and then others; so the list has the row of each
    reader, None where an outer join has found none, and then the other values.
    """
    session.flush()
    values = session.connection().execute(statement, parameters).first()
    if values is None:
        return None
    rows, start = [], 0
    for reader in readers:
        end = start + len(reader.columns)
        rows.append(reader.load_row(session, values[start:end]))
        start = end
    return [*rows, *values[start:]]


def write_row(session: Session, row: TableModel) -> None:
    """Insert a new row, or update the changed columns of a stored row.

    Afterwards the row has its id and belongs to the session. After a rollback to a savepoint, rows that were written
    since the savepoint have to be read again. Raises StaleDataError where the row to update was deleted.
    """
    state: orm.InstanceState[Any] = sa.inspect(row)
    if state.pending:
        session.expunge(row)
    if state.transient:
        _insert(session, row)
    else:
        _update(session, row, [name for name, old in state.committed_state.items() if old != state.dict[name]])
        orm.make_transient(row)
    orm.make_transient_to_detached(row)
    _attach_state(session, state)


def _attach_state(session: Session, state: orm.InstanceState[Any]) -> None:
    """Let a stored row belong to a session at work: what `Session.add` does, without its search for related rows."""
    state.session_id = session.hash_key
    session.identity_map.add(state)


def _insert(session: Session, row: TableModel) -> None:
    names, generated = _get_insert_columns(type(row))
    values = row.__dict__
    result = session.connection().execute(_build_insert(type(row)), {name: values.get(name) for name in names})
    if generated is not None and result.inserted_primary_key is not None:
        setattr(row, generated, result.inserted_primary_key[0])


def _update(session: Session, row: TableModel, changed: Sequence[str]) -> None:
    if changed:
        statement, key = _build_update(type(row), tuple(sorted(changed)))
        values = {name: getattr(row, name) for name in changed} | {f"is_{name}": getattr(row, name) for name in key}
        if session.connection().execute(statement, values).rowcount != 1:
            raise StaleDataError(f"This row of {type(row).__name__} is not there any more.")


@cache
def _get_insert_columns(model: type[TableModel]) -> tuple[tuple[str, ...], str | None]:
    """The names of the columns that an INSERT sets, and of the id column that the database fills, None without one."""
    table: sa.Table = sa.inspect(model).local_table
    generated = None if table.autoincrement_column is None else table.autoincrement_column.name
    return tuple(column.name for column in table.columns if column.name != generated), generated


@cache
def _build_insert(model: type[TableModel]) -> sa.Insert:
    return sa.insert(sa.inspect(model).local_table)


@cache
def _build_update(model: type[TableModel], changed: tuple[str, ...]) -> tuple[sa.Update, tuple[str, ...]]:
    """The UPDATE of the columns `changed` in one row, and the names of the primary key's columns.

    The values that the primary key has to have are bound as `is_` and the column's name.
    """
    table: sa.Table = sa.inspect(model).local_table
    key = list(table.primary_key)
    same_key = sa.and_(*(column == sa.bindparam(f"is_{column.name}") for column in key))
    statement = sa.update(table).where(same_key).values({name: sa.bindparam(name) for name in changed})
    return statement, tuple(column.name for column in key)


def insert_rows(
    session: Session,
    model: type[TableModel],
    columns: Mapping[str, Sequence[Any]],
    *,
    constants: Mapping[str, Any],
    encoded: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> None:
    """Insert rows in one statement, given as columns of equal length; `constants` are the same in all rows.

    `encoded` are columns of JSON that are text already. Other columns get their defaults. Values are converted column
    by column, in half of the time that SQLAlchemy needs to build the parameters of each row.
    """
    connection = session.connection()
    n_rows = len(next(iter(columns.values())))
    converted: dict[str, Sequence[Any]] = {
        column.name: _convert_values(column, columns[column.name], connection.dialect)
        if column.name in columns
        else _convert_values(column, [_get_constant(column, constants)], connection.dialect) * n_rows
        for column in sa.inspect(model).local_table.columns
        if column.name not in encoded
    } | dict(encoded)
    stored = {name: values for name, values in converted.items() if values.count(None) < n_rows}
    statement = sa.insert(model).compile(dialect=connection.dialect, column_keys=list(stored))
    rows = zip(*(stored[name] for name in statement.positiontup or stored), strict=True)
    connection.exec_driver_sql(
        str(statement), list(rows) if statement.positional else [dict(zip(stored, row, strict=True)) for row in rows]
    )


def _get_constant(column: sa.Column[Any], constants: Mapping[str, Any]) -> Any:
    """The value of a column in all rows: a constant, or its default; None for what the database fills."""
    default = column.default.arg if isinstance(column.default, sa.ColumnDefault) and column.default.is_scalar else None
    return constants.get(column.name, default)


def _convert_values(column: sa.Column[Any], values: Sequence[Any], dialect: sa.Dialect) -> list[Any]:
    """The values as the driver takes them."""
    convert = column.type.dialect_impl(dialect).bind_processor(dialect)
    if convert is None:
        return list(values)
    if values.count(None) == len(values):
        return [convert(None)] * len(values)
    return list(map(convert, values))


def require_id(row_id: int | None) -> int:
    """The id of a flushed row; raises LookupError for None, the id of a row that was not flushed."""
    if row_id is None:
        raise LookupError("a row without an id was not flushed")
    return row_id
