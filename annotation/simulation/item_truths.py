"""The true answers to the items of a simulated campaign: gold from the database, or drawn from the seed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlmodel import Session, col, select

from annotation.campaigns import project_file
from annotation.campaigns.questions import ChoiceQuestion, Question, QuestionContent
from annotation.simulation import answer_generator
from annotation.store.models import Item, Project
from annotation.workflow.quality import gold_answers


@dataclass(frozen=True, kw_only=True)
class ItemTruth:
    """The true answers to an item by question name, as stored, and further right answers to the first question.

    A question whose true answer is none is not among `answers`.
    """

    content: QuestionContent
    answers: Mapping[str, str]
    accepted: tuple[str, ...] = ()


def draw_item_truth(
    questions: Sequence[Question],
    content: QuestionContent,
    *,
    golds: Mapping[str, str],
    accepted: Sequence[str],
    rng: random.Random,
) -> ItemTruth:
    """Draw the true answers of an item: its gold, and generated answers to questions without gold."""
    drawn = {question.name: answer_generator.draw_truth(question, content, rng) for question in questions}
    known = {name: answer for name, answer in drawn.items() if answer is not None}
    return ItemTruth(content=content, answers=known | dict(golds), accepted=tuple(accepted))


def read_truths(session: Session, *, projects: Iterable[Project], seed: int) -> dict[tuple[int, str], ItemTruth]:
    """Read the true answers of all items, by project id and external id; the same seed draws the same truth."""
    truths = {}
    for project in projects:
        definition_questions = project_file.parse_definition(project.definition).all_questions
        for item in session.exec(select(Item).where(Item.project_id == project.id).order_by(col(Item.rank))):
            questions = [
                question.with_positions(len(item.options or ())) if isinstance(question, ChoiceQuestion) else question
                for question in definition_questions
            ]
            truths[project.id or 0, item.external_id] = draw_item_truth(
                questions,
                _build_content(item),
                golds=gold_answers.get_gold_answers(item, questions),
                accepted=item.accepted or (),
                rng=random.Random(f"{seed} truth {project.name} {item.external_id}"),  # noqa: S311  # no secret
            )
    return truths


def _build_content(item: Item) -> QuestionContent:
    return QuestionContent(
        options=None if item.options is None else tuple(item.options),
        fields={name: value if isinstance(value, str) else str(value) for name, value in item.data.items()},
    )
