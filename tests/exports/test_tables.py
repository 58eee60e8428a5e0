"""The files of a release, whole, from data sets small enough to count by hand."""

from __future__ import annotations

import json
import re
import runpy
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from aggregation.errors import HromadaError
from exports import tables, writers
from exports.inputs import RESPONSE_COLUMNS, DataSet
from exports.paper import folder_readme
from exports.tables import Release

Make = Any
FEW = {"agreement_resamples": 50}
FILES = [
    "agreement.json", "annotators.csv", "baselines.csv", "class_scores.csv", "confusion_matrix.csv", "gold.csv",
    "human_baseline.csv", "human_items.csv", "human_responses.csv", "label_distributions.jsonl", "order_effects.csv",
    "trivial_baselines.csv",
]  # fmt: skip


def released(*data_sets: DataSet, **choices: Any) -> Release:
    return tables.build_release(data_sets, **(FEW | choices))


def shuffled(data: DataSet, seed: int) -> DataSet:
    return replace(
        data,
        responses=data.responses.sample(frac=1, random_state=seed),
        items=data.items.sample(frac=1, random_state=seed),
    )


def baseline(release: Release, unit: str) -> dict[str, Any]:
    rows = release.baselines.loc[release.baselines["unit"] == unit]
    return {str(name): rows[name].item() for name in rows.columns}


def test_gold_of_declared_labels_and_of_votes(make: Make) -> None:
    """Declared gold stands with its origin and version, the votes fill the rest, unseen items stay in the table."""
    items = [
        make.item("i1", "ні", gold_origin="expert", gold_version="2", group="g"),
        make.item("i2"),
        make.item("i3"),
        make.item("i4"),
        make.item("i5", "так"),
    ]
    answers = [*make.answered({"i1": "ттн", "i2": "ттт", "i3": "тн"}), make.response("i2", "a4", "ні")]
    answers += [make.response("i2", "a5", "ні", excluded_reason="too fast"), make.response("i2", "a6", None)]
    method = '"majority (crowd-kit 1.4.2), ties: drop"'
    release = released(make.data_set(items=items, responses=answers))
    assert writers.format_csv(release.gold) == (
        "dataset,item_id,group,gold,origin,version,confidence,gold_confidence,gold_support,consensus,method,tie,n_votes,"
        "n_excluded,warning,counts,entropy,p_correct\n"
        f'так-ні,i1,g,ні,expert,2,0.6667,,0.3333,так,{method},false,3,0,,"{{""так"": 2, ""ні"": 1}}",0.9183,0.3333\n'
        f'так-ні,i2,i2,так,votes,,0.7500,0.7500,,так,{method},false,4,2,,"{{""так"": 3, ""ні"": 1}}",0.8113,\n'
        f'так-ні,i3,i3,,,,0.5000,,,,{method},true,2,0,,"{{""так"": 1, ""ні"": 1}}",1.0000,\n'
        'так-ні,i4,i4,,,,,,,,,,0,0,,"{""так"": 0, ""ні"": 0}",,\n'
        'так-ні,i5,i5,так,construction,1,,,,,,,0,0,,"{""так"": 0, ""ні"": 0}",,\n'
    )


def test_the_tie_rule_settles_gold_and_is_recorded(make: Make) -> None:
    """Under `alphabetical` the tied item takes the first label by code point, and the method says so."""
    data = make.data_set(items=[make.item("i1")], responses=make.answered({"i1": "тн"}))
    row = released(data, ties="alphabetical").gold.iloc[0]
    assert (row["gold"], row["origin"], row["tie"]) == ("ні", "votes", True)
    assert row["method"] == "majority (crowd-kit 1.4.2), ties: alphabetical"


def test_annotators_are_scored_on_items_with_gold(make: Make) -> None:
    """n, right and accuracy count votes on items with gold; the median of seconds is over all votes."""
    answers = [*make.answered({"i1": "тн", "i2": "т", "i3": "т"}), make.response("i1", "a9", "так", seconds=1.0)]
    answers[-1] |= {"excluded_kind": "rule", "excluded_reason": "too fast"}
    data = make.data_set(items=[make.item("i1", "так"), make.item("i2", "ні"), make.item("i3")], responses=answers)
    assert writers.format_csv(released(data).annotators) == (
        "dataset,annotator,insider,n,right,accuracy,independent_low,independent_high,n_with_others,agreement_with_others,"
        "agreement_with_others_dawid_skene,severity,severity_low,severity_high,spread,correlation_with_others,skips,controls,"
        "controls_right,repeats,self_agreement,seconds_median,fast_share,excluded_reason\n"
        "так-ні,a1,false,2,1,0.5000,0.0000,1.0000,,,,,,,,,0,0,0,0,,1.00,0.0000,\n"
        "так-ні,a2,false,1,0,0.0000,0.0000,1.0000,,,,,,,,,0,0,0,0,,2.00,0.0000,\n"
        "так-ні,a9,false,0,0,,,,,,,,,,,,0,0,0,0,,,,\n"
    )


def test_annotators_without_gold_are_counted_but_not_scored(make: Make) -> None:
    """Without gold n counts votes, and the cells of the score are empty."""
    data = make.data_set(items=[make.item("i1"), make.item("i2")], responses=make.answered({"i1": "тн", "i2": "т"}))
    release = released(data)
    assert writers.format_csv(release.annotators).splitlines()[1:] == [
        "так-ні,a1,false,2,,,,,,,,,,,,,0,0,0,0,,1.00,0.0000,",
        "так-ні,a2,false,1,,,,,,,,,,,,,0,0,0,0,,2.00,0.0000,",
    ]
    assert release.baselines.empty
    reasons = release.agreement["так-ні"]["baselines"]["missing_units"]
    assert reasons == dict.fromkeys(
        ["individual", "majority", "dawid_skene"], "No item has gold to score people against."
    )


def test_baselines_in_percent(make: Make) -> None:
    """Units, totals, wrong answers, random guesses and ties as counted by hand from five answered items of six."""
    release = released(make.closed())
    assert list(release.baselines.columns) == list(tables.BASELINE_COLUMNS)
    assert list(release.baselines["unit"]) == ["individual", "majority", "dawid_skene"]
    individual, majority = baseline(release, "individual"), baseline(release, "majority")
    counted = {"total": 14, "wrong": 4, "bl_human": "71.43", "bl_random": "50.00", "bl_random_exact": "50.00"}
    counted |= {"n_items": 5, "n_annotators": 3, "n_ties": 0, "independent_low": "0.4547", "independent_high": "0.8950"}
    counted |= {"ann_mean": "0.7000", "ann_q1": "0.5500", "ann_median": "0.6000", "ann_q3": "0.8000", "ann_min": None}
    assert {name: individual[name] for name in counted} == counted
    assert (majority["total"], majority["wrong"], majority["bl_human"], majority["n_ties"]) == (5, 1, "70.00", 1)
    assert majority["bl_human_ties_wrong"] == "60.00"
    assert majority["ann_mean"] is None
    few = "Only 3 people. With fewer than 10, other people’s scores can barely be estimated."
    missing = "With 3 people nothing can be said of new ones; 5 are needed."
    assert (individual["warning"], individual["bl_human_low"]) == (f"{few} {missing}", None)
    assert 0 < float(individual["item_only_low"]) < 10 / 14 < float(individual["item_only_high"]) < 1
    assert baseline(release, "dawid_skene")["warning"].startswith(few)
    assert majority["ci_method"].startswith("variance of ")


def test_every_metric_of_every_unit_has_a_row(make: Make) -> None:
    """human_baseline.csv: fractions with four decimals; options of the item's own have the accuracy alone."""
    release = released(make.closed(), make.per_item())
    assert list(release.scores.columns) == [
        "dataset", "subset", "unit", "metric", "value", "ci_low", "ci_high", "se", "item_only_low", "item_only_high",
        "ci_method", "total", "n_items", "n_annotators", "n_ties", "value_ties_wrong", "beyond_half_width",
        "warning", "normalise", "variance_people", "variance_groups", "variance_items", "variance_cell", "icc_people",
        "icc_groups", "icc_items",
    ]  # fmt: skip
    assert set(release.scores["subset"]) == {"all"}
    found = release.scores.loc[release.scores["dataset"] == "так-ні", ["unit", "metric", "value", "n_ties"]]
    assert found.to_numpy().tolist()[:8] == [
        ["individual", "accuracy", "0.7143", 0],
        ["individual", "macro_f1", "0.4167", 0],
        ["individual", "weighted_f1", "0.8333", 0],
        ["individual", "mcc", None, 0],
        ["majority", "accuracy", "0.7000", 1],
        ["majority", "macro_f1", "0.4118", 1],
        ["majority", "weighted_f1", "0.8235", 1],
        ["majority", "mcc", None, 1],
    ]
    own = release.scores.loc[release.scores["dataset"] == "слова", "metric"]
    assert list(own) == ["accuracy", "accuracy"]


def test_the_headline_of_agreement_rests_on_the_planned_overlap(make: Make) -> None:
    """A fourth answer to a contested item is in the pooled row alone; imported answers have only that row."""
    answers = make.answered({"i1": "ттт", "i2": "ттнт", "i3": "ттт"})
    items = [make.item(f"i{number}") for number in (1, 2, 3)]
    for overlap, bases in ((3, ["first", "pooled"]), (4, ["first"]), (None, ["pooled"])):
        published = released(make.data_set(items=items, responses=answers, overlap=overlap)).agreement["так-ні"]
        rows = [row for row in published["agreement"]["coefficients"] if row["name"] == "percent_agreement"]
        assert [row["basis"] for row in rows] == bases


def test_random_is_over_the_whole_set_and_exact_over_what_is_scored(make: Make) -> None:
    """bl_random is 100 over the mean number of options of all items; guessing on the scored items gets the mean of 1/n.

    i3 has answers and no gold, so nobody can guess it right or wrong.
    """
    items = [make.item("i1", "так", n_options=2), make.item("i2", "так", n_options=4), make.item("i3", n_options=6)]
    data = make.data_set(items=items, responses=make.answered({"i1": "т", "i2": "т", "i3": "т"}), classes=None)
    row = baseline(released(data), "individual")
    assert (row["bl_random"], row["bl_random_exact"]) == ("25.00", "37.50")


def test_options_of_their_own_give_no_dawid_skene_and_the_reason(make: Make) -> None:
    """Without shared classes there is no row, agreement.json has the reason, and alpha is refused with its own."""
    release = released(make.per_item(), method="dawid_skene")
    assert list(release.baselines["unit"]) == ["individual", "majority"]
    published = release.agreement["слова"]
    assert published["baselines"]["missing_units"] == {
        "dawid_skene": "Dawid-Skene needs the same labels on every item. Here the options differ between items or are "
        "free text. Use majority or one_coin."
    }
    alpha = next(row for row in published["agreement"]["coefficients"] if row["name"] == "krippendorff_alpha_nominal")
    assert alpha["value"] is None
    assert "no shared classes" in alpha["reason"]
    assert published["dawid_skene"] is None
    assert (published["consensus"]["asked"], published["consensus"]["method"]) == ("dawid_skene", "majority")
    assert published["consensus"]["reason"].endswith("The majority is used instead.")
    assert set(release.gold["method"]) == {"majority (crowd-kit 1.4.2), ties: drop"}


def test_classes_that_are_positions_are_marked_everywhere(make: Make) -> None:
    """Gold's method, every baseline's interval and every coefficient say that classes are positions, else none does."""
    marked, plain = released(make.closed(classes_are_positions=True)), released(make.closed())
    for release, expected in ((marked, True), (plain, False)):
        cells = [*release.gold["method"].dropna(), *release.baselines["ci_method"]]
        assert {cell.endswith("; classes are positions") for cell in cells} == {expected}
        published = release.agreement["так-ні"]
        assert {row["classes_are_positions"] for row in published["agreement"]["coefficients"]} == {expected}
        assert published["classes_are_positions"] is expected


def test_agreement_json_says_what_was_counted_and_how_dawid_skene_ended(make: Make) -> None:
    """Counts, exclusions by reason, coefficients with their making, iterations, seeds and the simulated flag."""
    data = make.closed(simulated=True)
    data.responses.loc[0, ["excluded_kind", "excluded_reason"]] = "rule", "too fast"
    data.responses.loc[1, ["response", "excluded_kind", "excluded_reason"]] = None, "no answer", "no response"
    published = released(data, seed=7).agreement["так-ні"]
    assert published["simulated"] is True
    assert published["counts"] == {
        "items": 6,
        "items_with_gold": 6,
        "items_with_votes": 5,
        "annotators": 3,
        "annotators_without_votes": 0,
        "annotators_without_votes_by_reason": {},
        "insiders": 0,
        "items_without_votes": 1,
        "items_without_votes_by_reason": {"nobody answered": 1},
        "votes": 12,
        "skips": 0,
        "skips_by_reason": {},
        "excluded": 2,
        "excluded_by_reason": {"no response": 1, "too fast": 1},
        "excluded_post_hoc": 0,
    }
    equal = published["agreement"]["coefficients"][0]
    assert (equal["name"], equal["n_items"], equal["n_votes"]) == ("percent_agreement", 4, 11)
    assert "seed 7" in equal["how"] or equal["reason"].startswith("No interval")
    assert published["dawid_skene"]["iterations"] >= 1
    assert isinstance(published["dawid_skene"]["converged"], bool)
    assert (published["agreement"]["seed"], published["consensus"]["seed"]) == (7, 7)
    assert published["baselines"]["warnings"]["majority"][0].startswith("Only 3 people")
    assert published["baselines"]["reasons"]["majority"]["mcc"].startswith("Undefined")


def test_responses_are_all_there_sorted_and_named_by_data_set(make: Make) -> None:
    """Excluded rows stay, data sets and rows are sorted, revisions count as numbers, the columns are RESPONSES."""
    rows = [
        make.response("i2", "b", "так"),
        make.response("i1", "b", "ні", revision=10, dataset="old name"),
        make.response("i1", "b", "так", revision=9, excluded_reason="undone"),
        make.response("i1", "a", "=так", seconds=1.5, is_control=True, option_order='["так", "ні"]'),
    ]
    second = make.data_set("б", items=[make.item("i1"), make.item("i2")], responses=rows, classes=None)
    first = make.data_set("а", items=[make.item("x")], responses=[make.response("x", "a", "так")])
    release = released(second, first)
    assert list(release.responses.columns) == list(RESPONSE_COLUMNS)
    assert writers.format_csv(release.responses).splitlines()[1:] == [
        "а,x,1,x,a,,так,так,,так,,,,,,,,,,main,false,,,,,,,,,",
        """б,i1,1,i1,a,,'=так,'=так,,'=так,,"[""так"", ""ні""]",,,,1.5,,,,main,true,,,,,control item,control item,,,""",
        "б,i1,1,i1,b,,так,так,,так,undone,,,,,,,,,main,false,,,9,,extra,undone,,,",
        "б,i1,1,i1,b,,ні,ні,,ні,,,,,,,,,,main,false,,,10,,,,,,",
        "б,i2,1,i2,b,,так,так,,так,,,,,,,,,,main,false,,,,,,,,,",
    ]


def test_the_same_votes_give_the_same_bytes_in_whatever_order(make: Make, tmp_path: Path) -> None:
    """A second run, shuffled rows and shuffled data sets change no byte of any file."""
    rows = [
        make.response("i5", annotator, "так", insider=annotator == "b1", exposed=annotator == "b2")
        for annotator in ("b1", "b2")
    ]
    rows += [make.response("i6", "b1", None, skip_reason="unclear"), make.response("i1", "a1", "ні", is_repeat=True)]
    rows += [make.response("i6", "b3", "так", revision=1, first_response="ні")]
    plain = make.closed()
    everything = replace(
        plain, responses=pd.concat([plain.responses, make.data_set(items=[], responses=rows).responses])
    )
    data_sets = [replace(everything, responses=everything.responses.reset_index(drop=True)), make.per_item()]
    texts = []
    for number, given in enumerate(
        (data_sets, data_sets, [shuffled(data, 3) for data in reversed(data_sets)]),
    ):
        folder = tmp_path / str(number)
        paths = tables.write_release(released(*given), folder)
        assert [path.name for path in paths] == FILES
        texts.append([path.read_bytes() for path in paths])
    assert texts[0] == texts[1] == texts[2]


def test_a_changed_answer_changes_the_score(make: Make) -> None:
    """The numbers come from the answers: one answer more that is right is one less wrong."""
    before = baseline(released(make.closed()), "individual")["wrong"]
    data = make.closed()
    wrong = data.responses.index[data.responses["response"] == "ні"][0]
    data.responses.loc[wrong, "response"] = "так"
    assert baseline(released(data), "individual")["wrong"] == before - 1


@pytest.mark.parametrize("method", ["majority", "dawid_skene"])
def test_a_data_set_without_votes_is_published_all_the_same(make: Make, method: str, tmp_path: Path) -> None:
    """Nobody answered, or all is excluded: empty consensus, no coefficients, no units, and the reason for each."""
    excluded = [make.response("i1", "a1", "так", excluded_reason="pilot")]
    for name, rows in (("nobody", []), ("excluded", excluded)):
        data = make.data_set(name, items=[make.item("i1", "так"), make.item("i2")], responses=rows)
        release = released(data, method=method)
        assert list(release.gold["gold"]) == ["так", None]
        assert list(release.gold["n_votes"]) == [0, 0]
        assert list(release.gold["n_excluded"]) == [len(rows), 0]
        assert list(release.annotators["n"]) == [0] * len(rows)
        assert release.baselines.empty
        published = release.agreement[name]
        assert published["agreement"]["coefficients"] == []
        assert published["agreement"]["reason"].startswith("No answer counts")
        assert set(published["baselines"]["missing_units"]) == {"individual", "majority", "dawid_skene"}
        assert len(tables.write_release(release, tmp_path)) == len(FILES)


def test_dawid_skene_makes_gold_where_it_is_asked_for(make: Make) -> None:
    """The method stands in gold.csv with the version that made it, and its fit is the one that is published."""
    release = released(make.closed(), method="dawid_skene", ties="alphabetical")
    (method,) = set(release.gold["method"].dropna())
    assert re.fullmatch(
        r"dawid_skene \(crowd-kit 1\.4\.2\), \d+ iterations, (not )?converged, ties: alphabetical", method
    )
    assert set(release.gold["warning"].dropna()) == {" ".join(release.results[0].consensus.warnings)}  # type: ignore[union-attr]
    assert release.results[0].dawid_skene is release.results[0].consensus


def test_the_readme_has_words_for_every_table(make: Make) -> None:
    """Those of panels, points and preferences too."""
    release = released(make.closed())
    names = [field.name for field in fields(release) if isinstance(getattr(release, field.name), pd.DataFrame)]
    rows: dict[str, Any] = {name: pd.DataFrame({"n": [1]}) for name in names if getattr(release, name).empty}
    full = replace(release, **rows)
    assert len(tables.build_files(full)) > len(FILES)
    assert tables.build_files(full).keys() <= folder_readme.FILES.keys()


def test_the_reference_has_the_columns_of_every_table(make: Make) -> None:
    """Each CSV file that is written has the columns that docs/reference/columns.md lists, in that order."""
    listed = runpy.run_path(str(Path(__file__).parents[2] / "docs/reference/list_columns.py"))["TABLES"]
    written = tables.build_files(released(make.closed()))
    heads = {name: text.partition("\n")[0].split(",") for name, text in written.items() if name.endswith(".csv")}
    assert len(heads) >= 10
    assert heads == {name: list(listed[name]) for name in heads}


def test_two_data_sets_of_one_name_are_refused(make: Make) -> None:
    """Their rows could not be distinguished in the files."""
    with pytest.raises(HromadaError, match=r"Two data sets are called 'так-ні'\. Give each its own name\."):
        released(make.closed(), make.closed())


def test_progress_rises_to_the_end(make: Make) -> None:
    """The share done never falls and ends at one."""
    heard: list[float] = []
    released(make.closed(), make.per_item(), progress=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == pytest.approx(1)


def test_agreement_json_is_read_back_as_it_was(make: Make, tmp_path: Path) -> None:
    """The file is JSON with one object a data set, and further texts are written with it."""
    release = released(make.closed(), make.per_item())
    paths = tables.write_release(release, tmp_path, extra_files={"report.html": "<!DOCTYPE html>\n"})
    assert sorted(path.name for path in paths) == sorted([*FILES, "report.html"])
    read = json.loads((tmp_path / "agreement.json").read_text(encoding="utf-8"))
    assert read == release.agreement
    assert list(read) == ["слова", "так-ні"]


def test_majorities_of_fresh_people_have_rows_of_their_own(make: Make) -> None:
    """Five people who answered everything: the majority of three beside single answers and the majority of all."""
    items = [make.item(f"i{number}", "так") for number in range(8)]
    votes = {f"i{number}": "ттттт" if number % 3 else "тнтнт" for number in range(8)}
    release = released(make.data_set(items=items, responses=make.answered(votes), overlap=5))
    rows = release.scores.loc[release.scores["metric"] == "accuracy"].set_index("unit")
    assert list(rows.index) == ["individual", "majority", "dawid_skene", "majority of 3"]
    row = rows.loc["majority of 3"]
    # of ten subsets of ттт нн seven have two or three right; three of eight items are such
    assert row["value"] == f"{(5 + 3 * 0.7) / 8:.4f}"
    assert float(row["ci_low"]) < float(row["value"]) < float(row["ci_high"])
    assert list(release.baselines["unit"]) == ["individual", "majority", "dawid_skene"]
