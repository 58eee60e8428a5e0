"""Rows of the hot tables as plain values, read and written by SQLAlchemy Core, and rows inserted in bulk.

A tap reads and writes with these statements. They are built once; the ORM would take two to five times as long. A value
belongs to no session and is frozen; `RowTable.update` changes the row together with its value, and
`waiting_updates` lets several changes of a row wait for each other.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.orm.exc import StaleDataError
from sqlmodel import Session, SQLModel

from annotation.store import models
from annotation.store.models.column_types import PlainRow

Row = TypeVar("Row", bound=PlainRow)


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
        parameters = dict(values) | self._get_key(row)
        if connection.execute(self._build_update(tuple(values)), parameters).rowcount != 1:
            raise StaleDataError(f"This row of {self._row_type.__name__} is not there any more.")

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


ANNOTATORS = RowTable(models.AnnotatorRow, models.Annotator)
PARTICIPATIONS = RowTable(models.ParticipationRow, models.Participation)
PROJECTS = RowTable(models.ProjectRow, models.Project)
PROGRAMMES = RowTable(models.ProgrammeRow, models.Programme)
ITEMS = RowTable(models.ItemRow, models.Item)
ASSIGNMENTS = RowTable(models.AssignmentRow, models.Assignment)
JUDGEMENTS = RowTable(models.JudgementRow, models.Judgement)


def find_first(
    session: Session, statement: sa.Executable, parameters: Mapping[str, Any] | None, *tables: RowTable[Any]
) -> list[Any] | None:
    """Return the rows of several tables that a statement joins in its first result, or None without a result.

    The statement reads the columns of the tables, in their order, and then others. The list has the row of each table,
    None if an outer join found none, and then the other values.
    """
    session.flush()
    values = session.connection().execute(statement, parameters).first()
    if values is None:
        return None
    rows, start = [], 0
    for table in tables:
        end = start + len(table.columns)
        rows.append(table.build(values[start:end]))
        start = end
    return [*rows, *values[start:]]


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
