"""The lock on an annotator's row: every use case that changes an annotator's state takes this lock first.

An annotator's rows that were read under the lock cannot change until the transaction ends. Who holds the lock passes it
on as a value, `LockedAnnotator`; nothing about it is kept in the session.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import SessionTransaction
from sqlalchemy.sql.functions import FunctionElement
from sqlmodel import Session, col

from annotation.errors import NotFound
from annotation.store import row_tables
from annotation.store.models import Annotator, AnnotatorRow


@dataclass(frozen=True)
class LockedAnnotator:
    """An annotator whose row a transaction has locked; passed on to whatever relies on the lock.

    It ends with the transaction, or the savepoint, in which the lock was taken.
    """

    annotator: AnnotatorRow
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


def build_locking_select(*others: Any) -> sa.Select[*tuple[Any, ...]]:
    """A SELECT from the table of annotators for `read_locked`: it locks their rows, and reads columns beside them."""
    table = sa.inspect(Annotator).local_table
    return (
        sa.select(*row_tables.ANNOTATORS.columns, _PreferIndexes(), *others)
        .select_from(table)
        .with_for_update(key_share=True, of=table)
    )


_LOCK = build_locking_select().where(col(Annotator.id) == sa.bindparam("annotator"))


def lock_annotator(session: Session, annotator_id: int) -> LockedAnnotator:
    """Lock an annotator's row and read it anew; raises NotFound where there is no such row.

    Other transactions that lock the same row wait until this transaction ends. SQLite has one writer at a time and
    needs no row lock.
    """
    found = read_locked(session, _LOCK, {"annotator": annotator_id})
    if found is None:
        raise NotFound("There is no such annotator.")
    return found[0]


def read_locked(
    session: Session, statement: sa.Select[*tuple[Any, ...]], parameters: Mapping[str, Any]
) -> tuple[LockedAnnotator, list[Any]] | None:
    """Lock the annotator that a statement of `build_locking_select` finds, and read columns beside; None for nobody."""
    found = row_tables.find_first(session, statement, parameters, row_tables.ANNOTATORS)
    if found is None:
        return None
    annotator, _, *others = found
    return LockedAnnotator(annotator, session, _get_transaction(session)), others


def _get_transaction(session: Session) -> SessionTransaction | None:
    return session.get_nested_transaction() or session.get_transaction()
