"""Transactions: who waits at the same time shares a transaction on SQLite, and nobody pays for another."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import Session, select

from annotation.errors import Unavailable
from annotation.store import database
from annotation.store.models import ProcessLease
from bot.delivery import transaction_runner
from bot.delivery.transaction_runner import TransactionRunner

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class Torn(BaseException):
    """What no error handler expects."""


@pytest.fixture
async def runner(db: database.Database) -> AsyncIterator[TransactionRunner]:
    """Transactions on the database of the test."""
    made = TransactionRunner(database=db, clock=lambda: NOW, database_clock=lambda: NOW)
    yield made
    await made.close(within=5)


@pytest.fixture
def commits(db: database.Database) -> Iterator[list[None]]:
    """An entry for every transaction that was kept."""
    counted: list[None] = []

    def count(_: sa.Connection) -> None:
        counted.append(None)

    sa.event.listen(db.engine, "commit", count)
    yield counted
    sa.event.remove(db.engine, "commit", count)


def keep(name: str) -> Callable[[Session], str]:
    """A use-case that writes a row, and tells its name."""

    def kept(session: Session) -> str:
        session.add(ProcessLease(name=name, holder="me", until=NOW))
        session.flush()
        return name

    return kept


def names(db: database.Database) -> list[str]:
    """The rows that are there."""
    with db.reading() as session:
        return sorted(session.exec(select(ProcessLease.name)))


async def test_who_waits_at_the_same_time_shares_a_transaction_on_sqlite(
    runner: TransactionRunner, db: database.Database, commits: list[None]
) -> None:
    """The first goes at once, twenty wait for it: on SQLite they need two transactions; each gets its own result."""
    wanted = [f"{number:02}" for number in range(21)]
    assert await asyncio.gather(*(runner.run(keep(name)) for name in wanted)) == wanted
    assert names(db) == wanted
    assert len(commits) == (3 if runner.single_writer else 21)


async def test_who_fails_costs_nobody_else_anything(runner: TransactionRunner, db: database.Database) -> None:
    """What the one that failed had written is gone; the others are kept, though they shared its transaction."""

    def fail(session: Session) -> None:
        keep("torn")(session)
        raise LookupError("of this one alone")

    results = await asyncio.gather(
        runner.run(keep("a")), runner.run(keep("b")), runner.run(fail), runner.run(keep("c")), return_exceptions=True
    )
    assert [str(one) for one in results] == ["a", "b", "of this one alone", "c"]
    assert names(db) == ["a", "b", "c"]


async def test_nobody_meets_what_another_has_read(runner: TransactionRunner, db: database.Database) -> None:
    """Rows are read anew by each, whoever shares the transaction: what was changed beside a session is seen."""
    await runner.run(keep("row"))

    def read(session: Session) -> str:
        return session.get_one(ProcessLease, "row").holder

    def change(session: Session) -> None:
        session.connection().execute(sa.update(ProcessLease).values(holder="you"))

    # The first goes at once; on SQLite the others share one transaction, on PostgreSQL each may come before another.
    _, before, _, after = await asyncio.gather(*(runner.run(each) for each in (read, read, change, read)))
    assert not runner.single_writer or (before, after) == ("me", "you")
    assert await asyncio.gather(*(runner.run(read) for _ in range(3))) == ["you"] * 3


async def test_who_left_before_it_began_is_left_out(runner: TransactionRunner, db: database.Database) -> None:
    """Cancelled while it waits: nothing of it is kept, and the others get theirs."""
    names_of = [f"{number:02}" for number in range(12)]
    tasks = [asyncio.create_task(runner.run(keep(name))) for name in names_of]
    await asyncio.sleep(0)
    tasks[11].cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert results[:11] == names_of[:11]
    assert isinstance(results[11], asyncio.CancelledError)
    assert names(db) == names_of[:11]


@pytest.mark.parametrize("failure", [StopIteration(), Torn(), sqlite3.OperationalError("disk I/O error")])
async def test_whatever_fails_the_others_go_on(
    runner: TransactionRunner, db: database.Database, failure: BaseException
) -> None:
    """Neither what a future cannot carry, nor a failure of the driver that could be everybody's, costs the others."""

    def fail(_: Session) -> None:
        raise failure

    tasks = [asyncio.create_task(runner.run(keep(name))) for name in "abc"]
    failing = asyncio.create_task(runner.run(fail))
    tasks += [asyncio.create_task(runner.run(keep(name))) for name in "def"]
    done, _ = await asyncio.wait([failing], timeout=20)
    assert done
    assert failing.exception() is not None
    assert await asyncio.wait_for(asyncio.gather(*tasks), 20) == list("abcdef")
    assert names(db) == list("abcdef")


async def test_who_waits_when_it_closes_is_told(db: database.Database) -> None:
    """What began ends; nobody waits for ever."""
    runner = TransactionRunner(database=db, clock=lambda: NOW, database_clock=lambda: NOW)
    tasks = [asyncio.create_task(runner.run(keep(f"{number:02}"))) for number in range(12)]
    await asyncio.sleep(0)
    await runner.close(within=5)
    results = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 20)
    began = [one for one in results if isinstance(one, str)]
    assert names(db) == began
    assert all(isinstance(one, str | asyncio.CancelledError) for one in results)
    assert len(began) < 12


async def test_a_database_that_is_locked_is_waited_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All who share the transaction are told when another process does not let go, not one after another."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 1)
    file = tmp_path / "locked.db"
    with database.open_database(f"sqlite:///{file}") as db:
        runner = TransactionRunner(database=db, clock=lambda: NOW, database_clock=lambda: NOW)
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        began = asyncio.get_running_loop().time()
        results = await asyncio.gather(*(runner.run(keep(name)) for name in "abcdefgh"), return_exceptions=True)
        assert asyncio.get_running_loop().time() - began < 4  # one second for the first, one for the seven
        assert [type(one) for one in results] == [Unavailable] * 8
        other.execute("ROLLBACK")
        other.close()
        assert await runner.run(keep("a")) == "a"
        await runner.close(within=5)


async def test_on_postgresql_transactions_run_side_by_side(postgresql_url: str) -> None:
    """Two use-cases that wait for each other both end."""
    met = threading.Barrier(2, timeout=20)
    with database.open_database(postgresql_url) as db:
        runner = TransactionRunner(database=db, clock=lambda: NOW, database_clock=lambda: NOW)
        await asyncio.gather(*(runner.run(lambda _: met.wait()) for _ in range(2)))
        await runner.close(within=5)


def test_as_many_go_together_as_are_served_at_once() -> None:
    """A full house needs one transaction."""
    from bot.delivery import workers

    assert transaction_runner.MAX_SHARED == workers.MAX_PARALLEL
