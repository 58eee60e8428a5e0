"""Campaigns as organisers see them in the chat: programmes and single projects, how far they are, what waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, func, select

from annotation.errors import Stale
from annotation.store import queries
from annotation.store.models import Item, Participation, Programme, ProgrammeProject, Project, Report, SupportMessage
from annotation.vocabulary import ProjectStatus
from annotation.workflow.monitoring import progress
from annotation.workflow.monitoring.progress import Progress

PROJECT, PROGRAMME = 0, 1
"""The kinds of campaigns, as buttons carry them."""


@dataclass(frozen=True, kw_only=True)
class CampaignChoice:
    """A programme, or a project outside programmes: its kind (PROJECT, PROGRAMME) and id, and its projects in order."""

    kind: int
    id: int
    name: str
    title: str
    projects: tuple[Project, ...]

    @property
    def status(self) -> ProjectStatus:
        """The status of the project; of a programme the most lively of its projects."""
        statuses = {project.status for project in self.projects}
        lively = (ProjectStatus.RUNNING, ProjectStatus.PAUSED, ProjectStatus.LOADED, ProjectStatus.CLOSED)
        return next((status for status in lively if status in statuses), ProjectStatus.LOADED)


@dataclass(frozen=True, kw_only=True)
class ProjectOverview:
    """How far a project is, how many people take part, and how many questions and reports wait for an answer."""

    project: Project
    progress: Progress
    people: int
    questions: int
    reports: int


def list_campaigns(session: Session) -> list[CampaignChoice]:
    """All programmes and single projects that ask people, those that were loaded last first, closed ones at the end."""
    programmes = session.exec(select(Programme).order_by(col(Programme.id).desc())).all()
    inside = set(session.exec(select(ProgrammeProject.project_id)).all())
    asking = [project for project in queries.list_projects(session) if project.overlap is not None]
    single = [project for project in asking if project.id not in inside]
    listed = [
        *(_describe_programme(session, programme) for programme in programmes),
        *(_describe_project(project) for project in sorted(single, key=lambda one: one.id or 0, reverse=True)),
    ]
    return sorted(listed, key=lambda campaign: campaign.status is ProjectStatus.CLOSED)


def get_campaign(session: Session, *, kind: int, campaign_id: int) -> CampaignChoice:
    """The campaign of a button; raises Stale where there is none."""
    if kind == PROGRAMME:
        programme = session.get(Programme, campaign_id)
        if programme is not None:
            return _describe_programme(session, programme)
    project = session.get(Project, campaign_id) if kind == PROJECT else None
    if project is None or project.overlap is None:
        raise Stale("There is no such campaign.")
    return _describe_project(project)


def summarise_project(session: Session, project: Project, *, now: datetime) -> ProjectOverview:
    """What an organiser sees of a project at a glance."""
    people = select(func.count()).where(Participation.project_id == project.id)
    unanswered = (SupportMessage.project_id == project.id, col(SupportMessage.answered_at).is_(None))
    questions = select(func.count()).where(*unanswered, SupportMessage.text != "")
    # from the reports to their items: a join would go through all items of the project
    reported_in = select(Item.project_id).where(col(Item.id) == col(Report.item_id)).scalar_subquery()
    open_reports = select(func.count()).select_from(Report)
    open_reports = open_reports.where(col(Report.resolved_at).is_(None), reported_in == project.id)
    return ProjectOverview(
        project=project,
        progress=progress.recall_progress(session, project, now=now),
        people=session.exec(people).one(),
        questions=session.exec(questions).one(),
        reports=session.exec(open_reports).one(),
    )


def _describe_programme(session: Session, programme: Programme) -> CampaignChoice:
    projects: Sequence[Project] = queries.list_programme_projects(session, programme)
    return CampaignChoice(
        kind=PROGRAMME,
        id=programme.id or 0,
        name=programme.name,
        title=programme.title,
        projects=tuple(project for project in projects if project.overlap is not None),
    )


def _describe_project(project: Project) -> CampaignChoice:
    return CampaignChoice(kind=PROJECT, id=project.id or 0, name=project.name, title=project.title, projects=(project,))
