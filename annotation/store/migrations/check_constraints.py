"""Named checks on columns of existing tables, for migrations on SQLite and PostgreSQL.

SQLite takes a check only with a new column, and cannot change one: there the text of the schema is edited, which
SQLite's documentation of ALTER TABLE allows for changes that leave stored rows valid.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op


def add_enum_column(table: str, column: str, words: Sequence[str]) -> None:
    """Add a column that holds one of the words, the first one by default."""
    listed = ", ".join(f"'{word}'" for word in words)
    add_checked_column(table, f"{column} VARCHAR(32) DEFAULT '{words[0]}' NOT NULL", column, f"{column} IN ({listed})")


def add_checked_column(table: str, definition: str, name: str, condition: str) -> None:
    """Add a column with a named check; Alembic would leave the check out on SQLite."""
    op.execute(f"ALTER TABLE {table} ADD COLUMN {definition} CONSTRAINT ck_{table}_{name} CHECK ({condition})")


def replace_values(table: str, column: str, *, old: str, new: str) -> None:
    """Change the values that a column may hold; `old` and `new` are quoted lists, as in the check."""
    name = f"ck_{table}_{column}"
    connection = op.get_bind()
    if connection.dialect.name != "sqlite":
        op.drop_constraint(op.f(name), table, type_="check")
        op.create_check_constraint(op.f(name), table, f"{column} IN ({new})")
        return
    version = connection.exec_driver_sql("PRAGMA schema_version").scalar_one()
    connection.exec_driver_sql("PRAGMA writable_schema = ON")
    changed = connection.execute(
        sa.text("UPDATE sqlite_master SET sql = replace(sql, :old, :new) WHERE type = 'table' AND name = :table"),
        {"old": f"{column} IN ({old})", "new": f"{column} IN ({new})", "table": table},
    )
    connection.exec_driver_sql(f"PRAGMA schema_version = {version + 1}")
    connection.exec_driver_sql("PRAGMA writable_schema = OFF")
    if changed.rowcount != 1:
        raise LookupError(f"{name} was not found")
