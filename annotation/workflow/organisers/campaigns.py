"""Campaigns as organisers see them in the chat: programmes and single projects, how far they are, what waits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlmodel import Session, col, func, select

from annotation.errors import Conflict, Stale
from annotation.store import journal, models, queries
from annotation.vocabulary import Event, ProjectStatus
from annotation.workflow.annotators import invitations, roster, support_messages
from annotation.workflow.annotators.withdrawal import ReleasedCounts
from annotation.workflow.lifecycle import text_changes, transitions
from annotation.workflow.monitoring import progress
from annotation.workflow.monitoring.needs import Need, measure_urgency
from annotation.workflow.monitoring.progress import Progress
from annotation.workflow.notices import announcements, waiting_announcements
from annotation.workflow.notices.waiting_announcements import CancelledAnnouncement
from annotation.workflow.organisers import people
from annotation.workflow.organisers.people import MessageKind, OpenMessage, add_request
from annotation.workflow.quality import enforcement
from annotation.workflow.review import cases

PROJECT, PROGRAMME = 0, 1
"""The kinds of campaigns, as buttons carry them."""


@dataclass(frozen=True, kw_only=True)
class CampaignChoice:
    """A programme, or a project outside programmes: its kind (PROJECT, PROGRAMME) and id, and its projects in order."""

    kind: int
    id: int
    name: str
    title: str
    projects: tuple[models.Project, ...]

    @property
    def status(self) -> ProjectStatus:
        """The status of the project; of a programme the most lively of its projects."""
        statuses = {project.status for project in self.projects}
        lively = (ProjectStatus.RUNNING, ProjectStatus.PAUSED, ProjectStatus.LOADED, ProjectStatus.CLOSED)
        return next((status for status in lively if status in statuses), ProjectStatus.LOADED)


@dataclass(frozen=True, kw_only=True)
class ProjectOverview:
    """How far a project is, how many people take part, and what of it needs the organisers."""

    project: models.Project
    progress: Progress
    people: int
    needs: tuple[Need, ...]


def list_campaigns(session: Session, *, needs: Collection[Need]) -> list[CampaignChoice]:
    """All programmes and single projects that ask people: those with the most urgent need first, then those that were
    loaded last, closed ones at the end.
    """
    programmes = session.exec(select(models.Programme).order_by(col(models.Programme.id).desc())).all()
    inside = set(session.exec(select(models.ProgrammeProject.project_id)).all())
    asking = [project for project in queries.list_projects(session) if project.overlap is not None]
    single = [project for project in asking if project.id not in inside]
    listed = [
        *(_describe_programme(session, programme) for programme in programmes),
        *(_describe_project(project) for project in sorted(single, key=lambda project: project.id or 0, reverse=True)),
    ]

    def get_place(campaign: CampaignChoice) -> tuple[int, bool]:
        urgency = measure_urgency(needs, (project.id for project in campaign.projects))
        return urgency, campaign.status is ProjectStatus.CLOSED

    return sorted(listed, key=get_place)


def get_campaign(session: Session, *, kind: int, campaign_id: int) -> CampaignChoice:
    """The campaign of a button; raises Stale where there is none."""
    if kind == PROGRAMME:
        programme = session.get(models.Programme, campaign_id)
        if programme is not None:
            return _describe_programme(session, programme)
    project = session.get(models.Project, campaign_id) if kind == PROJECT else None
    if project is None or project.overlap is None:
        raise Stale("There is no such campaign.")
    return _describe_project(project)


def summarise_project(
    session: Session, project: models.Project, *, needs: Iterable[Need], now: datetime
) -> ProjectOverview:
    """What an organiser sees of a project at a glance; `needs` are those of the whole database."""
    people = select(func.count()).where(models.Participation.project_id == project.id)
    return ProjectOverview(
        project=project,
        progress=progress.recall_progress(session, project, now=now),
        people=session.exec(people).one(),
        needs=tuple(need for need in needs if need.project_id == project.id),
    )


def _describe_programme(session: Session, programme: models.Programme) -> CampaignChoice:
    projects: Sequence[models.Project] = queries.list_programme_projects(session, programme)
    return CampaignChoice(
        kind=PROGRAMME,
        id=programme.id or 0,
        name=programme.name,
        title=programme.title,
        projects=tuple(project for project in projects if project.overlap is not None),
    )


def _describe_project(project: models.Project) -> CampaignChoice:
    return CampaignChoice(kind=PROJECT, id=project.id or 0, name=project.name, title=project.title, projects=(project,))


CampaignInvitation = models.Invitation
"""An invitation of annotators to a campaign by its organisers."""
INVITATION_LASTS = timedelta(days=14)
"""How long an invitation that was made in the chat can be used."""


class OrganiserAct(StrEnum):
    """What an organiser did, as the journal holds it."""

    PAUSE = "pause"
    RESUME = "resume"
    INVITE = "invite"
    SUSPEND = "suspend"
    UNSUSPEND = "unsuspend"
    READMIT = "readmit"
    RELEASE = "release"
    ANSWER = "answer"
    ANSWER_ALL = "answer to all"
    DISMISS = "dismiss"
    ANNOUNCE = "announce"
    CANCEL = "cancel"
    LIMIT_INVITATION = "limit invitation"
    EXPORT = "export"


def _record_act(
    session: Session,
    act: OrganiserAct,
    *,
    by: int,
    now: datetime,
    project_id: int | None = None,
    annotator_id: int | None = None,
) -> None:
    """Put on record which organiser, by the id of their annotator, did what to which project or annotator."""
    data = {"act": act.value, "by": by}
    journal.record_event(
        session, Event.ORGANISER_ACTED, now=now, project_id=project_id, annotator_id=annotator_id, data=data
    )


def pause_campaign(session: Session, *, campaign: CampaignChoice, by: int, now: datetime) -> None:
    """Pause the running projects of a campaign; raises Stale where none runs."""
    for project in _list_projects(campaign, ProjectStatus.RUNNING):
        transitions.pause_project(session, project=project, now=now)
        _record_act(session, OrganiserAct.PAUSE, by=by, now=now, project_id=project.id)


def resume_campaign(session: Session, *, campaign: CampaignChoice, by: int, now: datetime) -> None:
    """Let the paused projects of a campaign go on; raises Stale where none is paused."""
    for project in _list_projects(campaign, ProjectStatus.PAUSED):
        transitions.start_project(session, project=project, now=now)
        _record_act(session, OrganiserAct.RESUME, by=by, now=now, project_id=project.id)


def _list_projects(campaign: CampaignChoice, status: ProjectStatus) -> list[models.Project]:
    projects = [project for project in campaign.projects if project.status is status]
    if not projects:
        raise Stale("No project has this status.")
    return projects


def create_invitation(
    session: Session, *, campaign: CampaignChoice, known: int, by: int, now: datetime
) -> models.Invitation:
    """Make an invitation for any number of annotators; raises Stale where there are not `known` ones yet, so that a
    repeated tap makes no second one.
    """
    if len(list_invitations(session, campaign)) != known:
        raise Stale("There is another invitation meanwhile.")
    invitation = invitations.create_invitation(
        session,
        target=_get_target(session, campaign),
        code=invitations.generate_code(),
        now=now,
        expires_at=now + INVITATION_LASTS,
    )
    for project in campaign.projects:
        _record_act(session, OrganiserAct.INVITE, by=by, now=now, project_id=project.id)
    return invitation


def limit_invitation(
    session: Session,
    *,
    invitation: models.Invitation,
    campaign: CampaignChoice,
    expires_at: datetime,
    by: int,
    now: datetime,
) -> None:
    """Let an invitation be used until this time, at once no more if that is now."""
    invitations.limit_invitation(session, invitation=invitation, expires_at=expires_at, now=now)
    for project in campaign.projects:
        _record_act(session, OrganiserAct.LIMIT_INVITATION, by=by, now=now, project_id=project.id)


def list_invitations(session: Session, campaign: CampaignChoice) -> list[models.Invitation]:
    """The organisers' invitations of annotators to a campaign, oldest first."""
    listed = invitations.list_invitations(session, target=_get_target(session, campaign))
    return [invitation for invitation in listed if not invitation.adjudicates and invitation.invited_by is None]


def is_programme_invited(session: Session, campaign: CampaignChoice) -> bool:
    """Whether this is a project in a programme to which there are invitations of annotators."""
    if campaign.kind == PROGRAMME:
        return False
    of_project = (
        select(models.Programme)
        .join(models.ProgrammeProject)
        .where(col(models.ProgrammeProject.project_id) == campaign.id)
    )
    programme = session.exec(of_project).first()
    listed = [] if programme is None else invitations.list_invitations(session, target=programme)
    return any(not invitation.adjudicates and invitation.invited_by is None for invitation in listed)


def _get_target(session: Session, campaign: CampaignChoice) -> models.Project | models.Programme:
    return session.get_one(models.Programme, campaign.id) if campaign.kind == PROGRAMME else campaign.projects[0]


def suspend_person(session: Session, *, annotator_id: int, reason: str, by: int, now: datetime) -> None:
    """Suspend an annotator in all projects; raises BadInput without a reason, Stale for somebody forgotten."""
    annotator = _get_person(session, annotator_id)
    roster.suspend_annotator(session, annotator=annotator, reason=reason, now=now)
    _record_act(session, OrganiserAct.SUSPEND, by=by, now=now, annotator_id=annotator_id)


def unsuspend_person(session: Session, *, annotator_id: int, by: int, now: datetime) -> None:
    """End a suspension; raises Stale where there is none."""
    if not roster.unsuspend_annotator(session, annotator=_get_person(session, annotator_id), now=now):
        raise Stale("They are not suspended.")
    _record_act(session, OrganiserAct.UNSUSPEND, by=by, now=now, annotator_id=annotator_id)


def readmit_person(session: Session, *, annotator_id: int, project_id: int, by: int, now: datetime) -> None:
    """Let an annotator go on whom a rule paused or excluded in a project; raises Conflict if neither is so."""
    enforcement.readmit_annotator(session, annotator_id=annotator_id, project_id=project_id, now=now)
    _record_act(session, OrganiserAct.READMIT, by=by, now=now, project_id=project_id, annotator_id=annotator_id)


def release_items(
    session: Session, *, annotator_id: int, project_id: int, shown: ReleasedCounts, by: int, now: datetime
) -> ReleasedCounts:
    """Take back what an annotator has in hand in a project, for others.

    Raises Conflict where that is nothing, Stale where it is more than the organiser was shown.
    """
    person = people.get_person(session, project_id=project_id, annotator_id=annotator_id)
    if len(person.in_hand) > shown.telegram or person.in_batch > shown.label_studio:
        raise Stale("They have more in hand meanwhile.")
    project = session.get_one(models.Project, project_id)
    annotator = _get_person(session, annotator_id)
    released = roster.release_items(session, annotator=annotator, project=project, now=now)
    _record_act(session, OrganiserAct.RELEASE, by=by, now=now, project_id=project_id, annotator_id=annotator_id)
    return released


def answer_message(session: Session, *, message: OpenMessage, text: str, quoted: str, by: int, now: datetime) -> None:
    """Answer the writer of a question or a report; `quoted` is what the answer repeats of a report, in their language.

    Raises BadInput for a text that is empty or too long, Conflict where the writer is forgotten or a question answered.
    """
    if message.kind is MessageKind.QUESTION:
        support_messages.answer_message(session, message_id=message.id, text=text, now=now)
    else:
        report = session.get_one(models.Report, message.id)
        support_messages.store_reply(
            session, annotator_id=report.annotator_id, assignment_id=report.assignment_id, text=quoted, at=report.at,
            project_id=message.project_id, answer=text, now=now,
        )  # fmt: skip
    _record_act(
        session,
        OrganiserAct.ANSWER,
        by=by,
        now=now,
        project_id=message.project_id,
        annotator_id=message.annotator_id,
    )


def answer_everybody(
    session: Session, *, message: OpenMessage, draft: models.Announcement, quoted: str, by: int, now: datetime
) -> None:
    """Answer the writer, and add the answer to the instructions of the project: everybody reads these again."""
    project = None if message.project_id is None else session.get(models.Project, message.project_id)
    if project is None:
        raise Conflict("The question is about no project, so there are no instructions for the answer.")
    answer_message(session, message=message, text=draft.text, quoted=quoted, by=by, now=now)
    text_changes.add_to_instructions(session, project=project, text=draft.text, now=now)
    session.delete(draft)
    session.flush()
    _record_act(session, OrganiserAct.ANSWER_ALL, by=by, now=now, project_id=project.id)


def dismiss_report(session: Session, *, message: OpenMessage, by: int, now: datetime) -> None:
    """Resolve all reports on the item of a report; where they paused it, it is handed out again."""
    if message.kind is not MessageKind.REPORT or message.project_id is None or message.item is None:
        raise Stale("This is not a report.")
    project = session.get_one(models.Project, message.project_id)
    cases.dismiss_reports(session, project=project, item=message.item, now=now)
    _record_act(session, OrganiserAct.DISMISS, by=by, now=now, project_id=project.id)


def send_announcement(session: Session, *, announcement_id: int, by: int, now: datetime) -> int:
    """Send a draft of this organiser; their number of recipients. Raises Stale where it was sent, or is not theirs."""
    draft = announcements.get_draft(session, announcement_id=announcement_id, author_id=by)
    number = announcements.send_announcement(session, announcement=draft, now=now)
    _record_act(session, OrganiserAct.ANNOUNCE, by=by, now=now, project_id=draft.project_id)
    return number


def cancel_announcement(session: Session, *, announcement_id: int, by: int, now: datetime) -> CancelledAnnouncement:
    """Send an announcement to nobody else; raises Conflict if nobody waits for it, NotFound if it was never sent."""
    cancelled = waiting_announcements.cancel_announcement(session, announcement_id=announcement_id, now=now)
    project_id = session.get_one(models.Announcement, announcement_id).project_id
    _record_act(session, OrganiserAct.CANCEL, by=by, now=now, project_id=project_id)
    return cancelled


def request_export(session: Session, *, project: models.ProjectRow, by: int, now: datetime) -> bool:
    """Ask for the files of a project; False where this organiser waits for them already."""
    if not add_request(session, project_id=project.id or 0, annotator_id=by, now=now):
        return False
    _record_act(session, OrganiserAct.EXPORT, by=by, now=now, project_id=project.id)
    return True


def _get_person(session: Session, annotator_id: int) -> models.Annotator:
    annotator = session.get(models.Annotator, annotator_id)
    if annotator is None or annotator.is_gone:
        raise Stale("There is nobody like that.")
    return annotator
