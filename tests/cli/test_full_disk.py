"""Commands on a disk that is full or read-only: told in these words, and nothing is left half."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from _command import Hromada
from sqlalchemy import event

from bot import cli

LIBC = ctypes.CDLL(None, use_errno=True)
READ_ONLY, REMOUNT, DETACH = 1, 32, 2
"""MS_RDONLY, MS_REMOUNT and MNT_DETACH of mount(2)."""
PROJECT = """\
project: words
title: Words
language: en
instructions: Choose.
question: {type: choice, text: "Which?", options: [a, b]}
items: {file: items.csv, id: id, show: text}
overlap: 2
"""
MANY = "id,text\n" + "".join(f"{number},{'long ' * 200}\n" for number in range(300))
FULL = "The disk of the database is full. Make room on it, and on that of temporary files; then try again."
VOTES = "votes: {format: csv, file: votes.csv, item: id, annotator: who, answer: says}\n"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """The folder of a disk of 4 MB, which only root can make."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if LIBC.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, b"size=4m") != 0:
        pytest.skip("a disk to fill needs the rights to mount one")
    yield folder
    LIBC.umount2(os.fsencode(folder), DETACH)


@pytest.fixture
def loaded(small_disk: Path) -> Hromada:
    """The command in that folder, with a project whose votes can be imported."""
    hromada = Hromada(small_disk)
    hromada.write("items.csv", "id,text\n1,one\n2,two\n")
    hromada.write("votes.csv", "id,who,says\n1,ann,a\n2,ann,b\n")
    hromada.write("many.csv", MANY)
    hromada.write("more.yaml", PROJECT.replace("words", "more").replace("items.csv", "many.csv"))
    loading = hromada("load", hromada.write("project.yaml", PROJECT + VOTES))
    assert loading.code == 0, loading.err
    return hromada


def fill(folder: Path) -> None:
    """Leave not a byte."""
    with suppress(OSError), (folder / "filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(bytes(4096))


def remount(folder: Path, *, read_only: bool) -> None:
    """Make the disk read-only, or writable again."""
    flags = REMOUNT | (READ_ONLY if read_only else 0)
    assert LIBC.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", flags, b"size=4m") == 0


COMMANDS = {
    "load more.yaml": "hromada.db: The disk of the database is {state}.",
    "status": "hromada.db: The disk of the database is {state}.",
    "import project.yaml": "hromada.db: The disk of the database is {state}.",
    "database backup saved": "hromada.db: The disk of the database is {state}.",
    "new mine --template baseline": "mine: The disk is {state}.",
    "demo --to played": "played: The disk is {state}.",
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("state", ["full", "read-only"])
def test_no_command_looks_for_a_server(loaded: Hromada, command: str, state: str) -> None:
    """Each says what the disk is; then all is as before, and the same command goes well."""
    if state == "full":
        fill(loaded.folder)
    else:
        remount(loaded.folder, read_only=True)
    ran = loaded(*command.split())
    if state == "full":
        (loaded.folder / "filler").unlink()
    else:
        remount(loaded.folder, read_only=False)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"hromada: {COMMANDS[command].format(state=state)}")
    assert len(ran.err.splitlines()) == 1
    assert loaded("database", "check").code == 0
    if not command.startswith("demo"):  # it takes a minute
        again = loaded(*command.split())
        assert again.code == 0, again.err


def test_a_backup_names_the_disk_that_is_full(loaded: Hromada, tmp_path: Path) -> None:
    """Not that of the database; and leaves nothing on it."""
    elsewhere = Hromada(tmp_path)
    for name in ("project.yaml", "items.csv"):
        elsewhere.write(name, (loaded.folder / name).read_bytes())
    assert elsewhere("load", "project.yaml").code == 0
    fill(loaded.folder)
    made = elsewhere("database", "backup", loaded.folder / "saved")
    says = f"hromada: {loaded.folder / 'saved'}: The disk is full. Make room on it, then try again.\n"
    assert (made.code, made.err) == (2, says)
    assert [path.name for path in loaded.folder.iterdir() if "saved" in path.name] == []


def test_a_database_that_cannot_grow_is_full(hromada: Hromada) -> None:
    """By a limit of SQLite's own, which it reports as a full disk: nothing of the campaign is stored."""
    hromada.write("items.csv", "id,text\n1,one\n2,two\n")
    hromada.write("many.csv", MANY)
    more = hromada.write("more.yaml", PROJECT.replace("words", "more").replace("items.csv", "many.csv"))
    assert hromada("load", hromada.write("project.yaml", PROJECT)).code == 0

    def limit(connection: Any, _record: object) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # no more pages than there are

    event.listen(sa.Engine, "connect", limit)
    try:
        ran = hromada("load", more)
    finally:
        event.remove(sa.Engine, "connect", limit)
    assert (ran.code, ran.out, ran.err) == (2, "", f"hromada: hromada.db: {FULL}\n")
    assert [one["project"] for one in hromada("status", "--json").json] == ["words"]
    assert hromada("load", more).code == 0


def test_a_key_is_written_whole_or_not_at_all(small_disk: Path, hromada: Hromada) -> None:
    """Half a key would be taken for the key of the pseudonyms from then on."""
    hromada.write("items.csv", "id,text\n1,one\n2,two\n")
    hromada.write("votes.csv", "id,who,says\n1,ann,a\n2,ann,b\n")
    assert hromada("load", hromada.write("project.yaml", PROJECT + VOTES)).code == 0
    key = {"HROMADA_KEY_FILE": str(small_disk / "own.key")}
    fill(small_disk)
    ran = hromada("import", "project.yaml", env=key)
    says = f"hromada: {small_disk / 'own.key'}, HROMADA_KEY_FILE: The disk is full. Make room on it, then try again.\n"
    assert (ran.code, ran.err) == (2, says)
    (small_disk / "filler").unlink()
    assert hromada("import", "project.yaml", env=key).code == 0


def test_output_that_finds_no_room_is_no_success(
    hromada: Hromada, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`hromada … > file` on a full disk: the exit code says that the file is not whole."""
    monkeypatch.chdir(hromada.folder)
    monkeypatch.setattr(sys, "argv", ["hromada", "new", "--list"])
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as ended:
            cli.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == "hromada: The disk is full. Make room on it, then try again.\n"
