"""Invitations: codes with which annotators join a project or a programme, or become its adjudicators.

A project is by invitation only as soon as it, or its programme, has an invitation of annotators by its organisers; else
it is open to everybody. The links that annotators give to friends (`invite_friends`) leave an open project open.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from aggregation import spelling
from annotation.campaigns.sections.annotators import FRIENDS
from annotation.errors import BadInput, NotFound, Refused, Where
from annotation.store import database, journal, models, queries
from annotation.store.database import LockedAnnotator
from annotation.store.models import (
    Adjudicator,
    Cohort,
    Invitation,
    Participation,
    Programme,
    ProgrammeProject,
    Project,
)
from annotation.vocabulary import Event, ProjectStatus
from annotation.workflow import definitions, participations
from annotation.workflow.definitions import Terms

InvitationTarget = Project | Programme
"""What an invitation is for."""


class InvitationRefusal(StrEnum):
    """Why a code cannot be redeemed."""

    UNKNOWN = "unknown"
    EXPIRED = "expired"
    USED_UP = "used up"
    CLOSED = "closed"
    SUSPENDED = "suspended"


@dataclass(frozen=True, kw_only=True)
class RedeemedInvitation:
    """The project or programme that a code was redeemed for, with its projects; `repeated` says that the annotator had
    joined it by invitation before and no use was counted, `adjudicates` that they are its adjudicator.
    """

    target: str
    projects: tuple[str, ...]
    repeated: bool
    adjudicates: bool = False


IS_ORGANISERS: sa.ColumnElement[bool] = sa.and_(~col(Invitation.adjudicates), col(Invitation.invited_by).is_(None))
"""The condition for an invitation of annotators by organisers, with which a project is by invitation only."""


def get_target(session: Session, name: str) -> InvitationTarget:
    """The project or, where none has that name, the programme; raises NotFound naming the most similar project."""
    if session.exec(select(Project.id).where(Project.name == name)).first() is None:
        programme = session.exec(select(Programme).where(Programme.name == name)).first()
        if programme is not None:
            return programme
    return queries.get_project(session, name)


def generate_code() -> str:
    """A random code of 16 letters and digits (80 bits) that fits a deep link."""
    return base64.b32encode(secrets.token_bytes(10)).decode().lower()


def format_link(code: str, *, bot_name: str | None) -> str:
    """The deep link that redeems a code; what to type where the name of the bot is not known."""
    return f"/start {code}" if bot_name is None else f"https://t.me/{bot_name.removeprefix('@')}?start={code}"


def create_invitation(
    session: Session,
    *,
    target: InvitationTarget,
    code: str,
    now: datetime,
    uses: int | None = None,
    expires_at: datetime | None = None,
    cohort: str | None = None,
    adjudicates: bool = False,
    invited_by: int | None = None,
) -> Invitation:
    """Create an invitation for `uses` annotators, None for any number; with `adjudicates` for adjudicators.

    `invited_by` is the id of the annotator whose friends it is for.

    Raises BadInput for no uses at all, a time of expiry that is over, and a cohort name that is not valid; Refused for
    adjudicators where no question is closed.
    """
    if uses is not None and uses < 1:
        raise BadInput("An invitation needs at least one use.", where=Where(field="uses"), remedy="Give 1 or more.")
    if expires_at is not None and expires_at <= now:
        raise BadInput("That time is in the past.", where=Where(field="expires"), remedy="Choose a later one.")
    to_project = isinstance(target, Project)
    invitation = Invitation(
        code=code,
        project_id=target.id if to_project else None,
        programme_id=None if to_project else target.id,
        cohort=None if cohort is None else parse_cohort_name(cohort),
        adjudicates=adjudicates,
        invited_by=invited_by,
        max_uses=uses,
        expires_at=expires_at,
        created_at=now,
    )
    if adjudicates:
        _require_closed_questions(session, invitation)
    session.add(invitation)
    session.flush()
    data = {"invitation": invitation.id, "door": target.name, "uses": uses, "cohort": invitation.cohort}
    data |= {"adjudicates": True} if adjudicates else {}
    journal.record_event(
        session,
        Event.INVITATION_MADE,
        now=now,
        project_id=invitation.project_id,
        annotator_id=invited_by,
        data=data,
    )
    return invitation


def get_invitation(session: Session, *, target: InvitationTarget, code: str) -> Invitation:
    """The invitation to this project or programme with this code, or link; raises NotFound if it has none."""
    plain = code.strip().rpartition("=")[2].split()[-1:]
    for invitation in list_invitations(session, target=target):
        if [invitation.code] == plain:
            return invitation
    raise NotFound(
        f"{target.name} has no invitation {spelling.quote_word(code)}.",
        where=Where(field="revoke"),
        remedy="`hromada invite NAME --list` lists the codes.",
    )


def limit_invitation(session: Session, *, invitation: Invitation, expires_at: datetime, now: datetime) -> None:
    """Let an invitation be used until this time; from now on nobody joins with it if that is now.

    People who joined with it stay. The project or programme stays one by invitation. Raises BadInput for a time that is
    over.
    """
    if expires_at < now:
        raise BadInput("That time is in the past.", where=Where(field="expires"), remedy="Choose a later one.")
    invitation.expires_at = expires_at
    session.add(invitation)
    session.flush()
    data = {"invitation": invitation.id, "expires_at": expires_at.isoformat(timespec="seconds")}
    journal.record_event(session, Event.INVITATION_LIMITED, now=now, project_id=invitation.project_id, data=data)


def get_friend_invitation(session: Session, *, terms: Terms, annotator_id: int, now: datetime) -> Invitation | None:
    """The invitation that the annotator gives to friends, made the first time; None where the organisers allow none.

    It is for the programme of the project, where there is one. The annotator is locked.
    """
    uses = get_friend_uses(terms)
    if uses is None:
        return None
    target: InvitationTarget = session.get_one(Project, terms.project.id)
    key = col(Invitation.project_id) == terms.project.id
    if terms.programme is not None:
        target, key = session.get_one(Programme, terms.programme.id), col(Invitation.programme_id) == terms.programme.id
    made = session.exec(select(Invitation).where(Invitation.invited_by == annotator_id, key)).first()
    return made or create_invitation(
        session, target=target, code=generate_code(), now=now, uses=uses, cohort=FRIENDS, invited_by=annotator_id
    )


def get_friend_uses(terms: Terms) -> int | None:
    """How many friends each annotator may invite (`invite_friends`); in a programme its file says so."""
    return (terms.programme_file or terms.definition).invite_friends


def parse_cohort_name(name: str) -> str:
    """The cohort name as it is stored; raises BadInput for one that is not valid."""
    text = name.strip()
    if not 0 < len(text) <= 64:
        raise BadInput("A cohort has a name of 1 to 64 characters.", where=Where(field="cohort"), remedy="Shorten it.")
    return text


def redeem_invitation(
    session: Session, *, annotator_id: int, code: str, now: datetime
) -> RedeemedInvitation | InvitationRefusal:
    """Redeem a code: create the annotator's participations in its projects and add them to its cohort; with a code for
    adjudicators, make them one in these projects.

    A use is counted once, however often the annotator sends the code; a single conditional update takes the use, so
    that several annotators cannot take the last one. An annotator who joined the same project or programme by
    invitation before takes no use and changes no cohort.
    """
    locked = database.lock_annotator(session, annotator_id)
    invitation = session.exec(select(Invitation).where(Invitation.code == code.strip())).first()
    if invitation is None:
        return InvitationRefusal.UNKNOWN
    if locked.annotator.suspended_at is not None:
        return InvitationRefusal.SUSPENDED
    target, projects = _get_target_projects(session, invitation)
    names = tuple(project.name for project in projects)
    redeemed = RedeemedInvitation(
        target=target.name, projects=names, repeated=False, adjudicates=invitation.adjudicates
    )
    if _has_joined(session, annotator_id, invitation, projects):
        return replace(redeemed, repeated=True)
    refusal = _find_end(invitation, projects, now=now)
    if refusal is None and not _take_use(session, invitation_id=invitation.id or 0):
        refusal = InvitationRefusal.USED_UP
    if refusal is not None:
        return refusal
    if invitation.adjudicates:
        _make_adjudicator(session, annotator_id, invitation=invitation, projects=projects, now=now)
    else:
        _enter_projects(locked, invitation=invitation, projects=projects, now=now)
    data = {"invitation": invitation.id, "door": target.name}
    journal.record_event(session, Event.INVITATION_REDEEMED, now=now, annotator_id=annotator_id, data=data)
    return redeemed


def find_refusal(session: Session, *, code: str, now: datetime) -> InvitationRefusal | None:
    """Why somebody new cannot join with a code, None if they can; adjudicators' codes are unknown here.

    Nothing is redeemed, so that nobody is registered for a code that leads nowhere.
    """
    invitation = session.exec(select(Invitation).where(Invitation.code == code.strip())).first()
    if invitation is None or invitation.adjudicates:
        return InvitationRefusal.UNKNOWN
    _, projects = _get_target_projects(session, invitation)
    refusal = _find_end(invitation, projects, now=now)
    is_used_up = invitation.max_uses is not None and invitation.used >= invitation.max_uses
    return InvitationRefusal.USED_UP if refusal is None and is_used_up else refusal


def is_invited(session: Session, *, annotator_id: int, terms: Terms) -> bool:
    """Whether the project is open to everybody, or the annotator redeemed an invitation to it or its programme."""
    project_id = terms.project.id or 0
    programme_id = terms.programme.id if terms.programme else None
    to_project = col(Invitation.project_id) == project_id
    if programme_id is not None:  # invitations to other projects have no programme either
        to_project = sa.or_(to_project, col(Invitation.programme_id) == programme_id)
    invites = sa.exists().where(to_project, IS_ORGANISERS)
    redeemed = _select_redemptions(annotator_id, project_id=project_id, programme_id=programme_id).exists()
    return bool(session.exec(select(sa.or_(~invites, redeemed))).one())


def has_invitations(session: Session) -> bool:
    """Whether there is an invitation of annotators by organisers to any project or programme."""
    return session.exec(select(Invitation.id).where(IS_ORGANISERS).limit(1)).first() is not None


def list_invitations(session: Session, *, target: InvitationTarget) -> Sequence[Invitation]:
    """The invitations to a project or programme, oldest first."""
    key = col(Invitation.project_id) if isinstance(target, Project) else col(Invitation.programme_id)
    return session.exec(select(Invitation).where(key == target.id).order_by(col(Invitation.id))).all()


def _find_end(invitation: Invitation, projects: Sequence[Project], *, now: datetime) -> InvitationRefusal | None:
    if not invitation.adjudicates and all(project.status == ProjectStatus.CLOSED for project in projects):
        return InvitationRefusal.CLOSED
    expired = invitation.expires_at is not None and invitation.expires_at <= now
    return InvitationRefusal.EXPIRED if expired else None


def _take_use(session: Session, *, invitation_id: int) -> bool:
    has_uses_left = sa.or_(col(Invitation.max_uses).is_(None), col(Invitation.used) < col(Invitation.max_uses))
    of_invitation = sa.update(Invitation).where(col(Invitation.id) == invitation_id, has_uses_left)
    return session.connection().execute(of_invitation.values(used=Invitation.used + 1)).rowcount == 1


def _get_target_projects(session: Session, invitation: Invitation) -> tuple[InvitationTarget, Sequence[Project]]:
    """What the invitation is for, and its projects in their order."""
    if invitation.project_id is not None:
        project = session.get_one(Project, invitation.project_id)
        return project, [project]
    of_programme = (
        select(Project).join(ProgrammeProject).where(ProgrammeProject.programme_id == invitation.programme_id)
    )
    projects = session.exec(of_programme.order_by(col(ProgrammeProject.position))).all()
    return session.get_one(Programme, invitation.programme_id), projects


def _require_closed_questions(session: Session, invitation: Invitation) -> None:
    target, projects = _get_target_projects(session, invitation)
    if not any(asked.is_closed for row in projects for asked in definitions.get_project_definition(row).all_questions):
        raise Refused(
            f"{target.name} asks nothing that is answered with options.",
            remedy="`hromada adjudicate` decides on texts and parts of texts.",
        )


def _make_adjudicator(
    session: Session, annotator_id: int, *, invitation: Invitation, projects: Sequence[Project], now: datetime
) -> None:
    """Make the annotator an adjudicator of each project of which they are none yet."""
    for project in projects:
        if session.get(Adjudicator, (annotator_id, project.id)) is None:
            adjudicator = Adjudicator(
                annotator_id=annotator_id, project_id=project.id or 0, invitation_id=invitation.id or 0, since=now
            )
            session.add(adjudicator)
    session.flush()


def _has_joined(session: Session, annotator_id: int, invitation: Invitation, projects: Sequence[Project]) -> bool:
    """Whether the annotator has what the invitation gives already, by this or another one; a friend is somebody new."""
    if invitation.adjudicates:
        return all(session.get(Adjudicator, (annotator_id, project.id)) is not None for project in projects)
    joined = _select_redemptions(annotator_id, project_id=invitation.project_id, programme_id=invitation.programme_id)
    if invitation.invited_by is not None:
        own = col(Participation.annotator_id) == annotator_id
        joined = select(Participation.project_id).where(
            own, col(Participation.project_id).in_([project.id for project in projects])
        )
    return session.exec(joined.limit(1)).first() is not None


def _select_redemptions(annotator_id: int, *, project_id: int | None, programme_id: int | None) -> Any:
    """The participations of the annotator by an invitation to this project or this programme."""
    to_target = sa.or_(
        sa.and_(col(Invitation.project_id).is_not(None), col(Invitation.project_id) == project_id),
        sa.and_(col(Invitation.programme_id).is_not(None), col(Invitation.programme_id) == programme_id),
    )
    joined = select(Participation.project_id).join(Invitation, col(Invitation.id) == col(Participation.invitation_id))
    return joined.where(Participation.annotator_id == annotator_id, to_target)


def _enter_projects(
    locked: LockedAnnotator, *, invitation: Invitation, projects: Sequence[Project], now: datetime
) -> None:
    """Create a participation in each project; one that came by another invitation keeps that."""
    session = locked.session
    for project in projects:
        participation = participations.get_or_create_participation(locked, project=project, now=now)
        if participation.invitation_id is None:
            programme_id = invitation.programme_id or participation.programme_id
            models.PARTICIPATIONS.update(session, participation, invitation_id=invitation.id, programme_id=programme_id)
    if invitation.cohort and session.get(Cohort, (locked.annotator_id, invitation.cohort)) is None:
        session.add(Cohort(annotator_id=locked.annotator_id, name=invitation.cohort))
    session.flush()
    session.refresh(invitation)
