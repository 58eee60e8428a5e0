"""A full disk under a running bot: the log tells it once, nothing is lost, and the bot goes on by itself."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from annotation.errors import NotWritable, Unavailable
from bot.delivery import sweeper, transaction_runner, workers
from bot.delivery.limits_and_retries import AwaitedService, Watchdog
from bot.delivery.transaction_runner import RECOVERY_SECONDS, DatabaseState
from bot.delivery.webhook import build_health_route

if TYPE_CHECKING:
    from sqlmodel import Session

    from tests.bot.delivery.conftest import Stage

LONG = "довгий текст " * 300
"""More bytes than a page of SQLite has."""
FULL = "The disk of the database is full."
NO_ROOM = """
CREATE FUNCTION find_no_room() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER no_room BEFORE INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION find_no_room();
"""


@contextmanager
def full_disk(stage: Stage) -> Iterator[None]:
    """No table can grow: SQLite may take no further page, PostgreSQL's server answers as for a file without room."""
    engine = stage.db.engine
    if engine.dialect.name == "postgresql":
        with engine.begin() as connection:
            connection.exec_driver_sql(NO_ROOM)
        yield
        with engine.begin() as connection:
            connection.exec_driver_sql("DROP FUNCTION find_no_room CASCADE")
        return

    def limit(connection: Any, _record: object) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # as many pages as there are

    with closing(sqlite3.connect(engine.url.database or "")) as file:
        file.execute("VACUUM")  # else it has free pages
    event.listen(engine, "connect", limit)
    engine.dispose()
    yield
    event.remove(engine, "connect", limit)
    engine.dispose()


def read_one(session: Session) -> int:
    """A use-case that only reads, for which there is room."""
    found: int = session.connection().execute(sa.text("SELECT 1")).scalar_one()
    return found


async def until(condition: Callable[[], object]) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


async def test_the_log_tells_a_full_disk_once(
    stage: Stage, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While some transactions fail and others go well, many times; and once that it is over, after a quiet minute."""
    monkeypatch.setattr(workers, "PART_SECONDS", 0.0)
    now = 1000.0
    stage.app.runner.state.clock = lambda: now
    person = stage.telegram.person(1)
    with caplog.at_level(logging.INFO):
        with full_disk(stage):
            person.send(LONG)
            [update] = stage.telegram.take()
            for _ in range(5):
                with pytest.raises(NotWritable, match=FULL):
                    await stage.app.deliver(update)
                assert await stage.app.runner.run(read_one) == 1
                now += 30.0
        await stage.app.deliver(update)
        now += RECOVERY_SECONDS
        for _ in range(3):
            assert await stage.app.runner.run(read_one) == 1
    told = [line.getMessage() for line in caplog.records if line.name == transaction_runner.__name__]
    assert [line.partition(FULL)[0] for line in told] == [
        f"Nothing is stored, and what comes waits: {database_file(stage)}: ",
        "The database stores again.",
    ]
    assert "does not answer" not in caplog.text
    await until(lambda: person.messages)
    assert [message.text for message in person.messages] == ["item 1"]


def database_file(stage: Stage) -> str:
    """How messages name the database."""
    url = stage.db.engine.url
    return str(url.database) if url.drivername == "sqlite" else url.render_as_string()


async def test_a_bot_with_a_full_disk_is_unwell_but_not_ended(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The watchdog waits for nothing, since the database answers; who asks for its health is told why it is unwell."""
    monkeypatch.setattr(sweeper, "SWEEP_SECONDS", 0.01)
    report = build_health_route(stage.app.watchdog).handler
    sweeping = asyncio.create_task(stage.app.sweeper.run())
    try:
        with full_disk(stage):
            stage.telegram.person(1).send(LONG)
            with pytest.raises(NotWritable):
                await stage.app.deliver(*stage.telegram.take())
            await until(lambda: stage.app.watchdog.write_problem)
            unwell: Any = await report(None)  # type: ignore[arg-type]  # it reads nothing of a request
        assert stage.app.runner.measurements.errors["transaction", NotWritable.__name__] > 0
        assert (unwell.status, json.loads(unwell.body)) == (200, {"well": False, "silent": [], "problem": FULL})
        stage.app.runner.state.clock = lambda: 10**9
        await until(lambda: not stage.app.watchdog.write_problem)
        well: Any = await report(None)  # type: ignore[arg-type]
        assert (well.status, json.loads(well.body)) == (200, {"well": True, "silent": []})
    finally:
        sweeping.cancel()
        await asyncio.gather(sweeping, return_exceptions=True)


async def test_a_sweep_that_finds_no_room_is_an_answer(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The database is not called silent, and the log has no trace of each sweep."""
    monkeypatch.setattr(sweeper, "SWEEP_SECONDS", 0.01)
    watchdog = stage.app.sweeper.watchdog = Watchdog(silent_seconds=0.0)
    sweeps = []

    async def fail(**_: object) -> None:
        sweeps.append(1)
        raise NotWritable(FULL)

    monkeypatch.setattr(stage.app.sweeper, "sweep_once", fail)
    sweeping = asyncio.create_task(stage.app.sweeper.run())
    await until(lambda: len(sweeps) > 3)
    assert AwaitedService.DATABASE not in watchdog.list_silent_services()
    assert caplog.text == ""
    sweeping.cancel()
    await asyncio.gather(sweeping, return_exceptions=True)


def test_a_silent_server_is_told_apart_from_a_full_disk(caplog: pytest.LogCaptureFixture) -> None:
    """Both at once, as where a server ends because its disk is full: each is told when it begins and when it ends."""
    now = 0.0
    state = DatabaseState(clock=lambda: now)
    full, silent = NotWritable(FULL), Unavailable("It is gone.")
    with caplog.at_level(logging.WARNING):
        for failure in (full, full, silent, silent, ValueError(), full):
            state.note_failure(failure)
        state.note_success()
        state.note_success()
        assert state.write_problem == FULL
        now = RECOVERY_SECONDS
        state.note_success()
        state.note_success()
    assert state.write_problem == ""
    assert [line.getMessage() for line in caplog.records] == [
        f"Nothing is stored, and what comes waits: {FULL}",
        "The database does not answer; what comes waits: It is gone.",
        "The database answers again.",
        "The database stores again.",
    ]
