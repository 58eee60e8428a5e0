"""`hromada bot`: a process of its own, polling a Bot API server on loopback, and what its settings say."""

from __future__ import annotations

import asyncio
import signal
import socket
import sqlite3
from collections.abc import AsyncIterator
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

import aiohttp
import pytest
from _faulty_telegram import FaultyServer, FaultyTelegram

from bot import application
from bot.emulator.request import LocalRequest
from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.server import Server

if TYPE_CHECKING:
    from _command import Hromada

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
    async with FaultyServer(FaultyTelegram(token=TOKEN)) as started:
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


async def end(bot: asyncio.subprocess.Process) -> str:
    """Send SIGTERM; what the bot wrote, which ended well and within its grace period.

    Exit code 0 is not given by the thread that ends a bot after its grace period: a poll that lasts half a minute is
    not waited for.
    """
    await asyncio.sleep(0.3)  # the bot waits for nothing but updates
    begun = monotonic()
    bot.send_signal(signal.SIGTERM)
    said = b"".join(await asyncio.wait_for(bot.communicate(), 60)).decode()
    took = monotonic() - begun
    assert (bot.returncode, "The bot ends." in said, took < application.GRACE_SECONDS) == (0, True, True), said
    return said


def load_words(hromada: Hromada, rows: str) -> None:
    """Load and start the project in the folder of the command."""
    hromada.write("project.yaml", PROJECT)
    hromada.write("items.csv", f"id,text\n{rows}")
    for words in (["load", "project.yaml"], ["start", "words"]):
        ran = hromada(*words)
        assert ran.code == 0, ran.err


async def start(hromada: Hromada, server: Server, *words: str, **settings: str) -> asyncio.subprocess.Process:
    """A bot as a process of its own, on the Telegram of the server."""
    ours = {"HROMADA_TELEGRAM_TOKEN": TOKEN, "HROMADA_TELEGRAM_URL": f"{server.url}/bot"}
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        hromada.command, "bot", *words, cwd=hromada.folder, env=hromada.get_environment(ours | settings),
        stderr=pipe, stdout=pipe,
    )  # fmt: skip


@pytest.mark.parametrize(("setting", "protected"), [(None, True), ("true", True), ("false", False)])
def test_what_the_bot_sends_is_protected_unless_the_setting_says_no(
    hromada: Hromada, monkeypatch: pytest.MonkeyPatch, setting: str | None, protected: bool
) -> None:
    """Every message up to the item, as the local Telegram keeps them; only without protection can one be forwarded."""
    load_words(hromada, "1,кіт чи собака\n")
    telegram = FaultyTelegram(token=TOKEN)
    person = telegram.person(424242)

    def run_until_there_is_an_item(app: application.BotApplication, **_: object) -> None:
        asyncio.run(answer_up_to_the_item(app, telegram, person))

    let_bots_call(telegram, monkeypatch)
    monkeypatch.setattr(application, "run_application", run_until_there_is_an_item)
    env = {"HROMADA_TELEGRAM_TOKEN": TOKEN} | ({} if setting is None else {"HROMADA_TELEGRAM_PROTECT": setting})
    ran = hromada("bot", env=env)
    assert ran.code == 0, ran.err
    assert len(person.messages) >= 3
    assert {message.protected for message in person.messages} == {protected}
    assert {bool(message.wire().get("has_protected_content")) for message in person.messages} == {protected}
    item = person.messages[-1]
    values = {"chat_id": person.id, "from_chat_id": person.id, "message_id": item.id}
    assert (telegram.call("forwardMessage", values).status == 200) is not protected


def let_bots_call(telegram: FaultyTelegram, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let bots of this process call the local Telegram without sockets."""
    build = partial(application.build_application, request=LocalRequest(telegram))
    monkeypatch.setattr(application, "build_application", build)


async def answer_up_to_the_item(
    app: application.BotApplication, telegram: FaultyTelegram, person: ScriptedPerson
) -> None:
    """Start the bot in the person's chat, and tap the first button of whatever is asked, until there is an item."""
    async with app:
        person.send("/start")
        while not person.messages or "Яке слово довше?" not in person.messages[-1].text:
            if person.messages:
                person.tap(person.messages[-1].buttons[0][0], on=person.messages[-1])
            await app.deliver(*telegram.take())


@pytest.mark.process
async def test_the_bot_polls_answers_and_ends_on_a_signal(server: Server, hromada: Hromada) -> None:
    """One person answers one item over HTTP; a killed bot started anew goes on; the log holds neither token nor id."""
    load_words(hromada, "1,кіт чи собака\n2,дуб чи береза\n")
    bot = await start(hromada, server, HROMADA_LOG_LEVEL="DEBUG")
    person = server.telegram.person(424242)
    person.send("/start")
    await through(person)
    bot.kill()
    await bot.communicate()
    bot = await start(hromada, server, HROMADA_LOG_LEVEL="DEBUG")
    person.tap(person.messages[-1].buttons[1][0], on=person.messages[-1])
    await until(lambda: any(message.text.startswith("✓ 1") for message in person.messages))
    await until(lambda: "✓" not in person.messages[-1].text and "Яке слово довше?" in person.messages[-1].text)
    said = await end(bot)
    assert not any(word in said for word in (TOKEN, "424242"))
    with sqlite3.connect(hromada.folder / "hromada.db") as connection:
        assert connection.execute("SELECT response FROM judgement").fetchall() == [("друге",)]
    connection.close()


def test_a_wrong_token_is_a_sentence_that_does_not_show_it(hromada: Hromada, monkeypatch: pytest.MonkeyPatch) -> None:
    """Telegram refuses the token: exit code 2, the setting's name, and the token nowhere."""
    telegram = FaultyTelegram(token=TOKEN)
    telegram.faults.fail("getMe", 401)
    let_bots_call(telegram, monkeypatch)
    ran = hromada("bot", env={"HROMADA_TELEGRAM_TOKEN": TOKEN})
    said = ran.out + ran.err
    assert (ran.code, "HROMADA_TELEGRAM_TOKEN" in said, TOKEN in said) == (2, True, False), said
    assert "Traceback" not in said


def test_a_bot_without_a_token_says_how_to_get_one(hromada: Hromada) -> None:
    """Without a token the command ends with 2 and a sentence."""
    ran = hromada("bot")
    assert (ran.code, "@BotFather" in ran.err) == (2, True)


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
    hromada: Hromada, settings: dict[str, str], said: str
) -> None:
    """The setting is named, and nothing is started."""
    ran = hromada("bot", "--webhook", env={"HROMADA_TELEGRAM_TOKEN": TOKEN, **settings})
    assert (ran.code, said in ran.err) == (2, True), ran.err


@pytest.mark.process
async def test_the_bot_takes_webhooks_and_ends_on_a_signal(server: Server, hromada: Hromada) -> None:
    """Telegram calls, the person is answered, SIGTERM ends it."""
    with socket.create_server(("127.0.0.1", 0)) as free, socket.create_server(("127.0.0.1", 0)) as other:
        port, health = free.getsockname()[1], other.getsockname()[1]
    settings = {
        "HROMADA_WEBHOOK_URL": f"http://127.0.0.1:{port}",
        "HROMADA_WEBHOOK_LISTEN": f"127.0.0.1:{port}",
        "HROMADA_HEALTH_LISTEN": f"127.0.0.1:{health}",
    }
    bot = await start(hromada, server, "--webhook", **settings)
    person = server.telegram.person(424242)
    person.send("/start")
    await until(lambda: person.messages)
    async with aiohttp.ClientSession() as client, client.get(f"http://127.0.0.1:{health}/health") as response:
        assert (response.status, await response.json()) == (200, {"well": True, "silent": []})
    said = await end(bot)
    assert not any(word in said for word in (TOKEN, "424242"))
