"""The agreement coefficients of closed labels, on the first votes of each item and on all votes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Literal

import numpy as np

from aggregation.agreement import NO_PAIRS, AgreementTable, Basis, Coefficient, ItemPool, estimate_coefficient
from aggregation.bootstrap import FEWEST_CLUSTERS, Draws, Progress
from aggregation.labels.agreement import formulas
from aggregation.labels.agreement.annotator_pairs import estimate_mean_cohen
from aggregation.labels.agreement.formulas import Statistic
from aggregation.labels.agreement.vote_sums import VoteSums, compute_gwet_weights, sum_votes
from aggregation.schema import Floats, Level, Votes

CoefficientName = Literal[
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
HOW: Mapping[CoefficientName, str] = MappingProxyType(
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
MEAN_NAMES: tuple[CoefficientName, ...] = (
    "percent_agreement",
    "percent_agreement_chance_corrected_per_item",
    "all_agree",
    "strict_majority",
    "unique_plurality",
)
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
GWET: tuple[CoefficientName, ...] = ("gwet_ac1", "gwet_ac2_linear", "gwet_ac2_quadratic")
NO_VARIATION = "All compared votes are equal, so the expected disagreement is 0 and the coefficient is undefined."
NO_CLASSES = (
    "The options differ from item to item and share no classes to compare by; "
    "use percent agreement and its chance-corrected form."
)
BASES: Mapping[Basis, str] = MappingProxyType(
    {"first": "the first {n} votes of each item in the order of assignment", "pooled": "all votes pooled"}
)


def compute_label_agreement(
    votes: Votes,
    *,
    overlap: int | None = None,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    progress: Progress | None = None,
) -> AgreementTable:
    """Agreement coefficients of the votes; all votes of an annotator count, and items with one vote are left out.

    `overlap` is the planned number of votes per item: the headline then rests on the first so many votes of each item.
    Without it, as for imported votes, there are only pooled rows. Intervals are percentiles over resamples of whole
    groups of items; with fewer than five groups there are none.
    """
    draws = Draws(resamples=resamples, seed=seed, level=level, progress=progress)
    if overlap is None:
        return AgreementTable(rows=_build_rows(votes, basis="pooled", draws=draws))
    first = votes.first_votes(overlap)
    has_more = len(first.frame) < len(votes.frame)
    parts = [replace(draws, progress=draws.part(part, of=1 + has_more)) for part in range(1 + has_more)]
    rows = _build_rows(first, basis="first", draws=parts[0], first=overlap)
    return AgreementTable(rows=rows + (_build_rows(votes, basis="pooled", draws=parts[1]) if has_more else ()))


def list_coefficients(votes: Votes) -> tuple[CoefficientName, ...]:
    """The coefficients to report of these votes: those that their level of measurement allows."""
    if votes.classes is None:
        refused: tuple[CoefficientName, ...] = (
            "krippendorff_alpha_nominal",
            "fleiss_kappa",
            "cohen_kappa_mean",
            "gwet_ac1",
        )
        return MEAN_NAMES + refused
    allowed = LEVELS[: 1 + LEVELS.index(votes.level)]
    excluded = {f"krippendorff_alpha_{name}" for name in LEVELS if name not in allowed}
    excluded |= {"percent_agreement_chance_corrected_per_item"}
    excluded |= set() if votes.level != "nominal" else {"gwet_ac2_linear", "gwet_ac2_quadratic"}
    return tuple(name for name in HOW if name not in excluded)


def _build_rows(votes: Votes, *, basis: Basis, draws: Draws, first: int = 0) -> tuple[Coefficient, ...]:
    vote_sums = sum_votes(votes)
    sums, gwet_sums = vote_sums.resample(draws)
    draws = draws.without_progress()
    basis_text = BASES[basis].format(n=first)
    return tuple(
        _build_row(
            name,
            votes,
            vote_sums,
            sums=gwet_sums if name in GWET else sums,
            basis=basis,
            basis_text=basis_text,
            draws=draws,
        )
        for name in list_coefficients(votes)
    )


def _build_row(
    name: CoefficientName,
    votes: Votes,
    vote_sums: VoteSums,
    *,
    sums: Floats | None,
    basis: Basis,
    basis_text: str,
    draws: Draws,
) -> Coefficient:
    how = f"{HOW[name]}; {basis_text}"
    items = vote_sums.gwet_items if name in GWET else vote_sums.items
    if vote_sums.items.n_groups < FEWEST_CLUSTERS:  # items with one vote do not make an interval possible
        sums, items = None, replace(items, n_groups=vote_sums.items.n_groups)
    refusal = _explain_refusal(name, votes, vote_sums)
    if refusal:
        return _estimate(
            name, float("nan"), None, items=items, votes=votes, how=how, undefined=refusal, basis=basis, draws=draws
        )
    if name == "cohen_kappa_mean":
        return replace(estimate_mean_cohen(votes, draws=draws, how=how), basis=basis, positions=votes.positions)
    statistic = _build_statistic(name, votes, vote_sums)
    resampled = None if sums is None else statistic(sums)
    value = items.compute(statistic)
    return _estimate(
        name, value, resampled, items=items, votes=votes, how=how, undefined=NO_VARIATION, basis=basis, draws=draws
    )


def _estimate(
    name: CoefficientName,
    value: float,
    resampled: Floats | None,
    *,
    items: ItemPool,
    votes: Votes,
    how: str,
    undefined: str,
    basis: Basis,
    draws: Draws,
) -> Coefficient:
    return estimate_coefficient(
        name,
        value,
        resampled=resampled,
        pool=items,
        draws=draws,
        how=how,
        undefined=undefined,
        basis=basis,
        positions=votes.positions,
    )


def _explain_refusal(name: CoefficientName, votes: Votes, vote_sums: VoteSums) -> str:
    """Why these votes have no such coefficient; empty where they have one, even if its value is undefined."""
    if votes.classes is None and name not in MEAN_NAMES:
        return NO_CLASSES
    if not len(vote_sums.items.groups):
        return NO_PAIRS
    least, most = vote_sums.overlap
    if name == "fleiss_kappa" and least != most:
        return f"Fleiss's kappa needs the same number of votes on every item, and here items have {least} to {most}."
    if name in GWET and vote_sums.n_classes < 2:
        return "One label leaves nothing to agree on by chance."
    return ""


def _build_statistic(name: CoefficientName, votes: Votes, vote_sums: VoteSums) -> Statistic:
    if name in MEAN_NAMES:
        return formulas.build_mean(MEAN_NAMES.index(name))
    if name == "fleiss_kappa":
        return formulas.build_fleiss_kappa(vote_sums)
    if name in GWET:
        number = GWET.index(name)
        return formulas.build_gwet_coefficient(
            1 + number, weights=(np.eye(vote_sums.n_classes), *compute_gwet_weights(votes))[number]
        )
    level = next(known for known in LEVELS if name.endswith(known))
    return formulas.build_alpha(vote_sums, level=level, values=votes.values())
