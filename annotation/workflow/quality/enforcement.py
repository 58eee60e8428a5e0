"""Consequences of a stored answer: quality rules are enforced, and dynamic overlap asks for more answers.

Called after an answer is stored, in the same transaction; only the caller at the edge commits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from aggregation.consensus.skill_posterior import compute_posterior, smooth_skill
from aggregation.findings import Finding, write_plain
from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.questions import Question, question_base
from annotation.campaigns.sections.quality import SecondsRule
from annotation.campaigns.sections.stages import DynamicOverlap
from annotation.errors import Conflict
from annotation.store import database, journal, judgements, models
from annotation.store.models import AssignmentRow, ParticipationRow, ProjectRow
from annotation.vocabulary import AssignmentStatus, Event, Exclusion, ExclusionKind, ParticipationStatus, Stage
from annotation.workflow import participations
from annotation.workflow.quality import exclusions, gold_answers, rules
from annotation.workflow.quality.exclusions import exclude_answers, reinstate_answers
from annotation.workflow.quality.rules import ExclusionScope, RuleBreach

ROUNDING_TOLERANCE = 1e-9


@dataclass(frozen=True, kw_only=True)
class Vote:
    """The answers of one annotator to one item, as stored, by question, and the annotator's skill."""

    answers: Mapping[str, str]
    skill: float


def is_confident(
    questions: Sequence[Question], votes: Sequence[Vote], *, own: Sequence[str] | None, confidence: float
) -> bool:
    """Whether the likeliest label of every required question with closed labels reaches the confidence.

    `own` are the item's own options. Texts, spans, corrections and abstentions do not count. A question with `show_if`
    counts where the likeliest answers to the questions before it let it be asked. Each box of a `choices` question is a
    question with two options.
    """
    likely_answers: dict[str, str] = {}
    for question in questions:
        posteriors = _compute_posteriors(question, votes, own)
        counts = question.required and posteriors and question_base.is_asked(question, likely_answers)
        if counts and any(
            max(labels.values(), default=0.0) < confidence - ROUNDING_TOLERANCE for labels in posteriors.values()
        ):
            return False
        likeliest = {name: max(sorted(labels), key=labels.__getitem__) for name, labels in posteriors.items() if labels}
        likely_answers |= question.join_choices(likeliest)
    return True


def _compute_posteriors(
    question: Question, votes: Sequence[Vote], own: Sequence[str] | None
) -> dict[str, dict[str, float]]:
    """The posterior of each closed choice that the question asks for; empty for open answers."""
    given = [
        (question.read_choices(answer), vote.skill)
        for vote in votes
        if (answer := vote.answers.get(question.name)) is not None
    ]
    return {
        name: compute_posterior(
            [(choices[name], skill) for choices, skill in given if choices], options=question.count_labels(own)
        )
        for name in question.list_choices(own)
    }


EXCLUDED_BY_ORGANISER = Exclusion(ExclusionKind.ORGANISER, Finding("excluded-person"))
"""The exclusion of answers of annotators who were excluded, but not by a rule."""
JUDGED_STAGES = {Stage.PILOT, Stage.MAIN}


def enforce_rules(
    session: Session,
    *,
    project: ProjectRow,
    definition: ProjectFile,
    participation: ParticipationRow,
    assignment_id: int,
    now: datetime,
) -> tuple[RuleBreach, ...]:
    """Check the final answer of an assignment against the quality rules and apply their consequences.

    `participation` is that of the answer's annotator, who is locked. Returns the breaches. To be called after every
    stored revision, in every stage; answers of training and qualification are left alone. A corrected answer is checked
    anew: it gets its overlap place back where the revision before had lost it, or is kept as extra where no place is
    left. An excluded annotator stays excluded until `readmit_annotator`.
    """
    assignment = models.ASSIGNMENTS.get_one(session, assignment_id)
    if assignment.stage not in JUDGED_STAGES or assignment.status != AssignmentStatus.DONE:
        return ()
    post_hoc = rules.have_rules_changed(project, definition)
    exclusion = get_exclusion(participation)
    if exclusion is not None:
        exclude_answers(session, assignment_ids=[assignment_id], exclusion=exclusion, post_hoc=post_hoc, now=now)
        return ()
    answer = judgements.get_final_judgement(session, assignment_id)
    if answer is None:
        return ()
    breaches: tuple[RuleBreach, ...] = ()
    if answer.skip_reason is None:
        breaches = rules.find_breaches(session, project=project, definition=definition, assignment=assignment)
    if answer.excluded_kind is None and all(breach.consequence != "exclude" for breach in breaches):
        exclusions.restore_place(session, assignment)
    if answer.revision > 0:
        _reinstate_page(session, breaches, definition=definition, assignment=assignment, now=now)
    for breach in breaches:
        _apply_consequence(
            session,
            breach,
            definition=definition,
            assignment=assignment,
            participation=participation,
            post_hoc=post_hoc,
            now=now,
        )
    return breaches


def _reinstate_page(
    session: Session,
    breaches: Sequence[RuleBreach],
    *,
    definition: ProjectFile,
    assignment: AssignmentRow,
    now: datetime,
) -> None:
    """Count a page again that was excluded as too fast and, after a correction, is no longer too fast."""
    broken = {breach.exclusion for breach in breaches}
    for rule in definition.quality:
        exclusion = rules.build_exclusion(rule)
        if isinstance(rule, SecondsRule) and rule.per == "page" and exclusion not in broken:
            page = _list_page_assignments(session, definition, assignment)
            reinstate_answers(session, assignment_ids=page, exclusion=exclusion, now=now)


def get_exclusion(participation: ParticipationRow) -> Exclusion | None:
    """Why no answer of the annotator in the project counts; None where the annotator is not excluded."""
    return _build_exclusion(participation) if participation.status == ParticipationStatus.EXCLUDED else None


def _build_exclusion(participation: ParticipationRow) -> Exclusion:
    """The exclusion by which answers of an annotator who was excluded, or paused, do not count."""
    if participation.reason is None:
        return EXCLUDED_BY_ORGANISER
    return Exclusion(ExclusionKind.RULE, participation.reason)


def readmit_annotator(session: Session, *, annotator_id: int, project_id: int, now: datetime) -> int:
    """Make a paused or excluded annotator active again and reinstate the answers that were excluded with them.

    Returns how many answers count again. Raises Conflict where the annotator is neither paused nor excluded.
    """
    locked = database.lock_annotator(session, annotator_id)
    participation = participations.get_participation(locked, project_id=project_id)
    if participation is None or participation.status not in {ParticipationStatus.PAUSED, ParticipationStatus.EXCLUDED}:
        raise Conflict(
            "This person is neither paused nor excluded there.",
            remedy="`hromada people PROJECT` says who is paused or excluded.",
        )
    exclusion = _build_exclusion(participation)
    _set_status(session, participation, ParticipationStatus.ACTIVE, reason=None, now=now)
    journal.record_event(
        session,
        Event.ANNOTATOR_READMITTED,
        now=now,
        project_id=project_id,
        annotator_id=annotator_id,
        data={"reason": write_plain(exclusion.reason)},
    )
    assignment_ids = [
        assignment_id
        for stage in sorted(JUDGED_STAGES)
        for assignment_id in judgements.list_stage_assignment_ids(
            session, annotator_id=annotator_id, project_id=project_id, stage=stage
        )
    ]
    return reinstate_answers(session, assignment_ids=assignment_ids, exclusion=exclusion, now=now)


def needs_more_answers(session: Session, *, project: ProjectRow, definition: ProjectFile, item_id: int) -> bool:
    """Whether dynamic overlap asks for one more answer to an item that has all its answers.

    Never beyond the maximum, while a place is free or an answer is still to come, or for a paused item.
    """
    plan = definition.overlap
    if not isinstance(plan, DynamicOverlap):
        return False
    item = models.ITEMS.get_one(session, item_id)
    if item.free + item.held > 0 or item.n_done < item.n_live or item.n_live >= plan.max:
        return False
    first = definition.all_questions[0].name
    skills: dict[int, float] = {}
    votes = []
    for answer in judgements.list_counting_answers(session, item_id=item_id):
        annotator_id = answer.annotator_id
        if annotator_id not in skills:
            skills[annotator_id] = _compute_annotator_skill(
                session, definition, annotator_id=annotator_id, project_id=project.id or 0
            )
        votes.append(Vote(answers=answer.answers(first), skill=skills[annotator_id]))
    return not is_confident(definition.all_questions, votes, own=item.options, confidence=plan.confidence)


def _compute_annotator_skill(session: Session, definition: ProjectFile, *, annotator_id: int, project_id: int) -> float:
    """An annotator's skill in a project, from their control and training answers to questions with closed labels."""
    if definition.controls is None and definition.stages.training is None:
        return smooth_skill(0, 0)
    first = definition.all_questions[0].name
    only = [question.name for question in gold_answers.select_closed_questions(definition.all_questions)]
    marks: list[bool] = []
    for answer in judgements.list_gold_answers(
        session, annotator_id=annotator_id, project_id=project_id, training=True
    ):
        marked = gold_answers.mark_answers(
            definition.all_questions,
            answer.answers(first),
            golds=answer.gold_answers(first),
            accepted=answer.accepted or (),
            only=only,
        )
        marks += marked.values()
    return smooth_skill(sum(marks), len(marks))


def _apply_consequence(
    session: Session,
    breach: RuleBreach,
    *,
    definition: ProjectFile,
    assignment: AssignmentRow,
    participation: ParticipationRow,
    post_hoc: bool,
    now: datetime,
) -> None:
    if breach.consequence == "flag":
        _flag_answer(session, breach, assignment=assignment, now=now)
    elif breach.consequence == "pause":
        if participation.status == ParticipationStatus.ACTIVE:
            _set_status(session, participation, ParticipationStatus.PAUSED, reason=breach.reason, now=now)
            _record_breach(session, Event.ANNOTATOR_PAUSED, breach, assignment=assignment, now=now)
    else:
        if breach.scope is ExclusionScope.ANNOTATOR:
            _set_status(session, participation, ParticipationStatus.EXCLUDED, reason=breach.reason, now=now)
            _record_breach(session, Event.ANNOTATOR_EXCLUDED, breach, assignment=assignment, now=now)
        ids = _list_excluded_assignments(session, breach, definition, assignment)
        exclude_answers(session, assignment_ids=ids, exclusion=breach.exclusion, post_hoc=post_hoc, now=now)


def _list_excluded_assignments(
    session: Session, breach: RuleBreach, definition: ProjectFile, assignment: AssignmentRow
) -> Sequence[int]:
    """The assignments that an exclusion takes out: this one, its page, or all of the annotator in the main stage."""
    if breach.scope is ExclusionScope.ANSWER:
        return [assignment.id or 0]
    if breach.scope is ExclusionScope.PAGE:
        return _list_page_assignments(session, definition, assignment)
    return judgements.list_stage_assignment_ids(
        session, annotator_id=assignment.annotator_id, project_id=assignment.project_id, stage=Stage.MAIN
    )


def _list_page_assignments(session: Session, definition: ProjectFile, assignment: AssignmentRow) -> Sequence[int]:
    """The ids of the assignments on the same page as this one."""
    number = definition.pages.items if definition.pages else 1
    neighbours = judgements.list_neighbouring_answers(session, assignment, number=number - 1)
    return [answer.assignment_id for answer in neighbours if answer.page == assignment.page]


def _flag_answer(session: Session, breach: RuleBreach, *, assignment: AssignmentRow, now: datetime) -> None:
    answer = judgements.get_final_judgement(session, assignment.id)
    if answer is not None and breach.reason not in (answer.flags or []):
        answer.flags = [*(answer.flags or []), breach.reason]
        session.add(answer)
        _record_breach(session, Event.QUALITY_FLAGGED, breach, assignment=assignment, now=now)


def _set_status(
    session: Session, participation: ParticipationRow, status: ParticipationStatus, *, reason: str | None, now: datetime
) -> None:
    models.PARTICIPATIONS.update(session, participation, status=status, reason=reason, since=now)


def _record_breach(
    session: Session, event: Event, breach: RuleBreach, *, assignment: AssignmentRow, now: datetime
) -> None:
    journal.record_event(
        session,
        event,
        now=now,
        project_id=assignment.project_id,
        annotator_id=assignment.annotator_id,
        data={"rule": write_plain(breach.reason), "assignment": assignment.id},
    )
