"""Agreement of people with themselves: shares and κ as counted by hand."""

from __future__ import annotations

import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from aggregation.agreement.people import (
    REASON_NO_CLASSES,
    REASON_NO_REPEAT,
    REASON_ONE_LABEL,
    compute_self_agreement,
)


def repeats(first: str, again: str) -> pd.DataFrame:
    """One row a letter, people a, b, a, b, …"""
    people = ["ab"[number % 2] for number in range(len(first))]
    return pd.DataFrame({"annotator": people, "first": list(first), "again": list(again)}, dtype=object)


def test_share_and_kappa_over_all_people() -> None:
    """Four of five equal; chance is .6·.4 + .4·.6 = .48, so κ = 1 - .2 / .52."""
    made = compute_self_agreement(repeats("xxxyy", "xxyyy"), has_classes=True)
    assert (made.n_repeats, made.n_annotators, made.percent, made.reason) == (5, 2, 0.8, "")
    assert made.kappa == pytest.approx(1 - 0.2 / 0.52)
    assert made.kappa == pytest.approx(cohen_kappa_score(list("xxxyy"), list("xxyyy")))
    assert (made.independent_low, made.independent_high) == pytest.approx((0.3714, 1.0), abs=1e-4)


@pytest.mark.parametrize(
    ("first", "again", "closed", "percent", "reason"),
    [
        ("xx", "xx", True, 1.0, REASON_ONE_LABEL),
        ("xy", "xx", False, 0.5, REASON_NO_CLASSES),
        ("", "", True, None, REASON_NO_REPEAT),
    ],
)
def test_what_is_undefined_says_why(first: str, again: str, closed: bool, percent: float | None, reason: str) -> None:
    """One label alone, options of the item's own, and no repeat at all have no κ."""
    made = compute_self_agreement(repeats(first, again), has_classes=closed)
    assert (made.percent, made.kappa, made.reason) == (percent, None, reason)
