"""The funnel of a project: how many annotators were invited, consented, started and finished."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col, func, or_, select

from annotation.campaigns import project_file
from annotation.store.models import (
    Assignment,
    Consent,
    Invitation,
    Item,
    Participation,
    Programme,
    ProgrammeProject,
    Project,
    QueueCursor,
)
from annotation.vocabulary import AssignmentStatus, ItemStatus, Pool


@dataclass(frozen=True, kw_only=True)
class Funnel:
    """How many annotators reached each step of a project.

    `invited` counts used invitations, and is None for a project without invitations; `consented` is None where no
    consent is asked for.
    """

    invited: int | None
    consented: int | None
    started: int
    finished: int


def compute_funnel(session: Session, *, project: Project, definition: project_file.ProjectFile) -> Funnel:
    """The funnel of a project; invitations and consents of its programme count as those of the project."""
    of_project = select(Programme).join(ProgrammeProject).where(ProgrammeProject.project_id == project.id)
    programme = session.exec(of_project).first()
    targets = [col(Invitation.project_id) == project.id]
    scopes = [f"project {project.name}"]
    if programme is not None:
        targets.append(col(Invitation.programme_id) == programme.id)
        scopes.append(f"programme {programme.name}")
    n_invitations, n_used = session.exec(
        select(func.count(), func.sum(col(Invitation.used))).where(or_(*targets), ~col(Invitation.adjudicates))
    ).one()
    asks_consent = definition.consent is not None or bool(programme and programme.definition.get("consent"))
    consented = select(func.count(func.distinct(col(Consent.annotator_id)))).where(
        col(Consent.scope).in_(scopes), col(Consent.withdrawn_at).is_(None)
    )
    started = select(func.count()).where(Participation.project_id == project.id, Participation.shown > 0)
    return Funnel(
        invited=n_used if n_invitations else None,
        consented=session.exec(consented).one() if asks_consent else None,
        started=session.exec(started).one(),
        finished=_count_finished(session, project=project, definition=definition),
    )


def _count_finished(session: Session, *, project: Project, definition: project_file.ProjectFile) -> int:
    """How many annotators had all there was for them: they answered or skipped every open main item, in Telegram or in
    Label Studio, or were offered all that others had left, or answered as many as one annotator may.
    """
    quota = session.exec(select(ProgrammeProject.quota).where(ProgrammeProject.project_id == project.id)).first()
    limits = [limit for limit in (quota, definition.caps.items if definition.caps else None) if limit is not None]
    completed_queue = select(QueueCursor.annotator_id).where(
        QueueCursor.project_id == project.id,
        QueueCursor.pool == Pool.MAIN,
        col(QueueCursor.wrapped),
        QueueCursor.pos >= QueueCursor.start,
    )
    open_items = sa.and_(
        col(Item.project_id) == project.id, col(Item.pool) == Pool.MAIN, col(Item.status) == ItemStatus.OPEN
    )
    n_open = sa.select(func.count()).select_from(Item).where(open_items).scalar_subquery()
    n_ended = func.count(func.distinct(col(Assignment.item_id)))
    answered_all = (
        select(Assignment.annotator_id)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .where(open_items, col(Assignment.status).in_((AssignmentStatus.DONE, AssignmentStatus.SKIPPED)))
        .group_by(col(Assignment.annotator_id))
        .having(n_ended == n_open)
    )
    is_finished: list[sa.ColumnElement[bool]] = [
        col(Participation.annotator_id).in_(completed_queue),
        col(Participation.annotator_id).in_(answered_all),
    ]
    if limits:
        is_finished.append(col(Participation.answered) >= min(limits))
    finished = select(func.count()).where(Participation.project_id == project.id, or_(*is_finished))
    return session.exec(finished).one()
