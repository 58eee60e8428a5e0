"""Named checks on columns of tables that are there, on both databases.

SQLite takes a check only with a new column, and changes none: there its words are replaced in the schema's own text, as
SQLite's documentation of ALTER TABLE allows for changes that leave the stored rows as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op


def add_words(table: str, column: str, words: Sequence[str]) -> None:
    """Add a column that holds one of the words, the first by default."""
    listed = ", ".join(f"'{word}'" for word in words)
    add_column(table, f"{column} VARCHAR(32) DEFAULT '{words[0]}' NOT NULL", column, f"{column} IN ({listed})")


def add_column(table: str, definition: str, name: str, condition: str) -> None:
    """Add a column with a named check; Alembic would leave the check out on SQLite."""
    op.execute(f"ALTER TABLE {table} ADD COLUMN {definition} CONSTRAINT ck_{table}_{name} CHECK ({condition})")


def replace(table: str, column: str, *, old: str, new: str) -> None:
    """Let a column hold other words; `old` and `new` are lists of them in quotes, as the check has them."""
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
