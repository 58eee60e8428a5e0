"""The way of one item: who got it where and until when, what they answered, and what became of the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from aggregation import spelling
from annotation.errors import NotFound, Where
from annotation.store import journal, judgements, queries
from annotation.store.models import (
    Adjudication,
    Annotator,
    Assignment,
    Consent,
    Item,
    Journal,
    Judgement,
    LabelStudioTask,
    Participation,
    Programme,
    Project,
    Report,
    SubmissionReview,
    TextVersion,
)
from annotation.vocabulary import (
    SECOND_PASS_OCCASION,
    AssignmentEnd,
    AssignmentStatus,
    Event,
    Stage,
    Surface,
    TextKind,
)
from annotation.workflow.definitions import get_programme_scope
from annotation.workflow.monitoring import progress
from annotation.workflow.monitoring.progress import ItemTally


@dataclass(frozen=True, kw_only=True)
class ReadText:
    """A version of a text: `version` is the organiser's own number, of consents alone.

    `n_people` counts who agreed to it and still does, or answered a main item under it; `n_answers` the main answers
    under it.
    """

    kind: TextKind
    scope: str
    version: str | None
    sha256: str
    text: str
    n_people: int
    n_answers: int | None = None


def list_read_texts(session: Session, project: Project, *, scopes: tuple[str, ...]) -> tuple[ReadText, ...]:
    """The versions of instructions, consents (of `scopes`) and content warnings; those in force are there unread, too.

    Sorted by kind, scope, and sha256.
    """
    own = f"project {project.name}"
    read_texts = [
        *_list_instructions(session, project, own),
        *_list_consents(session, scopes),
        *_list_warnings(session, project, own),
    ]
    listed = {(text.kind, text.sha256) for text in read_texts}
    in_force = {own: project.texts or {}}
    for programme in session.exec(select(Programme)):
        if get_programme_scope(programme) in scopes:
            in_force[get_programme_scope(programme)] = programme.texts or {}
    for scope, texts in in_force.items():
        for kind, sha256 in texts.items():
            if (TextKind(kind), sha256) not in listed:
                text = _find_text(session, TextKind(kind), sha256)
                read_texts.append(
                    ReadText(kind=TextKind(kind), scope=scope, version=None, sha256=sha256, text=text, n_people=0)
                )
    return tuple(sorted(read_texts, key=lambda text: (text.kind.value, text.scope, text.version or "", text.sha256)))


def _find_text(session: Session, kind: TextKind, sha256: str) -> str:
    stored = session.get(TextVersion, (sha256, kind))
    return "" if stored is None else stored.text


def _list_instructions(session: Session, project: Project, scope: str) -> list[ReadText]:
    counted = (
        sa.select(
            col(Assignment.instructions_sha256),
            func.count(func.distinct(col(Assignment.annotator_id))),
            func.count(),
        )
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            col(Assignment.project_id) == project.id,
            col(Assignment.stage) == Stage.MAIN,
            col(Assignment.instructions_sha256).is_not(None),
            judgements.build_final_revision_condition(),
        )
        .group_by(col(Assignment.instructions_sha256))
    )
    return [
        ReadText(
            kind=TextKind.INSTRUCTIONS,
            scope=scope,
            version=None,
            sha256=sha256,
            text=_find_text(session, TextKind.INSTRUCTIONS, sha256)
            or (project.instructions if sha256 == project.instructions_sha256 else ""),
            n_people=people,
            n_answers=answers,
        )
        for sha256, people, answers in session.execute(counted)
    ]


def _list_consents(session: Session, scopes: tuple[str, ...]) -> list[ReadText]:
    counted = (
        select(
            Consent.scope,
            Consent.version,
            Consent.sha256,
            func.count(func.distinct(col(Consent.annotator_id))).filter(col(Consent.withdrawn_at).is_(None)),
        )
        .where(col(Consent.scope).in_(scopes))
        .group_by(col(Consent.scope), col(Consent.version), col(Consent.sha256))
    )
    return [
        ReadText(
            kind=TextKind.CONSENT,
            scope=scope,
            version=version,
            sha256=sha256,
            text=_find_text(session, TextKind.CONSENT, sha256),
            n_people=people,
        )
        for scope, version, sha256, people in session.exec(counted)
    ]


def _list_warnings(session: Session, project: Project, scope: str) -> list[ReadText]:
    counted = (
        select(Participation.warning_sha256, func.count())
        .where(Participation.project_id == project.id, col(Participation.warning_sha256).is_not(None))
        .group_by(col(Participation.warning_sha256))
    )
    return [
        ReadText(
            kind=TextKind.WARNING,
            scope=scope,
            version=None,
            sha256=sha256,
            text=_find_text(session, TextKind.WARNING, sha256),
            n_people=people,
        )
        for sha256, people in session.exec(counted)
        if sha256 is not None
    ]


SURFACE_NAMES = {Surface.TELEGRAM: "in Telegram", Surface.LABEL_STUDIO: "for Label Studio"}
ENDS: Mapping[AssignmentEnd, str] = {
    AssignmentEnd.EXPIRED: "ended without an answer",
    AssignmentEnd.RELEASED: "taken back by an organiser",
    AssignmentEnd.MOVED: "moved to Label Studio",
    AssignmentEnd.PAUSED: "given back, as the annotator paused or began other work",
    AssignmentEnd.BARRED: "taken back, as the annotator cannot work here now",
    AssignmentEnd.WITHDRAWN: "taken back, as the annotator withdrew",
    AssignmentEnd.ITEM_CHANGED: "taken back, as the item was changed",
    AssignmentEnd.PROJECT_CLOSED: "taken back, as the project was closed",
}
"""How an assignment ended without an answer."""


@dataclass(frozen=True, kw_only=True)
class ItemEvent:
    """Something that happened to an item; `at` is None where its time is not known, `who` a pseudonym where it has one.

    `answer` is what was answered, empty where it is not to be seen, or where nothing was answered. `until` is when an
    assignment ends.
    """

    at: datetime | None
    who: str | None
    what: str
    until: datetime | None = None
    answer: str = ""


@dataclass(frozen=True, kw_only=True)
class ItemHistory:
    """An item with its counts, and what happened to it in the order of time."""

    tally: ItemTally
    pool: str
    group: str
    revision: int
    events: tuple[ItemEvent, ...]


def get_item_history(session: Session, project: Project, external_id: str, *, with_votes: bool) -> ItemHistory:
    """The way of an item, without answers unless `with_votes`; raises NotFound where the project has no such item."""
    item_id = queries.resolve_item_id(session, project_id=project.id or 0, written=external_id)
    chosen = select(Item).where(Item.project_id == project.id, Item.external_id == item_id)
    item = session.exec(chosen).first()
    if item is None:
        raise NotFound(
            f"{project.name} has no item {spelling.quote_word(external_id)}.",
            where=Where(field="--item"),
            remedy="Ids are written as in the items' file.",
        )
    (tally,) = progress.measure_items(session, [item], with_votes=with_votes)
    events = [
        *_list_assignment_events(session, item, with_votes=with_votes),
        *_list_other_events(session, item, with_votes=with_votes),
    ]
    return ItemHistory(
        tally=tally,
        pool=item.pool.value,
        group=item.group_id,
        revision=item.revision,
        events=tuple(_sort_by_time(events)),
    )


def _sort_by_time(events: Sequence[ItemEvent]) -> list[ItemEvent]:
    """By time; what has none follows what the same person did before it, or comes first."""
    moments: list[float] = []
    for number, event in enumerate(events):
        follows = number and events[number - 1].who == event.who
        unknown = moments[-1] if follows else 0.0
        moments.append(unknown if event.at is None else event.at.timestamp())
    return [events[number] for number in sorted(range(len(events)), key=moments.__getitem__)]


def _list_assignment_events(session: Session, item: Item, *, with_votes: bool) -> Iterator[ItemEvent]:
    chosen = (
        select(Assignment, Annotator, LabelStudioTask)
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .outerjoin(LabelStudioTask, col(LabelStudioTask.assignment_id) == col(Assignment.id))
        .where(Assignment.item_id == item.id)
    )
    found = session.exec(chosen).all()
    changes = journal.list_assignment_events(
        session, project_id=item.project_id, assignment_ids={assignment.id or 0 for assignment, _, _ in found}
    )
    for assignment, annotator, task in found:
        who = annotator.pseudonym
        is_imported = assignment.surface is Surface.IMPORT
        own_changes = changes.get(assignment.id or 0, ())
        deleted = [change for change in own_changes if change.event == Event.TASK_DELETED]
        if not is_imported:
            turns = [change for change in own_changes if change.event != Event.TASK_DELETED]
            yield from _list_turns(assignment, turns, who=who)
        for change in deleted:
            number, sent_at = change.data["task"], change.data["sent_at"]
            if sent_at is not None:
                at = datetime.fromisoformat(sent_at)
                yield ItemEvent(at=at, who=who, what=f"sent to Label Studio, task {number}")
            yield ItemEvent(at=change.at, who=who, what=f"deleted in Label Studio, task {number}")
        if task is not None and task.sent_at is not None:
            number = "" if task.remote_id is None else f", task {task.remote_id}"
            yield ItemEvent(at=task.sent_at, who=who, what=f"sent to Label Studio{number}")
        answers = select(Judgement).where(Judgement.assignment_id == assignment.id).order_by(col(Judgement.revision))
        for judgement in session.exec(answers).all():
            event = _build_answer_event(judgement, who=who, with_votes=with_votes)
            yield replace(event, what=f"{event.what} (imported)") if is_imported else event


def _list_turns(assignment: Assignment, changes: Sequence[Journal], *, who: str) -> Iterator[ItemEvent]:
    """Each time that the annotator was assigned the item, and how it ended without an answer.

    `changes` are those that the journal has. It does not have a lease that ended in Telegram: of these only the last
    one is known, until the item is answered or assigned again.
    """
    again = [change for change in changes if change.event == Event.ASSIGNED_AGAIN]
    until = assignment.lease_until if assignment.status is AssignmentStatus.LIVE else None
    first = Surface(again[0].data["from"]) if again else assignment.surface
    yield ItemEvent(
        at=assignment.assigned_at or assignment.shown_at,
        who=who,
        what=_describe_assignment(assignment, first),
        until=None if again else until,
    )
    for change in changes:
        if change.event == Event.ASSIGNED_AGAIN:
            what = f"{_describe_assignment(assignment, Surface(change.data['to']))}, again"
            yield ItemEvent(at=change.at, who=who, what=what, until=until if change is again[-1] else None)
        else:
            yield ItemEvent(at=change.at, who=who, what=f"{ENDS[AssignmentEnd(change.data['why'])]}: its place is free")
    shown_at = assignment.shown_at or assignment.assigned_at
    is_recorded = bool(changes) and (shown_at is None or changes[-1].at >= shown_at)
    is_in_telegram = assignment.surface is Surface.TELEGRAM
    if assignment.status is AssignmentStatus.EXPIRED and is_in_telegram and not is_recorded:
        what = f"{ENDS[AssignmentEnd.EXPIRED]}: its place is free"
        yield ItemEvent(at=assignment.lease_until, who=who, what=what)


def _describe_assignment(assignment: Assignment, surface: Surface) -> str:
    what = f"assigned {SURFACE_NAMES[surface]}"
    what += ", second pass" * (assignment.occasion == SECOND_PASS_OCCASION)
    return what + " as a control item" * assignment.is_control + ", once more" * assignment.is_repeat


def _build_answer_event(judgement: Judgement, *, who: str, with_votes: bool) -> ItemEvent:
    what = "changed the answer" if judgement.revision else "answered"
    what = f"skipped: {judgement.skip_reason}" if judgement.skip_reason is not None else what
    what += "" if judgement.seconds is None else f" in {judgement.seconds:.0f} s"
    unknown = judgement.seconds_unknown
    what += "" if unknown is None else f", and nobody knows how long it took: {unknown.value}"
    what += "" if judgement.excluded_reason is None else f"; does not count: {judgement.excluded_reason}"
    return ItemEvent(at=judgement.answered_at, who=who, what=what, answer=judgement.response if with_votes else "")


def _list_other_events(session: Session, item: Item, *, with_votes: bool) -> Iterator[ItemEvent]:
    """Reports, reviews of answers, and adjudications."""
    reports = select(Report, Annotator.pseudonym).join(Annotator, col(Annotator.id) == col(Report.annotator_id))
    for report, who in session.exec(reports.where(Report.item_id == item.id)):
        state = "" if report.resolved_at is None else "; resolved"
        yield ItemEvent(at=report.at, who=who, what=f"reported: {report.reason}{state}")
    reviews = (
        select(SubmissionReview, Annotator.pseudonym)
        .join(Assignment, col(Assignment.id) == col(SubmissionReview.assignment_id))
        .join(Annotator, col(Annotator.id) == col(SubmissionReview.annotator_id))
    )
    for review, who in session.exec(reviews.where(Assignment.item_id == item.id)):
        yield ItemEvent(at=review.at, who=who, what=f"reviewed an answer: {review.decision}")
    decisions = select(Adjudication, Annotator.pseudonym).outerjoin(
        Annotator, col(Annotator.id) == col(Adjudication.annotator_id)
    )
    for decision, who in session.exec(decisions.where(Adjudication.item_id == item.id)):
        what = f"adjudicated {decision.question}: {decision.decision}"
        yield ItemEvent(at=decision.at, who=who, what=what, answer="; ".join(decision.labels) if with_votes else "")
