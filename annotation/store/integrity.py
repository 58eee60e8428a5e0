"""Checks of a whole database: its file, its schema, its rows."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from annotation.errors import BadInput, Where
from annotation.store import erasure_marks, invariants, migrations, models
from annotation.store.database import make_read_engine
from annotation.store.invariants import IntegrityFinding


def check_database(engine: sa.Engine) -> tuple[IntegrityFinding, ...]:
    """Check the file, the schema and the rows, in this order; rows are not checked while file or revision is wrong.

    SQLite is asked about its file and its foreign keys; PostgreSQL checks both by itself.
    """
    with make_read_engine(engine).connect() as connection:
        findings = [*_check_file(connection), _check_revision(connection)]
        if any(finding.wrong for finding in findings):
            return tuple(findings)
        with Session(connection) as session:
            return (
                *findings, _check_schema(connection), *invariants.check_invariants(session), _check_erased(session)
            )  # fmt: skip


def refuse_damage(connection: sa.Connection, *, where: Where) -> None:
    """Raise BadInput for a database that must not become a backup: a damaged file, or rows that break a rule.

    Rows of an older schema cannot be judged, and are taken as they are.
    """
    findings = [finding for finding in _check_file(connection) if finding.wrong]
    if not findings and migrations.get_revision(connection) == migrations.HEAD:
        with Session(connection) as session:
            findings = list(invariants.list_violations(session))
    if findings:
        first = findings[0]
        raise BadInput(
            "The database is damaged, so no backup was made."
            f" Broken rule: {first.rule} ({' '.join(first.examples[0].split())}).",
            where=where,
            remedy="Earlier backups are kept. See all of it: hromada database check.",
        )


def _check_file(connection: sa.Connection) -> tuple[IntegrityFinding, ...]:
    if connection.dialect.name != "sqlite":
        return ()
    damaged = [text for (text,) in connection.exec_driver_sql("PRAGMA integrity_check(100)") if text != "ok"]
    dangling = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    return (
        _build_finding("the file is whole", damaged),
        _build_finding(
            "what rows refer to is there", [f"{table} {row} to {parent}" for table, row, parent, _ in dangling]
        ),
    )


def _check_revision(connection: sa.Connection) -> IntegrityFinding:
    revision = migrations.get_revision(connection)
    remedy = "hromada database upgrade" if revision in {None, *migrations.REVISIONS} else "upgrade hromada"
    wrong = [] if revision == migrations.HEAD else [f"it is {revision or 'empty'}: {remedy}"]
    return _build_finding(f"the schema's revision is {migrations.HEAD}", wrong)


def _check_schema(connection: sa.Connection) -> IntegrityFinding:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    context = MigrationContext.configure(connection, opts={"compare_type": True})
    changes = [text for change in compare_metadata(context, models.metadata) for text in _describe_changes(change)]
    return _build_finding("tables, columns and indexes are those of the models", changes)


def _describe_changes(change: Any) -> list[str]:
    """The changes that would be needed, as text; Alembic lists changes of one column together."""
    if isinstance(change, list):
        return [text for part in change for text in _describe_changes(part)]
    names = [part if isinstance(part, str) else getattr(part, "name", None) for part in change[1:]]
    return [" ".join([change[0].replace("_", " "), *(name for name in names if name)])]


def _check_erased(session: Session) -> IntegrityFinding:
    revived = erasure_marks.list_revived_annotators(session)
    remedy = "hromada database upgrade erases them again"
    return _build_finding("who was erased is not back", [f"annotator {found.id}: {remedy}" for found in revived])


def _build_finding(rule: str, wrong: list[str]) -> IntegrityFinding:
    return IntegrityFinding(rule=rule, wrong=len(wrong), examples=tuple(wrong[: invariants.EXAMPLES]))
