"""The annotators of a project: their status, work, control accuracy, what they are owed and what they were paid."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from aggregation import placeholders, spelling
from aggregation.findings import write_plain
from annotation.campaigns import project_file
from annotation.campaigns.project_file import ProjectFile
from annotation.errors import BadInput, Conflict, NotFound, Where
from annotation.store import journal, pseudonyms, queries
from annotation.store.models import Annotator, Assignment, Cohort, Item, Participation, Project
from annotation.vocabulary import AssignmentEnd, AssignmentStatus, Event, UnassignedReason
from annotation.workflow import definitions, panels
from annotation.workflow.annotators import access, invitations, payments, registration, withdrawal
from annotation.workflow.annotators.payments import ActiveTime, Money
from annotation.workflow.annotators.withdrawal import ReleasedCounts
from annotation.workflow.quality import control_accuracy
from annotation.workflow.quality.control_accuracy import ControlAccuracy


def get_annotator(session: Session, pseudonym: str) -> Annotator:
    """The annotator with this pseudonym; raises NotFound naming the most similar one."""
    annotator = session.exec(select(Annotator).where(Annotator.pseudonym == spelling.build_key(pseudonym))).first()
    if annotator is None:
        united = pseudonyms.find_successor(session, spelling.build_key(pseudonym))
        similar = difflib.get_close_matches(pseudonym, session.exec(select(Annotator.pseudonym)).all(), n=1)
        remedy = f"Did you mean {similar[0]}?" if similar else "`hromada people PROJECT` lists them."
        remedy = remedy if united is None else f"Since two accounts were united, they are {united}."
        raise NotFound(f"Nobody has the pseudonym {spelling.quote_word(pseudonym)}.", remedy=remedy)
    return annotator


def suspend_annotator(session: Session, *, annotator: Annotator, reason: str, now: datetime) -> bool:
    """Assign nothing more to the annotator in any project and end their live assignments; their answers stay.

    False where they were suspended already; the new reason replaces the old one. Raises BadInput for an empty reason,
    a placeholder, and control characters.
    """
    if placeholders.is_unwritten(reason) or placeholders.has_control_characters(reason):
        raise BadInput("A reason is required.", where=Where(field="reason"), remedy="Write a reason.")
    newly_suspended = annotator.suspended_at is None
    annotator.suspended_at, annotator.suspended_reason = annotator.suspended_at or now, reason.strip()
    session.add(annotator)
    session.flush()
    data = {"reason": write_plain(reason.strip())}
    journal.record_event(session, Event.SUSPENDED, now=now, annotator_id=annotator.id, data=data)
    withdrawal.release_live_assignments(session, annotator_id=annotator.id or 0, now=now, why=AssignmentEnd.BARRED)
    withdrawal.take_back_notices(session, annotator_id=annotator.id or 0, now=now)
    return newly_suspended


def unsuspend_annotator(session: Session, *, annotator: Annotator, now: datetime) -> bool:
    """End a suspension; False where the annotator is not suspended."""
    if annotator.suspended_at is None:
        return False
    annotator.suspended_at = annotator.suspended_reason = None
    session.add(annotator)
    session.flush()
    journal.record_event(session, Event.UNSUSPENDED, now=now, annotator_id=annotator.id)
    return True


def release_items(
    session: Session, *, annotator: Annotator, project: Project, now: datetime, items: Collection[str] = ()
) -> ReleasedCounts:
    """Take back what is assigned to an annotator in a project, in Telegram and in Label Studio, so that others get it.

    With `items`, by their ids, only these. Raises NotFound for an unknown id, and Conflict that names who has the item
    if it is not theirs; then nothing is taken back.
    """
    names = {
        written: queries.resolve_item_id(session, project_id=project.id or 0, written=written) for written in items
    }
    found = select(Item.external_id, Item.id).where(
        Item.project_id == project.id, col(Item.external_id).in_(names.values())
    )
    ids = {name: number or 0 for name, number in session.exec(found)}
    unknown = [written for written, name in names.items() if name not in ids]
    if unknown:
        raise NotFound(
            f"{project.name} has no item {spelling.quote_word(unknown[0])}.",
            where=Where(field="--item"),
            remedy="Write ids as in the items' file.",
        )
    held = select(Assignment.item_id).where(
        Assignment.annotator_id == annotator.id,
        Assignment.project_id == project.id,
        Assignment.status == AssignmentStatus.LIVE,
    )
    assigned = set(session.exec(held))
    for name, number in ids.items():
        if number not in assigned:
            raise _explain_holder(session, annotator, project, item=name, item_id=number)
    if not assigned:
        raise Conflict(
            f"No item of {project.name} is assigned to {annotator.pseudonym}.", remedy="There is nothing to do."
        )
    return withdrawal.release_live_assignments(
        session,
        annotator_id=annotator.id or 0,
        now=now,
        why=AssignmentEnd.RELEASED,
        project_id=project.id,
        item_ids=ids.values() if items else None,
    )


def _explain_holder(session: Session, annotator: Annotator, project: Project, *, item: str, item_id: int) -> Conflict:
    """The error for an item that is not assigned to the annotator: who answered it, or who has it."""
    rows = session.exec(
        select(Annotator.pseudonym, Assignment.status, Assignment.annotator_id)
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .where(Assignment.item_id == item_id)
        .order_by(col(Annotator.pseudonym))
    ).all()
    remedy = f"See `hromada status {project.name} --item {item}`."
    if any(owner == annotator.id and status == AssignmentStatus.DONE for _, status, owner in rows):
        return Conflict(f"{annotator.pseudonym} has answered {spelling.quote_word(item)} already.", remedy=remedy)
    holders = list(dict.fromkeys(name for name, status, _ in rows if status == AssignmentStatus.LIVE))
    if holders:
        command = f"hromada people release {holders[0]} --project {project.name} --item {item}"
        remedy = f"Take it back from them: `{command}`."
    has = f"{' and '.join(holders)} {'have' if len(holders) > 1 else 'has'} it" if holders else "nobody has it now"
    return Conflict(
        f"{spelling.quote_word(item)} is not assigned to {annotator.pseudonym} in {project.name}: {has}.",
        remedy=remedy,
    )


def set_team_member(session: Session, *, annotator: Annotator, team_member: bool, now: datetime) -> bool:
    """Mark an annotator as a member of the organisers' team, or remove the mark; False where nothing changes.

    Everything is also scored without the answers of team members.
    """
    if annotator.insider == team_member:
        return False
    annotator.insider = team_member
    session.add(annotator)
    session.flush()
    journal.record_event(
        session, Event.TEAM_MEMBER_CHANGED, now=now, annotator_id=annotator.id, data={"insider": team_member}
    )
    return True


def join_cohort(session: Session, *, annotator: Annotator, name: str) -> bool:
    """Add an annotator to a cohort; False where they are in it. Raises BadInput for an empty or too long name."""
    cohort_name = invitations.parse_cohort_name(name)
    if session.get(Cohort, (annotator.id, cohort_name)) is not None:
        return False
    session.add(Cohort(annotator_id=annotator.id or 0, name=cohort_name))
    session.flush()
    return True


def leave_cohort(session: Session, *, annotator: Annotator, name: str) -> bool:
    """Remove an annotator from a cohort; False where they are not in it."""
    membership = session.get(Cohort, (annotator.id, name.strip()))
    if membership is None:
        return False
    session.delete(membership)
    session.flush()
    return True


ACTIVE, FORGOTTEN, DETACHED, IMPORTED = "active", "forgotten", "detached", "imported"


@dataclass(frozen=True, kw_only=True)
class RosterEntry:
    """One annotator in a project. `status` is "active", "imported", "forgotten" or the value of an `UnassignedReason`,
    which `explanation` explains to organisers, and which ends at `until`. `panel` is their panel, None before their
    first item.
    """

    pseudonym: str
    cohorts: tuple[str, ...]
    insider: bool
    simulated: bool
    stage: str | None
    panel: str | None
    status: str
    explanation: str | None
    until: datetime | None
    work: ActiveTime
    control_accuracy: ControlAccuracy
    owed: Money | None
    paid: tuple[Money, ...]


@dataclass(frozen=True, kw_only=True)
class Roster:
    """All annotators of a project by pseudonym, and the median pay per active hour, one amount for each currency."""

    project: str
    annotators: tuple[RosterEntry, ...]
    hourly_rates: tuple[Money, ...]


def get_roster(session: Session, *, project: Project, now: datetime) -> Roster:
    """The roster of a project: every annotator with a participation or an assignment in it."""
    definition = project_file.parse_definition(project.definition)
    project_id = project.id or 0
    work = payments.list_active_times(session, project=project, definition=definition)
    paid = payments.sum_payments(session, project_id=project_id)
    control = control_accuracy.compute_control_accuracy(session, project_ids=[project_id])
    cohorts = _list_cohorts(session)
    pay = definition.reward.pay if definition.reward else None
    entries = []
    for annotator in _list_annotators(session, project_id):
        annotator_id = annotator.id or 0
        participation = session.get(Participation, (annotator_id, project_id))
        status, explanation, until = _get_status(session, annotator, project, definition, participation, now=now)
        entries.append(
            RosterEntry(
                pseudonym=annotator.pseudonym,
                cohorts=tuple(cohorts[annotator_id]),
                insider=annotator.insider,
                simulated=annotator.simulated,
                stage=participation.stage.value if participation else None,
                panel=participation.panel if participation else None,
                status=status,
                explanation=explanation,
                until=until,
                work=work.get(annotator_id, ActiveTime()),
                control_accuracy=control.get(annotator_id, ControlAccuracy()),
                owed=None if pay is None else payments.compute_owed(pay, work.get(annotator_id, ActiveTime())),
                paid=paid.get(annotator_id, ()),
            )
        )
    return Roster(
        project=project.name, annotators=tuple(entries), hourly_rates=payments.compute_hourly_rates(work, paid)
    )


def _list_annotators(session: Session, project_id: int) -> Sequence[Annotator]:
    joined = select(Participation.annotator_id).where(Participation.project_id == project_id)
    worked = select(Assignment.annotator_id).where(Assignment.project_id == project_id)
    of_project = col(Annotator.id).in_(joined) | col(Annotator.id).in_(worked)
    return session.exec(select(Annotator).where(of_project).order_by(col(Annotator.pseudonym))).all()


def _list_cohorts(session: Session) -> dict[int, list[str]]:
    by_annotator: dict[int, list[str]] = defaultdict(list)
    for cohort in session.exec(select(Cohort).order_by(col(Cohort.name))):
        by_annotator[cohort.annotator_id].append(cohort.name)
    return by_annotator


def _get_status(
    session: Session,
    annotator: Annotator,
    project: Project,
    definition: ProjectFile,
    participation: Participation | None,
    *,
    now: datetime,
) -> tuple[str, str | None, datetime | None]:
    if annotator.is_gone:
        return DETACHED if annotator.detached else FORGOTTEN, None, None
    if participation is None and annotator.telegram_id is None:
        return IMPORTED, None, None
    project_terms = definitions.get_terms(session, project=project, definition=definition)
    obstacle = access.find_obstacle(
        session, annotator=annotator, terms=project_terms, participation=participation, now=now
    )
    if obstacle is None:
        return ACTIVE, None, None
    explanation = participation.reason if participation else None
    if obstacle.reason == UnassignedReason.SUSPENDED:
        explanation = annotator.suspended_reason
    elif obstacle.reason == UnassignedReason.NOT_ADMITTED:
        explanation = (
            registration.explain_refusal(session, annotator=annotator, terms=project_terms)
            or panels.explain_refusal(session, definition, annotator_id=annotator.id or 0, participation=participation)
            or "not invited"
        )
    return obstacle.reason.value, explanation, obstacle.until
