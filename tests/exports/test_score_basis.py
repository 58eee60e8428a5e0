"""What scores rest on: independent gold, and each item's first votes."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from exports import tables
from exports.inputs import DataSet
from exports.report import render_report
from exports.tables import Release

Make = Any
FEW: Any = {"agreement_resamples": 50}
ENSEMBLES = {"majority", "dawid_skene"}


def released(data: DataSet) -> Release:
    return tables.build_release([data], **FEW)


def flip_coins(make: Make, *, seed: int = 5, **more: Any) -> DataSet:
    """Sixty coin flips of three people on twenty items, whose gold is their own majority."""
    rng = random.Random(seed)  # noqa: S311  # coins
    votes = {f"i{number:02}": "".join(rng.choice("тн") for _ in range(3)) for number in range(20)}
    words = {"т": "так", "н": "ні"}
    items = [
        make.item(item, words[Counter(said).most_common(1)[0][0]], gold_origin="votes", circular=True)
        for item, said in votes.items()
    ]
    return make.data_set(items=items, responses=make.answered(votes), **more)  # type: ignore[no-any-return]


def test_gold_of_the_same_votes_scores_nobody_in_any_file(make: Make) -> None:
    """No human baseline, no ensemble, no right answer; agreement of each person with the others instead."""
    release = released(flip_coins(make))
    assert release.baselines.empty
    assert release.scores.empty
    assert release.class_scores.empty
    assert release.confusions.empty
    assert set(release.human_items["n_right"]) == {None}
    assert set(release.annotators["accuracy"]) == {None}
    shares = [float(share) for share in release.annotators["agreement_with_others"]]
    assert all(0.3 < share < 0.7 for share in shares)
    assert list(release.annotators["n_with_others"]) == [20, 20, 20]
    assert all(release.annotators["agreement_with_others_dawid_skene"])
    published = release.agreement["так-ні"]
    assert published["agreement_with_others"]["majority"] == pytest.approx(sum(shares) / 3, abs=1e-4)
    assert "fitted again without each person" in published["agreement_with_others"]["how"]
    reasons = published["baselines"]["missing_units"]
    assert set(reasons) == {"individual", *ENSEMBLES}
    assert all("this project's own votes" in reason for reason in reasons.values())
    page = render_report(release)
    assert "agreement and no score" in page
    assert "100.0 %" not in page.partition('id="agreement"')[0]


def test_the_same_votes_against_other_gold_have_scores(make: Make) -> None:
    """Votes of other people, handed on as gold, are no circle."""
    data = flip_coins(make)
    data.items["circular"] = False
    release = released(data)
    assert set(release.baselines["unit"]) == {"individual", *ENSEMBLES}
    assert set(release.annotators["agreement_with_others"]) == {None}
    assert release.agreement["так-ні"]["agreement_with_others"] is None


def test_items_with_other_gold_are_scored_alone(make: Make) -> None:
    """Where an expert gave some of the gold, only those items count, and chance is theirs."""
    data = flip_coins(make)
    by_expert = data.items["item_id"] < "i05"
    for column, value in (("circular", False), ("gold_origin", "expert"), ("n_options", 4)):
        data.items[column] = data.items[column].mask(by_expert, value)
    release = released(data)
    row = release.baselines.set_index("unit").loc["individual"]
    assert (row["total"], row["n_items"], row["bl_random_exact"]) == (15, 5, "25.00")
    assert set(release.annotators["n_with_others"]) == {20}
    known = release.human_items.set_index("item_id")["n_right"]
    assert known["i00"] is not None
    assert known["i19"] is None


def grow_overlap(make: Make, *, n_items: int, seed: int) -> tuple[DataSet, float]:
    """Items that get 3 votes, and up to 6 more while these are not all equal; and the chance of a right vote."""
    rng = random.Random(seed)  # noqa: S311  # a simulation
    votes, chances = {}, []
    for number in range(n_items):
        chance = rng.choice((0.6, 0.97))
        chances.append(chance)
        said = ["т" if rng.random() < chance else "н" for _ in range(3)]
        while len(set(said)) > 1 and len(said) < 9:
            said.append("т" if rng.random() < chance else "н")
        votes[f"i{number:03}"] = "".join(said)
    items = [make.item(item, "так") for item in votes]
    data = make.data_set(items=items, responses=make.answered(votes), overlap=3)
    return data, sum(chances) / n_items


@pytest.mark.slow
def test_contested_items_weigh_no_more_than_others(make: Make) -> None:
    """All votes pooled are biased where contested items got more of them; the first votes are not."""
    first, pooled, truth = [], [], []
    for seed in range(6):
        data, chance = grow_overlap(make, n_items=250, seed=seed)
        rows = released(data).baselines
        shares = rows.loc[rows["unit"] == "individual"].set_index("basis")["bl_human"].astype(float)
        assert list(shares.index) == ["first", "pooled"]
        first.append(shares["first"])
        pooled.append(shares["pooled"])
        truth.append(100 * chance)
    assert sum(first) / 6 == pytest.approx(sum(truth) / 6, abs=1.5)
    assert sum(pooled) / 6 < sum(truth) / 6 - 4


def test_all_votes_are_a_labelled_second_row(make: Make) -> None:
    """In baselines.csv by their basis, in human_baseline.csv as a subset, and on the page; gold has all votes."""
    votes = {"i1": "ттт", "i2": "тнтннн", "i3": "ттт", "i4": "ннн", "i5": "ттт"}
    data = make.data_set(items=[make.item(item, "так") for item in votes], responses=make.answered(votes), overlap=3)
    release = released(data)
    rows = release.baselines[["unit", "basis", "total", "wrong"]].to_numpy().tolist()
    assert rows == [
        ["individual", "first", 15, 4],
        ["majority", "first", 5, 1],
        ["dawid_skene", "first", 5, 1],
        ["individual", "pooled", 18, 7],
        ["majority", "pooled", 5, 2],
        ["dawid_skene", "pooled", 5, rows[-1][3]],
    ]
    assert set(release.scores["subset"]) == {"all", "all votes pooled"}
    assert release.gold.set_index("item_id").loc["i2", "consensus"] == "ні"
    contested = next(row for row in release.human_items.to_dict("records") if row["item_id"] == "i2")
    assert (contested["n_votes"], contested["n_right"]) == (6, 2)
    assert (
        "gives contested items more weight" in release.agreement["так-ні"]["baselines"]["subsets"]["all votes pooled"]
    )
    assert release.agreement["так-ні"]["answers_per_item"] == {"min": 3.0, "median": 3.0, "max": 6.0}
    page = render_report(release)
    assert "All votes pooled" in page
    assert "<td>3–6 (median 3)</td>" in page
    fixed = released(make.data_set(items=[make.item("i1", "так")], responses=make.answered({"i1": "ттт"})))
    assert set(fixed.baselines["basis"]) == {"first"}


def test_a_skip_fills_one_of_the_first_places(make: Make) -> None:
    """What came after it was asked for because of what the others said, and is not in the score."""
    rows = [
        make.response("i1", "a1", "так"),
        make.response("i1", "a2", None, skip_reason="unclear"),
        make.response("i1", "a3", "ні"),
        make.response("i1", "a4", "так"),
    ]
    release = released(make.data_set(items=[make.item("i1", "так")], responses=rows, overlap=3))
    totals = release.baselines.loc[release.baselines["unit"] == "individual"].set_index("basis")["total"]
    assert totals.to_dict() == {"first": 3, "pooled": 4}
