"""Intervals for a fresh panel and for this one: the reference figures, slow loops, coverage, and values inside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from _examples import limit_examples
from _panels import Design, simulate_labels
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtrit
from scipy.stats import beta, norm

from aggregation.consensus.consensus import TieChoice, TieRule
from aggregation.intervals.shares import share_interval
from aggregation.schema import Votes
from aggregation.scores.labels import score_labels
from aggregation.scores.performance import Performance, Score

Build = Callable[..., Votes]
Rows = list[tuple[str, str, str]]
ITEMS = "ijklmnopqrst"
ROWS = st.lists(
    st.tuples(st.sampled_from(ITEMS), st.sampled_from("abcdef"), st.sampled_from("xyz")), min_size=1, max_size=70
)


def some_votes(seed: int, *, people: str = "abcdef", labels: str = "xy", share: float = 0.7) -> Rows:
    rng = np.random.default_rng(seed)
    return [
        (item, who, labels[int(rng.random() < 0.75) * (number % len(labels))])
        for number, item in enumerate(ITEMS)
        for who in people
        if rng.random() < share
    ]


def gold_of(labels: str = "xy") -> dict[str, str]:
    return {item: labels[number % len(labels)] for number, item in enumerate(ITEMS)}


def all_scores(made: Performance) -> list[Score]:
    return [score for unit in (*made.units, *made.fresh_majorities) for score in unit.scores]


@pytest.mark.parametrize(
    ("name", "ties", "fresh", "this"),
    [
        ("PARus", "shared", (0.9673, 0.9932), (0.9702, 0.9923)),
        ("dog", "drop", (0.7509, 0.8287), (0.7628, 0.8183)),
        ("rte", "drop", (0.7514, 0.9277), (0.8307, 0.8794)),
        ("dog", "shared", (0.7832, 0.8567), (0.7951, 0.8469)),
        ("rte", "shared", (0.7858, 0.9605), (0.8743, 0.9165)),
    ],
)
def test_real_votes_have_the_intervals_of_the_reference(
    real: Build, name: str, ties: TieRule, fresh: tuple[float, float], this: tuple[float, float]
) -> None:
    """The majority on published votes, for a fresh panel and for this one; the reference has Wilson's, within .01."""
    made = score_labels(real(name), units=("individual", "majority"), tie_choice=TieChoice(ties=ties))
    score = made["majority"]["accuracy"]
    assert (score.ci_low, score.ci_high) == pytest.approx(fresh, abs=0.0006)
    assert (score.item_only_low, score.item_only_high) == pytest.approx(this, abs=0.0006)


@pytest.mark.parametrize(
    "name", ["PARus", "dog", "rte", pytest.param("d_jn-product", marks=pytest.mark.slow), "SP_amt"]
)
def test_the_values_of_real_votes_lie_inside_their_intervals(real: Build, name: str) -> None:
    """Every unit and metric, Dawid-Skene too, which the bootstrap of people and items left outside."""
    scores = all_scores(score_labels(real(name)))
    assert len(scores) >= 12
    for score in scores:
        assert score.ci_low is not None, score
        assert_inside(score)


@settings(deadline=None, max_examples=limit_examples(60))
@given(rows=ROWS, classes=st.sampled_from(["xyz", None]), grouped=st.booleans(), skips=st.integers(0, 3))
def test_a_value_lies_inside_its_intervals(
    votes_of: Build, rows: Rows, classes: str | None, grouped: bool, skips: int
) -> None:
    """Any votes, with groups and skips: every interval holds its value, and a missing one has a reason."""
    import pandas as pd

    groups = {item: item if not grouped else f"g{number // 2}" for number, item in enumerate(ITEMS)}
    due = pd.DataFrame([(item, "z") for item in ITEMS[:skips]], columns=["item", "annotator"], dtype=object)
    made = score_labels(votes_of(rows, classes=classes, gold=gold_of("xyz"), groups=groups), skips=due)
    for score in all_scores(made):
        assert_inside(score)


def assert_inside(score: Score) -> None:
    for low, high in ((score.ci_low, score.ci_high), (score.item_only_low, score.item_only_high)):
        if low is None or high is None:
            assert score.reason, score
        else:
            assert score.value is not None
            assert low - 1e-12 <= score.value <= high + 1e-12, score


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("unit", ["individual", "majority"])
def test_the_closed_form_equals_a_slow_loop(votes_of: Build, unit: str, grouped: bool) -> None:
    """Each vote left out and the majority made anew by hand gives the same variance, and so the same interval."""
    rows, gold = some_votes(5), gold_of()
    groups = {item: f"g{number // 2}" if grouped else item for number, item in enumerate(ITEMS)}
    made = score_labels(votes_of(rows, classes="xy", gold=gold, groups=groups))[unit]["accuracy"]
    value, items, people, n, df_items, df_people = slow_variance(rows, gold, groups, unit)
    total = items + max(0.0, people)
    assert made.value == pytest.approx(value)
    assert made.se == pytest.approx(total**0.5)
    df = total**2 / (items**2 / df_items + max(0.0, people) ** 2 / df_people)
    if unit == "majority" and not grouped:
        whole = share_interval(value * n, n)
        assert whole.low is not None
        assert whole.high is not None
        these = whole.low, whole.high
    else:
        these = slow_interval(value, items, n, float(stdtrit(df_items, 0.975)))
    assert (made.item_only_low, made.item_only_high) == pytest.approx(these)
    new = slow_interval(value, total, n, float(stdtrit(df, 0.975)))
    assert (made.ci_low, made.ci_high) == pytest.approx((min(new[0], these[0]), max(new[1], these[1])))


def slow_variance(
    rows: Rows, gold: dict[str, str], groups: dict[str, str], unit: str
) -> tuple[float, float, float, int, float, int]:
    """The value, V_items, V_people - V_cell, n and both degrees of freedom, written out vote by vote."""
    items = sorted({row[0] for row in rows})
    votes = {item: [(who, said) for voted, who, said in rows if voted == item] for item in items}
    effects: list[tuple[str, str, float]] = []
    of_items: Counter[str] = Counter()
    if unit == "individual":
        value = float(np.mean([said == gold[item] for item, _, said in rows]))
        n = len(rows)
        effects = [(item, who, ((said == gold[item]) - value) / n) for item, who, said in rows]
        for item, _, effect in effects:
            of_items[groups[item]] += effect  # type: ignore[assignment]  # Counter is typed for whole numbers
    else:
        n = len(items)
        value = float(np.mean([right_half([said for _, said in votes[item]], gold[item]) for item in items]))
        for item in items:
            whole = [said for _, said in votes[item]]
            of_items[groups[item]] += (right_half(whole, gold[item]) - value) / n  # type: ignore[assignment]
            for place, (who, _) in enumerate(votes[item]):
                others = whole[:place] + whole[place + 1 :]
                without = right_half(others, gold[item]) if others else value
                effects.append((item, who, (right_half(whole, gold[item]) - without) / n))
    mean = float(np.mean([effect for _, _, effect in effects]))
    of_people: Counter[str] = Counter()
    of_cells: Counter[tuple[str, str]] = Counter()
    for item, who, effect in effects:
        of_people[who] += effect - mean  # type: ignore[assignment]
        of_cells[groups[item], who] += effect - mean  # type: ignore[assignment]
    n_groups, n_people = len(of_items), len(of_people)
    v_items = sum(share**2 for share in of_items.values()) * n_groups / (n_groups - 1)
    v_people = sum(share**2 for share in of_people.values()) * n_people / (n_people - 1)
    values = np.array(list(of_items.values()), dtype=np.float64)
    excess = max(0.0, float((values**4).mean() / (values**2).mean() ** 2) - 3)  # counts as far as values are no shares
    free = 1 - min(1.0, v_items * n_groups / (value * (1 - value)))
    df_items = 2 * n_groups / (2 * n_groups / (n_groups - 1) + free * excess)
    return value, v_items, v_people - sum(s**2 for s in of_cells.values()), n, df_items, n_people - 1


def right_half(votes: list[str], truth: str) -> float:
    """1 where the truth leads, a half where it is tied with the other label."""
    right = sum(said == truth for said in votes)
    return 1.0 if 2 * right > len(votes) else 0.5 if 2 * right == len(votes) else 0.0


def slow_interval(value: float, variance: float, n: int, quantile: float) -> tuple[float, float]:
    """Quantiles of Beta(x + 1/2, n_eff - x + 1/2), as likely in each tail as a normal variable above the quantile."""
    effective = min(n, value * (1 - value) / variance)
    posterior = beta(value * effective + 0.5, (1 - value) * effective + 0.5)
    return float(posterior.ppf(norm.sf(quantile))), float(posterior.isf(norm.sf(quantile)))


def test_majorities_of_fresh_people_equal_a_loop_over_subsets(votes_of: Build) -> None:
    """Seven people who answered everything: k = 3 and 5, by every subset, with and without each person."""
    rng, gold = np.random.default_rng(8), gold_of()
    rows = [(item, who, "xy"[int(rng.random() < 0.4)]) for item in ITEMS for who in "abcdefg"]
    made = score_labels(votes_of(rows, classes="xy", gold=gold))
    assert [unit.unit for unit in made.fresh_majorities] == ["majority of 3", "majority of 5"]
    said = {(item, who): int(answer == gold[item]) for item, who, answer in rows}
    for size in (3, 5):
        subsets = list(combinations("abcdefg", size))
        hits = {(item, who): sum(said[item, one] for one in who) * 2 > size for item in ITEMS for who in subsets}
        means = np.array([np.mean([hits[item, who] for who in subsets]) for item in ITEMS])
        effects = np.array(
            [[np.mean([hits[item, who] for who in subsets if one not in who]) for one in "abcdefg"] for item in ITEMS]
        )
        effects = means[:, None] - effects
        effects = effects - effects.mean()
        v_people = 6 / 7 * (effects.mean(axis=0) ** 2).sum() - 6 / 7 * (effects**2).sum() / len(ITEMS) ** 2
        score = made[f"majority of {size}"]["accuracy"]
        assert score.value == pytest.approx(means.mean())
        assert score.se == pytest.approx((means.var(ddof=1) / len(ITEMS) + max(0.0, v_people)) ** 0.5)
        assert_inside(score)
    rows.pop()
    assert score_labels(votes_of(rows, classes="xy", gold=gold)).fresh_majorities == ()


DAWID_SKENE_NEEDS_MORE = "A Dawid-Skene score needs 8 people for an interval for new people, and has 5."


def test_where_nothing_varies_a_share_has_that_of_independent_items(votes_of: Build) -> None:
    """Twenty items all right by five people: [.832, 1] for both, and the other metrics a little less far down."""
    rows = [(f"i{n:02}", who, "xy"[n % 2]) for n in range(20) for who in "abcde"]
    made = score_labels(votes_of(rows, classes="xy", gold={row[0]: row[2] for row in rows}))
    for unit in (*made.units, *made.fresh_majorities):
        score = unit.primary
        assert (score.item_only_low, score.item_only_high) == pytest.approx((0.025 ** (1 / 20), 1))
        if unit.unit == "dawid_skene":
            assert (score.ci_low, DAWID_SKENE_NEEDS_MORE in score.reason) == (
                None,
                True,
            )
        else:
            assert (score.ci_low, score.ci_high) == (score.item_only_low, score.item_only_high)
        assert (score.se, score.reason.startswith("The score is 100 % on every item")) == (None, True)
        for other in unit.scores[1:]:
            assert (other.value, other.item_only_high) == (1, 1)
            assert 0 < (other.item_only_low or 0) <= (score.item_only_low or 0) + 1e-9
            assert (other.ci_low is None) is (unit.unit == "dawid_skene")
            assert other.reason.startswith("Fewer than 5 items have an error")


def test_groups_and_people_that_are_too_few_have_no_interval(votes_of: Build) -> None:
    """Four groups of items give none, two people none for a fresh panel; both are said."""
    gold = gold_of()
    four = score_labels(
        votes_of(some_votes(2), classes="xy", gold=gold, groups={item: f"g{n % 4}" for n, item in enumerate(ITEMS)})
    )
    assert {(score.ci_low, score.item_only_low, score.reason) for unit in four.units for score in unit.scores} == {
        (None, None, "No interval: 4 groups of items are fewer than 5.")
    }
    two = score_labels(votes_of(some_votes(2, people="ab"), classes="xy", gold=gold))["majority"]["accuracy"]
    assert two.item_only_low is not None
    assert (two.ci_low, two.reason) == (None, "With 2 people nothing can be said of new ones; 5 are needed.")


def test_items_of_one_group_are_not_independent(votes_of: Build) -> None:
    """When whole groups are right or wrong, both intervals widen, with t for few groups, and the method names them."""
    rows = [(f"{g}{n}", p, "x" if g < "d" else "y") for g in "abcdef" for n in range(9) for p in "pqrst"]
    gold = {row[0]: "x" for row in rows}
    apart = score_labels(votes_of(rows, classes="xy", gold=gold))
    together = score_labels(votes_of(rows, classes="xy", gold=gold, groups={item: item[0] for item in gold}))
    for one, two in zip(apart.units[:2], together.units[:2], strict=True):
        for low, wider in (
            (one.primary.ci_low, two.primary.ci_low),
            (one.primary.item_only_low, two.primary.item_only_low),
        ):
            assert low is not None
            assert wider is not None
            assert wider < low - 0.1
        assert "6 groups of items" in two.primary.ci_method
        assert "groups of items" not in one.primary.ci_method


@pytest.mark.parametrize("names", ["abcdefgh", "hgfedcba"])
def test_names_of_people_change_no_interval_of_dawid_skene(votes_of: Build, names: str) -> None:
    """People are dealt into groups by what they answered, so that other pseudonyms give the same numbers."""
    rows = some_votes(4, people="abcdefgh")
    renamed = [(item, names["abcdefgh".index(who)], said) for item, who, said in rows]
    one, two = (score_labels(votes_of(given, classes="xy", gold=gold_of()))["dawid_skene"] for given in (rows, renamed))
    for mine, other in zip(one.scores, two.scores, strict=True):
        assert (mine.value, mine.se, mine.ci_low) == pytest.approx((other.value, other.se, other.ci_low))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("design", "campaigns"),
    [
        (Design(name="5 x 100", people=5, items=100, votes=5, level=2.6, people_sd=0.5, items_sd=1.5), 250),
        (Design(name="PARus", people=111, items=500, votes=3, level=3.3, people_sd=0.7), 200),
    ],
    ids=["5 people", "PARus"],
)
def test_intervals_cover_what_they_are_to_cover(design: Design, campaigns: int) -> None:
    """A small run of benchmarks/score_coverage.py: seeded, so that it gives the same shares each time."""
    made = [simulate_labels(np.random.default_rng([3, number]), design) for number in range(campaigns)]
    units: dict[str, Any] = {unit: np.mean([one.fresh[unit] for one in made], axis=0) for unit in made[0].fresh}
    for unit in ("individual", "majority"):
        fresh = made[0].compute(units[unit])["accuracy"]
        scores = [(one.intervals[unit, "accuracy"], one.panel[unit]["accuracy"]) for one in made]
        covers = [(s.item_only_low or 0) <= own <= (s.item_only_high or 0) for s, own in scores]
        covers_fresh = [(s.ci_low or 0) <= fresh <= (s.ci_high or 0) for s, _ in scores]
        assert 0.91 <= np.mean(covers) <= 0.99, unit
        assert 0.87 <= np.mean(covers_fresh) <= 0.995, unit


def test_the_method_says_what_was_done(votes_of: Build) -> None:
    """No coverage of a fresh panel where there is no interval for one; the share's interval where nothing varies."""
    names = [f"i{number:02}" for number in range(30)]
    gold = dict.fromkeys(names, "x")
    rows = [
        (name, who, "y" if (n + m) % 7 == 0 else "x") for n, name in enumerate(names) for m, who in enumerate("abcd")
    ]
    few = score_labels(votes_of(rows, classes="xy", gold=gold))["individual"]["accuracy"]
    assert (few.ci_low, few.ci_method) == (None, "variance of 30 items")
    alike = [(name, who, "x") for name in names for who in "abcdef"]
    same = score_labels(votes_of(alike, classes="xy", gold=gold))["majority"]["accuracy"]
    assert (same.ci_high, same.ci_method) == (1.0, "modified Jeffreys interval of 30 items")
