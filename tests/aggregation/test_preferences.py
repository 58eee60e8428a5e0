"""Win rates, strengths, places and sides: what must hold of them, and inputs that leave little to compute."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from aggregation.findings import get_code
from aggregation.preferences.comparisons import expand_choices
from aggregation.preferences.places import estimate_sandwich
from aggregation.preferences.results import PreferenceResults, measure_preferences
from aggregation.preferences.strengths import Counts, fit_strengths

Row = tuple[object, ...]


def build(rows: Sequence[Row], columns: str = "one two outcome") -> PreferenceResults:
    """The numbers of comparisons with these columns."""
    return measure_preferences(pd.DataFrame(list(rows), columns=columns.split()))


def draw(seed: int = 1, n: int = 400) -> pd.DataFrame:
    """Comparisons of four systems by eight people on 40 items, with ties and known sides."""
    rng = np.random.default_rng(seed)
    pairs = rng.permuted(np.tile(np.arange(4), (n, 1)), axis=1)[:, :2]
    chances = 1 / (1 + np.exp((pairs[:, 1] - pairs[:, 0]) * -0.4))
    outcome = np.where(rng.random(n) < 0.2, 0.5, (rng.random(n) < chances).astype(float))
    names = np.array(["d", "c", "b", "a"], dtype=object)
    return pd.DataFrame(
        {
            "item": rng.integers(40, size=n).astype(str),
            "annotator": rng.integers(8, size=n).astype(str),
            "one": names[pairs[:, 0]],
            "two": names[pairs[:, 1]],
            "outcome": outcome,
            "left": 1.0,
        }
    )


def describe(found: PreferenceResults) -> list[float]:
    """Numbers of every kind."""
    first = found.bradley_terry.systems[0].strength
    values = [first.value, first.ci_low, first.ci_high, *(pair.estimate.value for pair in found.pairs)]
    values += [pair.p_holm for pair in found.pairs] + [found.positions[0].estimate.value]
    return [float(value) for value in values if value is not None]


def test_neither_order_nor_column_matters() -> None:
    frame = draw()
    turned = frame.assign(one=frame["two"], two=frame["one"], outcome=1 - frame["outcome"], left=0.0)
    expected = describe(measure_preferences(frame))
    assert len(expected) == 3 + 6 + 6 + 1
    for other in (turned, frame.sample(frac=1, random_state=1)):
        assert describe(measure_preferences(other)) == pytest.approx(expected)


def test_the_sandwich_of_two_systems_is_the_delta_method_of_their_win_rate() -> None:
    """With w the win rate, β₁ - β₂ = log(w / (1 - w)), whose derivative is 1 / (w (1 - w)), and parts by hand."""
    frame = draw().query("one in ('a', 'b') and two in ('a', 'b')")
    found = measure_preferences(frame)
    comparisons = found.comparisons
    sandwich = estimate_sandwich(fit_strengths(found.counts, comparisons.systems), comparisons)
    measured = sandwich.measure(np.array([1.0, -1.0]))
    rate = comparisons.outcome.mean()
    effects = (comparisons.outcome - rate) / (len(comparisons) * rate * (1 - rate))
    keys = frame.assign(effect=effects)
    squares = {
        name: float((keys.groupby(by)["effect"].sum() ** 2).sum())
        for name, by in {"items": ["item"], "people": ["annotator"], "cells": ["item", "annotator"]}.items()
    }
    n_items, n_people = frame["item"].nunique(), frame["annotator"].nunique()
    assert measured is not None
    assert measured.items == pytest.approx(squares["items"] * n_items / (n_items - 1))
    people = squares["people"] * n_people / (n_people - 1) - squares["cells"]
    assert measured.people == pytest.approx(max(0.0, people))


def test_an_interval_holds_one_half_as_its_p_says() -> None:
    pairs = [pair for seed in range(8) for pair in measure_preferences(draw(seed, 150)).pairs]
    found = {(float(pair.p_value or 0) < 0.05, not pair.estimate.ci_low < 0.5 < pair.estimate.ci_high)  # type: ignore[operator]
             for pair in pairs if pair.estimate.ci_high is not None}  # fmt: skip
    assert found == {(True, True), (False, False)}


def test_places_are_open_between_systems_that_chance_can_swap() -> None:
    """a, far above b and c, which are alike."""
    rows = [(f"{item}", f"{person}", *pair) for item in range(30) for person in range(6)
            for pair in (("a", "b", float(item % 6 != 0)), ("a", "c", float(item % 6 != 1)),
                         ("b", "c", float((item + person) % 2)))]  # fmt: skip
    ranked = build(rows, "item annotator one two outcome").bradley_terry.systems
    assert (ranked[0].system, ranked[0].place_low, ranked[0].place_high) == ("a", 1, 1)
    assert {(row.place_low, row.place_high) for row in ranked[1:]} == {(2, 3)}


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "no-comparisons"),
        ([("a", "a", 1.0)], "no-comparisons"),
        ([("a", "b", 1.0)], "never-lost"),
        ([("a", "b", 1.0), ("b", "a", 1.0), ("c", "d", 0.5)], "never-met"),
        ([("a", "b", 1.0), ("b", "c", 0.5), ("d", "c", 0.5), ("d", "b", 0.5)], "group-never-lost"),
        ([("a", "b", 1.0), ("b", "c", 1.0), ("c", "a", 1.0)], ""),
        ([("a", "b", 0.5), (" ", "b", 1.0)], ""),
    ],
)
def test_strengths_exist_only_on_a_connected_graph(rows: list[Row], reason: str) -> None:
    found = build(rows)
    assert get_code(found.bradley_terry.reason) == reason
    values = [row.strength.value for row in found.bradley_terry.systems]
    assert all((value is None) == bool(reason) for value in values)
    assert (len(found.comparisons) == 0) == (not found.pairs) == (not found.systems)


def test_what_cannot_be_compared_is_left_out_and_counted() -> None:
    comparisons = build([("a", "b", 0.5), ("a", "a", 1.0), (" ", "b", 1.0), (None, "b", 1.0)]).comparisons
    assert (comparisons.systems, len(comparisons)) == (("a", "b"), 1)
    assert (comparisons.n_same, comparisons.n_nameless) == (1, 2)


def test_ties_alone_are_one_half_without_an_interval() -> None:
    found = build([(f"{n}", f"{n % 6}", "a", "b", 0.5) for n in range(30)], "item annotator one two outcome")
    (pair,) = found.pairs
    assert (pair.estimate.value, pair.estimate.ci_low, pair.p_value) == (0.5, None, None)
    assert get_code(pair.estimate.reason) == "all-ties"
    assert {row.strength.value for row in found.bradley_terry.systems} == {0.0}
    assert get_code(found.davidson.reason) == "ties-decide-all"


def test_one_person_and_a_system_that_always_wins_keep_an_interval_for_these_people() -> None:
    found = build([(f"{n}", "p", "a", "b", 1.0) for n in range(20)], "item annotator one two outcome")
    (pair,) = found.pairs
    assert pair.estimate.ci_low is None
    assert pair.estimate.item_only_low == pytest.approx(0.8316, abs=1e-4)
    assert pair.p_value == pytest.approx(2 * 0.5**20)
    found = build([(f"{n}", "p", "a", "b", float(n % 3 > 0)) for n in range(20)], "item annotator one two outcome")
    strength = found.bradley_terry.systems[0].strength
    assert strength.ci_low is None
    assert strength.item_only_low is not None
    assert get_code(strength.reason) == "one-person-panel"


def test_davidson_needs_a_win_against_the_order() -> None:
    """A win and a tie of a over b fit any distance, with a tie parameter that grows beside it."""
    frame = [("a", "b", 1.0), ("a", "b", 0.5)]
    assert get_code(build(frame).davidson.reason) == "ties-decide-all"
    assert build(frame).bradley_terry.reason == ""
    assert get_code(build([("a", "b", 1.0), ("a", "b", 0.0)]).davidson.reason) == "no-ties"
    fitted = build([*frame, ("a", "b", 0.0)]).davidson
    assert fitted.tie_parameter == pytest.approx(1.0)


def test_davidson_without_forced_order_maximises_the_likelihood() -> None:
    wins = np.array([[0, 5, 3], [2, 0, 4], [1, 3, 0]], dtype=float)
    ties = np.array([[0, 2, 1], [2, 0, 3], [1, 3, 0]], dtype=float)
    fitted = fit_strengths(Counts(wins, ties), ("a", "b", "c"), "davidson")
    for nudge in np.eye(3) - 1 / 3:
        moved = fitted.strengths + 1e-3 * nudge
        weights = np.exp(moved)
        root = np.sqrt(weights[:, None] * weights[None, :]) * (fitted.tie_parameter or 0.0)
        total = weights[:, None] + weights[None, :] + root
        likelihood = (wins * np.log(weights[:, None] / total)).sum() + (ties * np.log(root / total)).sum() / 2
        assert likelihood < fitted.log_likelihood


def test_a_choice_among_three_beats_the_others_and_orders_none() -> None:
    systems = ("a", "b", "c")
    rows = [
        ("i", "i", "p", "second", systems, ("second", "first", "third")),
        ("j", "j", "p", "tie", systems, ("first", "second", "third")),
        ("k", "k", "q", "both_bad", systems, None),
        ("l", "l", "q", "first", ("a", "a", "b"), None),
    ]
    columns = ["item", "group", "annotator", "answer", "systems", "shown"]
    frame = expand_choices(pd.DataFrame(rows, columns=columns))
    assert [tuple(row) for row in frame.loc[frame["item"] == "i", ["one", "two", "outcome"]].to_numpy()] == [
        ("b", "a", 1.0), ("b", "c", 1.0),
    ]  # fmt: skip
    found = measure_preferences(frame, n_sides=3)
    counts = {(pair.one, pair.two): (pair.wins, pair.ties, pair.losses, pair.both_bad) for pair in found.pairs}
    assert counts == {("a", "b"): (1, 2, 1, 1), ("a", "c"): (0, 2, 0, 1), ("b", "c"): (1, 2, 0, 1)}
    assert found.comparisons.n_same == 1
    first = {system.system: system.first_choice.value for system in found.systems}
    assert first["b"] == pytest.approx((1 + 1 / 3 + 1 / 3 + 0) / 4)
    everybody = found.positions[0]
    assert (everybody.left, everybody.right, everybody.ties) == (1, 0, 1)


def test_people_who_change_with_the_sides_are_told_from_those_who_change_anyway() -> None:
    repeats = pd.DataFrame(
        [("p", "first", "second", True), ("p", "tie", "tie", True), ("q", "first", "first", False)],
        columns=["annotator", "first", "again", "swapped"],
    )
    frame = pd.DataFrame(
        [("1", "p", "a", "b", 1.0, 1.0), ("1", "q", "a", "b", 1.0, 0.0)],
        columns=["item", "annotator", "one", "two", "outcome", "left"],
    )
    found = measure_preferences(frame, repeats)
    assert found.consistency.repeated.percent == pytest.approx(2 / 3)
    assert found.consistency.swapped.percent == 0.5
    assert [(side.who, side.swap_consistency) for side in found.positions] == [
        ("everybody", 0.5), ("p", 0.5), ("q", None),
    ]  # fmt: skip


def test_circles_of_majorities_are_counted_and_named() -> None:
    """Of three triads that contain d, who loses to all, none is a circle."""
    rows: list[Row] = [("a", "b", 1.0), ("b", "c", 1.0), ("c", "a", 1.0)]
    rows += [(name, "d", 1.0) for name in "abc"] + [("d", name, 0.5) for name in "abc"]
    cycles = build(rows).cycles
    assert (cycles.winner, cycles.triads, cycles.named) == (None, 1, (("a", "b", "c"),))
    assert build([("a", "b", 1.0), ("a", "c", 1.0), ("b", "c", 0.5)]).cycles.winner == "a"
