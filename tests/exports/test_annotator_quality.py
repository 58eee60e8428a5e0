"""The quality of annotators' work: control items, repeats, times, and why an annotator's answers do not count."""

from __future__ import annotations

from typing import Any

import pytest

from exports import tables
from exports.inputs import DataSet
from exports.tables import Release

Make = Any


def released(*data_sets: DataSet) -> Release:
    return tables.build_release(data_sets, agreement_resamples=50)


def get_annotator(release: Release, name: str) -> dict[str, Any]:
    rows = release.annotators.loc[release.annotators["annotator"] == name]
    return {str(column): rows[column].item() for column in rows.columns}


def test_control_items_are_counted_for_each_annotator(make: Make) -> None:
    """Answers to items with gold, in the set or apart from it; those that a rule excluded are counted too."""
    rows = make.answered({"i1": "тт", "i2": "т"})
    rows += [make.response("c1", "a1", "так", is_control=True), make.response("i2", "a2", "ні", is_control=True)]
    rows += [make.response("c2", "a1", "ні", is_control=True, excluded_reason="control accuracy < 0.5", by_rule=True)]
    rows += [make.response("c3", "a1", "ні", is_control=True), make.response("c1", "a2", None, is_control=True)]
    items = [make.item("i1"), make.item("i2", "так")]
    release = released(make.data_set(items=items, responses=rows, control_gold={"c1": "так", "c2": "так"}))
    found = {
        name: (get_annotator(release, name)["controls"], get_annotator(release, name)["controls_right"])
        for name in ("a1", "a2")
    }
    assert found == {"a1": (2, 1), "a2": (1, 0)}
    assert release.agreement["так-ні"]["controls"] == {"n": 3, "right": 1, "rate": 0.5}


def test_repeats_are_compared_with_the_answers_that_they_repeat(make: Make) -> None:
    """Three of four equal, over all annotators κ = 1 - .25 / .5; an excluded repeat is not compared."""
    rows = make.answered({"i1": "тт", "i2": "нн", "i3": "т"})
    rows += [
        make.response("i1", "a1", "так", is_repeat=True, gap_hours=24.5),
        make.response("i2", "a1", "так", is_repeat=True, gap_hours=30.0),
        make.response("i1", "a2", "так", is_repeat=True, gap_hours=48.0),
        make.response("i2", "a2", "ні", is_repeat=True, gap_hours=26.0),
        make.response("i3", "a1", "ні", is_repeat=True, gap_hours=25.0, excluded_reason="too fast"),
    ]
    items = [make.item(f"i{number}", "так") for number in (1, 2, 3)]
    release = released(make.data_set(items=items, responses=rows))
    assert (get_annotator(release, "a1")["repeats"], get_annotator(release, "a1")["self_agreement"]) == (2, "0.5000")
    assert (get_annotator(release, "a2")["repeats"], get_annotator(release, "a2")["self_agreement"]) == (2, "1.0000")
    published = release.agreement["так-ні"]["self_agreement"]
    assert (published["n_repeats"], published["n_annotators"], published["percent_agreement"], published["kappa"]) == (
        4,
        2,
        0.75,
        0.5,
    )
    assert published["gap_hours"] == {"min": 24.5, "median": 28.0, "max": 48.0}


def test_fast_answers_are_those_under_a_quarter_of_the_median(make: Make) -> None:
    """Of the times 8, 8, 8, 1.9 and 2 one is fast; an excluded answer is not counted."""
    rows = [make.response(f"i{n}", "a1", "так", seconds=seconds) for n, seconds in enumerate((8.0, 8.0, 1.9, 2.0))]
    rows += [make.response("i0", "a2", "так", seconds=8.0)]
    rows += [make.response("i1", "a2", "так", seconds=0.1, excluded_reason="too fast", by_rule=True)]
    release = released(make.data_set(items=[make.item(f"i{n}", "так") for n in range(4)], responses=rows))
    assert (get_annotator(release, "a1")["fast_share"], get_annotator(release, "a2")["fast_share"]) == (
        "0.2500",
        "0.0000",
    )
    published = release.agreement["так-ні"]["seconds"]
    assert (published["n"], published["median"], published["quartile_low"], published["quartile_high"]) == (
        5,
        8.0,
        2.0,
        8.0,
    )
    assert published["fast_share"] == pytest.approx(0.2)


def test_annotators_and_items_without_votes_are_counted_by_reason(make: Make) -> None:
    """The reasons of each add up to the total, and a removed annotator has the reason in annotators.csv."""
    rows = make.answered({"i1": "тт"})
    rows += [make.response("i2", "a3", "ні", excluded_reason="control accuracy < 0.5", by_rule=True, post_hoc=True)]
    rows += [make.response("q1", "a4", "ні", stage="qualification"), make.response("i2", "a5", None)]
    items = [make.item("i1"), make.item("i2"), make.item("i3", status="retired"), make.item("i4", status="open")]
    removed = {"a3": "excluded: control accuracy < 0.5", "a4": "failed: 3 of 10"}
    release = released(make.data_set(items=items, responses=rows, removed_annotators=removed))
    counts = release.agreement["так-ні"]["counts"]
    assert counts["annotators_without_votes_by_reason"] == {
        "every answer is excluded": 1, "excluded: control accuracy < 0.5": 1, "failed: 3 of 10": 1,
    }  # fmt: skip
    assert counts["items_without_votes_by_reason"] == {
        "every answer is excluded": 1,
        "nobody answered": 1,
        "retired": 1,
    }
    assert counts["excluded_by_reason"] == {"control accuracy < 0.5": 1, "no response": 1, "qualification item": 1}
    for total in ("annotators_without_votes", "items_without_votes", "excluded"):
        assert sum(counts[f"{total}_by_reason"].values()) == counts[total]
    assert counts["excluded_post_hoc"] == 1
    assert get_annotator(release, "a3")["excluded_reason"] == "excluded: control accuracy < 0.5"
    assert release.agreement["так-ні"]["items_per_annotator"] == {"min": 1.0, "median": 1.0, "max": 1.0}
