"""`hromada database`, as a person runs it."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _command import run_in_fork
from sqlmodel import Session, col, select

from annotation.store import backups, database, migrations, pseudonyms
from annotation.store.models import Annotator
from annotation.workflow.annotators import erasure, registration
from bot import application

if TYPE_CHECKING:
    from tests.conftest import LaterRelease

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PROJECT = """\
project: words
title: Words
language: en
instructions: Choose.
question: {type: choice, text: "Which?", options: [a, b]}
items: {file: items.csv, id: id, show: text}
overlap: 2
"""


@pytest.fixture
def filled(hromada: Any) -> Any:
    """A folder with a project of two items in its database, and the key that was made with it."""
    hromada.write("items.csv", "id,text\n1,one\n2,two\n")
    assert hromada("load", hromada.write("project.yaml", PROJECT)).code == 0
    url = f"sqlite:///{hromada.folder / 'hromada.db'}"
    with database.open_database(url) as found, found.transaction() as session:
        pseudonyms.ensure_key(session, file=hromada.folder / "hromada.key", now=NOW)
    return hromada


def test_a_backup_can_be_restored_elsewhere_and_reminds_of_the_key(filled: Any) -> None:
    """Backup, restore into another database, check that: with its key all is well, without it the key is wanted."""
    made = filled("database", "backup", "saved")
    assert (made.code, "Keep hromada.key too" in made.out) == (0, True)
    elsewhere = {"HROMADA_DATABASE_URL": "sqlite:///other.db"}
    restored = filled("database", "restore", "saved", "--json", env=elsewhere)
    assert (restored.code, restored.json["rows"]["item"], restored.json["revision"]) == (0, 2, migrations.HEAD)
    assert filled("database", "check", env=elsewhere).code == 0
    (filled.folder / "hromada.key").rename(filled.folder / "moved.key")
    again = filled("database", "restore", "saved", "--yes", env=elsewhere)
    assert f"put the one with the fingerprint {restored.json['key']} into hromada.key" in " ".join(again.out.split())
    checked = filled("database", "check", "--json", env=elsewhere)
    assert (checked.code, [one["rule"] for one in checked.json if one["wrong"]]) == (
        1,
        ["the key is that of the pseudonyms"],
    )


def test_nothing_is_replaced_without_yes(filled: Any) -> None:
    """Restoring over a database that holds something, and backing up over a file, both ask for --yes."""
    assert filled("database", "backup", "saved").code == 0
    for command in ("backup", "restore"):
        refused = filled("database", command, "saved")
        assert (refused.code, "--yes" in refused.err) == (2, True)
        assert filled("database", command, "saved", "--yes").code == 0


def test_an_upgrade_keeps_the_database_as_it_was(filled: Any, later_release: LaterRelease) -> None:
    """To a later schema, with a backup beside it that can be restored; then there is nothing to do."""
    later = filled.with_release(later_release.installed)
    checked = later("database", "check")
    assert (checked.code, "it is 0002: hromada database upgrade" in checked.out) == (1, True)
    upgraded = later("database", "upgrade", "--json")
    assert (upgraded.json["from"], upgraded.json["to"]) == ("0002", "0003")
    saved = Path(upgraded.json["backup"])
    assert saved.name.startswith("hromada.db.0002-")
    assert later("database", "check").code == 0
    assert later("database", "upgrade").out == "Up to date: 0003.\n"
    restored = later("database", "restore", saved, "--yes")
    assert (restored.code, "Its schema is 0002, and this hromada works with 0003" in restored.out) == (0, True)
    assert filled("status", "--json").json[0]["items"] == 2
    assert later("database", "upgrade", "--no-backup").out == "Upgraded: 0002 → 0003.\n"
    assert len(list(filled.folder.glob("hromada.db.0002-*.backup"))) == 1
    refused = filled("database", "upgrade")
    sentence = "The database has the schema 0003, of a newer hromada or of another program."
    remedy = "Upgrade hromada: this one works with 0002."
    assert (refused.code, refused.err) == (2, f"hromada: hromada.db: {sentence} {remedy}\n")


def test_a_backup_replaces_the_database_of_a_later_release(filled: Any, later_release: LaterRelease) -> None:
    """The way back after an upgrade: with --yes, and with a copy of what is replaced."""
    later = filled.with_release(later_release.installed)
    saved = Path(later("database", "upgrade", "--json").json["backup"])
    asked = filled("database", "restore", saved)
    assert (asked.code, "The database is not empty" in asked.err) == (2, True)
    restored = filled("database", "restore", saved, "--yes")
    assert restored.code == 0, restored.err
    assert filled("database", "check").code == 0
    assert filled("status", "--json").json[0]["items"] == 2
    assert len(list(filled.folder.glob("hromada.db.replaced-*.backup"))) == 1


def test_what_is_wrong_is_shown_and_the_exit_code_says_so(filled: Any) -> None:
    """A count that lies, a reference to nothing, a file that is none."""
    file = filled.folder / "hromada.db"
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE item SET n_live = 1")
        connection.execute("INSERT INTO cohort (annotator_id, name) VALUES (99, 'nobody')")
    connection.close()
    found = filled("database", "check", "--json")
    wrong = {one["rule"]: one["examples"] for one in found.json if one["wrong"]}
    assert (found.code, wrong) == (1, {"what rows refer to is there": ["cohort 1 to annotator"]})
    with sqlite3.connect(file) as connection:
        connection.execute("DELETE FROM cohort")
    connection.close()
    table = filled("database", "check")
    assert table.code == 1
    assert "item 1, item 2" in table.out
    file.write_text("no database at all, but long enough to be read as the head of one " * 9, "utf-8")
    broken = filled("database", "check")
    assert (broken.code, broken.err) == (
        2,
        "hromada: hromada.db: This file is not a database. Name another, or restore a backup.\n",
    )


@pytest.mark.parametrize("command", [("upgrade",), ("backup", "saved"), ("check",)])
def test_without_a_database_none_is_made(hromada: Any, command: tuple[str, ...]) -> None:
    """Only restoring makes one."""
    ran = hromada("database", *command)
    assert (ran.code, "There is no database yet" in ran.err) == (2, True)
    assert list(hromada.folder.iterdir()) == []


def test_all_of_it_on_postgresql(hromada: Any, postgresql_url: str) -> None:
    """Load, back up, load more, restore, check; the address and its password are not shown."""
    env = {"HROMADA_DATABASE_URL": postgresql_url}
    hromada.write("items.csv", "id,text\n1,one\n2,two\n")
    first = hromada.write("first.yaml", PROJECT)
    second = hromada.write("second.yaml", PROJECT.replace("project: words", "project: more"))
    run = partial(hromada, env=env)
    assert run("load", first).code == 0
    assert run("database", "backup", "saved").code == 0
    assert run("load", second).code == 0
    assert run("database", "restore", "saved").code == 2
    assert run("database", "restore", "saved", "--yes").code == 0
    assert [one["project"] for one in run("status", "--json").json] == ["words"]
    assert run("database", "upgrade", "--json").json == {"from": migrations.HEAD, "to": migrations.HEAD, "backup": None}
    assert run("database", "check").code == 0
    assert run("doctor").code == 0
    kept = (hromada.folder / "saved").read_bytes()
    with database.open_engine(postgresql_url) as engine, engine.begin() as connection:
        connection.exec_driver_sql("UPDATE item SET n_live = 1")
    damaged = run("database", "backup", "saved", "--yes")
    assert (damaged.code, "Broken rule: an item's counts" in damaged.err, "@" in damaged.err) == (2, True, True)
    assert (hromada.folder / "saved").read_bytes() == kept


def empty_index(file: Path) -> None:
    """Take the rows out of an index in the file itself, as a disk that lost a page would."""
    with sqlite3.connect(file) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE tbl_name = 'item' AND type = 'index'"
        ((page,), *_), ((size,),) = connection.execute(query).fetchall(), connection.execute("PRAGMA page_size")
    connection.close()
    with file.open("r+b") as raw:
        raw.seek((page - 1) * size + 3)  # the number of rows in the head of a page
        raw.write(bytes(2))


def change_rows(statement: str) -> Callable[[Path], None]:
    """Write what hromada would never write."""

    def change(file: Path) -> None:
        with sqlite3.connect(file) as connection:
            connection.execute(statement)
        connection.close()

    return change


DAMAGES = {
    "the file is whole": empty_index,
    "what rows refer to is there": change_rows("INSERT INTO cohort (annotator_id, name) VALUES (99, 'nobody')"),
    "an item's counts are those of its assignments": change_rows("UPDATE item SET n_live = 1"),
}
"""How a database is damaged so that a copy of it does not fail, by the rule that it breaks."""


@pytest.mark.parametrize("rule", DAMAGES)
def test_a_damaged_database_is_not_called_backed_up(filled: Any, rule: str) -> None:
    """Nor is the good backup of yesterday written over; nothing else is left in the folder."""
    assert filled("database", "backup", "saved").code == 0
    kept = {path.name: path.read_bytes() for path in filled.folder.glob("saved*")}
    DAMAGES[rule](filled.folder / "hromada.db")
    made = filled("database", "backup", "saved", "--yes")
    assert (made.code, made.out) == (2, "")
    said = "hromada: hromada.db: The database is damaged, so no backup was made. Broken rule: "
    assert made.err.startswith(f"{said}{rule} (")
    assert filled("database", "backup", "another").code == 2
    assert {path.name: path.read_bytes() for path in filled.folder.glob("saved*")} == kept
    assert [path.name for path in filled.folder.iterdir() if "another" in path.name or path.name[0] == "."] == []
    assert filled("database", "restore", "saved", "--yes").code == 0
    assert filled("database", "check").code == 0


@pytest.fixture
def forgetful(filled: Any) -> Any:
    """A folder with a backup of yesterday in which ann and bob are; ann was erased today, by her own wish."""
    with open_own(filled) as found:
        with found.transaction() as session:
            for number in (1, 2):
                registration.register_telegram_annotator(
                    session, telegram_id=number, language="en", key=b"k" * 32, now=NOW
                )
        backups.make_backup(found.engine, to=filled.folder / "saved", now=NOW)
        with found.transaction() as session:
            erasure.erase_annotator(session, annotator_id=1, now=NOW + timedelta(hours=1))
    return filled


def open_own(hromada: Any) -> AbstractContextManager[database.Database]:
    """The database of the folder."""
    return database.open_database(f"sqlite:///{hromada.folder / 'hromada.db'}")


def list_telegram_ids(hromada: Any) -> list[int | None]:
    """The Telegram ids of all annotators, None for who was erased."""
    with open_own(hromada) as found, found.reading() as view:
        return list(view.exec(select(Annotator.telegram_id).order_by(col(Annotator.id))))


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_restore_that_is_killed_revives_nobody(forgetful: Any, moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed before or after the erased are erased again: the database is as it was, and a second try goes well."""
    erase = erasure.erase_restored_annotators

    def erase_and_die(session: Session, *, now: datetime) -> int:
        if moment == "after":
            erase(session, now=now)
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    monkeypatch.setattr(erasure, "erase_restored_annotators", erase_and_die)
    ended = run_in_fork(lambda: int(forgetful("database", "restore", "saved", "--yes").code))
    monkeypatch.undo()
    assert ended == -signal.SIGKILL
    assert list_telegram_ids(forgetful) == [None, 2]
    assert forgetful("database", "check").code == 0
    restored = forgetful("database", "restore", "saved", "--yes")
    assert "Erased again: 1 annotators" in restored.out
    assert list_telegram_ids(forgetful) == [None, 2]


def revive(hromada: Any) -> None:
    """Leave what a restore of an earlier release left when it was killed."""
    with open_own(hromada) as found:
        backups.restore_backup(found.engine, file=hromada.folder / "saved", now=NOW, erase=lambda _session: 0, yes=True)
    assert list_telegram_ids(hromada) == [1, 2]


def test_who_was_revived_is_found(forgetful: Any) -> None:
    """By `database check` and `doctor`, with the remedy; `database upgrade` erases again."""
    revive(forgetful)
    checked = forgetful("database", "check", "--json")
    wrong = [(one["rule"], one["examples"]) for one in checked.json if one["wrong"]]
    remedy = "annotator 1: hromada database upgrade erases them again"
    assert (checked.code, wrong) == (1, [("who was erased or detached is not back", [remedy])])
    seen = forgetful("doctor")
    assert (seen.code, "1 annotator who was erased is back" in " ".join(seen.out.split())) == (1, True)
    assert forgetful("database", "upgrade").code == 0
    assert list_telegram_ids(forgetful) == [None, 2]
    assert (forgetful("database", "check").code, forgetful("doctor").code) == (0, 0)


def test_a_bot_erases_again_who_was_revived(forgetful: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each start, before it speaks to anybody."""
    monkeypatch.setattr(application, "run_application", lambda *_arguments, **_options: None)
    token = {"HROMADA_TELEGRAM_TOKEN": "12345:secret"}
    revive(forgetful)
    started = forgetful("bot", env=token)
    assert (started.code, "Erased again: 1 annotators" in started.out) == (0, True)
    assert list_telegram_ids(forgetful) == [None, 2]
    assert "Erased again" not in forgetful("bot", env=token).out
