"""What each vote adds to a coefficient of agreement, from which `panel_variance` takes its two-way variance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from aggregation.agreement.coefficients import CoefficientName, build_statistic
from aggregation.agreement.vote_sums import (
    FIRST_CLASS_COLUMN,
    FIRST_MEAN_COLUMN,
    ONE_COLUMN,
    PAIRS_COLUMN,
    VOTES_COLUMN,
    VoteSums,
    sum_votes,
)
from aggregation.intervals.paired_measures import ItemMeasure, build_item_measure, sum_items
from aggregation.schema import Floats, Votes, count_answers


def measure_agreement(
    votes: Votes, coefficient: CoefficientName, *, find_item: Callable[[str], str] = str
) -> ItemMeasure:
    """A coefficient that is made of pairs of votes; every item needs two votes or more.

    `find_item` names the item that an item of the votes is part of, as boxes are, which vary together.
    """
    sums = sum_votes(votes)
    columns = sums.items.columns
    parts = pd.Series(sorted(set(votes.frame["item"])), dtype=object)
    return build_item_measure(
        votes.frame.assign(item=votes.frame["item"].map(find_item)),
        changes=list_vote_changes(votes, sums),
        columns=sum_items(parts.map(find_item), columns if isinstance(columns, np.ndarray) else columns.toarray()),
        compute=build_statistic(coefficient, votes, sums),
    )


def list_vote_changes(votes: Votes, vote_sums: VoteSums) -> Floats:
    """What each vote adds to the columns of `vote_sums.items`: votes × columns, in the order of the frame.

    Every item needs two votes or more. The columns of the shares on which all agree, or most, are 0: they are no means
    over pairs.
    """
    frame = votes.frame
    n_votes = frame.groupby("item")["answer"].transform("size").to_numpy(dtype=np.float64)
    n_equal = frame.groupby(["item", "answer"])["annotator"].transform("size").to_numpy(dtype=np.float64)
    n_options = votes.items["n_options"].reindex(frame["item"]).to_numpy(dtype=np.float64)
    equal = (n_equal - 1) / (n_votes - 1)
    changes = np.zeros((len(frame), vote_sums.items.columns.shape[1]))
    changes[:, ONE_COLUMN] = 2 / n_votes
    changes[:, VOTES_COLUMN] = 1.0
    changes[:, PAIRS_COLUMN] = 2 * equal
    changes[:, FIRST_MEAN_COLUMN] = 2 * equal / n_votes
    changes[:, FIRST_MEAN_COLUMN + 1] = 2 * (equal - 1 / n_options) / (1 - 1 / n_options) / n_votes
    if votes.classes is None:
        return changes
    classes = pd.Index(votes.classes).get_indexer(pd.Index(frame["answer"]))
    n_classes = vote_sums.n_classes
    changes[np.arange(len(frame)), FIRST_CLASS_COLUMN + classes] = 1.0
    if votes.measurement_level == "nominal":
        return changes
    counted = count_answers(votes)
    given = counted.table[pd.Index(counted.items).get_indexer(pd.Index(frame["item"]))] / (n_votes - 1)[:, None]
    first, second = vote_sums.class_pairs
    of_pairs = np.where(classes[:, None] == first, given[:, second], 0.0)
    of_pairs += np.where(classes[:, None] == second, given[:, first], 0.0)
    changes[:, FIRST_CLASS_COLUMN + n_classes :] = of_pairs
    return changes
