"""The tables of revision 0001, one module a group, and the types of their columns, as both databases take them.

Later revisions change the tables and leave these modules as they are.
"""

from typing import Any

import sqlalchemy as sa

MOMENT = sa.DateTime(timezone=True)
"""A time, stored in UTC."""
BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""A number that Telegram gives, or a counter without end; SQLite counts up only in an INTEGER."""


def build_enum_type(name: str, *values: str) -> tuple[sa.String, sa.CheckConstraint]:
    """Build the type of a text column that holds one of these values, and its constraint `ck_TABLE_NAME`.

    `name` is the name of the column. SQLite compares with OR several times faster than with IN, for which it makes a
    table of the values for every row that is written.
    """
    return sa.String(32), sa.CheckConstraint(" OR ".join(f"{name} = '{value}'" for value in values), name=name)


def build_partial_index(condition: str) -> dict[str, Any]:
    """Build the arguments that make an index partial on both databases."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}
