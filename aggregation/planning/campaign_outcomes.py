"""What a campaign of a size may show of a score: its value and the variance that it will estimate, as they hang together.

A score and its estimated variance are not independent: where few answers are wrong, a campaign that has more of them by
chance also shows a larger variance. For G draws of a variable with variance σ², skewness γ and excess kurtosis κ the
mean and the sample variance s² have

    Cov(mean, s²) = γσ³/G,   Var(s²) = σ⁴ (2/(G - 1) + κ/G)

(O'Neill 2014, "Some useful moment results in sampling problems"). This is used once for groups of items, once for
people. The mean has a Pearson III law with the skewness γ/√G; s² follows the mean by exp(slope · deviation), and what
the mean leaves open has a gamma law. People's own scores are taken as a beta law, whose mean and variance give its γ
and κ.

The points are a lattice, the same in every run: as many campaigns, all equally likely.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import gammaincinv, ndtri

from aggregation.planning.variance_models import VarianceModel
from aggregation.schema import Floats

POINTS = 2048
DIMENSIONS = 6  # the score by items, and by people; the estimated variance of both; what a pilot knew of both
LEAST_SKEWNESS = 1e-3  # below, a normal law is taken


class CampaignOutcomes:
    """What a campaign of a size may estimate: arrays over campaigns that are all equally likely.

    `shares` are the scores; `items` and `people` the estimated variances, `items_df` and `people_df` their degrees of
    freedom; `truth` is the true variance for a fresh panel. `item` is S of what is estimated: of the score, or of its
    difference from a model.
    """

    def __init__(self, model: VarianceModel, *, item: float, items: int, people: int) -> None:
        groups = max(items / model.group_size, 2.0)
        of_items = item / items / _list_ratios(model.items_df, 4)
        chance, cell, raw = _expect_people(model, items=items, people=people)
        of_people = np.maximum(0.0, raw - chance)
        self.truth: Floats = of_items + of_people
        skewness, kurtosis = describe_beta(model.share, float(np.mean(of_people)) * people)
        item_part = _list_deviates(model.item_skewness / groups**0.5, 0) * np.sqrt(of_items)
        people_part = _list_deviates(skewness / people**0.5, 1) * np.sqrt(of_people)
        floor = 0.5 / items
        self.shares: Floats = np.clip(model.share + item_part + people_part, floor, 1 - floor)
        scale = self.shares * (1 - self.shares) / (model.share * (1 - model.share))
        self.items: Floats = of_items * scale * _vary_items(model, item_part, of_items, groups)
        self.items_df = _count_items_df(model, self.shares, self.items, groups)
        self.people_df = max(people - 1.0, 1.0)
        # What is left of the variance of people after their mean is known.
        own = of_people / np.maximum(raw, 1e-300)
        of_votes = model.tail * people / (items * model.votes)
        excess = own**2 * kurtosis + (1 - own) ** 2 * of_votes
        left = 2 / self.people_df + np.maximum(excess - own**2 * skewness**2, 0.0) / people
        slope = skewness / np.sqrt(np.maximum(of_people, 1e-300)) / people
        follows = np.exp(slope * people_part - slope**2 * of_people / 2)
        shown = (of_people * follows + (raw - of_people) * scale) * _list_gammas(2 / left, 3)
        self.people: Floats = np.maximum(0.0, shown - cell * scale)

    @property
    def variance(self) -> Floats:
        """The estimated variance for a fresh panel."""
        return self.items + self.people

    @property
    def df(self) -> Floats:
        """Satterthwaite's degrees of freedom of that variance."""
        parts = self.items**2 / self.items_df + self.people**2 / self.people_df
        return np.asarray(np.maximum(1.0, self.variance**2 / np.maximum(parts, 1e-300)))


def describe_beta(mean: float, variance: float) -> tuple[float, float]:
    """The skewness and the excess kurtosis of a beta law; (0, 0) without variance."""
    spread = mean * (1 - mean)
    if variance <= 0 or spread <= 0:
        return 0.0, 0.0
    size = max(spread / variance - 1, 0.1)
    lean, product = size * (1 - 2 * mean), size * size * spread
    skewness = 2 * lean * (size + 1) ** 0.5 / ((size + 2) * product**0.5)
    kurtosis = 6 * (lean**2 * (size + 1) - product * (size + 2)) / (product * (size + 2) * (size + 3))
    return skewness, kurtosis


def _expect_people(model: VarianceModel, *, items: int, people: int) -> tuple[float, float, Floats]:
    """What is expected of V_people by chance alone, of V_cell, and of V_people.

    With the sum T_i of what the votes of an item change, V_people is (A·C - T)/(A - 1)/n where people are alike: votes of
    an item that change the score together are of different people.
    """
    cell = model.cell / items
    chance = max(0.0, people * model.cell - model.shared) / max(people - 1, 1) / items
    start = chance if np.isnan(model.person) else max(model.person / people + chance, 0.0)
    return chance, cell, start / _list_ratios(model.people_df, 5)


def _vary_items(model: VarianceModel, part: Floats, variance: Floats, groups: float) -> Floats:
    """The estimated variance of items over what p(1 - p) makes of it."""
    share, skewness = model.share, model.item_skewness
    deviation = np.sqrt(variance * groups)
    slope = skewness / deviation - (1 - 2 * share) / (share * (1 - share))
    follows = np.exp(slope * part - slope**2 * variance / 2)
    left = max(2 / (groups - 1) + (model.item_kurtosis - skewness**2) / groups, 1e-9)
    return np.asarray(follows * _list_gammas(2 / left, 2))


def _count_items_df(model: VarianceModel, shares: Floats, variance: Floats, groups: float) -> Floats:
    """The degrees of freedom of V_items, as `count_items_df` of panels has them."""
    effect = np.minimum(1.0, variance * groups / (shares * (1 - shares)))
    return np.asarray(2 * groups / (2 * groups / (groups - 1) + (1 - effect) * max(0.0, model.item_kurtosis)))


@cache
def _list_points() -> tuple[Floats, Floats]:
    """The lattice (dimensions × points; Roberts' additive recurrence) as uniform and as normal deviates."""
    base = 2.0
    for _ in range(60):  # the root of x^(d + 1) = x + 1
        base = (1 + base) ** (1 / (DIMENSIONS + 1))
    steps = base ** -np.arange(1, DIMENSIONS + 1)
    uniform = (0.5 + np.outer(steps, np.arange(1, POINTS + 1))) % 1
    return uniform, np.asarray(ndtri(uniform))


def _list_deviates(skewness: float, dimension: int) -> Floats:
    """Deviates with mean 0, variance 1 and this skewness: Pearson III."""
    uniform, normal = _list_points()
    if abs(skewness) < LEAST_SKEWNESS:
        return normal[dimension]
    shape = 4 / skewness**2
    if skewness > 0:
        return np.asarray((gammaincinv(shape, uniform[dimension]) - shape) / shape**0.5)
    return np.asarray((shape - gammaincinv(shape, 1 - uniform[dimension])) / shape**0.5)


def _list_gammas(df: float | Floats, dimension: int) -> Floats:
    """Gamma variables with the mean 1 and the variance 2/df: χ²/df."""
    return np.asarray(gammaincinv(np.asarray(df) / 2, _list_points()[0][dimension]) / (np.asarray(df) / 2))


def _list_ratios(df: float, dimension: int) -> Floats:
    """χ²/df for what a pilot knew; 1 for what is assumed."""
    return np.ones(1) if df >= 1e9 else _list_gammas(df, dimension)
