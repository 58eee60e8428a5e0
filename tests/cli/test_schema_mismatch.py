"""A database whose schema is older than the program: every command refuses it, and only one upgrades it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer

from bot import cli

if TYPE_CHECKING:
    from _command import Hromada

    from tests.conftest import LaterRelease

PROJECT = """\
project: words
title: Words
language: en
instructions: Choose.
question: {type: choice, text: "Which?", options: [a, b]}
items: {file: items.csv, id: id, show: text}
overlap: 2
"""
OTHER = PROJECT.replace("project: words", "project: others")
SENTENCE = (
    "hromada: hromada.db: The database has the schema 0002, and this hromada works with 0003. "
    "Run `hromada database upgrade`; on SQLite it makes a backup first.\n"
)
REFUSING: Mapping[str, str] = {
    "load": "other.yaml",
    "allocate-groups": "words --people 3",
    "follow-up": "next --from words",
    "start": "words",
    "pause": "words",
    "extend": "words",
    "close": "words",
    "reopen": "words",
    "status": "",
    "bot": "",
    "dashboard": "",
    "import": "words votes.csv",
    "invite": "words",
    "aggregate": "words",
    "agreement": "words",
    "baseline": "words",
    "review": "words --as ann",
    "adjudicate": "words --as ann",
    "compare": "words items.csv",
    "plan": "words",
    "sensitivity": "words",
    "export": "--to export",
    "build": "words benchmark",
    "rank": "words",
    "release": "words released",
    "label-studio doctor": "",
    "label-studio adopt": "http://127.0.0.1:1/projects/1",
    "label-studio status": "",
    "label-studio remind": "words",
    "label-studio link": "1",
    "label-studio push": "words --person somebody",
    "label-studio move-items": "words --reported",
    "label-studio pull": "",
    "label-studio watch": "",
    "label-studio open": "words --person somebody --print",
    "people list": "words",
    "people suspend": "somebody --reason why",
    "people unsuspend": "somebody",
    "people readmit": "somebody --project words",
    "people release": "somebody --project words",
    "people team-member": "somebody",
    "people cohort": "somebody friends",
    "people add-reviewer": "ann",
    "people agree": "somebody --project words --how paper",
    "people pay": "somebody 1 --project words",
    "people withdraw": "somebody --project words",
    "people forget": "somebody --yes",
    "people detach": "words --yes",
    "people data": "somebody",
    "delivery list": "",
    "delivery retry": "--all",
    "delivery drop": "--all",
    "messages list": "",
    "messages answer": "1 text",
    "messages send": "text --yes",
    "messages waiting": "",
    "messages cancel": "1 --yes",
    "messages reports": "",
    "messages dismiss": "words 1",
}
"""Every command that opens the database, with arguments that are no reason to refuse."""
ELSEWHERE = {"demo", "new", "check", "try", "simulate", "results", "label-studio up", "texts new", "texts check"} | {
    f"votes {name}" for name in ("majority", "dawid-skene", "one-coin", "agreement", "annotators")
}
"""Commands that do not open the database of the settings."""
CARE = {"doctor", "database upgrade", "database backup", "database restore", "database check", "database drill"}
"""Commands that are there for a database that other commands refuse; each has tests of its own."""


def list_commands(group: Any, *path: str) -> Iterator[str]:
    """The names of all commands, with those of their groups."""
    with typer.Context(group) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if hasattr(command, "commands"):
                yield from list_commands(command, *path, name)
            else:
                yield " ".join([*path, name])


@pytest.fixture
def loaded(hromada: Hromada) -> Hromada:
    """A folder with a project in its database, made by this release, and another project's file."""
    hromada.write("items.csv", "id,text\n1,one\n2,two\n")
    hromada.write("votes.csv", "item,annotator,answer\n1,ann,a\n")
    hromada.write("other.yaml", OTHER)
    assert hromada("load", hromada.write("project.yaml", PROJECT)).code == 0
    return hromada


def read_files(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_no_command_is_forgotten_here() -> None:
    """A new command has to say in which of the three groups it is."""
    assert {*REFUSING, *ELSEWHERE, *CARE} == set(list_commands(cli.app))


def test_every_command_refuses_an_older_database(
    loaded: Hromada, later_release: LaterRelease, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the exit code 2 and the command to run; in the folder no byte is another afterwards."""
    before = read_files(loaded.folder)
    monkeypatch.chdir(loaded.folder)
    monkeypatch.setenv("HROMADA_TELEGRAM_TOKEN", "123:token")
    monkeypatch.setenv("HROMADA_LABEL_STUDIO_TOKEN", "f" * 40)
    said: dict[str, tuple[object, str]] = {}
    with later_release.installed():
        for name, arguments in REFUSING.items():
            monkeypatch.setattr(sys, "argv", ["hromada", *name.split(), *arguments.split()])
            with pytest.raises(SystemExit) as ended:
                cli.main()
            said[name] = (ended.value.code, capsys.readouterr().err)
    assert said == dict.fromkeys(REFUSING, (2, SENTENCE))
    assert read_files(loaded.folder) == before


def test_the_later_release_refuses_and_upgrades(loaded: Hromada, later_release: LaterRelease) -> None:
    """Refused by a command, named by the doctor; upgraded once, both are content; a new database needs no step."""
    later = loaded.with_release(later_release.installed)
    refused = later("status")
    assert (refused.code, refused.out, refused.err) == (2, "", SENTENCE)
    told = later("doctor")
    assert (told.code, "Run `hromada database upgrade`" in " ".join(told.out.split())) == (1, True)
    assert later("database", "upgrade").code == 0
    assert later("status", "--json").json[0]["items"] == 2
    assert later("doctor").code == 0
    fresh = {"HROMADA_DATABASE_URL": "sqlite:///fresh.db"}
    assert later("load", "other.yaml", env=fresh).code == 0
    assert later("database", "check", env=fresh).code == 0


def test_on_postgresql_too(hromada: Hromada, later_release: LaterRelease, postgresql_url: str) -> None:
    """A command refuses, the upgrade makes no backup, and a backup can be made before."""
    env = {"HROMADA_DATABASE_URL": postgresql_url}
    hromada.write("items.csv", "id,text\n1,one\n2,two\n")
    later = hromada.with_release(later_release.installed)
    assert hromada("load", hromada.write("project.yaml", PROJECT), env=env).code == 0
    refused = later("start", "words", env=env)
    assert (refused.code, "Run `hromada database upgrade`" in refused.err) == (2, True)
    assert later("database", "backup", "saved", "--json", env=env).json["revision"] == "0002"
    assert later("database", "upgrade", "--json", env=env).json == {"from": "0002", "to": "0003", "backup": None}
    assert later("start", "words", env=env).code == 0
    assert later("database", "check", env=env).code == 0
    assert "newer hromada" in hromada("status", env=env).err


@pytest.mark.process
def test_a_status_that_is_watched_ends_with_the_sentence(loaded: Hromada, later_release: LaterRelease) -> None:
    """The database is upgraded under it; the next screen is none."""
    env = {"PATH": os.environ["PATH"], "COLUMNS": "160", "FORCE_COLOR": "1"}
    command = [str(loaded.command), "status", "--watch"]
    with subprocess.Popen(
        command, cwd=loaded.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as watching:
        assert watching.stdout is not None
        try:
            while b"words" not in (read := os.read(watching.stdout.fileno(), 10_000)):
                assert read
            assert loaded.with_release(later_release.installed)("database", "upgrade").code == 0
            _, said = watching.communicate(timeout=30)
        finally:
            watching.send_signal(signal.SIGKILL)
    assert watching.returncode == 2
    assert b"The database has the schema 0003, of a newer hromada" in said
