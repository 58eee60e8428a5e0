"""Two panels over the same items: their values, their difference with its intervals, and their consensus."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest
from _panel_differences import PanelDesign, cover_differences, simulate_differences
from _simulations import average_coverage

from aggregation.answers import Answers
from aggregation.comparison.panels import SAME_CONSENSUS, PanelDifference, compare_panels
from aggregation.comparison.projects import ProjectAnswers, compare_projects
from aggregation.schema import Votes

Build = Callable[..., Votes]
Rows = list[tuple[str, str, str]]
GOLD = {f"i{number}": "xy"[number % 2] for number in range(8)}


def build_panel(votes_of: Build, name: str, rows: Rows) -> ProjectAnswers:
    """A panel that gave these answers to items with gold."""
    votes = votes_of(rows, classes="xy", gold=GOLD, n_options=2)
    offers = votes.frame[["item", "annotator"]].assign(skipped=False, is_due=False, seconds=np.nan)
    return ProjectAnswers(name=name, answers=Answers(kind="label", votes=votes), offers=pd.DataFrame(offers))


def answer(people: Sequence[str], items: Sequence[str], *, wrong: Sequence[str] = ()) -> Rows:
    """Everybody answers each item, rightly but for the wrong ones."""
    other = {"x": "y", "y": "x"}
    return [
        (item, who, other[GOLD[item]] if f"{item}{who}" in wrong else GOLD[item]) for item in items for who in people
    ]


def get_row(rows: Sequence[PanelDifference], measure: str) -> PanelDifference:
    """The row of the measure."""
    return next(row for row in rows if row.measure == measure)


def test_only_items_that_both_answered_are_compared(votes_of: Build) -> None:
    """The items that one panel alone answered, all wrong, change nothing."""
    items, alone = list(GOLD)[:6], list(GOLD)[6:]
    experts = answer("ab", items, wrong=["i0a"]) + answer("ab", alone, wrong=["i6a", "i6b", "i7a", "i7b"])
    lay = answer("cdefg", items, wrong=["i0c", "i0d", "i0e", "i1c", "i2d"])
    rows = compare_panels({"experts": build_panel(votes_of, "e", experts), "lay": build_panel(votes_of, "l", lay)})
    accuracy = get_row(rows, "accuracy")
    assert (accuracy.n_items, accuracy.n_people, accuracy.n_answers) == (6, 7, 42)
    assert accuracy.first == pytest.approx(11 / 12)
    assert accuracy.second == pytest.approx(25 / 30)
    assert accuracy.difference == pytest.approx(11 / 12 - 25 / 30)
    assert accuracy.item_only_low is not None
    assert accuracy.ci_low is None
    assert accuracy.reason == "No interval for new people: one of both panels has fewer than 5 people."
    same = get_row(rows, SAME_CONSENSUS)
    assert same.difference == pytest.approx(
        (5 + 0.5) / 6
    )  # of the first item the experts' tie is half the lay majority
    assert (same.first, same.second, same.ci_low) == (None, None, None)


def test_without_common_items_there_is_a_reason(votes_of: Build) -> None:
    """For every measure, and for agreement also where one panel gives a single answer an item."""
    items = list(GOLD)
    apart = {"one": build_panel(votes_of, "one", answer("ab", items[:4])),
             "two": build_panel(votes_of, "two", answer("cd", items[4:]))}  # fmt: skip
    assert {row.reason for row in compare_panels(apart)} == {"No item has it from both panels."}
    single = {"one": build_panel(votes_of, "one", answer("a", items)),
              "two": build_panel(votes_of, "two", answer("cd", items))}  # fmt: skip
    rows = compare_panels(single)
    assert get_row(rows, "percent_agreement").reason == "No item has it from both panels."
    assert get_row(rows, "accuracy").difference == 0


def test_three_panels_are_compared_by_twos(votes_of: Build) -> None:
    """In the order of the project file."""
    panels = {name: build_panel(votes_of, name, answer(name, list(GOLD))) for name in "abc"}
    pairs = [(row.panel, row.other) for row in compare_panels(panels) if row.measure == "accuracy"]
    assert pairs == [("a", "b"), ("a", "c"), ("b", "c")]


def test_a_difference_is_that_of_two_projects(votes_of: Build) -> None:
    """As `hromada compare` has it of projects in which nobody took part twice."""
    items, rng = list(GOLD), np.random.default_rng(4)
    wrong = [f"{item}{who}" for item in items for who in "abcdefghijkl" if rng.random() < 0.3]
    first = build_panel(votes_of, "one", answer("abcdef", items, wrong=wrong))
    second = build_panel(votes_of, "two", answer("ghijkl", items, wrong=wrong))
    rows, compared = compare_panels({"one": first, "two": second}), compare_projects(first, second)
    for measure in ("accuracy", "majority_accuracy", "percent_agreement", "krippendorff_alpha_nominal"):
        row, other = get_row(rows, measure), compared.find_difference(measure)
        for name in ("difference", "ci_low", "ci_high", "se", "item_only_low", "item_only_high"):
            assert getattr(row, name) == getattr(other, name), (measure, name)


def test_intervals_cover_the_true_differences_in_few_simulations() -> None:
    """Of new people and of these; benchmarks/panel_differences.py has the full table."""
    design = PanelDesign(experts=5, lay=20, items=60)
    coverage = average_coverage([cover_differences(design, number, seed=1) for number in range(12)])
    assert {population for _, population in coverage} == {"new people", "these people"}
    assert all(covered >= 0.6 for covered in coverage.values()), coverage
    assert np.mean(list(coverage.values())) > 0.85
    few = dict(simulate_differences(np.random.default_rng(2), PanelDesign(experts=4, lay=20, items=60)))
    assert {row.ci_low for row in few} == {None}
