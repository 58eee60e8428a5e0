"""Blindness: who runs a baseline sees no scores, votes or agreement before it is closed, unless they say so on record.

Whoever sees results while people still answer can stop, extend or exclude by them; the intervals then no longer hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.store import journal
from annotation.store.models import Annotator, Assignment, Item, Judgement, Project, ProjectRow
from annotation.vocabulary import Event, ProjectStatus, Surface
from annotation.workflow import definitions
from annotation.workflow.lifecycle import readiness


def is_blind(session: Session, project: ProjectRow) -> bool:
    """Whether its scores, votes and agreement are not to be shown: a baseline that people answer, before it is closed.

    Imported votes and simulated annotators are exempt: while no other answer is there, nothing is blind.
    """
    if project.status is ProjectStatus.CLOSED:
        return False
    if definitions.read_project_definition(session, project).kind != "baseline":
        return False
    by_people = (
        select(sa.literal(1))
        .select_from(Assignment)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(Item.project_id == project.id, Assignment.surface != Surface.IMPORT, col(Annotator.simulated).is_(False))
        .limit(1)
    )
    return session.exec(by_people).first() is not None


def list_blind_projects(session: Session, projects: Sequence[Project]) -> list[Project]:
    """Those of the projects that are blind now, in their order."""
    return [project for project in projects if is_blind(session, project)]


def record_unblinding(session: Session, projects: Sequence[Project], *, by: str, now: datetime) -> None:
    """Record in the journal that `by`, a command, shows the results of these blind projects now.

    What is frozen of a project names each command once, so that a release says what was looked at before the end.
    """
    for project in projects:
        journal.record_event(session, Event.UNBLINDED, now=now, project_id=project.id, data={"by": by})
        what = f"results seen before the end: {by}"
        if all(change["what"] != what for change in (project.frozen or {}).get("post_hoc", ())):
            readiness.add_post_hoc_change(project, what=what, now=now)
            session.add(project)
