"""Votes summed per item into columns that add up over items, from which every coefficient is computed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import sparse

from aggregation.agreement.table import ItemColumns, build_item_columns
from aggregation.intervals.resampling import Resampling, Sparse
from aggregation.schema import Codes, Floats, Votes, count_answers, count_codes, divide_safely

# The columns of `VoteSums.items`, by their index.
ONE_COLUMN, VOTES_COLUMN, PAIRS_COLUMN, FIRST_MEAN_COLUMN = 0, 1, 2, 3
N_MEANS = 5  # P, P corrected for chance, all agree, strict majority, unique plurality
FIRST_CLASS_COLUMN = FIRST_MEAN_COLUMN + N_MEANS


@dataclass(frozen=True, kw_only=True, eq=False)
class VoteSums:
    """Numbers about the votes of each item, whose sums over items give every coefficient.

    P is the share of equal pairs among an item's pairs of votes. `items` has the items with two votes or more, and
    these columns: the number 1 (its sum counts items); the number of votes m; the equal pairs, divided by m - 1 as in
    Krippendorff's alpha; the N_MEANS numbers whose mean over items is a coefficient; the votes for each class (no such
    column without classes); and above the nominal level of measurement the coincidences of each two classes, in the
    order of `list_class_pairs`.

    `gwet_items`, for Gwet's AC1 and AC2, has all items with a vote, and (none without classes) these columns: 1 where
    the item has two votes or more, else 0; P, unweighted, with linear and with quadratic weights; the number 1; and the
    share of the item's votes for each class.

    `votes_per_item` is the smallest and the largest number of votes of an item. `always_has_majority` says that every
    item with two votes or more has two options and an odd number of votes, so that one option always leads.
    """

    items: ItemColumns
    gwet_items: ItemColumns
    n_classes: int
    votes_per_item: tuple[int, int]
    always_has_majority: bool

    def resample(self, resampling: Resampling) -> tuple[Floats | None, Floats | None]:
        """The resampled sums of `items` and of `gwet_items` (draws × columns); None with too few groups.

        Both are resampled by the same draws where they have the same items, and apart where some items have one vote
        only.
        """
        if len(self.items.groups) < len(self.gwet_items.groups):
            return self.items.resample(resampling), self.gwet_items.resample(resampling.without_progress())
        width = self.items.columns.shape[1]
        blocks = [sparse.csr_array(block.columns) for block in (self.items, self.gwet_items)]
        sums = replace(self.items, columns=sparse.hstack(blocks, format="csr")).resample(resampling)
        return (None, None) if sums is None else (sums[:, :width], sums[:, width:])

    def list_class_pairs(self) -> tuple[Codes, Codes]:
        """The first and the second class of each column of coincidences, first < second, sorted."""
        return np.triu_indices(self.n_classes, k=1)


def sum_votes(votes: Votes) -> VoteSums:
    """The columns of every item, items sorted, so that the order of votes has no influence."""
    frame = votes.frame
    n_votes = frame["item"].map(frame["item"].value_counts())
    paired = replace(votes, frame=frame.loc[n_votes >= 2])
    n_classes = 0 if votes.classes is None else len(votes.classes)
    sizes = n_votes.to_numpy(dtype=int) if len(frame) else np.zeros(1, dtype=int)
    return VoteSums(
        items=_sum_paired_items(paired),
        gwet_items=_sum_gwet_items(votes),
        n_classes=n_classes,
        votes_per_item=(int(sizes.min()), int(sizes.max())),
        always_has_majority=_has_always_majority(paired),
    )


def _has_always_majority(paired: Votes) -> bool:
    """Whether an option leads on every item however people answer; `paired` has the items with two votes or more."""
    sizes = paired.frame["item"].value_counts()
    n_options = paired.items["n_options"].reindex(sizes.index).astype(int)
    n_options = n_options if paired.classes is None else n_options.clip(upper=len(paired.classes))
    return bool(len(sizes) and ((n_options == 2) & (sizes % 2 == 1)).all())


def _sum_paired_items(votes: Votes) -> ItemColumns:
    """The columns of `VoteSums.items`, from votes on items that have two votes or more."""
    answer_counts = votes.frame.groupby(["item", "answer"], sort=True).size()
    item_codes, items = pd.factorize(answer_counts.index.get_level_values("item"), sort=True)
    item_facts = votes.items.reindex(items)
    blocks = [
        _sum_items(
            np.asarray(answer_counts, dtype=np.float64),
            item_codes=item_codes,
            n_options=np.asarray(item_facts["n_options"], dtype=np.float64),
        )
    ]
    coincidences: Sparse | None = None
    if votes.classes is not None:
        table = count_answers(votes).table.astype(np.float64)
        blocks.append(table)
        coincidences = None if votes.measurement_level == "nominal" else _count_coincidences(table)
    columns: Floats | Sparse = np.hstack(blocks)
    if coincidences is not None:
        columns = sparse.hstack([sparse.csr_array(columns), coincidences], format="csr")
    return build_item_columns(
        columns, groups=item_facts["group"], n_votes=len(votes.frame), n_annotators=votes.frame["annotator"].nunique()
    )


def _sum_items(counts: Floats, *, item_codes: Codes, n_options: Floats) -> Floats:
    """The columns that need no classes: items × (FIRST_CLASS_COLUMN columns).

    `counts` has the number of votes for each different answer of each item, `item_codes` the code of its item, and
    `n_options` the number of options of each item.
    """
    n_items = len(n_options)
    n_votes = count_codes(item_codes, size=n_items, weights=counts)
    equal_pairs = count_codes(item_codes, size=n_items, weights=counts * (counts - 1))  # ordered: each pair twice
    top_count = np.zeros(n_items)
    np.maximum.at(top_count, item_codes, counts)
    n_at_top = count_codes(item_codes[counts == top_count[item_codes]], size=n_items)
    percent = equal_pairs / (n_votes * (n_votes - 1))
    corrected = (percent - 1 / n_options) / (1 - 1 / n_options)
    # all votes are equal; one answer has more than half of the votes; one answer has more votes than every other
    is_agreed = (top_count == n_votes, 2 * top_count > n_votes, n_at_top == 1)
    columns = [np.ones(n_items), n_votes, equal_pairs / (n_votes - 1), percent, corrected, *is_agreed]
    return np.column_stack(columns).astype(float)


def _count_coincidences(table: Floats) -> Sparse:
    """The coincidences n_c n_k / (m - 1) of each two classes c < k on each item: sparse, items × pairs of classes.

    n_c is the number of votes for class c, m the number of all votes of the item; `table` is items × classes.
    """
    first, second = np.triu_indices(table.shape[1], k=1)
    scaled = table / (table.sum(axis=1, keepdims=True) - 1)
    columns = [sparse.csc_array((scaled[:, c] * table[:, k])[:, None]) for c, k in zip(first, second, strict=True)]
    return sparse.csr_array(sparse.hstack(columns)) if columns else sparse.csr_array((len(table), 0))


def _sum_gwet_items(votes: Votes) -> ItemColumns:
    """The columns of `VoteSums.gwet_items`: items with one vote have no pair, but count in the frequency of classes."""
    n_annotators = votes.frame["annotator"].nunique()
    counted = count_answers(votes) if votes.classes is not None else None
    items = sorted(set(votes.frame["item"])) if counted is None else counted.items
    groups = votes.items["group"].reindex(items)
    if counted is None:
        return build_item_columns(
            np.empty((len(items), 0)), groups=groups, n_votes=len(votes.frame), n_annotators=n_annotators
        )
    table = counted.table.astype(np.float64)
    size = table.sum(axis=1)
    is_paired = size >= 2
    agreements = [
        _average_weights(table, weights) for weights in (np.eye(table.shape[1]), *compute_gwet_weights(votes))
    ]
    blocks = [is_paired.astype(np.float64), *agreements, np.ones(len(items)), table / np.maximum(size, 1)[:, None]]
    n_votes = int(size[is_paired].sum())
    return replace(
        build_item_columns(np.column_stack(blocks), groups=groups, n_votes=n_votes, n_annotators=n_annotators),
        counts=(int(is_paired.sum()), n_votes, _count_annotators(votes, counted.items[is_paired])),
    )


def compute_gwet_weights(votes: Votes) -> tuple[Floats, Floats]:
    """Gwet's linear and quadratic weights of each two classes (classes × classes): 1 - d and 1 - d².

    d is the distance of the values of the two classes, divided by the longest distance of any two classes.
    """
    values = votes.values()
    distance = np.abs(values[:, None] - values[None, :])
    distance /= max(float(distance.max(initial=0.0)), 1e-300)
    return 1 - distance, 1 - distance**2


def _average_weights(table: Floats, weights: Floats) -> Floats:
    """The mean weight over the pairs of votes of each item, 0 where an item has only one vote.

    `table` has the votes for each class (items × classes), `weights` is classes × classes.
    """
    size = table.sum(axis=1)
    pairs = np.einsum("ic,ic->i", table, table @ weights - 1)
    return np.nan_to_num(divide_safely(pairs, size * (size - 1)))


def _count_annotators(votes: Votes, items: np.ndarray[tuple[int, ...], np.dtype[np.object_]]) -> int:
    return int(votes.frame.loc[votes.frame["item"].isin(items), "annotator"].nunique())
