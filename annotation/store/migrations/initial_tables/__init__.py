"""The tables of revision 0001, one module a group, and the types of their columns, as both databases take them.

Later revisions change the tables and leave these modules as they are.
"""

from typing import Any

import sqlalchemy as sa

MOMENT = sa.DateTime(timezone=True)
"""A time, stored in UTC."""
BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""A number that Telegram gives, or a counter without end; SQLite counts up only in an INTEGER."""


def build_enum_type(name: str, *values: str) -> sa.Enum:
    """Build the type of a text column that holds one of these values, by a constraint `ck_TABLE_NAME`."""
    return sa.Enum(*values, name=name, native_enum=False, create_constraint=True, length=32)


def build_partial_index(condition: str) -> dict[str, Any]:
    """Build the arguments that make an index partial on both databases."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}
