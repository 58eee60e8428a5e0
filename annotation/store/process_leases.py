"""Process leases: a task that one process does at a time is held by a lease with an end, renewed while it goes on.

A lease is a row with the name of the task, its holder and the time until which it is held, by the database's clock.
Where the holder dies, the lease ends at that time and another process can take it.
"""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import Conflict, Where
from annotation.store.models import ProcessLease
from annotation.store.models.table_model import UtcDateTime


def get_database_time(session: Session) -> datetime:
    """The time of the database, on SQLite that of the machine: processes that share a database agree on it."""
    if session.get_bind().dialect.name == "sqlite":
        text = session.connection().execute(sa.text("SELECT strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')")).scalar_one()
        return datetime.fromisoformat(text)
    found: datetime = session.connection().execute(sa.text("SELECT clock_timestamp()")).scalar_one()
    return found.astimezone(UTC)


def get_holder(session: Session, *, name: str) -> str | None:
    """The process that holds the lease or held it last, None where nobody ever did."""
    return session.exec(select(ProcessLease.holder).where(ProcessLease.name == name)).first()


def take_lease(
    session: Session, *, name: str, holder: str, now: datetime, until: datetime, from_: str | None = None
) -> bool:
    """Take or renew a lease until a time; returns False where another process still holds it.

    `from_` is a holder that is known to have ended: its lease may be taken before its time.
    """
    values = {"name": name, "holder": holder, "now": now, "until": until, "gone": from_}
    return session.connection().execute(_TAKE, values).rowcount == 1


def find_current(connection: sa.Connection, *, now: datetime) -> tuple[str, datetime] | None:
    """The name and end of the lease that is held longest from now on; None where none is held, or there is no table."""
    if not sa.inspect(connection).has_table(ProcessLease.__tablename__):
        return None
    held = sa.select(ProcessLease.name, ProcessLease.until).where(col(ProcessLease.until) > now)  # type: ignore[call-overload]
    row = connection.execute(held.order_by(col(ProcessLease.until).desc()).limit(1)).first()
    return None if row is None else (row.name, row.until)


def refuse_running_bot(connection: sa.Connection, *, now: datetime) -> None:
    """Raise Conflict while a process holds a lease in the database: a bot polls, or serves a webhook."""
    held = find_current(connection, now=now)
    if held is not None:
        raise Conflict(
            "A bot works on this database.",
            where=Where(field="HROMADA_DATABASE_URL"),
            remedy=f"Stop it first; if it was killed, wait until {held[1]:%H:%M:%S} UTC.",
        )


def release_lease(session: Session, *, name: str, holder: str) -> None:
    """Give the lease back, so that the next process can take it at once."""
    session.connection().execute(_RELEASE, {"name": name, "holder": holder})


_TAKE = sa.text("""
INSERT INTO process_lease (name, holder, until) VALUES (:name, :holder, :until)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE process_lease.holder = :holder OR process_lease.until < :now OR process_lease.holder = :gone""").bindparams(
    sa.bindparam("now", type_=UtcDateTime()),
    sa.bindparam("until", type_=UtcDateTime()),
    sa.bindparam("gone", type_=sa.String()),
)
_RELEASE = sa.text("DELETE FROM process_lease WHERE name = :name AND holder = :holder")
