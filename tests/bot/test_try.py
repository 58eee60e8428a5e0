"""`hromada try`: one command, a page on loopback, the bot at work behind it, and nothing left afterwards."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import _json_schemas
import aiohttp
import pytest

from annotation.store import database
from annotation.store.models import Annotator
from annotation.vocabulary import ProjectStatus
from annotation.workflow.monitoring.machine import MachineFacts
from bot.commands import local_chat

if TYPE_CHECKING:
    from _command import Hromada

    from annotation.store.models import Project

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


@pytest.fixture
def command(hromada: Hromada, folder: Path) -> Hromada:
    """The command in that folder."""
    return replace(hromada, variables={"TMPDIR": str(folder / "tmp")})


@asynccontextmanager
async def start(command: Hromada, *words: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A command as a process of its own, which is killed at the end of the block if it has not ended."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        command.command, *words, cwd=command.folder, env=command.get_environment(), stdout=pipe, stderr=pipe
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def read_lines(process: asyncio.subprocess.Process) -> list[str]:
    """The first three lines of what it prints."""
    assert process.stdout is not None
    return [(await asyncio.wait_for(process.stdout.readline(), 20)).decode() for _ in range(3)]


async def end(process: asyncio.subprocess.Process) -> None:
    """Ctrl-C ends it well."""
    process.send_signal(signal.SIGINT)
    _, err = await asyncio.wait_for(process.communicate(), 20)
    assert (process.returncode, err.decode()) == (0, "")


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


class Visitor(threading.Thread):
    """Somebody who answers at the address that a command of this process prints, and then presses Ctrl-C."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, saved: str = "Збережено") -> None:
        super().__init__(daemon=True)
        self.saved, self.addresses, self.event = saved, queue.Queue[str](), dict[str, Any]()
        monkeypatch.setattr(local_chat, "_print_address", lambda address, **_: self.addresses.put(address))
        self.start()

    def run(self) -> None:
        """Wait for the address, answer, end the command."""
        address = self.addresses.get(timeout=60)
        try:
            self.event = asyncio.run(answer_one(address, saved=self.saved))
        finally:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.process
async def test_a_person_answers_and_nothing_is_left(command: Hromada, folder: Path) -> None:
    """A message follows the start, a tap is answered, Ctrl-C ends it well; `benchmarks/start.py` says how soon."""
    async with start(command, "try", "project.yaml", "--json") as process:
        printed = "".join(await read_lines(process))
        address = json.loads(printed)["address"]
        event = await answer_one(address)
        menu = [one["command"] for one in event["around"]["menu"]]
        assert (menu[0], menu[-1], len(menu)) == ("start", "help", 16)
        assert listening(int(address.split("/?")[0].rsplit(":", 1)[1])) == ["0100007F"]
        await end(process)
    _json_schemas.check_output(["try", "project.yaml", "--json"], printed)
    assert list((folder / "tmp").iterdir()) == []
    assert {path.name for path in folder.iterdir()} == {"project.yaml", "items.csv", "tmp"}


@pytest.mark.process
@pytest.mark.slow
def test_a_bot_on_a_local_telegram_keeps_what_is_answered(command: Hromada, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody needs a token; whoever answers is marked as simulated, in the database that commands read afterwards.

    Another day it goes on with the same person where they stopped; meanwhile a second one is refused.
    """
    command.write("items.csv", "id,text\n1,кіт чи собака\n2,сон чи день\n")
    for words in (("load", "project.yaml"), ("start", "words")):
        assert command(*words).code == 0
    Visitor(monkeypatch)
    ran = command("bot", "--local")
    assert (ran.code, ran.err) == (0, "")
    check_answers(command, 1)
    asyncio.run(go_on_another_day(command))
    check_answers(command, 2)
    assert "SIMULATED-" in command("people", "words").out


def test_a_local_bot_looks_at_disk_and_backups(command: Hromada, monkeypatch: pytest.MonkeyPatch) -> None:
    """As any other bot: its list of what needs the organisers has them, too."""
    looks: list[Callable[[], MachineFacts]] = []

    async def serve_nothing(*_: object, look_at_machine: Callable[[], MachineFacts], **__: object) -> None:
        looks.append(look_at_machine)

    monkeypatch.setattr(local_chat, "serve_page", serve_nothing)
    assert command("bot", "--local").code == 0
    assert [look().backup for look in looks] == [None]
    assert looks[0]().needed > 0


def check_answers(command: Hromada, number: int) -> None:
    """So many answers are stored, of one person."""
    status = command("status", "words", "--json").json
    assert (status["answers"], status["annotators"]) == (number, 1)


async def go_on_another_day(command: Hromada) -> None:
    """`hromada bot --local` at work while an item is answered, and a second bot is refused."""
    async with start(command, "bot", "--local") as process:
        lines = await read_lines(process)
        assert "kept, and marked as simulated" in lines[2]
        await answer_one(lines[1].strip())
        second = await asyncio.to_thread(command, "bot", "--local")
        assert (second.code, "A bot works on this database." in second.err) == (2, True), second.err
        await end(process)


def test_a_local_telegram_is_refused_where_real_people_answer(command: Hromada) -> None:
    """It could reach none of them: what waits for them would be given up."""
    url = f"sqlite:///{command.folder}/hromada.db"
    with database.open_database(url, create=True) as opened, opened.transaction() as transaction:
        transaction.add(Annotator(pseudonym="p", telegram_id=7, created_at=datetime(2026, 1, 1, tzinfo=UTC)))
    ran = command("bot", "--local")
    assert ran.code == 2, ran.out
    assert "--local: People answer in this database by Telegram." in ran.err


def test_an_english_campaign_is_english(command: Hromada, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first language on the buttons, the words around an item and the names of people, without a word about it.

    Whom `admission` asks for is not asked here, which the command says.
    """
    asked = PROJECT.replace("language: uk", "language: en").replace("Слова", "Words")
    command.write("project.yaml", f"{asked}\nadmission: {{cohort: [linguists]}}\n")
    visitor = Visitor(monkeypatch, saved="Saved")
    ran = command("try", "project.yaml")
    assert (ran.code, ran.out, ran.err) == (0, "Everybody is admitted here: `admission` of words is ignored.\n", "")
    assert [key["text"] for row in visitor.event["message"]["rows"] for key in row] == ["Change"]


@pytest.mark.parametrize(
    ("loaded", "language"),
    [
        ("uk loaded, en running, ru running", "en"),
        ("uk closed, en loaded", "uk"),
        ("de running, ru paused", "ru"),
        ("de running", None),
        ("", None),
    ],
)
def test_the_frame_of_the_chat_has_the_language_of_what_runs(loaded: str, language: str | None) -> None:
    """That of the first project that is running; without one that of the first, of those that the bot speaks."""
    words = [one.split() for one in filter(None, loaded.split(", "))]
    rows = [SimpleNamespace(language=spoken, status=ProjectStatus(status)) for spoken, status in words]
    assert local_chat.choose_language(cast("list[Project]", rows), {"uk", "en", "ru"}) == language


def listening(port: int) -> list[str]:
    """The addresses that are listened on at a port, IPv6 included, as the kernel writes them."""
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return [row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == port]


def test_a_campaign_that_cannot_be_tried_is_a_sentence(command: Hromada) -> None:
    """What is wrong in the file: exit code 2, before any address is printed."""
    command.write("project.yaml", PROJECT.replace("items.csv", "none.csv"))
    ran = command("try", "project.yaml")
    assert (ran.code, "none.csv" in ran.err, ran.out) == (2, True, ""), ran.err


def test_a_port_that_is_taken_is_a_sentence(command: Hromada) -> None:
    """Whoever comes second on a port is told so."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ran = command("try", "project.yaml", "--port", port)
    assert (ran.code, f"Port {port} is taken" in ran.err) == (2, True), ran.err
