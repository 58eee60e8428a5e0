"""Migrations, up and down, on SQLite and PostgreSQL, with rows in the tables."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from annotation.errors import BadInput
from annotation.store import database, invariants, migrations, models

TIME = "'2026-11-21 12:00:00+00:00'"
PROJECT = (
    "INSERT INTO project (id, name, title, language, instructions, instructions_sha256, definition, definition_sha256,"
    " source, overlap, created_at, supports_telegram)"
    f" VALUES (1, 'p', 'p', 'uk', '', '', '{{}}', '', '', 2, {TIME}, true)"
)
CAMPAIGN = (
    PROJECT,
    *(
        "INSERT INTO item (id, project_id, external_id, revision, group_id, stage, pool, rank, data, stimulus,"
        f" stimulus_sha256, n_live, n_done) VALUES ({number}, 1, 'i{number}', 1, 'g{number}', 'main', 'main', {number},"
        f" '{{}}', 'x', '', {live}, {done})"
        for number, live, done in ((1, 2, 1), (2, 1, 1), (3, 0, 0), (700_000, 0, 0))
    ),
    *(
        f"INSERT INTO annotator (id, pseudonym, simulated, created_at) VALUES ({number}, 'a{number}', false, {TIME})"
        for number in (1, 2)
    ),
)
"""A campaign as 0002 has it: item 1 answered and in hand, item 2 answered and passed over, the others fresh."""
WORK = (
    *(
        "INSERT INTO assignment (id, item_id, item_revision, annotator_id, occasion, surface, status, stage,"
        " is_control, is_repeat)"
        f" VALUES ({number}, {item}, 1, {annotator}, 0, 'telegram', '{status}', 'main', false, false)"
        for number, item, annotator, status in ((1, 1, 1, "done"), (2, 1, 2, "live"), (3, 2, 1, "done"))
    ),
    *(
        "INSERT INTO judgement (id, assignment_id, revision, response, response_raw, excluded_reason)"
        f" VALUES ({number}, {assignment}, 0, 'yes', 'yes', {reason})"
        for number, assignment, reason in ((1, 1, "NULL"), (2, 3, "'abstained'"))
    ),
)
REPORT = "INSERT INTO report (item_id, annotator_id, assignment_id, reason, text, at)"
LATER = (
    "UPDATE judgement SET response = '', skip_reason = 'unsure' WHERE id = 1",
    "UPDATE assignment SET status = 'expired', holds_place = false WHERE id = 2",
    f"{REPORT} VALUES (1, 2, 2, 'unclear', '', {TIME})",
    f"INSERT INTO support_message (annotator_id, assignment_id, text, at) VALUES (2, 2, 'why?', {TIME})",
)
"""What 0002 has no words for."""
ROWS = ("project", "item", "annotator", "assignment", "judgement")


def test_migrations_make_exactly_the_tables_of_the_models(db: database.Database) -> None:
    """Upgraded from nothing, the schema is what the models say, column by column."""
    with db.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, models.metadata) == []


def test_migrations_go_down_to_nothing_and_up_again(db: database.Database) -> None:
    """Every migration has its way back."""
    migrations.downgrade_schema(db.engine, "base")
    assert sa.inspect(db.engine).get_table_names() == ["alembic_version"]
    migrations.upgrade_schema(db.engine)
    assert "judgement" in sa.inspect(db.engine).get_table_names()


def test_the_newest_migration_is_the_one_that_is_looked_for() -> None:
    """HEAD, which spares Alembic at start, names the newest revision."""
    scripts = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert scripts.get_heads() == [migrations.HEAD]


def read_rows(engine: sa.Engine, *, ignoring: frozenset[str] = frozenset()) -> dict[str, list[dict[str, object]]]:
    """The rows of the five oldest tables, without the columns that are ignored."""
    found = {}
    with engine.connect() as connection:
        for table in ROWS:
            rows = connection.exec_driver_sql(f"SELECT * FROM {table} ORDER BY id").mappings()
            found[table] = [{key: value for key, value in row.items() if key not in ignoring} for row in rows]
    return found


def test_rows_of_the_second_form_survive_up_and_down(db: database.Database) -> None:
    """What was written at 0002 is sound at 0003, with its places counted, and is the same again at 0002."""
    migrations.downgrade_schema(db.engine, "0002")
    with db.engine.begin() as connection:
        for statement in (*CAMPAIGN, *WORK):
            connection.exec_driver_sql(statement)
    before = read_rows(db.engine)
    migrations.upgrade_schema(db.engine)
    with db.reading() as view:
        assert invariants.list_violations(view) == ()
        free = view.connection().execute(sa.select(models.Item.id, models.Item.free).order_by("id")).all()  # type: ignore[call-overload]
    assert [tuple(row) for row in free] == [(1, 0), (2, 1), (3, 2), (700_000, 2)]
    migrations.downgrade_schema(db.engine, "0002")
    assert read_rows(db.engine) == before


def test_what_only_the_third_form_knows_goes_with_it(db: database.Database) -> None:
    """Assignments that expired or were reported are deleted on the way down, and a skip no longer counts."""
    migrations.downgrade_schema(db.engine, "0002")
    with db.engine.begin() as connection:
        for statement in (*CAMPAIGN, *WORK):
            connection.exec_driver_sql(statement)
    migrations.upgrade_schema(db.engine)
    with db.engine.begin() as connection:
        for statement in LATER:
            connection.exec_driver_sql(statement)
    migrations.downgrade_schema(db.engine, "0002")
    found = read_rows(db.engine)
    assert [row["id"] for row in found["assignment"]] == [1, 3]
    assert [row["excluded_reason"] for row in found["judgement"]] == ["skipped", "abstained"]
    migrations.downgrade_schema(db.engine, "base")
    assert sa.inspect(db.engine).get_table_names() == ["alembic_version"]


def test_of_many_that_start_at_once_one_migrates(db: database.Database, url: str) -> None:
    """Six workers open a database without tables at the same moment; all find it up to date."""
    migrations.downgrade_schema(db.engine, "base")
    barrier, failures = threading.Barrier(6), []

    def start() -> None:
        barrier.wait()
        try:
            with database.open_database(url) as found, found.reading() as view:
                assert migrations.get_revision(view.connection()) == migrations.HEAD
        except Exception as failure:  # noqa: BLE001  # whatever it is, the test has to see it
            failures.append(failure)

    workers = [threading.Thread(target=start) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failures == []


def test_a_database_of_somebody_else_is_left_alone(db: database.Database, url: str) -> None:
    """Tables that are not ours, or a revision that we do not know, are refused."""
    with db.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(BadInput, match="newer hromada"), database.open_database(url):
        pass
    with db.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM alembic_version")
    with pytest.raises(BadInput, match="another program"), database.open_database(url):
        pass


FIRST_BATCH = f"VALUES (1, 1, 2, false, '', 'm', {TIME})"
BATCH = (
    f"INSERT INTO label_studio_batch (id, project_id, annotator_id, second, server, mark, created_at) {FIRST_BATCH}",
    "UPDATE item SET free = free - 1, n_live = n_live + 1 WHERE id IN (2, 3)",
    "UPDATE item SET n_done = n_done + 1 WHERE id = 3",
    *(
        "INSERT INTO assignment (id, project_id, item_id, item_revision, annotator_id, occasion, surface, status,"
        f" stage, is_control, is_repeat, holds_place) VALUES ({number}, 1, {item}, 1, 2, 0, 'label studio', '{status}',"
        " 'main', false, false, true)"
        for number, item, status in ((8, 2, "live"), (9, 3, "done"))
    ),
    "INSERT INTO judgement (id, assignment_id, revision, response, response_raw) VALUES (9, 9, 0, 'yes', 'yes')",
    "INSERT INTO label_studio_task (assignment_id, batch_id, remote_id) VALUES (9, 1, 17)",
)
"""Work in a Label Studio batch: item 2 is live there, item 3 was answered."""


def test_work_in_label_studio_batches_is_deleted_with_them(db: database.Database) -> None:
    """On the way down work in Label Studio is deleted and its places are free again; the rest stays as it was."""
    migrations.downgrade_schema(db.engine, "0002")
    with db.engine.begin() as connection:
        for statement in (*CAMPAIGN, *WORK):
            connection.exec_driver_sql(statement)
    migrations.upgrade_schema(db.engine, "0004")
    before = read_rows(db.engine)
    migrations.upgrade_schema(db.engine)
    with db.engine.begin() as connection:
        for statement in BATCH:
            connection.exec_driver_sql(statement)
    migrations.downgrade_schema(db.engine, "0004")
    assert read_rows(db.engine) == before
