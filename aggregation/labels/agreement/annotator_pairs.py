"""Cohen's kappa of each pair of annotators, and of all pairs pooled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse

from aggregation.agreement import Coefficient, build_item_columns, estimate_coefficient
from aggregation.bootstrap import FEWEST_GROUPS, Resampling, Sparse
from aggregation.errors import Refused
from aggregation.schema import Codes, Floats, Votes, divide_safely

MAX_RESAMPLED_NUMBERS = 500_000_000  # column sums in all resamples together; more would take minutes
ROUNDING_TOLERANCE = 1e-9  # a divisor that is not larger counts as zero
FEWEST_SHARED_ITEMS = 10  # in the median pair; a pair's chance is estimated from few items, and with one it is P itself
REASON_NO_KAPPA = "No two annotators have a kappa: they share no item, or always gave the same label."
REASON_FEW_SHARED = (
    "The median pair of annotators shares {median:g} {items}. Below {fewest} a pair's chance of equal answers is not "
    "known, and kappa falls with the number of annotators however well they agree: use Krippendorff's alpha."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class _SharedItems:
    """The items that each pair of annotators both answered.

    `rows` has one row per pair of annotators and shared item, with the columns item, annotator_a, annotator_b, answer_a
    and answer_b (all of them codes, annotator_a below annotator_b) and weight. An annotator who answered an item twice
    has a row for each answer; the weights of a pair's rows on an item sum to one. `pairs` has one row per pair, with
    the columns annotator_a and annotator_b, sorted. `pair_codes` has, for each row of `rows`, the index of its pair in
    `pairs`.
    """

    rows: pd.DataFrame
    pairs: pd.DataFrame
    pair_codes: Codes
    n_classes: int

    @property
    def width(self) -> int:
        """How many columns a pair has: shared items, equal answers, and each annotator's votes for every class."""
        return 2 + 2 * self.n_classes

    def compute_median_items(self) -> float:
        """How many items the median pair shares; 0 where no two annotators share one."""
        weights = self.rows["weight"].to_numpy(dtype=np.float64)
        shared = np.bincount(self.pair_codes, weights=weights, minlength=len(self.pairs))
        return float(np.median(shared.round())) if len(shared) else 0.0

    def build_columns(self, *, n_items: int) -> Sparse:
        """The columns of all pairs, one pair after the other: items × (pairs · width), made to be summed over items."""
        items, answers_a, answers_b = (
            self.rows[name].to_numpy(dtype=np.intp) for name in ("item", "answer_a", "answer_b")
        )
        weights = self.rows["weight"].to_numpy(dtype=np.float64)
        starts, is_equal = self.pair_codes * self.width, answers_a == answers_b
        class_starts = starts + 2
        columns = [starts, starts[is_equal] + 1, class_starts + answers_a, class_starts + self.n_classes + answers_b]
        rows = np.concatenate([items, items[is_equal], items, items])
        values = np.concatenate([weights, weights[is_equal], weights, weights])
        shape = (n_items, len(self.pairs) * self.width)
        return sparse.csr_array((values, (rows, np.concatenate(columns))), shape=shape)

    def compute_kappas(self, sums: Floats) -> Floats:
        """Cohen's (1960) kappa (draws × pairs, nan: undefined) from the column sums of the pairs."""
        by_pair = sums.reshape(len(sums), len(self.pairs), self.width)
        n, n_equal = by_pair[:, :, 0], by_pair[:, :, 1]
        votes_a, votes_b = by_pair[:, :, 2 : 2 + self.n_classes], by_pair[:, :, 2 + self.n_classes :]
        products = np.einsum("dpc,dpc->dp", votes_a, votes_b)
        # kappa = 1 - (1 - P) / (1 - P_e) with P = n_equal / n and P_e = sum of votes_a · votes_b / n²; times n² / n²
        return 1 - divide_safely(n * (n - n_equal), n * n - products, above=ROUNDING_TOLERANCE)

    def compute_pooled(self, sums: Floats) -> Floats:
        """(P - P_e) / (1 - P_e), one number per draw, nan where P_e is 1: P and P_e are averaged over all pairs' items.

        So a pair weighs as many times as it shares items, and P_e comes from each pair's own labels.
        """
        by_pair = sums.reshape(len(sums), len(self.pairs), self.width)
        n, n_equal = by_pair[:, :, 0], by_pair[:, :, 1]
        votes_a, votes_b = by_pair[:, :, 2 : 2 + self.n_classes], by_pair[:, :, 2 + self.n_classes :]
        chance = np.nan_to_num(divide_safely(np.einsum("dpc,dpc->dp", votes_a, votes_b), n)).sum(axis=1)
        total = n.sum(axis=1)
        return 1 - divide_safely(total - n_equal.sum(axis=1), total - chance, above=ROUNDING_TOLERANCE)


def compute_cohen_pairs(votes: Votes) -> pd.DataFrame:
    """Cohen's kappa of each pair of annotators who answered a common item, one row per pair, sorted.

    Columns: annotator_a, annotator_b, n_items (shared items), percent_agreement (share of equal answers, 0 to 1) and
    kappa (nan where both annotators gave one and the same label every time). Two answers of an annotator to one item
    count half each. Raises Refused where items share no classes.
    """
    if votes.classes is None:
        raise Refused(
            "The options differ from item to item and share no classes, so Cohen's kappa has no chance to correct by.",
            remedy="Compare each annotator with the rest.",
        )
    shared = _find_shared_items(votes)
    names = votes.encode().annotator_ids
    sums = _sum_columns(shared.build_columns(n_items=votes.frame["item"].nunique()))
    by_pair = sums.reshape(len(shared.pairs), shared.width)
    both = np.sort(np.column_stack([names[shared.pairs["annotator_a"]], names[shared.pairs["annotator_b"]]]), axis=1)
    return pd.DataFrame(
        {
            "annotator_a": both[:, 0],
            "annotator_b": both[:, 1],
            "n_items": by_pair[:, 0].round().astype(int),
            "percent_agreement": by_pair[:, 1] / by_pair[:, 0],
            "kappa": shared.compute_kappas(sums)[0],
        }
    ).sort_values(["annotator_a", "annotator_b"], ignore_index=True)


def estimate_pooled_cohen(votes: Votes, *, resampling: Resampling, how: str) -> Coefficient:
    """Cohen's kappa pooled over pairs of annotators, resampled over the items that two annotators share.

    It is refused where the median pair shares fewer than FEWEST_SHARED_ITEMS items. Simulated annotators who are all
    alike, with an alpha of .64 to .69, have a mean of pairwise kappas of .66 where 6 people share many items and of
    .04 where 400 share few.
    """
    shared, coded = _find_shared_items(votes), votes.encode()
    shared_codes = np.unique(shared.rows["item"])
    columns = shared.build_columns(n_items=len(coded.item_ids))[shared_codes]
    both = shared.rows.melt(id_vars="item", value_vars=["annotator_a", "annotator_b"], value_name="annotator")
    answered = both[["item", "annotator"]].drop_duplicates()
    item_columns = build_item_columns(
        columns,
        groups=votes.items["group"].reindex(coded.item_ids[shared_codes]),
        n_votes=len(answered),  # an annotator who answered an item twice counts once
        n_annotators=answered["annotator"].nunique(),
    )
    median = shared.compute_median_items()
    is_refused = 0 < median < FEWEST_SHARED_ITEMS
    can_compute = len(shared.pairs) > 0 and not is_refused
    value = item_columns.compute(shared.compute_pooled) if can_compute else float("nan")
    resampled, is_too_large = None, columns.shape[1] * resampling.n_resamples > MAX_RESAMPLED_NUMBERS
    if can_compute and not is_too_large and item_columns.n_groups >= FEWEST_GROUPS:
        resampled = item_columns.resample(resampling, statistic=lambda sums: shared.compute_pooled(sums)[:, None])
    how = f"{how}; {len(shared.pairs)} pairs, which share {median:g} items in the median"
    if can_compute and is_too_large:
        how += f"; no interval, because resampling so many pairs takes more than {MAX_RESAMPLED_NUMBERS:.0e} numbers"
    too_few = REASON_FEW_SHARED.format(
        median=median, items="item" if median == 1 else "items", fewest=FEWEST_SHARED_ITEMS
    )
    return estimate_coefficient(
        "cohen_kappa_pooled",
        value,
        resampled=None if resampled is None else resampled[:, 0],
        item_columns=item_columns,
        resampling=resampling,
        how=how,
        reason_undefined=too_few if is_refused else REASON_NO_KAPPA,
    )


def _sum_columns(columns: Sparse) -> Floats:
    """The sums over all items, as one row: 1 × columns."""
    return np.asarray(columns.sum(axis=0), dtype=np.float64)[None]


def _find_shared_items(votes: Votes) -> _SharedItems:
    coded = votes.encode()
    answers = pd.DataFrame({"item": coded.items, "annotator": coded.annotators, "answer": coded.answers})
    answers = answers.sort_values(["item", "annotator", "answer"], kind="stable")
    answers["weight"] = 1 / answers.groupby(["item", "annotator"])["answer"].transform("size")
    joined = answers.merge(answers, on="item", suffixes=("_a", "_b"))
    joined = joined.loc[joined["annotator_a"] < joined["annotator_b"]]
    rows = joined[["item", "annotator_a", "annotator_b", "answer_a", "answer_b"]].assign(
        weight=joined["weight_a"] * joined["weight_b"]
    )
    n_annotators = max(1, len(coded.annotator_ids))
    keys = rows["annotator_a"].to_numpy(dtype=np.intp) * n_annotators + rows["annotator_b"].to_numpy()
    pair_keys, pair_codes = np.unique(keys, return_inverse=True)
    pairs = pd.DataFrame({"annotator_a": pair_keys // n_annotators, "annotator_b": pair_keys % n_annotators})
    return _SharedItems(rows=rows, pairs=pairs, pair_codes=pair_codes, n_classes=len(coded.labels))
