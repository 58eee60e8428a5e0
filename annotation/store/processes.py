"""Processes of bots: which one holds a lease, clocks that were set, chats that are paused, and whose bot is which."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from math import ceil

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.errors import Conflict, Where
from annotation.store import journal
from annotation.store.models import Assignment, ChatPause, Outbox, ProcessLease
from annotation.store.table_base import UtcDateTime
from annotation.vocabulary import AssignmentStatus, Event

TOLERANCE = timedelta(seconds=1)
"""A clock that is set right by less than this is not told of: time servers do it all day."""
UNDONE_WITHIN = timedelta(days=7)
"""How far back an answer is looked for that could still be undone and given again."""


def find_change(read: datetime, *, earliest: datetime, latest: datetime) -> timedelta | None:
    """Return by how much the clock was set, or None if it was not.

    `read` is the time that it shows, `earliest` and `latest` are the times between which it would show one if it had
    gone on evenly.
    """
    if read < earliest - TOLERANCE:
        return read - earliest
    return read - latest if read > latest + TOLERANCE else None


def record_change(session: Session, *, by: timedelta, now: datetime) -> int:
    """Mark what is shown and not yet answered, and write the change into the journal; returns how many were marked.

    `now` is the time after the change. Several processes may find the same change; each marks what is left.
    """
    before = now - by
    can_be_answered = sa.or_(
        col(Assignment.status).in_((AssignmentStatus.LIVE, AssignmentStatus.EXPIRED)),
        col(Assignment.open_revision).is_not(None),
        col(Assignment.shown_at) >= before - UNDONE_WITHIN,
    )
    shown = sa.update(Assignment).where(
        col(Assignment.shown_at).is_not(None), col(Assignment.clock_changed).is_(False), can_be_answered
    )
    marked = session.connection().execute(shown.values(clock_changed=True)).rowcount
    session.expire_all()
    data = {"seconds": round(by.total_seconds(), 3), "assignments": marked}
    journal.record_event(session, Event.CLOCK_CHANGED, now=now, data=data)
    return marked


def get_database_time(session: Session) -> datetime:
    """The time of the database, on SQLite that of the machine: processes that share a database agree on it."""
    if session.get_bind().dialect.name == "sqlite":
        text = session.connection().execute(sa.text("SELECT strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')")).scalar_one()
        return datetime.fromisoformat(text)
    moment: datetime = session.connection().execute(sa.text("SELECT clock_timestamp()")).scalar_one()
    return moment.astimezone(UTC)


def get_machine_time() -> datetime:
    """The time in UTC by the clock of this machine, for what is not compared with what the bot stores."""
    return datetime.now(UTC)


def get_holder(session: Session, *, name: str) -> str | None:
    """The process that holds the lease or held it last, None if no process ever did."""
    return session.exec(select(ProcessLease.holder).where(ProcessLease.name == name)).first()


def take_lease(
    session: Session, *, name: str, holder: str, now: datetime, until: datetime, from_: str | None = None
) -> bool:
    """Take or renew a lease until a time; returns False where another process still holds it.

    `from_` is a holder that is known to have ended: its lease may be taken before its time.
    """
    values = {"name": name, "holder": holder, "now": now, "until": until, "gone": from_}
    return session.connection().execute(_TAKE, values).rowcount == 1


def find_active_lease(connection: sa.Connection, *, now: datetime) -> tuple[str, datetime] | None:
    """The name and end of the lease that is held longest from now on; None where none is held, or there is no table."""
    if not sa.inspect(connection).has_table(ProcessLease.__tablename__):
        return None
    held = sa.select(ProcessLease.name, ProcessLease.until).where(col(ProcessLease.until) > now)  # type: ignore[call-overload]
    row = connection.execute(held.order_by(col(ProcessLease.until).desc()).limit(1)).first()
    return None if row is None else (row.name, row.until)


def refuse_running_bot(connection: sa.Connection, *, now: datetime) -> None:
    """Raise Conflict while a process holds a lease in the database: a bot polls, or serves a webhook."""
    held = find_active_lease(connection, now=now)
    if held is not None:
        raise Conflict(
            "A bot works on this database.",
            where=Where(field="HROMADA_DATABASE_URL"),
            remedy=f"Stop it first; if it was killed, wait {ceil((held[1] - now).total_seconds())} seconds.",
        )


def find_last_lease_end(session: Session) -> datetime | None:
    """When the last lease of any process ends or ended, None if no process ever held one.

    Every bot holds a lease while it works, so a past time says since when none does.
    """
    return session.exec(select(func.max(ProcessLease.until, type_=UtcDateTime()))).one()


def release_lease(session: Session, *, name: str, holder: str, now: datetime) -> None:
    """End a lease now, so that the next process can take it at once."""
    session.connection().execute(_RELEASE, {"name": name, "holder": holder, "now": now})


_TAKE = sa.text("""
INSERT INTO process_lease (name, holder, until) VALUES (:name, :holder, :until)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE process_lease.holder = :holder OR process_lease.until <= :now OR process_lease.holder = :gone""").bindparams(
    sa.bindparam("now", type_=UtcDateTime()),
    sa.bindparam("until", type_=UtcDateTime()),
    sa.bindparam("gone", type_=sa.String()),
)
_RELEASE = sa.text("""
UPDATE process_lease SET until = :now WHERE name = :name AND holder = :holder AND until > :now""").bindparams(
    sa.bindparam("now", type_=UtcDateTime())
)


def store_pause(session: Session, *, bot_id: int, chat_id: int, until: datetime) -> None:
    """Store that a bot sends nothing to a chat before a time; all of its processes read it (`list_pauses`)."""
    session.connection().execute(_PAUSE, {"bot": bot_id, "chat": chat_id, "until": until})


def list_pauses(session: Session, *, bot_id: int, now: datetime) -> Mapping[int, datetime]:
    """When the pauses of a bot's chats end, by chat id; those that have ended are deleted."""
    connection = session.connection()
    pauses = {row.chat_id: row.until for row in connection.execute(_PAUSES, {"bot": bot_id})}
    ended = [{"bot": bot_id, "chat": chat_id} for chat_id, until in pauses.items() if until <= now]
    if ended:
        connection.execute(_END_PAUSE, ended)
    return {chat_id: until for chat_id, until in pauses.items() if until > now}


def set_owner(session: Session, *, telegram_id: int, bot_id: int) -> None:
    """Let an annotator belong to a bot, if this Telegram user is one."""
    session.connection().execute(_SET_OWNER, {"sender": telegram_id, "bot": bot_id})


def find_owner(session: Session, *, telegram_id: int) -> int | None:
    """The bot that the annotator with this Telegram id belongs to, None for nobody or if they have started none."""
    return session.connection().execute(_FIND_OWNER, {"sender": telegram_id}).scalar()


def delete_chat_messages(session: Session, *, chat_id: int, bot_id: int | None = None) -> tuple[int, ...]:
    """Delete all messages to a chat that no longer exists, or those of one bot; returns the ids of the support messages
    whose answers were in them.
    """
    deleted = sa.delete(Outbox).where(col(Outbox.chat_id) == chat_id).returning(col(Outbox.calls))
    deleted = deleted if bot_id is None else deleted.where(col(Outbox.bot_id) == bot_id)
    calls = [call for row in session.connection().execute(deleted).scalars() for call in row]
    return tuple(sorted({call["answers"] for call in calls if "answers" in call}))


def move_chat(session: Session, *, chat_id: int, to: int) -> None:
    """Change the id of a chat; a group that was told where the bot speaks is not told again."""
    session.connection().execute(_MOVE_TOLD, {"chat": chat_id, "to": to})
    session.connection().execute(sa.update(Outbox).where(col(Outbox.chat_id) == chat_id).values(chat_id=to))


_PAUSE = sa.text("""
INSERT INTO chat_pause (bot_id, chat_id, until) VALUES (:bot, :chat, :until)
ON CONFLICT (bot_id, chat_id) DO UPDATE SET until = excluded.until
WHERE chat_pause.until < excluded.until""").bindparams(sa.bindparam("until", type_=UtcDateTime()))
_MOVE_TOLD = sa.text("""
INSERT INTO told_group (chat_id, at) SELECT :to, at FROM told_group WHERE chat_id = :chat ON CONFLICT DO NOTHING""")
_PAUSES = sa.select(ChatPause.__table__).where(col(ChatPause.bot_id) == sa.bindparam("bot"))  # type: ignore[attr-defined]
_SET_OWNER = sa.text("UPDATE annotator SET bot_id = :bot WHERE telegram_id = :sender")
_FIND_OWNER = sa.text("SELECT bot_id FROM annotator WHERE telegram_id = :sender")
_END_PAUSE = sa.text("DELETE FROM chat_pause WHERE bot_id = :bot AND chat_id = :chat")
