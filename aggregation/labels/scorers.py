"""Closed labels as graded options.

The columns are `scoring.LabelCounts` in its order: the right answers, the gold and the answers of each class, and the
total; where items share no classes, each block has one column for all answers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from aggregation.gold_comparison import ScoredAnswers
from aggregation.options import GradedOptions
from aggregation.schema import Floats


def grade_labels(scored: ScoredAnswers) -> GradedOptions:
    """The labels that each item's votes name, graded against gold."""
    frame = scored.frame
    answers, names = pd.factorize(frame["answer"].to_numpy()[scored.voted], sort=True)
    named, options = np.unique(scored.items[scored.voted] * len(names) + answers, return_inverse=True)
    votes = np.full(len(frame), -1, dtype=np.intp)
    votes[scored.voted] = options
    items, labels = named // len(names), pd.Index(np.asarray(names, dtype=object)[named % len(names)])
    right = (labels.to_numpy() == scored.gold.to_numpy()[items]).astype(np.float64)
    gold = encode_gold(scored)
    if scored.classes is None:
        answered, is_right = np.ones((len(items), 1)), right[:, None]
    else:
        answered = (pd.Index(scored.classes).get_indexer(labels)[:, None] == np.arange(gold.shape[1])).astype(
            np.float64
        )
        is_right = answered * gold[items]
    return GradedOptions(
        scored=scored,
        items=items,
        grades=join_columns(is_right, gold[items], answered),
        unanswered=join_columns(np.zeros_like(gold), gold, np.zeros_like(gold)),
        right=right,
        votes=votes,
    )


def join_columns(right: Floats, gold: Floats, answered: Floats) -> Floats:
    """The columns of answers, from their blocks (each rows × classes)."""
    return np.hstack([right, gold, answered, np.ones((len(right), 1))])


def encode_gold(scored: ScoredAnswers) -> Floats:
    """items × classes: 1 at the class that is gold; a single column of ones where items share no classes."""
    if scored.classes is None:
        return np.ones((len(scored.gold), 1))
    codes = pd.Index(scored.classes).get_indexer(pd.Index(scored.gold))
    return np.asarray(codes[:, None] == np.arange(len(scored.classes)), dtype=np.float64)
