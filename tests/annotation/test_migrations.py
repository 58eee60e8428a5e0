"""Migrations, up and down, on SQLite and PostgreSQL: who changes a schema, and who refuses one that is not theirs."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _schema_copy
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from annotation.errors import BadInput, SchemaMismatch
from annotation.store import database, migrations, models

if TYPE_CHECKING:
    from tests.conftest import LaterRelease

UPGRADE = r"has the schema 0002, and this hromada works with 0003\. Run `hromada database upgrade`"
NEWER = r"has the schema {}, of a newer hromada or of another program\. Upgrade hromada: this one works with 0002\."


@pytest.fixture(autouse=True)
def _run_alembic(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the migrations wherever tables are made here."""
    monkeypatch.setattr(migrations, "_run_alembic", _schema_copy.RUN_ALEMBIC)


def test_a_copied_schema_is_the_migrated_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """All other tests rely on it."""
    found = []
    for name, run in (("migrated", _schema_copy.RUN_ALEMBIC), ("copied", _schema_copy._run_or_copy)):
        monkeypatch.setattr(migrations, "_run_alembic", run)
        with database.open_database(f"sqlite:///{tmp_path / name}") as made, made.engine.connect() as connection:
            found.append(list(connection.connection.iterdump()))
    assert found[0] == found[1]


def test_migrations_make_exactly_the_tables_of_the_models(db: database.Database) -> None:
    """Made from nothing, the schema is what the models say, column by column."""
    with db.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, models.metadata) == []


def describe_schema(engine: sa.Engine) -> dict[str, list[str]]:
    """Every table with what the database itself says of its columns, keys, constraints and indexes."""
    found = sa.inspect(engine)
    inspections: dict[str, Callable[[str], Any]] = {
        "columns": found.get_columns,
        "primary key": lambda name: [found.get_pk_constraint(name)],
        "foreign keys": found.get_foreign_keys,
        "unique constraints": found.get_unique_constraints,
        "checks": found.get_check_constraints,
        "indexes": found.get_indexes,
    }
    return {
        f"{kind} of {name}": sorted(json.dumps(fact, default=str) for fact in inspect(name))
        for name in found.get_table_names()
        if name != "alembic_version"
        for kind, inspect in inspections.items()
    }


def test_migrations_make_what_the_models_would_make(db: database.Database) -> None:
    """The same names, defaults of the server, checks and conditions of indexes, which Alembic does not compare."""
    migrated = describe_schema(db.engine)
    migrations.downgrade_schema(db.engine, "base")
    models.metadata.create_all(db.engine)
    made = describe_schema(db.engine)
    models.metadata.drop_all(db.engine)
    assert migrated == made
    assert sum(len(facts) for name, facts in migrated.items() if name.startswith("checks")) > 10


def test_migrations_go_down_to_nothing_and_up_again(db: database.Database) -> None:
    """Every migration has its way back."""
    before = describe_schema(db.engine)
    migrations.downgrade_schema(db.engine, "base")
    assert sa.inspect(db.engine).get_table_names() == ["alembic_version"]
    migrations.upgrade_schema(db.engine)
    assert describe_schema(db.engine) == before


def test_the_revisions_that_are_looked_for_are_those_of_the_scripts() -> None:
    """REVISIONS and HEAD, which spare Alembic at start, name all revisions in their order."""
    scripts = ScriptDirectory(str(migrations.SCRIPTS))
    assert tuple(reversed([script.revision for script in scripts.walk_revisions()])) == migrations.REVISIONS
    assert scripts.get_heads() == [migrations.HEAD]


def run_at_once(number: int, work: Callable[[], None]) -> None:
    """Do the same work on so many threads, which begin at the same moment; raise what failed."""
    barrier, failures = threading.Barrier(number), []

    def start() -> None:
        barrier.wait()
        try:
            work()
        except Exception as failure:  # noqa: BLE001  # whatever it is, the test has to see it
            failures.append(failure)

    workers = [threading.Thread(target=start) for _ in range(number)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failures == []


def test_of_many_that_start_at_once_one_makes_the_tables(db: database.Database, url: str) -> None:
    """Six workers open a database without tables at the same moment; all find it up to date."""
    migrations.downgrade_schema(db.engine, "base")

    def open_() -> None:
        with database.open_database(url) as found, found.reading() as view:
            assert migrations.get_revision(view.connection()) == migrations.HEAD

    run_at_once(6, open_)


def test_of_many_that_upgrade_at_once_one_does(db: database.Database, url: str, later_release: LaterRelease) -> None:
    """Six of a later release upgrade the same database: the others wait, and find nothing to do."""

    def upgrade() -> None:
        with database.open_engine(url) as engine:
            migrations.upgrade_schema(engine)

    with later_release.installed():
        run_at_once(6, upgrade)
        with db.engine.connect() as connection:
            assert migrations.get_revision(connection) == "0003"


def read_rows(engine: sa.Engine) -> dict[str, list[str]]:
    """Every row of every table of the database."""
    names = sorted(sa.inspect(engine).get_table_names())
    with engine.connect() as connection:
        return {name: sorted(map(repr, connection.exec_driver_sql(f'SELECT * FROM "{name}"'))) for name in names}


def test_an_older_database_is_refused_until_it_is_upgraded(
    db: database.Database, url: str, load: Callable[..., None], later_release: LaterRelease
) -> None:
    """A later release changes nothing in it when it is opened; once upgraded, its rows are there, with the new ones."""
    load("words", n=2)
    before = read_rows(db.engine)
    with later_release.installed():
        with pytest.raises(SchemaMismatch, match=UPGRADE), database.open_database(url):
            pass
        assert read_rows(db.engine) == before
        migrations.upgrade_schema(db.engine)
        with database.open_database(url) as upgraded:
            after = read_rows(upgraded.engine)
    assert after == before | {
        "alembic_version": ["('0003',)"],
        "note": ["(1, 'words-1')", "(2, 'words-2')"],
    }


def test_a_newer_database_is_refused(
    db: database.Database, url: str, load: Callable[..., None], later_release: LaterRelease
) -> None:
    """By every opening and by the upgrade, which change nothing; taken back by its own release, it can be opened."""
    load("words", n=2)
    before = read_rows(db.engine)
    with later_release.installed():
        migrations.upgrade_schema(db.engine)
    newer = read_rows(db.engine)
    with pytest.raises(SchemaMismatch, match=NEWER.format("0003")), database.open_database(url):
        pass
    with pytest.raises(SchemaMismatch, match=NEWER.format("0003")):
        migrations.upgrade_schema(db.engine)
    assert read_rows(db.engine) == newer
    with later_release.installed():
        migrations.downgrade_schema(db.engine, "0002")
    with database.open_database(url) as opened:
        assert read_rows(opened.engine) == before


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_store_every_text_is_refused(copies: Any, encoding: str) -> None:
    """The error says how to make another one; nothing is made in this one."""
    name = f"{copies.template}_{encoding.lower()}"
    copies.say(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LOCALE_PROVIDER libc LOCALE 'C'")
    try:
        url = sa.make_url(copies.server).set(database=name)
        with pytest.raises(BadInput, match=r"its encoding is not UTF-8\. Create another one: createdb --encoding UTF8"):
            database.open_database(url).__enter__()
        engine = database.create_engine(url.render_as_string(hide_password=False))
        assert sa.inspect(engine).get_table_names() == []
        engine.dispose()
    finally:
        copies.drop(name)


def test_a_database_of_somebody_else_is_left_alone(db: database.Database, url: str) -> None:
    """Tables that are not ours, or a revision that we do not know, are refused."""
    with db.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(SchemaMismatch, match=NEWER.format("9999")), database.open_database(url):
        pass
    with db.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM alembic_version")
    with pytest.raises(BadInput, match="another program"), database.open_database(url):
        pass
