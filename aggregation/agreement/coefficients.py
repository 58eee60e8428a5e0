"""All coefficients that fit the votes, those that do not with the reason, on the first votes and on all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

import numpy as np

from aggregation.agreement import formulas
from aggregation.agreement.counted import Compared, compared, gwet_weights
from aggregation.agreement.estimates import NOTHING, Basis, Coefficient, Pool, estimated
from aggregation.agreement.formulas import Statistic
from aggregation.agreement.pairs import mean_cohen
from aggregation.bootstrap import FEWEST_CLUSTERS, Draws, Progress
from aggregation.schema import Floats, Level, Votes

Name = Literal[
    "percent_agreement",
    "percent_agreement_chance_corrected_per_item",
    "all_agree",
    "strict_majority",
    "unique_plurality",
    "krippendorff_alpha_nominal",
    "krippendorff_alpha_ordinal",
    "krippendorff_alpha_interval",
    "krippendorff_alpha_ratio",
    "fleiss_kappa",
    "cohen_kappa_mean",
    "gwet_ac1",
    "gwet_ac2_linear",
    "gwet_ac2_quadratic",
]
HOW: Mapping[Name, str] = MappingProxyType(
    {
        "percent_agreement": "mean over items of the share of equal pairs of votes",
        "percent_agreement_chance_corrected_per_item": "mean over items of (P - 1/k) / (1 - 1/k), P the share of equal "
        "pairs of votes, k the item's number of options",
        "all_agree": "share of items on which all votes are equal",
        "strict_majority": "share of items on which one answer has more than half of the votes",
        "unique_plurality": "share of items on which one answer has more votes than every other",
        "krippendorff_alpha_nominal": "1 - observed / expected disagreement of pairs of votes, nominal",
        "krippendorff_alpha_ordinal": "1 - observed / expected disagreement of pairs of votes, ordinal",
        "krippendorff_alpha_interval": "1 - observed / expected disagreement of pairs of votes, interval",
        "krippendorff_alpha_ratio": "1 - observed / expected disagreement of pairs of votes, ratio",
        "fleiss_kappa": "(P - P_e) / (1 - P_e), P_e from the shares of the labels among all votes",
        "cohen_kappa_mean": "mean of Cohen's kappa over pairs of annotators, each on the items that both answered",
        "gwet_ac1": "(P - P_e) / (1 - P_e), P_e from the mean shares of the labels on all items",
        "gwet_ac2_linear": "as gwet_ac1, with linear weights of the distance between labels",
        "gwet_ac2_quadratic": "as gwet_ac1, with quadratic weights of the distance between labels",
    }
)
MEAN_NAMES: tuple[Name, ...] = (
    "percent_agreement",
    "percent_agreement_chance_corrected_per_item",
    "all_agree",
    "strict_majority",
    "unique_plurality",
)
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
GWET: tuple[Name, ...] = ("gwet_ac1", "gwet_ac2_linear", "gwet_ac2_quadratic")
NO_VARIATION = "All compared votes are equal, so the expected disagreement is 0 and the coefficient is undefined."
NO_CLASSES = (
    "The options differ from item to item and share no classes to compare by; "
    "use percent agreement and its chance-corrected form."
)
BASES: Mapping[Basis, str] = MappingProxyType(
    {"first": "the first {n} votes of each item in the order of assignment", "pooled": "all votes pooled"}
)


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """All coefficients that fit the votes, in the order of HOW, those refused with their reason.

    The headline rows come first: those of each item's first votes, where a least overlap was planned. Rows of the
    basis `pooled` follow where items have more votes than that: how many an item got then depends on how much its
    votes disagreed, which biases them.
    """

    rows: tuple[Coefficient, ...]

    def __getitem__(self, name: str) -> Coefficient:
        """The headline coefficient of that name."""
        return {str(row.name): row for row in reversed(self.rows)}[name]

    @property
    def headline(self) -> tuple[Coefficient, ...]:
        """The rows to report first."""
        return tuple(row for row in self.rows if row.basis == self.rows[0].basis)


def agreement(
    votes: Votes,
    *,
    overlap: int | None = None,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    progress: Progress | None = None,
) -> Agreement:
    """Agreement coefficients of the votes; every row of a person counts, and items with one vote drop out.

    `overlap` is the least number of votes that every item was to get: the headline then rests on the first so many of
    each item. Without it, as for imported votes, there is only the pooled figure. Intervals are percentiles over
    resamples of whole groups of items; with fewer than five groups there is none.
    """
    draws = Draws(resamples=resamples, seed=seed, level=level, progress=progress)
    if overlap is None:
        return Agreement(rows=_rows(votes, basis="pooled", draws=draws))
    first = votes.first_votes(overlap)
    more = len(first.frame) < len(votes.frame)
    heard = [replace(draws, progress=draws.part(part, of=1 + more)) for part in range(1 + more)]
    rows = _rows(first, basis="first", draws=heard[0], first=overlap)
    return Agreement(rows=rows + (_rows(votes, basis="pooled", draws=heard[1]) if more else ()))


def names_for(votes: Votes) -> tuple[Name, ...]:
    """The coefficients that are told of these votes: what their level does not reach is not asked."""
    if votes.classes is None:
        refused: tuple[Name, ...] = ("krippendorff_alpha_nominal", "fleiss_kappa", "cohen_kappa_mean", "gwet_ac1")
        return MEAN_NAMES + refused
    reached = LEVELS[: 1 + LEVELS.index(votes.level)]
    beyond = {f"krippendorff_alpha_{name}" for name in LEVELS if name not in reached}
    beyond |= {"percent_agreement_chance_corrected_per_item"}
    beyond |= set() if votes.level != "nominal" else {"gwet_ac2_linear", "gwet_ac2_quadratic"}
    return tuple(name for name in HOW if name not in beyond)


def _rows(votes: Votes, *, basis: Basis, draws: Draws, first: int = 0) -> tuple[Coefficient, ...]:
    counted = compared(votes)
    sums, weighed = counted.resampled(draws)
    silent = draws.silent()
    told = BASES[basis].format(n=first)
    return tuple(
        _row(name, votes, counted, sums=weighed if name in GWET else sums, basis=basis, told=told, draws=silent)
        for name in names_for(votes)
    )


def _row(
    name: Name, votes: Votes, counted: Compared, *, sums: Floats | None, basis: Basis, told: str, draws: Draws
) -> Coefficient:
    how = f"{HOW[name]}; {told}"
    items = counted.weighed if name in GWET else counted.items
    if counted.items.n_groups < FEWEST_CLUSTERS:  # items with one vote help to no interval
        sums, items = None, replace(items, n_groups=counted.items.n_groups)
    refusal = _refusal(name, votes, counted)
    if refusal:
        return _of(name, float("nan"), None, items=items, votes=votes, how=how, why=refusal, basis=basis, draws=draws)
    if name == "cohen_kappa_mean":
        return replace(mean_cohen(votes, draws=draws, how=how), basis=basis, positions=votes.positions)
    statistic = _statistic(name, votes, counted)
    resampled = None if sums is None else statistic(sums)
    value = items.value(statistic)
    return _of(name, value, resampled, items=items, votes=votes, how=how, why=NO_VARIATION, basis=basis, draws=draws)


def _of(
    name: Name,
    value: float,
    resampled: Floats | None,
    *,
    items: Pool,
    votes: Votes,
    how: str,
    why: str,
    basis: Basis,
    draws: Draws,
) -> Coefficient:
    return estimated(
        name,
        value,
        resampled=resampled,
        pool=items,
        draws=draws,
        how=how,
        undefined=why,
        basis=basis,
        positions=votes.positions,
    )


def _refusal(name: Name, votes: Votes, counted: Compared) -> str:
    """Why these votes have no such coefficient, empty where they have one (which may be undefined all the same)."""
    if votes.classes is None and name not in MEAN_NAMES:
        return NO_CLASSES
    if not len(counted.items.groups):
        return NOTHING
    least, most = counted.overlap
    if name == "fleiss_kappa" and least != most:
        return f"Fleiss's kappa needs the same number of votes on every item, and here items have {least} to {most}."
    if name in GWET and counted.n_classes < 2:
        return "One label leaves nothing to agree on by chance."
    return ""


def _statistic(name: Name, votes: Votes, counted: Compared) -> Statistic:
    if name in MEAN_NAMES:
        return formulas.mean(MEAN_NAMES.index(name))
    if name == "fleiss_kappa":
        return formulas.fleiss(counted)
    if name in GWET:
        number = GWET.index(name)
        return formulas.gwet(1 + number, weights=(np.eye(counted.n_classes), *gwet_weights(votes))[number])
    measured = next(known for known in LEVELS if name.endswith(known))
    return formulas.alpha(counted, level=measured, values=votes.values())
