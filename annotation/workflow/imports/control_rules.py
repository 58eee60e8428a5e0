"""Rules about control items on imported votes: who fails them is flagged, or counts no more. Nobody needs to be served.

Everybody is judged by all files imported so far, so that the order of the files changes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from annotation.campaigns.project import ProjectFile
from annotation.campaigns.rules import ControlRule
from annotation.store import journal, judgements
from annotation.store.judgements import Answered
from annotation.store.models import Assignment, Judgement, Project
from annotation.vocabulary import Event, Stage, Surface
from annotation.workflow import quality
from annotation.workflow.quality import exclusions, rule_evaluation


@dataclass(frozen=True, kw_only=True)
class Judged:
    """How many people answered control items, and who failed which rule: database ids of people, by the rule."""

    people: int
    flagged: Mapping[str, frozenset[int]]
    excluded: Mapping[str, frozenset[int]]


def lift(session: Session, *, project: Project, definition: ProjectFile, now: datetime) -> None:
    """Let everybody count again whom these rules excluded, before more votes are stored.

    So repeats are settled among all votes, and whoever failed by the earlier files alone counts; call `enforce` after.
    """
    imported = select(Assignment.id).where(Assignment.project_id == project.id, Assignment.surface == Surface.IMPORT)
    for rule in definition.quality:
        if isinstance(rule, ControlRule):
            reason = quality.in_words(rule)
            fallen = select(Judgement.assignment_id).where(
                Judgement.excluded_reason == reason, col(Judgement.assignment_id).in_(imported)
            )
            exclusions.reinstate(session, assignment_ids=session.exec(fallen).all(), reason=reason, now=now)


def enforce(session: Session, *, project: Project, definition: ProjectFile, now: datetime) -> Judged:
    """Judge everybody who answered control items in imported files, and exclude or flag as the rules say."""
    answered: dict[int, list[Answered]] = defaultdict(list)
    for one in judgements.imported_controls(session, project_id=project.id or 0):
        answered[one.annotator_id].append(one)
    flagged: dict[str, frozenset[int]] = {}
    excluded: dict[str, frozenset[int]] = {}
    results = {who: rule_evaluation.results(definition, mine) for who, mine in answered.items()}
    for rule in definition.quality:
        if isinstance(rule, ControlRule):
            failed = frozenset(who for who, right in results.items() if quality.control(rule, right) is not None)
            (flagged if rule.consequence == "flag" else excluded)[quality.in_words(rule)] = failed
    post_hoc = rule_evaluation.rules_changed(project, definition)
    for reason, people in excluded.items():
        theirs = _assignments(session, people, project=project)
        exclusions.exclude(session, assignment_ids=theirs, reason=reason, post_hoc=post_hoc, now=now)
    for reason, people in flagged.items():
        last = [answered[who][-1].assignment_id for who in sorted(people)]
        _flag(session, last, reason=reason, project=project, now=now)
    return Judged(people=len(answered), flagged=flagged, excluded=excluded)


def _assignments(session: Session, people: Collection[int], *, project: Project) -> list[int]:
    """All imported assignments of these people in the main stage of the project."""
    chosen = select(Assignment.id, Assignment.annotator_id).where(
        Assignment.project_id == project.id,
        Assignment.surface == Surface.IMPORT,
        Assignment.stage == Stage.MAIN,
    )
    return [found for found, who in session.exec(chosen) if found is not None and who in people] if people else []


def _flag(session: Session, ids: Collection[int], *, reason: str, project: Project, now: datetime) -> None:
    """Flag the last control answer of each person who failed."""
    chosen = select(Judgement).where(col(Judgement.assignment_id).in_(ids), judgements.final_revision())
    fresh = [one for one in session.exec(chosen) if reason not in (one.flags or [])]
    for one in fresh:
        one.flags = [*(one.flags or []), reason]
    session.add_all(fresh)
    if fresh:
        data = {"rule": reason, "people": len(fresh), "assignments": [one.assignment_id for one in fresh]}
        journal.record(session, Event.QUALITY_FLAGGED, now=now, project_id=project.id, data=data)
