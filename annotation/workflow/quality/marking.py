"""Answers against gold: what control items, training and the skills of people are counted from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from aggregation.scoring import NORMALISATIONS, RULES
from annotation.campaigns.questions import Choice, Choices, Edit, FreeText, Question, Scale, answers


def marks(
    questions: Sequence[Question],
    given: Mapping[str, str],
    *,
    golds: Mapping[str, str],
    accepted: Collection[str] = (),
    only: Collection[str] = (),
) -> dict[str, bool]:
    """Whether each answer is right, by question, for the questions that have gold (of `only`, where it names some).

    `given` and `golds` are as stored; `accepted` are further right answers to the first question. Texts are compared
    normalised. An abstention and a question that was not asked are left out; one that was left empty is wrong.
    """
    found: dict[str, bool] = {}
    for number, question in enumerate(questions):
        name = question.name
        if name not in golds or (only and name not in only) or not answers.asked(question, given):
            continue
        answer = given.get(name)
        if isinstance(question, Choice) and answer is not None and answer == question.abstain:
            continue
        right = (golds[name], *(accepted if number == 0 else ()))
        found[name] = answer is not None and _equal(question, answer, right)
    return found


def all_right(marked: Mapping[str, bool]) -> bool | None:
    """Whether an item is right: every one of its marks; None where there are none."""
    return all(marked.values()) if marked else None


def closed(questions: Sequence[Question]) -> tuple[Question, ...]:
    """The questions answered from options or a scale."""
    return tuple(question for question in questions if isinstance(question, Choice | Choices | Scale))


def _equal(question: Question, answer: str, right: Sequence[str]) -> bool:
    if isinstance(question, FreeText | Edit):
        normalised = NORMALISATIONS[RULES[question.kind]]
        return normalised(answer) in {normalised(one) for one in right}
    return answer in right
