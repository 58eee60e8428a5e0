"""Answers compared with gold: how control items, training, qualification and annotators' skills are marked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from aggregation.scoring import is_right_answer
from annotation.campaigns.questions import Question, question_base
from annotation.store.models import ItemRow


def get_gold_answers(item: ItemRow, questions: Sequence[Question]) -> dict[str, str]:
    """The item's gold by question, as answers are stored."""
    if item.golds:
        return dict(item.golds)
    return {} if item.gold is None else {questions[0].name: item.gold}


def is_item_right(item: ItemRow, questions: Sequence[Question], given: Mapping[str, str]) -> bool | None:
    """Whether every question that has gold was answered right; None where no question has gold.

    `given` are answers by question, as they are stored.
    """
    gold, accepted = get_gold_answers(item, questions), tuple(item.accepted or ())
    return are_all_right(mark_answers(questions, given, golds=gold, accepted=accepted))


def mark_answers(
    questions: Sequence[Question],
    given: Mapping[str, str],
    *,
    golds: Mapping[str, str],
    accepted: Collection[str] = (),
    only: Collection[str] = (),
) -> dict[str, bool]:
    """Whether each answer is right, by question, for the questions that have gold (of `only`, where it names some).

    `given` and `golds` are as stored; `accepted` are further right answers to the first question. Texts are compared
    under the normalisation of their question. Abstentions and questions that were not asked are left out; an empty
    answer is wrong.
    """
    marks: dict[str, bool] = {}
    for number, question in enumerate(questions):
        name = question.name
        if name not in golds or (only and name not in only) or not question_base.is_asked(question, given):
            continue
        answer = given.get(name)
        if question.is_abstention(answer):
            continue
        right = (golds[name], *(accepted if number == 0 else ()))
        marks[name] = answer is not None and is_right_answer(question.normalisation, answer, right)
    return marks


def are_all_right(marks: Mapping[str, bool]) -> bool | None:
    """Whether all marks of an item are right; None where there are none."""
    return all(marks.values()) if marks else None


def select_closed_questions(questions: Sequence[Question]) -> tuple[Question, ...]:
    """The questions answered from options or a scale."""
    return tuple(question for question in questions if question.is_closed)
