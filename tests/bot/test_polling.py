"""`hromada bot` as a process of its own, polling a Bot API server on loopback."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sysconfig
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.emulator.server import Server
from bot.emulator.telegram import Telegram

TOKEN = "123:secret"  # noqa: S105  # opens nothing
PROJECT = """\
project: words
title: Слова
language: uk
question: {type: choice, text: "Яке слово довше?", options: [перше, друге]}
items: {file: items.csv, id: id, show: text}
overlap: 1
"""


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    """The local Telegram over HTTP."""
    async with Server(Telegram(token=TOKEN)) as started:
        yield started


async def until(condition: object, *, seconds: float = 30) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(seconds):
        while not condition():  # type: ignore[operator]
            await asyncio.sleep(0.02)


async def test_the_bot_polls_answers_and_ends_on_a_signal(server: Server, tmp_path: Path) -> None:
    """One person answers one item over HTTP; a killed bot started anew goes on; the log holds neither token nor id."""
    telegram, url = server.telegram, f"{server.url}/bot"
    (tmp_path / "project.yaml").write_text(PROJECT, "utf-8")
    (tmp_path / "items.csv").write_text("id,text\n1,кіт чи собака\n2,дуб чи береза\n", "utf-8")
    command = str(Path(sysconfig.get_path("scripts")) / "hromada")
    env = {"PATH": os.environ["PATH"], "HROMADA_TELEGRAM_TOKEN": TOKEN, "HROMADA_TELEGRAM_URL": url}
    env["HROMADA_LOG_LEVEL"] = "DEBUG"
    subprocess.run([command, "load", "project.yaml"], cwd=tmp_path, env=env, check=True, capture_output=True)

    async def start() -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(command, "bot", cwd=tmp_path, env=env, stderr=pipe, stdout=pipe)

    bot = await start()
    person = telegram.person(424242)
    person.send("/start")
    await until(lambda: person.messages and person.messages[-1].buttons)
    bot.kill()
    await bot.communicate()
    bot = await start()
    person.tap("друге")
    await until(lambda: person.messages[-1].text.startswith("2 · "))
    bot.send_signal(signal.SIGTERM)
    out, err = await asyncio.wait_for(bot.communicate(), 20)
    assert bot.returncode == 0, err.decode()
    assert TOKEN not in (out + err).decode()
    assert "424242" not in (out + err).decode()
    with sqlite3.connect(tmp_path / "hromada.db") as connection:
        assert connection.execute("SELECT response FROM judgement").fetchall() == [("друге",)]
    connection.close()


async def test_a_wrong_token_is_a_sentence_that_does_not_show_it(server: Server, tmp_path: Path) -> None:
    """Telegram refuses the token: exit code 2, the setting's name, and the token nowhere."""
    telegram, url = server.telegram, f"{server.url}/bot"
    telegram.faults.fail("getMe", 401)
    env = {"PATH": os.environ["PATH"], "HROMADA_TELEGRAM_TOKEN": TOKEN, "HROMADA_TELEGRAM_URL": url}
    pipe = asyncio.subprocess.PIPE
    command = str(Path(sysconfig.get_path("scripts")) / "hromada")
    bot = await asyncio.create_subprocess_exec(command, "bot", cwd=tmp_path, env=env, stderr=pipe, stdout=pipe)
    out, err = await asyncio.wait_for(bot.communicate(), 30)
    said = (out + err).decode()
    assert (bot.returncode, "HROMADA_TELEGRAM_TOKEN" in said, TOKEN in said) == (2, True, False), said
    assert "Traceback" not in said


def test_a_bot_without_a_token_says_how_to_get_one(tmp_path: Path) -> None:
    """Without a token the command ends with 2 and a sentence."""
    command = str(Path(sysconfig.get_path("scripts")) / "hromada")
    ran = subprocess.run(
        [command, "bot"], cwd=tmp_path, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, "@BotFather" in ran.stderr) == (2, True)
