"""Panels of a project: in which one an annotator is, and how many answers of it an item still gets.

An annotator is in the panel to which their cohorts and profile belong when they are handed their first item, and stays
in it: what they say of themselves later moves none of their answers. Nobody is handed items who is in no panel, or in
several.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlmodel import Session, col, func, select

from annotation.campaigns.project_file import ProjectFile
from annotation.store import models, panel_members
from annotation.store.item_queue import PanelQuota
from annotation.store.models import Assignment, Item, Participation, ParticipationRow, Project
from annotation.vocabulary import AssignmentStatus, ItemStatus, Pool
from annotation.workflow import definitions


def explain_refusal(
    session: Session, definition: ProjectFile, *, annotator_id: int, participation: ParticipationRow | None
) -> str | None:
    """Why an annotator has no place in any panel, in words for organisers; None where they have one."""
    if not definition.panels or (participation is not None and participation.panel is not None):
        return None
    own = panel_members.find_own_panels(session, definition.panels, annotator_id=annotator_id)
    if len(own) == 1:
        return None
    return f"panels: in {' and '.join(own)}, where one is possible" if own else f"panels: not in {_join(definition)}"


def settle_panel(session: Session, definition: ProjectFile, participation: ParticipationRow) -> None:
    """Store the panel of an annotator who is about to be handed a first item; one that is stored stays."""
    if participation.panel is None:
        own = panel_members.find_own_panels(session, definition.panels, annotator_id=participation.annotator_id)
        if len(own) == 1:
            models.PARTICIPATIONS.update(session, participation, panel=own[0])


def get_quota(definition: ProjectFile, panel: str | None) -> PanelQuota | None:
    """How many answers of this panel an item gets; None where panels have no number of their own."""
    section = None if panel is None else definition.panels.get(panel)
    return None if panel is None or section is None or section.votes is None else PanelQuota(panel, section.votes)


def read_quota(session: Session, *, annotator_id: int, project_id: int) -> PanelQuota | None:
    """How many answers of an annotator's panel an item of a project gets; None where there is no such number."""
    own = select(Participation.panel).where(
        Participation.annotator_id == annotator_id, Participation.project_id == project_id
    )
    panel = session.exec(own.where(col(Participation.panel).is_not(None))).first()
    if panel is None:
        return None
    return get_quota(definitions.get_project_definition(session.get_one(Project, project_id)), panel)


@dataclass(frozen=True, kw_only=True)
class PanelCounts:
    """How far a panel is with the main items: the answers that hold a place, who gave them, and those that are wanted.

    `people` is how many people gave these answers; others of the panel may have found nothing to do. `wanted` is None
    where the panel has no number of answers of its own.
    """

    people: int
    answers: int
    wanted: int | None


def count_panels(session: Session, project: Project, definition: ProjectFile) -> Mapping[str, PanelCounts]:
    """How far each panel of a project is, by name in the order of its file; empty without panels."""
    if not definition.panels:
        return {}
    items = select(func.count()).where(Item.project_id == project.id, Item.pool == Pool.MAIN)
    n_items = session.exec(items.where(Item.status != ItemStatus.RETIRED)).one()
    is_own = (col(Participation.annotator_id) == col(Assignment.annotator_id)) & (
        col(Participation.project_id) == col(Assignment.project_id)
    )
    answers = (
        select(Participation.panel, func.count(), func.count(func.distinct(col(Assignment.annotator_id))))
        .select_from(Assignment)
        .join(Participation, is_own)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .where(Assignment.project_id == project.id, Item.pool == Pool.MAIN, col(Assignment.holds_place))
        .where(Assignment.status == AssignmentStatus.DONE)
    )
    rows = session.exec(answers.group_by(col(Participation.panel))).all()
    counts = {panel: (n_people, n_answers) for panel, n_answers, n_people in rows}
    return {
        name: PanelCounts(
            people=counts.get(name, (0, 0))[0],
            answers=counts.get(name, (0, 0))[1],
            wanted=None if panel.votes is None else panel.votes * n_items,
        )
        for name, panel in definition.panels.items()
    }


def _join(definition: ProjectFile) -> str:
    return " or ".join(definition.panels)
