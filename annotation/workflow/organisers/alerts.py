"""What organisers are told in the chat without asking: alerts, and once a day a digest; each once to each of them.

What is so at a time is read first, in a transaction that writes nothing. Who was told of it is kept by keys.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.store import notices, queries
from annotation.store.models import (
    Adjudication,
    AdjudicationCase,
    Annotator,
    Heartbeat,
    Incident,
    Item,
    OrganiserNotice,
    Participation,
    Project,
    Report,
    SupportMessage,
)
from annotation.store.table_base import UtcDateTime
from annotation.vocabulary import ParticipationStatus, ProjectStatus
from annotation.workflow.monitoring import bot_waits, campaign_status, decisions, progress
from annotation.workflow.monitoring.bot_waits import POLLING, BotWait
from annotation.workflow.monitoring.machine import MachineFacts
from annotation.workflow.monitoring.needs import Need, list_needs
from annotation.workflow.monitoring.progress import Doubt, Progress
from annotation.workflow.notices import announcements

CALM = timedelta(hours=1)
"""An incident is over once it was not seen for so long; what comes later is another one."""
BACKLOG_INCIDENT, GAP_INCIDENT = "backlog", "gap"
"""The names of the incidents that something waits long for the bot, and that Telegram brought nothing."""


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


def record_heartbeat(session: Session, *, now: datetime, bot_id: int | None = None) -> None:
    """Record that Telegram brings updates now, and the gap where it had brought none for `SILENT_AFTER` or longer.

    `bot_id` is the one of several bots that gets them. Whatever it waited for is over.
    """
    latest = bot_waits.find_heartbeat(session)
    since = now if latest is None else latest.at
    doublings = count_doublings(now - since, unit=bot_waits.SILENT_AFTER)
    if doublings:
        session.merge(Incident(name=GAP_INCIDENT, since=since, seen_at=now, doublings=doublings))
    name = bot_waits.name_for_bot(POLLING, bot_id)
    heartbeat = session.get(Heartbeat, name) or Heartbeat(name=name, at=now)
    heartbeat.at = now
    bot_waits.end_waits(session, bot_id=bot_id)
    session.add(heartbeat)
    session.flush()


def find_open_gap(session: Session, *, now: datetime) -> Incident | None:
    """The gap that goes on now, None where there is none: how old the heartbeat is, whichever process writes it."""
    heartbeat = bot_waits.find_heartbeat(session)
    doublings = 0 if heartbeat is None else count_doublings(now - heartbeat.at, unit=bot_waits.SILENT_AFTER)
    if heartbeat is None or not doublings:
        return None
    return Incident(name=GAP_INCIDENT, since=heartbeat.at, seen_at=now, doublings=doublings)


def get_last_gap(session: Session) -> Incident | None:
    """The latest gap that is over, None where there was none."""
    return session.get(Incident, GAP_INCIDENT)


GAP_TOLD = timedelta(days=1)
"""Organisers are told of a gap that is over if it ended so recently."""
DECISIONS_EVERY = timedelta(minutes=10)
"""How often an organiser is told at the most that decisions wait."""
MOST_KEYS = 1000
"""How many keys a statement looks for at once."""
DIGEST = notices.DIGEST
"""The name of a digest in the outbox."""


class AlertKind(StrEnum):
    """What an alert is about; the id of its text is `alert-` and the value."""

    HALF = "half"
    END = "end"
    STALL = "stall"
    DECISION = "decision"
    BACKLOG = "backlog"
    GAP = "gap"
    GAP_OVER = "gap-over"


URGENT = {AlertKind.BACKLOG, AlertKind.GAP, AlertKind.GAP_OVER}
"""Alerts that do not wait for the day; by night they make no sound."""
URGENT_TIME = timedelta(minutes=15)
"""An urgent alert that was not sent for so long is not sent: what is so then is told instead."""


@dataclass(frozen=True, kw_only=True)
class OrganiserAlert:
    """An alert: `key` names it, so that it is told once. `title` is that of the project that it is about, and
    `project` its name if it is to be closed.

    `since` is when it began; `count` is the number of answers (half, end) or of decisions that wait; `wait` says why
    nothing comes from Telegram, if the bot knows.
    """

    kind: AlertKind
    key: str
    title: str = ""
    project: str = ""
    since: datetime | None = None
    until: datetime | None = None
    count: int = 0
    wait: BotWait | None = None


@dataclass(frozen=True, kw_only=True)
class DigestLine:
    """A project in the digest: how far it is, and when it would be done."""

    title: str
    status: ProjectStatus
    progress: Progress
    end: datetime | None


@dataclass(frozen=True, kw_only=True)
class Backlog:
    """How many updates and messages wait for the bot, since when the oldest does, and how often BACKLOG has doubled."""

    oldest: datetime
    count: int
    doublings: int


@dataclass(frozen=True, kw_only=True)
class Observation:
    """What is so at the time `at`: alerts, what waits long for the bot, a line for each project that is not over.

    `measured` is the progress of all projects, by their ids, but for closed ones whose progress is known. `told` are
    the keys of alerts of which organisers, by the ids of their annotators, were told before. `needs` is what needs
    them, None unless a digest or new decisions are due. `doubts` are the items in doubt of the same projects as
    `measured`.
    """

    at: datetime
    alerts: tuple[OrganiserAlert, ...]
    backlog: Backlog | None
    digest: tuple[DigestLine, ...]
    measured: Mapping[int, Progress]
    told: Mapping[int, frozenset[str]]
    needs: tuple[Need, ...] | None
    doubts: Mapping[int, Sequence[Doubt]]


def observe_campaigns(
    session: Session,
    *,
    now: datetime,
    telegram_ids: Collection[int],
    default_zone: str,
    machine: MachineFacts | None = None,
) -> Observation:
    """Read what organisers may have to be told; nothing is written.

    `default_zone` is the time zone of people who have not told theirs, `machine` what is known of the machine.
    """
    alerts: list[OrganiserAlert] = []
    lines: list[DigestLine] = []
    all_measured: dict[int, Progress] = {}
    doubts: dict[int, Sequence[Doubt]] = {}
    for project in queries.list_projects(session):
        is_closed = project.status is ProjectStatus.CLOSED
        if project.overlap is None or (is_closed and progress.find_tally(session, project, now=now) is not None):
            continue
        measured = all_measured[project.id or 0] = progress.measure_progress(session, project, now=now)
        doubts[project.id or 0] = decisions.count_doubts(session, project)
        if is_closed or project.status is ProjectStatus.LOADED:
            continue
        alerts += _list_progress_alerts(project, measured, now=now)
        alerts += _list_decisions(session, project)
        alerts += _list_dispute_alerts(session, project, doubts[project.id or 0], now=now)
        end = measured.estimate_end(project.status, now=now)
        lines.append(DigestLine(title=project.title, status=project.status, progress=measured, end=end))
    alerts += _list_general_questions(session)
    alerts += _list_gaps(session, now=now)
    backlog = _find_backlog(session, now=now)
    keys = [alert.key for alert in alerts]
    organisers = list_organisers(session, telegram_ids)
    told = {organiser.id or 0: _find_told(session, keys, annotator_id=organiser.id or 0) for organiser in organisers}
    has_digest = bool(lines) and any(
        find_due_digest(session, organiser, now=now, default_zone=default_zone) for organiser in organisers
    )
    return Observation(
        at=now,
        alerts=tuple(alerts),
        backlog=backlog,
        digest=tuple(lines),
        measured=all_measured,
        told=told,
        needs=list_needs(session, now=now, default_zone=default_zone, machine=machine, measured=all_measured)
        if has_digest or _is_any_untold(alerts, told)
        else None,
        doubts=doubts,
    )


def find_due_digest(session: Session, organiser: Annotator, *, now: datetime, default_zone: str) -> str | None:
    """The key of the digest that an organiser is to get now, as their day has begun; None if none is due."""
    if announcements.find_day_end(now, organiser.time_zone, default=default_zone) is None:
        return None
    key = f"digest {now.astimezone(announcements.get_zone(organiser.time_zone, default_zone)):%Y-%m-%d}"
    return None if is_told(session, key, annotator_id=organiser.id or 0) else key


def store_progress(session: Session, observed: Observation) -> None:
    """Keep how far the projects are, so that no card has to count it."""
    progress.store_tallies(session, observed.measured, observed.doubts, at=observed.at)


def _list_progress_alerts(project: Project, measured: Progress, *, now: datetime) -> Iterator[OrganiserAlert]:
    """Half and end once for each overlap that the project was given; a stall once for each."""
    about = f"{project.id} {project.overlap} {project.overlap_max}"
    if 0 < measured.needed <= 2 * measured.done < 2 * measured.needed:
        yield OrganiserAlert(kind=AlertKind.HALF, key=f"half {about}", title=project.title, count=measured.done)
    if 0 < measured.needed <= measured.done:
        key = f"end {about} {measured.items}"
        yield OrganiserAlert(
            kind=AlertKind.END, key=key, title=project.title, project=project.name, count=measured.done
        )
    stalled = measured.find_stall(project.status, now=now)
    if stalled is not None:
        key = f"stall {project.id} {stalled.isoformat(timespec='seconds')}"
        yield OrganiserAlert(kind=AlertKind.STALL, key=key, title=project.title, since=stalled)


def _list_decisions(session: Session, project: Project) -> Iterator[OrganiserAlert]:
    """An alert for each question, report, item of a gold review and stopped annotator that waits for a decision.

    Its key has the time since when it waits: what was decided and waits again is told again.
    """
    questions = select(SupportMessage.id, SupportMessage.at)
    questions = questions.where(SupportMessage.project_id == project.id, *_list_unanswered_conditions())
    reports = select(Report.id, Report.at).join(Item, col(Item.id) == col(Report.item_id))
    reports = reports.where(Item.project_id == project.id, col(Report.resolved_at).is_(None))
    decided = queries.build_decided_condition(col(AdjudicationCase.item_id), col(AdjudicationCase.question))
    since = func.coalesce(
        _build_taken_back(col(AdjudicationCase.item_id), col(AdjudicationCase.question)),
        col(AdjudicationCase.created_at),
        type_=UtcDateTime(),
    )
    drawn = select(AdjudicationCase.id, since).join(Item, col(Item.id) == col(AdjudicationCase.item_id))
    drawn = drawn.where(
        Item.project_id == project.id, col(AdjudicationCase.gold_review_id).is_not(None), sa.not_(decided)
    )
    stopped = select(Participation.annotator_id, Participation.since).where(
        Participation.project_id == project.id, Participation.status == ParticipationStatus.PAUSED
    )
    waiting_for = {"question": questions, "report": reports, "case": drawn, f"stopped {project.id}": stopped}
    for name, query in waiting_for.items():
        for number, waits_since in session.exec(query):
            yield _build_decision_alert(f"{name} {number}", waits_since, title=project.title)


def _list_dispute_alerts(
    session: Session, project: Project, doubts: Sequence[Doubt], *, now: datetime
) -> Iterator[OrganiserAlert]:
    """An alert for each item to adjudicate, whether or not somebody has called `hromada adjudicate` since."""
    found = decisions.list_disputes(session, project, now=now, counted=doubts)
    if not found:
        return
    taken_back = select(Item.external_id, Adjudication.question, func.max(Adjudication.at, type_=UtcDateTime()))
    taken_back = taken_back.join(Item, col(Item.id) == col(Adjudication.item_id))
    taken_back = taken_back.where(Item.project_id == project.id).group_by(Item.external_id, Adjudication.question)
    times = {(item, question): at for item, question, at in session.exec(taken_back)}
    for dispute in found:
        about = f"{project.id}\x1f{dispute.question}\x1f{dispute.item}"
        since = times.get((dispute.item, dispute.question), project.started_at or now)
        name = hashlib.sha256(about.encode()).hexdigest()[:32]  # an id may be longer than a key
        yield _build_decision_alert(f"dispute {name}", since, title=project.title)


def _build_taken_back(item_id: Any, question: Any) -> sa.ScalarSelect[datetime]:
    """When a decision on an item was last stored or taken back; no time if there was none."""
    latest = sa.select(func.max(col(Adjudication.at), type_=UtcDateTime()))
    return latest.where(col(Adjudication.item_id) == item_id, col(Adjudication.question) == question).scalar_subquery()


def _is_any_untold(alerts: Sequence[OrganiserAlert], told: Mapping[int, Collection[str]]) -> bool:
    """Whether a decision waits of which an organiser was not told."""
    keys = [alert.key for alert in alerts if alert.kind is AlertKind.DECISION]
    return any(key not in known for known in told.values() for key in keys)


def _list_general_questions(session: Session) -> list[OrganiserAlert]:
    """An alert for each question that is about no project."""
    questions = select(SupportMessage.id, SupportMessage.at).where(
        col(SupportMessage.project_id).is_(None), *_list_unanswered_conditions()
    )
    return [_build_decision_alert(f"question {number}", since, title="") for number, since in session.exec(questions)]


def _build_decision_alert(name: str, since: datetime, *, title: str) -> OrganiserAlert:
    key = f"decision {name} {since.isoformat(timespec='seconds')}"
    return OrganiserAlert(kind=AlertKind.DECISION, key=key, title=title, count=1)


def _list_unanswered_conditions() -> tuple[sa.ColumnElement[bool], ...]:
    return col(SupportMessage.answered_at).is_(None), col(SupportMessage.text) != ""


def _find_backlog(session: Session, *, now: datetime) -> Backlog | None:
    """What has waited for BACKLOG or longer, None where nothing has."""
    counted = campaign_status.count_waiting_deliveries(session, now=now)
    oldest = min((at for at in (counted.oldest_update, counted.oldest_message) if at is not None), default=now)
    doublings = count_doublings(now - oldest, unit=campaign_status.BACKLOG)
    if not doublings:
        return None
    return Backlog(oldest=oldest, count=counted.updates + counted.messages, doublings=doublings)


def list_incident_alerts(session: Session, observed: Observation) -> list[OrganiserAlert]:
    """An alert where something has waited long for the bot; its key is another one once that has doubled."""
    backlog = observed.backlog
    if backlog is None:
        return []
    incident = note_incident(
        session, name=BACKLOG_INCIDENT, since=backlog.oldest, doublings=backlog.doublings, now=observed.at
    )
    key = f"backlog {incident.since.isoformat(timespec='seconds')} {incident.doublings}"
    return [OrganiserAlert(kind=AlertKind.BACKLOG, key=key, since=backlog.oldest, count=backlog.count)]


def _list_gaps(session: Session, *, now: datetime) -> Iterator[OrganiserAlert]:
    """An alert where nothing comes from Telegram, another one each time that it has doubled, one once it is over."""
    gap, last = find_open_gap(session, now=now), get_last_gap(session)
    if gap is not None:
        key = f"gap {gap.since.isoformat(timespec='seconds')} {gap.doublings}"
        yield OrganiserAlert(kind=AlertKind.GAP, key=key, since=gap.since, wait=bot_waits.find_wait(session, now=now))
    if last is not None and now - last.seen_at < GAP_TOLD:
        key = f"gap over {last.since.isoformat(timespec='seconds')}"
        yield OrganiserAlert(kind=AlertKind.GAP_OVER, key=key, since=last.since, until=last.seen_at)


def list_organisers(session: Session, telegram_ids: Collection[int]) -> Sequence[Annotator]:
    """The organisers whom the bot can write to: those who have written to it, and have not blocked it."""
    reachable = select(Annotator).where(
        col(Annotator.telegram_id).in_(telegram_ids), col(Annotator.unreachable_at).is_(None)
    )
    return session.exec(reachable.order_by(col(Annotator.id))).all()


def list_untold(
    session: Session, alerts: Sequence[OrganiserAlert], *, annotator_id: int, now: datetime
) -> list[OrganiserAlert]:
    """The alerts of which an organiser was not told; decisions not before DECISIONS_EVERY after the last ones."""
    if any(alert.kind is AlertKind.DECISION for alert in alerts):
        lately = select(OrganiserNotice.key).where(
            OrganiserNotice.annotator_id == annotator_id,
            col(OrganiserNotice.key).startswith("decision "),
            OrganiserNotice.at > now - DECISIONS_EVERY,
        )
        if session.exec(lately.limit(1)).first() is not None:
            alerts = [alert for alert in alerts if alert.kind is not AlertKind.DECISION]
    told = _find_told(session, [alert.key for alert in alerts], annotator_id=annotator_id)
    return [alert for alert in alerts if alert.key not in told]


def _find_told(session: Session, keys: Sequence[str], *, annotator_id: int) -> frozenset[str]:
    """Of which of these keys an organiser was told; any number of keys, of which a statement takes so many."""
    of_organiser = select(OrganiserNotice.key).where(OrganiserNotice.annotator_id == annotator_id)
    told: set[str] = set()
    for start in range(0, len(keys), MOST_KEYS):
        some = col(OrganiserNotice.key).in_(keys[start : start + MOST_KEYS])
        told.update(session.exec(of_organiser.where(some)))
    return frozenset(told)


def name_message(at: datetime, *, is_urgent: bool) -> str:
    """The name in the outbox of a message with alerts."""
    return notices.name_alerts(at, urgent=is_urgent)


def mark_told(session: Session, keys: Sequence[str], *, annotator_id: int, notice: str, now: datetime) -> None:
    """Record that an organiser was told of these alerts, or got a digest, in the message of this name."""
    rows = [{"annotator_id": annotator_id, "key": key, "notice": notice, "at": now} for key in keys]
    session.connection().execute(sa.insert(OrganiserNotice), rows)


def is_told(session: Session, key: str, *, annotator_id: int) -> bool:
    """Whether an organiser was told of this."""
    return session.get(OrganiserNotice, (annotator_id, key)) is not None
