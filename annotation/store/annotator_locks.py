"""The lock on an annotator's row: every use case that changes an annotator's state takes it first.

Rows read under the lock cannot change until the transaction ends, so they are kept and not read again.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlmodel import Session, col

from annotation.store.models import Annotator

_CACHE = "values read under a lock"


class _ByIndex(FunctionElement[str]):
    """Makes PostgreSQL read by indices, without JIT compilation, until the end of the transaction.

    A plan made while a table is nearly empty reads the whole table, and stays in use while it grows: 1.6 s instead of
    10 ms. Where there is no index the estimated cost would trigger compilation, 80 ms for a table without rows.
    """

    inherit_cache = True
    type = sa.Text()


@compiles(_ByIndex)
def _on_sqlite(_element: _ByIndex, _compiler: object, **_: object) -> str:
    return "NULL"


@compiles(_ByIndex, "postgresql")
def _on_postgresql(_element: _ByIndex, _compiler: object, **_: object) -> str:
    return "set_config('enable_seqscan', 'off', true) || set_config('jit', 'off', true)"


def add_annotator_lock(statement: sa.Select[Any]) -> sa.Select[Any]:
    """Make a SELECT lock the annotator's row; `Annotator` has to be its first column.

    The annotator that it returns is to be passed to `remember_locked`.
    """
    locked = statement.add_columns(_ByIndex()).with_for_update(key_share=True, of=Annotator)
    return locked.execution_options(populate_existing=True)


_LOCK = add_annotator_lock(sa.select(Annotator).where(col(Annotator.id) == sa.bindparam("annotator")))


def lock_annotator(session: Session, annotator_id: int) -> Annotator | None:
    """Lock an annotator's row and return it, None where there is none; others who lock it wait until the transaction
    ends.

    A second call in the same transaction returns the same row without a query. SQLite has one writer at a time and
    needs no row lock.
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
    """Note that a statement made by `add_annotator_lock` has read and locked the annotator."""
    get_locked_cache(session)[Annotator, annotator.id] = annotator


def is_locked(session: Session, annotator_id: int) -> bool:
    """Whether this transaction has locked the annotator."""
    return (Annotator, annotator_id) in get_locked_cache(session)


def get_locked_cache(session: Session) -> dict[object, Any]:
    """Values read under a lock, by any key, until the lock ends: with the transaction, or with the savepoint."""
    if not session.in_transaction():
        session.begin()
    current = session.get_nested_transaction() or session.get_transaction()
    owner_and_cache: tuple[object, dict[object, Any]] = session.info.get(_CACHE, (None, {}))
    if owner_and_cache[0] is not current:
        owner_and_cache = session.info[_CACHE] = (current, {})
    return owner_and_cache[1]
