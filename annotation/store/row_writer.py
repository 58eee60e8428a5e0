"""Rows that are written at once, by a statement of their own: the session's unit of work costs four times as much."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import InstanceState, make_transient, make_transient_to_detached
from sqlalchemy.orm.exc import StaleDataError
from sqlmodel import Session

from annotation.store.models.base import Row


def write(session: Session, row: Row) -> None:
    """Insert a new row, which then has its id and belongs to the session; of one that is there, update what changed.

    Where a savepoint is rolled back, what was written since has to be read anew.
    """
    state: InstanceState[Any] = sa.inspect(row)
    if state.pending:
        session.expunge(row)
    if state.transient:
        _insert(session, row)
    else:
        _update(session, row, [name for name, before in state.committed_state.items() if before != state.dict[name]])
        make_transient(row)
    make_transient_to_detached(row)
    session.add(row)


def _insert(session: Session, row: Row) -> None:
    names, own = _columns(type(row))
    made = session.connection().execute(_inserting(type(row)), {name: getattr(row, name) for name in names})
    if own is not None and made.inserted_primary_key is not None:
        setattr(row, own, made.inserted_primary_key[0])


def _update(session: Session, row: Row, changed: Sequence[str]) -> None:
    if changed:
        statement, key = _updating(type(row), tuple(sorted(changed)))
        given = {name: getattr(row, name) for name in changed} | {f"is_{name}": getattr(row, name) for name in key}
        if session.connection().execute(statement, given).rowcount != 1:
            raise StaleDataError(f"This row of {type(row).__name__} is not there any more.")


@cache
def _columns(kind: type[Row]) -> tuple[tuple[str, ...], str | None]:
    """The columns that a new row brings, and the one that the database fills, if any."""
    table: sa.Table = sa.inspect(kind).local_table
    own = None if table.autoincrement_column is None else table.autoincrement_column.name
    return tuple(column.name for column in table.columns if column.name != own), own


@cache
def _inserting(kind: type[Row]) -> sa.Insert:
    return sa.insert(sa.inspect(kind).local_table)


@cache
def _updating(kind: type[Row], changed: tuple[str, ...]) -> tuple[sa.Update, tuple[str, ...]]:
    """The statement, and the names of the key."""
    table: sa.Table = sa.inspect(kind).local_table
    key = list(table.primary_key)
    mine = sa.and_(*(column == sa.bindparam(f"is_{column.name}") for column in key))
    statement = sa.update(table).where(mine).values({name: sa.bindparam(name) for name in changed})
    return statement, tuple(column.name for column in key)
