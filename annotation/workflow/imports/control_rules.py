"""Control-item rules on imported votes: annotators who fail a rule are flagged, or their answers are excluded.

Every annotator is judged by all files imported so far, so that the order of the files changes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.sections.quality import ControlRule
from annotation.store import journal, judgements
from annotation.store.judgements import FinalAnswer
from annotation.store.models import Assignment, Judgement, Project
from annotation.vocabulary import Event, Exclusion, ExclusionKind, Stage, Surface
from annotation.workflow.quality import exclusions, rule_evaluation, rules


@dataclass(frozen=True, kw_only=True)
class ControlRuleResults:
    """The result of checking imported votes by the control-item rules of a project.

    `annotators` is how many annotators answered control items. `flagged` and `excluded` hold the database ids of the
    annotators who failed a rule, by the rule in words; the rule's consequence decides between the two.
    """

    annotators: int
    flagged: Mapping[str, frozenset[int]]
    excluded: Mapping[str, frozenset[int]]


def lift_exclusions(session: Session, *, project: Project, now: datetime) -> None:
    """Reinstate the imported answers that rules excluded, so that repeats are settled among all votes.

    Only control-item rules exclude imported answers; the rules may have been others then. Called before more votes are
    stored; afterwards `enforce_control_rules` applies the rules of today.
    """
    excluded = (
        select(Judgement.excluded_reason, Judgement.assignment_id)
        .join(Assignment)
        .where(Assignment.project_id == project.id, Assignment.surface == Surface.IMPORT)
        .where(judgements.build_stored_kind_condition(ExclusionKind.RULE))
    )
    assignment_ids = defaultdict(list)
    for reason, assignment_id in session.exec(excluded.order_by(col(Judgement.assignment_id))):
        assignment_ids[reason or ""].append(assignment_id)
    for reason, ids in assignment_ids.items():
        exclusion = Exclusion(ExclusionKind.RULE, reason)
        exclusions.reinstate_answers(session, assignment_ids=ids, exclusion=exclusion, now=now)


def enforce_control_rules(
    session: Session, *, project: Project, definition: ProjectFile, now: datetime
) -> ControlRuleResults:
    """Apply every control-item rule to every annotator of imported votes; exclude or flag those who fail it."""
    answers_by_annotator: dict[int, list[FinalAnswer]] = defaultdict(list)
    for answer in judgements.list_imported_control_answers(session, project_id=project.id or 0):
        answers_by_annotator[answer.annotator_id].append(answer)
    flagged: dict[str, frozenset[int]] = {}
    excluded: dict[str, frozenset[int]] = {}
    outcomes_by_annotator = {
        annotator_id: rule_evaluation.mark_control_answers(definition, answers)
        for annotator_id, answers in answers_by_annotator.items()
    }
    for rule in definition.quality:
        if isinstance(rule, ControlRule):
            failed = frozenset(
                annotator_id
                for annotator_id, outcomes in outcomes_by_annotator.items()
                if rules.find_control_breach(rule, outcomes) is not None
            )
            (flagged if rule.consequence == "flag" else excluded)[rules.describe_rule(rule)] = failed
    post_hoc = rule_evaluation.have_rules_changed(project, definition)
    for reason, annotator_ids in excluded.items():
        assignment_ids = _list_assignments(session, annotator_ids, project=project)
        exclusion = Exclusion(ExclusionKind.RULE, reason)
        exclusions.exclude_answers(
            session, assignment_ids=assignment_ids, exclusion=exclusion, post_hoc=post_hoc, now=now
        )
    for reason, annotator_ids in flagged.items():
        last_assignments = [
            answers_by_annotator[annotator_id][-1].assignment_id for annotator_id in sorted(annotator_ids)
        ]
        _flag_judgements(session, last_assignments, reason=reason, project=project, now=now)
    return ControlRuleResults(annotators=len(answers_by_annotator), flagged=flagged, excluded=excluded)


def _list_assignments(session: Session, annotator_ids: Collection[int], *, project: Project) -> list[int]:
    """The ids of all imported assignments of the annotators in the main stage of the project."""
    imported = select(Assignment.id, Assignment.annotator_id).where(
        Assignment.project_id == project.id,
        Assignment.surface == Surface.IMPORT,
        Assignment.stage == Stage.MAIN,
    )
    if not annotator_ids:
        return []
    rows = session.exec(imported)
    return [
        assignment_id
        for assignment_id, annotator_id in rows
        if assignment_id is not None and annotator_id in annotator_ids
    ]


def _flag_judgements(session: Session, ids: Collection[int], *, reason: str, project: Project, now: datetime) -> None:
    """Add `reason` as a flag to the final judgements of the assignments with these ids, where they lack it."""
    final_judgements = select(Judgement).where(
        col(Judgement.assignment_id).in_(ids), judgements.build_final_revision_condition()
    )
    unflagged = [judgement for judgement in session.exec(final_judgements) if reason not in (judgement.flags or [])]
    for judgement in unflagged:
        judgement.flags = [*(judgement.flags or []), reason]
    session.add_all(unflagged)
    if unflagged:
        data = {
            "rule": reason,
            "people": len(unflagged),
            "assignments": [judgement.assignment_id for judgement in unflagged],
        }
        journal.record_event(session, Event.QUALITY_FLAGGED, now=now, project_id=project.id, data=data)
