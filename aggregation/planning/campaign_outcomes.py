"""What a campaign of a given size may report: a score, and the variance that it estimates for it.

A score and its estimated variance are correlated: where few answers are wrong, a campaign that happens to have more of
them also shows a larger variance. For G draws of a variable with variance σ², skewness γ and excess kurtosis κ the
mean and the sample variance s² have

    Cov(mean, s²) = γσ³/G,   Var(s²) = σ⁴ (2/(G - 1) + κ/G)

(O'Neill 2014, "Some useful moment results in sampling problems"). This is used once for groups of items, once for
people. The mean has a Pearson III distribution with the skewness γ/√G; s² is multiplied by exp(slope · deviation of the
mean), and its remaining variation has a gamma distribution. People's own scores are taken as logit-normal: their mean
and variance give γ and κ. Symbols are those of `variance_models`.

Campaigns are simulated by a fixed lattice of points instead of random draws: each point is one campaign, all are
equally likely, and every run gives the same.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import expit, gammaincinv, ndtri

from aggregation.planning.variance_models import KNOWN, VarianceModel, describe_shape
from aggregation.schema import Floats

POINTS, GENERATOR = 2039, 195
"""A lattice by Korobov (1959); this generator spreads its points most evenly, by the P₂ of lattice rules."""
DIMENSIONS = 6  # the score by items, and by people; the estimated variance of both; what a pilot knew of both
NODES, WIDEST, BISECTIONS = (
    61,
    6.0,
    40,
)  # for people's scores: nodes, largest spread in logits, steps
MOST_SKEWNESS, EXACT_DF = 2.0, 20  # skewness is cut to it; from so many degrees of freedom on the cube is near enough
LEAST_SKEWNESS = 1e-3  # below, a normal distribution is taken


class CampaignOutcomes:
    """What a campaign of a size may estimate: arrays over equally likely campaigns.

    `shares` are the scores; `items` and `people` the estimated variances, `items_df` and `people_df` their degrees of
    freedom; `truth` is the true variance for a fresh panel. `item` is S of what is estimated: of the score, or of its
    difference from a model's score.
    """

    def __init__(self, model: VarianceModel, *, item: float, items: int, people: int) -> None:
        groups = max(items / model.group_size, 2.0)
        of_items = item / items / _list_ratios(model.items_df, 4)
        by_chance, cell, expected = _expect_people(model, items=items, people=people)
        of_people = np.maximum(0.0, expected - by_chance)  # what a campaign shows beyond chance
        true_people = of_people * model.true_part
        self.truth: Floats = of_items + true_people
        skewness, kurtosis = describe_people(model.share, model.person)
        item_part = _list_deviates(model.item_skewness / groups**0.5, 0) * np.sqrt(of_items)
        people_part = _list_deviates(skewness / people**0.5, 1) * np.sqrt(true_people)
        floor = 0.5 / items
        self.shares: Floats = np.clip(model.share + item_part + people_part, floor, 1 - floor)
        scale = self.shares * (1 - self.shares) / (model.share * (1 - model.share))
        by_people = np.clip(model.share + people_part, floor, 1 - floor)
        of_panel = by_people * (1 - by_people) / (model.share * (1 - model.share))
        lasting = of_panel ** model.measure_lasting()
        self.items: Floats = of_items * scale * lasting * _vary_items(model, item_part, of_items, groups)
        self.items_df = _count_items_df(model, self.shares, self.items, groups)
        self.people_df = max(people - 1.0, 1.0)
        # The variation of people's estimated variance that their mean does not explain.
        own = float(np.mean(of_people) / max(float(np.mean(expected)), 1e-300))
        of_votes = model.tail * people / (items * model.votes)
        excess = own**2 * kurtosis + (1 - own) ** 2 * of_votes
        uneven = (1 + own) ** 2 * max(0.0, 1 - model.votes / people) * people / (items * model.votes)
        excess += uneven * (excess + 3)  # items are handed out at random: some answer more of them than others
        left = 2 / self.people_df + max(excess - own**2 * skewness**2, 0.0) / people
        slope = skewness / np.sqrt(np.maximum(true_people * people, 1e-300))
        follows = np.exp(slope * people_part)
        shown = (of_people * follows / follows.mean() + (expected - of_people) * scale) * _list_gammas(2 / left, 3)
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


@cache
def describe_people(mean: float, variance: float) -> tuple[float, float]:
    """Skewness and excess kurtosis of people's own scores: logit-normal with this mean and variance (0, 0 without one).

    Skills are modelled so in item response theory (Rasch 1960). The spread of the logits is found by bisection, at most
    WIDEST.
    """
    if not variance > 0:
        return 0.0, 0.0
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    low, high = 0.0, WIDEST
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        scores = _shift_to_mean(middle * nodes, weights, mean)
        low, high = (low, middle) if np.average((scores - mean) ** 2, weights=weights) >= variance else (middle, high)
    return describe_shape(_shift_to_mean(high * nodes, weights, mean), weights)


def _shift_to_mean(logits: Floats, weights: Floats, mean: float) -> Floats:
    """The probabilities of these logits, shifted so that their weighted mean is `mean`."""
    low, high = -WIDEST * 5, WIDEST * 5
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if np.average(expit(logits + middle), weights=weights) >= mean else (middle, high)
    return np.asarray(expit(logits + high))


def _expect_people(model: VarianceModel, *, items: int, people: int) -> tuple[float, float, Floats]:
    """The expected V_people if all people were alike, the expected V_cell, and the expected V_people of this campaign.

    Symbols as in `variance_models`. If people are alike, V_people is (A·C - T)/(A - 1)/n, where T (`shared`) is C after
    the votes of an item are added up: votes of one item that move the score together come from different people.
    """
    cell = model.cell / items
    chance = max(0.0, people * model.cell - model.shared) / max(people - 1, 1) / items
    start = chance if np.isnan(model.shown) else max(model.shown / people + chance, 0.0)
    return chance, cell, start / _list_ratios(model.people_df, 5)


def _vary_items(model: VarianceModel, part: Floats, variance: Floats, groups: float) -> Floats:
    """The factor by which the items' estimated variance differs from p(1 - p) in scale; 1 for right-or-wrong items."""
    if model.is_binary:
        return np.ones(POINTS)
    share, skewness = model.share, model.item_skewness
    deviation = np.sqrt(variance * groups)
    slope = skewness / deviation - (1 - 2 * share) / (share * (1 - share))
    follows = np.exp(slope * part)
    left = max(2 / (groups - 1) + (model.item_kurtosis - skewness**2) / groups, 1e-9)
    return np.asarray(follows / follows.mean() * _list_gammas(2 / left, 2))


def _count_items_df(model: VarianceModel, shares: Floats, variance: Floats, groups: float) -> Floats:
    """The degrees of freedom of V_items, as `count_items_df` of panels has them."""
    if model.is_binary:
        return np.full(POINTS, groups - 1)
    effect = np.minimum(1.0, variance * groups / (shares * (1 - shares)))
    return np.asarray(2 * groups / (2 * groups / (groups - 1) + (1 - effect) * max(0.0, model.item_kurtosis)))


@cache
def _list_points() -> tuple[Floats, Floats]:
    """The lattice (dimensions × points) as uniform and as normal deviates."""
    steps = [pow(GENERATOR, power, POINTS) for power in range(DIMENSIONS)]
    uniform = (np.outer(steps, np.arange(POINTS)) % POINTS + 0.5) / POINTS
    return uniform, np.asarray(ndtri(uniform))


def _list_deviates(skewness: float, dimension: int) -> Floats:
    """Deviates with mean 0, variance 1 and this skewness: Pearson III, by the cube of Wilson and Hilferty (1931)."""
    normal = _list_points()[1][dimension]
    skewness = min(max(skewness, -MOST_SKEWNESS), MOST_SKEWNESS)
    if abs(skewness) < LEAST_SKEWNESS:
        return np.asarray(normal)
    cubed = np.maximum(1 + skewness * normal / 6 - skewness**2 / 36, 0.0) ** 3
    return np.asarray((cubed - 1) * 2 / skewness)


def _list_gammas(df: float, dimension: int) -> Floats:
    """Draws of χ²/df (mean 1, variance 2/df): exact below EXACT_DF, else by the cube of Wilson and Hilferty."""
    uniform, normal = _list_points()
    if df < EXACT_DF:
        return np.asarray(gammaincinv(df / 2, uniform[dimension]) / (df / 2))
    return np.asarray(np.maximum(1 - 2 / (9 * df) + normal[dimension] * (2 / (9 * df)) ** 0.5, 0.0) ** 3)


def _list_ratios(df: float, dimension: int) -> Floats:
    """χ²/df for a variance that a pilot estimated; 1 for one that is assumed."""
    return np.ones(1) if df >= KNOWN else _list_gammas(df, dimension)
