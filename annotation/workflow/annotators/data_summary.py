"""A summary of what is stored about an annotator, short enough to be read in a chat; `data_export` has all of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, func, select

from annotation.campaigns.sections.annotators import ProfileField
from annotation.store.models import Assignment, Consent, NoticeWish, Participation, Project, SupportMessage
from annotation.vocabulary import SECOND_PASS_OCCASION, AssignmentStatus
from annotation.workflow import definitions
from annotation.workflow.annotators import terms


@dataclass(frozen=True, kw_only=True)
class ProjectSummary:
    """A project that the annotator joined: since when, and how many items they answered and skipped."""

    title: str
    joined_at: datetime
    answered: int
    skipped: int


@dataclass(frozen=True, kw_only=True)
class ProfileSummary:
    """A profile field that the annotator answered, in a project that asks for it; the value is empty for "not told"."""

    project_id: int
    field: ProfileField
    value: str


@dataclass(frozen=True, kw_only=True)
class DataSummary:
    """What is stored about an annotator; consents oldest first. `n_questions` counts their questions to organisers.

    `reminders` and `news` say what they want the bot to write to them first.
    """

    projects: tuple[ProjectSummary, ...]
    profile: tuple[ProfileSummary, ...]
    consents: tuple[Consent, ...]
    n_questions: int
    reminders: bool
    news: bool


def summarise_data(session: Session, *, annotator_id: int) -> DataSummary:
    """Summarise what is stored about an annotator."""
    joined = select(Participation, Project).join(Project).where(Participation.annotator_id == annotator_id)
    rows = session.exec(joined.order_by(col(Project.id))).all()
    counts = _count_assignments(session, annotator_id)
    consents = select(Consent).where(Consent.annotator_id == annotator_id).order_by(col(Consent.id))
    wish = session.get(NoticeWish, annotator_id)
    questions = select(func.count()).select_from(SupportMessage).where(SupportMessage.annotator_id == annotator_id)
    return DataSummary(
        projects=tuple(
            ProjectSummary(
                title=project.title,
                joined_at=participation.joined_at,
                answered=counts.get((project.id or 0, AssignmentStatus.DONE), 0),
                skipped=counts.get((project.id or 0, AssignmentStatus.SKIPPED), 0),
            )
            for participation, project in rows
        ),
        profile=_list_profile(session, annotator_id, [project for _, project in rows]),
        consents=tuple(session.exec(consents)),
        n_questions=session.exec(questions).one(),
        reminders=wish is not None and wish.reminders,
        news=wish is not None and wish.news,
    )


def count_answers(session: Session, *, annotator_id: int) -> int:
    """How many items the annotator has answered, in all projects."""
    done = select(func.count()).select_from(Assignment).where(Assignment.annotator_id == annotator_id)
    is_counted = Assignment.status == AssignmentStatus.DONE, Assignment.occasion != SECOND_PASS_OCCASION
    return session.exec(done.where(*is_counted)).one()


def _count_assignments(session: Session, annotator_id: int) -> dict[tuple[int, AssignmentStatus], int]:
    of_annotator = select(Assignment.project_id, Assignment.status, func.count()).where(
        Assignment.annotator_id == annotator_id
    )
    rows = session.exec(of_annotator.group_by(col(Assignment.project_id), col(Assignment.status)))
    return {(project_id, AssignmentStatus(status)): count for project_id, status, count in rows}


def _list_profile(session: Session, annotator_id: int, projects: list[Project]) -> tuple[ProfileSummary, ...]:
    """The answered fields, each as the latest of the projects asks for it."""
    answers = terms.get_profile_answers(session, annotator_id=annotator_id)
    by_name: dict[str, ProfileSummary] = {}
    for project in projects:
        definition = definitions.get_project_definition(project)
        for field in terms.get_terms(session, project=project, definition=definition).fields:
            if field.name in answers:
                by_name[field.name] = ProfileSummary(project_id=project.id or 0, field=field, value=answers[field.name])
    return tuple(by_name.values())
