"""The conduct of a campaign, counted for its release: consents, exposure, pilot, training, and what was fixed when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.store import judgements
from annotation.store.models import Assignment, Consent, Exposure, Item, Judgement, Project
from annotation.store.models.column_types import UtcDateTime
from annotation.vocabulary import Pool, Stage, Surface
from annotation.workflow.annotators.terms import get_project_scope

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
        imported=bool(surfaces) and all(Surface(one) is Surface.IMPORT for one in surfaces),
        platforms=tuple(sorted(Surface(one).value for one in surfaces)),
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
    found: datetime | None = session.execute(query).scalar_one()
    return found


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
