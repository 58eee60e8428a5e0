"""A database that hangs: every wait has an end, the log says so, watchdog and SIGTERM end the bot, nothing is lost."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from types import ModuleType
from typing import TYPE_CHECKING

import _hung_databases
import pytest
import sqlalchemy as sa
from _crowd import SPAWNER
from _faulty_telegram import FaultyTelegram

from annotation.errors import Unavailable
from annotation.store import database, postgresql_connections, processes
from bot import application
from bot.delivery import telegram_api
from bot.delivery.limits_and_retries import AwaitedService
from bot.delivery.transaction_runner import TransactionRunner
from bot.emulator.request import LocalRequest
from bot.emulator.server import Server

if TYPE_CHECKING:
    from annotation.store.database import Database

ANSWER_SECONDS = 1.0
CONNECT_SECONDS = 2
"""The shortest time to connect that psycopg can limit."""


async def until(condition: Callable[[], object], *, seconds: float = 300) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.02)


def read_one(session: object) -> int:
    """A use-case."""
    found: int = session.connection().execute(sa.text("SELECT 1")).scalar_one()  # type: ignore[attr-defined]
    return found


async def measure_failure(runner: TransactionRunner) -> float:
    """How long it takes until a transaction is given up; on a busy machine longer, but never without end."""
    began = monotonic()
    with pytest.raises(Unavailable):
        await asyncio.wait_for(runner.run(read_one), 300)
    return monotonic() - began


async def test_a_stopped_backend_is_waited_for_with_a_limit(
    postgresql_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The server's process stands still, and its socket is open: the statement fails in time, new connections work."""
    with (
        _hung_databases.stoppable_backends(postgresql_url) as backends,
        database.open_database(postgresql_url, pool=2, answer_seconds=ANSWER_SECONDS) as db,
    ):
        runner = TransactionRunner(
            database=db, clock=processes.get_machine_time, database_clock=processes.get_machine_time
        )
        assert sum(await asyncio.gather(runner.run(read_one), runner.run(read_one))) == 2
        backends.stop()
        with caplog.at_level(logging.WARNING):
            took = await asyncio.gather(
                *(asyncio.wait_for(runner.run(read_one), 300) for _ in range(4)), return_exceptions=True
            )
            assert 1 in took or all(isinstance(one, Unavailable) for one in took)
            async with asyncio.timeout(300):
                assert await runner.run(read_one) == 1  # on a new connection, though the old ones are still stopped
        await runner.close(within=5)


async def test_swallowed_bytes_are_waited_for_with_a_limit(
    postgresql_url: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither an open connection nor a new one gets an answer: both fail in time, and the log says when it is over."""
    monkeypatch.setattr(postgresql_connections, "CONNECT_SECONDS", CONNECT_SECONDS)
    async with _hung_databases.swallowing_proxy(postgresql_url) as proxy:
        opened = database.open_database(proxy.url, pool=2, answer_seconds=ANSWER_SECONDS)
        db = await asyncio.to_thread(opened.__enter__)
        runner = TransactionRunner(
            database=db, clock=processes.get_machine_time, database_clock=processes.get_machine_time
        )
        assert await runner.run(read_one) == 1
        with caplog.at_level(logging.WARNING):
            proxy.swallows = True
            await measure_failure(runner)  # a statement, then a new connection
            await measure_failure(runner)
            assert caplog.text.count("does not answer; what comes waits") == 1
            proxy.swallows = False
            async with asyncio.timeout(300):
                while True:
                    try:
                        assert await runner.run(read_one) == 1
                        break
                    except Unavailable:
                        continue
        assert "answers again" in caplog.text
        await runner.close(within=5)
        await asyncio.to_thread(opened.__exit__, None, None, None)


def test_a_server_that_takes_a_connection_and_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a statement can be limited: psycopg alone would wait for 130 seconds."""
    monkeypatch.setattr(postgresql_connections, "CONNECT_SECONDS", CONNECT_SECONDS)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://somebody@127.0.0.1:{silent.getsockname()[1]}/nothing"
        began = monotonic()
        with pytest.raises(Unavailable), database.open_database(url):
            pass
    assert CONNECT_SECONDS / 2 < monotonic() - began < 100


async def test_a_statement_that_takes_too_long_is_ended_by_the_server(postgresql_url: str) -> None:
    """The connection can be used afterwards."""
    with database.open_database(postgresql_url, pool=1, answer_seconds=ANSWER_SECONDS) as db:
        with pytest.raises(Unavailable, match="took too long"), db.transaction() as session:
            session.connection().execute(sa.text("SELECT pg_sleep(30)"))
        with db.transaction() as session:
            assert read_one(session) == 1


async def test_nobody_waits_for_a_turn_without_end(db: Database) -> None:
    """All threads are busy for long: who waits is told in time."""
    runner = TransactionRunner(
        database=db, clock=processes.get_machine_time, database_clock=processes.get_machine_time, time_limit=0.5
    )
    gate = asyncio.Event()
    loop = asyncio.get_running_loop()

    def block(_: object) -> None:
        asyncio.run_coroutine_threadsafe(gate.wait(), loop).result(30)

    busy = [asyncio.create_task(runner.run(block)) for _ in range(8)]
    await asyncio.sleep(0.05)
    assert await measure_failure(runner) > 0.4
    gate.set()
    await asyncio.gather(*busy, return_exceptions=True)
    await runner.close(within=5)


async def test_a_bot_outlives_a_database_that_hangs_and_ends_if_it_is_told_to(
    postgresql_url: str, tiny: ModuleType, db_with_items: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Longer than the watchdog's time: the same process goes on, and what was sent is answered once.

    With `exit_when_stuck` it ends, and names the database, though nobody writes and Telegram is well.
    """
    db_with_items(postgresql_url)
    telegram = FaultyTelegram()
    person = telegram.person(1)
    monkeypatch.setattr(postgresql_connections, "CONNECT_SECONDS", CONNECT_SECONDS)
    async with _hung_databases.swallowing_proxy(postgresql_url) as proxy:
        opened = database.open_database(proxy.url, answer_seconds=ANSWER_SECONDS)
        db = await asyncio.to_thread(opened.__enter__)
        app = await asyncio.to_thread(  # it asks the database for the time, through a proxy of this loop
            application.build_application,
            token=telegram.token,
            database=db,
            settings=tiny.build_settings(),
            request=LocalRequest(telegram),
        )
        monkeypatch.setattr(telegram_api, "POLL_SECONDS", 1)
        serving = asyncio.create_task(application.serve_updates(app))
        await until(lambda: telegram.calls["getupdates"])
        proxy.swallows, app.watchdog.seconds, app.watchdog.silent_seconds = True, 2, 2
        person.send("/start")
        await until(lambda: AwaitedService.DATABASE in app.watchdog.list_silent_services())
        await asyncio.sleep(1)
        assert not serving.done()
        proxy.swallows = False
        await until(lambda: person.messages)
        await until(lambda: not app.watchdog.list_silent_services())
        assert [message.text for message in person.messages] == ["item 1"]
        proxy.swallows, app.watchdog.exit_when_stuck = True, True
        with pytest.raises(Unavailable, match="The database does not answer"):
            await asyncio.wait_for(serving, 300)
        await asyncio.to_thread(opened.__exit__, None, None, None)


@asynccontextmanager
async def running_bot(url: str, server: Server) -> AsyncIterator[asyncio.subprocess.Process]:
    """A bot as a process of its own."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, SPAWNER, server.url, server.telegram.token, json.dumps({"url": url}),
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def end_in_time(process: asyncio.subprocess.Process) -> None:
    """End a process with SIGTERM; it gets some seconds more than its grace period, as the machine may be busy."""
    os.kill(process.pid, signal.SIGTERM)
    await asyncio.wait_for(process.wait(), application.GRACE_SECONDS + 30)


HANGING_BOT = """
import sys, time
from bot import application
from bot.conversation.updates_and_calls import ConversationSettings
from bot.delivery import delivery_settings
from bot.delivery.transaction_runner import TransactionRunner
from annotation.store import database
from bot.emulator.request import LocalRequest
from bot.emulator.telegram import Telegram

async def hang(runner, *, within):
    runner.threads.submit(time.sleep, 600)  # a thread that no limit reaches
    time.sleep(600)  # nor the loop, where somebody blocks it

TransactionRunner.close, application.GRACE_SECONDS = hang, 1.0
telegram = Telegram()
with database.open_database(sys.argv[1]) as db:
    app = application.build_application(
        token=telegram.token, database=db,
        settings=application.build_delivery_settings(ConversationSettings(key=b"k" * 32)),
        request=LocalRequest(telegram),
    )
    delivery_settings.configure_logging("INFO", telegram.token)
    application.run_application(app)
"""


@pytest.mark.process
async def test_sigterm_ends_a_bot_whatever_hangs(sqlite_url: str) -> None:
    """The loop and a thread stand still where no limit reaches them: a thread of C ends the process, and says where."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HANGING_BOT, sqlite_url, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    async with asyncio.timeout(120):
        while b"The bot is @" not in (line := await process.stderr.readline()):
            assert line, "it ended before it was there"
        process.send_signal(signal.SIGTERM)
        said = await process.stderr.read()
        assert await process.wait() == 1
    assert b"The bot ends." in said
    assert b"in hang" in said


@pytest.mark.slow
@pytest.mark.process
async def test_sigterm_ends_a_bot_whose_backends_are_stopped(
    postgresql_url: str, db_with_items: Callable[[str], None]
) -> None:
    """In the middle of people's updates; what they sent is answered by the next bot."""
    db_with_items(postgresql_url)
    telegram = FaultyTelegram()
    person = telegram.person(1)
    async with Server(telegram) as server:
        with _hung_databases.stoppable_backends(postgresql_url) as backends:
            async with running_bot(postgresql_url, server) as bot:
                person.send("/start")
                await until(lambda: person.messages)
                backends.stop()
                person.send("/start")
                await asyncio.sleep(2)
                await end_in_time(bot)
            backends.resume()
        seen = len(person.messages)
        async with running_bot(postgresql_url, server):
            await until(lambda: len(person.messages) > seen)


@pytest.mark.slow
@pytest.mark.process
async def test_a_locked_sqlite_is_waited_for_and_sigterm_ends_the_bot(
    sqlite_url: str, db_with_items: Callable[[str], None]
) -> None:
    """Another process holds the lock and does not let go: the log says so; then the bot is told to end, and does."""
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    db_with_items(sqlite_url)
    telegram = FaultyTelegram()
    person = telegram.person(1)
    async with Server(telegram) as server, running_bot(sqlite_url, server) as bot:
        person.send("/start")
        await until(lambda: person.messages)
        seen = len(person.messages)
        with _hung_databases.locked_file(file):
            person.send("/start")
            assert bot.stderr is not None
            line = b""
            async with asyncio.timeout(300):
                while b"does not answer; what comes waits" not in line:
                    line = await bot.stderr.readline()
        await until(lambda: len(person.messages) > seen)
        with _hung_databases.locked_file(file):
            person.send("/start")
            await asyncio.sleep(1)
            await end_in_time(bot)
