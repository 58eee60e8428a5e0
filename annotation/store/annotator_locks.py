"""The lock on an annotator's row: every use case that changes an annotator's state takes this lock first.

An annotator's rows that were read under the lock cannot change until the transaction ends. They are therefore kept in a
cache of the session and not read again.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlmodel import Session, col

from annotation.store.models import Annotator

_CACHE_KEY = "values read under a lock"
"""The key of the cache in `session.info`."""


class _PreferIndexes(FunctionElement[str]):
    """An SQL expression that makes PostgreSQL read by indexes, without JIT compilation, until the transaction ends.

    PostgreSQL keeps a query plan that it made while a table was nearly empty: the plan reads the whole table, also once
    the table has grown, which took 1.6 s instead of 10 ms. JIT compilation took 80 ms even for a table without rows.
    """

    inherit_cache = True
    type = sa.Text()


@compiles(_PreferIndexes)
def _on_sqlite(_element: _PreferIndexes, _compiler: object, **_: object) -> str:
    return "NULL"


@compiles(_PreferIndexes, "postgresql")
def _on_postgresql(_element: _PreferIndexes, _compiler: object, **_: object) -> str:
    return "set_config('enable_seqscan', 'off', true) || set_config('jit', 'off', true)"


def add_annotator_lock(statement: sa.Select[Any]) -> sa.Select[Any]:
    """Make a SELECT whose first column is `Annotator` lock the rows of the annotators that it returns.

    The caller passes the annotator in the result to `remember_locked`.
    """
    locked = statement.add_columns(_PreferIndexes()).with_for_update(key_share=True, of=Annotator)
    return locked.execution_options(populate_existing=True)


_LOCK = add_annotator_lock(sa.select(Annotator).where(col(Annotator.id) == sa.bindparam("annotator")))


def lock_annotator(session: Session, annotator_id: int) -> Annotator | None:
    """Lock an annotator's row and return the annotator, None where there is no such row.

    Other transactions that lock the same row wait until this transaction ends. A second call in the same transaction
    returns the same annotator without a query. SQLite has one writer at a time and needs no row lock.
    """
    cache = get_locked_cache(session)
    key = (Annotator, annotator_id)
    if key not in cache:
        row = session.execute(_LOCK, {"annotator": annotator_id}).first()
        if row is None:
            return None
        cache[key] = row[0]
    annotator: Annotator = cache[key]
    return annotator


def remember_locked(session: Session, annotator: Annotator) -> None:
    """Note in the cache that a statement made by `add_annotator_lock` has read and locked the annotator."""
    get_locked_cache(session)[Annotator, annotator.id] = annotator


def is_locked(session: Session, annotator_id: int) -> bool:
    """Whether this transaction has locked the annotator."""
    return (Annotator, annotator_id) in get_locked_cache(session)


def get_locked_cache(session: Session) -> dict[object, Any]:
    """The cache of values that were read under a lock, by keys that the callers choose.

    A new, empty cache is returned once the transaction has ended, and inside each savepoint.
    """
    if not session.in_transaction():
        session.begin()
    current = session.get_nested_transaction() or session.get_transaction()
    owner_and_cache: tuple[object, dict[object, Any]] = session.info.get(_CACHE_KEY, (None, {}))
    if owner_and_cache[0] is not current:
        owner_and_cache = session.info[_CACHE_KEY] = (current, {})
    return owner_and_cache[1]
