"""The formulas of the coefficients, as functions of summed columns (draws × columns); nan where undefined."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aggregation.labels.agreement.vote_sums import CLASSES, MEANS, ONE, PAIRS, VOTES, VoteSums
from aggregation.schema import Floats, Level, divide_safely

Statistic = Callable[[Floats], Floats]
ROUNDING = 1e-12
SHARES = 5  # in `VoteSums.gwet_items`: two votes, P, linear, quadratic, one; then the shares of the classes


def build_mean(number: int) -> Statistic:
    """One of the five means over items, by its number."""
    return lambda sums: np.asarray(sums[:, MEANS + number] / sums[:, ONE])


def build_alpha(vote_sums: VoteSums, *, level: Level, values: Floats) -> Statistic:
    """1 - D_o / D_e, Krippendorff (2019), Content Analysis, 4th ed., ch. 12, at any level of measurement."""
    return (
        _build_nominal_alpha(vote_sums)
        if level == "nominal"
        else _build_weighted_alpha(vote_sums, level=level, values=values)
    )


def _build_nominal_alpha(vote_sums: VoteSums) -> Statistic:
    """With D_o = 1 - pairs / n and D_e = (n² - sum n_c²) / n(n - 1)."""

    def statistic(sums: Floats) -> Floats:
        n, pairs = sums[:, VOTES], sums[:, PAIRS]
        class_votes = sums[:, CLASSES : CLASSES + vote_sums.n_classes]
        expected = n * n - np.einsum("dc,dc->d", class_votes, class_votes)
        return 1 - divide_safely((n - pairs) * (n - 1), expected, above=ROUNDING)

    return statistic


def _build_weighted_alpha(vote_sums: VoteSums, *, level: Level, values: Floats) -> Statistic:
    """With the squared differences of the level; ordinal ones depend on how often each class was given."""
    first, second = vote_sums.list_class_pairs()

    def statistic(sums: Floats) -> Floats:
        n = sums[:, VOTES]
        class_votes = sums[:, CLASSES : CLASSES + vote_sums.n_classes]
        squared = _square_differences(class_votes, values=values, level=level)
        differences = squared[:, first, second]
        observed = np.einsum("dp,dp->d", sums[:, CLASSES + vote_sums.n_classes :], differences)
        expected = np.einsum("dp,dp,dp->d", class_votes[:, first], class_votes[:, second], differences)
        return 1 - divide_safely(observed * (n - 1), expected, above=ROUNDING)

    return statistic


def _square_differences(class_votes: Floats, *, values: Floats, level: Level) -> Floats:
    """The squared difference of each two classes: draws × classes × classes."""
    if level == "ordinal":
        middles = np.cumsum(class_votes, axis=1) - class_votes / 2
        return np.asarray((middles[:, :, None] - middles[:, None, :]) ** 2)
    difference = values[:, None] - values[None, :]
    if level == "ratio":
        total = values[:, None] + values[None, :]
        difference = np.divide(difference, total, out=np.zeros_like(difference), where=total > 0)
    return np.broadcast_to((difference**2)[None], (len(class_votes), *difference.shape))


def build_fleiss_kappa(vote_sums: VoteSums) -> Statistic:
    """(P - P_e) / (1 - P_e) with P_e the sum of squared shares of the classes, Fleiss (1971)."""

    def statistic(sums: Floats) -> Floats:
        shares = sums[:, CLASSES : CLASSES + vote_sums.n_classes] / sums[:, [VOTES]]
        chance = np.einsum("dc,dc->d", shares, shares)
        return 1 - divide_safely(1 - sums[:, MEANS] / sums[:, ONE], 1 - chance, above=ROUNDING)

    return statistic


def build_gwet_coefficient(column: int, *, weights: Floats) -> Statistic:
    """AC1 and AC2, Gwet (2008, 2014): chance is T_w / Q(Q - 1) times the sum of p(1 - p), p the mean share of a class.

    `column` has P under these weights: 1 unweighted, 2 linear, 3 quadratic. `weights` is classes × classes.
    """
    n_classes = len(weights)

    def statistic(sums: Floats) -> Floats:
        observed = divide_safely(sums[:, column], sums[:, 0], above=ROUNDING)
        shares = sums[:, SHARES:] / sums[:, [SHARES - 1]]
        spread = np.einsum("dc,dc->d", shares, 1 - shares)
        chance = weights.sum() * spread / (n_classes * (n_classes - 1))
        return 1 - divide_safely(1 - observed, 1 - chance, above=ROUNDING)

    return statistic
