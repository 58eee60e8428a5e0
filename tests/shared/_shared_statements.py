"""Lets all engines of this process share the SQL that SQLAlchemy has compiled.

A process of the product opens one database, and compiles each statement once. Tests open thousands, each with an engine
of its own: without this, compiling the same statements again took a third of the processor time of all tests.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.util import LRUCache

CAPACITY = 3_000
"""Statements; one takes some 20 kB."""


def install() -> None:
    """Give every new engine the same cache, in which dialects that compile alike count as one."""
    shared: LRUCache[Any, Any] = LRUCache(CAPACITY)
    sa.Engine._compiled_cache = property(lambda _: shared, lambda _, _own: None)  # type: ignore[assignment]
    DefaultDialect.__eq__ = _compile_alike  # type: ignore[method-assign, assignment]
    DefaultDialect.__hash__ = _hash_alike  # type: ignore[method-assign, assignment]


def _compile_alike(one: DefaultDialect, other: object) -> bool:
    return isinstance(other, DefaultDialect) and _list_differences(one) == _list_differences(other)


def _hash_alike(one: DefaultDialect) -> int:
    return hash(type(one))


def _list_differences(dialect: DefaultDialect) -> tuple[object, ...]:
    """In what dialects of the engines of tests differ, as far as a compiled statement holds it."""
    return type(dialect), getattr(dialect, "_json_serializer", None), getattr(dialect, "server_version_info", None)
