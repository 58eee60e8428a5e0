"""Consensus for follow-up projects: the labels of a source project by a method of `aggregation`; imports pandas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from aggregation import schema
from aggregation.answer_types import build_consensus
from aggregation.answers import Answers
from aggregation.consensus.methods import Method
from annotation.campaigns.questions import Question
from annotation.campaigns.questions.question_base import ItemConsensus
from annotation.errors import Refused
from annotation.store.models import Item

ItemAnswer = tuple[int, str, str]
"""Database id of the item, pseudonym of the annotator, and the answer as it is stored."""


@dataclass(frozen=True, kw_only=True)
class QuestionConsensus:
    """The consensus on one question by database id of the item, the method in words, and warnings about the consensus.

    Items without a label are left out of `by_item`.
    """

    by_item: Mapping[int, ItemConsensus]
    method: str
    warnings: tuple[str, ...]


def compute_question_consensus(
    question: Question, answers: Sequence[ItemAnswer], items: Sequence[Item], *, method: Method
) -> QuestionConsensus:
    """The consensus on one question by `method`; a tie gives no label, and an abstention is not a vote.

    `answers` are all answers to the question, `items` all items of the project. Raises Refused where the answers do not
    allow the method.
    """
    if not question.is_closed:
        raise Refused(f"Answers by {question.kind} have no labels to weigh.", remedy="Use majority.")
    items_by_id = {item.id or 0: item for item in items}
    rows = [
        (items_by_id[item].external_id, annotator, answer)
        for item, annotator, answer in answers
        if not question.is_abstention(answer)
    ]
    if not rows:
        return QuestionConsensus(by_item={}, method=f"{method}, but nobody answered", warnings=())
    max_options = max((len(item.options or ()) for item in items), default=0)
    votes = schema.check_votes(
        pd.DataFrame(rows, columns=list(schema.VOTE_COLUMNS)),
        items=_build_item_facts(question, items),
        classes=question.with_positions(max_options).classes,
    )
    given = Answers(
        kind=question.answer_type,
        votes=votes,
        boxes=question.fixed_options,
        own_boxes={item.external_id: question.get_options(item.options) for item in items},
    )
    consensus = build_consensus(given, method=method, ties="drop")
    ids = {item.external_id: item.id or 0 for item in items}
    by_item = {
        ids[row["item"]]: ItemConsensus(
            labels=tuple(sorted(question.split_answer(row["label"]))),
            confidence=row["confidence"],
            votes=row["n_votes"],
        )
        for row in consensus.labels.reset_index().to_dict("records")
        if not row["tie"]
    }
    return QuestionConsensus(by_item=by_item, method=consensus.provenance, warnings=consensus.warnings)


def _build_item_facts(question: Question, items: Sequence[Item]) -> pd.DataFrame:
    """A DataFrame with a row for each item, indexed by external id, in the form that `aggregation` takes.

    Columns: group, gold (None where no gold is declared) and n_options (how many labels one vote can have:
    2 for checkboxes, of which each is voted on apart).
    """
    index = pd.Index([item.external_id for item in items], name="item")
    columns = {
        "group": [item.group_id for item in items],
        "gold": [item.gold if item.golds is None else item.golds.get(question.name) for item in items],
        "n_options": [question.count_labels(item.options) for item in items],
    }
    return pd.DataFrame({name: pd.Series(values, index=index, dtype=object) for name, values in columns.items()})
