"""human_items.csv, class_scores.csv, confusion_matrix.csv, and what voters say of declared gold."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aggregation.answer_types.label import LabelType
from exports import sensitivity, tables, writers
from exports.report import render_report
from exports.results import DataSetResult, ResultOptions
from exports.tables import Release

Make = Any


def released(*data_sets: Any, **more: Any) -> Release:
    return tables.build_release(data_sets, agreement_resamples=50, **more)


def test_one_row_an_item(make: Make) -> None:
    """Votes, right ones, majority and tie, consensus and declared gold, answered or not."""
    data = make.closed()
    data.items["stimulus_sha256"] = [f"{number}" * 64 for number in range(1, 7)]
    assert writers.format_csv(released(data, ties="alphabetical").human_items) == (
        "dataset,item_id,stimulus_sha256,n_votes,n_right,majority,tie,consensus,gold,counts,entropy,p_correct\n"
        f'так-ні,i1,{"1" * 64},3,3,так,false,так,так,"{{""так"": 3, ""ні"": 0}}",0.0000,1.0000\n'
        f'так-ні,i2,{"2" * 64},3,2,так,false,так,так,"{{""так"": 2, ""ні"": 1}}",0.9183,0.6667\n'
        f'так-ні,i3,{"3" * 64},3,1,ні,false,ні,так,"{{""так"": 1, ""ні"": 2}}",0.9183,0.3333\n'
        f'так-ні,i4,{"4" * 64},3,3,так,false,так,так,"{{""так"": 3, ""ні"": 0}}",0.0000,1.0000\n'
        f'так-ні,i5,{"5" * 64},2,1,,true,ні,так,"{{""так"": 1, ""ні"": 1}}",1.0000,0.5000\n'
        f'так-ні,i6,{"6" * 64},0,0,,,,так,"{{""так"": 0, ""ні"": 0}}",,\n'
    )


def test_support_is_what_voters_say_of_declared_gold(make: Make) -> None:
    """It stands apart from the confidence of gold that votes made; accepted texts are support too."""
    items = [make.item("i1", "так"), make.item("i2")]
    release = released(make.data_set(items=items, responses=make.answered({"i1": "ттн", "i2": "ттн"})))
    cells = release.gold[["gold_confidence", "gold_support"]].to_numpy().tolist()
    assert cells == [[None, "0.6667"], ["0.6667", None]]
    texts = make.data_set(
        items=[make.item("i1", "Київ", n_options=None)],
        responses=[make.response("i1", f"a{n}", said) for n, said in enumerate(["київ.", "Києва", "Львів", "Київ"])],
        classes=None,
        kind="text",
        accepted={"i1": ("Києва",)},
    )
    assert list(released(texts).gold["gold_support"]) == ["0.7500"]
    assert list(released(texts).human_items["n_right"]) == [3]


def test_classes_of_every_unit(make: Make) -> None:
    """Precision, recall, F1 and support; a class that is never gold has no recall, a tie counts half for each label."""
    release = released(make.closed())
    columns = ["precision", "recall", "f1", "support", "answered"]
    rows = {
        (row["unit"], row["class"]): [row[column] for column in columns]
        for row in release.class_scores.to_dict("records")
    }
    assert rows["individual", "так"] == ["1.0000", "0.7143", "0.8333", "14", "10"]
    assert rows["individual", "ні"] == ["0.0000", None, "0.0000", "0", "4"]
    assert rows["majority", "так"] == ["1.0000", "0.7000", "0.8235", "5", "3.5000"]
    matrix = release.confusions.set_index(["unit", "gold", "answer"])["n"]
    assert matrix["majority"].to_dict() == {
        ("так", "так"): "3.5000", ("так", "ні"): "1.5000", ("ні", "так"): "0", ("ні", "ні"): "0",
    }  # fmt: skip
    assert matrix["individual"].to_dict()[("так", "ні")] == "4"


def test_a_skip_is_an_answer_without_label(make: Make) -> None:
    """The cell of the answer is empty, and recall falls."""
    rows = [*make.answered({"i1": "тт"}), make.response("i1", "a3", None, skip_reason="unclear")]
    release = released(make.data_set(items=[make.item("i1", "так")], responses=rows))
    matrix = release.confusions.loc[release.confusions["unit"] == "individual"]
    assert matrix[["gold", "answer", "n"]].to_numpy().tolist() == [
        ["так", "так", "2"],
        ["так", "ні", "0"],
        ["так", None, "1"],
        ["ні", "так", "0"],
        ["ні", "ні", "0"],
    ]
    assert release.class_scores.iloc[0][["precision", "recall"]].tolist() == ["1.0000", "0.6667"]


def test_options_of_their_own_have_no_classes(make: Make) -> None:
    """Both files are empty there; positions are marked in every row."""
    own = released(make.per_item())
    assert own.class_scores.empty
    assert own.confusions.empty
    positions = released(make.closed(classes_are_positions=True))
    assert set(positions.class_scores["classes_are_positions"]) == {True}
    assert set(positions.confusions["classes_are_positions"]) == {True}


def test_answers_that_are_no_labels_are_not_counted_by_class(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A type may compare its answers as classes, and have too many for a table or a matrix."""
    data = make.closed()
    monkeypatch.setattr(LabelType, "is_label", False)
    [cut] = sensitivity.measure_cuts(data, method="majority", cuts=(0.5,))
    assert (cut.n_kept, cut.balance) == (4, {})
    results = DataSetResult(data=data, options=ResultOptions())
    assert results.performance is not None
    assert results.confusions == {}


def test_the_page_shows_classes_and_matrices(make: Make) -> None:
    """One row a unit and class, one small matrix a unit, what is undefined as a dash."""
    page = render_report(released(make.closed()))
    assert '<th scope="row">Single answers: так</th><td>100.0 %</td><td>71.4 %</td><td>83.3 %</td>' in page
    assert '<th scope="row">Single answers: ні</th><td>0.0 %</td><td>–</td><td>0.0 %</td>' in page
    assert "так-ні: Majority (rows: gold, columns: answers)" in page
    assert '<th scope="row">так</th><td>3.5</td><td>1.5</td>' in page


def test_everything_but_baselines_is_a_fraction(make: Make) -> None:
    """The mean posterior too, which publications print in percent."""
    release = released(make.closed())
    published = release.agreement["так-ні"]
    iaa = published["dawid_skene"]["iaa"]
    assert 0.5 < iaa["value"] <= 1
    shares = [row["value"] for row in published["agreement"]["coefficients"] if row["value"] is not None]
    assert all(-1 <= share <= 1 for share in shares)
    assert "in percent" not in json.dumps(published)
    assert "100 times" not in json.dumps(published)
