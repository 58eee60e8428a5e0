"""Whether a database is whole, and has the form that this hromada works with."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from annotation.store import invariants, migrations, models
from annotation.store.database import reader
from annotation.store.invariants import Finding


def findings(engine: sa.Engine) -> tuple[Finding, ...]:
    """The file, the schema, the rows; what cannot be looked at while the one before is broken is left out.

    PostgreSQL watches over its files and references itself, SQLite is asked.
    """
    with reader(engine).connect() as connection:
        form = (*_file(connection), _revision(connection))
        if any(one.wrong for one in form):
            return form
        with Session(connection) as session:
            return (*form, _schema(connection), *invariants.findings(session))


def _file(connection: sa.Connection) -> tuple[Finding, ...]:
    if connection.dialect.name != "sqlite":
        return ()
    torn = [text for (text,) in connection.exec_driver_sql("PRAGMA integrity_check(100)") if text != "ok"]
    lost = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    return (
        _finding("the file is whole", torn),
        _finding("what rows refer to is there", [f"{table} {row} to {parent}" for table, row, parent, _ in lost]),
    )


def _revision(connection: sa.Connection) -> Finding:
    found = migrations.current(connection)
    behind = [] if found == migrations.HEAD else [f"it is {found or 'empty'}: hromada database upgrade"]
    return _finding(f"the schema's revision is {migrations.HEAD}", behind)


def _schema(connection: sa.Connection) -> Finding:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    context = MigrationContext.configure(connection, opts={"compare_type": True})
    changes = [change for one in compare_metadata(context, models.metadata) for change in _flat(one)]
    return _finding("tables, columns and indexes are those of the models", changes)


def _flat(change: Any) -> list[str]:
    """What would have to be done, and where; Alembic lists changes of one column together."""
    if isinstance(change, list):
        return [text for one in change for text in _flat(one)]
    names = [part if isinstance(part, str) else getattr(part, "name", None) for part in change[1:]]
    return [" ".join([change[0].replace("_", " "), *(name for name in names if name)])]


def _finding(rule: str, wrong: list[str]) -> Finding:
    return Finding(rule=rule, wrong=len(wrong), examples=tuple(wrong[: invariants.EXAMPLES]))
