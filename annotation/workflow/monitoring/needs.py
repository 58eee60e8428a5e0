"""What needs the organisers: one list from one count, for dashboard, `/admin`, `status`, `doctor` and digest alike.

Each surface shows the whole list in its own words and with its own buttons or commands; none counts anything itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.store import parked, processes, queries
from annotation.store.models import (
    AdjudicationCase,
    Annotator,
    Assignment,
    Inbox,
    Item,
    LabelStudioBatch,
    Participation,
    Project,
    Report,
    SupportMessage,
)
from annotation.store.table_base import UtcDateTime
from annotation.vocabulary import AssignmentStatus, ParticipationStatus, ProjectStatus, Surface
from annotation.workflow import definitions
from annotation.workflow.monitoring import bot_waits, campaign_status, decisions, progress
from annotation.workflow.monitoring.bot_waits import BotWait
from annotation.workflow.monitoring.machine import MachineFacts
from annotation.workflow.monitoring.progress import Progress
from annotation.workflow.notices.waiting_announcements import list_waiting_announcements
from annotation.workflow.review import submissions


class NeedKind(StrEnum):
    """What an organiser should deal with, the most urgent first."""

    BOT = "bot"
    DISK = "disk"
    SILENCE = "silence"
    BACKLOG = "backlog"
    PARKED = "parked"
    STALL = "stall"
    QUESTION = "question"
    REPORT = "report"
    PAUSED = "paused"
    DISPUTE = "dispute"
    GOLD_REVIEW = "gold-review"
    REVIEW = "review"
    LATE = "late"
    SET_ASIDE = "set-aside"
    COPIES = "copies"
    BROADCAST = "broadcast"
    BACKUP = "backup"
    END = "end"


URGENCY = {kind: place for place, kind in enumerate(NeedKind)}
FAULTS = frozenset({NeedKind.BOT, NeedKind.DISK, NeedKind.SILENCE, NeedKind.BACKLOG, NeedKind.PARKED})
"""What keeps people from being served, whatever they answer."""

MESSAGES = frozenset({NeedKind.QUESTION, NeedKind.REPORT})
"""What annotators wrote, which an organiser answers in the chat."""
DECISIONS = MESSAGES | {NeedKind.PAUSED, NeedKind.DISPUTE, NeedKind.GOLD_REVIEW, NeedKind.REVIEW}
"""What waits for a decision; `count` is the number of decisions."""


@dataclass(frozen=True, kw_only=True)
class Need:
    """Something that needs an organiser, with its number and since when the first of it waits (None if unknown).

    `project_id`, `project` and `title` are those of the project; None if it is about no single project, though the
    title may be that of a programme. `part` is how many of `count` are ties (DISPUTE), or how many items are late
    (LATE). `names` are pseudonyms (PAUSED, LATE) or a file (BACKUP). `wait` says why nothing comes from
    Telegram, `until` when a broadcast goes out, `free` and `needed` are bytes of the disk.
    """

    kind: NeedKind
    count: int = 1
    project_id: int | None = None
    project: str | None = None
    title: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    part: int = 0
    names: tuple[str, ...] = ()
    wait: BotWait | None = None
    free: int = 0
    needed: int = 0

    @property
    def is_fault(self) -> bool:
        """Whether people who come are not served; where no bot has worked yet, nobody has come."""
        return self.kind in FAULTS and not (self.kind is NeedKind.BOT and self.since is None)


def list_needs(
    session: Session,
    *,
    now: datetime,
    default_zone: str,
    machine: MachineFacts | None = None,
    measured: Mapping[int, Progress] | None = None,
) -> tuple[Need, ...]:
    """List what needs the organisers in the whole database, the most urgent first; nothing is written.

    `machine` has what is known of the machine: without it nothing is said about disk and backups. `measured` is the
    progress of projects by their ids, as far as it was measured at this time. `default_zone` is the time zone of people
    who have not told theirs.
    """
    loaded = {project.id or 0: project for project in queries.list_projects(session)}
    running = [project for project in loaded.values() if project.status is ProjectStatus.RUNNING and project.overlap]
    found = [
        *_list_bot_needs(session, running, now=now),
        *_list_machine_needs(session, machine, now=now),
        *_list_parked_needs(session),
        *_list_progress_needs(session, running, measured or {}, now=now),
        *_list_messages(session, loaded),
        *_list_paused_people(session, loaded),
        *_list_cases(session, loaded, now=now),
        *_list_reviews(session, loaded),
        *_list_late_people(session, loaded, now=now),
        *_list_broadcasts(session, loaded, now=now, default_zone=default_zone),
    ]
    return tuple(sorted(found, key=lambda need: (URGENCY[need.kind], need.since or now, need.project or "")))


def select_needs(needs: Iterable[Need], projects: Iterable[str]) -> tuple[Need, ...]:
    """Those of the needs that are about one of these projects, by name, or about none."""
    names = {None, *projects}
    return tuple(need for need in needs if need.project in names)


def measure_urgency(needs: Iterable[Need], project_ids: Iterable[int | None]) -> int:
    """The place in URGENCY of the most urgent need of these projects; larger than any other if they have none."""
    ids = {*project_ids}
    return min((URGENCY[need.kind] for need in needs if need.project_id in ids), default=len(URGENCY))


def rank_projects(needs: Collection[Need], projects: Iterable[Project]) -> list[Project]:
    """The projects with the most urgent need first, then running ones, closed ones at the end."""
    order = (ProjectStatus.RUNNING, ProjectStatus.PAUSED, ProjectStatus.LOADED, ProjectStatus.CLOSED)
    return sorted(projects, key=lambda one: (measure_urgency(needs, (one.id,)), order.index(one.status), one.id))


def is_bot_working(session: Session, *, now: datetime) -> bool:
    """Whether any bot works on the database: each holds a lease while it does."""
    end = processes.find_last_lease_end(session)
    return end is not None and end > now


def _list_bot_needs(session: Session, running: Sequence[Project], *, now: datetime) -> Iterator[Need]:
    """Whether a bot works and gets updates, and what has waited for it for too long."""
    waiting = campaign_status.count_waiting_deliveries(session, now=now)
    oldest = min((at for at in (waiting.oldest_update, waiting.oldest_message) if at is not None), default=None)
    if is_bot_working(session, now=now):
        silent_since = bot_waits.find_silence(session, now=now)
        if waiting.wait is not None or silent_since is not None:
            since = silent_since if waiting.wait is None else waiting.wait.since
            yield Need(kind=NeedKind.SILENCE, since=since, wait=waiting.wait)
    else:
        ended = processes.find_last_lease_end(session)
        has_work = bool(running) or waiting.updates + waiting.messages > 0
        if has_work and (ended is not None or _needs_first_bot(session, running)):
            yield Need(kind=NeedKind.BOT, since=ended)
    if waiting.late:
        yield Need(kind=NeedKind.BACKLOG, count=waiting.late, since=oldest)


def _needs_first_bot(session: Session, running: Sequence[Project]) -> bool:
    """Whether no bot ever received anything though a project runs that waits for people in Telegram.

    One for which somebody works in Label Studio, or whose only annotators are simulated, does not.
    """
    if session.exec(select(Inbox.update_id).limit(1)).first() is not None:
        return False
    served = set(session.exec(select(LabelStudioBatch.project_id).distinct()))
    kinds = session.exec(
        select(Participation.project_id, Annotator.simulated)
        .join(Annotator, col(Annotator.id) == Participation.annotator_id)
        .distinct()
    ).all()
    real = {project_id for project_id, simulated in kinds if not simulated}
    served |= {project_id for project_id, _ in kinds} - real
    return any(project.id not in served for project in running)


def _list_machine_needs(session: Session, machine: MachineFacts | None, *, now: datetime) -> Iterator[Need]:
    if machine is None:
        return
    if machine.is_disk_full:
        yield Need(kind=NeedKind.DISK, free=machine.free, needed=machine.needed)
    if machine.is_backup_due(session, now=now):
        names = () if machine.backup is None else (str(machine.backup),)
        yield Need(kind=NeedKind.BACKUP, since=machine.backup_at, names=names)


def _list_parked_needs(session: Session) -> Iterator[Need]:
    """What was parked, and what waits in Label Studio for a decision about the database."""
    counts = parked.count_parked(session)
    if counts.updates + counts.messages:
        oldest, *_ = parked.list_parked(session)
        yield Need(kind=NeedKind.PARKED, count=counts.updates + counts.messages, since=oldest.parked_at)
    if counts.annotations:
        yield Need(kind=NeedKind.SET_ASIDE, count=counts.annotations)
    if counts.copies:
        yield Need(kind=NeedKind.COPIES, count=counts.copies)


def _list_progress_needs(
    session: Session, running: Sequence[Project], measured: Mapping[int, Progress], *, now: datetime
) -> Iterator[Need]:
    """Running projects that have stalled, or have all their answers."""
    for project in running:
        known = measured.get(project.id or 0) or progress.recall_progress(session, project, now=now)
        stalled = known.find_stall(project.status, now=now)
        if stalled is not None:
            yield _build_need(NeedKind.STALL, project, since=stalled)
        if 0 < known.needed <= known.done:
            yield _build_need(NeedKind.END, project, count=known.done, since=known.last_answer_at)


def _build_need(
    kind: NeedKind,
    project: Project | None,
    *,
    count: int = 1,
    since: datetime | None = None,
    part: int = 0,
    names: tuple[str, ...] = (),
) -> Need:
    name, title = (None, None) if project is None else (project.name, project.title)
    project_id = None if project is None else project.id
    return Need(
        kind=kind, count=count, project_id=project_id, project=name, title=title, since=since, part=part, names=names
    )


def _list_messages(session: Session, loaded: Mapping[int, Project]) -> Iterator[Need]:
    """Questions that nobody answered and reports that nobody resolved, by project."""
    questions = select(SupportMessage.project_id, func.count(), func.min(SupportMessage.at, type_=UtcDateTime())).where(
        col(SupportMessage.answered_at).is_(None), col(SupportMessage.text) != ""
    )
    for project_id, count, since in session.exec(questions.group_by(col(SupportMessage.project_id))):
        yield _build_need(NeedKind.QUESTION, loaded.get(project_id or 0), count=count, since=since)
    # from the reports to their items: a join would go through all items of the project
    reported_in = select(Item.project_id).where(col(Item.id) == col(Report.item_id)).scalar_subquery()
    reports = select(reported_in, Report.at).where(col(Report.resolved_at).is_(None)).order_by(col(Report.at))
    for project_id, times in _group_times(session.exec(reports)).items():
        yield _build_need(NeedKind.REPORT, loaded[project_id], count=len(times), since=times[0])


def _list_paused_people(session: Session, loaded: Mapping[int, Project]) -> Iterator[Need]:
    """Annotators whom a quality rule paused, by project."""
    paused = (
        select(Participation.project_id, Annotator.pseudonym, Participation.since)
        .join(Annotator, col(Annotator.id) == col(Participation.annotator_id))
        .where(Participation.status == ParticipationStatus.PAUSED)
        .order_by(col(Participation.since), col(Annotator.pseudonym))
    )
    by_project: dict[int, list[tuple[str, datetime]]] = defaultdict(list)
    for project_id, name, since in session.exec(paused):
        by_project[project_id].append((name, since))
    for project_id, people in by_project.items():
        names = tuple(name for name, _ in people)
        yield _build_need(NeedKind.PAUSED, loaded[project_id], count=len(people), since=people[0][1], names=names)


def _list_cases(session: Session, loaded: Mapping[int, Project], *, now: datetime) -> Iterator[Need]:
    """Items to adjudicate, and items of a gold review, by project."""
    for project in loaded.values():
        disputes = decisions.list_disputes(session, project, now=now)
        if disputes:
            ties = sum(dispute.is_tie for dispute in disputes)
            yield _build_need(NeedKind.DISPUTE, project, count=len(disputes), since=disputes[0].at, part=ties)
    decided = queries.build_decided_condition(col(AdjudicationCase.item_id), col(AdjudicationCase.question))
    # from the cases to their items, as for reports
    in_project = select(Item.project_id).where(col(Item.id) == col(AdjudicationCase.item_id)).scalar_subquery()
    drawn = select(in_project, AdjudicationCase.created_at).where(
        col(AdjudicationCase.gold_review_id).is_not(None), sa.not_(decided)
    )
    by_project = _group_times(session.exec(drawn.order_by(col(AdjudicationCase.created_at))))
    for project_id, times in by_project.items():
        yield _build_need(NeedKind.GOLD_REVIEW, loaded[project_id], count=len(times), since=times[0])


def _group_times(rows: Iterable[tuple[int, datetime]]) -> dict[int, list[datetime]]:
    """Times by the id of their project, in their order."""
    found: dict[int, list[datetime]] = defaultdict(list)
    for project_id, at in rows:
        found[project_id].append(at)
    return found


def _list_reviews(session: Session, loaded: Mapping[int, Project]) -> Iterator[Need]:
    """Answers that wait for a reviewer, in projects that plan reviews or in which somebody began one."""
    begun = submissions.list_reviewed_projects(session)
    for project_id, project in loaded.items():
        definition = definitions.get_project_definition(project)
        is_planned = definition.review is not None or project_id in begun
        if is_planned and not all(question.is_closed for question in definition.all_questions):
            count, since = submissions.count_waiting_answers(session, project)
            if count:
                yield _build_need(NeedKind.REVIEW, project, count=count, since=since)


def _list_late_people(session: Session, loaded: Mapping[int, Project], *, now: datetime) -> Iterator[Need]:
    """Annotators whose items in Label Studio are past their date, by project."""
    late = (
        select(Assignment.project_id, Annotator.pseudonym, Assignment.lease_until)
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .where(
            Assignment.surface == Surface.LABEL_STUDIO,
            Assignment.status == AssignmentStatus.LIVE,
            col(Assignment.lease_until) < now,
        )
    )
    items: dict[int, Counter[str]] = defaultdict(Counter)
    first: dict[int, datetime] = {}
    for project_id, name, due in session.exec(late.order_by(col(Assignment.lease_until))):
        items[project_id][name] += 1
        first.setdefault(project_id, due or now)
    for project_id, people in items.items():
        yield _build_need(
            NeedKind.LATE, loaded[project_id], count=len(people), since=first[project_id],
            part=people.total(), names=tuple(people),
        )  # fmt: skip


def _list_broadcasts(
    session: Session, loaded: Mapping[int, Project], *, now: datetime, default_zone: str
) -> Iterator[Need]:
    """Announcements that wait for the morning: in none of their recipients' places is it day."""
    for waiting in list_waiting_announcements(session, now=now, default_zone=default_zone):
        if waiting.next_at > now:
            need = _build_need(
                NeedKind.BROADCAST, loaded.get(waiting.project_id or 0), count=waiting.waiting, since=waiting.sent_at
            )
            yield replace(need, title=waiting.title, until=waiting.next_at)
