"""A restore drill: a backup is restored into a throw-away database and checked; the real one is not touched."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.errors import BadInput, Where
from annotation.store import backups, database, invariants, migrations, models
from annotation.store.backups import encryption, manifest
from annotation.store.backups.manifest import BackupManifest
from annotation.store.invariants import IntegrityFinding

PREFIX = "hromada_drill_"
"""Throw-away databases on PostgreSQL begin like this; then come the seconds since 1970 and random letters."""
RIGHT_IS_MISSING = "42501"
"""PostgreSQL's code for a right that the user does not have."""


@dataclass(frozen=True, kw_only=True)
class DrillResult:
    """What a drill found; the backup is sound if no finding is wrong.

    `answers` are all saved answers with their revisions, `people` the annotators who were not erased, `erased` how many
    were erased again.
    """

    manifest: BackupManifest
    age: timedelta
    answers: int
    people: int
    erased: int
    findings: tuple[IntegrityFinding, ...]

    @property
    def is_sound(self) -> bool:
        """Whether every check is passed."""
        return not any(finding.wrong for finding in self.findings)


def drill_backup(
    file: Path, *, url: str, now: datetime, erase: backups.Erase, identity: Path | None = None
) -> DrillResult:
    """Restore a backup elsewhere, as `restore_backup` does, and check what comes back.

    A backup of SQLite needs no database; for one of PostgreSQL a database is made on the server of `url` and dropped
    afterwards. One of an older schema is upgraded. Raises BadInput if the backup cannot be restored at all, or if the
    user may not make databases.
    """
    stored = manifest.read_manifest(file)
    with _make_database(stored.kind, url) as engine:
        restored = backups.restore_backup(engine, file=file, now=now, erase=erase, identity=identity)
        erased = restored.erased
        with database.translate_errors(engine.url):
            if stored.revision != migrations.HEAD:
                migrations.upgrade_schema(engine)
                with Session(engine) as session:
                    erased = erase(session)
                    session.commit()
            findings = [*invariants.check_database(engine)]
            with database.make_read_engine(engine).connect() as connection:
                rows = manifest.read_contents(connection).rows
                known = sa.select(sa.func.count()).where(col(models.Annotator.forgotten_at).is_(None))
                people = connection.execute(known).scalar_one()
        if not erased and stored.revision == migrations.HEAD:
            findings.append(_compare_rows(rows, stored))
    age = now - datetime.fromisoformat(stored.made_at)
    return DrillResult(
        manifest=stored, age=age, answers=rows["judgement"], people=people, erased=erased, findings=tuple(findings)
    )


def _compare_rows(rows: Mapping[str, int], stored: BackupManifest) -> IntegrityFinding:
    """Whether each table has as many rows as the manifest says."""
    wrong = [
        f"{name}: {rows.get(name, 0)} of {number}"
        for name, number in stored.rows.items()
        if rows.get(name, 0) != number
    ]
    return IntegrityFinding(rule="every row came back", wrong=len(wrong), examples=tuple(wrong[: invariants.EXAMPLES]))


@contextmanager
def _make_database(kind: str, url: str) -> Iterator[sa.Engine]:
    """Make an empty database, yield its engine, and delete it afterwards."""
    if kind == "sqlite":
        with (
            encryption.make_private_folder(None) as folder,
            database.open_engine(f"sqlite:///{folder / 'drill.db'}") as engine,
        ):
            yield engine
        return
    with database.open_engine(url) as server:
        if server.dialect.name != kind:
            raise BadInput(
                f"This is a backup of {kind}, and a drill needs a server to restore it on.",
                where=Where(field="HROMADA_DATABASE_URL"),
                remedy="Name a PostgreSQL server there; the drill makes a database of its own on it.",
            )
        name = f"{PREFIX}{int(time.time())}_{secrets.token_hex(4)}"
        _create_database(server, name)
        try:
            with database.open_engine(server.url.set(database=name)) as engine:
                yield engine
        finally:
            _execute(server, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def _create_database(server: sa.Engine, name: str) -> None:
    """Make an empty database; drop those that drills left that were killed more than a day ago."""
    with database.translate_errors(server.url):
        try:
            for left in _list_abandoned(server):
                _execute(server, f'DROP DATABASE IF EXISTS "{left}"')
            _execute(server, f"CREATE DATABASE \"{name}\" TEMPLATE template0 ENCODING 'UTF8'")
        except sa.exc.DBAPIError as failure:
            if getattr(failure.orig, "sqlstate", None) != RIGHT_IS_MISSING:
                raise
            raise BadInput(
                "The user of the database may not make another one, which a drill needs.",
                where=Where(field="HROMADA_DATABASE_URL"),
                remedy=f"As the server's administrator: ALTER ROLE {server.url.username} CREATEDB",
            ) from None


def _list_abandoned(server: sa.Engine) -> list[str]:
    query = sa.text("SELECT datname FROM pg_database WHERE starts_with(datname, :prefix)")
    with database.make_read_engine(server).connect() as connection:
        names = connection.execute(query, {"prefix": PREFIX}).scalars().all()
    made = {name: name.removeprefix(PREFIX).partition("_")[0] for name in names}
    return [name for name, at in made.items() if at.isdigit() and time.time() - int(at) > encryption.ABANDONED_SECONDS]


def _execute(server: sa.Engine, statement: str) -> None:
    """Run a statement that PostgreSQL takes outside transactions only."""
    with server.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(statement)
