"""How a score varies with items and people: assumed, or estimated from votes; and what a campaign may estimate of it.

The variance of a score of n items and A people, each item answered by the same number of people, is taken as
V = S/n + B/A: S is what an item varies and B a person. A campaign estimates B/A as the difference of V_people and
V_cell of `panel_variance`, B/A + C/n and C/n, cut at 0; C is what single votes vary. What it will estimate is random:
it is followed on a grid of quantiles of the score, of the estimated variances of items and of people, and, where the
model comes from a pilot, of how well that knew them. So a plan is the same in every run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, ndtri

from aggregation.intervals.panel import Contributions, Metric, PanelVariance, compute_gradient, estimate_variance
from aggregation.planning.assumed_variance import (
    ITEM_CORRELATION,
    MODEL_CORRELATION,
    PERSON_CORRELATION,
    compute_item_variance,
)
from aggregation.schema import Floats

PERSON_KURTOSIS = 1.0  # excess kurtosis of people's own scores: a few are far below the others
KNOWN = 1e9  # degrees of freedom of what is assumed, not estimated
GRID, PILOT_GRID = (31, 9, 15, 1), (11, 5, 11, 7)
"""Quantiles of the score, of both estimated variances, and of what a pilot knew: fewer of each where all are needed."""


@dataclass(frozen=True, kw_only=True)
class VarianceModel:
    """What a score varies by: `share` is its value, `item`, `person` and `cell` are S, B and C (see above).

    `model_item` is S of the difference from a model on the same items, `model_share` the model's score. `items_df` and
    `people_df` say how well S and B are known (KNOWN: assumed). `group_size` is the mean number of items of a group,
    `votes` that of answers to an item. `tail` is the excess kurtosis of what single votes change.
    """

    share: float
    item: float
    person: float
    cell: float
    model_share: float
    model_item: float
    items_df: float = KNOWN
    people_df: float = KNOWN
    group_size: float = 1.0
    votes: float = 1.0
    tail: float = 0.0


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

    S is that of `compute_item_variance`, B = p(1 - p)ρ_person, C = p(1 - p)/k with k votes an item. The model's
    score is that of people where none is named.
    """
    spread, other = share * (1 - share), share if model_share is None else model_share
    item = compute_item_variance(share, votes=votes, group_size=group_size, item_correlation=item_correlation)
    return VarianceModel(
        share=share,
        item=item,
        person=spread * person_correlation,
        cell=spread / votes,
        model_share=other,
        model_item=join_item_variance(item, other, model_correlation),
        group_size=group_size,
        votes=votes,
        tail=max(0.0, 1 / spread - 6),
    )


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
) -> VarianceModel:
    """The variance of a share from votes: of a pilot, or of what was observed; as many votes an item are planned.

    Of fewer than FEWEST_PEOPLE people B is as unknown as the interval for a fresh panel is: it is nan.
    """
    variance = estimate_variance(metric, contributions)
    share = float(metric.compute(contributions.sums)[0])
    n, n_people = len(contributions.columns), contributions.n_people
    raw, cells = _split_people(metric, contributions, variance)
    other = share if model_share is None else model_share
    item = variance.items * n
    return VarianceModel(
        share=share,
        item=item,
        person=(raw - cells) * n_people if variance.people is not None else float("nan"),
        cell=cells * n,
        model_share=other,
        model_item=join_item_variance(item, other, model_correlation),
        items_df=float(contributions.n_groups - 1),
        people_df=float(n_people - 1),
        group_size=n / contributions.n_groups,
        votes=votes,
        tail=_measure_tail(metric, contributions),
    )


def _measure_tail(metric: Metric, contributions: Contributions) -> float:
    """The excess kurtosis of what votes change, at least 0."""
    effects = (contributions.changes @ compute_gradient(metric, contributions.sums[0]))[contributions.change]
    squares = (effects - effects.mean()) ** 2
    spread = float(squares.mean())
    return max(0.0, float((squares**2).mean()) / spread**2 - 3) if spread > 0 else 0.0


def _split_people(metric: Metric, contributions: Contributions, variance: PanelVariance) -> tuple[float, float]:
    """V_people and V_cell of `estimate_variance`, apart; zeros where it has none of people."""
    if variance.people is None:
        return 0.0, 0.0
    no_cells = estimate_variance(metric, replace(contributions, cell_factor=0.0)).people or 0.0
    no_people = replace(contributions, people_factor=0.0, cell_factor=-1.0)
    return no_cells, estimate_variance(metric, no_people).people or 0.0


class CampaignGrid:
    """What a campaign of a size may estimate: arrays over the grid of quantiles, all equally likely.

    `shares` are its scores, `variance` and `df` the estimated variance with Satterthwaite's degrees of freedom, `truth`
    the true variance (one number, or one for each quantile of what a pilot knew).
    """

    def __init__(self, model: VarianceModel, *, item: float, items: int, people: int | None) -> None:
        n_score, n_items, n_people, n_pilot = GRID if model.items_df >= KNOWN else PILOT_GRID
        groups = max(items / model.group_size, 2.0)
        pilot_items = _list_ratios(model.items_df, n_pilot)
        s = (item / items) / pilot_items[:, None, None, None, None]
        c = model.cell / items
        raw: Floats = np.zeros(1)
        people_df = spread_df = 1.0
        if people is not None:
            people_df = max(people - 1.0, 1.0)
            start = max(model.person / people + c, 0.0) if not np.isnan(model.person) else c
            raw = start / _list_ratios(model.people_df, n_pilot)
            of_skill = 1 - c / start if start > c else 0.0  # the share that is more than chance
            excess = model.tail * people / (items * model.votes) + PERSON_KURTOSIS * of_skill
            spread_df = 2 / (2 / people_df + excess / people)
        raw = raw[None, :, None, None, None]
        of_people = np.maximum(0.0, raw - c) if people is not None else raw
        self.truth = s + of_people
        deviates = ndtri(_list_middles(n_score))[None, None, :, None, None]
        floor = 0.5 / items
        shares = np.clip(model.share + deviates * np.sqrt(self.truth), floor, 1 - floor)
        scale = shares * (1 - shares) / (model.share * (1 - model.share))
        items_df = groups - 1
        of_items = s * scale * _list_ratios(items_df, n_items)[None, None, None, :, None]
        estimated = raw
        if people is not None:
            ratios = _list_ratios(spread_df, n_people)[None, None, None, None, :]
            estimated = np.maximum(0.0, (raw + c * (scale - 1)) * ratios - c * scale)
        variance = of_items + estimated
        parts = of_items**2 / items_df + estimated**2 / people_df
        self.variance: Floats = variance
        self.df: Floats = np.maximum(1.0, variance**2 / np.maximum(parts, 1e-300))
        self.shares: Floats = np.broadcast_to(shares, variance.shape)
        self.truth = np.broadcast_to(self.truth, variance.shape)


def _list_middles(number: int) -> NDArray[np.float64]:
    return np.asarray((np.arange(number) + 0.5) / number)


def _list_ratios(df: float, number: int) -> Floats:
    """Quantiles of χ²/df, the ratio of an estimated variance to the true one; 1 alone for one quantile."""
    if number == 1:
        return np.ones(1)
    return np.asarray(chdtri(df, 1 - _list_middles(number)) / df)
