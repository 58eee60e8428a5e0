"""The mean and the median of the points that people gave to each item."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from aggregation.consensus.consensus import Consensus, TieRule, choose_tied
from aggregation.errors import Refused
from aggregation.findings import Finding
from aggregation.ratings import Middle, Ratings, find_median, read_ratings, write_point
from aggregation.schema import Floats, Votes

PointMethod = Literal["mean", "median"]
VERSION = "hromada points 1"


def build_point_consensus(votes: Votes, *, method: PointMethod, ties: TieRule, seed: int) -> Consensus:
    """The mean or the median of each item, written as a number: it need not be a point of the scale.

    The median of an even number of votes that differ in the middle is the mean of both, and is marked as a tie with
    them; of points that are words the rule `ties` takes one. The confidence is the share of votes at the median; a mean
    has none. Raises Refused for labels without an order, and for the mean of an ordinal scale.
    """
    ratings = read_ratings(votes)
    if ratings is None:
        raise Refused(Finding("needs-scale", method=Finding(method)), remedy=Finding("use", method="majority"))
    if method == "mean" and not ratings.has_means:
        raise Refused(Finding("mean-of-ordinal"), remedy=Finding("use-median"))
    if method == "mean":
        rows = [(write_point(float(values.mean())), np.nan, False, ()) for values in ratings.by_item]
    else:
        items = zip(ratings.item_ids, ratings.by_item, strict=True)
        rows = [_take_median(ratings, str(item), values, ties=ties, seed=seed) for item, values in items]
    labels = pd.DataFrame(
        rows, columns=["label", "confidence", "tie", "tied"], index=pd.Index(ratings.item_ids, name="item")
    )
    labels["label"] = labels["label"].astype(object)
    labels = labels.assign(n_votes=votes.frame["item"].value_counts().reindex(labels.index))
    return Consensus(method=method, version=VERSION, ties=ties, seed=seed, labels=labels)


def _take_median(
    ratings: Ratings, item: str, values: Floats, *, ties: TieRule, seed: int
) -> tuple[str | None, float, bool, tuple[str, ...]]:
    middle: Middle = find_median(ratings, values)
    label: str | None = middle.text
    if middle.tied and not ratings.is_numeric:
        label = choose_tied(middle.tied, item=item, ties=ties, seed=seed)
    return label, float((values == middle.value).mean()), bool(middle.tied), middle.tied
