"""Imported annotations of the second pass in Label Studio, which are read with the first answers that they go with.

They are stored as a pull stores them: apart, since the right answers were shown, and in projects that ask in steps also
as a revision of the first answer, which then has the answers of both passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlmodel import Session, select

from annotation.campaigns.questions import Question, QuestionContent, question_base
from annotation.errors import BadInput
from annotation.loading.drafts import VoteDraft
from annotation.loading.judgements import label_studio_results
from annotation.loading.vote_parser import locate_refusal
from annotation.store import judgements
from annotation.store.models import Assignment, Judgement
from annotation.vocabulary import SECOND_PASS, SECOND_PASS_OCCASION, AssignmentStatus, Exclusion, Surface

ItemVote = tuple[int, int, VoteDraft]
"""Database ids of the item and of the annotator, and the vote."""


def store_second_passes(
    session: Session,
    votes: Sequence[ItemVote],
    *,
    questions: Sequence[Question],
    item_contents: Mapping[str, QuestionContent],
) -> None:
    """Store annotations of the second pass, after the first answers.

    Raises BadInput for one whose first answer is not stored, whose answers are not valid, or that is stored already.
    """
    for item_id, annotator_id, vote in votes:
        first = _find_judgement(session, item_id=item_id, annotator_id=annotator_id, occasion=0)
        if first is None:
            raise BadInput(
                "This is an annotation of the second pass, and the answer of the first one is not there.",
                where=vote.origin.where(),
                remedy="Import the export of the first pass before it, from the same server.",
            )
        if _find_judgement(session, item_id=item_id, annotator_id=annotator_id, occasion=SECOND_PASS_OCCASION):
            raise BadInput(
                "The second pass of this item by this annotator is there already.",
                where=vote.origin.where(),
                remedy="Import each annotation once.",
            )
        read_vote = _read_answers(vote, first[1], questions=questions, content=item_contents[vote.item])
        assignment = _add_assignment(session, first[0])
        _add_judgement(session, assignment, read_vote, revision=0, exclusion=SECOND_PASS)
        has_steps = any(question.step > 1 for question in questions)
        if has_steps and read_vote.skip_reason is None and read_vote.answers != first[1].answers:
            revision = first[1].revision + 1
            _add_judgement(session, first[0], read_vote, revision=revision, exclusion=first[1].exclusion)
    session.flush()


def _find_judgement(
    session: Session, *, item_id: int, annotator_id: int, occasion: int
) -> tuple[Assignment, Judgement] | None:
    """The assignment on this occasion and the final judgement of it; None where nothing was answered."""
    query = (
        select(Assignment, Judgement)
        .join(Judgement)
        .where(Assignment.item_id == item_id, Assignment.annotator_id == annotator_id)
        .where(Assignment.occasion == occasion, judgements.build_final_revision_condition())
    )
    return session.exec(query).first()


def _read_answers(
    vote: VoteDraft, first: Judgement, *, questions: Sequence[Question], content: QuestionContent
) -> VoteDraft:
    """The vote with the answers of both passes."""
    if vote.second_pass is None or vote.skip_reason is not None:
        return vote
    blind = first.answers or {questions[0].name: first.response}
    try:
        raw = label_studio_results.read_answers(questions, vote.second_pass, content, first=blind)
        given = question_base.parse_answers(questions, raw, content)
    except BadInput as refusal:
        raise locate_refusal(refusal, vote.origin) from None
    return vote._replace(
        response=given.get(questions[0].name, ""),
        answers=given if len(questions) > 1 else None,
        raw=label_studio_results.describe_answers(questions, raw, given, content),
    )


def _add_assignment(session: Session, first: Assignment) -> Assignment:
    assignment = Assignment(
        project_id=first.project_id,
        item_id=first.item_id,
        item_revision=first.item_revision,
        annotator_id=first.annotator_id,
        occasion=SECOND_PASS_OCCASION,
        surface=Surface.IMPORT,
        status=AssignmentStatus.DONE,
        stage=first.stage,
    )
    session.add(assignment)
    session.flush()
    return assignment


def _add_judgement(
    session: Session,
    assignment: Assignment,
    vote: VoteDraft,
    *,
    revision: int,
    exclusion: Exclusion | None,
) -> None:
    session.add(
        Judgement(
            assignment_id=assignment.id or 0,
            revision=revision,
            response=vote.response,
            response_raw=vote.raw,
            answers=vote.answers,
            seconds=vote.seconds,
            seconds_unknown=vote.seconds_unknown,
            skip_reason=vote.skip_reason,
            **judgements.list_exclusion_values(exclusion),
        )
    )
