"""Changes of rows that wait inside a block, so that the changes of a row go out in one UPDATE."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Generic

import sqlalchemy as sa
from sqlmodel import Session

from annotation.store import row_tables
from annotation.store.row_tables import Row, RowTable

_KNOWS_VALUES_OF = "knows_values_of"
"""The execution option that names the changes for which a statement does not need to wait."""


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
        changed = row_tables.select_changes(row, changes)
        if not changed:
            return
        if self._watched is None:
            sa.event.listen(connection, "before_cursor_execute", self._send_before)
            self._watched = connection
        row_tables.set_values(row, changed)
        self._waiting.setdefault(id(row), (row, set()))[1].update(changed)

    def _send(self, connection: sa.Connection) -> None:
        waiting, self._waiting = self._waiting, {}
        for row, names in waiting.values():
            self._table.store(connection, row, {name: getattr(row, name) for name in sorted(names)})

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
