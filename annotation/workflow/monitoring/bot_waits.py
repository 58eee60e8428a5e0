"""What a bot waits for while nothing comes from Telegram: its log, `/health`, commands and organisers say it.

The bot that waits stores it while it lasts; the next update that any bot receives deletes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.store.models import Heartbeat, Incident

POLLING = "polling"
"""The name of the heartbeat of a bot that gets updates from Telegram."""
STORED_EVERY = timedelta(minutes=1)
"""How often a bot that waits stores that it does."""
SEEN_WITHIN = 3 * STORED_EVERY
"""A wait that was stored longer ago is that of a bot that has ended."""
RECEIVED_WITHIN = 2 * STORED_EVERY
"""Another bot receives updates if its heartbeat is no older than this; then the wait of this one is not stored."""
SILENT_AFTER = timedelta(minutes=5)
"""If Telegram has brought nothing for this long, nothing comes from it."""
_PREFIX = "wait "


class WaitReason(StrEnum):
    """Why nothing comes from Telegram."""

    NO_ANSWER = "no-answer"
    UNREACHABLE = "unreachable"
    ERRORS = "errors"
    TOLD_TO_WAIT = "told-to-wait"
    OTHER_PROGRAM = "other-program"
    OTHER_ADDRESS = "other-address"
    UNDELIVERED = "undelivered"


SENTENCES = {
    WaitReason.NO_ANSWER: ("Telegram does not answer.", "Check the network."),
    WaitReason.UNREACHABLE: ("Telegram cannot be reached.", "Check the network, and HROMADA_TELEGRAM_URL."),
    WaitReason.ERRORS: ("Telegram answers with errors, or cuts connections.", "Check its status if this lasts."),
    WaitReason.TOLD_TO_WAIT: ("Telegram asks the bot to wait until {until}.", "It goes on by itself then."),
    WaitReason.OTHER_PROGRAM: (
        "Another program takes this bot’s updates with its token.",
        "End that program, or get a new token from @BotFather.",
    ),
    WaitReason.OTHER_ADDRESS: (
        "Telegram calls another address, which another program has set.",
        "End that program, or this bot.",
    ),
    WaitReason.UNDELIVERED: (
        "Telegram cannot bring updates to the bot’s address.",
        "Check HROMADA_WEBHOOK_URL and the proxy.",
    ),
}
"""The problem and the remedy for each reason."""


@dataclass(frozen=True, kw_only=True)
class BotWait:
    """Why a bot waits for Telegram and since when; `until` when, if Telegram has said so.

    `bot_id` says which of several bots it is, None for the only one.
    """

    reason: WaitReason
    since: datetime
    until: datetime | None = None
    bot_id: int | None = None

    @property
    def remedy(self) -> str:
        """What organisers can do."""
        return SENTENCES[self.reason][1]

    def describe_problem(self, format_moment: Callable[[datetime], str]) -> str:
        """Which of several bots waits, and why."""
        until = "later" if self.until is None else format_moment(self.until)
        which = "" if self.bot_id is None else f"Bot {self.bot_id}: "
        return f"{which}{SENTENCES[self.reason][0].format(until=until)}"

    def explain(self, format_moment: Callable[[datetime], str]) -> str:
        """Which of several bots waits, why, and what organisers can do."""
        return f"{self.describe_problem(format_moment)} {self.remedy}"

    @property
    def facts(self) -> dict[str, str | None]:
        """The keys of the JSON of commands and of `/health`."""
        return {
            "for": self.reason.value,
            "why": str(self),
            "since": self.since.isoformat(timespec="seconds"),
            "until": None if self.until is None else self.until.isoformat(timespec="seconds"),
        }

    def __str__(self) -> str:
        return self.explain(format_utc)


def name_for_bot(name: str, bot_id: int | None) -> str:
    """The name of a heartbeat, wait or lease of one of several bots; `name` itself for the only bot (None)."""
    return name if bot_id is None else f"{name} {bot_id}"


def format_utc(moment: datetime) -> str:
    """For logs and `/health`, whose times are in UTC."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def record_wait(session: Session, wait: BotWait, *, now: datetime) -> None:
    """Store that a bot waits now, unless another one on this database receives updates."""
    heartbeat = session.get(Heartbeat, name_for_bot(POLLING, wait.bot_id))
    if heartbeat is not None and wait.since < heartbeat.at and now - heartbeat.at < RECEIVED_WITHIN:
        return
    name = name_for_bot(_PREFIX + wait.reason, wait.bot_id)
    session.merge(Incident(name=name, since=wait.since, seen_at=now, until=wait.until, doublings=0))
    session.flush()


def end_waits(session: Session, *, bot_id: int | None = None) -> None:
    """Delete what a bot waited for: updates come."""
    names = [name_for_bot(_PREFIX + reason, bot_id) for reason in WaitReason]
    session.connection().execute(sa.delete(Incident).where(col(Incident.name).in_(names)))


def find_heartbeat(session: Session) -> Heartbeat | None:
    """The latest heartbeat of any bot that gets updates from Telegram."""
    ours = col(Heartbeat.name).startswith(POLLING)
    return session.exec(select(Heartbeat).where(ours).order_by(col(Heartbeat.at).desc()).limit(1)).first()


def find_wait(session: Session, *, now: datetime) -> BotWait | None:
    """What a bot waits for now, None if none waits or none runs; of several that wait, the one that said so last."""
    stored = select(Incident).where(
        col(Incident.name).startswith(_PREFIX), col(Incident.seen_at) > now - SEEN_WITHIN, Incident.seen_at <= now
    )
    incident = session.exec(stored.order_by(col(Incident.seen_at).desc(), col(Incident.name)).limit(1)).first()
    if incident is None:
        return None
    reason, _, bot_id = incident.name.removeprefix(_PREFIX).partition(" ")
    bot = int(bot_id) if bot_id else None
    return BotWait(reason=WaitReason(reason), since=incident.since, until=incident.until, bot_id=bot)


def find_silence(session: Session, *, now: datetime) -> datetime | None:
    """Since when Telegram has brought nothing, None unless that is SILENT_AFTER ago or longer, or before any update."""
    heartbeat = find_heartbeat(session)
    return None if heartbeat is None or now - heartbeat.at < SILENT_AFTER else heartbeat.at
