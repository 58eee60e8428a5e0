"""The lock on a person's row: whoever changes how she stands takes it first, and what is hers is read under it."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlmodel import Session, col

from annotation.store.models import Annotator

_KEPT = "what was read under a lock"


class _ByIndex(FunctionElement[str]):
    """From here to the transaction's end PostgreSQL reads by indices: a plan made while a table is nearly empty reads
    all of it, and is kept while it grows: 1.6 s in place of 10 ms. Where there is no index the plan then looks dear
    enough to be compiled, 80 ms for a table without rows, so nothing is.
    """

    inherit_cache = True
    type = sa.Text()


@compiles(_ByIndex)
def _elsewhere(_element: _ByIndex, _compiler: object, **_: object) -> str:
    return "NULL"


@compiles(_ByIndex, "postgresql")
def _on_postgresql(_element: _ByIndex, _compiler: object, **_: object) -> str:
    return "set_config('enable_seqscan', 'off', true) || set_config('jit', 'off', true)"


def locking(statement: sa.Select[Any]) -> sa.Select[Any]:
    """The statement, which reads a person first of all, with the lock on her row; what it finds is to be kept."""
    locked = statement.add_columns(_ByIndex()).with_for_update(key_share=True, of=Annotator)
    return locked.execution_options(populate_existing=True)


_LOCK = locking(sa.select(Annotator).where(col(Annotator.id) == sa.bindparam("who")))


def person(session: Session, annotator_id: int) -> Annotator | None:
    """The person; where the database locks rows, others who change how she stands wait until this is saved.

    Asked for again in the same transaction, she is there already.
    """
    mine = kept(session)
    key = (Annotator, annotator_id)
    if key not in mine:
        row = session.execute(_LOCK, {"who": annotator_id}).first()
        if row is None:
            return None
        mine[key] = row[0]
    found: Annotator = mine[key]
    return found


def keep(session: Session, found: Annotator) -> None:
    """She was read by a locking statement."""
    kept(session)[Annotator, found.id] = found


def held(session: Session, annotator_id: int) -> bool:
    """Whether this transaction has locked the person already."""
    return (Annotator, annotator_id) in kept(session)


def kept(session: Session) -> dict[object, Any]:
    """What was read under a lock, until the lock is gone: at the end of the transaction, or of a savepoint."""
    if not session.in_transaction():
        session.begin()
    current = session.get_nested_transaction() or session.get_transaction()
    mine: tuple[object, dict[object, Any]] = session.info.get(_KEPT, (None, {}))
    if mine[0] is not current:
        mine = session.info[_KEPT] = (current, {})
    return mine[1]
