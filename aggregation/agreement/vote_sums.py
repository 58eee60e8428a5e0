"""Votes summed per item into columns that add up over items, from which every coefficient is computed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from aggregation.agreement.table import ItemColumns, PeopleLosses, build_item_columns
from aggregation.intervals.resampling import Resampling, Sparse
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

    `gwet_items`, for Gwet's AC1 and AC2, has all items with a vote, and (none without classes) these columns: 1 if the
    item has two votes or more, else 0; P, unweighted, with linear and with quadratic weights (both 0 at the nominal
    level); the number 1; and the share of the item's votes for each class.

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


@dataclass(frozen=True, kw_only=True, eq=False)
class _Counted:
    """How many votes each answer has on each row, an item or an item without one person: three numbers per entry.

    Entries are sorted by row and answer. `n_options` has the number of options of each row.
    """

    rows: Codes
    answers: Codes
    counts: Floats
    n_options: Floats

    def count_votes(self) -> Floats:
        """The number of votes of each row."""
        return count_codes(self.rows, size=len(self.n_options), weights=self.counts)

    def list_pairs(self) -> pd.DataFrame:
        """Each two answers that meet on a row: row, first, second (first < second), and the product of their votes."""
        frame = pd.DataFrame({"row": self.rows, "answer": self.answers, "count": self.counts})
        met = frame.merge(frame, on="row", suffixes=("", "_of_second"))
        met = met.loc[met["answer"] < met["answer_of_second"]]
        return pd.DataFrame(
            {
                "row": met["row"],
                "first": met["answer"],
                "second": met["answer_of_second"],
                "product": met["count"] * met["count_of_second"],
            }
        )


def sum_votes(votes: Votes) -> VoteSums:
    """The columns of every item, items sorted, so that the order of votes has no influence."""
    coded = _code_votes(votes)
    n_votes = coded.counted.count_votes()
    is_paired = n_votes >= 2
    facts = votes.items.reindex(coded.item_ids)
    pairs = _find_class_pairs(votes, coded.counted)
    items = _sum_pairs(coded.counted, n_classes=coded.n_classes, class_pairs=pairs)[np.flatnonzero(is_paired)]
    counts = {"n_votes": int(n_votes[is_paired].sum()), "n_annotators": coded.count_people(is_paired)}
    all_counts = {"n_votes": int(n_votes.sum()), "n_annotators": coded.count_people(n_votes > 0)}
    sizes = n_votes if len(n_votes) else np.zeros(1)
    return VoteSums(
        items=build_item_columns(items, groups=facts["group"].loc[is_paired], **counts),
        gwet_items=build_item_columns(
            _sum_gwet_columns(votes, coded.counted, n_classes=coded.n_classes), groups=facts["group"], **all_counts
        ),
        n_classes=coded.n_classes,
        class_pairs=pairs,
        votes_per_item=(int(sizes.min()), int(sizes.max())),
        always_has_majority=_has_always_majority(votes, n_votes[is_paired], coded.counted.n_options[is_paired]),
    )


def add_losses(votes: Votes, vote_sums: VoteSums) -> VoteSums:
    """The sums of the votes with what each person adds to them (`ItemColumns.losses`).

    An item without one person is summed as if that person had not answered; one with a single vote left has no pair.
    """
    coded = _code_votes(votes)
    is_paired = coded.counted.count_votes() >= 2
    rest, rest_items, cells = _leave_people_out(coded)
    n_people = coded.count_people(is_paired)

    def build(item_columns: ItemColumns, kept: NDArray[np.bool_], rest_columns: Sparse) -> ItemColumns:
        row_of_item = np.cumsum(kept) - 1
        columns = sparse.csr_array(item_columns.columns)
        is_kept = kept[rest_items]
        losses = columns[row_of_item[rest_items[is_kept]]] - rest_columns[np.flatnonzero(is_kept)]
        of_items = cells.loc[kept[cells["item"]]]
        return replace(
            item_columns,
            losses=PeopleLosses(
                losses=sparse.csr_array(losses),
                loss=(np.cumsum(is_kept) - 1)[of_items["rest"]],
                groups=item_columns.groups[row_of_item[of_items["item"]]],
                people=of_items["person"].to_numpy(),
                n_people=n_people,
            ),
        )

    pairs_of_rest = _sum_pairs(rest, n_classes=coded.n_classes, class_pairs=vote_sums.class_pairs)
    gwet_of_rest = _sum_gwet_columns(votes, rest, n_classes=coded.n_classes)
    return replace(
        vote_sums,
        items=build(vote_sums.items, is_paired, pairs_of_rest),
        gwet_items=build(vote_sums.gwet_items, np.ones_like(is_paired), gwet_of_rest),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _CodedVotes:
    """Votes as codes of items (sorted), people and answers (classes in declared order), and counted by item."""

    items: Codes
    people: Codes
    answers: Codes
    item_ids: NDArray[np.object_]
    n_answers: int
    n_classes: int
    counted: _Counted

    def count_people(self, kept: NDArray[np.bool_]) -> int:
        """How many people answered an item that is kept."""
        return len(np.unique(self.people[kept[self.items]]))


def _code_votes(votes: Votes) -> _CodedVotes:
    items, item_ids = pd.factorize(votes.frame["item"], sort=True)
    people, _ = pd.factorize(votes.frame["annotator"], sort=True)
    if votes.classes is None:
        answers, different = pd.factorize(votes.frame["answer"], sort=True)
        n_answers = len(different)
    else:
        answers, n_answers = pd.Index(votes.classes).get_indexer(pd.Index(votes.frame["answer"])), len(votes.classes)
    entries, counts = np.unique(items * max(n_answers, 1) + answers, return_counts=True)
    return _CodedVotes(
        items=items,
        people=people,
        answers=answers,
        item_ids=np.asarray(item_ids, dtype=object),
        n_answers=max(n_answers, 1),
        n_classes=0 if votes.classes is None else n_answers,
        counted=_Counted(
            rows=entries // max(n_answers, 1),
            answers=entries % max(n_answers, 1),
            counts=counts.astype(np.float64),
            n_options=np.asarray(votes.items["n_options"].reindex(item_ids), dtype=np.float64),
        ),
    )


def _leave_people_out(coded: _CodedVotes) -> tuple[_Counted, Codes, pd.DataFrame]:
    """The items without each person: the votes that are left, the item of each row, and the row of each cell.

    Two people who gave an item the same one answer leave the same rest, which is counted once. Cells (an item and a
    person who answered it) have the columns item, person and rest.
    """
    frame = pd.DataFrame({"item": coded.items, "person": coded.people, "answer": coded.answers})
    own = frame.groupby(["item", "person"], sort=True)["answer"].agg(["size", "first"]).reset_index()
    left_out = np.where(own["size"] == 1, own["first"], coded.n_answers + own["person"])
    width = coded.n_answers + int(coded.people.max(initial=0)) + 1
    rests, first_cell, rest = np.unique(own["item"] * width + left_out, return_index=True, return_inverse=True)
    cells = own[["item", "person"]].assign(rest=rest)
    rest_items = np.asarray(rests // width, dtype=np.intp)
    of_first = cells.iloc[first_cell]
    removed = frame.merge(of_first, on=["item", "person"]).groupby(["rest", "answer"]).size().rename("removed")
    counted = pd.DataFrame(
        {"item": coded.counted.rows, "answer": coded.counted.answers, "count": coded.counted.counts}
    )
    left = of_first[["item", "rest"]].merge(counted, on="item").merge(
        removed.reset_index(), on=["rest", "answer"], how="left"
    )
    left = left.assign(count=left["count"] - left["removed"].fillna(0)).query("count > 0")
    left = left.sort_values(["rest", "answer"])
    return (
        _Counted(
            rows=left["rest"].to_numpy(dtype=np.intp),
            answers=left["answer"].to_numpy(dtype=np.intp),
            counts=left["count"].to_numpy(dtype=np.float64),
            n_options=coded.counted.n_options[rest_items],
        ),
        rest_items,
        cells,
    )


def _has_always_majority(votes: Votes, n_votes: Floats, n_options: Floats) -> bool:
    """Whether an option leads on every item with two votes or more, however people answer."""
    options = n_options if votes.classes is None else np.minimum(n_options, len(votes.classes))
    return bool(len(n_votes) and ((options == 2) & (n_votes % 2 == 1)).all())


def _find_class_pairs(votes: Votes, counted: _Counted) -> tuple[Codes, Codes]:
    """The classes that meet on an item, first < second, sorted; none at the nominal level, which counts equal votes."""
    if votes.measurement_level == "nominal" or votes.classes is None:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    met = counted.list_pairs()
    keys = np.unique(met["first"].to_numpy() * len(votes.classes) + met["second"].to_numpy()).astype(np.intp)
    return keys // len(votes.classes), keys % len(votes.classes)


def _sum_pairs(counted: _Counted, *, n_classes: int, class_pairs: tuple[Codes, Codes]) -> Sparse:
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


def _sum_answers(counted: _Counted) -> Floats:
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


def _sum_gwet_columns(votes: Votes, counted: _Counted, *, n_classes: int) -> Sparse:
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
