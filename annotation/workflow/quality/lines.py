"""Straight-lining: the same place among the options, as they were shown, many times in a row."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.campaigns.questions import Choice, Question, Scale
from annotation.campaigns.rules import StraightLiningRule
from annotation.workflow.quality.breaches import Breach, Scope, in_words


def place(
    question: Question, answer: str | None, *, own: Sequence[str] | None, order: Sequence[int] | None
) -> int | None:
    """Where the answer stood in the order shown (`order` holds the options' indices); None where it has no place."""
    if answer is None:
        return None
    if isinstance(question, Choice):
        labels = question.labels_of(own)
    elif isinstance(question, Scale):
        labels = question.options
    else:
        return None
    if answer not in labels:
        return None
    index = labels.index(answer)
    if order is None:
        return index
    return order.index(index) if index in order else None


def straight_lining(rule: StraightLiningRule, places: Sequence[int | None], *, at: int) -> Breach | None:
    """Whether the answer at index `at` lies in a run of at least `run` equal places; a missing place ends a run."""
    if places[at] is None:
        return None
    first = last = at
    while first > 0 and places[first - 1] == places[at]:
        first -= 1
    while last + 1 < len(places) and places[last + 1] == places[at]:
        last += 1
    if last - first + 1 < rule.run:
        return None
    return Breach(words=in_words(rule), scope=Scope.PERSON, consequence=rule.consequence)
