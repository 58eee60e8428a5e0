"""A baseline of any size, with any part of it answered, made by statements that copy rows.

Overlap 3, two items in a group, control items, pages and caps; all annotators have answered the same number of items.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import Session

from annotation.store import queries
from annotation.store.database import Database
from annotation.store.models import Item
from annotation.workflow.annotators import registration
from annotation.workflow.lifecycle import projects, transitions

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
OVERLAP = 3
CONTROLS = 40
AT = "'2026-11-20 12:00:00.000000+00:00'"
EARLIER = 500
"""Number of annotators who have answered the part that is done; further annotators are new."""
STRIDE = 7_368_787
"""A prime: multiplied by it, file order becomes the queue order."""
PROJECT = {
    "project": "baseline",
    "title": "Baseline",
    "language": "uk",
    "kind": "baseline",
    "instructions": "Читайте.",
    "question": {"type": "choice", "text": "Так?", "options": ["так", "ні"]},
    "items": {"file": "items.jsonl", "id": "id", "show": ["text"], "gold": "gold", "group": "group"},
    "overlap": OVERLAP,
    "pages": {"items": 10},
    "controls": {"pool": {"file": "controls.jsonl"}, "per_page": 1},
    "caps": {"items": 1_000_000, "items_per_day": 100_000},
}


def create_campaign(db: Database, folder: Path, *, items: int, annotators: int) -> int:
    """Start a baseline of this many items with this many new annotators; returns the id of the project."""
    _write_files(folder)
    with db.transaction() as session:
        projects.load_project_file(session, folder / "baseline.yaml", now=NOW)
        project = queries.get_project(session, "baseline")
        transitions.start_project(session, project=project, now=NOW)
        for number in range(1, EARLIER + annotators + 1):
            registration.register_telegram_annotator(session, telegram_id=number, language="uk", key=b"k" * 32, now=NOW)
        project_id = project.id or 0
        _copy_item(session, project=project_id, items=items)
    _analyse_tables(db)
    return project_id


def _write_files(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "baseline.yaml").write_text(json.dumps(PROJECT, ensure_ascii=False), "utf-8")
    for name, number in (("items", 1), ("controls", CONTROLS)):
        rows = [
            {"id": f"{name}{one}", "text": f"Речення {one}. " * 12, "group": f"{name}{one}", "gold": "так"}
            for one in range(number)
        ]
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


def _copy_item(session: Session, *, project: int, items: int) -> None:
    """Copy the one item of the file, each copy with its own id, group and queue position."""
    own = {
        "id": "1000 + n",
        "external_id": "'i' || n",
        "group_id": "'g' || (n / 2)",
        "rank": "n",
        "queue_position": f"(n * CAST({STRIDE} AS bigint)) % {items}",
    }
    names = [column.name for column in sa.inspect(Item).local_table.columns]
    values = ", ".join(own.get(name, name) for name in names)
    with without_indices(session, "item"):
        _execute(
            session,
            f"INSERT INTO item ({', '.join(names)}) {_number_series(1, items)}"
            f" SELECT {values} FROM item, numbers WHERE pool = 'main' AND project_id = {project}",
        )


def answer_items(db: Database, *, project: int, first: int, last: int) -> None:
    """Have the earlier annotators answer the items from `first` to before `last` in file order that nobody has.

    The ids are negative, so that none is used twice.
    """
    numbers = _number_series(first, last)
    fresh = f"id >= {1000 + first} AND id < {1000 + last} AND n_live = 0"
    each = (
        f"FROM numbers JOIN (SELECT id FROM item WHERE {fresh}) fresh ON fresh.id = 1000 + n"
        " CROSS JOIN (SELECT 0 AS k UNION ALL SELECT 1 UNION ALL SELECT 2) places"
    )
    given, annotator = "-3 * n - k", f"1 + (n * 31 + k * 167) % {EARLIER}"
    assignment = (
        "INSERT INTO assignment (id, project_id, item_id, annotator_id, occasion, item_revision, surface, status,"
        " stage, holds_place, is_control, is_repeat, exposed, position, assigned_at, shown_at, lease_until)"
        f" {numbers} SELECT {given}, {project}, 1000 + n, {annotator}, 0, 1, 'telegram', 'done',"
        f" 'main', true, false, false, false, n, {AT}, {AT}, {AT} {each}"
    )
    judgement = (
        "INSERT INTO judgement (id, assignment_id, revision, response, response_raw, seconds, answered_at,"
        f" main_project_id, post_hoc) {numbers}"
        f" SELECT {given}, {given}, 0, 'так', 'так', 5.0, {AT}, {project}, false {each}"
    )
    exposure = (
        "INSERT INTO exposure (annotator_id, group_id, project_id, cause, at)"
        f" {numbers} SELECT {annotator}, 'g' || (n / 2), {project}, 'answered', {AT} {each} WHERE true"
        " ON CONFLICT DO NOTHING"
    )
    full = f"UPDATE item SET free = 0, n_live = {OVERLAP}, n_done = {OVERLAP} WHERE {fresh}"
    with db.transaction() as session, without_indices(session, "item", "assignment"):
        for statement in (assignment, judgement, exposure, full):
            _execute(session, statement)
    _analyse_tables(db)


def expose_annotator(db: Database, *, project: int, annotator: int) -> None:
    """Record that an annotator has met the group of every open item, by another cause."""
    with db.transaction() as session:
        _execute(
            session,
            "INSERT INTO exposure (annotator_id, group_id, project_id, cause, at)"
            f" SELECT {annotator}, group_id, {project}, 'training', {AT} FROM item"
            f" WHERE project_id = {project} AND pool IN ('main', 'control')"
            " ON CONFLICT DO NOTHING",
        )


def _number_series(first: int, last: int) -> str:
    return f"WITH RECURSIVE numbers(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < {last})"


@contextmanager
def without_indices(session: Session, *tables: str) -> Iterator[None]:
    """Drop the indices of these tables, but those of constraints, and create them again at the end, which is quicker.

    PostgreSQL does not check foreign keys meanwhile.
    """
    names = ", ".join(f"'{one}'" for one in tables)
    postgresql = session.get_bind().dialect.name == "postgresql"
    if postgresql:
        _execute(session, "SET LOCAL session_replication_role = replica")
    listed = _INDICES["postgresql" if postgresql else "sqlite"].format(names)
    found = session.connection().execute(sa.text(listed)).all()
    for name, _ in found:
        _execute(session, f"DROP INDEX {name}")
    yield
    for _, definition in found:
        session.connection().exec_driver_sql(definition)
    if postgresql:
        _execute(session, "SET LOCAL session_replication_role = origin")


_INDICES = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ({})",
    "postgresql": """
SELECT c.relname, pg_get_indexdef(i.indexrelid) FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
WHERE t.relname IN ({}) AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)""",
}


def _execute(session: Session, statement: str) -> None:
    session.connection().execute(sa.text(statement))


def _analyse_tables(db: Database) -> None:
    """What PostgreSQL's autovacuum does in the minutes after such changes; SQLite needs no statistics here."""
    if db.engine.dialect.name == "postgresql":
        with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE")
