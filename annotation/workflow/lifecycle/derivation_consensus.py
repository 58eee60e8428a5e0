"""Consensus for what is handed on, by the methods of `aggregation`. Imports pandas; the bot never loads this."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from aggregation import schema
from aggregation.consensus import Consensus, Method, consensus, from_gold
from aggregation.kinds import Answers, consensus_of
from annotation.campaigns.conditions import Agreed
from annotation.campaigns.questions import Choice, Choices, Question, Scale
from annotation.errors import Refused
from annotation.store.models import Item

Said = tuple[int, str, str]
"""The database id of an item, the pseudonym of who answered, the answer as it is stored."""


@dataclass(frozen=True, kw_only=True)
class Made:
    """What people agree on, by the item's database id, how it was made, and what a reader should know of it."""

    agreed: Mapping[int, Agreed]
    how: str
    warnings: tuple[str, ...]


def made(question: Question, given: Sequence[Said], items: Sequence[Item], *, method: Method) -> Made:
    """The consensus on one question by `method`; ties are dropped, and abstentions are no votes.

    `given` are answers to this question alone. Raises Refused where they do not allow the method.
    """
    known = {item.id or 0: item for item in items}
    rows = [(known[item].external_id, annotator, answer) for item, annotator, answer in given]
    frame = pd.DataFrame(rows, columns=list(schema.COLUMNS))
    facts = _facts(question, items)
    ids = {item.external_id: item.id or 0 for item in items}
    if isinstance(question, Choices):
        return _by_box(question, frame, items, ids=ids, method=method)
    if not isinstance(question, Choice | Scale):
        raise Refused(f"Answers by {question.kind} have no labels to weigh.", remedy="Use majority.")
    classes: Sequence[str] | None = question.options
    if isinstance(question, Choice):
        most = max((len(item.options or ()) for item in items), default=0)
        classes = question.counted(most).classes
        frame = frame.loc[frame["answer"] != question.abstain]
    if frame.empty:
        return Made(agreed={}, how=f"{method}, but nobody answered", warnings=())
    found = _fitted(schema.votes(frame, items=facts, classes=classes), method=method)
    agreed = {
        ids[row["item"]]: Agreed(labels=(row["label"],), confidence=row["confidence"], votes=row["n_votes"])
        for row in found.labels.reset_index().to_dict("records")
        if not row["tie"]
    }
    return Made(agreed=agreed, how=found.made, warnings=found.warnings)


def _fitted(votes: schema.Votes, *, method: Method) -> Consensus:
    anchors, skills = from_gold(votes, method=method)
    return consensus(votes, method=method, ties="drop", anchors=anchors, skills=skills)


def _by_box(
    question: Choices, frame: pd.DataFrame, items: Sequence[Item], *, ids: Mapping[str, int], method: Method
) -> Made:
    """Every box by itself, as `aggregation.kinds` weighs them; a tied box leaves an item without labels."""
    if frame.empty:
        return Made(agreed={}, how=f"{method}, but nobody answered", warnings=())
    given = Answers(
        kind="boxes",
        votes=schema.votes(frame, items=_facts(question, items), classes=None),
        boxes=question.options,
        own_boxes={item.external_id: question.options_of(item.options) for item in items},
    )
    found = consensus_of(given, method=method, ties="drop")
    agreed = {
        ids[row["item"]]: Agreed(
            labels=tuple(sorted(json.loads(row["label"]))), confidence=row["confidence"], votes=row["n_votes"]
        )
        for row in found.labels.reset_index().to_dict("records")
        if not row["tie"]
    }
    return Made(agreed=agreed, how=found.made, warnings=found.warnings)


def _facts(question: Question, items: Sequence[Item]) -> pd.DataFrame:
    """The items as aggregation takes them; no declared gold is None."""
    index = pd.Index([item.external_id for item in items], name="item")
    columns = {
        "group": [item.group_id for item in items],
        "gold": [_gold(item, question) for item in items],
        "n_options": [_options(question, item) for item in items],
    }
    return pd.DataFrame({name: pd.Series(values, index=index, dtype=object) for name, values in columns.items()})


def _gold(item: Item, question: Question) -> str | None:
    """The declared gold; without `golds` there is one question, which `gold` answers."""
    return item.gold if item.golds is None else item.golds.get(question.name)


def _options(question: Question, item: Item) -> int:
    """How many labels a vote on the item could have said."""
    if isinstance(question, Choice):
        return len(question.substantive(item.options))
    return len(question.options) if isinstance(question, Scale) else 2
