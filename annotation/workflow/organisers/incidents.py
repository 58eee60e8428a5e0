"""Times when something is wrong with the bot, so that organisers are told of each as it begins and as it doubles.

What is wrong is read anew each minute, and looks a little different each time; an incident holds it together.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session

from annotation.store.models import Heartbeat, Incident

CALM = timedelta(hours=1)
"""An incident is over once it was not seen for so long; what comes later is another one."""
BACKLOG, GAP = "backlog", "gap"
"""The names of the incidents that something waits long for the bot, and that Telegram brought nothing."""
POLLING = "polling"
"""The name of the heartbeat of a bot that gets updates from Telegram."""
GAP_TIME = timedelta(minutes=5)
"""It is a gap where Telegram brought nothing for so long."""


def count_doublings(duration: timedelta, *, unit: timedelta) -> int:
    """0 for less than a unit, or a negative time; 1 from there on, 2 from two units, 3 from four, and so on."""
    return max(0, duration // unit).bit_length()


def note_incident(session: Session, *, name: str, since: datetime, doublings: int, now: datetime) -> Incident:
    """Record that something is wrong now; returns the incident that it belongs to, a new one after CALM.

    The number of doublings of an incident never falls.
    """
    incident = session.get(Incident, name)
    if incident is None:
        incident = Incident(name=name, since=since, seen_at=now, doublings=doublings)
    elif now - incident.seen_at > CALM:
        incident.since, incident.doublings = since, doublings
    incident.seen_at, incident.doublings = now, max(doublings, incident.doublings)
    session.add(incident)
    session.flush()
    return incident


def record_heartbeat(session: Session, *, now: datetime) -> None:
    """Record that Telegram brings updates now, and the gap where it had brought none for GAP_TIME or longer."""
    heartbeat = session.get(Heartbeat, POLLING) or Heartbeat(name=POLLING, at=now)
    doublings = count_doublings(now - heartbeat.at, unit=GAP_TIME)
    if doublings:
        session.merge(Incident(name=GAP, since=heartbeat.at, seen_at=now, doublings=doublings))
    heartbeat.at = now
    session.add(heartbeat)
    session.flush()


def find_open_gap(session: Session, *, now: datetime) -> Incident | None:
    """The gap that goes on now, None where there is none: how old the heartbeat is, whichever process writes it."""
    heartbeat = session.get(Heartbeat, POLLING)
    doublings = 0 if heartbeat is None else count_doublings(now - heartbeat.at, unit=GAP_TIME)
    if heartbeat is None or not doublings:
        return None
    return Incident(name=GAP, since=heartbeat.at, seen_at=now, doublings=doublings)


def get_last_gap(session: Session) -> Incident | None:
    """The latest gap that is over, None where there was none."""
    return session.get(Incident, GAP)
