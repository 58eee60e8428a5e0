"""How the counted votes on an item spread over its options: counts, entropy, and the share that is right."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from exports.inputs import DataSet

DISTRIBUTION_COLUMNS = ("counts", "entropy", "p_correct")
"""The columns that gold.csv, human_items.csv and the rows of a benchmark share."""


def _asks_boxes(data: DataSet) -> bool:
    """Whether an answer can name several options."""
    return data.answer_type.has_options and not data.answer_type.is_label


def list_offered(data: DataSet) -> dict[str, tuple[str, ...]] | None:
    """The options that each item offers, by item_id, without an abstention; None where answers are texts or parts."""
    if _asks_boxes(data):
        return {item: data.boxes if data.boxes is not None else data.own_boxes[item] for item in data.items["item_id"]}
    if not data.answer_type.is_label:
        return None
    if data.classes is None:
        return {item: data.own_options.get(item, ()) for item in data.items["item_id"]}
    numbers = zip(data.items["item_id"], data.items["n_options"], strict=True)
    return {  # of classes that are positions an item with fewer options has the first ones
        item: data.classes[: int(n)] if data.classes_are_positions else data.classes for item, n in numbers
    }


def count_votes(data: DataSet) -> dict[str, dict[str, int]] | None:
    """The counted votes for each offered option, also 0, by item_id, answered or not; None as for `list_offered`.

    Of boxes a vote counts for each box that it ticks.
    """
    offered = list_offered(data)
    if offered is None:
        return None
    votes: Counter[tuple[str, str]] = Counter()
    for item, answer in data.build_answers().votes.frame[["item", "answer"]].itertuples(index=False):
        votes.update((item, option) for option in (json.loads(answer) if _asks_boxes(data) else (answer,)))
    counts = {item: {option: votes.pop((item, option), 0) for option in options} for item, options in offered.items()}
    for (item, option), n in sorted(votes.items()):  # imported votes for what is not offered are votes all the same
        counts[item][option] = n
    return counts


def compute_entropy(counts: Sequence[int]) -> float | None:
    """Shannon's entropy −Σ f·log2 f of the shares f of votes, in bits; None without votes.

    It is that of the votes, not corrected: of few votes it is too small on average (Miller 1955).
    """
    total = sum(counts)
    if not total:
        return None
    return abs(sum(n / total * math.log2(n / total) for n in counts if n))


def count_right_votes(data: DataSet, gold: pd.Series[str] | None = None) -> pd.Series[Any]:
    """The number of right votes of each item that has `gold`, index item_id; that of `list_scoring_gold` by default."""
    if gold is None:
        gold = pd.Series(data.list_scoring_gold().to_numpy(), index=data.items["item_id"])
    answers, labels = data.build_answers(), {str(item): str(label) for item, label in gold.dropna().items()}
    counts = dict.fromkeys(labels, 0)
    for item, answer in answers.votes.frame[["item", "answer"]].itertuples(index=False):
        if item in counts:
            counts[item] += answers.is_right(item, answer, labels[item])
    return pd.Series(counts, dtype=object)


def measure_difficulties(data: DataSet) -> pd.Series[Any]:
    """The share of counted answers and skips that are not right, index item_id in the order of `data.items`.

    Skips are wrong, as in people's scores. None without either, and without gold that people can be scored against.
    """
    right = count_right_votes(data)
    said = pd.concat([data.list_counted_answers(), data.list_counted_skips()])["item_id"].value_counts()
    items = list(data.items["item_id"])
    values = [
        1 - right[item] / int(said[item]) if item in right.index and item in said.index else None for item in items
    ]
    return pd.Series(values, index=pd.Index(items, name="item_id", dtype=object), dtype=object)


def build_vote_table(data: DataSet) -> pd.DataFrame:
    """The columns DISTRIBUTION_COLUMNS, index item_id, one row for each item in the order of `data.items`.

    `counts` is a JSON object as text, options in their order; `entropy` is in bits and None for boxes; `p_correct` is
    the share of right votes, None without votes or gold that people can be scored against. All are None where answers
    are texts or parts of a text.
    """
    items = list(data.items["item_id"])
    counts = count_votes(data)
    rows: list[tuple[str | None, float | None, float | None]] = [(None, None, None)] * len(items)
    if counts is not None:
        n_votes = data.list_counted_answers()["item_id"].value_counts()
        right = count_right_votes(data)
        rows = [
            (
                format_counts(counts[item]),
                None if _asks_boxes(data) else compute_entropy(list(counts[item].values())),
                right[item] / int(n_votes[item]) if item in right.index and item in n_votes.index else None,
            )
            for item in items
        ]
    index = pd.Index(items, name="item_id", dtype=object)
    return pd.DataFrame(rows, columns=list(DISTRIBUTION_COLUMNS), index=index, dtype=object)


def format_distributions(human_items: pd.DataFrame) -> str:
    """label_distributions.jsonl: `dataset`, `item_id`, `n` (votes), `counts` and `entropy` of each item with options.

    `human_items` has the cells of human_items.csv. Empty where no item has options.
    """
    rows = human_items.loc[human_items["counts"].notna(), ["dataset", "item_id", "n_votes", "counts", "entropy"]]
    lines = [
        {
            "dataset": data_set,
            "item_id": item,
            "n": int(n),
            "counts": json.loads(counts),
            "entropy": None if entropy is None else float(entropy),
        }
        for data_set, item, n, counts, entropy in rows.itertuples(index=False)
    ]
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


def format_counts(counts: Mapping[str, int]) -> str:
    """Counts as one JSON object."""
    return json.dumps(counts, ensure_ascii=False)
