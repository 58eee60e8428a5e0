"""Backups: one moment of a database in use, and back again whole or not at all."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from annotation.errors import BadInput, Conflict, HromadaError, SchemaMismatch, Unavailable
from annotation.store import backups, database, journal, migrations
from annotation.store.backups import manifest
from annotation.vocabulary import Event

if TYPE_CHECKING:
    from tests.conftest import LaterRelease

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def write(db: database.Database, number: int) -> None:
    """An event and an annotator, in one transaction."""
    with db.transaction() as session:
        journal.record_event(session, Event.KEY_MADE, now=NOW, data={"fingerprint": "f" * 16, "number": number})
        session.connection().execute(
            sa.text("INSERT INTO annotator (pseudonym, simulated, created_at) VALUES (:name, false, :now)"),
            {"name": f"a{number}", "now": NOW.isoformat(sep=" ")},
        )


def erase_nobody(_session: Session) -> int:
    """Nobody was erased."""
    return 0


def list_pseudonyms(db: database.Database) -> list[str]:
    """The pseudonyms in the database."""
    with db.engine.connect() as connection:
        return sorted(connection.exec_driver_sql("SELECT pseudonym FROM annotator").scalars())


def test_a_backup_comes_back_as_it_was(db: database.Database, tmp_path: Path) -> None:
    """What was written since is gone, what was there is there; the manifest says how much, and of which key."""
    write(db, 1)
    made = backups.make_backup(db.engine, to=tmp_path / "one.backup", now=NOW)
    assert (made.rows["annotator"], made.rows["journal"], made.revision) == (1, 1, migrations.HEAD)
    assert (made.key, made.made_at, made.kind) == ("f" * 16, "2026-11-21T12:00:00+00:00", db.engine.dialect.name)
    assert manifest.read_manifest(tmp_path / "one.backup") == made
    assert stat.S_IMODE((tmp_path / "one.backup").stat().st_mode) == 0o600
    write(db, 2)
    with pytest.raises(Conflict, match="not empty"):
        backups.restore_backup(db.engine, file=tmp_path / "one.backup", now=NOW, erase=erase_nobody)
    assert list_pseudonyms(db) == ["a1", "a2"]
    assert (
        backups.restore_backup(db.engine, file=tmp_path / "one.backup", now=NOW, erase=erase_nobody, yes=True).manifest
        == made
    )
    assert list_pseudonyms(db) == ["a1"]
    write(db, 3)
    assert list_pseudonyms(db) == ["a1", "a3"]
    assert sorted(path.name for path in tmp_path.glob("*one*")) == ["one.backup", "one.backup.json"]


def test_a_backup_of_an_older_schema_takes_the_place_of_a_newer_one(
    db: database.Database, url: str, tmp_path: Path, later_release: LaterRelease
) -> None:
    """An older database can be backed up; restored, it is as it was, without newer tables, and can be upgraded."""
    write(db, 1)
    with later_release.installed():
        made = backups.make_backup(db.engine, to=tmp_path / "old.backup", now=NOW)
        assert (made.revision, made.rows["annotator"], "note" in made.rows) == ("0002", 1, False)
        migrations.upgrade_schema(db.engine)
        write(db, 2)
        backups.restore_backup(db.engine, file=tmp_path / "old.backup", now=NOW, erase=erase_nobody, yes=True)
        assert "note" not in sa.inspect(db.engine).get_table_names()
        with pytest.raises(SchemaMismatch, match="hromada database upgrade"), database.open_database(url):
            pass
        migrations.upgrade_schema(db.engine)
        assert list_pseudonyms(db) == ["a1"]


def test_what_a_newer_release_made_gives_way_only_to_an_older_backup(
    db: database.Database, tmp_path: Path, later_release: LaterRelease
) -> None:
    """Its tables are not known here: it is not backed up, and its backup is not restored; but it can be replaced."""
    write(db, 1)
    older = tmp_path / "old.backup"
    backups.make_backup(db.engine, to=older, now=NOW)
    with later_release.installed():
        migrations.upgrade_schema(db.engine)
        backups.make_backup(db.engine, to=tmp_path / "new.backup", now=NOW)
    with pytest.raises(SchemaMismatch, match="newer hromada"):
        backups.make_backup(db.engine, to=tmp_path / "again.backup", now=NOW)
    with pytest.raises(BadInput, match="newer hromada"):
        backups.restore_backup(db.engine, file=tmp_path / "new.backup", now=NOW, erase=erase_nobody, yes=True)
    with pytest.raises(Conflict, match="not empty"):
        backups.restore_backup(db.engine, file=older, now=NOW, erase=erase_nobody)
    assert "note" in sa.inspect(db.engine).get_table_names()
    backups.restore_backup(db.engine, file=older, now=NOW, erase=erase_nobody, yes=True)
    assert list_pseudonyms(db) == ["a1"]
    assert "note" not in sa.inspect(db.engine).get_table_names()


def test_a_backup_is_one_moment_while_others_write(db: database.Database, url: str, tmp_path: Path) -> None:
    """Every transaction writes an event and an annotator: in each backup there are as many of one as of the other."""
    ended = threading.Event()

    def work() -> None:
        number = 0
        with database.open_database(url) as mine:
            while not ended.is_set():
                number += 1
                write(mine, number)

    write(db, 0)
    worker = threading.Thread(target=work)
    worker.start()
    try:
        found = [backups.make_backup(db.engine, to=tmp_path / f"{n}.backup", now=NOW) for n in range(4)]
    finally:
        ended.set()
        worker.join()
    assert all(one.rows["annotator"] == one.rows["journal"] for one in found)
    backups.restore_backup(db.engine, file=tmp_path / "3.backup", now=NOW, erase=erase_nobody, yes=True)
    assert len(list_pseudonyms(db)) == found[3].rows["annotator"]


def test_what_is_not_the_backup_is_refused_and_changes_nothing(db: database.Database, tmp_path: Path) -> None:
    """Cut short, without its manifest, with another's, of the other kind, of a newer hromada."""
    write(db, 1)
    good = tmp_path / "good.backup"
    made = backups.make_backup(db.engine, to=good, now=NOW)
    text = manifest.get_manifest_path(good).read_text("utf-8")
    other = "sqlite" if made.kind == "postgresql" else "postgresql"
    cases = (
        (good.read_bytes()[:-1], text, "not the one that its manifest describes"),
        (good.read_bytes(), "{}", "not the manifest of a backup"),
        (good.read_bytes(), text.replace(f'"kind": "{made.kind}"', f'"kind": "{other}"'), f"a backup of {other}"),
        (good.read_bytes(), text.replace(f'"revision": "{made.revision}"', '"revision": "9999"'), "newer hromada"),
        (b"", text, "The file is empty"),
    )
    write(db, 2)
    for content, manifest_text, says in cases:
        (tmp_path / "bad.backup").write_bytes(content)
        manifest.get_manifest_path(tmp_path / "bad.backup").write_text(manifest_text, "utf-8")
        with pytest.raises(BadInput, match=says):
            backups.restore_backup(db.engine, file=tmp_path / "bad.backup", now=NOW, erase=erase_nobody, yes=True)
    with pytest.raises(BadInput, match="no such file"):
        backups.restore_backup(db.engine, file=tmp_path / "none.backup", now=NOW, erase=erase_nobody, yes=True)
    assert list_pseudonyms(db) == ["a1", "a2"]


def test_a_backup_that_is_damaged_but_says_it_is_not_changes_nothing(db: database.Database, tmp_path: Path) -> None:
    """Its hash fits, its inside does not: found out before, or rolled back with, the first change."""
    write(db, 1)
    file = tmp_path / "bad.backup"
    made = backups.make_backup(db.engine, to=file, now=NOW)
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2 :] = b"\xff" * (len(raw) - len(raw) // 2)
    file.write_bytes(raw)
    manifest_text = manifest.get_manifest_path(file).read_text("utf-8").replace(made.sha256, manifest.hash_file(file))
    manifest.get_manifest_path(file).write_text(manifest_text, "utf-8")
    write(db, 2)
    with pytest.raises(HromadaError):
        backups.restore_backup(db.engine, file=file, now=NOW, erase=erase_nobody, yes=True)
    assert list_pseudonyms(db) == ["a1", "a2"]


def test_a_file_that_is_there_is_kept_unless_said_otherwise(db: database.Database, tmp_path: Path) -> None:
    """Neither a backup nor a manifest is written over by mistake; a new folder is made, what is none is a sentence."""
    write(db, 1)
    (tmp_path / "there").write_text("mine", "utf-8")
    with pytest.raises(Conflict, match="The file already exists"):
        backups.make_backup(db.engine, to=tmp_path / "there", now=NOW)
    assert (tmp_path / "there").read_text("utf-8") == "mine"
    assert backups.make_backup(db.engine, to=tmp_path / "there", now=NOW, yes=True).rows["annotator"] == 1
    assert backups.make_backup(db.engine, to=tmp_path / "new" / "folder" / "b", now=NOW).rows["annotator"] == 1
    with pytest.raises(BadInput, match="The backup cannot be written"):
        backups.make_backup(db.engine, to=tmp_path / "there" / "b", now=NOW)


def test_an_empty_database_has_nothing_to_back_up(db: database.Database, tmp_path: Path) -> None:
    """A database without tables is named as such, and no file is written."""
    migrations.downgrade_schema(db.engine, "base")
    with db.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE alembic_version")
    with pytest.raises(BadInput, match="nothing in the database"):
        backups.make_backup(db.engine, to=tmp_path / "none", now=NOW)
    assert list(tmp_path.glob("*none*")) == []


def test_somebody_who_writes_is_waited_for_and_then_named(
    db: database.Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Restoring does not hang behind an open transaction, and changes nothing."""
    write(db, 1)
    backups.make_backup(db.engine, to=tmp_path / "one.backup", now=NOW)
    write(db, 2)
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    monkeypatch.setattr(backups.postgresql, "LOCK_TIMEOUT", "100ms")
    with db.transaction() as session:
        session.connection().execute(sa.text("UPDATE annotator SET language = 'uk'"))
        with pytest.raises(Unavailable, match=r"locked|lock timeout"):
            backups.restore_backup(db.engine, file=tmp_path / "one.backup", now=NOW, erase=erase_nobody, yes=True)
    assert list_pseudonyms(db) == ["a1", "a2"]


def test_without_its_programs_it_is_said_how_to_get_them(
    db: database.Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite needs none; PostgreSQL's are named with the package that has them."""
    write(db, 1)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    if db.engine.dialect.name == "sqlite":
        backups.make_backup(db.engine, to=tmp_path / "one", now=NOW)
        return
    with pytest.raises(Unavailable, match=r"pg_dump is not here\. .*postgresql-client"):
        backups.make_backup(db.engine, to=tmp_path / "one", now=NOW)
    assert list(tmp_path.glob("*one*")) == []


def test_a_restore_that_fails_leaves_no_new_file(tmp_path: Path) -> None:
    """Where there was no database before, there is none after."""
    file = tmp_path / "bad.backup"
    sqlite3.connect(file).close()
    file.write_bytes(b"no database" * 100)
    manifest.get_manifest_path(file).write_text(
        manifest.build_manifest(
            file, manifest.DatabaseContents(revision=migrations.HEAD, rows={}, key=None), kind="sqlite", now=NOW
        ).text,
        "utf-8",
    )
    with (
        database.open_engine(f"sqlite:///{tmp_path / 'new.db'}") as engine,
        pytest.raises(BadInput, match="not a database"),
    ):
        backups.restore_backup(engine, file=file, now=NOW, erase=erase_nobody)
    assert not (tmp_path / "new.db").exists()
