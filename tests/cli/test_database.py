"""`hromada database`, as a person runs it."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from annotation.store import database, migrations, pseudonyms

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


def test_an_upgrade_keeps_the_database_as_it_was(filled: Any) -> None:
    """From an older form to the newest, with a backup beside it that can be restored; then there is nothing to do."""
    url = f"sqlite:///{filled.folder / 'hromada.db'}"
    with database.open_engine(url) as engine:
        migrations.downgrade_schema(engine, "0002")
    assert filled("database", "check").code == 1
    upgraded = filled("database", "upgrade", "--json")
    assert (upgraded.json["from"], upgraded.json["to"]) == ("0002", migrations.HEAD)
    saved = Path(upgraded.json["backup"])
    assert saved.name.startswith("hromada.db.0002-")
    assert filled("database", "check").code == 0
    assert filled("database", "upgrade").out == f"Up to date: {migrations.HEAD}.\n"
    assert filled("database", "restore", saved, "--yes").code == 0
    assert filled("database", "upgrade", "--no-backup").out == f"Upgraded: 0002 → {migrations.HEAD}.\n"
    assert len(list(filled.folder.glob("*.backup"))) == 1


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
