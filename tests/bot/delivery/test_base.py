"""The way into the database: who waits at the same time shares a transaction on SQLite, and nobody pays for another."""

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
from annotation.store.models import Lease
from bot.delivery import transaction_runner
from bot.delivery.transaction_runner import Base

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class Torn(BaseException):
    """What no error handler expects."""


@pytest.fixture
async def way(db: database.Database) -> AsyncIterator[Base]:
    """The way into the database of the test."""
    made = Base(database=db, clock=lambda: NOW)
    yield made
    made.close()


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
        session.add(Lease(name=name, holder="me", until=NOW))
        session.flush()
        return name

    return kept


def names(db: database.Database) -> list[str]:
    """The rows that are there."""
    with db.reading() as session:
        return sorted(session.exec(select(Lease.name)))


async def test_who_waits_at_the_same_time_shares_a_transaction_on_sqlite(
    way: Base, db: database.Database, commits: list[None]
) -> None:
    """The first goes at once, twenty wait for it: on SQLite they need two transactions; each gets its own result."""
    wanted = [f"{number:02}" for number in range(21)]
    assert await asyncio.gather(*(way.run(keep(name)) for name in wanted)) == wanted
    assert names(db) == wanted
    assert len(commits) == (3 if way.alone else 21)


async def test_who_fails_costs_nobody_else_anything(way: Base, db: database.Database) -> None:
    """What the one that failed had written is gone; the others are kept, though they shared its transaction."""

    def fail(session: Session) -> None:
        keep("torn")(session)
        raise LookupError("of this one alone")

    results = await asyncio.gather(
        way.run(keep("a")), way.run(keep("b")), way.run(fail), way.run(keep("c")), return_exceptions=True
    )
    assert [str(one) for one in results] == ["a", "b", "of this one alone", "c"]
    assert names(db) == ["a", "b", "c"]


async def test_nobody_meets_what_another_has_read(way: Base, db: database.Database) -> None:
    """Rows are read anew by each, whoever shares the transaction: what was changed beside a session is seen."""
    await way.run(keep("row"))

    def read(session: Session) -> str:
        return session.get_one(Lease, "row").holder

    def change(session: Session) -> None:
        session.connection().execute(sa.update(Lease).values(holder="you"))

    first, *_ = await asyncio.gather(way.run(read), way.run(read), way.run(change))
    assert first == "me"
    assert await asyncio.gather(*(way.run(read) for _ in range(3))) == ["you"] * 3


async def test_who_left_before_it_began_is_left_out(way: Base, db: database.Database) -> None:
    """Cancelled while it waits: nothing of it is kept, and the others get theirs."""
    names_of = [f"{number:02}" for number in range(12)]
    tasks = [asyncio.create_task(way.run(keep(name))) for name in names_of]
    await asyncio.sleep(0)
    tasks[11].cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert results[:11] == names_of[:11]
    assert isinstance(results[11], asyncio.CancelledError)
    assert names(db) == names_of[:11]


@pytest.mark.parametrize("failure", [StopIteration(), Torn(), sqlite3.OperationalError("disk I/O error")])
async def test_whatever_fails_the_others_go_on(way: Base, db: database.Database, failure: BaseException) -> None:
    """Neither what a future cannot carry, nor a failure of the driver that could be everybody's, costs the others."""

    def fail(_: Session) -> None:
        raise failure

    tasks = [asyncio.create_task(way.run(keep(name))) for name in "abc"]
    failing = asyncio.create_task(way.run(fail))
    tasks += [asyncio.create_task(way.run(keep(name))) for name in "def"]
    done, _ = await asyncio.wait([failing], timeout=20)
    assert done
    assert failing.exception() is not None
    assert await asyncio.wait_for(asyncio.gather(*tasks), 20) == list("abcdef")
    assert names(db) == list("abcdef")


async def test_who_waits_when_it_closes_is_told(db: database.Database) -> None:
    """What began ends; nobody waits for ever."""
    way = Base(database=db, clock=lambda: NOW)
    tasks = [asyncio.create_task(way.run(keep(f"{number:02}"))) for number in range(12)]
    await asyncio.sleep(0)
    way.close()
    results = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 20)
    began = [one for one in results if isinstance(one, str)]
    assert names(db) == began
    assert all(isinstance(one, str | asyncio.CancelledError) for one in results)
    assert len(began) < 12


async def test_a_database_that_is_locked_is_waited_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All who share the transaction are told when another process does not let go, not one after another."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 1)
    file = tmp_path / "locked.db"
    with database.opened(f"sqlite:///{file}") as db:
        way = Base(database=db, clock=lambda: NOW)
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        began = asyncio.get_running_loop().time()
        results = await asyncio.gather(*(way.run(keep(name)) for name in "abcdefgh"), return_exceptions=True)
        assert asyncio.get_running_loop().time() - began < 4  # one second for the first, one for the seven
        assert [type(one) for one in results] == [Unavailable] * 8
        other.execute("ROLLBACK")
        other.close()
        assert await way.run(keep("a")) == "a"
        way.close()


async def test_on_postgresql_transactions_run_side_by_side(postgresql_url: str) -> None:
    """Two use-cases that wait for each other both end."""
    met = threading.Barrier(2, timeout=20)
    with database.opened(postgresql_url) as db:
        way = Base(database=db, clock=lambda: NOW)
        await asyncio.gather(*(way.run(lambda _: met.wait()) for _ in range(2)))
        way.close()


def test_as_many_go_together_as_are_served_at_once() -> None:
    """A full house needs one transaction."""
    from bot.delivery import workers

    assert transaction_runner.TOGETHER == workers.AT_ONCE
