"""Planning: how many items and people a half width needs, and which difference of a model a design can show.

The variance is that of `variance_models`. It is followed through the formula of the interval over the outcomes that a
campaign may have (`campaign_outcomes`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from aggregation.comparison.difference_tests import POWER, ShareDifference, correlate_shares, span_share
from aggregation.intervals.panel import FEWEST_PEOPLE
from aggregation.intervals.shares import find_many_ends
from aggregation.planning.campaign_outcomes import POINTS, CampaignOutcomes
from aggregation.planning.variance_models import VarianceModel
from aggregation.schema import Floats

ForPanel = Literal["fresh", "this"]
"""Which interval is planned: that for new people and new items, or that for these people and new items."""
ASSURANCE = 0.9
"""The chance with which a planned half width is to be reached."""
CONFIDENCE_LEVEL = 0.95
"""The share that planned intervals cover."""
MOST_ITEMS, MOST_PEOPLE = 1_000_000, 10_000
BISECTIONS = 22  # for a difference to six digits


@dataclass(frozen=True, kw_only=True)
class PlannedDesign:
    """A number of items and people, and what it gives.

    `half_width` is that of the 95 % interval for a fresh panel that is reached with the ASSURANCE, `this_panel` the
    same for these people. `paired` and `unpaired` are the least true differences from a model that are found with the
    power POWER.
    """

    items: int
    people: int
    answers: int
    half_width: float
    this_panel: float
    paired: float
    unpaired: float


def plan_design(model: VarianceModel, *, items: int, people: int) -> PlannedDesign:
    """What a design of so many items and people gives."""
    return PlannedDesign(
        items=items,
        people=people,
        answers=round(items * model.votes),
        half_width=predict_half_width(model, items=items, people=people),
        this_panel=predict_half_width(model, items=items, people=people, for_panel="this"),
        paired=predict_detectable(model, items=items, people=people, is_paired=True),
        unpaired=predict_detectable(model, items=items, people=people, is_paired=False),
    )


def predict_half_width(
    model: VarianceModel, *, items: int, people: int, for_panel: ForPanel = "fresh", assurance: float = ASSURANCE
) -> float:
    """The half width that a campaign of this size reaches with that chance, for a fresh panel or for its own people."""
    outcomes = CampaignOutcomes(model, item=model.item, items=items, people=people)
    shares: Floats = outcomes.shares
    totals: Floats = np.full(POINTS, float(items))
    if for_panel == "this" and model.is_binomial:
        step = items if model.is_binary else 2 * items
        shares = (shares * step).round() / step
        quantiles: Floats = np.full(POINTS, ndtri((1 + CONFIDENCE_LEVEL) / 2))
    else:
        is_fresh = for_panel == "fresh"
        variance, df = (outcomes.variance, outcomes.df) if is_fresh else (outcomes.items, outcomes.items_df)
        effective = shares * (1 - shares) / np.maximum(variance, 1e-18)
        totals = np.asarray(np.minimum(effective, items * model.independent), dtype=np.float64)
        quantiles = np.asarray(stdtrit(df, (1 + CONFIDENCE_LEVEL) / 2), dtype=np.float64)
    low, high = find_many_ends(shares, totals, quantiles=quantiles)
    return float(np.quantile((high - low) / 2, assurance, method="inverted_cdf"))


def predict_detectable(model: VarianceModel, *, items: int, people: int, is_paired: bool) -> float:
    """The least true difference from a model that a campaign of this size finds with the POWER, by bisection.

    It is found where the interval of the difference leaves out 0: that of Student's t, stretched as `share_differences`
    stretches it for shares near 0 or 1.
    """
    other = model.model_share * (1 - model.model_share)
    item = model.model_item if is_paired else model.item + other
    outcomes = CampaignOutcomes(model, item=item, items=items, people=people)
    shares = _expect_shares(model, item, items=items, people=people, df=float(np.median(outcomes.df)))
    stretch = shares.measure_stretch(float(np.median(outcomes.truth)) ** 0.5, CONFIDENCE_LEVEL)
    critical = stdtrit(outcomes.df, (1 + CONFIDENCE_LEVEL) / 2) * np.sqrt(outcomes.variance) * stretch
    true_se = np.sqrt(np.maximum(outcomes.truth, 1e-18))
    low, high = 0.0, 2.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        power = ndtr((middle - critical) / true_se) + ndtr((-middle - critical) / true_se)
        low, high = (low, middle) if float(power.mean()) >= POWER else (middle, high)
    return high


def _expect_shares(model: VarianceModel, item: float, *, items: int, people: int, df: float) -> ShareDifference:
    """People's score and the model's with the variances that are expected; `item` is S of the difference."""
    own, other = model.item / items, model.model_share * (1 - model.model_share) / items
    whole = own + (0.0 if np.isnan(model.person) else max(0.0, model.person / people))
    return ShareDifference(
        first=model.share,
        second=model.model_share,
        first_ends=span_share(model.share, whole, n=round(items * max(model.votes, 1.0))),
        second_ends=span_share(model.model_share, 0.0, n=items),
        df=df,
        correlation=correlate_shares(own, other, difference=item / items, total_first=whole),
    )


def find_items(
    model: VarianceModel, *, people: int, half_width: float | None = None, difference: float | None = None,
    is_paired: bool = True,
) -> int | None:  # fmt: skip
    """The least number of items with which so many people reach the half width, or show the difference; None: none."""

    def is_enough(items: int) -> bool:
        if half_width is not None:
            reached = predict_half_width(model, items=items, people=people)
            return reached <= half_width
        shown = predict_detectable(model, items=items, people=people, is_paired=is_paired)
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
