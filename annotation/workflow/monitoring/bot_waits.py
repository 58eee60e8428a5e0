"""What a bot waits for while nothing comes from Telegram: its log, `/health`, commands and organisers say it.

The bot that waits stores it while it lasts; the next update that any bot receives deletes it.
"""

from __future__ import annotations

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
    """Why a bot waits for Telegram and since when; `until` when, if Telegram has said so."""

    reason: WaitReason
    since: datetime
    until: datetime | None = None

    @property
    def problem(self) -> str:
        """The first sentence, for logs and `/health`: why it waits; its time is in UTC."""
        until = "later" if self.until is None else f"{self.until.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        return SENTENCES[self.reason][0].format(until=until)

    @property
    def remedy(self) -> str:
        """The second sentence: what organisers can do."""
        return SENTENCES[self.reason][1]

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
        return f"{self.problem} {self.remedy}"


def record_wait(session: Session, wait: BotWait, *, now: datetime) -> None:
    """Store that a bot waits now, unless another one on this database receives updates."""
    heartbeat = session.get(Heartbeat, POLLING)
    if heartbeat is not None and wait.since < heartbeat.at and now - heartbeat.at < RECEIVED_WITHIN:
        return
    session.merge(
        Incident(name=_PREFIX + wait.reason, since=wait.since, seen_at=now, until=wait.until, doublings=0),
    )
    session.flush()


def end_waits(session: Session) -> None:
    """Delete what bots waited for: updates come."""
    session.connection().execute(sa.delete(Incident).where(col(Incident.name).startswith(_PREFIX)))


def find_wait(session: Session, *, now: datetime) -> BotWait | None:
    """What a bot waits for now, None if none waits or none runs."""
    stored = select(Incident).where(
        col(Incident.name).startswith(_PREFIX), col(Incident.seen_at) > now - SEEN_WITHIN, Incident.seen_at <= now
    )
    incident = session.exec(stored.order_by(col(Incident.seen_at).desc(), col(Incident.name)).limit(1)).first()
    if incident is None:
        return None
    reason = WaitReason(incident.name.removeprefix(_PREFIX))
    return BotWait(reason=reason, since=incident.since, until=incident.until)


def find_silence(session: Session, *, now: datetime) -> datetime | None:
    """Since when Telegram has brought nothing, None unless that is SILENT_AFTER ago or longer, or before any update."""
    heartbeat = session.get(Heartbeat, POLLING)
    return None if heartbeat is None or now - heartbeat.at < SILENT_AFTER else heartbeat.at
