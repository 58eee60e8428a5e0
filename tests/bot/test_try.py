"""`hromada try`: one command, a page on loopback, the bot at work behind it, and nothing left afterwards."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sysconfig
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import sqlalchemy as sa

from annotation.store import database
from annotation.store.models import Annotator

Tried = tuple[asyncio.subprocess.Process, str]
COMMAND = str(Path(sysconfig.get_path("scripts")) / "hromada")
PROJECT = """\
project: words
title: Слова
language: uk
instructions: Порівняйте.
question: {type: choice, text: "Яке слово довше?", options: [перше, друге]}
items: {file: items.csv, id: id, show: text}
overlap: 1
reward: {emoji: none}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small campaign, and a folder of its own for what is thrown away."""
    (tmp_path / "project.yaml").write_text(PROJECT, "utf-8")
    (tmp_path / "items.csv").write_text("id,text\n1,кіт чи собака\n", "utf-8")
    (tmp_path / "tmp").mkdir()
    return tmp_path


def env(folder: Path) -> dict[str, str]:
    """As on a fresh machine: no settings."""
    return {"PATH": os.environ["PATH"], "TMPDIR": str(folder / "tmp"), "PYTHONWARNINGS": "error", "COLUMNS": "160"}


@pytest.fixture
async def tried(folder: Path) -> AsyncIterator[Tried]:
    """The command at work, and the address that it prints."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        COMMAND, "try", "project.yaml", "--json", cwd=folder, env=env(folder), stdout=pipe, stderr=pipe
    )
    assert process.stdout is not None
    told = b"".join([await asyncio.wait_for(process.stdout.readline(), 20) for _ in range(3)])
    yield process, json.loads(told)["address"]
    if process.returncode is None:
        process.kill()
        await process.communicate()


async def heard(events: aiohttp.StreamReader) -> dict[str, Any]:
    """The next event of the page's stream."""
    while True:
        line = await asyncio.wait_for(events.readline(), 10)
        if line.startswith(b"data: "):
            return json.loads(line.removeprefix(b"data: "))  # type: ignore[no-any-return]


async def answer_one(address: str, *, saved: str = "Збережено") -> dict[str, Any]:
    """Start the bot in its chat, and tap the first button of whatever comes until an answer is saved."""
    site = address.split("/?", maxsplit=1)[0]
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        async with client.get(address) as page:
            assert "composer" in await page.text()
        async with client.get(f"{site}/events") as stream:
            whole = await heard(stream.content)
            await client.post(f"{site}/act", json={"do": "send", "person": whole["person"], "text": "/start"})
            while (event := await heard(stream.content))["text"] != saved:
                if event["kind"] == "message" and event["message"]["rows"]:
                    key = event["message"]["rows"][0][0]
                    act = {"do": "tap", "person": whole["person"], "message": event["message"]["id"]}
                    await client.post(f"{site}/act", json=act | {"data": key["data"]})
    return event


async def test_a_person_answers_and_nothing_is_left(folder: Path, tried: Tried) -> None:
    """A message follows the start, a tap is answered, Ctrl-C ends it well; `benchmarks/start.py` says how soon."""
    process, address = tried
    event = await answer_one(address)
    menu = [one["command"] for one in event["around"]["menu"]]
    assert (menu[0], menu[-1], len(menu)) == ("start", "help", 15)
    assert listening(int(address.split("/?")[0].rsplit(":", 1)[1])) == ["0100007F"]
    process.send_signal(signal.SIGINT)
    _, err = await asyncio.wait_for(process.communicate(), 20)
    assert (process.returncode, err.decode()) == (0, "")
    assert list((folder / "tmp").iterdir()) == []
    assert {path.name for path in folder.iterdir()} == {"project.yaml", "items.csv", "tmp"}


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command in the folder."""
    return subprocess.run([COMMAND, *words], cwd=folder, env=env(folder), capture_output=True, text=True, check=False)


@asynccontextmanager
async def local_bot(folder: Path) -> AsyncIterator[str]:
    """`hromada bot --local` at work until the block ends, when it gets its Ctrl-C; the address that it prints."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        COMMAND, "bot", "--local", cwd=folder, env=env(folder), stdout=pipe, stderr=pipe
    )
    try:
        assert process.stdout is not None
        lines = [(await asyncio.wait_for(process.stdout.readline(), 20)).decode() for _ in range(3)]
        assert "kept, and marked as simulated" in lines[2]
        yield lines[1].strip()
        process.send_signal(signal.SIGINT)
        _, err = await asyncio.wait_for(process.communicate(), 20)
    finally:
        if process.returncode is None:
            process.kill()
    assert (process.returncode, err.decode()) == (0, "")


async def test_a_bot_on_a_local_telegram_keeps_what_is_answered(folder: Path) -> None:
    """Nobody needs a token; whoever answers is marked as simulated, in the database that commands read afterwards.

    Another day it goes on with the same person where they stopped; meanwhile a second one is refused.
    """
    (folder / "items.csv").write_text("id,text\n1,кіт чи собака\n2,сон чи день\n", "utf-8")
    for words in (("load", "project.yaml"), ("start", "words")):
        assert (await asyncio.to_thread(run, folder, *words)).returncode == 0
    for answers in (1, 2):
        async with local_bot(folder) as address:
            await answer_one(address)
            second = await asyncio.to_thread(run, folder, "bot", "--local")
            assert (second.returncode, "A bot works on this database." in second.stderr) == (2, True), second.stderr
        status = json.loads((await asyncio.to_thread(run, folder, "status", "words", "--json")).stdout)
        assert (status["answers"], status["annotators"]) == (answers, 1)
    people = (await asyncio.to_thread(run, folder, "people", "words")).stdout
    assert "SIMULATED-" in people


async def test_a_local_telegram_is_refused_where_real_people_answer(folder: Path) -> None:
    """It could reach none of them: what waits for them would be given up."""
    url = sa.make_url(f"sqlite:///{folder}/hromada.db")
    with database.open_database(url, create=True) as opened, opened.transaction() as transaction:
        transaction.add(Annotator(pseudonym="p", telegram_id=7, created_at=datetime(2026, 1, 1, tzinfo=UTC)))
    ran = await asyncio.to_thread(run, folder, "bot", "--local")
    assert ran.returncode == 2, ran.stdout
    assert "--local: People answer in this database by Telegram." in ran.stderr


async def test_an_english_campaign_is_english(folder: Path) -> None:
    """The first language on the buttons, the words around an item and the names of people, without a word about it."""
    text = PROJECT.replace("language: uk", "language: en").replace("Слова", "Words")
    (folder / "project.yaml").write_text(text, "utf-8")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        COMMAND, "try", "project.yaml", "--json", cwd=folder, env=env(folder), stdout=pipe, stderr=pipe
    )
    assert process.stdout is not None
    address = json.loads(b"".join([await asyncio.wait_for(process.stdout.readline(), 20) for _ in range(3)]))["address"]
    event = await answer_one(address, saved="Saved")
    process.send_signal(signal.SIGINT)
    await asyncio.wait_for(process.communicate(), 20)
    assert [key["text"] for row in event["message"]["rows"] for key in row] == ["Change"]


def listening(port: int) -> list[str]:
    """The addresses that are listened on at a port, IPv6 included, as the kernel writes them."""
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return [row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == port]


@pytest.mark.parametrize(
    ("project", "told"),
    [
        (PROJECT.replace("items.csv", "none.csv"), "none.csv"),
    ],
)
def test_a_campaign_that_cannot_be_tried_is_a_sentence(folder: Path, project: str, told: str) -> None:
    """What is wrong in the file: exit code 2, before any address is printed."""
    (folder / "project.yaml").write_text(project, "utf-8")
    ran = subprocess.run(
        [COMMAND, "try", "project.yaml"], cwd=folder, env=env(folder), capture_output=True, text=True, check=False
    )
    assert (ran.returncode, told in ran.stderr, ran.stdout) == (2, True, ""), ran.stderr


async def test_a_port_that_is_taken_is_a_sentence(folder: Path, tried: Tried) -> None:
    """The second one on a port is told so."""
    port = tried[1].split("/?")[0].rsplit(":", 1)[1]
    ran = await asyncio.to_thread(
        subprocess.run,
        [COMMAND, "try", "project.yaml", "--port", port],
        cwd=folder, env=env(folder), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.returncode, f"Port {port} is taken" in ran.stderr) == (2, True), ran.stderr
