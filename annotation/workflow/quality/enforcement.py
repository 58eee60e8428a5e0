"""What follows from an answer: quality rules with their consequences, and whether an item needs more answers.

Called by whoever stores answers, after the answer is stored; only the edge commits.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from annotation.campaigns.project import ProjectFile
from annotation.campaigns.rules import SecondsRule
from annotation.campaigns.stages import DynamicOverlap
from annotation.errors import Conflict
from annotation.store import journal, judgements
from annotation.store.models import Assignment, Item, Judgement, Participation, Project
from annotation.vocabulary import AssignmentStatus, Event, ParticipationStatus, Stage
from annotation.workflow import participations, quality
from annotation.workflow.quality import Breach, Scope, dynamic_overlap, exclusions, rule_evaluation
from annotation.workflow.quality.exclusions import exclude, reinstate

__all__ = ["after_answer", "exclude", "out", "readmit", "reinstate", "wants_more"]

EXCLUDED = "the person was excluded"
JUDGED = {Stage.PILOT, Stage.MAIN}


def after_answer(
    session: Session, *, project: Project, definition: ProjectFile, assignment_id: int, now: datetime
) -> tuple[Breach, ...]:
    """Judge the answer of an assignment as it stands now, and do what the rules say; what it broke.

    Call it after every stored revision, in every stage: training and qualification are nobody's data and are left
    alone. A corrected answer is judged anew: it gets a place again where the one before had lost it, or is extra where
    none is left. Whoever was excluded from the project stays so until `readmit`.
    """
    session.flush()
    assignment = session.get_one(Assignment, assignment_id, populate_existing=True)
    if assignment.stage not in JUDGED or assignment.status != AssignmentStatus.DONE:
        return ()
    standing = participations.of(session, annotator_id=assignment.annotator_id, project_id=assignment.project_id)
    post_hoc = rule_evaluation.rules_changed(project, definition)
    reason = None if standing is None else out(standing)
    if reason is not None:
        exclude(session, assignment_ids=[assignment_id], reason=reason, post_hoc=post_hoc, now=now)
        return ()
    answer = _final(session, assignment_id)
    found: tuple[Breach, ...] = ()
    if answer.skip_reason is None:
        found = rule_evaluation.breaches(session, project=project, definition=definition, assignment=assignment)
    if answer.excluded_reason is None and all(breach.consequence != "exclude" for breach in found):
        exclusions.settle(session, assignment)
    if answer.revision > 0:
        _forgive(session, found, definition=definition, assignment=assignment, now=now)
    for breach in found:
        _apply(
            session,
            breach,
            definition=definition,
            assignment=assignment,
            standing=standing,
            post_hoc=post_hoc,
            now=now,
        )
    return found


def _forgive(
    session: Session, found: Sequence[Breach], *, definition: ProjectFile, assignment: Assignment, now: datetime
) -> None:
    """A page that was too fast and, with its correction, is not any more counts again."""
    broken = {breach.words for breach in found}
    for rule in definition.quality:
        words = quality.in_words(rule)
        if isinstance(rule, SecondsRule) and rule.per == "page" and words not in broken:
            page = _page(session, definition, assignment)
            reinstate(session, assignment_ids=page, reason=words, now=now)


def out(standing: Participation) -> str | None:
    """Why nothing that the person answers in the project counts; None where it does."""
    if standing.status != ParticipationStatus.EXCLUDED:
        return None
    return standing.reason or EXCLUDED


def readmit(session: Session, *, annotator_id: int, project_id: int, now: datetime) -> int:
    """Let a person who was paused or excluded go on, and count again what was excluded with her; how many answers.

    Raises Conflict for whoever is neither.
    """
    standing = participations.of(session, annotator_id=annotator_id, project_id=project_id)
    if standing is None or standing.status not in {ParticipationStatus.PAUSED, ParticipationStatus.EXCLUDED}:
        raise Conflict(
            "This person is neither paused nor excluded there.", remedy="`hromada people PROJECT` says how each stands."
        )
    reason = standing.reason or EXCLUDED
    _stand(session, standing, ParticipationStatus.ACTIVE, reason=None, now=now)
    journal.record(
        session,
        Event.PERSON_READMITTED,
        now=now,
        project_id=project_id,
        annotator_id=annotator_id,
        data={"reason": reason},
    )
    hers = [
        one
        for stage in sorted(JUDGED)
        for one in judgements.of_stage(session, annotator_id=annotator_id, project_id=project_id, stage=stage)
    ]
    return reinstate(session, assignment_ids=hers, reason=reason, now=now)


def wants_more(session: Session, *, project: Project, definition: ProjectFile, item_id: int) -> bool:
    """Whether an item that has all its answers should get one more place (`slots.open_more`): dynamic overlap.

    Never beyond the maximum, nor while a place is free or an answer is still to come, nor for a paused item.
    """
    plan = definition.overlap
    if not isinstance(plan, DynamicOverlap):
        return False
    item = session.get_one(Item, item_id, populate_existing=True)
    if item.free + item.held > 0 or item.n_done < item.n_live or item.n_live >= plan.max:
        return False
    first = definition.asked[0].name
    skills: dict[int, float] = {}
    votes = []
    for one in judgements.counting(session, item_id=item_id):
        who = one.annotator_id
        if who not in skills:
            skills[who] = _skill(session, definition, annotator_id=who, project_id=project.id or 0)
        votes.append(dynamic_overlap.Vote(answers=one.answers(first), skill=skills[who]))
    return not dynamic_overlap.sure(definition.asked, votes, own=item.options, confidence=plan.confidence)


def _skill(session: Session, definition: ProjectFile, *, annotator_id: int, project_id: int) -> float:
    """A person's skill in a project, from her control and training answers to questions with closed labels."""
    if definition.controls is None and definition.stages.training is None:
        return dynamic_overlap.skill(0, 0)
    first = definition.asked[0].name
    only = [question.name for question in quality.closed(definition.asked)]
    marks: list[bool] = []
    for one in judgements.known(session, annotator_id=annotator_id, project_id=project_id, training=True):
        found = quality.marks(
            definition.asked, one.answers(first), golds=one.golden(first), accepted=one.accepted or (), only=only
        )
        marks += found.values()
    return dynamic_overlap.skill(sum(marks), len(marks))


def _apply(
    session: Session,
    breach: Breach,
    *,
    definition: ProjectFile,
    assignment: Assignment,
    standing: Participation | None,
    post_hoc: bool,
    now: datetime,
) -> None:
    if breach.consequence == "flag":
        _flag(session, breach, assignment=assignment, now=now)
    elif breach.consequence == "pause":
        if standing is not None and standing.status == ParticipationStatus.ACTIVE:
            _stand(session, standing, ParticipationStatus.PAUSED, reason=breach.words, now=now)
            _tell(session, Event.PERSON_PAUSED, breach, assignment=assignment, now=now)
    else:
        if breach.scope is Scope.PERSON and standing is not None:
            _stand(session, standing, ParticipationStatus.EXCLUDED, reason=breach.words, now=now)
            _tell(session, Event.PERSON_EXCLUDED, breach, assignment=assignment, now=now)
        ids = _concerned(session, breach, definition, assignment)
        exclude(session, assignment_ids=ids, reason=breach.words, post_hoc=post_hoc, now=now)


def _concerned(session: Session, breach: Breach, definition: ProjectFile, assignment: Assignment) -> Sequence[int]:
    """What an exclusion takes out: the answer, its page, or all that the person did in the main stage."""
    if breach.scope is Scope.ANSWER:
        return [assignment.id or 0]
    if breach.scope is Scope.PAGE:
        return _page(session, definition, assignment)
    return judgements.of_stage(
        session, annotator_id=assignment.annotator_id, project_id=assignment.project_id, stage=Stage.MAIN
    )


def _page(session: Session, definition: ProjectFile, assignment: Assignment) -> Sequence[int]:
    """The assignments of the page on which this one is."""
    number = definition.pages.items if definition.pages else 1
    near = judgements.neighbours(session, assignment, number=number - 1)
    return [one.assignment_id for one in near if one.page == assignment.page]


def _flag(session: Session, breach: Breach, *, assignment: Assignment, now: datetime) -> None:
    answer = _final(session, assignment.id or 0)
    if breach.words not in (answer.flags or []):
        answer.flags = [*(answer.flags or []), breach.words]
        session.add(answer)
        _tell(session, Event.QUALITY_FLAGGED, breach, assignment=assignment, now=now)


def _stand(
    session: Session, standing: Participation, status: ParticipationStatus, *, reason: str | None, now: datetime
) -> None:
    standing.status, standing.reason, standing.since = status, reason, now
    session.add(standing)
    session.flush()


def _tell(session: Session, event: Event, breach: Breach, *, assignment: Assignment, now: datetime) -> None:
    journal.record(
        session,
        event,
        now=now,
        project_id=assignment.project_id,
        annotator_id=assignment.annotator_id,
        data={"rule": breach.words, "assignment": assignment.id},
    )


def _final(session: Session, assignment_id: int) -> Judgement:
    chosen = select(Judgement).where(Judgement.assignment_id == assignment_id)
    return session.exec(chosen.order_by(col(Judgement.revision).desc()).limit(1)).one()
