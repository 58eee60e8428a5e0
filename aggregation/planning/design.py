"""Planning: how many items and people a half width needs, and which difference of a model a design can show.

The variance is that of `variance_models`. It is followed through the formula of the interval over the outcomes that a
campaign may have (`campaign_outcomes`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from scipy.special import ndtri, stdtrit

from aggregation.comparison.difference_tests import POWER
from aggregation.intervals.panel import FEWEST_PEOPLE
from aggregation.intervals.shares import find_many_ends
from aggregation.planning.assumed_variance import MODEL_CORRELATION
from aggregation.planning.campaign_outcomes import POINTS, CampaignOutcomes, join_df
from aggregation.planning.variance_models import VarianceModel
from aggregation.schema import Floats

ForPanel = Literal["fresh", "this"]
"""Which interval is planned: that for new people and new items, or that for these people and new items."""
_PANELS: tuple[ForPanel, ...] = ("fresh", "this")
ASSURANCE = 0.9
"""The chance with which a planned half width is to be reached."""
CONFIDENCE_LEVEL = 0.95
"""The share that planned intervals cover."""
MOST_ITEMS, MOST_PEOPLE = 1_000_000, 10_000


@dataclass(frozen=True, kw_only=True)
class PlannedDesign:
    """A number of items and people, and what it gives.

    `half_width` is that of the 95 % interval for a fresh panel that is reached with the ASSURANCE, `this_panel` the
    same for these people. `paired` and `unpaired` are the least true differences from a model that are found with the
    power POWER: of the score of people from a model's, of a win rate from one half (`paired`), of the mean opinions of
    two systems, rated by the same people (`paired`) or by others.
    """

    items: int
    people: int
    answers: int
    half_width: float
    this_panel: float
    paired: float
    unpaired: float | None


def plan_design(
    model: VarianceModel, *, items: int, people: int, correlation: float = MODEL_CORRELATION
) -> PlannedDesign:
    """What a design of so many items and people gives; `correlation` is that of two systems over items."""
    detect = partial(predict_detectable, model, items=items, people=people, correlation=correlation)
    fresh, this = (predict_half_width(model, items=items, people=people, for_panel=panel) for panel in _PANELS)
    return PlannedDesign(
        items=items,
        people=people,
        answers=round(items * model.votes),
        half_width=max(fresh, this),
        this_panel=this,
        paired=detect(is_paired=True),
        unpaired=None if model.scale == "fraction" else detect(is_paired=False),
    )


def predict_half_width(
    model: VarianceModel, *, items: int, people: int, for_panel: ForPanel = "fresh", assurance: float = ASSURANCE
) -> float:
    """The half width that a campaign of this size reaches with that chance, for a fresh panel or for its own people."""
    outcomes = CampaignOutcomes(model, items=items, people=people)
    shares: Floats = outcomes.shares
    if for_panel == "this" and model.is_binomial:
        step = items if model.is_binary else 2 * items
        shares = (shares * step).round() / step
        quantiles: Floats = np.full(POINTS, ndtri((1 + CONFIDENCE_LEVEL) / 2))
        low, high = find_many_ends(shares, np.full(POINTS, float(items)), quantiles=quantiles)
    else:
        is_fresh = for_panel == "fresh"
        variance, df = (outcomes.variance, outcomes.df) if is_fresh else (outcomes.items, outcomes.items_df)
        quantiles = np.asarray(stdtrit(df, (1 + CONFIDENCE_LEVEL) / 2), dtype=np.float64)
        low, high = _find_ends(model, shares, variance, items=items, quantiles=quantiles)
    return float(np.quantile((high - low) / 2, assurance, method="inverted_cdf"))


def predict_detectable(
    model: VarianceModel, *, items: int, people: int, is_paired: bool, correlation: float = MODEL_CORRELATION
) -> float:
    """The least true difference that a campaign of this size finds with the POWER: see `PlannedDesign`.

    A campaign finds it if the interval of the difference of both shares (see `ShareDifference`) leaves out 0. So each
    campaign finds what is larger than how far its interval reaches towards 0, less the difference that it shows by
    chance.
    """
    if model.scale != "share":
        if model.scale == "difference":
            model = model.compare_systems(correlation=correlation, same_people=is_paired)
        outcomes = CampaignOutcomes(model, items=items, people=people)
        own_quantiles = np.asarray(stdtrit(outcomes.df, (1 + CONFIDENCE_LEVEL) / 2), dtype=np.float64)
        lows, _ = _find_ends(model, outcomes.shares, outcomes.variance, items=items, quantiles=own_quantiles)
        return max(0.0, float(np.quantile(model.share - lows, POWER, method="inverted_cdf")))
    outcomes = CampaignOutcomes(model, items=items, people=people)
    spread = model.model_share * (1 - model.model_share)
    shared = (model.item + spread - model.model_item) / 2 if is_paired else 0.0
    correlation = max(-1.0, min(1.0, shared / math.sqrt(max(model.item * spread, 1e-300))))
    scores = outcomes.list_model_scores(model.model_share, items=items, correlation=correlation)
    of_model = scores * (1 - scores) / items
    joint = outcomes.items + of_model - 2 * correlation * np.sqrt(outcomes.items * of_model)
    items_df: Floats | float = max(items / model.group_size, 2.0) - 1
    if not is_paired:
        items_df = join_df(outcomes.items, outcomes.items_df, of_model, max(items - 1, 1))
    df = join_df(joint, items_df, outcomes.people, outcomes.people_df)
    quantiles: Floats = np.asarray(stdtrit(df, (1 + CONFIDENCE_LEVEL) / 2), dtype=np.float64)
    own = _find_ends(model, outcomes.shares, outcomes.variance, items=items, quantiles=quantiles)
    other = _find_ends(replace(model, independent=1.0), scores, of_model, items=items, quantiles=quantiles)
    side = 0 if model.share >= model.model_share else 1  # which end of people's interval is nearer to the model
    first, second = np.abs(outcomes.shares - own[side]), np.abs(scores - other[1 - side])
    both = correlation * np.sqrt(outcomes.items / np.maximum(outcomes.variance, 1e-18))  # of both scores, over items
    reach = np.sqrt(np.maximum(0.0, first**2 + second**2 - 2 * both * first * second))
    by_chance = (outcomes.shares - model.share) - (scores - model.model_share)
    needed = reach - (by_chance if side == 0 else -by_chance)
    return max(0.0, float(np.quantile(needed, POWER, method="inverted_cdf")))


def _find_ends(
    model: VarianceModel, shares: Floats, variance: Floats, *, items: int, quantiles: Floats
) -> tuple[Floats, Floats]:
    """The ends of scores of these variances, as `panel.build_interval` has them for the scale of the model."""
    if model.scale == "difference":
        half = quantiles * np.sqrt(variance)
        return np.maximum(0.0, shares - half), np.minimum(1.0, shares + half)
    effective = shares * (1 - shares) / np.maximum(variance, 1e-18)
    if model.scale == "share":
        effective = np.minimum(effective, items * model.independent)
    return find_many_ends(shares, effective, quantiles=quantiles)


def find_items(
    model: VarianceModel, *, people: int, half_width: float | None = None, difference: float | None = None,
    is_paired: bool = True, correlation: float = MODEL_CORRELATION,
) -> int | None:  # fmt: skip
    """The least number of items with which so many people reach the half width, or show the difference; None: none."""

    def is_enough(items: int) -> bool:
        if half_width is not None:
            reached = predict_half_width(model, items=items, people=people)
            return reached <= half_width
        shown = predict_detectable(model, items=items, people=people, is_paired=is_paired, correlation=correlation)
        return shown <= (difference or 0.0)

    return _find_least(is_enough, low=max(10, round(2 * model.group_size)), high=MOST_ITEMS)


def find_people(model: VarianceModel, *, items: int, half_width: float) -> int | None:
    """The least number of people with which so many items reach the half width; None where no number does."""
    return _find_least(
        lambda people: predict_half_width(model, items=items, people=people) <= half_width,
        low=FEWEST_PEOPLE,
        high=MOST_PEOPLE,
    )


def list_trade_offs(
    model: VarianceModel, numbers_of_people: Sequence[int], *, half_width: float
) -> tuple[tuple[int, int | None], ...]:
    """Items against people: the items that each number of people needs for the half width, None where none suffices."""
    return tuple((people, find_items(model, people=people, half_width=half_width)) for people in numbers_of_people)


def _find_least(is_enough: Callable[[int], bool], *, low: int, high: int) -> int | None:
    """The least whole number from `low` to `high` for which it is enough; None where `high` is not."""
    if not is_enough(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle + 1, high)
    return low
