"""Times when something is wrong with the bot, so that organisers are told of each as it begins and as it doubles.

What is wrong is read anew each minute, and looks a little different each time; an incident holds it together.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session

from annotation.store.models import Incident

CALM = timedelta(hours=1)
"""An incident is over once it was not seen for so long; what comes later is another one."""
BACKLOG = "backlog"
"""The name of the incident that something waits long for the bot."""


def count_doublings(duration: timedelta, *, unit: timedelta) -> int:
    """0 for less than a unit, 1 from there on, 2 from two units, 3 from four, and so on."""
    return (duration // unit).bit_length()


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
