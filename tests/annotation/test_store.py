"""The database: migrations, SQLite as DESIGN sets it up, constraints that hold."""

from __future__ import annotations

import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import IntegrityError
from sqlmodel import select

from annotation.errors import BadInput, NotFound
from annotation.store import database, journal, migrations, models, pseudonyms
from annotation.vocabulary import AssignmentStatus, Event, Surface

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def test_migrations_make_exactly_the_tables_of_the_models(db: database.Database) -> None:
    """Upgraded from nothing, the schema is what the models say, column by column."""
    with db.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, models.metadata) == []


def test_migrations_go_down_to_nothing_and_up_again(db: database.Database) -> None:
    """Every migration has its way back."""
    migrations.downgrade(db.engine, "base")
    assert sa.inspect(db.engine).get_table_names() == ["alembic_version"]
    migrations.upgrade(db.engine)
    assert "judgement" in sa.inspect(db.engine).get_table_names()


def test_the_newest_migration_is_the_one_that_is_looked_for() -> None:
    """HEAD, which spares Alembic at start, names the newest revision."""
    scripts = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert scripts.get_heads() == [migrations.HEAD]


def test_sqlite_is_set_up_as_designed(db: database.Database) -> None:
    """Write-ahead log, foreign keys, a busy timeout, NORMAL unless FULL is asked for."""
    with db.engine.connect() as connection:
        names = ("journal_mode", "foreign_keys", "busy_timeout", "synchronous")
        found = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names}
    assert found == {"journal_mode": "wal", "foreign_keys": 1, "busy_timeout": 5000, "synchronous": 1}
    full = database.connect(db.engine.url.render_as_string(), synchronous="FULL")
    with full.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
    full.dispose()


def test_concurrent_read_then_write_loses_nothing(db: database.Database) -> None:
    """Eight threads that each read a number and write it back plus one, 25 times, end at 200."""
    with db.engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE number (value INTEGER)"))
        connection.execute(sa.text("INSERT INTO number VALUES (0)"))

    def count() -> None:
        for _ in range(25):
            with db.transaction() as session:
                value = session.connection().execute(sa.text("SELECT value FROM number")).scalar_one()
                session.connection().execute(sa.text("UPDATE number SET value = :v"), {"v": value + 1})

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with db.engine.connect() as connection:
        assert connection.execute(sa.text("SELECT value FROM number")).scalar_one() == 200


def test_a_transaction_that_fails_leaves_nothing(db: database.Database) -> None:
    """An error inside a transaction takes back everything that was written in it."""

    def fail() -> None:
        with db.transaction() as session:
            journal.record(session, Event.PROJECT_LOADED, now=NOW)
            raise KeyError("on purpose")

    with pytest.raises(KeyError):
        fail()
    with db.transaction() as session:
        assert journal.first(session, Event.PROJECT_LOADED) is None


def test_nobody_can_have_two_live_items_in_telegram(db: database.Database) -> None:
    """The schema itself refuses a second live Telegram assignment of one person, and one of an item that is not."""
    with db.transaction() as session:
        project = models.Project(
            name="p", title="p", language="uk", instructions="", instructions_sha256="", definition={},
            definition_sha256="", source="", created_at=NOW,
        )  # fmt: skip
        person = models.Annotator(pseudonym="x", created_at=NOW)
        session.add_all([project, person])
        session.flush()
        items = [
            models.Item(
                project_id=project.id or 0,
                external_id=str(number),
                group_id="g",
                rank=number,
                data={},
                stimulus="",
                stimulus_sha256="",
            )
            for number in range(2)
        ]
        session.add_all(items)
        session.flush()
        ids = [item.id or 0 for item in items]
        who = person.id or 0

    def live(item: int) -> models.Assignment:
        return models.Assignment(item_id=item, annotator_id=who, surface=Surface.TELEGRAM, status=AssignmentStatus.LIVE)

    with db.transaction() as session:
        session.add(live(ids[0]))
    for broken in (live(ids[1]), live(99)):
        with pytest.raises(IntegrityError), db.transaction() as session:
            session.add(broken)


def test_times_come_back_in_utc_and_naive_ones_are_refused(db: database.Database) -> None:
    """A stored time keeps its moment; a time without a zone is not stored."""
    with db.transaction() as session:
        journal.record(session, Event.KEY_MADE, now=NOW, data={})
    with db.transaction() as session:
        found = journal.first(session, Event.KEY_MADE)
        assert found is not None
        assert found.at == NOW
    with pytest.raises(sa.exc.StatementError), db.transaction() as session:
        journal.record(session, Event.KEY_MADE, now=NOW.replace(tzinfo=None))


def test_a_database_that_is_not_there_is_made_only_when_asked(tmp_path: Path) -> None:
    """Reading commands do not make an empty database; an address that is none is refused by the setting's name."""
    url = f"sqlite:///{tmp_path / 'none.db'}"
    with pytest.raises(NotFound, match="no database yet"), database.opened(url, create=False):
        pass
    assert not (tmp_path / "none.db").exists()
    for wrong in ("nonsense", "sqlite+nodriver:///x.db", f"sqlite:///{tmp_path}/no/folder/x.db"):
        with pytest.raises(BadInput), database.opened(wrong):
            pass


def test_pseudonyms_are_keyed_by_namespace_and_name() -> None:
    """The same person gets the same pseudonym; another key, namespace or name another one; simulated ones say so."""
    key, other = b"k" * 32, b"o" * 32
    made = [
        pseudonyms.pseudonym(one, namespace=namespace, name=name)
        for one, namespace, name in (
            (key, "telegram", "42"),
            (other, "telegram", "42"),
            (key, "toloka", "42"),
            (key, "telegram", "43"),
        )
    ]
    assert len(set(made)) == 4
    assert made[0] == pseudonyms.pseudonym(key, namespace="telegram", name="42")
    assert pseudonyms.pseudonym(key, namespace="t", name="1", simulated=True).startswith("SIMULATED-")
    assert "42" not in pseudonyms.fingerprint(key)


def test_the_bot_loads_no_pandas() -> None:
    """The bot's process must stay small: it brings in neither pandas nor crowd-kit."""
    code = "import sys, annotation.workflow.work, annotation.workflow.people, annotation.workflow.imports, bot.application, bot.commands.running; print([m for m in ('pandas', 'numpy', 'crowdkit', 'matplotlib') if m in sys.modules])"  # noqa: E501
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


def test_json_is_stored_as_it_is_read(db: database.Database) -> None:
    """Letters are not escaped, which would make a database of Ukrainian texts three times as large."""
    with db.transaction() as session:
        journal.record(session, Event.PROJECT_LOADED, now=NOW, data={"назва": "кіт 🐈"})
        assert session.connection().exec_driver_sql("SELECT data FROM journal").scalar() == '{"назва": "кіт 🐈"}'
        (entry,) = session.exec(select(models.Journal)).all()
        assert entry.data == {"назва": "кіт 🐈"}
