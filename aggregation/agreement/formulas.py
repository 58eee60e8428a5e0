"""The coefficients as functions of summed columns (draws × columns); nan where one is undefined."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aggregation.agreement.counted import CLASSES, MEANS, ONE, PAIRS, VOTES, Compared
from aggregation.schema import Floats, Level, quotient

Statistic = Callable[[Floats], Floats]
ROUNDING = 1e-12
SHARES = 5  # in `Compared.weighed`: two votes, P, linear, quadratic, one; then the shares of the classes


def mean(number: int) -> Statistic:
    """One of the five means over items."""
    return lambda sums: np.asarray(sums[:, MEANS + number] / sums[:, ONE])


def alpha(compared: Compared, *, level: Level, values: Floats) -> Statistic:
    """1 - D_o / D_e, Krippendorff (2019), Content Analysis, 4th ed., ch. 12, at any level of measurement."""
    return _alpha_nominal(compared) if level == "nominal" else _alpha_weighed(compared, level=level, values=values)


def _alpha_nominal(compared: Compared) -> Statistic:
    """With D_o = 1 - pairs / n and D_e = (n² - sum n_c²) / n(n - 1)."""

    def statistic(sums: Floats) -> Floats:
        n, pairs = sums[:, VOTES], sums[:, PAIRS]
        of_classes = sums[:, CLASSES : CLASSES + compared.n_classes]
        expected = n * n - np.einsum("dc,dc->d", of_classes, of_classes)
        return 1 - quotient((n - pairs) * (n - 1), expected, above=ROUNDING)

    return statistic


def _alpha_weighed(compared: Compared, *, level: Level, values: Floats) -> Statistic:
    """With the squared differences of the level; ordinal ones follow from how often each class was given."""
    first, second = compared.pairs_of_classes()

    def statistic(sums: Floats) -> Floats:
        n = sums[:, VOTES]
        of_classes = sums[:, CLASSES : CLASSES + compared.n_classes]
        squared = _squared(of_classes, values=values, level=level)
        differences = squared[:, first, second]
        observed = np.einsum("dp,dp->d", sums[:, CLASSES + compared.n_classes :], differences)
        expected = np.einsum("dp,dp,dp->d", of_classes[:, first], of_classes[:, second], differences)
        return 1 - quotient(observed * (n - 1), expected, above=ROUNDING)

    return statistic


def _squared(of_classes: Floats, *, values: Floats, level: Level) -> Floats:
    """Squared differences of each two classes, one matrix a draw (or one for all draws)."""
    if level == "ordinal":
        middles = np.cumsum(of_classes, axis=1) - of_classes / 2
        return np.asarray((middles[:, :, None] - middles[:, None, :]) ** 2)
    difference = values[:, None] - values[None, :]
    if level == "ratio":
        total = values[:, None] + values[None, :]
        difference = np.divide(difference, total, out=np.zeros_like(difference), where=total > 0)
    return np.broadcast_to((difference**2)[None], (len(of_classes), *difference.shape))


def fleiss(compared: Compared) -> Statistic:
    """(P - P_e) / (1 - P_e) with P_e the sum of squared shares of the classes, Fleiss (1971)."""

    def statistic(sums: Floats) -> Floats:
        shares = sums[:, CLASSES : CLASSES + compared.n_classes] / sums[:, [VOTES]]
        chance = np.einsum("dc,dc->d", shares, shares)
        return 1 - quotient(1 - sums[:, MEANS] / sums[:, ONE], 1 - chance, above=ROUNDING)

    return statistic


def gwet(column: int, *, weights: Floats) -> Statistic:
    """AC1 and AC2, Gwet (2008, 2014): chance is T_w / Q(Q - 1) times the sum of p(1 - p), p the mean share of a class.

    `column` has P under these weights: 1 unweighted, 2 linear, 3 quadratic. `weights` is classes × classes.
    """
    n_classes = len(weights)

    def statistic(sums: Floats) -> Floats:
        observed = quotient(sums[:, column], sums[:, 0], above=ROUNDING)
        shares = sums[:, SHARES:] / sums[:, [SHARES - 1]]
        spread = np.einsum("dc,dc->d", shares, 1 - shares)
        chance = weights.sum() * spread / (n_classes * (n_classes - 1))
        return 1 - quotient(1 - observed, 1 - chance, above=ROUNDING)

    return statistic
