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
from aiohttp import web

from bot.demo.standin import Telegram

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
async def server() -> AsyncIterator[tuple[Telegram, str]]:
    """The stand-in behind HTTP: updates are given once, and again until their offset is confirmed."""
    telegram = Telegram()

    async def answer(request: web.Request) -> web.Response:
        assert request.match_info["token"] == TOKEN
        parameters = dict(await request.post())
        if request.match_info["method"] != "getUpdates":
            status, body = telegram.call(request.match_info["method"], parameters)
            return web.json_response(body, status=status)
        offset = int(str(parameters.get("offset", 0)))
        while telegram.updates and telegram.updates[0]["update_id"] < offset:
            telegram.updates.popleft()
        if not telegram.updates:
            await asyncio.sleep(0.05)
        return web.json_response({"ok": True, "result": list(telegram.updates)})

    app = web.Application()
    app.router.add_post("/bot{token}/{method}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    yield telegram, f"http://127.0.0.1:{port}/bot"
    await runner.cleanup()


async def until(condition: object, *, seconds: float = 30) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(seconds):
        while not condition():  # type: ignore[operator]
            await asyncio.sleep(0.02)


async def test_the_bot_polls_answers_and_ends_on_a_signal(server: tuple[Telegram, str], tmp_path: Path) -> None:
    """One person answers one item over HTTP; a killed bot started anew goes on; the log holds neither token nor id."""
    telegram, url = server
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
    await until(lambda: person.screen and person.screen[-1].buttons)
    bot.kill()
    await bot.communicate()
    bot = await start()
    person.tap("друге")
    await until(lambda: person.screen[-1].text.startswith("2 · "))
    bot.send_signal(signal.SIGTERM)
    out, err = await asyncio.wait_for(bot.communicate(), 20)
    assert bot.returncode == 0, err.decode()
    assert TOKEN not in (out + err).decode()
    assert "424242" not in (out + err).decode()
    with sqlite3.connect(tmp_path / "hromada.db") as connection:
        assert connection.execute("SELECT response FROM judgement").fetchall() == [("друге",)]
    connection.close()


async def test_a_wrong_token_is_a_sentence_that_does_not_show_it(server: tuple[Telegram, str], tmp_path: Path) -> None:
    """Telegram refuses the token: exit code 2, the setting's name, and the token nowhere."""
    telegram, url = server
    telegram.failures["getMe"] = (401, "Unauthorized")
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
