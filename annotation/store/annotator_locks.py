"""The lock on an annotator's row: every use case that changes an annotator's state takes this lock first.

An annotator's rows that were read under the lock cannot change until the transaction ends. Who holds the lock passes it
on as a value, `LockedAnnotator`; nothing about it is kept in the session.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import SessionTransaction
from sqlalchemy.sql.functions import FunctionElement
from sqlmodel import Session, col

from annotation.errors import NotFound
from annotation.store.models import Annotator


@dataclass(frozen=True)
class LockedAnnotator:
    """An annotator whose row a transaction has locked; passed on to whatever relies on the lock.

    It ends with the transaction, or the savepoint, in which the lock was taken.
    """

    annotator: Annotator
    _session: Session = field(repr=False)
    _transaction: SessionTransaction | None = field(repr=False)

    @property
    def session(self) -> Session:
        """The session of the transaction that holds the lock; raises LookupError once that transaction has ended."""
        if self._transaction is None or _get_transaction(self._session) is not self._transaction:
            raise LookupError("the transaction that locked this annotator is not the current one")
        return self._session

    @property
    def annotator_id(self) -> int:
        """The annotator's id."""
        return self.annotator.id or 0


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

    The caller passes the annotator in the result to `get_locked`.
    """
    locked = statement.add_columns(_PreferIndexes()).with_for_update(key_share=True, of=Annotator)
    return locked.execution_options(populate_existing=True)


_LOCK = add_annotator_lock(sa.select(Annotator).where(col(Annotator.id) == sa.bindparam("annotator")))


def lock_annotator(session: Session, annotator_id: int) -> LockedAnnotator:
    """Lock an annotator's row and read it anew; raises NotFound where there is no such row.

    Other transactions that lock the same row wait until this transaction ends. SQLite has one writer at a time and
    needs no row lock.
    """
    row = session.execute(_LOCK, {"annotator": annotator_id}).first()
    if row is None:
        raise NotFound("There is no such annotator.")
    return get_locked(session, row[0])


def get_locked(session: Session, annotator: Annotator) -> LockedAnnotator:
    """The value for an annotator that a statement made by `add_annotator_lock` has read and locked just now."""
    return LockedAnnotator(annotator, session, _get_transaction(session))


def _get_transaction(session: Session) -> SessionTransaction | None:
    return session.get_nested_transaction() or session.get_transaction()
