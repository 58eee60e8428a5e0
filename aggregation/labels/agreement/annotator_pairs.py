"""Cohen's kappa of each two annotators, and the mean of these kappas."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse

from aggregation.agreement import Coefficient, build_pool, estimate_coefficient
from aggregation.bootstrap import FEWEST_CLUSTERS, Draws, Sparse
from aggregation.errors import Refused
from aggregation.schema import Codes, Floats, Votes, divide_safely

CELLS = 500_000_000  # numbers in all resamples; more would take minutes
ROUNDING = 1e-9
NO_PAIR = "No two annotators have a kappa: they share no item, or always gave the same label."


@dataclass(frozen=True, kw_only=True, eq=False)
class _SharedItems:
    """The items that two annotators both answered.

    `rows` has the columns item, a, b (annotators), one, two (the answers of a and b; all codes) and weight. An
    annotator who answered an item twice has a row for each answer, and the weights of two annotators' rows on an item
    sum to one. `pairs` has the columns a, b, sorted; `pair` is the place in it of each row.
    """

    rows: pd.DataFrame
    pairs: pd.DataFrame
    pair: Codes
    n_classes: int

    @property
    def width(self) -> int:
        """The numbers per pair: shared items, equal answers, and both annotators' votes for each class."""
        return 2 + 2 * self.n_classes

    def build_columns(self, *, n_items: int) -> Sparse:
        """These numbers as columns that add up over items: items × (pairs · width)."""
        item, one, two = (self.rows[name].to_numpy(dtype=np.intp) for name in ("item", "one", "two"))
        weight = self.rows["weight"].to_numpy(dtype=np.float64)
        start, same = self.pair * self.width, one == two
        places = np.concatenate([start, start[same] + 1, start + 2 + one, start + 2 + self.n_classes + two])
        rows = np.concatenate([item, item[same], item, item])
        shape = (n_items, len(self.pairs) * self.width)
        weights = np.concatenate([weight, weight[same], weight, weight])
        return sparse.csr_array((weights, (rows, places)), shape=shape)

    def compute_kappas(self, sums: Floats) -> Floats:
        """Cohen's (1960) kappa per pair from sums over items (draws × pairs · width): draws × pairs, nan: undefined."""
        cells = sums.reshape(len(sums), len(self.pairs), self.width)
        n = cells[:, :, 0]
        products = np.einsum("dpc,dpc->dp", cells[:, :, 2 : 2 + self.n_classes], cells[:, :, 2 + self.n_classes :])
        expected = n * n - products
        return 1 - divide_safely(n * (n - cells[:, :, 1]), expected, above=ROUNDING)

    def compute_mean(self, sums: Floats) -> Floats:
        """The mean of the kappas that are defined, nan without any."""
        kappas = self.compute_kappas(sums)
        defined = ~np.isnan(kappas)
        return divide_safely(np.where(defined, kappas, 0.0).sum(axis=1), defined.sum(axis=1).astype(np.float64))


def compute_cohen_pairs(votes: Votes) -> pd.DataFrame:
    """One row per pair of annotators who answered a common item, sorted.

    Columns: annotator_a, annotator_b, n_items, percent_agreement, kappa (nan where both always gave the same one
    label). Two answers of an annotator to one item count half each. Raises Refused where items share no classes.
    """
    if votes.classes is None:
        raise Refused(
            "The options differ from item to item and share no classes, so Cohen's kappa has no chance to correct by.",
            remedy="Compare each annotator with the rest.",
        )
    shared = _find_shared_items(votes)
    names = votes.encode().annotator_ids
    sums = np.asarray(shared.build_columns(n_items=votes.frame["item"].nunique()).sum(axis=0), dtype=np.float64)[None]
    cells = sums.reshape(len(shared.pairs), shared.width)
    return pd.DataFrame(
        {
            "annotator_a": names[shared.pairs["a"]],
            "annotator_b": names[shared.pairs["b"]],
            "n_items": cells[:, 0].round().astype(int),
            "percent_agreement": cells[:, 1] / cells[:, 0],
            "kappa": shared.compute_kappas(sums)[0],
        }
    )


def estimate_mean_cohen(votes: Votes, *, draws: Draws, how: str) -> Coefficient:
    """The mean over the pairs whose kappa is defined, resampled over the items that two annotators share."""
    shared, coded = _find_shared_items(votes), votes.encode()
    item_codes = np.unique(shared.rows["item"])
    columns = shared.build_columns(n_items=len(coded.item_ids))[item_codes]
    long = shared.rows.melt(id_vars="item", value_vars=["a", "b"], value_name="annotator")
    answered = long[["item", "annotator"]].drop_duplicates()
    items = build_pool(
        columns,
        groups=votes.items["group"].reindex(coded.item_ids[item_codes]),
        n_votes=len(answered),
        n_annotators=answered["annotator"].nunique(),
    )
    value = items.compute(shared.compute_mean) if len(shared.pairs) else float("nan")
    resampled, is_too_large = None, columns.shape[1] * draws.resamples > CELLS
    if len(shared.pairs) and not is_too_large and items.n_groups >= FEWEST_CLUSTERS:
        resampled = items.resample(draws, statistic=lambda sums: shared.compute_mean(sums)[:, None])
    defined = 0 if not len(shared.pairs) else int((~np.isnan(shared.compute_kappas(_sum_columns(columns)))).sum())
    how = f"{how}; {defined} of {len(shared.pairs)} pairs have one"
    if is_too_large:
        how += f"; no interval, because resampling so many pairs takes more than {CELLS:.0e} numbers"
    return estimate_coefficient(
        "cohen_kappa_mean",
        value,
        resampled=None if resampled is None else resampled[:, 0],
        pool=items,
        draws=draws,
        how=how,
        undefined=NO_PAIR,
    )


def _sum_columns(columns: Sparse) -> Floats:
    return np.asarray(columns.sum(axis=0), dtype=np.float64)[None]


def _find_shared_items(votes: Votes) -> _SharedItems:
    coded = votes.encode()
    answers = pd.DataFrame({"item": coded.items, "annotator": coded.annotators, "answer": coded.answers})
    answers = answers.sort_values(["item", "annotator", "answer"], kind="stable")
    answers["weight"] = 1 / answers.groupby(["item", "annotator"])["answer"].transform("size")
    joined = answers.merge(answers, on="item", suffixes=("_a", "_b"))
    joined = joined.loc[joined["annotator_a"] < joined["annotator_b"]]
    rows = pd.DataFrame(
        {
            "item": joined["item"],
            "a": joined["annotator_a"],
            "b": joined["annotator_b"],
            "one": joined["answer_a"],
            "two": joined["answer_b"],
            "weight": joined["weight_a"] * joined["weight_b"],
        }
    )
    size = max(1, len(coded.annotator_ids))
    codes, pair = np.unique(rows["a"].to_numpy(dtype=np.intp) * size + rows["b"].to_numpy(), return_inverse=True)
    pairs = pd.DataFrame({"a": codes // size, "b": codes % size})
    return _SharedItems(rows=rows, pairs=pairs, pair=pair, n_classes=len(coded.labels))
