"""Consensus for what is handed on, by the methods of `aggregation`. Imports pandas; the bot never loads this."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from aggregation import multilabel, schema
from aggregation.consensus import Consensus, Method, consensus, from_gold
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
        return _by_box(question, frame, facts, ids=ids, method=method)
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
    question: Choices, frame: pd.DataFrame, facts: pd.DataFrame, *, ids: Mapping[str, int], method: Method
) -> Made:
    """Every box by itself, yes or no; an item's confidence is that of its least certain box, a tied box leaves none."""
    if question.options is None:
        raise Refused(
            "The boxes differ from item to item, so what people say of one tells nothing of another.",
            remedy="Use majority.",
        )
    ticks = frame.assign(answer=[json.loads(one) for one in frame["answer"]])
    boxes = multilabel.selections(ticks, items=facts, boxes=question.options)
    truth = [None if gold is None else json.loads(gold) for gold in boxes.items.join(facts[["gold"]])["gold"]]
    found: dict[str, Consensus] = {}
    for box in question.options:
        votes = boxes.of_box(box)
        gold = [None if one is None else multilabel.YES if box in one else multilabel.NO for one in truth]
        known = votes.items.assign(gold=pd.Series(gold, index=votes.items.index, dtype=object))
        found[box] = _fitted(replace(votes, items=known), method=method)
    first = next(iter(found.values()))
    rows = {box: one.labels.to_dict("index") for box, one in found.items()}
    agreed = {}
    for item, counted in first.labels.to_dict("index").items():
        of_boxes = {box: rows[box][item] for box in question.options}
        if not any(one["tie"] for one in of_boxes.values()):
            agreed[ids[str(item)]] = Agreed(
                labels=tuple(sorted(box for box, one in of_boxes.items() if one["label"] == multilabel.YES)),
                confidence=min(one["confidence"] for one in of_boxes.values()),
                votes=counted["n_votes"],
            )
    said: dict[str, list[str]] = {}
    for box, one in found.items():
        for warning in one.warnings:
            said.setdefault(warning, []).append(box)
    warnings = tuple(f"{', '.join(of)}: {warning}" for warning, of in said.items())
    how = f"{first.method} ({first.version}) of each box by itself, ties: drop"
    return Made(agreed=agreed, how=how, warnings=warnings)


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
