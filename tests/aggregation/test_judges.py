"""Judges in people's place: numbers against published ones, and against their definitions."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from aggregation.findings import get_code
from aggregation.judges.agreement_difference import sum_agreement
from aggregation.judges.judge_scores import measure_judge
from aggregation.judges.judged_votes import JudgedVotes, join_judge
from aggregation.judges.records import JudgeAnswers, JudgeResult, JudgeRules
from aggregation.judges.side_bias import SwapCounts, measure_length_slope
from aggregation.schema import MeasurementLevel, Votes, check_votes


def build_votes(
    people: list[str | list[str]], *, classes: tuple[str, ...], level: MeasurementLevel = "nominal"
) -> Votes:
    """Votes of people, each with an answer an item; `-` is none."""
    rows = [
        (f"i{item:03}", f"p{person}", answer)
        for person, answers in enumerate(people)
        for item, answer in enumerate(answers)
        if answer != "-"
    ]
    ids = pd.Index(sorted({item for item, *_ in rows}), name="item")
    items = pd.DataFrame({"group": list(ids), "gold": None, "n_options": len(classes)}, index=ids)
    frame = pd.DataFrame(rows, columns=["item", "annotator", "answer"], dtype=object)
    return check_votes(frame, items=items, classes=classes, measurement_level=level)


def name_items(answers: str | list[str]) -> dict[str, str]:
    return {f"i{item:03}": answer for item, answer in enumerate(answers) if answer != "-"}


def judge_votes(votes: Votes, answers: str) -> JudgedVotes:
    judged = join_judge(votes, name_items(answers))
    assert judged is not None
    return judged


def draw(rng: np.random.Generator, n: int, *, right: float) -> str:
    """Answers of which this share is `a`."""
    return "".join("a" if drawn < right else "b" for drawn in rng.random(n))


@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_both_agreements_and_their_changes_are_those_of_their_definition(level: MeasurementLevel) -> None:
    """By all pairs, with holes, for labels and for points; what a person changes is what is left without them."""
    people: list[str | list[str]] = ["1223-15", "12-3425", "1324-15", "-2335-4"]
    votes = build_votes(people, classes=tuple("12345"), level=level)
    answers = "1233115"

    def agree(one: str, two: str) -> float:
        return float(one == two) if level == "nominal" else -abs(float(one) - float(two))

    def measure(kept: list[str | list[str]]) -> np.ndarray[Any, Any]:
        given = [[own[item] for own in kept if own[item] != "-"] for item in range(len(answers))]
        pairs = [(told, said) for told, said in zip(answers, given, strict=True) if len(said) > 1]
        own = [np.mean([agree(told, one) for one in said]) for told, said in pairs]
        return np.array([sum(own), sum(np.mean([agree(*two) for two in combinations(said, 2)]) for _, said in pairs)])

    judged = judge_votes(votes, answers)
    contributions = sum_agreement(judged)
    assert contributions.sums[0, :2] == pytest.approx(measure(people))
    for code, name in enumerate(judged.person_ids):
        rest = [own for place, own in enumerate(people) if f"p{place}" != name]
        changed = contributions.changes[contributions.people == code].sum(axis=0)[:2]
        assert contributions.sums[0, :2] + changed == pytest.approx(measure(rest)), name


def test_a_judge_like_people_is_equal_a_constant_one_is_less_and_the_majority_is_circular() -> None:
    """The verdict says so first, with its numbers; the margin counts as it was named."""
    rng = np.random.default_rng(3)
    people: list[str | list[str]] = [draw(rng, 200, right=0.7) for _ in range(6)]
    votes = build_votes(people, classes=("a", "b"))
    majority = "".join("a" if [own[item] for own in people].count("a") >= 3 else "b" for item in range(200))

    def judge(answers: str, **rules: Any) -> JudgeResult:
        return measure_judge(votes, JudgeAnswers(name="m", answers=name_items(answers)), JudgeRules(**rules))

    like = judge(draw(rng, 200, right=0.7), margin=0.1)
    assert like.verdict.startswith("The judge agrees with people as people agree with each other: difference ")
    assert "6 people, 200 items; within the margin of .10, named before the start (p " in like.verdict
    row = like.by_statistic["difference"]
    assert (row.passes, row.post_hoc, row.margin) == (True, False, 0.1)
    late = judge(draw(rng, 200, right=0.7), margin=0.1, margin_source="option")
    assert (late.by_statistic["difference"].post_hoc, "post hoc: named with the command" in late.verdict) == (
        True,
        True,
    )
    less = judge("b" * 200)
    assert less.verdict.startswith("The judge agrees with people less than people agree with each other")
    assert less.verdict.endswith("; no margin of equivalence was named.")
    circular = judge(majority)
    assert "judge-circular" in map(get_code, circular.notes)
    assert "judge-circular" not in map(get_code, like.notes)
    assert circular.by_statistic["advantage_probability"].value == pytest.approx(1, abs=0.01)
    assert "judge-passes-rarely" in map(get_code, like.notes)


def test_people_with_few_items_are_named_and_two_people_have_no_interval_for_new_ones() -> None:
    rng = np.random.default_rng(4)
    people: list[str | list[str]] = [
        draw(rng, 40, right=0.7),
        draw(rng, 40, right=0.7),
        draw(rng, 29, right=1) + "-" * 11,
    ]
    votes, told = build_votes(people, classes=("a", "b")), name_items(draw(rng, 40, right=0.7))
    result = measure_judge(votes, JudgeAnswers(name="m", answers=told), JudgeRules())
    tests = {person.annotator: person.p_value is not None for person in result.people}
    assert tests == {"p0": True, "p1": True, "p2": False}
    assert any("fewer than 30 of these items: p2." in note for note in result.notes)
    assert any(note.startswith("11 of 40 items have the votes of two people only") for note in result.notes)
    two = measure_judge(build_votes(people[:2], classes=("a", "b")), JudgeAnswers(name="m", answers=told), JudgeRules())
    row = two.by_statistic["difference"]
    assert (row.ci_low, row.item_only_low is not None) == (None, True)
    assert "for these people and new items, 2 people" in two.verdict
    one = measure_judge(build_votes(people[:1], classes=("a", "b")), JudgeAnswers(name="m", answers=told), JudgeRules())
    assert (one.scores, get_code(one.verdict)) == ((), "judge-no-pairs")


def test_means_over_all_items_need_a_random_sample_or_two_classes() -> None:
    """Else they are refused with a note that says what to write."""
    rng = np.random.default_rng(5)
    people: list[str | list[str]] = [draw(rng, 60, right=0.7) for _ in range(5)]
    told = name_items(people[0] if isinstance(people[0], str) else "")
    others = {f"x{place}": answer for place, answer in enumerate(draw(rng, 500, right=0.7))}
    judge = JudgeAnswers(name="m", answers=told, others=others)
    for classes, is_sample, code, note in (
        (("a", "b"), True, "judge-powered", "judge-assumes-sample"),
        (("a", "b"), False, "judge-rogan-gladen", "judge-assumes-rates"),
        (("a", "b", "c"), True, "judge-powered", "judge-assumes-sample"),
        (("a", "b", "c"), False, None, "judge-no-sample"),
    ):
        result = measure_judge(build_votes(people, classes=classes), judge, JudgeRules(has_random_sample=is_sample))
        means = [score for score in result.scores if score.statistic == "corrected_mean"]
        assert [get_code(score.ci_method) for score in means] == [code] * (
            0 if code is None else 3 if "c" in classes else 1
        )
        assert note in map(get_code, result.notes)
        for score in means:
            assert score.value is not None
            assert (score.ci_low or 0) <= score.value <= (score.ci_high or 1)


def test_swaps_are_counted_and_a_judge_that_likes_long_texts_has_a_slope() -> None:
    rng = np.random.default_rng(6)
    n = 120
    swaps = SwapCounts().add(["first", "first"], [["first", "second"], ["second", "first"]])
    swaps = swaps.add(["first", "second"], [["first", "second"], ["second", "first"]])
    assert (swaps.n_items, swaps.n_equal, swaps.n_first, swaps.n_last) == (2, 1, 1, 0)
    lengths = {f"i{item:03}": tuple(map(int, rng.integers(50, 500, 2))) for item in range(n)}
    long = ["first" if one > two else "second" for one, two in lengths.values()]
    people: list[str | list[str]] = [list(rng.choice(["first", "second", "tie"], n)) for _ in range(4)]
    votes = build_votes(people, classes=("first", "second", "tie"))
    slope = measure_length_slope(votes, name_items(long), lengths)
    same = measure_length_slope(votes, name_items(long), dict.fromkeys(lengths, (9, 9)))
    assert slope is not None
    assert same is not None
    assert (slope.intervals.fresh_panel.low or 0) > 0.1
    assert same.value is None
