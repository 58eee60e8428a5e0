"""The conduct of a campaign, counted for its release: consents, exposure, pilot, training, and what was fixed when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, func, or_, select

from annotation.campaigns import project_file
from annotation.campaigns.sections.annotators import ProfileField
from annotation.store import judgements
from annotation.store.models import (
    Assignment,
    Attestation,
    Consent,
    Exposure,
    Invitation,
    Item,
    Judgement,
    Participation,
    ProfileAnswer,
    Programme,
    ProgrammeProject,
    Project,
    QueueCursor,
)
from annotation.store.table_base import UtcDateTime
from annotation.vocabulary import AssignmentStatus, ItemStatus, Pool, Stage, Surface
from annotation.workflow.definitions import get_project_scope


@dataclass(frozen=True, kw_only=True)
class Funnel:
    """How many annotators reached each step of a project.

    `invited` counts used invitations of organisers, `by_friends` those that annotators gave to friends; each is None
    where there are none. `consented` is None where no consent is asked for.
    """

    invited: int | None
    by_friends: int | None
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
    is_friends = col(Invitation.invited_by).is_not(None)
    used_by_kind = (
        select(is_friends, func.sum(col(Invitation.used)))
        .where(or_(*targets), ~col(Invitation.adjudicates))
        .group_by(is_friends)
    )
    used = {bool(by_friends): number for by_friends, number in session.exec(used_by_kind)}
    asks_consent = definition.consent is not None or bool(programme and programme.definition.get("consent"))
    consented = select(func.count(func.distinct(col(Consent.annotator_id)))).where(
        col(Consent.scope).in_(scopes), col(Consent.withdrawn_at).is_(None)
    )
    was_shown = sa.or_(
        col(Assignment.surface) != Surface.LABEL_STUDIO,
        sa.select(sa.literal(1)).where(col(Judgement.assignment_id) == col(Assignment.id)).exists(),
    )
    began = sa.select(sa.literal(1)).where(
        col(Assignment.annotator_id) == col(Participation.annotator_id),
        col(Assignment.project_id) == project.id,
        was_shown,
    )
    started = select(func.count()).where(Participation.project_id == project.id, Participation.shown > 0)
    started = started.where(began.exists())
    return Funnel(
        invited=used.get(False),
        by_friends=used.get(True),
        consented=session.exec(consented).one() if asks_consent else None,
        started=session.exec(started).one(),
        finished=_count_finished(session, project=project, definition=definition),
    )


def _count_finished(session: Session, *, project: Project, definition: project_file.ProjectFile) -> int:
    """How many annotators finished: they answered or skipped every open main item, in Telegram or in Label Studio, or
    were offered all that others had left, or answered as many as one annotator may.
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


BAND = 10
"""How many years or units a band of a number has."""
TOLD = "answered"
"""Stands for every typed text, which could tell who wrote it."""


def count_profile(
    session: Session, fields: Sequence[ProfileField], *, annotators: Collection[int]
) -> dict[str, Counter[str | None]]:
    """How many of the annotators gave each answer, by field; None for those who did not say.

    Numbers are counted in bands of ten, typed texts as `answered`.
    """
    rows = session.exec(select(ProfileAnswer).where(col(ProfileAnswer.annotator_id).in_(annotators))).all()
    by_field: dict[str, dict[int, str]] = {}
    for row in rows:
        by_field.setdefault(row.field, {})[row.annotator_id] = row.value
    return {
        field.name: Counter(_name_cell(field, by_field.get(field.name, {}).get(annotator)) for annotator in annotators)
        for field in fields
    }


def _name_cell(field: ProfileField, value: str | None) -> str | None:
    if not value:
        return None
    if field.type == "choice":
        return value
    if field.type == "text":
        return TOLD
    try:
        low = int(float(value.replace(",", ".")) // BAND * BAND)
    except ValueError:
        return None
    return f"{low}–{low + BAND - 1}"


def count_attestations(session: Session, project: Project, *, annotators: Collection[int]) -> Counter[str]:
    """How many of the annotators attested each option after any of their sessions; one may count for several."""
    rows = session.exec(
        select(Attestation.annotator_id, Attestation.used).where(
            Attestation.project_id == project.id, col(Attestation.annotator_id).in_(annotators)
        )
    )
    return Counter(used for _, used in sorted(set(rows)))


OTHER_POOLS = (Pool.TRAINING, Pool.QUALIFICATION, Pool.CONTROL, Pool.PILOT)


@dataclass(frozen=True, kw_only=True)
class Conduct:
    """Counts of what people did and of what they had been asked first.

    `first_main_at` and `first_qualification_at` are the times of the first answers of the stage, None without any.
    `contributors` are the ids of annotators with a main answer that counts. `without_consent` counts main answers of
    annotators who had not agreed to any consent of `scopes` before, `unlisted_exposed` main answers that count although
    their annotator had met the item's group earlier in a project that is not excepted. `shared_ids` and `shared_groups`
    count ids and groups of other pools that main items have too. `imported` says that all answers were imported.
    """

    imported: bool
    platforms: tuple[str, ...]
    contributors: tuple[int, ...]
    first_main_at: datetime | None
    first_qualification_at: datetime | None
    pilot_items: int
    pilot_answers: int
    training_answers: int
    qualification_items: int
    without_consent: int
    unlisted_exposed: int
    shared_ids: int
    shared_groups: int


def measure_conduct(
    session: Session, project: Project, *, scopes: tuple[str, ...], exceptions: tuple[str, ...]
) -> Conduct:
    """Count the conduct of a project; `scopes` are those of the consents that it asks for (see `Consent`).

    `exceptions` are the names of the projects whose annotators may meet groups again here.
    """
    surfaces = session.exec(select(Assignment.surface).where(Assignment.project_id == project.id).distinct()).all()
    return Conduct(
        imported=bool(surfaces) and all(Surface(surface) is Surface.IMPORT for surface in surfaces),
        platforms=tuple(sorted(Surface(surface).value for surface in surfaces)),
        contributors=tuple(
            session.exec(
                select(Assignment.annotator_id).where(Assignment.id.in_(_select_counted(project))).distinct()  # type: ignore[union-attr]
            ).all()
        ),
        first_main_at=_find_first_answer(session, project, Stage.MAIN),
        first_qualification_at=_find_first_answer(session, project, Stage.QUALIFICATION),
        pilot_items=_count_items(session, project, Pool.PILOT),
        pilot_answers=_count_answers(session, project, Stage.PILOT),
        training_answers=_count_answers(session, project, Stage.TRAINING),
        qualification_items=_count_items(session, project, Pool.QUALIFICATION),
        without_consent=_count_without_consent(session, project, scopes) if scopes else 0,
        unlisted_exposed=_count_unlisted_exposed(session, project, exceptions),
        shared_ids=_count_shared(session, project, col(Item.external_id)),
        shared_groups=_count_shared(session, project, col(Item.group_id)),
    )


def _select_counted(project: Project) -> Any:
    """The ids of the main assignments of a project whose final answer counts."""
    return (
        sa.select(col(Assignment.id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            col(Assignment.project_id) == project.id,
            col(Assignment.stage) == Stage.MAIN,
            judgements.build_final_revision_condition(),
            judgements.build_counting_condition(),
        )
    )


def _select_answers(project: Project, stage: Stage) -> Any:
    return (
        sa.select(func.count())
        .select_from(Assignment)
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            col(Assignment.project_id) == project.id,
            col(Assignment.stage) == stage,
            judgements.build_final_revision_condition(),
        )
    )


def _count_answers(session: Session, project: Project, stage: Stage) -> int:
    return int(session.execute(_select_answers(project, stage)).scalar_one())


def _find_first_answer(session: Session, project: Project, stage: Stage) -> datetime | None:
    first = sa.func.min(col(Judgement.answered_at), type_=UtcDateTime())
    query = _select_answers(project, stage).with_only_columns(first)
    first_at: datetime | None = session.execute(query).scalar_one()
    return first_at


def _count_items(session: Session, project: Project, pool: Pool) -> int:
    return session.exec(select(func.count()).where(Item.project_id == project.id, Item.pool == pool)).one()


def _count_without_consent(session: Session, project: Project, scopes: tuple[str, ...]) -> int:
    agreed = (
        sa.select(col(Consent.id))
        .where(
            col(Consent.annotator_id) == col(Assignment.annotator_id),
            col(Consent.scope).in_(scopes),
            col(Consent.at) <= col(Judgement.answered_at),
        )
        .correlate(Assignment, Judgement)
    )
    asked = col(Assignment.surface) != Surface.IMPORT
    query = _select_answers(project, Stage.MAIN).where(asked, ~sa.exists(agreed))
    return int(session.execute(query).scalar_one())


def _count_unlisted_exposed(session: Session, project: Project, exceptions: tuple[str, ...]) -> int:
    """Counting answers to groups that their annotator had met before in another project that is not excepted."""
    excepted = sa.select(col(Project.id)).where(col(Project.name).in_(exceptions))
    met = (
        sa.select(col(Exposure.annotator_id))
        .where(
            col(Exposure.annotator_id) == col(Assignment.annotator_id),
            col(Exposure.group_id) == col(Item.group_id),
            col(Exposure.project_id) != project.id,
            col(Exposure.project_id).not_in(excepted),
            col(Exposure.at) < col(Assignment.assigned_at),
        )
        .correlate(Assignment, Item)
    )
    query = (
        sa.select(func.count())
        .select_from(Assignment)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .where(col(Assignment.id).in_(_select_counted(project)), sa.exists(met))
    )
    return int(session.execute(query).scalar_one())


def _count_shared(session: Session, project: Project, column: Any) -> int:
    """How many values of the column items of other pools share with main items."""
    main = sa.select(column).where(col(Item.project_id) == project.id, col(Item.pool) == Pool.MAIN)
    shared = sa.select(func.count(func.distinct(column))).where(
        col(Item.project_id) == project.id, col(Item.pool).in_(OTHER_POOLS), column.in_(main)
    )
    return int(session.execute(shared).scalar_one())


def list_consent_scopes(project: Project, programme_scope: str | None, *, asks: bool) -> tuple[str, ...]:
    """The scopes of the consents that a project asks for: its own where it `asks`, and that of its programme."""
    own = (get_project_scope(project),) if asks else ()
    return own if programme_scope is None else (*own, programme_scope)
