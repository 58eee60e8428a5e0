"""Backups by a timer, encrypted ones, restore drills, and what a restore replaces, as a person runs them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from annotation.errors import BadInput
from annotation.settings import read_file_settings
from annotation.store import database, invariants, models, processes
from annotation.store.backups import drill, encryption, manifest, schedule
from bot.commands import scheduled_backups

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
PROJECT = """\
project: words
title: Words
language: en
question: {type: choice, text: "Which?", options: [a, b]}
items: {file: items.csv, id: id, show: text}
overlap: 2
votes: {format: csv, file: votes.csv, item: id, annotator: who, answer: says}
"""
VOTE = "id,who,says\n1,ann,a\n"


@pytest.fixture(params=["sqlite", "postgresql"])
def loaded(request: pytest.FixtureRequest, hromada: Any) -> Any:
    """The command with a project and one vote in its database, of either kind."""
    address = request.getfixturevalue(f"{request.param}_url")
    hromada.write("items.csv", "id,text\n1,one\n2,two\n")
    hromada.write("votes.csv", VOTE)
    own = partial(hromada, env={"HROMADA_DATABASE_URL": address})
    assert own("load", hromada.write("project.yaml", PROJECT)).code == 0
    assert own("import", "words").code == 0
    own.folder, own.address = hromada.folder, address  # type: ignore[attr-defined]
    return own


@pytest.fixture
def keys(tmp_path: Path) -> tuple[str, Path, Path]:
    """A public key, the file of its secret key, and that of another one."""
    if shutil.which("age-keygen") is None:
        pytest.skip("age is not installed")
    files = (tmp_path / "identity.txt", tmp_path / "other.txt")
    for file in files:
        subprocess.run(["age-keygen", "-o", file], check=True, capture_output=True)
    shown = subprocess.run(["age-keygen", "-y", files[0]], check=True, capture_output=True, text=True)
    return shown.stdout.strip(), *files


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """The time of this machine, which a test sets."""
    read = [NOW]
    monkeypatch.setattr(processes, "get_machine_time", lambda: read[0])
    return read


def test_a_timer_that_fires_daily_keeps_the_newest(loaded: Any, clock: list[datetime], tmp_path: Path) -> None:
    """None twice a day, one a day even if the timer is early; two are kept, and all that is not surely ours."""
    run = partial(loaded, "database", "backup", "nightly", "--every", "day", "--keep", "2", "--json")
    first = run().json
    made = Path(first["file"])
    folder = tmp_path / "nightly"
    stem = made.name.partition("-2026")[0]
    foreign = [f"{stem}-20200101T000000Z.backup", "photo.json", f"{stem}-20200102T000000Z.txt", "other.backup"]
    for name in foreign:
        (folder / name).write_text("mine", "utf-8")
    stranger = folder / f"{stem}-20200103T000000Z.backup"  # of another installation: it has another key
    shutil.copy(tmp_path / made, stranger)
    theirs = json.loads((tmp_path / f"{made}.json").read_text("utf-8"))
    Path(f"{stranger}.json").write_text(json.dumps({**theirs, "key": "f" * 16, "made_at": "2020-01-03T00:00:00+00:00"}))
    clock[0] += timedelta(hours=5)
    again = run().json
    assert (again["file"], again["next_due"]) == (None, "2026-11-22T12:00:00+00:00")
    for hours in (22.5, 46, 70):
        clock[0] = NOW + timedelta(hours=hours)
        last = run().json
    assert last["deleted"] == [f"nightly/{stem}-20261122T103000Z.backup"]
    times = ("20261123T100000Z", "20261124T100000Z")
    ours = {f"{stem}-{made_at}.backup" for made_at in times}
    assert {path.name for path in folder.iterdir()} == {
        *ours, *(f"{name}.json" for name in ours), *foreign, stranger.name, f"{stranger.name}.json"
    }  # fmt: skip
    drilled = loaded("database", "drill", "--json", env={"HROMADA_BACKUP_FOLDER": "nightly", **url(loaded)})
    found = {name: drilled.json[name] for name in ("age_seconds", "answers", "annotators", "sound", "encrypted")}
    assert (drilled.code, found) == (
        0, {"age_seconds": 0, "answers": 1, "annotators": 1, "sound": True, "encrypted": False}
    )  # fmt: skip


def url(own: Any) -> dict[str, str]:
    """The setting of the database."""
    return {"HROMADA_DATABASE_URL": own.address}


def write_backup(folder: Path, day: int) -> schedule.StoredBackup:
    """A backup of that day of November, as far as rotation looks at it."""
    file = folder / f"test-202611{day:02}T120000Z.backup"
    file.write_text(f"{day}", "utf-8")
    contents = manifest.DatabaseContents(revision="0001", rows={}, key=None)
    built = manifest.build_manifest(file, contents, kind="sqlite", now=NOW.replace(day=day))
    manifest.get_manifest_path(file).write_text(built.text, "utf-8")
    return schedule.StoredBackup(file, built)


@pytest.mark.parametrize(
    ("days", "broken", "keep", "left"),
    [
        ((17, 18, 19, 20, 21), (), 3, {19, 20, 21}),
        ((17, 18, 19, 20, 21), (19, 20), 2, {18, 19, 20, 21}),
        ((18, 19, 20, 21), (19, 20), 3, {18, 19, 20, 21}),
        ((17, 18, 21, 25), (), 2, {18, 21}),  # made while the clock was four days fast
        ((21,), (), 1, {21}),
        ((20, 21, 28, 29), (), 1, {21}),
    ],
)
def test_what_is_damaged_does_not_count_as_kept(
    tmp_path: Path, days: tuple[int, ...], broken: tuple[int, ...], keep: int, left: set[int]
) -> None:
    """So the last whole backup stays; what was just made on the 21st always does."""
    stored = [write_backup(tmp_path, day) for day in days]
    for backup in stored:
        if int(backup.file.name[11:13]) in broken:
            backup.file.write_text("?", "utf-8")
    new = next(backup.file for backup in stored if "20261121" in backup.file.name)
    done = schedule.delete_old_backups(stored, keep=keep, new=new, now=NOW)
    assert {int(file.name[11:13]) for file in tmp_path.glob("*.backup")} == left
    assert len(list(tmp_path.glob("*.json"))) == len(left)
    assert {int(file.name[11:13]) for file in done.damaged} == set(broken)


def test_an_interval_is_a_word_or_a_length() -> None:
    """Anything else is told how to write it."""
    read = [scheduled_backups.parse_interval(written) for written in ("hour", "day", "week", "6 h", "90")]
    assert read == [DAY / 24, DAY, DAY * 7, DAY / 4, timedelta(seconds=90)]
    for wrong in ("daily", "10 s", "0", "", "-1 d"):
        with pytest.raises(BadInput, match="Write hour, day, week"):
            scheduled_backups.parse_interval(wrong)


def test_it_stays_until_it_is_stopped(loaded: Any, clock: list[datetime], monkeypatch: pytest.MonkeyPatch) -> None:
    """One a day; a failure is printed and tried again after five minutes; SIGTERM ends it with code 0."""
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        clock[0] += timedelta(seconds=seconds)
        waited.append(seconds)
        folder = Path("nightly")
        if len(waited) == 25:
            folder.rename("away")
            folder.write_text("no folder", "utf-8")
        elif len(waited) == 49:
            assert waited[-1] == scheduled_backups.RETRY_SECONDS
            folder.unlink()
            Path("away").rename(folder)
        elif len(waited) == 80:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(time, "sleep", sleep)
    ran = loaded("database", "backup", "nightly", "--every", "day", "--watch")
    made = sorted(path.name.rpartition("-")[2] for path in loaded.folder.glob("nightly/*.backup"))
    assert (ran.code, len(made), made[:2]) == (0, 3, ["20261121T120000Z.backup", "20261122T120000Z.backup"])
    assert (ran.out.count("Backed up into"), ran.err.count("hromada: nightly")) == (3, 1)


def test_an_encrypted_backup_is_opened_by_its_identity_alone(
    loaded: Any, keys: tuple[str, Path, Path], tmp_path: Path
) -> None:
    """Neither the file nor anything left beside it can be read without; it restores and drills with it."""
    public_key, identity, other = keys
    assert loaded("database", "backup", "sealed/one", "--to-key", public_key).code == 0
    assert {path.name for path in (tmp_path / "sealed").iterdir()} == {"one", "one.json"}
    assert (tmp_path / "sealed/one").read_bytes().startswith(encryption.BEGINNING)
    assert list(tmp_path.glob(".hromada*")) == []
    for more, says in ((), "Add --identity FILE"), (("--identity", other), "does not open"):
        for command in ("restore", "drill"):
            refused = loaded("database", command, "sealed/one", *more)
            assert (refused.code, says in refused.err) == (2, True)
    drilled = loaded("database", "drill", "sealed/one", "--identity", identity, "--json")
    assert (drilled.code, drilled.json["encrypted"], drilled.json["answers"]) == (0, True, 1)
    assert loaded("database", "restore", "sealed/one", "--identity", identity, "--yes").code == 0
    assert loaded("database", "check").code == 0
    assert list(tmp_path.glob(".hromada*")) == []
    secret = identity.read_text("utf-8").splitlines()[-1]
    refused = loaded("database", "backup", "two", "--to-key", secret)
    assert (refused.code, "This is a secret key" in refused.err, secret in refused.err) == (2, True, False)
    assert loaded("database", "backup", "two", "--to-key", "age1nonsense").code == 2
    assert not (tmp_path / "two").exists()


def test_without_age_it_is_said_how_to_get_it(loaded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No backup is made in its place without encryption."""
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    refused = loaded("database", "backup", "one", "--to-key", "age1x")
    assert (refused.code, "apt-get install age" in refused.err) == (2, True)
    assert list(loaded.folder.glob("one*")) == []


def test_a_folder_that_a_killed_process_left_is_deleted(tmp_path: Path) -> None:
    """A day later; a younger one may be at work, and other folders are not ours."""
    old, young, foreign = (tmp_path / name for name in (f"{encryption.PREFIX}a", f"{encryption.PREFIX}b", "c"))
    for folder in (old, young, foreign):
        folder.mkdir()
        (folder / "backup").write_text("plain", "utf-8")
    for folder in (old, foreign):
        os.utime(folder, (0, 0))
    with encryption.make_private_folder(tmp_path):
        assert {path for path in (old, young, foreign) if path.exists()} == {young, foreign}


def test_what_a_restore_replaces_is_kept(loaded: Any) -> None:
    """With the number of answers newer than the backup; the copy restores; --no-copy keeps none."""
    set_times(loaded.address, [NOW])
    assert loaded("database", "backup", "one").code == 0
    (loaded.folder / "votes.csv").write_text(f"{VOTE}1,bob,b\n2,bob,b\n")
    assert loaded("import", "words").code == 0
    set_times(loaded.address, [NOW, NOW + timedelta(seconds=1), NOW + DAY])
    restored = loaded("database", "restore", "one", "--yes", "--json").json
    assert (restored["newer_answers"], restored["rows"]["judgement"]) == (2, 1)
    back = loaded("database", "restore", restored["replaced"], "--yes", "--no-copy", "--json").json
    assert (back["newer_answers"], back["replaced"], back["rows"]["judgement"]) == (0, None, 3)
    assert "2 answers newer than this backup" in loaded("database", "restore", "one", "--yes").out
    assert len(list(loaded.folder.glob("*.replaced-*.backup"))) == 2


def set_times(address: str, times: Sequence[datetime]) -> None:
    """Give the answers in the database times, as people's have; imported ones have none."""
    with database.open_engine(address) as engine, engine.begin() as connection:
        for number, answered_at in enumerate(times, start=1):
            update = sa.update(models.Judgement).where(col(models.Judgement.id) == number)
            connection.execute(update.values(answered_at=answered_at))


@pytest.mark.parametrize("loaded", ["sqlite"], indirect=True)
def test_a_damaged_database_is_kept_as_it_is(loaded: Any) -> None:
    """Without a manifest: it is no backup, but nothing of it is lost."""
    assert loaded("database", "backup", "one").code == 0
    with sqlite3.connect(loaded.folder / "test.db") as connection:
        connection.execute("UPDATE item SET n_live = 7")
    connection.close()
    restored = loaded("database", "restore", "one", "--yes", "--json")
    assert restored.code == 0, restored.err
    with sqlite3.connect(restored.json["replaced"]) as kept:
        assert kept.execute("SELECT n_live FROM item").fetchall() == [(7,), (7,)]
    kept.close()
    assert not Path(restored.json["replaced"] + ".json").exists()
    assert loaded("database", "check").code == 0


def test_a_drill_finds_what_is_wrong_inside(loaded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 1 and the rule, if rows break one; 2 if the file is not the one that was written."""
    monkeypatch.setattr(invariants, "refuse_damage", lambda *_arguments, **_options: None)
    monkeypatch.setattr(drill, "PREFIX", "inside_a_drill_")  # other tests drill on the same server
    engine = database.create_engine(loaded.address)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE item SET n_live = 1"))
    engine.dispose()
    assert loaded("database", "backup", "bad").code == 0
    drilled = loaded("database", "drill", "bad")
    assert (drilled.code, "Wrong: an item's counts" in drilled.out) == (1, True)
    with (loaded.folder / "bad").open("ab") as file:
        file.write(b"more")
    assert loaded("database", "drill", "bad").code == 2
    assert list_drills(loaded.address) == []


def list_drills(address: str) -> list[str]:
    """Throw-away databases on the server."""
    if address.startswith("sqlite"):
        return []
    with database.open_engine(address) as engine, engine.connect() as connection:
        names = connection.exec_driver_sql("SELECT datname FROM pg_database").scalars()
        return [name for name in names if name.startswith(drill.PREFIX)]


def test_a_drill_without_the_right_to_make_databases(postgresql_url: str, hromada: Any) -> None:
    """The refusal names the statement that gives it."""
    own = partial(hromada, env={"HROMADA_DATABASE_URL": postgresql_url})
    hromada.write("items.csv", "id,text\n1,one\n")
    assert own("load", hromada.write("project.yaml", PROJECT.rpartition("votes:")[0])).code == 0
    assert own("database", "backup", "one").code == 0
    with database.open_engine(postgresql_url) as engine, engine.begin() as connection:
        connection.exec_driver_sql("CREATE ROLE drill_tester LOGIN")
    try:
        theirs = sa.make_url(postgresql_url).set(username="drill_tester").render_as_string(hide_password=False)
        refused = hromada("database", "drill", "one", env={"HROMADA_DATABASE_URL": theirs})
        assert (refused.code, "ALTER ROLE drill_tester CREATEDB" in refused.err) == (2, True)
    finally:
        with database.open_engine(postgresql_url) as engine, engine.begin() as connection:
            connection.exec_driver_sql("DROP ROLE drill_tester")


def test_options_that_need_others_say_so(hromada: Any) -> None:
    """And the folder of backups is a setting."""
    for words, says in (
        ((), "Name one"), (("--watch",), "Add --every day"), (("--every", "day", "--yes"), "cannot be combined"),
        (("--every", "day", "--watch", "--json"), "cannot be combined"),
    ):  # fmt: skip
        refused = hromada("database", "backup", *words)
        assert (refused.code, says in refused.err) == (2, True)
    assert read_file_settings().backup_folder == Path("backups")
    assert "Make one" in hromada("database", "drill").err
