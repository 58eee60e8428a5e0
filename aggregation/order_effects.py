"""Whether people get better or worse as they go on: the slope of right answers over places in a session.

People differ in skill and in how far they get, so each person's own level is taken out (a regression within people).
The variance is clustered by people and by items (Cameron, Gelbach and Miller 2011): by people it is the jackknife that
leaves one out (CR3; MacKinnon, Nielsen and Webb 2023, J. Econometrics 232:272), which holds for few people, with
Student's t on one degree of freedom less than people; by items what they add beyond single answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from aggregation.difference_tests import compute_p_value
from aggregation.panel_variance import FEWEST_PEOPLE
from aggregation.schema import Codes, Floats

ANSWERS = 10
"""The number of answers over which a slope is given."""


@dataclass(frozen=True, kw_only=True)
class OrderSlope:
    """What ANSWERS further answers change of the share of right ones: `value`, its interval, two-sided p.

    `n` answers of `n_people` people go into it: those who have two places or more. `reason` says why there is none.
    """

    value: float | None
    low: float | None
    high: float | None
    p_value: float | None
    n: int
    n_people: int
    reason: str = ""


def estimate_order_slope(answers: pd.DataFrame, *, confidence_level: float = 0.95) -> OrderSlope:
    """The slope over places. `answers` has one row an answer: item, annotator, place (1 for the first) and right.

    `place` is nan where it is unknown; `right` is a share of 1. Raises no error for answers that allow no slope.
    """
    known = answers.loc[answers["place"].notna()]
    spread = known.groupby("annotator")["place"].transform("nunique") if len(known) else pd.Series(dtype=float)
    known = known.loc[spread > 1]
    people, names = pd.factorize(known["annotator"])
    n_people = len(names)
    if n_people < FEWEST_PEOPLE:
        who = "Places are unknown" if known.empty else f"{n_people} people are fewer than {FEWEST_PEOPLE}"
        return OrderSlope(
            value=None, low=None, high=None, p_value=None, n=len(known), n_people=n_people, reason=f"{who}: no slope."
        )
    items, _ = pd.factorize(known["item"])
    places = _remove_levels(known["place"].to_numpy(dtype=np.float64) / ANSWERS, people)
    right = _remove_levels(known["right"].to_numpy(dtype=np.float64), people)
    squares = np.bincount(people, weights=places**2)
    products = np.bincount(people, weights=places * right)
    slope = float(products.sum() / squares.sum())
    without = (products.sum() - products) / (squares.sum() - squares)
    v_people = (n_people - 1) / n_people * float(((without - slope) ** 2).sum())
    scores = places * (right - slope * places) / squares.sum()
    v_items = float((np.bincount(items, weights=scores) ** 2).sum())
    variance = v_people + max(0.0, v_items - float((scores**2).sum()))
    df, se = n_people - 1, variance**0.5
    half_width = float(stdtrit(df, (1 + confidence_level) / 2)) * se
    return OrderSlope(
        value=slope,
        low=slope - half_width,
        high=slope + half_width,
        p_value=compute_p_value(slope, se=se, df=df) if se > 0 else 1.0,
        n=len(known),
        n_people=n_people,
    )


def _remove_levels(values: Floats, people: Codes) -> Floats:
    """The values less the mean of each person's own."""
    means = np.bincount(people, weights=values) / np.bincount(people)
    return np.asarray(values - means[people])
