"""Results of a data set of which only a random sample got several answers."""

from __future__ import annotations

from typing import Any

import pytest

from exports import tables
from exports.inputs import DataSet, OverlapSample
from exports.report import render_report
from exports.results import DataSetResult, ResultOptions

Make = Any
SAMPLED = {f"s{number}": votes for number, votes in enumerate(("ттт", "ттн", "ннн", "нтн", "ттт", "ннт"))}
SINGLE = {f"x{number:02}": "т" if number % 2 else "н" for number in range(24)}


def build_data(make: Make) -> DataSet:
    """Thirty items of which six have three votes, with gold."""
    votes = SAMPLED | SINGLE
    sample = OverlapSample(of=3, items=frozenset(SAMPLED), n_groups=6, n_all_groups=30, n_all_items=30)
    items = [make.item(name, "так") for name in votes]
    return make.data_set(items=items, responses=make.answered(votes), overlap=1, sample=sample)  # type: ignore[no-any-return]


def test_agreement_is_that_of_the_sample_and_says_so(make: Make) -> None:
    """Also where somebody else answered an item with one vote; every file and page names the sample."""
    data = build_data(make)
    options = ResultOptions(agreement_resamples=100)
    alone = DataSetResult(data=data.keep_sample(), options=options)
    extra = make.answered({"x01": "т-н"})[1:]
    more = make.data_set(
        items=data.items.to_dict("records"),
        responses=[*data.responses.to_dict("records"), *extra],
        overlap=1,
        sample=data.sample,
    )
    for one in (data, more):
        result = DataSetResult(data=one, options=options)
        assert result.agreement is not None
        assert alone.agreement is not None
        assert {row.basis for row in result.agreement.rows} == {"sample"}
        alpha, expected = result.headline_agreement, alone.headline_agreement
        assert alpha is not None
        assert expected is not None
        assert (alpha.value, alpha.low, alpha.n_items) == (expected.value, expected.low, 6)
        assert alpha.how.endswith("measured on the overlap sample: 6 of 30 items, drawn at random")
        assert result.iaa is None or result.iaa.basis == "sample"


def test_single_answers_are_scored_on_all_items_and_the_majority_on_the_sample(make: Make) -> None:
    """The first vote of each item counts; gold.csv says which labels rest on one vote."""
    data = build_data(make)
    result = DataSetResult(data=data, options=ResultOptions(agreement_resamples=100))
    single, majority = result.require_scores()["individual"], result.majority
    assert (single.total, single.n_items) == (30, 30)
    assert majority is not None
    assert majority.total == 6
    assert majority.primary.value == pytest.approx(3 / 6)
    release = tables.build_release([data], agreement_resamples=100)
    published = release.agreement[data.name]
    assert published["overlap_sample"] == {
        "items": 6, "groups": 6, "of_groups": 30, "answers_planned": 3, "items_with_one_vote": 24,
        "how": "measured on the overlap sample: 6 of 30 items, drawn at random",
    }  # fmt: skip
    page = render_report(release)
    assert "1, and 3 for 6 of 30 items, drawn at random" in page
    assert "overlap sample" in page
    bases = release.baselines.loc[release.baselines["unit"] == "individual", ["basis", "total"]]
    assert [tuple(row) for row in bases.to_numpy()] == [("first", 30), ("sample", 18)]
    assert "overlap sample" in set(release.scores["subset"])
    assert "all votes pooled" not in set(release.scores["subset"])
    gold = release.gold.set_index("item_id")
    warned = gold["warning"].fillna("").str.contains("one vote")
    assert set(gold.index[warned]) == set(SINGLE)
