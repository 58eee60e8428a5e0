"""Whether an answer is right: on every question whose gold is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotation.campaigns.questions import Question
from annotation.store.models import Item
from annotation.workflow import quality


def of(item: Item, questions: Sequence[Question]) -> dict[str, str]:
    """The item's gold by question, as answers are stored."""
    if item.golds:
        return dict(item.golds)
    return {} if item.gold is None else {questions[0].name: item.gold}


def right(item: Item, questions: Sequence[Question], given: Mapping[str, str]) -> bool | None:
    """Whether all that has gold was answered rightly, as the quality rules see it; None where there is nothing to see.

    `given` are answers by question, as they are stored.
    """
    gold, accepted = of(item, questions), tuple(item.accepted or ())
    return quality.all_right(quality.marks(questions, given, golds=gold, accepted=accepted))
