"""How far annotators agree, with intervals that resample groups of items: percent agreement, majorities, alpha."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from aggregation.bootstrap import (
    FEWEST_CLUSTERS,
    Codes,
    Floats,
    Interval,
    Progress,
    cluster_sums,
    group_codes,
    percentile_interval,
)
from aggregation.schema import Votes, closed_counts

Name = Literal[
    "percent_agreement",
    "percent_agreement_chance_corrected_per_item",
    "all_agree",
    "strict_majority",
    "unique_plurality",
    "krippendorff_alpha_nominal",
]
HOW: dict[Name, str] = {
    "percent_agreement": "mean over items of the share of equal pairs of votes",
    "percent_agreement_chance_corrected_per_item": "mean over items of (P - 1/k) / (1 - 1/k), P the share of equal "
    "pairs of votes, k the item's number of options",
    "all_agree": "share of items on which all votes are equal",
    "strict_majority": "share of items on which one answer has more than half of the votes",
    "unique_plurality": "share of items on which one answer has more votes than every other",
    "krippendorff_alpha_nominal": "1 - observed / expected disagreement of pairs of votes, nominal",
}
NOTHING = "No item has two votes, so there is nothing to compare."
NO_VARIATION = "All compared votes are equal, so the expected disagreement is 0 and alpha is undefined."
NO_CLASSES = (
    "The options differ from item to item and share no classes to compare by; "
    "use percent agreement and its chance-corrected form."
)


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """One coefficient over the items that have two votes or more; `n_votes` and `n_annotators` are those items' own.

    `low` and `high` bound the middle share `level` of the resamples; `undefined_resamples` had no value and were left
    out. `how` says how value and interval were made; `reason` why either is missing, else it is empty. `positions`
    marks figures whose classes are positions of options that differ.
    """

    name: Name
    value: float | None
    low: float | None
    high: float | None
    n_items: int
    n_votes: int
    n_annotators: int
    how: str
    reason: str
    undefined_resamples: int
    positions: bool


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """All coefficients that fit the votes, in the order of HOW, those refused with their reason."""

    rows: tuple[Coefficient, ...]

    def __getitem__(self, name: str) -> Coefficient:
        """The coefficient of that name."""
        return {str(row.name): row for row in self.rows}[name]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Compared:
    """Items with two votes or more, as numbers that add up over items.

    `per_item` has the columns one, votes, equal pairs as alpha weighs them, P, chance-corrected P, all agree, strict
    majority, unique plurality; `classes` counts the votes for each declared class (no columns without classes).
    """

    per_item: Floats
    classes: Floats
    groups: Codes
    n_groups: int
    n_annotators: int

    @property
    def units(self) -> str:
        """What is resampled, with its number."""
        return f"{self.n_groups} " + ("items" if self.n_groups == len(self.per_item) else "groups of items")


ONE, VOTES, PAIRS, MEANS = 0, 1, 2, 3
MEAN_NAMES: tuple[Name, ...] = (
    "percent_agreement",
    "percent_agreement_chance_corrected_per_item",
    "all_agree",
    "strict_majority",
    "unique_plurality",
)


def agreement(
    votes: Votes, *, resamples: int = 1000, seed: int = 0, level: float = 0.95, progress: Progress | None = None
) -> Agreement:
    """Agreement coefficients of the votes; every row of a person counts, and items with one vote drop out.

    Formulas: Krippendorff (2019), Content Analysis, 4th ed., ch. 12 (alpha, nominal, from coincidences); percent
    agreement as in Fleiss (1971), the mean over items of sum n(n-1) / m(m-1). Intervals are percentiles over
    resamples of whole groups of items; with fewer than five groups there is none.
    """
    compared = _compared(votes)
    sums = None
    if compared.n_groups >= FEWEST_CLUSTERS:
        statistics = np.hstack([compared.per_item, compared.classes])
        rng = np.random.default_rng(seed)
        sums = cluster_sums(statistics, groups=compared.groups, draws=resamples, rng=rng, progress=progress)
    drawn = f"{100 * level:g} % percentile interval, {resamples} resamples of {compared.units}, seed {seed}"
    shown = [name for name in HOW if votes.classes is None or name != "percent_agreement_chance_corrected_per_item"]
    return Agreement(
        rows=tuple(_coefficient(name, compared, votes=votes, sums=sums, drawn=drawn, level=level) for name in shown)
    )


def _coefficient(
    name: Name, compared: _Compared, *, votes: Votes, sums: Floats | None, drawn: str, level: float
) -> Coefficient:
    value, reason = _value(name, compared, refused=votes.classes is None)
    interval, how = Interval(low=None, high=None), HOW[name]
    if value is not None and sums is None:
        reason = f"No interval: {compared.units} are fewer than the {FEWEST_CLUSTERS} to resample."
    elif value is not None and sums is not None:
        interval, how = percentile_interval(_statistic(name)(sums), level=level), f"{how}; {drawn}"
    return Coefficient(
        name=name,
        value=value,
        low=interval.low,
        high=interval.high,
        n_items=len(compared.per_item),
        n_votes=int(compared.per_item[:, VOTES].sum()),
        n_annotators=compared.n_annotators,
        how=how,
        reason=reason,
        undefined_resamples=interval.undefined,
        positions=votes.positions,
    )


def _value(name: Name, compared: _Compared, *, refused: bool) -> tuple[float | None, str]:
    """The coefficient over all compared items, or None with the reason."""
    if refused and name == "krippendorff_alpha_nominal":
        return None, NO_CLASSES
    if not len(compared.per_item):
        return None, NOTHING
    totals = np.hstack([compared.per_item, compared.classes]).sum(axis=0, keepdims=True)
    value = float(_statistic(name)(totals)[0])
    return (None, NO_VARIATION) if np.isnan(value) else (value, "")


def _statistic(name: Name) -> Callable[[Floats], Floats]:
    """The coefficient as a function of summed columns (draws × columns); nan where undefined."""
    if name == "krippendorff_alpha_nominal":
        return _alpha
    column = MEANS + MEAN_NAMES.index(name)
    return lambda sums: sums[:, column] / sums[:, ONE]


def _alpha(sums: Floats) -> Floats:
    """1 - D_o / D_e with D_o = 1 - pairs / n and D_e = (n² - sum n_c²) / n(n - 1), from summed columns."""
    n, pairs = sums[:, VOTES], sums[:, PAIRS]
    of_classes = sums[:, MEANS + len(MEAN_NAMES) :]
    expected = n * n - np.einsum("dc,dc->d", of_classes, of_classes)
    alpha = np.full(len(sums), np.nan)
    defined = expected > 0
    alpha[defined] = 1 - ((n - pairs) * (n - 1))[defined] / expected[defined]
    return alpha


def _compared(votes: Votes) -> _Compared:
    """Sum the votes up per item; items in sorted order, whatever the order of rows."""
    answered = votes.frame["item"].map(votes.frame["item"].value_counts())
    frame = votes.frame.loc[answered >= 2]
    pairs = frame.groupby(["item", "answer"], sort=True).size()
    items, row = np.unique(pairs.index.get_level_values("item").to_numpy(dtype=object), return_inverse=True)
    known = votes.items.reindex(items)
    groups, n_groups = group_codes(known["group"].to_numpy(dtype=object))
    classes: Floats = np.empty((len(items), 0))
    if votes.classes is not None:
        classes = closed_counts(replace(votes, frame=frame)).table.astype(float)
    return _Compared(
        per_item=_per_item(pairs.to_numpy().astype(float), row=row, n_options=known["n_options"].to_numpy(dtype=float)),
        classes=classes,
        groups=groups,
        n_groups=n_groups,
        n_annotators=frame["annotator"].nunique(),
    )


def _per_item(counts: Floats, *, row: Codes, n_options: Floats) -> Floats:
    """The columns of `_Compared.per_item` from the votes for each answer (`counts`) on each item (`row`)."""
    size = len(n_options)
    votes = np.bincount(row, weights=counts, minlength=size)
    equal = np.bincount(row, weights=counts * (counts - 1), minlength=size)
    top = np.zeros(size)
    np.maximum.at(top, row, counts)
    at_top = np.bincount(row[counts == top[row]], minlength=size)
    percent = equal / (votes * (votes - 1))
    corrected = (percent - 1 / n_options) / (1 - 1 / n_options)
    agreed = (top == votes, 2 * top > votes, at_top == 1)
    return np.column_stack([np.ones(size), votes, equal / (votes - 1), percent, corrected, *agreed]).astype(float)
