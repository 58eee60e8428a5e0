"""Votes summed per item into columns that add up over items, from which every coefficient is computed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from aggregation.agreement.counted_votes import CountedVotes, code_votes, leave_people_out
from aggregation.agreement.item_columns import ItemColumns, build_item_columns
from aggregation.intervals.resampling import Sparse
from aggregation.schema import Codes, Floats, Votes, count_codes

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
    column without classes); and above the nominal level of measurement the coincidences of each two classes that meet
    on an item, in the order of `class_pairs`.

    `gwet_items`, for Gwet's AC1 and AC2, has and counts all items with a vote, as chance rests on them, and (none
    without classes) these columns: 1 if the item has two votes or more, else 0; P, unweighted, with linear and with
    quadratic weights (both 0 at the nominal level); the number 1; and the share of the item's votes for each class.

    `class_pairs` are the first and the second class of each column of coincidences, first < second, sorted.
    `votes_per_item` is the smallest and the largest number of votes of an item. `always_has_majority` says that every
    item with two votes or more has two options and an odd number of votes, so that one option always leads.
    """

    items: ItemColumns
    gwet_items: ItemColumns
    n_classes: int
    class_pairs: tuple[Codes, Codes]
    votes_per_item: tuple[int, int]
    always_has_majority: bool


def sum_votes(votes: Votes) -> VoteSums:
    """The columns of every item, items sorted, so that the order of votes has no influence."""
    coded = code_votes(votes)
    n_votes = coded.counted.count_votes()
    is_paired = n_votes >= 2
    facts = votes.items.reindex(coded.item_ids)
    pairs = _find_class_pairs(votes, coded.counted)
    items = _sum_pairs(coded.counted, n_classes=coded.n_classes, class_pairs=pairs)[np.flatnonzero(is_paired)]
    gwet_items = build_item_columns(
        _sum_gwet_columns(votes, coded.counted, n_classes=coded.n_classes),
        groups=facts["group"],
        n_votes=int(n_votes.sum()),
        n_annotators=coded.count_people(n_votes > 0),
    )
    if not is_paired.any():
        gwet_items = replace(gwet_items, counts=(0, 0, 0))  # a chance without a pair is chance of nothing
    sizes = n_votes if len(n_votes) else np.zeros(1)
    return VoteSums(
        items=build_item_columns(
            items,
            groups=facts["group"].loc[is_paired],
            n_votes=int(n_votes[is_paired].sum()),
            n_annotators=coded.count_people(is_paired),
        ),
        gwet_items=gwet_items,
        n_classes=coded.n_classes,
        class_pairs=pairs,
        votes_per_item=(int(sizes.min()), int(sizes.max())),
        always_has_majority=_has_always_majority(votes, n_votes[is_paired], coded.counted.n_options[is_paired]),
    )


def add_losses(votes: Votes, vote_sums: VoteSums) -> VoteSums:
    """The sums of the votes with what each person adds to them (`ItemColumns.losses`).

    An item without one person is summed as if that person had not answered; one with a single vote left has no pair.
    """
    coded = code_votes(votes)
    rests, is_paired = leave_people_out(coded), coded.counted.count_votes() >= 2
    pairs = _sum_pairs(rests.counted, n_classes=coded.n_classes, class_pairs=vote_sums.class_pairs)
    gwet = _sum_gwet_columns(votes, rests.counted, n_classes=coded.n_classes)
    n_people = coded.count_people(is_paired)
    return replace(
        vote_sums,
        items=rests.add_losses(vote_sums.items, pairs, kept=is_paired, n_people=n_people),
        gwet_items=rests.add_losses(vote_sums.gwet_items, gwet, kept=np.ones_like(is_paired), n_people=n_people),
    )


def _has_always_majority(votes: Votes, n_votes: Floats, n_options: Floats) -> bool:
    """Whether an option leads on every item with two votes or more, however people answer."""
    options = n_options if votes.classes is None else np.minimum(n_options, len(votes.classes))
    return bool(len(n_votes) and ((options == 2) & (n_votes % 2 == 1)).all())


def _find_class_pairs(votes: Votes, counted: CountedVotes) -> tuple[Codes, Codes]:
    """The classes that meet on an item, first < second, sorted; none at the nominal level, which counts equal votes."""
    if votes.measurement_level == "nominal" or votes.classes is None:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    met = counted.list_pairs()
    keys = np.unique(met["first"].to_numpy() * len(votes.classes) + met["second"].to_numpy()).astype(np.intp)
    return keys // len(votes.classes), keys % len(votes.classes)


def _sum_pairs(counted: CountedVotes, *, n_classes: int, class_pairs: tuple[Codes, Codes]) -> Sparse:
    """The columns of `VoteSums.items` of each row, all of them 0 in a row with fewer than two votes."""
    n_rows, n_votes = len(counted.n_options), counted.count_votes()
    is_paired = (n_votes >= 2)[counted.rows]
    rows, answers, counts = counted.rows[is_paired], counted.answers[is_paired], counted.counts[is_paired]
    blocks = [sparse.csr_array(_sum_answers(replace(counted, rows=rows, answers=answers, counts=counts)))]
    if n_classes:
        blocks.append(sparse.csr_array((counts, (rows, answers)), shape=(n_rows, n_classes)))
    first, second = class_pairs
    if len(first):
        met = counted.list_pairs()
        keys = met["first"].to_numpy() * n_classes + met["second"].to_numpy()
        columns = np.searchsorted(first * n_classes + second, keys)
        row = met["row"].to_numpy()
        coincidences = met["product"].to_numpy() / (n_votes[row] - 1)
        blocks.append(sparse.csr_array((coincidences, (row, columns)), shape=(n_rows, len(first))))
    return sparse.csr_array(sparse.hstack(blocks, format="csr"))


def _sum_answers(counted: CountedVotes) -> Floats:
    """The columns that need no classes: rows × (FIRST_CLASS_COLUMN columns); a row has no vote, or two or more."""
    n_options, counts = counted.n_options, counted.counts
    n_rows, n_votes = len(n_options), counted.count_votes()
    is_paired = n_votes > 0
    others, pairs = np.maximum(n_votes - 1, 1), np.maximum(n_votes * (n_votes - 1), 1)  # no division by 0
    equal_pairs = count_codes(counted.rows, size=n_rows, weights=counts * (counts - 1))  # ordered: each pair twice
    top_count = np.zeros(n_rows)
    np.maximum.at(top_count, counted.rows, counts)
    n_at_top = count_codes(counted.rows[counts == top_count[counted.rows]], size=n_rows)
    percent = equal_pairs / pairs
    corrected = (percent - 1 / n_options) / (1 - 1 / n_options)
    # all votes are equal; one answer has more than half of the votes; one answer has more votes than every other
    is_agreed = (top_count == n_votes, 2 * top_count > n_votes, n_at_top == 1)
    columns = [np.ones(n_rows), n_votes, equal_pairs / others, percent, corrected, *is_agreed]
    return np.where(is_paired[:, None], np.column_stack(columns).astype(float), 0.0)


def _sum_gwet_columns(votes: Votes, counted: CountedVotes, *, n_classes: int) -> Sparse:
    """The columns of `VoteSums.gwet_items`: a row with one vote has no pair, but counts in the frequency of classes."""
    n_rows, n_votes = len(counted.n_options), counted.count_votes()
    if not n_classes:
        return sparse.csr_array((n_rows, 0))
    pairs = np.maximum(n_votes * (n_votes - 1), 1)
    equal = count_codes(counted.rows, size=n_rows, weights=counted.counts * (counted.counts - 1))
    agreements = [equal / pairs, np.zeros(n_rows), np.zeros(n_rows)]
    if votes.measurement_level != "nominal":
        met = counted.list_pairs()
        values = votes.values()
        distance = np.abs(values[met["first"]] - values[met["second"]]) / max(float(np.ptp(values)), 1e-300)
        for place, weight in enumerate((1 - distance, 1 - distance**2), start=1):
            of_pairs = count_codes(met["row"].to_numpy(), size=n_rows, weights=2 * weight * met["product"].to_numpy())
            agreements[place] = (equal + of_pairs) / pairs
    means = [(n_votes >= 2).astype(np.float64), *agreements, (n_votes > 0).astype(np.float64)]
    shares = counted.counts / n_votes[counted.rows]
    blocks = [
        sparse.csr_array(np.column_stack(means)),
        sparse.csr_array((shares, (counted.rows, counted.answers)), shape=(n_rows, n_classes)),
    ]
    return sparse.csr_array(sparse.hstack(blocks, format="csr"))


def sum_gwet_weights(votes: Votes) -> tuple[float, float, float]:
    """The sum over each two classes of Gwet's weights: 1 for equal classes, else 0; linear 1 - d; and quadratic 1 - d².

    d is the distance of the values of the two classes, divided by the longest distance of any two classes.
    """
    values = votes.values()
    distance = np.abs(values[:, None] - values[None, :]) / max(float(np.ptp(values)), 1e-300)
    return float(len(values)), float((1 - distance).sum()), float((1 - distance**2).sum())
