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

import aiohttp
import pytest

from bot import application
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


async def until(condition: object, *, seconds: float = 300) -> None:
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


async def end(bot: asyncio.subprocess.Process) -> tuple[str, str, float]:
    """Send SIGTERM; what the bot wrote, and after how many seconds it had ended."""
    begun = monotonic()
    bot.send_signal(signal.SIGTERM)
    out, err = await asyncio.wait_for(bot.communicate(), 60)
    return out.decode(), err.decode(), monotonic() - begun


@pytest.mark.parametrize("mode", ["polling", "webhook"])
async def test_a_bot_that_waits_for_nothing_ends_within_its_grace_period(
    server: Server, tmp_path: Path, mode: str
) -> None:
    """With exit code 0, which the thread that ends a bot after its grace period does not give: a poll that lasts half a
    minute is not waited for.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [str(Path(sysconfig.get_path("scripts")) / "hromada"), "bot"]
    env = {"PATH": os.environ["PATH"], "HROMADA_TELEGRAM_TOKEN": TOKEN, "HROMADA_TELEGRAM_URL": f"{server.url}/bot"}
    if mode == "webhook":
        command.append("--webhook")
        env |= {"HROMADA_WEBHOOK_URL": f"http://127.0.0.1:{port}", "HROMADA_WEBHOOK_LISTEN": f"127.0.0.1:{port}"}
    pipe = asyncio.subprocess.PIPE
    person = server.telegram.person(424242)
    bot = await asyncio.create_subprocess_exec(*command, cwd=tmp_path, env=env, stderr=pipe, stdout=pipe)
    person.send("/start")
    await until(lambda: person.messages)
    await asyncio.sleep(0.3)
    out, err, took = await end(bot)
    assert (bot.returncode, "The bot ends." in err, took < application.GRACE_SECONDS) == (0, True, True), out + err


@pytest.mark.parametrize(("setting", "protected"), [(None, True), ("true", True), ("false", False)])
async def test_what_the_bot_sends_is_protected_unless_the_setting_says_no(
    server: Server, tmp_path: Path, setting: str | None, protected: bool
) -> None:
    """Every message up to the item, as the local Telegram keeps them; only without protection can one be forwarded."""
    (tmp_path / "project.yaml").write_text(PROJECT, "utf-8")
    (tmp_path / "items.csv").write_text("id,text\n1,кіт чи собака\n", "utf-8")
    command = str(Path(sysconfig.get_path("scripts")) / "hromada")
    env = {"PATH": os.environ["PATH"], "HROMADA_TELEGRAM_TOKEN": TOKEN, "HROMADA_TELEGRAM_URL": f"{server.url}/bot"}
    env |= {} if setting is None else {"HROMADA_TELEGRAM_PROTECT": setting}
    for words in (["load", "project.yaml"], ["start", "words"]):
        subprocess.run([command, *words], cwd=tmp_path, env=env, check=True, capture_output=True)
    pipe = asyncio.subprocess.PIPE
    bot = await asyncio.create_subprocess_exec(command, "bot", cwd=tmp_path, env=env, stderr=pipe, stdout=pipe)
    person = server.telegram.person(424242)
    person.send("/start")
    await through(person)
    await end(bot)
    assert len(person.messages) >= 3
    assert {message.protected for message in person.messages} == {protected}
    assert {bool(message.wire().get("has_protected_content")) for message in person.messages} == {protected}
    item = person.messages[-1]
    values = {"chat_id": person.id, "from_chat_id": person.id, "message_id": item.id}
    assert (server.telegram.call("forwardMessage", values).status == 200) is not protected


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
    out, err, _ = await end(bot)
    assert bot.returncode == 0, err
    assert TOKEN not in out + err
    assert "424242" not in out + err
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
        (
            {"HROMADA_WEBHOOK_URL": "https://bot.example.org", "HROMADA_HEALTH_LISTEN": "8081"},
            "HROMADA_HEALTH_LISTEN",
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


async def test_the_bot_takes_webhooks_and_ends_on_a_signal(server: Server, tmp_path: Path) -> None:
    """Telegram calls, the person is answered, SIGTERM ends it."""
    command = str(Path(sysconfig.get_path("scripts")) / "hromada")
    with socket.create_server(("127.0.0.1", 0)) as free, socket.create_server(("127.0.0.1", 0)) as other:
        port, health = free.getsockname()[1], other.getsockname()[1]
    env = {
        "PATH": os.environ["PATH"],
        "HROMADA_TELEGRAM_TOKEN": TOKEN,
        "HROMADA_TELEGRAM_URL": f"{server.url}/bot",
        "HROMADA_WEBHOOK_URL": f"http://127.0.0.1:{port}",
        "HROMADA_WEBHOOK_LISTEN": f"127.0.0.1:{port}",
        "HROMADA_HEALTH_LISTEN": f"127.0.0.1:{health}",
    }
    pipe = asyncio.subprocess.PIPE
    bot = await asyncio.create_subprocess_exec(
        command, "bot", "--webhook", cwd=tmp_path, env=env, stderr=pipe, stdout=pipe
    )
    person = server.telegram.person(424242)
    person.send("/start")
    await until(lambda: person.messages)
    async with aiohttp.ClientSession() as client, client.get(f"http://127.0.0.1:{health}/health") as response:
        assert (response.status, await response.json()) == (200, {"well": True, "silent": []})
    out, err, _ = await end(bot)
    assert bot.returncode == 0, err
    assert not any(word in out + err for word in (TOKEN, "424242"))
