"""How a score varies with items and people: assumed, or estimated from votes.

The variance of a score of n items and A people, each item answered by the same number of people, is taken as
V = S/n + B/A: S is what an item varies and B a person. A campaign estimates B/A as the difference of V_people and
V_cell of `panel_variance`, cut at 0: V_cell is C/n, what single votes vary, and V_people is B/A and what single votes
add to it by chance. What a campaign will estimate is random: see `campaign_outcomes`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betaln

from aggregation.intervals.panel import (
    Contributions,
    Metric,
    PanelVariance,
    Scale,
    compute_gradient,
    estimate_variance,
    measure_items,
)
from aggregation.planning.assumed_variance import (
    ITEM_CORRELATION,
    MODEL_CORRELATION,
    PERSON_CORRELATION,
    PlannedResult,
    compute_item_variance,
)
from aggregation.schema import Floats

KNOWN = 1e9  # degrees of freedom of what is assumed, not estimated


@dataclass(frozen=True, kw_only=True)
class VarianceModel:
    """What a score varies by: `share` is its value, `item`, `person` and `cell` are S, B and C (see above).

    `shown` is B as campaigns show it on average. Majorities of few people who answer everything show more than there
    is. `shared` is what votes vary if those of an item (a group) are summed first: C if they change the score one
    independently of another. `model_item` is S of the difference from a model on the same items, `model_share` the
    model's score. `items_df` and `people_df` say how well S and B are known (KNOWN: assumed). `group_size` is the mean
    number of items of a group, `votes` that of answers to an item, and `independent` the largest n that an item may
    count for in an interval: its answers, or 1. `item_skewness` and `item_kurtosis` (excess) are those of items
    (groups), `tail` is the excess kurtosis of what single votes change. `scale` is that of the metric: a share, a
    `fraction` (a win rate), or a `difference`, as the interval of a mean opinion is made.
    """

    share: float
    item: float
    person: float
    shown: float
    cell: float
    shared: float
    model_share: float
    model_item: float
    scale: Scale = "share"
    items_df: float = KNOWN
    people_df: float = KNOWN
    group_size: float = 1.0
    votes: float = 1.0
    independent: float = 1.0
    item_skewness: float = 0.0
    item_kurtosis: float = 0.0
    tail: float = 0.0

    @property
    def is_binomial(self) -> bool:
        """Whether an item is right or wrong, independently of others, so that the score of these people is binomial."""
        return self.scale == "share" and self.independent == 1 and self.group_size == 1

    @property
    def is_binary(self) -> bool:
        """Whether, moreover, no item is tied, which half of an even number of votes can make."""
        return self.is_binomial and self.votes % 2 == 1

    @property
    def true_part(self) -> float:
        """What people truly vary, over what a campaign shows of it on average."""
        return self.person / self.shown if self.shown > 0 else 1.0

    def compare_systems(self, *, correlation: float, same_people: bool) -> VarianceModel:
        """The model of the difference of two mean opinions, whose items' means correlate so.

        Who rates the texts of both systems is equally severe on both. Other people add their own variance for each.
        """
        lasting = self.item * self.measure_lasting()
        person = 0.0 if same_people else 2 * self.person
        return replace(
            self,
            share=0.5,
            item=2 * (self.item - correlation * lasting),
            person=person,
            shown=person,
            cell=2 * self.cell,
            shared=2 * self.shared,
        )

    def measure_lasting(self) -> float:
        """The part of S by which items differ in ease; single votes make the rest. 0 if items are right or wrong."""
        votes = self.independent
        return min(1.0, max(0.0, 1 - self.cell / self.item) * votes / (votes - 1)) if votes > 1 else 0.0


def assume_variance(
    *,
    share: float,
    votes: float,
    group_size: float = 1.0,
    item_correlation: float = ITEM_CORRELATION,
    person_correlation: float = PERSON_CORRELATION,
    model_share: float | None = None,
    model_correlation: float = MODEL_CORRELATION,
) -> VarianceModel:
    """The variance of single answers before the first of them, from assumed correlations.

    S is that of `compute_item_variance`, B = p(1 - p)ρ_person, C = p(1 - p)/k with k votes an item. Right answers to an
    item follow a beta-binomial law. The model's score is that of people where none is named.
    """
    spread, other = share * (1 - share), share if model_share is None else model_share
    item = compute_item_variance(spread, votes=votes, group_size=group_size, item_correlation=item_correlation)
    skewness, kurtosis = describe_right_answers(share, votes=votes, correlation=item_correlation)
    return VarianceModel(
        share=share,
        item=item,
        person=spread * person_correlation,
        shown=spread * person_correlation,
        cell=spread / votes,
        shared=item,
        model_share=other,
        model_item=join_item_variance(item, other, model_correlation),
        group_size=group_size,
        votes=votes,
        independent=votes,
        item_skewness=skewness / math.sqrt(group_size),
        item_kurtosis=kurtosis / group_size,
        tail=1 / spread - 6,
    )


def assume_opinion_variance(
    result: PlannedResult,
    *,
    votes: float,
    group_size: float = 1.0,
    item_correlation: float = ITEM_CORRELATION,
    person_correlation: float = PERSON_CORRELATION,
) -> VarianceModel:
    """The variance of a win rate or a mean opinion before the first answer, from its spread and correlations.

    Items' means are taken as symmetrical.
    """
    item = compute_item_variance(result.spread, votes=votes, group_size=group_size, item_correlation=item_correlation)
    return VarianceModel(
        share=result.value,
        item=item,
        person=result.spread * person_correlation,
        shown=result.spread * person_correlation,
        cell=result.spread / votes,
        shared=item,
        model_share=result.value,
        model_item=item,
        scale="fraction" if result.kind == "win_rate" else "difference",
        group_size=group_size,
        votes=votes,
        independent=votes,
    )


def describe_right_answers(share: float, *, votes: float, correlation: float) -> tuple[float, float]:
    """Skewness and excess kurtosis of right answers to an item: beta-binomial, or binomial without correlation.

    Of k answers, as many as `votes` in the mean (between whole numbers the nearest one).
    """
    n = max(1, round(votes))
    size = 1 / max(min(correlation, 1 - 1e-6), 1e-6) - 1
    right: Floats = np.arange(n + 1, dtype=np.float64)
    ways = np.array([math.comb(n, number) for number in range(n + 1)])
    chances = ways * np.exp(
        betaln(right + size * share, n - right + size * (1 - share)) - betaln(size * share, size * (1 - share))
    )
    return describe_shape(right, chances)


def describe_shape(values: Floats, weights: Floats | None = None) -> tuple[float, float]:
    """Skewness and excess kurtosis of values, weighted; zeros where they do not differ."""
    deviations = values - np.average(values, weights=weights)
    variance = float(np.average(deviations**2, weights=weights))
    if variance <= 0:
        return 0.0, 0.0
    third, fourth = (float(np.average(deviations**power, weights=weights)) for power in (3, 4))
    return third / variance**1.5, fourth / variance**2 - 3


def join_item_variance(item: float, model_share: float, correlation: float) -> float:
    """S of the difference from a model whose right answers correlate so with people's over items."""
    other = model_share * (1 - model_share)
    return item + other - 2 * correlation * math.sqrt(item * other)


def estimate_variance_model(
    metric: Metric,
    contributions: Contributions,
    *,
    votes: float,
    model_share: float | None = None,
    model_correlation: float = MODEL_CORRELATION,
    scale: Scale = "share",
) -> VarianceModel:
    """The variance of a score from votes: of a pilot, or of what was observed; as many votes an item are planned.

    Fewer than FEWEST_PEOPLE people do not show B: it is then assumed, as before the first vote.
    """
    variance = estimate_variance(metric, contributions)
    share = float(metric.compute(contributions.sums)[0])
    n, n_people = len(contributions.columns), contributions.n_people
    raw, cells = _split_people(metric, contributions, variance)
    effects = _list_effects(metric, contributions)
    skewness, kurtosis = describe_shape(
        measure_items(metric, contributions, compute_gradient(metric, contributions.sums[0]))
    )
    shared = _sum_groups(contributions, effects)
    chance = (n_people * cells - shared) / max(n_people - 1, 1)
    is_shown = variance.people is not None
    spread = share * (1 - share) if scale == "share" else float(effects @ effects) * len(effects)  # of one answer
    person = (raw - chance) * n_people if is_shown else spread * PERSON_CORRELATION
    other = share if model_share is None else model_share
    item = variance.items * n
    return VarianceModel(
        share=share,
        item=item,
        person=person,
        shown=person,
        cell=cells * n,
        shared=shared * n,
        model_share=other,
        model_item=join_item_variance(item, other, model_correlation),
        scale=scale,
        items_df=float(contributions.n_groups - 1),
        people_df=float(n_people - 1) if is_shown else KNOWN,
        group_size=n / contributions.n_groups,
        votes=votes,
        independent=contributions.n_independent / n,
        item_skewness=skewness,
        item_kurtosis=kurtosis,
        tail=describe_shape(effects)[1],
    )


def _list_effects(metric: Metric, contributions: Contributions) -> Floats:
    """What each vote changes, centred."""
    effects = (contributions.changes @ compute_gradient(metric, contributions.sums[0]))[contributions.change]
    return np.asarray(effects - effects.mean())


def _sum_groups(contributions: Contributions, effects: Floats) -> float:
    """The sum of squares of what the votes of each group of items change together."""
    groups = contributions.groups[contributions.items]
    return float((np.bincount(groups, weights=effects, minlength=contributions.n_groups) ** 2).sum())


def _split_people(metric: Metric, contributions: Contributions, variance: PanelVariance) -> tuple[float, float]:
    """V_people and V_cell of `estimate_variance`, apart; zeros where it has none of people."""
    if variance.people is None:
        return 0.0, 0.0
    no_cells = estimate_variance(metric, replace(contributions, cell_factor=0.0)).people or 0.0
    no_people = replace(contributions, people_factor=0.0, cell_factor=-1.0)
    return no_cells, estimate_variance(metric, no_people).people or 0.0
