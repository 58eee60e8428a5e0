"""A bot that runs while its database is upgraded: it ends with a sentence, and the later release answers what waits."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from _faulty_telegram import FaultyServer, FaultyTelegram

from annotation.errors import SchemaMismatch
from annotation.store import migrations
from bot import application
from bot.delivery import workers

if TYPE_CHECKING:
    from _command import Hromada

    from annotation.store.database import Database
    from bot.conversation.updates_and_calls import TelegramCalls
    from tests.bot.delivery.conftest import Stage
    from tests.conftest import LaterRelease

SENTENCE = "The database has the schema 0003, of a newer hromada or of another program. Upgrade hromada"
SECONDS = 60
"""How long a bot may take to see that its database was upgraded; on an idle machine it takes one or two."""


async def until(condition: Callable[[], object], *, seconds: float = 300) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.02)


@asynccontextmanager
async def start_bot(
    command: Hromada, *way: str, release: tuple[str, ...] = ()
) -> AsyncIterator[asyncio.subprocess.Process]:
    """The bot of this release or another, as a process of its own; it is killed at the end."""
    process = await asyncio.create_subprocess_exec(
        *(release or (str(command.command),)), "bot", *way, cwd=command.folder, env=command.get_environment(),
        stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def find_free_port() -> int:
    """A port at which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@pytest.mark.process
@pytest.mark.parametrize(
    ("url", "way"),
    [("sqlite", ()), pytest.param("postgresql", ("--webhook",), marks=pytest.mark.slow)],
    indirect=["url"],
    ids=["polling", "webhook"],
)
async def test_a_bot_ends_when_its_database_is_upgraded(
    db: Database, url: str, hromada: Hromada, load_items: Callable[..., None], later_release: LaterRelease,
    way: tuple[str, ...],
) -> None:  # fmt: skip
    """Within seconds, with exit code 2 and a sentence; a message that comes then is answered by the later release."""
    load_items(items=3)
    telegram = FaultyTelegram()
    first, second = telegram.person(1), telegram.person(2)
    async with FaultyServer(telegram) as server:
        port = find_free_port()
        variables = {
            "HROMADA_DATABASE_URL": url, "HROMADA_TELEGRAM_TOKEN": telegram.token, "HROMADA_LOG_LEVEL": "WARNING",
            "HROMADA_TELEGRAM_URL": f"{server.url}/bot", "HROMADA_WEBHOOK_URL": f"http://127.0.0.1:{port}",
            "HROMADA_WEBHOOK_LISTEN": f"127.0.0.1:{port}",
        }  # fmt: skip
        command = replace(hromada, variables=variables)
        async with start_bot(command, *way) as bot:
            first.send("/start")
            await until(lambda: first.messages)
            upgrade = command.with_release(later_release.installed)
            assert (await asyncio.to_thread(upgrade, "database", "upgrade")).code == 0
            _, said = await asyncio.wait_for(bot.communicate(), SECONDS)
            assert (bot.returncode, SENTENCE in said.decode()) == (2, True), said.decode()
            assert "Traceback" not in said.decode()
        second.send("/start")
        async with start_bot(command, *way, release=later_release.command):
            await until(lambda: second.messages)


async def test_an_update_that_fails_under_a_newer_schema_waits_for_the_newer_bot(
    stage: Stage, later_release: LaterRelease
) -> None:
    """It is not given up, and nobody is told of a failure, though the old program cannot handle it any more."""

    attempts = list[object]()

    def fail(*_: object, **__: object) -> TelegramCalls:
        attempts.append(_)
        raise KeyError("a column that is not there any more")

    person = stage.telegram.person(1)
    stage.app.workers.settings = replace(stage.app.workers.settings, handle_update=fail)
    with later_release.installed():
        migrations.upgrade_schema(stage.db.engine)
    person.send("/start")
    serving = asyncio.create_task(stage.deliver())
    await until(lambda: len(attempts) > workers.MAX_ATTEMPTS)
    assert stage.rows("SELECT attempts, code, done_at FROM inbox") == [(0, None, None)]
    assert person.messages == []
    await stage.app.workers.stop(within=0)
    await serving


async def test_the_bot_of_a_block_ends_it_with_the_sentence(stage: Stage, later_release: LaterRelease) -> None:
    """Where the bot runs beside other work, the end of the block says why it has stopped."""
    with later_release.installed():
        migrations.upgrade_schema(stage.db.engine)

    async def run_beside() -> None:
        async with application.poll_in_background(stage.app):
            await until(lambda: not any("Sweeper.run" in repr(task.get_coro()) for task in asyncio.all_tasks()))

    with pytest.raises(SchemaMismatch, match=SENTENCE):
        await run_beside()
