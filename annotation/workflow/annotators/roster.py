"""Who takes part in a project, how each stands, what each did, and what is owed and paid."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from annotation.campaigns import project as project_files
from annotation.campaigns.people import PaySection
from annotation.campaigns.project import ProjectFile
from annotation.store.models import Annotator, Assignment, Cohort, Participation, Project
from annotation.vocabulary import Hindrance
from annotation.workflow.annotators import access, activity, admission, payments, terms
from annotation.workflow.annotators.activity import Active
from annotation.workflow.annotators.payments import Money
from annotation.workflow.quality import control_accuracy
from annotation.workflow.quality.control_accuracy import Counted

ACTIVE, FORGOTTEN, IMPORTED = "active", "forgotten", "imported"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One person in a project. `standing` is "active", a hindrance, "imported" or "forgotten"; `why` explains it."""

    pseudonym: str
    cohorts: tuple[str, ...]
    insider: bool
    simulated: bool
    stage: str | None
    standing: str
    why: str | None
    done: Active
    control: Counted
    owed: Money | None
    paid: tuple[Money, ...]


@dataclass(frozen=True, kw_only=True)
class Roster:
    """Everybody in a project by pseudonym, and the median of what was paid per active hour, a currency each."""

    project: str
    people: tuple[Entry, ...]
    realised: tuple[Money, ...]


def of(session: Session, *, project: Project, now: datetime) -> Roster:
    """The roster of a project, with everybody who joined it or has an answer in it."""
    definition = project_files.definition_of(project.definition)
    project_id = project.id or 0
    work = activity.of_project(session, project=project, definition=definition)
    paid = payments.paid(session, project_id=project_id)
    control = control_accuracy.of_controls(session, project_ids=[project_id])
    cohorts = _cohorts(session)
    pay = definition.reward.pay if definition.reward else None
    people = []
    for person in _people(session, project_id):
        known = person.id or 0
        participation = session.get(Participation, (known, project_id))
        stands, why = _standing(session, person, project, definition, participation, now=now)
        people.append(
            Entry(
                pseudonym=person.pseudonym,
                cohorts=tuple(cohorts[known]),
                insider=person.insider,
                simulated=person.simulated,
                stage=participation.stage.value if participation else None,
                standing=stands,
                why=why,
                done=work.get(known, Active()),
                control=control.get(known, Counted()),
                owed=_owed(pay, work.get(known, Active())),
                paid=paid.get(known, ()),
            )
        )
    return Roster(project=project.name, people=tuple(people), realised=payments.realised(work, paid))


def _owed(pay: PaySection | None, done: Active) -> Money | None:
    return None if pay is None else payments.owed(pay, done)


def _people(session: Session, project_id: int) -> Sequence[Annotator]:
    joined = select(Participation.annotator_id).where(Participation.project_id == project_id)
    worked = select(Assignment.annotator_id).where(Assignment.project_id == project_id)
    here = col(Annotator.id).in_(joined) | col(Annotator.id).in_(worked)
    return session.exec(select(Annotator).where(here).order_by(col(Annotator.pseudonym))).all()


def _cohorts(session: Session) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for one in session.exec(select(Cohort).order_by(col(Cohort.name))):
        found[one.annotator_id].append(one.name)
    return found


def _standing(
    session: Session,
    person: Annotator,
    project: Project,
    definition: ProjectFile,
    participation: Participation | None,
    *,
    now: datetime,
) -> tuple[str, str | None]:
    if person.forgotten_at is not None:
        return FORGOTTEN, None
    if participation is None and person.telegram_id is None:
        return IMPORTED, None
    waiting = access.hindrance(
        session, person=person, project=project, definition=definition, participation=participation, now=now
    )
    if waiting is None:
        return ACTIVE, None
    why = participation.reason if participation else None
    if waiting.reason == Hindrance.SUSPENDED:
        why = person.suspended_reason
    elif waiting.reason == Hindrance.NOT_ADMITTED:
        found = terms.of(session, project=project, definition=definition)
        why = admission.explained(session, person=person, terms=found) or "not invited"
    elif waiting.until is not None:
        why = f"until {waiting.until.isoformat(timespec='minutes')}"
    return waiting.reason.value, why
