"""Which annotators are in which panels of a project, as the database has it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns.sections.panels import Panels, find_panels
from annotation.store.models import Annotator, Assignment, Cohort, Participation, ProfileAnswer, Project


def read_panel_members(session: Session, project: Project, panels: Panels) -> dict[str, tuple[str, ...]]:
    """The panels of each annotator who answered in the project, by pseudonym, sorted; empty for those of none.

    Whoever was handed an item of the project stays in the panel in which they were then. Of all others, as of imported
    votes, cohort and profile decide.
    """
    worked = select(Assignment.annotator_id).where(Assignment.project_id == project.id)
    return _read_members(session, project, panels, col(Annotator.id).in_(worked))


def list_conflicts(session: Session, project: Project, panels: Panels) -> dict[str, tuple[str, ...]]:
    """The panels of each annotator who joined the project, or is in a cohort of its panels, and belongs to several."""
    joined = select(Participation.annotator_id).where(Participation.project_id == project.id)
    cohorts = {name for panel in panels.values() for name in panel.cohort}
    in_cohort = select(Cohort.annotator_id).where(col(Cohort.name).in_(cohorts))
    of_project = col(Annotator.id).in_(joined) | col(Annotator.id).in_(in_cohort)
    members = _read_members(session, project, panels, of_project & col(Annotator.forgotten_at).is_(None))
    return {pseudonym: names for pseudonym, names in members.items() if len(names) > 1}


def find_own_panels(session: Session, panels: Panels, *, annotator_id: int) -> tuple[str, ...]:
    """The panels to which cohorts and profile of an annotator belong now, in the order of the file."""
    cohorts, profiles = _read_facts(session, panels, {annotator_id})
    return find_panels(panels, profile=profiles[annotator_id], cohorts=cohorts[annotator_id])


def _read_members(
    session: Session, project: Project, panels: Panels, condition: sa.ColumnElement[bool]
) -> dict[str, tuple[str, ...]]:
    is_own = (col(Participation.annotator_id) == col(Annotator.id)) & (col(Participation.project_id) == project.id)
    query = sa.select(col(Annotator.id), col(Annotator.pseudonym), col(Participation.panel)).select_from(Annotator)
    found = session.connection().execute(query.outerjoin(Participation, is_own).where(condition))
    rows = [(annotator_id or 0, pseudonym, panel) for annotator_id, pseudonym, panel in found]
    cohorts, profiles = _read_facts(session, panels, {annotator_id for annotator_id, _, panel in rows if panel is None})
    members = {
        pseudonym: find_panels(panels, profile=profiles[annotator_id], cohorts=cohorts[annotator_id])
        if panel is None
        else (panel,)
        for annotator_id, pseudonym, panel in rows
    }
    return dict(sorted(members.items()))


def _read_facts(
    session: Session, panels: Panels, annotator_ids: Collection[int]
) -> tuple[defaultdict[int, set[str]], defaultdict[int, dict[str, str]]]:
    """The cohorts, and the profile answers by field, of these annotators, as far as panels ask for them."""
    cohorts, profiles = defaultdict[int, set[str]](set), defaultdict[int, dict[str, str]](dict)
    names = {name for panel in panels.values() for name in panel.cohort}
    for annotator_id, name in session.exec(select(Cohort.annotator_id, Cohort.name).where(col(Cohort.name).in_(names))):
        cohorts[annotator_id].add(name)
    fields = {name for panel in panels.values() for name in panel.profile}
    answers = select(ProfileAnswer.annotator_id, ProfileAnswer.field, ProfileAnswer.value)
    answers = answers.where(col(ProfileAnswer.field).in_(fields))
    if len(annotator_ids) == 1:
        answers = answers.where(ProfileAnswer.annotator_id == next(iter(annotator_ids)))
    for annotator_id, field, value in session.exec(answers) if fields else ():
        profiles[annotator_id][field] = value
    return cohorts, profiles
