"""Consensus for follow-up projects: the labels of a source project by a method of `aggregation`; imports pandas."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from aggregation import schema
from aggregation.answer_types import build_consensus
from aggregation.answers import Answers
from aggregation.consensus.consensus import Consensus
from aggregation.consensus.methods import Method, build_label_consensus, derive_anchors_and_skills
from annotation.campaigns.conditions import ItemConsensus
from annotation.campaigns.questions import ChoiceQuestion, ChoicesQuestion, Question, ScaleQuestion
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
    items_by_id = {item.id or 0: item for item in items}
    rows = [(items_by_id[item].external_id, annotator, answer) for item, annotator, answer in answers]
    vote_frame = pd.DataFrame(rows, columns=list(schema.VOTE_COLUMNS))
    item_facts = _build_item_facts(question, items)
    ids = {item.external_id: item.id or 0 for item in items}
    if isinstance(question, ChoicesQuestion):
        return _compute_by_box(question, vote_frame, items, ids=ids, method=method)
    if not isinstance(question, ChoiceQuestion | ScaleQuestion):
        raise Refused(f"Answers by {question.kind} have no labels to weigh.", remedy="Use majority.")
    classes: Sequence[str] | None = question.options
    if isinstance(question, ChoiceQuestion):
        max_options = max((len(item.options or ()) for item in items), default=0)
        classes = question.with_positions(max_options).classes
        vote_frame = vote_frame.loc[vote_frame["answer"] != question.abstain]
    if vote_frame.empty:
        return QuestionConsensus(by_item={}, method=f"{method}, but nobody answered", warnings=())
    consensus = _fit_consensus(schema.check_votes(vote_frame, items=item_facts, classes=classes), method=method)
    by_item = {
        ids[row["item"]]: ItemConsensus(labels=(row["label"],), confidence=row["confidence"], votes=row["n_votes"])
        for row in consensus.labels.reset_index().to_dict("records")
        if not row["tie"]
    }
    return QuestionConsensus(by_item=by_item, method=consensus.provenance, warnings=consensus.warnings)


def _fit_consensus(votes: schema.Votes, *, method: Method) -> Consensus:
    anchors, skills = derive_anchors_and_skills(votes, method=method)
    return build_label_consensus(votes, method=method, ties="drop", anchors=anchors, skills=skills)


def _compute_by_box(
    question: ChoicesQuestion,
    vote_frame: pd.DataFrame,
    items: Sequence[Item],
    *,
    ids: Mapping[str, int],
    method: Method,
) -> QuestionConsensus:
    """The consensus on checkboxes, each box aggregated separately; an item with a tied box gets no labels."""
    if vote_frame.empty:
        return QuestionConsensus(by_item={}, method=f"{method}, but nobody answered", warnings=())
    box_answers = Answers(
        kind="boxes",
        votes=schema.check_votes(vote_frame, items=_build_item_facts(question, items), classes=None),
        boxes=question.options,
        own_boxes={item.external_id: question.get_options(item.options) for item in items},
    )
    consensus = build_consensus(box_answers, method=method, ties="drop")
    by_item = {
        ids[row["item"]]: ItemConsensus(
            labels=tuple(sorted(json.loads(row["label"]))), confidence=row["confidence"], votes=row["n_votes"]
        )
        for row in consensus.labels.reset_index().to_dict("records")
        if not row["tie"]
    }
    return QuestionConsensus(by_item=by_item, method=consensus.provenance, warnings=consensus.warnings)


def _build_item_facts(question: Question, items: Sequence[Item]) -> pd.DataFrame:
    """A DataFrame with a row for each item, indexed by external id, in the form that `aggregation` takes.

    Columns: group, gold (None where no gold is declared) and n_options (how many labels one vote can have, see
    `_count_labels`).
    """
    index = pd.Index([item.external_id for item in items], name="item")
    columns = {
        "group": [item.group_id for item in items],
        "gold": [_get_gold(item, question) for item in items],
        "n_options": [_count_labels(question, item) for item in items],
    }
    return pd.DataFrame({name: pd.Series(values, index=index, dtype=object) for name, values in columns.items()})


def _get_gold(item: Item, question: Question) -> str | None:
    """The declared gold of an item for a question; an item of a project with one question has it in `gold`."""
    return item.gold if item.golds is None else item.golds.get(question.name)


def _count_labels(question: Question, item: Item) -> int:
    """How many labels one vote can have: the item's options, or 2 for checkboxes, where each box is voted on apart."""
    if isinstance(question, ChoiceQuestion):
        return len(question.get_substantive_options(item.options))
    return len(question.options) if isinstance(question, ScaleQuestion) else 2
