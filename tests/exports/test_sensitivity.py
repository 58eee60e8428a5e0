"""Sensitivity: planted careless and hasty people, whose answers each setting leaves out, and cuts of confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from aggregation.answer_types import compute_agreement, score_answers
from aggregation.errors import HromadaError
from aggregation.intervals.shares import share_interval
from exports import sensitivity
from exports.inputs import DataSet
from exports.sensitivity import CUTS, RuleSetting, SettingResult

if TYPE_CHECKING:
    from tests.exports.conftest import Make

GOOD, CARELESS, HASTY = ("g1", "g2", "g3"), ("c1", "c2", "c3"), ("h1",)
N_ITEMS = 20


@pytest.fixture
def planted(make: type[Make]) -> DataSet:
    """Twenty items with gold так: three who know it, three who contradict it, one who needs half a second.

    Those who contradict have 1 of 2 control items right; a rule of the campaign excluded one of them. The one in haste
    is wrong on every second item, and answered no control item.
    """
    rows = []
    for number in range(N_ITEMS):
        item = f"i{number:02}"
        rows += [make.response(item, person, "так", seconds=4.0) for person in GOOD]
        ruled = {"excluded_reason": "control accuracy < 60 %", "by_rule": True}
        rows += [
            make.response(item, person, "ні", seconds=6.0, **(ruled if person == "c3" else {})) for person in CARELESS
        ]
        rows.append(make.response(item, "h1", "ні" if number % 2 else "так", seconds=0.5))
    for person in (*GOOD, *CARELESS):
        rows.append(make.response("k1", person, "так", is_control=True, seconds=4.0))
        rows.append(make.response("k2", person, "ні" if person in CARELESS else "так", is_control=True, seconds=4.0))
    items = [make.item(f"i{number:02}", "так") for number in range(N_ITEMS)]
    return make.data_set(items=items, responses=rows, overlap=None, control_gold={"k1": "так", "k2": "так"})


def measure(data: DataSet, accuracies: Sequence[float], seconds: Sequence[float]) -> dict[str, SettingResult]:
    """The results by the name of the setting."""
    settings = sensitivity.list_settings(data, accuracies=accuracies, seconds=seconds)
    return {result.name: result for result in sensitivity.measure_settings(data, settings)}


def test_each_setting_leaves_out_whom_it_says(planted: DataSet) -> None:
    """Counts, scores and size of gold are what is left; excluded people count again without a rule."""
    found = measure(planted, (0.4, 0.5), (1.0,))
    counts = {name: (one.n_answers, one.n_people, one.n_gold) for name, one in found.items()}
    assert counts == {
        "as collected": (120, 6, 10),  # three against two or three
        "no rule": (140, 7, 20),
        "≥ 1 s": (120, 6, 0),  # three against three
        "control > 40 %": (140, 7, 20),
        "control > 40 %, ≥ 1 s": (120, 6, 0),
        "control > 50 %": (80, 4, 20),
        "control > 50 %, ≥ 1 s": (60, 3, 20),
    }
    single = {name: one.single.value for name, one in found.items() if one.single is not None}
    assert single["as collected"] == pytest.approx((60 + 10) / 120)
    assert single["no rule"] == pytest.approx((60 + 10) / 140)
    assert single["control > 50 %, ≥ 1 s"] == 1.0
    majority = {name: one.majority for name, one in found.items() if one.majority is not None}
    names = ("no rule", "≥ 1 s", "control > 50 %")
    assert [majority[name].value for name in names] == [0.5, 0.5, 1.0]  # a tie is shared
    assert [majority[name].value_ties_wrong for name in names] == [None, 0.0, None]


def test_the_numbers_are_those_of_the_other_commands(planted: DataSet) -> None:
    """As collected: the score of `baseline` with its interval, and alpha of `agreement`."""
    [collected] = sensitivity.measure_settings(planted, [])
    answers = planted.build_answers()
    assert collected.single == score_answers(answers, skips=planted.build_skips())["individual"].primary
    rows = {row.name: row.value for row in compute_agreement(answers, n_resamples=100).rows}
    assert collected.agreement_name == "krippendorff_alpha_nominal"
    assert collected.agreement == pytest.approx(rows["krippendorff_alpha_nominal"])


def test_a_setting_equals_the_data_without_these_people(planted: DataSet) -> None:
    """What a setting says is what the campaign would say had nobody else answered."""
    found = measure(planted, (0.5,), ())["control > 50 %"]
    rows = planted.responses
    alone = planted.responses.loc[rows["annotator"].isin([*GOOD, *HASTY])]
    [expected] = sensitivity.measure_settings(replace(planted, responses=alone), [])
    assert (found.single, found.majority, found.agreement) == (
        expected.single, expected.majority, expected.agreement,
    )  # fmt: skip


def test_thresholds_without_facts_are_left_out(make: type[Make]) -> None:
    """Where nobody answered a control item and no time is known, there is one setting: no rule."""
    data = make.data_set(items=[make.item("a")], responses=[make.response("a", "x", "так")])
    assert sensitivity.list_settings(data) == (RuleSetting(accuracy=0, seconds=0),)
    [collected, without] = sensitivity.measure_settings(data, sensitivity.list_settings(data))
    assert (collected.single, without.agreement) == (None, None)  # no gold, and one vote an item
    for wrong in ({"accuracies": (1.0,)}, {"seconds": (-1.0,)}):
        with pytest.raises(HromadaError):
            sensitivity.list_settings(data, **wrong)


def test_a_cut_keeps_sure_labels_and_counts_right_ones_with_control_items(make: type[Make]) -> None:
    """Four of four, three of four and two of four for its label: kept share, balance, and what is right."""
    votes = {"a": "тттт", "b": "тттн", "c": "нннт", "d": "ттнн", "e": "нннн"}
    rows = make.answered(votes)
    rows += [
        make.response("k", f"a{number}", answer, is_control=True)
        for number, answer in enumerate(("ні", "ні", "ні", "так"), start=1)
    ]
    items = [make.item("a", "так"), make.item("b", "ні"), make.item("c"), make.item("d", "так"), make.item("e")]
    data = make.data_set(items=items, responses=rows, control_gold={"k": "ні"}, overlap=None)
    none, most, all_equal = sensitivity.measure_cuts(data, method="majority", cuts=(0.0, 0.75, 1.0))
    assert (none.n_kept, none.n_items, most.n_kept, all_equal.n_kept) == (4, 5, 4, 2)  # d is tied
    assert none.balance == {"так": 0.5, "ні": 0.5}
    assert (none.n_right, none.n_known) == (2.5, 4)  # a, the control item, and half of d; b is wrong
    assert (none.n_ties, none.right_ties_wrong, most.right_ties_wrong) == (1, 0.5, None)
    assert (all_equal.n_right, all_equal.n_known) == (1, 1)
    interval = share_interval(2, 3)
    assert (most.right_low, most.right_high) == (interval.low, interval.high)
    with pytest.raises(HromadaError, match="from 0 to 1"):
        sensitivity.measure_cuts(data, method="majority", cuts=(1.2,))


def test_texts_have_scores_and_cuts_too(make: type[Make]) -> None:
    """Without classes there is no balance, and agreement is the first coefficient of texts."""
    rows = [
        make.response("a", f"p{number}", answer, seconds=5.0) for number, answer in enumerate(("Київ", "київ", "х"))
    ]
    data = make.data_set(items=[make.item("a", "Київ")], responses=rows, kind="text", classes=None, overlap=None)
    results = sensitivity.measure_settings(data, sensitivity.list_settings(data))
    assert results[0].single is not None
    assert results[0].agreement is not None
    [cut] = sensitivity.measure_cuts(data, method="majority", cuts=(0.5,))
    assert (cut.n_kept, cut.n_right, cut.balance) == (1, 1, {})


def test_the_files_say_the_same_and_the_page_stands_alone(planted: DataSet) -> None:
    """Rows of the tables are the results; the page has a panel a score, in words too, and nothing from outside."""
    results = sensitivity.measure_settings(planted, sensitivity.list_settings(planted, accuracies=(0.5,), seconds=(1,)))
    cuts = sensitivity.measure_cuts(planted, method="dawid_skene")
    files = sensitivity.build_sensitivity_files(planted, results, cuts)
    assert files == sensitivity.build_sensitivity_files(planted, results, cuts)
    assert sorted(files) == ["confidence_cut.csv", "sensitivity.csv", "sensitivity.html", "sensitivity.uk.html"]
    page = str(files["sensitivity.html"])
    assert page.count("<svg") == 4
    assert 'aria-label="Majority, share right, 95 % for this panel: as collected: ' in page
    assert "http" not in page.replace("http-equiv", "")
    table = pd.DataFrame(sensitivity.list_setting_rows(results))
    assert list(table["n_answers"]) == [120, 140, 120, 80, 60]


def test_the_last_cut_keeps_labels_that_are_certain() -> None:
    """Confidences are shares: none is above 1."""
    assert (CUTS[0], CUTS[-1]) == (0.0, 1.0)
    assert list(CUTS) == sorted(CUTS)
