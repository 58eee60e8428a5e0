"""The agreement coefficients of closed labels: which there are, and their rows for first votes and for all votes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from aggregation.agreement.item_columns import Statistic
from aggregation.agreement.people import estimate_pooled_cohen
from aggregation.agreement.table import (
    REASON_NO_PAIRS,
    AgreementTable,
    Basis,
    Coefficient,
    Definition,
    estimate_statistic,
)
from aggregation.agreement.vote_sums import (
    FIRST_CLASS_COLUMN,
    FIRST_MEAN_COLUMN,
    ONE_COLUMN,
    PAIRS_COLUMN,
    VOTES_COLUMN,
    VoteSums,
    add_losses,
    sum_gwet_weights,
    sum_votes,
)
from aggregation.findings import Finding
from aggregation.intervals.resampling import FEWEST_GROUPS, Progress, Resampling
from aggregation.schema import Codes, Floats, MeasurementLevel, Votes, divide_safely

LabelHeadline = Literal[
    "krippendorff_alpha_nominal",
    "krippendorff_alpha_ordinal",
    "krippendorff_alpha_interval",
    "krippendorff_alpha_ratio",
    "percent_agreement_chance_corrected_per_item",
]
"""The headline coefficients of labels: alpha at the level of the labels, or, without classes, one that needs none."""
ALPHA_BY_LEVEL: Mapping[MeasurementLevel, LabelHeadline] = MappingProxyType(
    {
        "nominal": "krippendorff_alpha_nominal",
        "ordinal": "krippendorff_alpha_ordinal",
        "interval": "krippendorff_alpha_interval",
        "ratio": "krippendorff_alpha_ratio",
    }
)
ROUNDING_TOLERANCE = 1e-12  # a divisor that is not larger counts as zero
FIRST_SHARE_COLUMN = 5  # the column of `VoteSums.gwet_items` where the shares of the classes begin


def build_mean(index: int) -> Statistic:
    """The mean over items of one of the N_MEANS columns of means, by its index among these columns."""
    return lambda sums: np.asarray(sums[:, FIRST_MEAN_COLUMN + index] / sums[:, ONE_COLUMN])


def build_alpha(
    *, n_classes: int, class_pairs: tuple[Codes, Codes], measurement_level: MeasurementLevel, values: Floats
) -> Statistic:
    """alpha = 1 - D_o / D_e, Krippendorff (2019), Content Analysis, 4th ed., ch. 12, at any level of measurement.

    D_o is the observed and D_e the expected disagreement; `values` are the values of the classes (`Votes.values`), and
    `class_pairs` those of `VoteSums`.
    """
    return (
        _build_nominal_alpha(n_classes)
        if measurement_level == "nominal"
        else _build_weighted_alpha(
            n_classes=n_classes, class_pairs=class_pairs, measurement_level=measurement_level, values=values
        )
    )


def _build_nominal_alpha(n_classes: int) -> Statistic:
    """Nominal alpha: D_o = 1 - pairs / n and D_e = (n² - sum n_c²) / (n (n - 1)).

    n is the number of votes, n_c that of votes for class c, and `pairs` the sum of PAIRS_COLUMN.
    """

    def statistic(sums: Floats) -> Floats:
        n, pairs = sums[:, VOTES_COLUMN], sums[:, PAIRS_COLUMN]
        class_votes = sums[:, FIRST_CLASS_COLUMN : FIRST_CLASS_COLUMN + n_classes]
        expected = n * n - np.einsum("dc,dc->d", class_votes, class_votes)
        return 1 - divide_safely((n - pairs) * (n - 1), expected, above=ROUNDING_TOLERANCE)

    return statistic


def _build_weighted_alpha(
    *, n_classes: int, class_pairs: tuple[Codes, Codes], measurement_level: MeasurementLevel, values: Floats
) -> Statistic:
    """Alpha above the nominal level: disagreements are weighted by the squared differences of the classes.

    Observed ones are summed over the classes that meet on an item, expected ones over all of them.
    """
    first, second = class_pairs
    end = FIRST_CLASS_COLUMN + n_classes

    def statistic(sums: Floats) -> Floats:
        n, class_votes = sums[:, VOTES_COLUMN], sums[:, FIRST_CLASS_COLUMN:end]
        if measurement_level == "ratio":
            weights = _compare_ratios(values[:, None], values[None, :])
            observed = sums[:, end:] @ weights[first, second]
            expected = np.einsum("dc,dc->d", class_votes @ weights, class_votes) / 2
        else:
            places = values[None, :] if measurement_level == "interval" else _rank_classes(class_votes)
            observed = np.einsum("dp,dp->d", sums[:, end:], (places[:, first] - places[:, second]) ** 2)
            middle = (class_votes * places).sum(axis=1) / n
            # the sum over all pairs of classes of n_c n_k (v_c - v_k)² is n times that of n_c (v_c - mean)²
            expected = n * (class_votes * (places - middle[:, None]) ** 2).sum(axis=1)
        return 1 - divide_safely(observed * (n - 1), expected, above=ROUNDING_TOLERANCE)

    return statistic


def _rank_classes(class_votes: Floats) -> Floats:
    """The mean rank of each class among all votes: draws × classes."""
    return np.asarray(np.cumsum(class_votes, axis=1) - class_votes / 2)


def _compare_ratios(one: Floats, two: Floats) -> Floats:
    """The squared difference of two values, divided by their squared sum; 0 for two zeros."""
    difference, total = one - two, one + two
    return np.asarray(np.divide(difference, total, out=np.zeros_like(difference), where=total > 0) ** 2)


def build_fleiss_kappa(vote_sums: VoteSums) -> Statistic:
    """kappa = (P - P_e) / (1 - P_e), Fleiss (1971): P is the mean share of equal pairs, P_e the sum of p_c².

    p_c is the share of class c among all votes.
    """

    def statistic(sums: Floats) -> Floats:
        shares = sums[:, FIRST_CLASS_COLUMN : FIRST_CLASS_COLUMN + vote_sums.n_classes] / sums[:, [VOTES_COLUMN]]
        chance = np.einsum("dc,dc->d", shares, shares)
        return 1 - divide_safely(
            1 - sums[:, FIRST_MEAN_COLUMN] / sums[:, ONE_COLUMN], 1 - chance, above=ROUNDING_TOLERANCE
        )

    return statistic


def build_gwet_coefficient(column: int, *, n_classes: int, total_weight: float) -> Statistic:
    """AC1 and AC2 = (P - P_e) / (1 - P_e), Gwet (2008, 2014), with P_e = T_w / (Q (Q - 1)) · sum of p_c (1 - p_c).

    Q is the number of classes, T_w the sum of all weights, p_c the mean over items of the share of class c. `column` is
    the column of P with these weights: 1 unweighted, 2 linear, 3 quadratic.
    """

    def statistic(sums: Floats) -> Floats:
        observed = divide_safely(sums[:, column], sums[:, 0], above=ROUNDING_TOLERANCE)
        shares = sums[:, FIRST_SHARE_COLUMN:] / sums[:, [FIRST_SHARE_COLUMN - 1]]
        variation = np.einsum("dc,dc->d", shares, 1 - shares)
        chance = total_weight * variation / (n_classes * (n_classes - 1))
        return 1 - divide_safely(1 - observed, 1 - chance, above=ROUNDING_TOLERANCE)

    return statistic


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
    "cohen_kappa_pooled",
    "gwet_ac1",
    "gwet_ac2_linear",
    "gwet_ac2_quadratic",
]
# Each text is published with its coefficient, as `how`; rows are in the order of these texts.
DESCRIPTIONS: Mapping[CoefficientName, str] = MappingProxyType(
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
        "cohen_kappa_pooled": "(P - P_e) / (1 - P_e), P the share of equal answers and P_e the chance of each pair of "
        "annotators, both averaged over the items of all pairs",
        "gwet_ac1": "(P - P_e) / (1 - P_e), P_e from the mean shares of the labels on all items",
        "gwet_ac2_linear": "as gwet_ac1, with linear weights of the distance between labels",
        "gwet_ac2_quadratic": "as gwet_ac1, with quadratic weights of the distance between labels",
    }
)
# The order of the means in the columns of `vote_sums`.
MEAN_NAMES: tuple[CoefficientName, ...] = (
    "percent_agreement",
    "percent_agreement_chance_corrected_per_item",
    "all_agree",
    "strict_majority",
    "unique_plurality",
)
SHARES_OF_ITEMS = ("all_agree", "strict_majority", "unique_plurality")
"""They are no means over pairs of votes: they change with the number of votes of an item."""
SHARE_NAMES = ("percent_agreement", *SHARES_OF_ITEMS)
FORCED_NAMES = ("strict_majority", "unique_plurality")
MEASUREMENT_LEVELS: tuple[MeasurementLevel, ...] = ("nominal", "ordinal", "interval", "ratio")
GWET_NAMES: tuple[CoefficientName, ...] = ("gwet_ac1", "gwet_ac2_linear", "gwet_ac2_quadratic")
REASON_NO_VARIATION = Finding("votes-equal")
REASON_FORCED = Finding("forced")
REASON_NO_CLASSES = Finding("no-classes")
BASIS_DESCRIPTIONS: Mapping[Basis, str] = MappingProxyType(
    {
        "first": "the first {n} votes of each item in the order of assignment",
        "pooled": "all votes pooled",
        "sample": "the first {n} votes of each item of the sample",
    }
)


def choose_label_headline(*, has_classes: bool, level: MeasurementLevel) -> LabelHeadline:
    """The name of the coefficient of labels to report; `has_classes` says that all items share the labels."""
    return ALPHA_BY_LEVEL[level] if has_classes else "percent_agreement_chance_corrected_per_item"


def compute_label_agreement(
    votes: Votes,
    *,
    overlap: int | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    confidence_level: float = 0.95,
    progress: Progress | None = None,
) -> AgreementTable:
    """Agreement coefficients of the votes; all votes of an annotator count, and items with one vote are left out.

    `overlap` is the planned number of votes per item. The table then begins with the headline rows, in which only the
    first `overlap` votes of each item count; rows of all votes follow where an item has more. Without an overlap, as
    for imported votes, there are only the rows of all votes. Intervals are those of `two_populations`, but for Cohen's
    kappa, whose percentiles of `n_resamples` resamples of whole groups of items hold for these people. With fewer than
    FEWEST_GROUPS groups there are none.
    """
    resampling = Resampling(n_resamples=n_resamples, seed=seed, confidence_level=confidence_level, progress=progress)
    if overlap is None:
        return AgreementTable(rows=_build_rows(votes, basis="pooled", resampling=resampling))
    planned_votes = votes.first_votes(overlap)
    has_more = len(planned_votes.frame) < len(votes.frame)
    n_parts = 1 + has_more
    parts = [replace(resampling, progress=resampling.part(part, of=n_parts)) for part in range(n_parts)]
    rows = _build_rows(planned_votes, basis="first", resampling=parts[0], overlap=overlap)
    return AgreementTable(rows=rows + (_build_rows(votes, basis="pooled", resampling=parts[1]) if has_more else ()))


def compute_alpha(votes: Votes) -> tuple[CoefficientName, float | None]:
    """Krippendorff's alpha at the level of the votes, without an interval: its name, and None where it is undefined."""
    name: CoefficientName = ALPHA_BY_LEVEL[votes.measurement_level]
    if votes.frame.empty:
        return name, None
    vote_sums = sum_votes(votes)
    if _find_reason_undefined(name, votes, vote_sums):
        return name, None
    sums: Any = vote_sums.items.columns.sum(axis=0)
    value = float(build_statistic(name, votes, vote_sums)(np.asarray(sums, dtype=np.float64).reshape(1, -1))[0])
    return name, None if np.isnan(value) else value


def list_coefficients(votes: Votes) -> tuple[CoefficientName, ...]:
    """The coefficients that have a row for these votes, in the order of DESCRIPTIONS.

    With classes, they are those that the votes' level of measurement allows. Without classes, the means over items
    come first; the coefficients after them are undefined without classes, and become rows with that reason.
    """
    if votes.classes is None:
        undefined_without_classes: tuple[CoefficientName, ...] = (
            "krippendorff_alpha_nominal",
            "fleiss_kappa",
            "cohen_kappa_pooled",
            "gwet_ac1",
        )
        return MEAN_NAMES + undefined_without_classes
    allowed_levels = MEASUREMENT_LEVELS[: 1 + MEASUREMENT_LEVELS.index(votes.measurement_level)]
    excluded = {f"krippendorff_alpha_{name}" for name in MEASUREMENT_LEVELS if name not in allowed_levels}
    excluded |= {"percent_agreement_chance_corrected_per_item"}
    excluded |= set() if votes.measurement_level != "nominal" else {"gwet_ac2_linear", "gwet_ac2_quadratic"}
    return tuple(name for name in DESCRIPTIONS if name not in excluded)


def _build_rows(
    votes: Votes, *, basis: Basis, resampling: Resampling, overlap: int | None = None
) -> tuple[Coefficient, ...]:
    """One row per coefficient; `overlap` is the number of votes per item that the basis `first` counts."""
    vote_sums = add_losses(votes, sum_votes(votes))
    basis_description = BASIS_DESCRIPTIONS[basis].format(n=overlap)
    rows = tuple(
        _build_row(
            name,
            votes,
            vote_sums,
            basis=basis,
            basis_description=basis_description,
            resampling=resampling,
        )
        for name in list_coefficients(votes)
    )
    if resampling.progress is not None:
        resampling.progress(1.0)
    return rows


def _build_row(
    name: CoefficientName,
    votes: Votes,
    vote_sums: VoteSums,
    *,
    basis: Basis,
    basis_description: str,
    resampling: Resampling,
) -> Coefficient:
    """The row of a coefficient; Cohen's kappa, of too many columns for a formula, is resampled."""
    how = f"{DESCRIPTIONS[name]}; {basis_description}"
    item_columns = vote_sums.gwet_items if name in GWET_NAMES else vote_sums.items
    # There is an interval if enough groups have an item with two votes; items with one vote, which Gwet's coefficients
    # also use, do not count for that.
    if vote_sums.items.n_groups < FEWEST_GROUPS:
        item_columns = replace(item_columns, n_groups=vote_sums.items.n_groups)
    if name in SHARES_OF_ITEMS:
        item_columns = replace(item_columns, losses=None)
    statistic = None
    reason_undefined = _find_reason_undefined(name, votes, vote_sums)
    if not reason_undefined:
        if name == "cohen_kappa_pooled":
            row = estimate_pooled_cohen(votes, resampling=resampling, how=how)
            return replace(row, basis=basis, positions=votes.classes_are_positions)
        statistic = build_statistic(name, votes, vote_sums)
    return estimate_statistic(
        Definition(
            name=name,
            how=how,
            scale="share" if name in SHARE_NAMES else "correlation",
            level=_get_level(name, votes),
            basis=basis,
            positions=votes.classes_are_positions,
            reason_undefined=reason_undefined or REASON_NO_VARIATION,
        ),
        statistic,
        item_columns,
        confidence_level=resampling.confidence_level,
    )


def _get_level(name: CoefficientName, votes: Votes) -> MeasurementLevel:
    """The level of measurement of the coefficient: that in its name; AC2 weighs the classes by their own level."""
    if name.startswith("gwet_ac2"):
        return votes.measurement_level
    return next((level for level in MEASUREMENT_LEVELS if name.endswith(level)), "nominal")


def _find_reason_undefined(name: CoefficientName, votes: Votes, vote_sums: VoteSums) -> str:
    """The reason why the coefficient cannot be computed from these votes; empty where it can be computed."""
    if votes.classes is None and name not in MEAN_NAMES:
        return REASON_NO_CLASSES
    if not len(vote_sums.items.groups):
        return REASON_NO_PAIRS
    if name in FORCED_NAMES and vote_sums.always_has_majority:
        return REASON_FORCED
    fewest, most = vote_sums.votes_per_item
    if name == "fleiss_kappa" and fewest != most:
        return Finding("unequal-numbers", least=int(fewest), most=int(most))
    if name in GWET_NAMES and vote_sums.n_classes < 2:
        return Finding("one-label")
    return ""


def build_statistic(name: CoefficientName, votes: Votes, vote_sums: VoteSums) -> Statistic:
    """The formula of the coefficient, as a function of the column sums."""
    if name in MEAN_NAMES:
        return build_mean(MEAN_NAMES.index(name))
    if name == "fleiss_kappa":
        return build_fleiss_kappa(vote_sums)
    if name in GWET_NAMES:
        index = GWET_NAMES.index(name)
        return build_gwet_coefficient(
            1 + index, n_classes=vote_sums.n_classes, total_weight=sum_gwet_weights(votes)[index]
        )
    return build_alpha(
        n_classes=vote_sums.n_classes,
        class_pairs=vote_sums.class_pairs,
        measurement_level=_get_level(name, votes),
        values=votes.values(),
    )
