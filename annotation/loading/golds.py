"""Gold of items: checked against the questions, kept as answers are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from annotation.campaigns import project
from annotation.campaigns.questions import Choice, Question
from annotation.errors import BadInput
from annotation.loading.drafts import ItemDraft
from annotation.vocabulary import Pool

NEED_GOLD = {Pool.TRAINING, Pool.QUALIFICATION, Pool.CONTROL}


def checked(
    drafts: Sequence[ItemDraft], questions: Sequence[Question], definition: project.ProjectFile
) -> tuple[ItemDraft, ...]:
    """The items with every gold as it is stored; raises BadInput, with the place, for one that nobody could answer.

    The gold of a choice stays as it was written: whether it is among the options is for the lint to say.
    """
    by_name = {question.name: question for question in questions}
    named = columns(definition)
    checked_items = []
    for item in drafts:
        golds = {name: _gold(item, by_name[name], text, named.get(name)) for name, text in item.golds.items()}
        if item.pool in NEED_GOLD and not golds:
            raise BadInput(
                f"The {item.pool.value} item has no gold.",
                where=item.origin.where(next(iter(named.values()), None)),
                remedy="Write its right answer, or take it out of the pool.",
            )
        first = golds.get(questions[0].name)
        same = (golds, first) == (item.golds, item.gold)
        checked_items.append(item if same else replace(item, golds=golds, gold=first))
    return tuple(checked_items)


def _gold(item: ItemDraft, question: Question, text: str, column: str | None) -> str:
    if isinstance(question, Choice):
        return text
    try:
        return question.stored(question.parse(text, item.material))
    except BadInput as refusal:
        raise BadInput(
            f"The gold cannot be an answer: {refusal.problem}",
            where=item.origin.where(column),
            remedy=refusal.remedy,
        ) from None


def columns(definition: project.ProjectFile) -> dict[str, str]:
    """The columns of the golds, by question."""
    first = definition.asked[0].name
    if isinstance(definition.items, project.ItemsSection):
        return ({first: definition.items.gold} if definition.items.gold else {}) | definition.items.golds
    return {first: definition.truth.gold} if definition.truth else {}
