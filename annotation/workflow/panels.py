"""Panels of a project: in which one an annotator is, and how many answers of it an item still gets.

An annotator is in the panel to which their cohorts and profile belong when they are handed their first item, and stays
in it: what they say of themselves later moves none of their answers. Nobody is handed items who is in no panel, or in
several.
"""

from __future__ import annotations

from sqlmodel import Session, col, select

from annotation.campaigns.project_file import ProjectFile
from annotation.store import models, panel_members
from annotation.store.item_queue import PanelQuota
from annotation.store.models import Participation, ParticipationRow, Project
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


def _join(definition: ProjectFile) -> str:
    return " or ".join(definition.panels)
