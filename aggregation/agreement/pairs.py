"""Cohen's kappa of each two annotators, and their mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse

from aggregation.agreement.estimates import Coefficient, estimated, pool
from aggregation.bootstrap import FEWEST_CLUSTERS, Draws, Sparse
from aggregation.errors import Refused
from aggregation.schema import Codes, Floats, Votes, quotient

CELLS = 500_000_000  # numbers in all resamples; more would take minutes
ROUNDING = 1e-9
NO_PAIR = "No two annotators have a kappa: they share no item, or always gave the same label."


@dataclass(frozen=True, kw_only=True, eq=False)
class _Meetings:
    """Where two annotators answered the same item: columns item, a, b, one, two (codes), weight.

    `one` and `two` are the answers of a and b. What a person said twice on an item makes a row each time, and the
    weights of two people's rows on an item sum to one. `pairs` has the columns a, b, sorted, and `pair` the row of
    each meeting in it.
    """

    rows: pd.DataFrame
    pairs: pd.DataFrame
    pair: Codes
    n_classes: int

    @property
    def width(self) -> int:
        """Numbers a pair: meetings, equal ones, and both people's votes for each class."""
        return 2 + 2 * self.n_classes

    def columns(self, *, n_items: int) -> Sparse:
        """Those numbers (items × pairs · width), so that they add up over items."""
        item, one, two = (self.rows[name].to_numpy(dtype=np.intp) for name in ("item", "one", "two"))
        weight = self.rows["weight"].to_numpy(dtype=np.float64)
        start, same = self.pair * self.width, one == two
        places = np.concatenate([start, start[same] + 1, start + 2 + one, start + 2 + self.n_classes + two])
        rows = np.concatenate([item, item[same], item, item])
        shape = (n_items, len(self.pairs) * self.width)
        weights = np.concatenate([weight, weight[same], weight, weight])
        return sparse.csr_array((weights, (rows, places)), shape=shape)

    def kappas(self, sums: Floats) -> Floats:
        """Cohen (1960) of each pair from sums over items (draws × pairs · width): draws × pairs, nan: undefined."""
        cells = sums.reshape(len(sums), len(self.pairs), self.width)
        n = cells[:, :, 0]
        both = np.einsum("dpc,dpc->dp", cells[:, :, 2 : 2 + self.n_classes], cells[:, :, 2 + self.n_classes :])
        apart = n * n - both
        return 1 - quotient(n * (n - cells[:, :, 1]), apart, above=ROUNDING)

    def mean(self, sums: Floats) -> Floats:
        """The mean of the kappas that are defined, nan without any."""
        kappas = self.kappas(sums)
        defined = ~np.isnan(kappas)
        return quotient(np.where(defined, kappas, 0.0).sum(axis=1), defined.sum(axis=1).astype(np.float64))


def cohen_pairs(votes: Votes) -> pd.DataFrame:
    """One row a pair of annotators who answered a common item, sorted.

    Columns: annotator_a, annotator_b, n_items, percent_agreement, kappa (nan where both always gave the same one
    label). What a person said twice on an item counts half each time. Raises Refused where items share no classes.
    """
    if votes.classes is None:
        raise Refused(
            "The options differ from item to item and share no classes, so Cohen's kappa has no chance to correct by.",
            remedy="Compare each annotator with the rest.",
        )
    met = _meetings(votes)
    names = votes.coded().annotator_ids
    sums = np.asarray(met.columns(n_items=votes.frame["item"].nunique()).sum(axis=0), dtype=np.float64)[None]
    cells = sums.reshape(len(met.pairs), met.width)
    return pd.DataFrame(
        {
            "annotator_a": names[met.pairs["a"]],
            "annotator_b": names[met.pairs["b"]],
            "n_items": cells[:, 0].round().astype(int),
            "percent_agreement": cells[:, 1] / cells[:, 0],
            "kappa": met.kappas(sums)[0],
        }
    )


def mean_cohen(votes: Votes, *, draws: Draws, how: str) -> Coefficient:
    """The mean over the pairs whose kappa is defined, resampled over the items on which people meet."""
    met, coded = _meetings(votes), votes.coded()
    shared = np.unique(met.rows["item"])
    columns = met.columns(n_items=len(coded.item_ids))[shared]
    people = met.rows.melt(id_vars="item", value_vars=["a", "b"], value_name="person")[["item", "person"]]
    items = pool(
        columns,
        groups=votes.items["group"].reindex(coded.item_ids[shared]),
        n_votes=len(people.drop_duplicates()),
        n_annotators=people["person"].nunique(),
    )
    value = items.value(met.mean) if len(met.pairs) else float("nan")
    resampled, much = None, columns.shape[1] * draws.resamples > CELLS
    if len(met.pairs) and not much and items.n_groups >= FEWEST_CLUSTERS:
        resampled = items.resampled(draws, statistic=lambda sums: met.mean(sums)[:, None])
    defined = 0 if not len(met.pairs) else int((~np.isnan(met.kappas(_total(columns)))).sum())
    told = f"{how}; {defined} of {len(met.pairs)} pairs have one"
    if much:
        told += f"; no interval, because resampling so many pairs takes more than {CELLS:.0e} numbers"
    return estimated(
        "cohen_kappa_mean",
        value,
        resampled=None if resampled is None else resampled[:, 0],
        pool=items,
        draws=draws,
        how=told,
        undefined=NO_PAIR,
    )


def _total(columns: Sparse) -> Floats:
    return np.asarray(columns.sum(axis=0), dtype=np.float64)[None]


def _meetings(votes: Votes) -> _Meetings:
    coded = votes.coded()
    answers = pd.DataFrame({"item": coded.items, "person": coded.annotators, "answer": coded.answers})
    answers = answers.sort_values(["item", "person", "answer"], kind="stable")
    answers["weight"] = 1 / answers.groupby(["item", "person"])["answer"].transform("size")
    joined = answers.merge(answers, on="item", suffixes=("_a", "_b"))
    joined = joined.loc[joined["person_a"] < joined["person_b"]]
    rows = pd.DataFrame(
        {
            "item": joined["item"],
            "a": joined["person_a"],
            "b": joined["person_b"],
            "one": joined["answer_a"],
            "two": joined["answer_b"],
            "weight": joined["weight_a"] * joined["weight_b"],
        }
    )
    size = max(1, len(coded.annotator_ids))
    found, pair = np.unique(rows["a"].to_numpy(dtype=np.intp) * size + rows["b"].to_numpy(), return_inverse=True)
    pairs = pd.DataFrame({"a": found // size, "b": found % size})
    return _Meetings(rows=rows, pairs=pairs, pair=pair, n_classes=len(coded.labels))
