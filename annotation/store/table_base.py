"""What table models are made of: names of constraints, types of columns, and rows as plain values.

A tap reads and writes plain values by SQLAlchemy Core, with statements that are built once; the ORM would take two to
five times as long. A value belongs to no session and is frozen; `RowTable.update` changes the row together with its
value, and `WaitingUpdates` lets several changes of a row wait for each other.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Generic, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.orm.exc import StaleDataError
from sqlmodel import Session, SQLModel

from aggregation.findings import read_plain, write_plain
from annotation import vocabulary

metadata = SQLModel.metadata
metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}

Row = TypeVar("Row", bound="PlainRow")
_KNOWS_VALUES_OF = "knows_values_of"
"""The execution option that names the changes for which a statement does not need to wait."""


class PlainRow(SQLModel):
    """The base of frozen values of rows. The table model with the same columns inherits from the value's class.

    Assigning to a value would store nothing. `RowTable.update` changes both.
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


class RowTable(Generic[Row]):
    """The statements that read and write rows of a table as plain values.

    The values have the fields of `row_type`, a base of the table model `model`. `columns` are their columns; the first
    belongs to the primary key. `select` reads them.
    """

    def __init__(self, row_type: type[Row], model: type[Row]) -> None:
        table: sa.Table = sa.inspect(model).local_table
        self.name = table.name
        self._row_type, self._names = row_type, tuple(row_type.model_fields)
        self.columns = tuple(table.columns[name] for name in self._names)
        self.select = sa.select(*self.columns)
        self._key = tuple(column.name for column in table.primary_key)
        has_key = sa.and_(*(column == sa.bindparam(f"is_{column.name}") for column in table.primary_key))
        self._by_key, self._update = self.select.where(has_key), sa.update(table).where(has_key)
        self._generated = None if table.autoincrement_column is None else table.autoincrement_column.name
        self._insert = sa.insert(table)
        self._updates: dict[tuple[str, ...], sa.Update] = {}

    def build(self, values: Sequence[Any]) -> Row | None:
        """Return the value of these columns, or None if an outer join found no row."""
        if values[0] is None:
            return None
        return cast(Row, self._row_type.model_construct(**dict(zip(self._names, values, strict=True))))

    def find(
        self, session: Session, statement: sa.Executable, parameters: Mapping[str, Any] | None = None
    ) -> Row | None:
        """Return the first row that a statement on `columns` reads, or None."""
        found = find_first(session, statement, parameters, self)
        return None if found is None else found[0]

    def list(self, session: Session, statement: sa.Executable) -> list[Row]:
        """Return the rows that a statement on `columns` reads."""
        session.flush()
        return [row for values in session.connection().execute(statement) if (row := self.build(values)) is not None]

    def get(self, session: Session, *key: Any) -> Row | None:
        """Return the row with this primary key, or None."""
        return self.find(session, self._by_key, self._name_key(key))

    def get_one(self, session: Session, *key: Any) -> Row:
        """Return the row with this primary key. Raise LookupError if there is none."""
        row = self.get(session, *key)
        if row is None:
            raise LookupError(f"there is no {self._row_type.__name__} {key}")
        return row

    def insert(self, session: Session, **values: Any) -> Row:
        """Insert a row and return it with its id. Columns without a value get their defaults."""
        row = cast(Row, self._row_type.model_construct(**values))
        stored = {name: getattr(row, name) for name in self._names if name != self._generated}
        session.flush()
        result = session.connection().execute(self._insert, stored)
        if self._generated is not None and result.inserted_primary_key is not None:
            set_values(row, {self._generated: result.inserted_primary_key[0]})
        return row

    def update(self, session: Session, row: Row, **changes: Any) -> None:
        """Change columns of a row, in the database and in its value; send nothing if it already has these values.

        Raise StaleDataError if the row was deleted.
        """
        changed = select_changes(row, changes)
        if changed:
            self.store(session.connection(), row, changed)
            set_values(row, changed)

    def store(self, connection: sa.Connection, row: Row, values: Mapping[str, Any]) -> None:
        """Store columns of a row and leave its value as it is. Raise StaleDataError if the row was deleted."""
        self._store(connection, tuple(values), [dict(values) | self._get_key(row)])

    def store_fields(self, connection: sa.Connection, rows: Sequence[Row], names: Sequence[str]) -> None:
        """Store the same fields of several rows in one statement. Raise StaleDataError if a row was deleted."""
        fields = tuple(names)
        self._store(
            connection, fields, [{name: getattr(row, name) for name in fields} | self._get_key(row) for row in rows]
        )

    def _store(self, connection: sa.Connection, names: tuple[str, ...], parameters: Sequence[dict[str, Any]]) -> None:
        if connection.execute(self._build_update(names), parameters).rowcount != len(parameters):
            raise StaleDataError(f"A row of {self._row_type.__name__} is not there any more.")

    def refresh(self, session: Session, row: Row, *, lock: bool = False) -> None:
        """Read a row again into its value; `lock` locks it until the transaction ends."""
        statement = self._by_key.with_for_update(key_share=True) if lock else self._by_key
        session.flush()
        values = session.connection().execute(statement, self._get_key(row)).one()
        set_values(row, dict(zip(self._names, values, strict=True)))

    def _get_key(self, row: Row) -> dict[str, Any]:
        return self._name_key([getattr(row, name) for name in self._key])

    def _name_key(self, key: Sequence[Any]) -> dict[str, Any]:
        return {f"is_{name}": value for name, value in zip(self._key, key, strict=True)}

    def _build_update(self, names: tuple[str, ...]) -> sa.Update:
        if names not in self._updates:
            self._updates[names] = self._update.values({name: sa.bindparam(name) for name in names})
        return self._updates[names]


def select_changes(row: PlainRow, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Select the changes that differ from the value of the row."""
    return {name: value for name, value in changes.items() if getattr(row, name) != value}


def set_values(row: PlainRow, values: Mapping[str, Any]) -> None:
    """Set in the value of a row what a statement stored or read."""
    for name, value in values.items():
        object.__setattr__(row, name, value)  # everybody who holds the value must see the change


def find_first(
    session: Session,
    statement: sa.Executable,
    parameters: Mapping[str, Any] | None,
    *tables: RowTable[Any],
    options: Mapping[str, Any] = MappingProxyType({}),
) -> list[Any] | None:
    """Return the rows of several tables that a statement joins in its first result, or None without a result.

    The statement reads the columns of the tables, in their order, and then others. The list has the row of each table,
    None if an outer join found none, and then the other values. `options` are its execution options.
    """
    session.flush()
    values = session.connection().execute(statement, parameters, execution_options=options).first()
    if values is None:
        return None
    rows, start = [], 0
    for table in tables:
        end = start + len(table.columns)
        rows.append(table.build(values[start:end]))
        start = end
    return [*rows, *values[start:]]


class WaitingUpdates(Generic[Row]):
    """Changes of rows of one table: inside `collect` they wait, elsewhere they are sent at once.

    The value of a row has its changes at once. What waits is sent at the end of the block. It is sent earlier before
    any statement that names the table, so that no statement reads or changes an old row, and before a savepoint begins
    or is released. It is dropped when a savepoint is rolled back or an error leaves the block.
    """

    def __init__(self, table: RowTable[Row]) -> None:
        self._table = table
        self._waiting: dict[int, tuple[Row, set[str]]] = {}
        self._is_collecting = False
        self._watched: sa.Connection | None = None

    @property
    def known(self) -> Mapping[str, Any]:
        """Execution options of a statement whose caller takes the changed columns from the values of the rows."""
        return {_KNOWS_VALUES_OF: self}

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Let the changes inside the block wait; the block is inside one transaction."""
        self._is_collecting = True
        try:
            yield
            if self._watched is not None:
                self._send(self._watched)
        finally:
            self._is_collecting = False
            self._waiting.clear()
            if self._watched is not None:
                sa.event.remove(self._watched, "before_cursor_execute", self._send_before)
                self._watched = None

    def update(self, session: Session, row: Row, **changes: Any) -> None:
        """Change columns of a row: in its value now, and in the database now or later.

        Raise StaleDataError if the row was deleted; for a change that waits this happens when it is sent.
        """
        if not self._is_collecting:
            self._table.update(session, row, **changes)
            return
        connection = session.connection()  # sends a savepoint that has begun: its rollback must drop this change
        changed = select_changes(row, changes)
        if not changed:
            return
        if self._watched is None:
            sa.event.listen(connection, "before_cursor_execute", self._send_before)
            self._watched = connection
        set_values(row, changed)
        self._waiting.setdefault(id(row), (row, set()))[1].update(changed)

    def _send(self, connection: sa.Connection) -> None:
        waiting, self._waiting = self._waiting, {}
        if waiting:
            names = set[str]().union(*(names for _, names in waiting.values()))
            self._table.store_fields(connection, [row for row, _ in waiting.values()], sorted(names))

    def _send_before(
        self,
        connection: sa.Connection,
        _cursor: object,
        statement: str,
        _parameters: object,
        context: sa.ExecutionContext | None,
        _executemany: bool,
    ) -> None:
        """Send or drop what waits before a statement that needs it: see the class."""
        if not self._waiting:
            return
        if statement.startswith("ROLLBACK TO"):
            self._waiting.clear()
        elif statement.startswith(("SAVEPOINT", "RELEASE")) or self._is_read_by(statement, context):
            self._send(connection)

    def _is_read_by(self, statement: str, context: sa.ExecutionContext | None) -> bool:
        knows_values = context is not None and context.execution_options.get(_KNOWS_VALUES_OF) is self
        return self._table.name in statement and not knows_values


def insert_rows(
    session: Session,
    model: type[SQLModel],
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


def list_exclusion_values(exclusion: vocabulary.Exclusion | None) -> dict[str, Any]:
    """The columns of a judgement in which its exclusion is stored, with their values."""
    if exclusion is None:
        return {"excluded_kind": None, "excluded_reason": None}
    return {"excluded_kind": exclusion.kind, "excluded_reason": exclusion.reason}
