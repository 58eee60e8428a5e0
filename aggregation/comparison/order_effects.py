"""Whether position and order change answers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Literal

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import stdtrit

from aggregation.comparison.difference_tests import compute_p_value
from aggregation.findings import Finding
from aggregation.intervals.panel import FEWEST_PEOPLE
from aggregation.schema import Codes, Floats

ALPHA = 0.01
FEWEST_ANSWERS = 10
SMALLEST = 1e-12
"""The tail is computed by a Fourier transform (scipy's `poisson_binom`), whose last digits mean nothing below this."""
Side = Literal["start", "end"]


def find_position_preferences(answers: pd.DataFrame) -> pd.DataFrame:
    """Find the place that each annotator prefers most, and whether that is more than chance.

    `answers` has one row an answer, with the columns annotator (text), place (of the chosen option as it was shown,
    from 1), gold_place (of the right one, nan where gold is unknown) and n_options (2 or more). Both counts from the
    start and from the end are tried, so that the last of three and of five options is one place.

    Returns one row per annotator with FEWEST_ANSWERS answers, index `annotator` sorted, with the columns side (start or
    end), place (from that side, from 1), n, n_chosen (answers at that place), n_expected, preference (the share of the
    answers that could go there by preference alone and do: 0 is none, 1 always that place), p_value (corrected) and
    is_found (p_value below ALPHA).
    """
    groups = [(str(name), own) for name, own in answers.groupby("annotator") if len(own) >= FEWEST_ANSWERS]
    tested = [_test_places(own) for _, own in groups]
    n_tests = sum(map(len, tested))
    rows = []
    for tests in tested:
        strongest = min(tests, key=lambda test: (test.p_value, test.n_expected - test.n_chosen))
        p_value = min(1.0, strongest.p_value * n_tests)
        rows.append(asdict(replace(strongest, p_value=p_value)) | {"is_found": p_value < ALPHA})
    index = pd.Index([name for name, _ in groups], name="annotator", dtype=object)
    columns = [*(field.name for field in fields(_PlaceTest)), "is_found"]
    return pd.DataFrame(rows, index=index, columns=columns).sort_index()


@dataclass(frozen=True, kw_only=True)
class _PlaceTest:
    """How many answers of one person are at a place, how many should be, and the chance of as many or more."""

    side: Side
    place: int
    n: int
    n_chosen: int
    n_expected: float
    preference: float
    p_value: float


def _test_places(answers: pd.DataFrame) -> list[_PlaceTest]:
    """A test of each place of one person's answers, from both sides where items have different numbers of options."""
    n_options = answers["n_options"].to_numpy(dtype=np.float64)
    chosen, gold = (answers[name].to_numpy(dtype=np.float64) for name in ("place", "gold_place"))
    sides: dict[Side, tuple[Floats, Floats]] = {"start": (chosen, gold)}
    if len(set(n_options.tolist())) > 1:
        sides["end"] = (n_options + 1 - chosen, n_options + 1 - gold)
    return [
        _test_place(side, place, *places, n_options=n_options)
        for side, places in sides.items()
        for place in range(1, int(n_options.max()) + 1)
    ]


def _test_place(side: Side, place: int, chosen: Floats, gold: Floats, *, n_options: Floats) -> _PlaceTest:
    n_chosen = int((chosen == place).sum())
    chances = _compute_chances(place, chosen, gold, n_options)
    expected = float(chances.sum())
    room = float((n_options >= place).sum()) - expected
    uncertain = chances[(chances > 0) & (chances < 1)]
    n_uncertain = n_chosen - int((chances == 1).sum())
    tail = stats.poisson_binom.sf(n_uncertain - 1, uncertain) if len(uncertain) else n_uncertain <= 0
    return _PlaceTest(
        side=side,
        place=place,
        n=len(chosen),
        n_chosen=n_chosen,
        n_expected=expected,
        preference=max(0.0, (n_chosen - expected) / room) if room > 0 else 0.0,
        p_value=max(float(tail), SMALLEST),
    )


def _compute_chances(place: int, chosen: Floats, gold: Floats, n_options: Floats) -> Floats:
    """The chance of each answer to be at the place without any preference."""
    is_known = ~np.isnan(gold)
    accuracy = float((chosen == gold)[is_known].mean()) if is_known.any() else np.nan
    elsewhere = (1 - accuracy) / (n_options - 1)
    chances = np.where(is_known, np.where(gold == place, accuracy, elsewhere), 1 / n_options)
    return np.where(n_options >= place, chances, 0.0)


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
    placed = answers.loc[answers["place"].notna()]
    spread = placed.groupby("annotator")["place"].transform("nunique") if len(placed) else pd.Series(dtype=float)
    placed = placed.loc[spread > 1]
    people, names = pd.factorize(placed["annotator"])
    n_people = len(names)
    if n_people < FEWEST_PEOPLE:
        few = Finding("few-people-slope", n=n_people, least=FEWEST_PEOPLE)
        reason = Finding("places-unknown") if placed.empty else few
        return OrderSlope(
            value=None, low=None, high=None, p_value=None, n=len(placed), n_people=n_people, reason=reason
        )
    items, _ = pd.factorize(placed["item"])
    places = _remove_levels(placed["place"].to_numpy(dtype=np.float64) / ANSWERS, people)
    right = _remove_levels(placed["right"].to_numpy(dtype=np.float64), people)
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
        n=len(placed),
        n_people=n_people,
    )


def _remove_levels(values: Floats, people: Codes) -> Floats:
    """The values less the mean of each person's own."""
    means = np.bincount(people, weights=values) / np.bincount(people)
    return np.asarray(values - means[people])
