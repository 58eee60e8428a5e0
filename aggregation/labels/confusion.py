"""Confusion matrices of closed labels against gold, and the precision, recall and F1 of each class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from aggregation.consensus import Consensus
from aggregation.schema import Floats, Votes, divide_safely

NO_LABEL = ""
"""The last column of a confusion matrix: what was skipped, or has no label."""


def count_single_answers(votes: Votes, skips: pd.DataFrame) -> pd.DataFrame:
    """The confusion matrix of single answers on items with gold: classes × [classes, NO_LABEL], in declared order.

    `skips` (columns item, annotator) are answers that were due and not given.
    """
    gold = votes.items["gold"]
    answered = votes.frame.loc[votes.frame["item"].map(gold).notna()]
    skipped = skips["item"].map(gold).dropna()
    return _count_cells(
        [*answered["item"].map(gold), *skipped],
        [(answer,) for answer in answered["answer"]] + [()] * len(skipped),
        classes=votes.classes or (),
    )


def count_consensus(consensus: Consensus, votes: Votes, skips: pd.DataFrame) -> pd.DataFrame:
    """The expected confusion matrix of one label per item with gold: a tie counts a share for each tied label.

    Ties of `consensus` must be open. An item that was only skipped has no label.
    """
    gold = votes.items["gold"].dropna()
    labels = consensus.labels.loc[consensus.labels.index.isin(gold.index)]
    skipped = sorted((set(skips["item"]) & set(gold.index)) - set(labels.index))
    chosen = [
        (label,) if isinstance(label, str) else tuple(tied)
        for label, tied in zip(labels["label"], labels["tied"], strict=True)
    ]
    truth = [*gold.reindex(labels.index), *gold.reindex(skipped)]
    return _count_cells(truth, chosen + [()] * len(skipped), classes=votes.classes or ())


def compute_class_scores(confusion: pd.DataFrame) -> pd.DataFrame:
    """Precision, recall, F1, support and answered of each class of a confusion matrix, index class, in declared order.

    `support` is how often the class is gold, `answered` how often it is the answer. What is undefined is nan: the
    precision of a class that nobody gave, the recall of one that is never gold, F1 (2 right / (support + answered)) of
    one that is neither.
    """
    classes = list(confusion.index)
    right = np.diag(confusion[classes].to_numpy(dtype=np.float64))
    support = confusion.to_numpy(dtype=np.float64).sum(axis=1)
    answered = confusion[classes].to_numpy(dtype=np.float64).sum(axis=0)
    return pd.DataFrame(
        {
            "precision": divide_safely(right, answered),
            "recall": divide_safely(right, support),
            "f1": divide_safely(2 * right, support + answered),
            "support": support,
            "answered": answered,
        },
        index=pd.Index(classes, name="class"),
    )


def _count_cells(gold: Sequence[str], answers: Sequence[tuple[str, ...]], *, classes: tuple[str, ...]) -> pd.DataFrame:
    """The matrix of gold against answers; several labels of an item share its weight, none is NO_LABEL."""
    columns = (*classes, NO_LABEL)
    row_of, column_of = ({name: place for place, name in enumerate(names)} for names in (classes, columns))
    table: Floats = np.zeros((len(classes), len(columns)))
    for (truth, labels), n in Counter(zip(gold, answers, strict=True)).items():
        if truth in row_of:
            for label in labels or (NO_LABEL,):
                table[row_of[truth], column_of[label]] += n / max(1, len(labels))
    return pd.DataFrame(table, index=pd.Index(classes, name="gold"), columns=pd.Index(columns, name="answer"))
