"""`hromada bot` as a process of its own, polling a Bot API server on loopback."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sqlite3
import subprocess
import sysconfig
from collections.abc import AsyncIterator
from pathlib import Path
from time import monotonic

import pytest

from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.server import Server
from bot.emulator.telegram import Telegram

TOKEN = "123:secret"  # noqa: S105  # opens nothing
PROJECT = """\
project: words
title: Слова
language: uk
instructions: Порахуйте літери.
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


async def through(person: ScriptedPerson) -> None:
    """Tap the first button of whatever is asked, until there is an item."""
    while True:
        await until(lambda: person.messages and person.messages[-1].buttons)
        newest = person.messages[-1]
        if "Яке слово довше?" in newest.text:
            return
        seen = len(person.telegram.display_log.list_events(person.id, "message", "edit"))
        person.tap(newest.buttons[0][0], on=newest)
        await until(lambda seen=seen: len(person.telegram.display_log.list_events(person.id, "message", "edit")) > seen)


async def test_the_bot_polls_answers_and_ends_on_a_signal(server: Server, tmp_path: Path) -> None:
    """One person answers one item over HTTP; a killed bot started anew goes on; the log holds neither token nor id."""
    telegram, url = server.telegram, f"{server.url}/bot"
    (tmp_path / "project.yaml").write_text(PROJECT, "utf-8")
    (tmp_path / "items.csv").write_text("id,text\n1,кіт чи собака\n2,дуб чи береза\n", "utf-8")
    command = str(Path(sysconfig.get_path("scripts")) / "hromada")
    env = {"PATH": os.environ["PATH"], "HROMADA_TELEGRAM_TOKEN": TOKEN, "HROMADA_TELEGRAM_URL": url}
    env["HROMADA_LOG_LEVEL"] = "DEBUG"
    for words in (["load", "project.yaml"], ["start", "words"]):
        subprocess.run([command, *words], cwd=tmp_path, env=env, check=True, capture_output=True)

    async def start() -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(command, "bot", cwd=tmp_path, env=env, stderr=pipe, stdout=pipe)

    bot = await start()
    person = telegram.person(424242)
    person.send("/start")
    await through(person)
    bot.kill()
    await bot.communicate()
    bot = await start()
    person.tap(person.messages[-1].buttons[1][0], on=person.messages[-1])
    await until(lambda: any(message.text.startswith("✓ 1") for message in person.messages))
    await until(lambda: "✓" not in person.messages[-1].text and "Яке слово довше?" in person.messages[-1].text)
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


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "HROMADA_WEBHOOK_URL"),
        ({"HROMADA_WEBHOOK_URL": "bot.example.org"}, "HROMADA_WEBHOOK_URL"),
        (
            {"HROMADA_WEBHOOK_URL": "https://bot.example.org", "HROMADA_WEBHOOK_LISTEN": "8080"},
            "HROMADA_WEBHOOK_LISTEN",
        ),
    ],
)
def test_a_webhook_without_an_address_says_how_to_write_one(
    tmp_path: Path, settings: dict[str, str], said: str
) -> None:
    """The setting is named, and nothing is started."""
    command = str(Path(sysconfig.get_path("scripts")) / "hromada")
    env = {"PATH": os.environ["PATH"], "HROMADA_TELEGRAM_TOKEN": TOKEN, **settings}
    ran = subprocess.run(
        [command, "bot", "--webhook"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, said in ran.stderr) == (2, True), ran.stderr


async def test_the_bot_takes_webhooks_and_ends_on_a_signal_within_a_second(server: Server, tmp_path: Path) -> None:
    """Telegram calls, the person is answered, SIGTERM ends it."""
    command = str(Path(sysconfig.get_path("scripts")) / "hromada")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = {
        "PATH": os.environ["PATH"],
        "HROMADA_TELEGRAM_TOKEN": TOKEN,
        "HROMADA_TELEGRAM_URL": f"{server.url}/bot",
        "HROMADA_WEBHOOK_URL": f"http://127.0.0.1:{port}",
        "HROMADA_WEBHOOK_LISTEN": f"127.0.0.1:{port}",
    }
    pipe = asyncio.subprocess.PIPE
    bot = await asyncio.create_subprocess_exec(
        command, "bot", "--webhook", cwd=tmp_path, env=env, stderr=pipe, stdout=pipe
    )
    person = server.telegram.person(424242)
    person.send("/start")
    await until(lambda: person.messages)
    bot.send_signal(signal.SIGTERM)
    begun = monotonic()
    out, err = await asyncio.wait_for(bot.communicate(), 20)
    assert bot.returncode == 0, err.decode()
    assert monotonic() - begun < 3  # the process with all its modules; what delivery takes of it is tested by itself
    assert not any(word in (out + err).decode() for word in (TOKEN, "424242"))
