"""How a campaign stands: its items, answers, people, control items and precision, in a few queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.campaigns import project as project_files
from annotation.campaigns.questions import Choice
from annotation.store.models import Assignment, Item, Judgement, Participation, Project
from annotation.vocabulary import AssignmentStatus, ItemStatus, ParticipationStatus, Pool, Stage
from annotation.workflow.lifecycle import precision
from annotation.workflow.monitoring import funnel


@dataclass(frozen=True, kw_only=True)
class Items:
    """The main items: how many, how many have all their answers, are paused; places in hand and free."""

    number: int
    done: int
    paused: int
    in_hand: int
    free: int


@dataclass(frozen=True, kw_only=True)
class Pilot:
    """The pilot's items: how many, how many have all their answers, and the free places, which newcomers alone take:
    whoever is past the pilot does not come back to it. `newcomers` are people who are in it now.
    """

    number: int
    done: int
    free: int
    newcomers: int


@dataclass(frozen=True, kw_only=True)
class Controls:
    """Control items: how many, how many are left for whoever met most, people who met all, pages without one."""

    number: int
    left: int
    people_without: int
    pages_without: int


@dataclass(frozen=True, kw_only=True)
class Qualification:
    """People who tried the qualification, passed it, and failed it for good."""

    tried: int
    passed: int
    failed: int


@dataclass(frozen=True, kw_only=True)
class Overview:
    """A project as it stands; `excluded` counts answers by reason, `people` by standing, `annotators` all who answered.

    `planned` is the frozen plan, `half_width` the one achieved so far; both None where there is none.
    """

    project: Project
    items: Items
    answers: int
    excluded: Mapping[str, int]
    annotators: int
    people: Mapping[str, int]
    steps: funnel.Funnel
    pilot: Pilot | None
    controls: Controls | None
    qualification: Qualification | None
    planned: Mapping[str, Any] | None
    half_width: float | None


def of(session: Session, project: Project) -> Overview:
    """How the project stands now."""
    definition = project_files.definition_of(project.definition)
    reasons, annotators = _answers(session, project)
    standing = select(Participation.status, func.count()).where(Participation.project_id == project.id)
    people = session.exec(standing.group_by(col(Participation.status)).order_by(col(Participation.status))).all()
    return Overview(
        project=project,
        items=_items(session, project),
        answers=sum(reasons.values()),
        excluded={reason: number for reason, number in reasons.items() if reason is not None},
        annotators=annotators,
        people={ParticipationStatus(status).value: number for status, number in people},
        steps=funnel.of(session, project=project, definition=definition),
        pilot=_pilot(session, project) if definition.stages.pilot else None,
        controls=_controls(session, project) if definition.controls else None,
        qualification=_qualification(session, project) if definition.stages.qualification else None,
        planned=(project.frozen or {}).get("plan"),
        half_width=_half_width(session, project, definition),
    )


def _items(session: Session, project: Project) -> Items:
    chosen = select(
        func.count(),
        func.count().filter(_whole(project)),
        func.count().filter(col(Item.status) == ItemStatus.PAUSED),
        func.coalesce(func.sum(col(Item.free)), 0),
    ).where(Item.project_id == project.id, Item.pool == Pool.MAIN)
    number, done, paused, free = session.exec(chosen).one()
    live = select(func.count()).select_from(Item).join(Assignment, col(Assignment.item_id) == col(Item.id))
    in_hand = session.exec(live.where(Item.project_id == project.id, Assignment.status == AssignmentStatus.LIVE)).one()
    return Items(number=number, done=done, paused=paused, in_hand=in_hand, free=free)


def _whole(project: Project) -> sa.ColumnElement[bool]:
    """That an item has all its answers."""
    return (
        (col(Item.n_done) >= (project.overlap or 1))
        & (col(Item.n_done) == col(Item.n_live))
        & (col(Item.free) + col(Item.held) == 0)
    )


def _pilot(session: Session, project: Project) -> Pilot:
    chosen = select(
        func.count(), func.count().filter(_whole(project)), func.coalesce(func.sum(col(Item.free)), 0)
    ).where(Item.project_id == project.id, Item.pool == Pool.PILOT)
    number, done, free = session.exec(chosen).one()
    there = select(func.count()).where(
        Participation.project_id == project.id,
        Participation.stage == Stage.PILOT,
        Participation.status == ParticipationStatus.ACTIVE,
    )
    return Pilot(number=number, done=done, free=free, newcomers=session.exec(there).one())


def _answers(session: Session, project: Project) -> tuple[dict[str | None, int], int]:
    """Final answers by the reason why they do not count, None for those that do; and how many people gave them."""
    given = select(col(Judgement.excluded_reason), func.count()).select_from(Item)
    given = given.join(Assignment, col(Assignment.item_id) == col(Item.id))
    given = given.join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
    given = given.where(Item.project_id == project.id, _final())
    rows = session.exec(given.group_by(col(Judgement.excluded_reason)).order_by(col(Judgement.excluded_reason))).all()
    who = select(func.count(func.distinct(col(Assignment.annotator_id)))).select_from(Item)
    who = who.join(Assignment, col(Assignment.item_id) == col(Item.id)).where(Item.project_id == project.id)
    return dict(rows), session.exec(who).one()


def _final() -> sa.ColumnElement[bool]:
    """That a judgement is the answer as it finally stands."""
    later = sa.orm.aliased(Judgement)
    return ~sa.exists().where(
        later.assignment_id == col(Judgement.assignment_id),  # type: ignore[arg-type]
        col(later.revision) > col(Judgement.revision),
    )


def _controls(session: Session, project: Project) -> Controls:
    chosen = select(func.count()).where(Item.project_id == project.id, Item.pool == Pool.CONTROL)
    number = session.exec(chosen).one()
    mine = sa.select(col(Assignment.annotator_id)).where(
        col(Assignment.project_id) == project.id, col(Assignment.stage) == Stage.MAIN
    )
    met = mine.add_columns(sa.func.count().label("times")).where(col(Assignment.is_control))
    each = met.group_by(col(Assignment.annotator_id)).subquery()
    most, out = session.execute(
        sa.select(sa.func.coalesce(sa.func.max(each.c.times), 0), sa.func.count().filter(each.c.times >= number))
    ).one()
    hidden = sa.func.sum(sa.case((col(Assignment.is_control), 1), else_=0))
    paged = mine.where(col(Assignment.page).is_not(None), ~col(Assignment.is_repeat))
    bare = paged.group_by(col(Assignment.annotator_id), col(Assignment.page)).having(hidden == 0).subquery()
    pages = session.execute(sa.select(sa.func.count()).select_from(bare)).scalar_one()
    return Controls(number=number, left=max(0, number - most), people_without=out, pages_without=pages)


def _qualification(session: Session, project: Project) -> Qualification:
    tried = select(func.count(func.distinct(col(Assignment.annotator_id)))).where(
        Assignment.project_id == project.id, Assignment.stage == Stage.QUALIFICATION
    )
    ended = select(
        func.count().filter(col(Participation.qualified_at).is_not(None)),
        func.count().filter(
            col(Participation.status) == ParticipationStatus.FAILED, col(Participation.stage) == Stage.QUALIFICATION
        ),
    ).where(Participation.project_id == project.id)
    passed, failed = session.exec(ended).one()
    return Qualification(tried=session.exec(tried).one(), passed=passed, failed=failed)


def _half_width(session: Session, project: Project, definition: project_files.ProjectFile) -> float | None:
    """What a baseline of one choice reached; further right answers are no matter of a choice."""
    if definition.kind != "baseline" or not isinstance(definition.asked[0], Choice):
        return None
    right = func.sum(sa.case((col(Judgement.response) == col(Item.gold), 1), else_=0))
    chosen = (
        select(func.count(), right)
        .select_from(Item)
        .join(Assignment, col(Assignment.item_id) == col(Item.id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            Item.project_id == project.id,
            Item.pool == Pool.MAIN,
            col(Item.gold).is_not(None),
            col(Judgement.excluded_reason).is_(None),
            ~col(Assignment.is_repeat),
            ~col(Assignment.exposed),
            _final(),
        )
    )
    return precision.achieved(session.exec(chosen.group_by(col(Item.group_id))).all())
