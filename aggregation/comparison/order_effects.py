"""Whether answers depend on the position of an option on the screen, or on when in a session the item came.

In this module *position* means the first of these, and *turn* the second. The column of either is called `place`.
"""

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
"""A preference is found if its corrected p is below this."""
FEWEST_ANSWERS = 10
"""Annotators with fewer answers are not tested."""
SMALLEST = 1e-12
"""The smallest p given: scipy's `poisson_binom` uses a Fourier transform, and below this its digits mean nothing."""
Side = Literal["start", "end"]


def find_position_preferences(answers: pd.DataFrame) -> pd.DataFrame:
    """Find the position that each annotator prefers most, and whether that is more than chance.

    `answers` has one row per answer, with the columns annotator (text), place (position of the chosen option as it was
    shown, from 1), gold_place (position of the correct option, nan if gold is unknown) and n_options (2 or more). If an
    annotator's items differ in their number of options, positions are also counted from the end, so that the last of
    three options and the last of five are the same position.

    Returns one row per annotator with at least FEWEST_ANSWERS answers. The index `annotator` is sorted. The columns are
    side (start or end), place (the position, counted from that side, from 1), n (answers), n_chosen (answers at that
    position), n_expected (how many without a preference), preference, p_value (times the number of tests of all
    annotators, at most 1) and is_found (p_value below ALPHA). With n_room items that have this position, preference is
    (n_chosen - n_expected) / (n_room - n_expected), at least 0. It is 1 if the annotator always chooses this position.
    """
    groups = [(str(name), own) for name, own in answers.groupby("annotator") if len(own) >= FEWEST_ANSWERS]
    tested = [_test_positions(own) for _, own in groups]
    n_tests = sum(map(len, tested))
    rows = []
    for tests in tested:
        strongest = min(tests, key=lambda test: (test.p_value, test.n_expected - test.n_chosen))
        p_value = min(1.0, strongest.p_value * n_tests)
        rows.append(asdict(replace(strongest, p_value=p_value)) | {"is_found": p_value < ALPHA})
    index = pd.Index([name for name, _ in groups], name="annotator", dtype=object)
    columns = [*(field.name for field in fields(_PositionTest)), "is_found"]
    return pd.DataFrame(rows, index=index, columns=columns).sort_index()


@dataclass(frozen=True, kw_only=True)
class _PositionTest:
    """How many answers of one annotator are at a position (`place`), and how many are expected without a preference.

    `p_value` is the chance of this many or more without a preference.
    """

    side: Side
    place: int
    n: int
    n_chosen: int
    n_expected: float
    preference: float
    p_value: float


def _test_positions(answers: pd.DataFrame) -> list[_PositionTest]:
    """Test each position for one annotator; also from the end, if items differ in their number of options."""
    n_options = answers["n_options"].to_numpy(dtype=np.float64)
    chosen, gold = (answers[name].to_numpy(dtype=np.float64) for name in ("place", "gold_place"))
    sides: dict[Side, tuple[Floats, Floats]] = {"start": (chosen, gold)}
    if len(set(n_options.tolist())) > 1:
        sides["end"] = (n_options + 1 - chosen, n_options + 1 - gold)
    return [
        _test_position(side, position, *positions, n_options=n_options)
        for side, positions in sides.items()
        for position in range(1, int(n_options.max()) + 1)
    ]


def _test_position(side: Side, position: int, chosen: Floats, gold: Floats, *, n_options: Floats) -> _PositionTest:
    n_chosen = int((chosen == position).sum())
    chances = _compute_chances(position, chosen, gold, n_options)
    expected = float(chances.sum())
    room = float((n_options >= position).sum()) - expected
    uncertain = chances[(chances > 0) & (chances < 1)]
    n_uncertain = n_chosen - int((chances == 1).sum())
    tail = stats.poisson_binom.sf(n_uncertain - 1, uncertain) if len(uncertain) else n_uncertain <= 0
    return _PositionTest(
        side=side,
        place=position,
        n=len(chosen),
        n_chosen=n_chosen,
        n_expected=expected,
        preference=max(0.0, (n_chosen - expected) / room) if room > 0 else 0.0,
        p_value=max(float(tail), SMALLEST),
    )


def _compute_chances(position: int, chosen: Floats, gold: Floats, n_options: Floats) -> Floats:
    """Return for each answer the chance that it is at the position if the annotator has no preference.

    With gold, the correct option is chosen as often as the annotator is correct, and all others equally often. Without
    gold, all options are chosen equally often.
    """
    is_known = ~np.isnan(gold)
    accuracy = float((chosen == gold)[is_known].mean()) if is_known.any() else np.nan
    elsewhere = (1 - accuracy) / (n_options - 1)
    chances = np.where(is_known, np.where(gold == position, accuracy, elsewhere), 1 / n_options)
    return np.where(n_options >= position, chances, 0.0)


ANSWERS = 10
"""A slope is the change over this many answers."""


@dataclass(frozen=True, kw_only=True)
class OrderSlope:
    """By how much the share of correct answers changes over ANSWERS answers of a session.

    `value` is this change, `low` and `high` are its interval, and `p_value` is two-sided. They come from `n` answers of
    `n_people` annotators: those with answers at two or more different turns. If there is no slope, `reason` says why.
    """

    value: float | None
    low: float | None
    high: float | None
    p_value: float | None
    n: int
    n_people: int
    reason: str = ""


def estimate_order_slope(answers: pd.DataFrame, *, confidence_level: float = 0.95) -> OrderSlope:
    """Estimate the slope of correctness over turns, each annotator compared only with themselves.

    `answers` has one row per answer: item, annotator, place (the turn: 1 for the first answer of a session, nan if it
    is unknown) and right (from 0 to 1). Answers that allow no slope raise no error: `value` is None then.

    The variance is that of the jackknife over annotators, plus the covariance of answers to the same item if positive.
    """
    timed = answers.loc[answers["place"].notna()]
    n_turns = timed.groupby("annotator")["place"].transform("nunique") if len(timed) else pd.Series(dtype=float)
    timed = timed.loc[n_turns > 1]
    people, names = pd.factorize(timed["annotator"])
    n_people = len(names)
    if n_people < FEWEST_PEOPLE:
        few = Finding("few-people-slope", n=n_people, least=FEWEST_PEOPLE)
        reason = Finding("places-unknown") if timed.empty else few
        return OrderSlope(value=None, low=None, high=None, p_value=None, n=len(timed), n_people=n_people, reason=reason)
    items, _ = pd.factorize(timed["item"])
    turns = _subtract_own_means(timed["place"].to_numpy(dtype=np.float64) / ANSWERS, people)
    right = _subtract_own_means(timed["right"].to_numpy(dtype=np.float64), people)
    squares = np.bincount(people, weights=turns**2)
    products = np.bincount(people, weights=turns * right)
    slope = float(products.sum() / squares.sum())
    without = (products.sum() - products) / (squares.sum() - squares)
    v_people = (n_people - 1) / n_people * float(((without - slope) ** 2).sum())
    scores = turns * (right - slope * turns) / squares.sum()
    v_items = float((np.bincount(items, weights=scores) ** 2).sum())
    variance = v_people + max(0.0, v_items - float((scores**2).sum()))
    df, se = n_people - 1, variance**0.5
    half_width = float(stdtrit(df, (1 + confidence_level) / 2)) * se
    return OrderSlope(
        value=slope,
        low=slope - half_width,
        high=slope + half_width,
        p_value=compute_p_value(slope, se=se, df=df) if se > 0 else 1.0,
        n=len(timed),
        n_people=n_people,
    )


def _subtract_own_means(values: Floats, people: Codes) -> Floats:
    """Return the values, each minus the mean of all values of the same annotator; `people` has their numbers."""
    means = np.bincount(people, weights=values) / np.bincount(people)
    return np.asarray(values - means[people])
