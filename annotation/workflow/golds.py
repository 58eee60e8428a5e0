"""Whether an answer is right: on every question whose gold is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotation.campaigns.questions import Question
from annotation.store.models import Item


def of(item: Item, questions: Sequence[Question]) -> dict[str, str]:
    """The item's gold by question, as answers are stored."""
    if item.golds:
        return dict(item.golds)
    return {} if item.gold is None else {questions[0].name: item.gold}


def right(item: Item, questions: Sequence[Question], given: Mapping[str, str]) -> bool | None:
    """Whether all that has gold was answered by it, or the first question by another accepted answer.

    None where there is no gold. `given` are answers by question, as they are stored.
    """
    gold = of(item, questions)
    if not gold:
        return None
    first, accepted = questions[0].name, tuple(item.accepted or ())
    return all(
        given.get(name) == label or (name == first and given.get(name) in accepted) for name, label in gold.items()
    )
