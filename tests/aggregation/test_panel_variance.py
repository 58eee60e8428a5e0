"""The items' term of the variance: what is left out, and how many degrees of freedom it has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.special import stdtrit

from aggregation import scoring
from aggregation.intervals.panel import Contributions, Metric, SetChanges, build_interval, estimate_variance
from aggregation.schema import Floats, Votes
from aggregation.scores.labels import score_labels

Build = Callable[..., Votes]
Rows = list[tuple[str, str, str]]
GOLD = {f"i{number:02}": "xxxxyyyz"[number % 8] for number in range(24)}


def some_rows(people: str, *, share: float = 0.75) -> Rows:
    """Answers of people who are each right on so many items, and else name the next label."""
    rng = np.random.default_rng(11)
    return [
        (item, who, truth if rng.random() < share else "yzx"["xyz".index(truth)])
        for item, truth in GOLD.items()
        for who in people
    ]


@pytest.mark.parametrize("metric", ["macro_f1", "weighted_f1", "mcc"])
@pytest.mark.parametrize("size", [1, 3])
def test_other_metrics_are_computed_again_without_each_group(votes_of: Build, metric: str, size: int) -> None:
    """This panel's interval of single answers is made of the jackknife over items, or groups of three, by hand."""
    rows = some_rows("abcdef")
    groups = {item: f"g{number // size}" for number, item in enumerate(GOLD)}
    made = score_labels(votes_of(rows, classes="xyz", gold=GOLD, groups=groups), units=["individual"])
    score = made["individual"][metric]

    def compute(kept: Rows) -> float:
        counts = scoring.count_labels([GOLD[row[0]] for row in kept], [row[2] for row in kept], classes="xyz")
        return scoring.METRICS[metric](counts)

    names = sorted(set(groups.values()))
    without = np.array([compute([row for row in rows if groups[row[0]] != name]) for name in names])
    effects = (without - without.mean()) * ((len(names) - 1) / len(names)) ** 0.5
    value, scale = compute(rows), "correlation" if metric == "mcc" else "fraction"
    variance = float((effects**2).sum())
    shown, part = ((1 + value) / 2, variance / 4) if metric == "mcc" else (value, variance)
    df = count_df(effects, part * len(names) / (shown * (1 - shown)))
    quantile = float(stdtrit(df, 0.975))
    expected = build_interval(value, variance, scale=scale, quantile=quantile, n=1)  # type: ignore[arg-type]
    assert score.value == pytest.approx(value)
    assert (score.item_only_low, score.item_only_high) == pytest.approx((expected.low, expected.high))


def test_a_metric_that_hangs_on_one_item_is_taken_as_linear(votes_of: Build) -> None:
    """MCC is undefined without the only item of its label: it has an interval all the same, or says why not."""
    gold = dict.fromkeys(GOLD, "x") | {"i00": "y"}
    rows = [
        (item, who, gold[item] if (row + n) % 5 else "y")
        for row, item in enumerate(gold)
        for n, who in enumerate("abcdef")
    ]
    score = score_labels(votes_of(rows, classes="xy", gold=gold), units=["majority", "individual"])["individual"]["mcc"]
    ends = np.array([score.item_only_low, score.value, score.item_only_high], dtype=np.float64)
    assert (np.diff(ends) > 0).all(), score
    assert np.isfinite(score.se or np.nan)


def count_df(effects: Floats, design_effect: float) -> float:
    """2n / (2n/(n-1) + (1 - d)(κ - 3)), with the kurtosis κ."""
    n, kurtosis = len(effects), float((effects**4).mean() / (effects**2).mean() ** 2)
    return 2 * n / (2 * n / (n - 1) + (1 - min(1.0, design_effect)) * max(0.0, kurtosis - 3))


def test_majorities_of_k_lose_degrees_of_freedom_by_their_kurtosis(votes_of: Build) -> None:
    """Few items carry the majority of three of six people: the interval is wider than that with n - 1."""
    rows = some_rows("abcdef", share=0.85)
    made = score_labels(votes_of(rows, classes="xyz", gold=GOLD), units=["majority"])["majority of 3"]["accuracy"]
    said = {(item, who): answer for item, who, answer in rows}
    means = np.array(
        [
            np.mean([sum(said[item, one] == truth for one in three) >= 2 for three in combinations("abcdef", 3)])
            for item, truth in GOLD.items()
        ]
    )
    n, value, variance = len(means), float(means.mean()), float(means.var(ddof=1)) / len(GOLD)
    df = count_df(means - value, variance * n / (value * (1 - value)))
    assert df < n - 2
    for degrees, is_equal in ((df, True), (n - 1, False)):
        quantile = float(stdtrit(degrees, 0.975))
        expected = build_interval(value, variance, scale="share", quantile=quantile, n=len(rows))
        assert ((made.item_only_low, made.item_only_high) == pytest.approx((expected.low, expected.high))) is is_equal


def test_a_share_of_right_items_keeps_n_less_one(votes_of: Build) -> None:
    """Items that are right or wrong: nothing is taken away, however rare a wrong one is."""
    n = 200
    right = (np.arange(n) > 3).astype(np.float64)
    variance = estimate_variance(share_metric(), contribute(right, people=6))
    assert variance.items_df == pytest.approx(n - 1)


@pytest.mark.parametrize(("size", "df"), [(1e-6, 99), (0.2, 19)])
def test_degrees_of_freedom_are_those_of_the_estimate_that_is_used(size: float, df: int) -> None:
    """Where a refit changes little the items count, 99; where it changes much the 20 sets do, 19."""
    right = (np.arange(100) > 30).astype(np.float64)
    rng = np.random.default_rng(0)
    moves = size * np.repeat(rng.standard_normal(20), 100)
    sets = SetChanges(
        changes=np.column_stack([moves, np.zeros((2000, 2))]),
        change=np.arange(2000).reshape(20, 100),
        is_lost=np.zeros(2000, dtype=bool),
    )
    variance = estimate_variance(share_metric(), replace(contribute(right, people=8), item_sets=sets))
    assert variance.items_df == pytest.approx(df)


def share_metric() -> Metric:
    """The first column over the last."""
    return Metric(compute=lambda sums: sums[:, 0] / sums[:, -1], scale="share")


def contribute(right: Floats, *, people: int) -> Contributions:
    """Items that are right or wrong, of which people change nothing."""
    n = len(right)
    return Contributions(
        columns=np.column_stack([right, np.zeros(n), np.ones(n)]),
        groups=np.arange(n),
        n_groups=n,
        changes=np.zeros((1, 3)),
        change=np.zeros(n, dtype=np.intp),
        items=np.arange(n),
        people=np.arange(n) % people,
        n_people=people,
        people_factor=1.0,
        cell_factor=1.0,
        n_independent=n,
    )


@pytest.mark.parametrize("name", ["PARus", "rte", "dog"])
def test_a_people_term_of_zero_is_said(real: Build, name: str) -> None:
    """Dawid-Skene of published votes: people change it no more than chance, and the row says why both are equal."""
    made = score_labels(real(name))
    fitted, majority = made["dawid_skene"].primary, made["majority"].primary
    assert "people differ no more than by chance, so their variance counts 0" in fitted.ci_method
    assert "no more than by chance" not in majority.ci_method
    assert (fitted.ci_low, fitted.ci_high) == pytest.approx((fitted.item_only_low, fitted.item_only_high), abs=1e-9)
