"""What `hromada doctor` finds around the database, each with what to do."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from _command import Hromada
from _faulty_telegram import FaultyServer, FaultyTelegram
from pydantic import SecretStr

from annotation.settings import Settings
from annotation.store import database, judgements, processes, queries
from bot.commands import machine_checks

ITEMS = "id,text\n1,кіт\n2,дуб\n"
PROJECT = """\
project: words
title: Слова
language: uk
instructions: Порахуйте літери.
question: {type: choice, text: Яке?, options: [перше, друге]}
items: {file: items.csv, id: id, show: text}
overlap: 1
"""


@pytest.fixture
def words(hromada: Hromada) -> Hromada:
    """A folder with a database."""
    hromada.write("items.csv", ITEMS)
    hromada.write("project.yaml", PROJECT)
    assert hromada("load", "project.yaml").code == 0
    return hromada


def look(words: Hromada, what: str) -> tuple[bool, str]:
    """What the doctor says of a subject; its exit code agrees with all that it says."""
    ran = words("doctor", "--json")
    found = {finding["what"]: finding for finding in json.loads(ran.out)["checks"]}
    assert ran.code == (0 if all(finding["well"] for finding in found.values()) else 1)
    return found[what]["well"], found[what]["says"]


def test_a_secret_that_others_may_read_is_found(words: Hromada) -> None:
    """The key, and an .env with a token or a password; an .env without a secret may have any mode."""
    key, env = words.folder / "hromada.key", words.folder / ".env"
    key.touch(mode=0o600)
    assert look(words, "mode of hromada.key") == (True, "0600")
    key.chmod(0o640)
    well, says = look(words, "mode of hromada.key")
    assert (well, says) == (False, "0640: others on this machine may read it. Close it: chmod 600 hromada.key")
    key.unlink()
    for text in (
        "HROMADA_TELEGRAM_TOKEN=1:a\n",
        " export HROMADA_LABEL_STUDIO_TOKEN = x\n",
        "X=postgresql://me:hush@h/d\n",
    ):
        env.write_text(text)
        env.chmod(0o644)
        assert "chmod 600 .env" in look(words, "mode of .env")[1], text
        env.chmod(0o600)
        assert look(words, "mode of .env") == (True, "0600")
    env.write_text("HROMADA_TELEGRAM_TOKEN=\nHROMADA_LOG_LEVEL=INFO\n")
    env.chmod(0o644)
    assert words("doctor").code == 0


def test_a_disk_without_room_is_found(words: Hromada, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is needed is a copy of the database and something to go on."""
    assert look(words, "disk")[0]
    assert look(words, "SQLite") == (True, sqlite3.sqlite_version)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=100 * 1024**2))
    well, says = look(words, "disk")
    assert (well, says.startswith("100 MB free, 20"), says.endswith("Make room.")) == (False, True, True)


def test_a_log_that_cannot_be_emptied_is_found(words: Hromada, monkeypatch: pytest.MonkeyPatch) -> None:
    """While somebody reads an old state, it only grows."""
    monkeypatch.setattr(machine_checks, "MAX_LOG_BYTES", 0)
    assert "log of the database" not in words("doctor").out
    with sqlite3.connect(words.folder / "hromada.db") as reading:
        reading.execute("UPDATE project SET title = 'Інші слова'")
        reading.commit()
        assert not look(words, "log of the database")[0]
    reading.close()


def test_a_clock_that_is_wrong_is_found(words: Hromada, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of the database is the one by which all processes go."""
    with database.open_database(f"sqlite:///{words.folder}/hromada.db") as opened, opened.reading() as view:
        assert machine_checks._check_clock(view).well
        told = datetime.now(UTC) - timedelta(minutes=10)
        monkeypatch.setattr(processes, "get_database_time", lambda _: told)
        found = machine_checks._check_clock(view)
    assert (found.well, found.says.split(".")[0]) == (False, "600 seconds from that of the database")


def test_an_old_or_missing_backup_is_found(words: Hromada, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where real people have answered since; the newest one counts, here or in backups/."""
    now = datetime.now(UTC)
    monkeypatch.setattr(judgements, "find_last_answer", lambda _: (1, now))
    assert words("doctor").code == 0
    monkeypatch.setattr(queries, "has_telegram_people", lambda _: True)
    assert look(words, "backup")[1].startswith(
        "none in this folder or in backups. Make one: hromada database backup FILE"
    )
    for name, age in (("old.backup", timedelta(days=9)), ("backups/new.backup", timedelta(days=3))):
        assert words("database", "backup", name).code == 0
        described = words.folder / f"{name}.json"
        described.write_text(json.dumps(json.loads(described.read_text()) | {"made_at": (now - age).isoformat()}))
    well, says = look(words, "backup")
    assert (well, says.startswith("backups/new.backup, 3 days old; people have answered since.")) == (False, True)
    monkeypatch.setattr(judgements, "find_last_answer", lambda _: (1, now - timedelta(days=4)))
    assert look(words, "backup") == (True, "backups/new.backup, 3 days old")
    words.write(".env", "HROMADA_BACKUP_FOLDER=elsewhere\n")
    (words.folder / "backups").rename(words.folder / "elsewhere")
    assert look(words, "backup") == (True, "elsewhere/new.backup, 3 days old")


def test_on_postgresql_clock_and_versions_are_read(hromada: Hromada, postgresql_url: str) -> None:
    """The server says its version and its time."""
    hromada.write("items.csv", ITEMS)
    hromada.write("project.yaml", PROJECT)
    env = {"HROMADA_DATABASE_URL": postgresql_url}
    assert hromada("load", "project.yaml", env=env).code == 0
    found = {finding["what"]: finding for finding in json.loads(hromada("doctor", "--json", env=env).out)["checks"]}
    assert (found["clock"]["well"], "psycopg 3." in found["PostgreSQL"]["says"]) == (True, True)


async def test_the_webhook_is_asked_for_where_there_is_one() -> None:
    """Its state, with the remedy; a token that Telegram does not know, and a Telegram that is away, are told apart."""
    telegram = FaultyTelegram()
    async with FaultyServer(telegram) as server:
        settings = Settings(
            _env_file=None,
            telegram_token=SecretStr(telegram.token),
            telegram_url=f"{server.url}/bot",
            webhook_url="http://127.0.0.1:9",
        )

        async def ask(**other: object) -> tuple[bool, str]:
            asked = settings.model_copy(update=other)
            [found] = await asyncio.to_thread(lambda: list(machine_checks._check_webhook(asked)))
            assert telegram.token not in found.says
            return found.well, found.says

        assert await ask() == (True, "not set; `hromada bot --webhook` sets it")
        await telegram.handle("setWebhook", {"url": "http://127.0.0.1:9/telegram"}, {})
        assert await ask() == (True, "set; updates that wait: 0")
        assert (await ask(webhook_url="https://other.example.org"))[1].startswith("Telegram calls another address")
        assert "does not know this token" in (await ask(telegram_token=SecretStr("1:x")))[1]
        assert "Telegram cannot be asked" in (await ask(telegram_url="http://127.0.0.1:9/bot"))[1]
    assert list(machine_checks._check_webhook(settings.model_copy(update={"webhook_url": None}))) == []
    state = {"url": "https://bot.example.org/telegram", "pending_update_count": 3}
    failed = state | {"last_error_date": 0, "last_error_message": "Connection refused"}
    late = state | {"pending_update_count": 100}
    says = [machine_checks._find_webhook_problem(one, "https://bot.example.org/") for one in (state, failed, late)]
    assert says[0] == ""
    assert says[1].startswith(
        "3 updates wait; Telegram could not bring one at 1970-01-01 03:00 (Europe/Kyiv): Connection refused. Check"
    )
    assert says[2].startswith("100 updates wait at Telegram.")
