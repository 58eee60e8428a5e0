"""Draws the answers of a simulated annotator to an item, from the truth and the annotator's skill.

The skill is the chance that a choice is right; else any other option is drawn (the one-coin model). Of several boxes
each is right with that chance; a wrong point of a scale is mostly a neighbour; texts, spans and corrections are the
truth or random. Where abstention is offered, it is drawn now and then.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

from annotation.campaigns.questions import ChoiceQuestion, ChoicesQuestion, Question, question_base
from annotation.simulation import answer_generator
from annotation.simulation.item_truths import ItemTruth
from annotation.simulation.simulated_annotators import SimulatedAnnotator

ABSTENTION_RATE = 0.02
"""The chance that a careful annotator abstains where that is offered."""


def draw_answers(
    questions: Sequence[Question], item: ItemTruth, *, annotator: SimulatedAnnotator, rng: random.Random
) -> dict[str, object]:
    """Draw the answers by question name, only to questions that are asked after the earlier answers."""
    drawn: dict[str, str] = {}
    for number, question in enumerate(questions):
        if question_base.is_asked(question, drawn):
            answer = _draw_answer(question, item, first=number == 0, annotator=annotator, rng=rng)
            if answer is not None:
                drawn[question.name] = answer
    return dict(drawn)


def _draw_answer(
    question: Question, item: ItemTruth, *, first: bool, annotator: SimulatedAnnotator, rng: random.Random
) -> str | None:
    if annotator.careless:
        return answer_generator.draw_careless_answer(question, item.content, rng)
    if isinstance(question, ChoiceQuestion) and question.abstain is not None and rng.random() < ABSTENTION_RATE:
        return question.abstain
    truth = item.answers.get(question.name)
    if truth is None:
        return answer_generator.draw_careless_answer(question, item.content, rng) if question.required else None
    if isinstance(question, ChoicesQuestion):
        return _draw_boxes(question, item, truth, skill=annotator.skill, rng=rng)
    if rng.random() >= annotator.skill:
        return answer_generator.draw_wrong_answer(question, item.content, truth, rng)
    return rng.choice((truth, *item.accepted)) if first else truth


def _draw_boxes(question: ChoicesQuestion, item: ItemTruth, truth: str, *, skill: float, rng: random.Random) -> str:
    """Draw every box independently."""
    right = set(json.loads(truth))
    boxes = question.get_options(item.content.options)
    chosen = [box for box in boxes if (box in right) == (rng.random() < skill)]
    return answer_generator.complete_boxes(question, item.content, chosen, rng)
