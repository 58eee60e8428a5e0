"""The formulas of the agreement coefficients: alpha, Fleiss's kappa and Gwet's coefficients, from sums over items.

Every function builds a `Statistic` of the column sums that `vote_sums` describes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aggregation.labels.agreement.vote_sums import (
    FIRST_CLASS_COLUMN,
    FIRST_MEAN_COLUMN,
    ONE_COLUMN,
    PAIRS_COLUMN,
    VOTES_COLUMN,
    VoteSums,
)
from aggregation.schema import Floats, MeasurementLevel, divide_safely

Statistic = Callable[[Floats], Floats]
"""Takes column sums (draws × columns) and returns one value per draw, nan where it is undefined."""
ROUNDING_TOLERANCE = 1e-12  # a divisor that is not larger counts as zero
FIRST_SHARE_COLUMN = 5  # the column of `VoteSums.gwet_items` where the shares of the classes begin


def build_mean(index: int) -> Statistic:
    """The mean over items of one of the N_MEANS columns of means, by its index among these columns."""
    return lambda sums: np.asarray(sums[:, FIRST_MEAN_COLUMN + index] / sums[:, ONE_COLUMN])


def build_alpha(vote_sums: VoteSums, *, measurement_level: MeasurementLevel, values: Floats) -> Statistic:
    """alpha = 1 - D_o / D_e, Krippendorff (2019), Content Analysis, 4th ed., ch. 12, at any level of measurement.

    D_o is the observed and D_e the expected disagreement; `values` are the values of the classes (`Votes.values`).
    """
    return (
        _build_nominal_alpha(vote_sums)
        if measurement_level == "nominal"
        else _build_weighted_alpha(vote_sums, measurement_level=measurement_level, values=values)
    )


def _build_nominal_alpha(vote_sums: VoteSums) -> Statistic:
    """Nominal alpha: D_o = 1 - pairs / n and D_e = (n² - sum n_c²) / (n (n - 1)).

    n is the number of votes, n_c that of votes for class c, and `pairs` the sum of PAIRS_COLUMN.
    """

    def statistic(sums: Floats) -> Floats:
        n, pairs = sums[:, VOTES_COLUMN], sums[:, PAIRS_COLUMN]
        class_votes = sums[:, FIRST_CLASS_COLUMN : FIRST_CLASS_COLUMN + vote_sums.n_classes]
        expected = n * n - np.einsum("dc,dc->d", class_votes, class_votes)
        return 1 - divide_safely((n - pairs) * (n - 1), expected, above=ROUNDING_TOLERANCE)

    return statistic


def _build_weighted_alpha(vote_sums: VoteSums, *, measurement_level: MeasurementLevel, values: Floats) -> Statistic:
    """Alpha above the nominal level: disagreements are weighted by the squared differences of the classes."""
    first, second = vote_sums.list_class_pairs()

    def statistic(sums: Floats) -> Floats:
        n = sums[:, VOTES_COLUMN]
        class_votes = sums[:, FIRST_CLASS_COLUMN : FIRST_CLASS_COLUMN + vote_sums.n_classes]
        squared = _square_differences(class_votes, values=values, measurement_level=measurement_level)
        differences = squared[:, first, second]
        observed = np.einsum("dp,dp->d", sums[:, FIRST_CLASS_COLUMN + vote_sums.n_classes :], differences)
        expected = np.einsum("dp,dp,dp->d", class_votes[:, first], class_votes[:, second], differences)
        return 1 - divide_safely(observed * (n - 1), expected, above=ROUNDING_TOLERANCE)

    return statistic


def _square_differences(class_votes: Floats, *, values: Floats, measurement_level: MeasurementLevel) -> Floats:
    """The squared difference of each two classes: draws × classes × classes.

    ordinal: of the mean ranks of the two classes among all votes; interval: of their values; ratio: of their values
    divided by the sum of their values.
    """
    if measurement_level == "ordinal":
        mean_ranks = np.cumsum(class_votes, axis=1) - class_votes / 2
        return np.asarray((mean_ranks[:, :, None] - mean_ranks[:, None, :]) ** 2)
    difference = values[:, None] - values[None, :]
    if measurement_level == "ratio":
        total = values[:, None] + values[None, :]
        difference = np.divide(difference, total, out=np.zeros_like(difference), where=total > 0)
    return np.broadcast_to((difference**2)[None], (len(class_votes), *difference.shape))


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


def build_gwet_coefficient(column: int, *, weights: Floats) -> Statistic:
    """AC1 and AC2 = (P - P_e) / (1 - P_e), Gwet (2008, 2014), with P_e = T_w / (Q (Q - 1)) · sum of p_c (1 - p_c).

    Q is the number of classes, T_w the sum of all weights, p_c the mean over items of the share of class c. `weights`
    is classes × classes, and `column` is the column of P with these weights: 1 unweighted, 2 linear, 3 quadratic.
    """
    n_classes = len(weights)

    def statistic(sums: Floats) -> Floats:
        observed = divide_safely(sums[:, column], sums[:, 0], above=ROUNDING_TOLERANCE)
        shares = sums[:, FIRST_SHARE_COLUMN:] / sums[:, [FIRST_SHARE_COLUMN - 1]]
        variation = np.einsum("dc,dc->d", shares, 1 - shares)
        chance = weights.sum() * variation / (n_classes * (n_classes - 1))
        return 1 - divide_safely(1 - observed, 1 - chance, above=ROUNDING_TOLERANCE)

    return statistic
