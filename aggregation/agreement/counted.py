"""Votes summed up per item into numbers that add up over items, from which every coefficient is made."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import sparse

from aggregation.agreement.estimates import Pool, pool
from aggregation.bootstrap import Draws, Sparse
from aggregation.schema import Codes, Floats, Votes, closed_counts, quotient, tally

ONE, VOTES, PAIRS, MEANS = 0, 1, 2, 3
N_MEANS = 5  # P, P corrected for chance within the item, all agree, strict majority, unique plurality
CLASSES = MEANS + N_MEANS


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """The items with two votes or more, and where the classes are weighed, the pairs of classes.

    `items` has the columns one, votes, equal pairs as alpha weighs them, the five means, then the votes for each class
    (none without classes), then, from the ordinal level on, the coincidences of each two classes (c < k, row by row).
    `weighed` has, for all items that have a vote: whether it has two, P, P with linear and with quadratic weights, one,
    and the share of its votes for each class. `overlap` are the numbers of votes that items have, from fewest to most.
    """

    items: Pool
    weighed: Pool
    n_classes: int
    overlap: tuple[int, int]

    def resampled(self, draws: Draws) -> tuple[Floats | None, Floats | None]:
        """The sums of both pools in resamples; one pass over the draws where both have the same items."""
        if len(self.items.groups) < len(self.weighed.groups):
            return self.items.resampled(draws), self.weighed.resampled(draws.silent())
        width = self.items.columns.shape[1]
        blocks = [sparse.csr_array(block.columns) for block in (self.items, self.weighed)]
        sums = replace(self.items, columns=sparse.hstack(blocks, format="csr")).resampled(draws)
        return (None, None) if sums is None else (sums[:, :width], sums[:, width:])

    def pairs_of_classes(self) -> tuple[Codes, Codes]:
        """The first and second class of each column of coincidences."""
        return np.triu_indices(self.n_classes, k=1)


def compared(votes: Votes) -> Compared:
    """Sum the votes up per item; items in sorted order, whatever the order of rows."""
    frame = votes.frame
    answered = frame["item"].map(frame["item"].value_counts())
    twice = replace(votes, frame=frame.loc[answered >= 2])
    n_classes = 0 if votes.classes is None else len(votes.classes)
    sizes = answered.to_numpy(dtype=int) if len(frame) else np.zeros(1, dtype=int)
    return Compared(
        items=_items(twice), weighed=_weighed(votes), n_classes=n_classes, overlap=(int(sizes.min()), int(sizes.max()))
    )


def _items(votes: Votes) -> Pool:
    pairs = votes.frame.groupby(["item", "answer"], sort=True).size()
    row, items = pd.factorize(pairs.index.get_level_values("item"), sort=True)
    known = votes.items.reindex(items)
    blocks = [
        _per_item(
            np.asarray(pairs, dtype=np.float64), row=row, n_options=np.asarray(known["n_options"], dtype=np.float64)
        )
    ]
    coincidences: Sparse | None = None
    if votes.classes is not None:
        table = closed_counts(votes).table.astype(np.float64)
        blocks.append(table)
        coincidences = None if votes.level == "nominal" else _coincidences(table)
    columns: Floats | Sparse = np.hstack(blocks)
    if coincidences is not None:
        columns = sparse.hstack([sparse.csr_array(columns), coincidences], format="csr")
    return pool(
        columns, groups=known["group"], n_votes=len(votes.frame), n_annotators=votes.frame["annotator"].nunique()
    )


def _per_item(counts: Floats, *, row: Codes, n_options: Floats) -> Floats:
    """The columns that need no classes, from the votes for each answer (`counts`) on each item (`row`)."""
    size = len(n_options)
    votes = tally(row, size=size, weights=counts)
    equal = tally(row, size=size, weights=counts * (counts - 1))
    top = np.zeros(size)
    np.maximum.at(top, row, counts)
    at_top = tally(row[counts == top[row]], size=size)
    percent = equal / (votes * (votes - 1))
    corrected = (percent - 1 / n_options) / (1 - 1 / n_options)
    agreed = (top == votes, 2 * top > votes, at_top == 1)
    return np.column_stack([np.ones(size), votes, equal / (votes - 1), percent, corrected, *agreed]).astype(float)


def _coincidences(table: Floats) -> Sparse:
    """n_c n_k / (m - 1) for each two classes c < k of each item (items × pairs), where it is not zero."""
    first, second = np.triu_indices(table.shape[1], k=1)
    scaled = table / (table.sum(axis=1, keepdims=True) - 1)
    columns = [sparse.csc_array((scaled[:, c] * table[:, k])[:, None]) for c, k in zip(first, second, strict=True)]
    return sparse.csr_array(sparse.hstack(columns)) if columns else sparse.csr_array((len(table), 0))


def _weighed(votes: Votes) -> Pool:
    """What Gwet's coefficients need: all items that have a vote count for how frequent the classes are."""
    n_annotators = votes.frame["annotator"].nunique()
    counted = closed_counts(votes) if votes.classes is not None else None
    items = sorted(set(votes.frame["item"])) if counted is None else counted.items
    groups = votes.items["group"].reindex(items)
    if counted is None:
        return pool(np.empty((len(items), 0)), groups=groups, n_votes=len(votes.frame), n_annotators=n_annotators)
    table = counted.table.astype(np.float64)
    size = table.sum(axis=1)
    twice = size >= 2
    orders = [_of_weights(table, weights) for weights in (np.eye(table.shape[1]), *gwet_weights(votes))]
    blocks = [twice.astype(np.float64), *orders, np.ones(len(items)), table / np.maximum(size, 1)[:, None]]
    kept = int(size[twice].sum())
    return replace(
        pool(np.column_stack(blocks), groups=groups, n_votes=kept, n_annotators=n_annotators),
        counts=(int(twice.sum()), kept, _annotators_of(votes, counted.items[twice])),
    )


def gwet_weights(votes: Votes) -> tuple[Floats, Floats]:
    """Linear and quadratic weights of each two classes: 1 less the share of the longest distance, or of its square."""
    values = votes.values()
    distance = np.abs(values[:, None] - values[None, :])
    distance /= max(float(distance.max(initial=0.0)), 1e-300)
    return 1 - distance, 1 - distance**2


def _of_weights(table: Floats, weights: Floats) -> Floats:
    """The mean weight of two votes of an item, 0 where it has no two."""
    size = table.sum(axis=1)
    pairs = np.einsum("ic,ic->i", table, table @ weights - 1)
    return np.nan_to_num(quotient(pairs, size * (size - 1)))


def _annotators_of(votes: Votes, items: np.ndarray[tuple[int, ...], np.dtype[np.object_]]) -> int:
    return int(votes.frame.loc[votes.frame["item"].isin(items), "annotator"].nunique())
