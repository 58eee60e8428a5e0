"""Votes summed per item into columns that add up over items, from which every coefficient is computed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import sparse

from aggregation.agreement import ItemPool, build_pool
from aggregation.bootstrap import Draws, Sparse
from aggregation.schema import Codes, Floats, Votes, count_answers, count_codes, divide_safely

ONE, VOTES, PAIRS, MEANS = 0, 1, 2, 3
N_MEANS = 5  # P, P corrected for chance within the item, all agree, strict majority, unique plurality
CLASSES = MEANS + N_MEANS


@dataclass(frozen=True, kw_only=True, eq=False)
class VoteSums:
    """The sums of the votes per item.

    `items`, the items with two votes or more, has the columns one, votes, equal pairs as alpha weighs them, the five
    means, then the votes for each class (none without classes), then, from the ordinal level on, the coincidences of
    each two classes (c < k, row by row). `gwet_items`, all items with a vote, has the columns: whether it has two
    votes, P, P with linear and with quadratic weights, one, and the share of its votes for each class. `overlap` is
    the smallest and the largest number of votes of an item.
    """

    items: ItemPool
    gwet_items: ItemPool
    n_classes: int
    overlap: tuple[int, int]

    def resample(self, draws: Draws) -> tuple[Floats | None, Floats | None]:
        """The sums of both pools in resamples, None with too few groups; one pass where both have the same items."""
        if len(self.items.groups) < len(self.gwet_items.groups):
            return self.items.resample(draws), self.gwet_items.resample(draws.without_progress())
        width = self.items.columns.shape[1]
        blocks = [sparse.csr_array(block.columns) for block in (self.items, self.gwet_items)]
        sums = replace(self.items, columns=sparse.hstack(blocks, format="csr")).resample(draws)
        return (None, None) if sums is None else (sums[:, :width], sums[:, width:])

    def list_class_pairs(self) -> tuple[Codes, Codes]:
        """The first and second class of each column of coincidences."""
        return np.triu_indices(self.n_classes, k=1)


def sum_votes(votes: Votes) -> VoteSums:
    """Sum the votes per item; items are sorted, whatever the order of rows."""
    frame = votes.frame
    n_votes = frame["item"].map(frame["item"].value_counts())
    paired = replace(votes, frame=frame.loc[n_votes >= 2])
    n_classes = 0 if votes.classes is None else len(votes.classes)
    sizes = n_votes.to_numpy(dtype=int) if len(frame) else np.zeros(1, dtype=int)
    return VoteSums(
        items=_sum_paired_items(paired),
        gwet_items=_sum_gwet_items(votes),
        n_classes=n_classes,
        overlap=(int(sizes.min()), int(sizes.max())),
    )


def _sum_paired_items(votes: Votes) -> ItemPool:
    pairs = votes.frame.groupby(["item", "answer"], sort=True).size()
    row, items = pd.factorize(pairs.index.get_level_values("item"), sort=True)
    known = votes.items.reindex(items)
    blocks = [
        _sum_items(
            np.asarray(pairs, dtype=np.float64), row=row, n_options=np.asarray(known["n_options"], dtype=np.float64)
        )
    ]
    coincidences: Sparse | None = None
    if votes.classes is not None:
        table = count_answers(votes).table.astype(np.float64)
        blocks.append(table)
        coincidences = None if votes.level == "nominal" else _count_coincidences(table)
    columns: Floats | Sparse = np.hstack(blocks)
    if coincidences is not None:
        columns = sparse.hstack([sparse.csr_array(columns), coincidences], format="csr")
    return build_pool(
        columns, groups=known["group"], n_votes=len(votes.frame), n_annotators=votes.frame["annotator"].nunique()
    )


def _sum_items(counts: Floats, *, row: Codes, n_options: Floats) -> Floats:
    """The columns that need no classes, from the number of votes for each answer (`counts`) on each item (`row`)."""
    size = len(n_options)
    votes = count_codes(row, size=size, weights=counts)
    equal = count_codes(row, size=size, weights=counts * (counts - 1))
    top = np.zeros(size)
    np.maximum.at(top, row, counts)
    at_top = count_codes(row[counts == top[row]], size=size)
    percent = equal / (votes * (votes - 1))
    corrected = (percent - 1 / n_options) / (1 - 1 / n_options)
    agreed = (top == votes, 2 * top > votes, at_top == 1)
    return np.column_stack([np.ones(size), votes, equal / (votes - 1), percent, corrected, *agreed]).astype(float)


def _count_coincidences(table: Floats) -> Sparse:
    """n_c n_k / (m - 1) for each two classes c < k of each item (sparse, items × pairs)."""
    first, second = np.triu_indices(table.shape[1], k=1)
    scaled = table / (table.sum(axis=1, keepdims=True) - 1)
    columns = [sparse.csc_array((scaled[:, c] * table[:, k])[:, None]) for c, k in zip(first, second, strict=True)]
    return sparse.csr_array(sparse.hstack(columns)) if columns else sparse.csr_array((len(table), 0))


def _sum_gwet_items(votes: Votes) -> ItemPool:
    """The columns for Gwet's coefficients, over all items with a vote: these count for how frequent the classes are."""
    n_annotators = votes.frame["annotator"].nunique()
    counted = count_answers(votes) if votes.classes is not None else None
    items = sorted(set(votes.frame["item"])) if counted is None else counted.items
    groups = votes.items["group"].reindex(items)
    if counted is None:
        return build_pool(np.empty((len(items), 0)), groups=groups, n_votes=len(votes.frame), n_annotators=n_annotators)
    table = counted.table.astype(np.float64)
    size = table.sum(axis=1)
    paired = size >= 2
    agreements = [
        _average_weights(table, weights) for weights in (np.eye(table.shape[1]), *compute_gwet_weights(votes))
    ]
    blocks = [paired.astype(np.float64), *agreements, np.ones(len(items)), table / np.maximum(size, 1)[:, None]]
    n_votes = int(size[paired].sum())
    return replace(
        build_pool(np.column_stack(blocks), groups=groups, n_votes=n_votes, n_annotators=n_annotators),
        counts=(int(paired.sum()), n_votes, _count_annotators(votes, counted.items[paired])),
    )


def compute_gwet_weights(votes: Votes) -> tuple[Floats, Floats]:
    """Linear and quadratic weights of each two classes: 1 minus the share of the longest distance, or its square."""
    values = votes.values()
    distance = np.abs(values[:, None] - values[None, :])
    distance /= max(float(distance.max(initial=0.0)), 1e-300)
    return 1 - distance, 1 - distance**2


def _average_weights(table: Floats, weights: Floats) -> Floats:
    """The mean weight of two votes of each item, 0 where it has only one."""
    size = table.sum(axis=1)
    pairs = np.einsum("ic,ic->i", table, table @ weights - 1)
    return np.nan_to_num(divide_safely(pairs, size * (size - 1)))


def _count_annotators(votes: Votes, items: np.ndarray[tuple[int, ...], np.dtype[np.object_]]) -> int:
    return int(votes.frame.loc[votes.frame["item"].isin(items), "annotator"].nunique())
