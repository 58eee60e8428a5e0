"""Data sets compared: which answers and skips count, which items are compared, and the files."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from aggregation.comparison.projects import compare_projects
from exports.inputs import DataSet
from exports.project_comparison import build_comparison_files, build_project_answers, match_items

if TYPE_CHECKING:
    from tests.exports.conftest import Make


def change_items(data: DataSet, name: str, *, item: str, column: str, value: object) -> DataSet:
    """The data set under another name, with another cell of an item."""
    cells = [
        value if known == item else cell for known, cell in zip(data.items["item_id"], data.items[column], strict=True)
    ]
    return replace(data, name=name, items=data.items.assign(**{column: pd.Series(cells, dtype=object)}))


def add_hashes(data: DataSet, **changed: str) -> DataSet:
    """The data set with a hash for each item's text, the same in every data set but for those that changed."""
    return replace(data, text_hashes={str(item): "0" * 64 for item in data.items["item_id"]} | changed)


def test_skips_of_every_kind_are_offers(make: type[Make]) -> None:
    """Answered, skipped (due or not) and abstained items were offered; control items and excluded answers were not."""
    responses = [
        make.response("i1", "a1", "так", seconds=3.0),
        make.response("i1", "a2", None, skip_reason="unclear"),
        make.response("i2", "a1", "ні", excluded_reason="abstained"),
        make.response("i2", "a2", "ні", is_control=True),
        make.response("i2", "a3", "так", excluded_reason="too fast", by_rule=True),
    ]
    data = make.data_set(items=[make.item("i1", "так"), make.item("i2", "ні")], responses=responses)
    skipped = data.responses.iloc[[1]].assign(annotator="a4", item_id="i2", excluded_kind="skipped")
    data = replace(data, responses=pd.concat([data.responses, skipped], ignore_index=True))
    offers = build_project_answers(data).offers
    rows = [
        (row.item, row.annotator, row.skipped, row.is_due)
        for row in offers.sort_values(["item", "annotator"]).itertuples()
    ]
    assert rows == [
        ("i1", "a1", False, False),
        ("i1", "a2", True, True),
        ("i2", "a1", True, False),
        ("i2", "a4", True, False),
    ]


def test_only_the_first_votes_of_an_item_are_compared(make: type[Make]) -> None:
    """As scores and agreement do: contested items with more votes would weigh more."""
    data = make.data_set(items=[make.item("i1", "так")], responses=make.answered({"i1": "тттнн"}), overlap=3)
    assert len(build_project_answers(data).answers.votes.frame) == len(build_project_answers(data).offers) == 3


def test_items_are_matched_and_their_differences_told(make: type[Make]) -> None:
    """By id: one is only in the first, one has another text, one other gold."""
    one = make.closed("one")
    two = change_items(make.closed("two"), "two", item="i2", column="gold", value="ні")
    two = replace(
        two,
        items=two.items.loc[two.items["item_id"] != "i3"],
        responses=two.responses.loc[two.responses["item_id"] != "i3"],
    )
    found = match_items([add_hashes(one), add_hashes(two, i1="f" * 64)])
    assert list(found.itertuples(index=False, name=None)) == [
        ("i1", True, None, True, False),
        ("i2", True, None, False, True),
        ("i3", False, "two", False, False),
        ("i4", True, None, False, False),
        ("i5", True, None, False, False),
        ("i6", True, None, False, False),
    ]
    compared = compare_projects(build_project_answers(one), build_project_answers(two))
    assert compared.find_difference("skips").n_items == 4, "nobody was asked about i6"


def test_the_files_hold_what_was_computed(make: type[Make]) -> None:
    """A row per measure, a row per item; the same each time."""
    data = (add_hashes(make.closed("one")), add_hashes(make.closed("two")))
    compared = compare_projects(*map(build_project_answers, data))
    files = build_comparison_files(compared, match_items(data))
    assert files == build_comparison_files(compared, match_items(data))
    tables = {name: list(csv.DictReader(io.StringIO(text))) for name, text in files.items()}
    rows = {row["measure"]: row for row in tables["pilot_differences.csv"]}
    assert float(rows["accuracy"]["first"]) == pytest.approx(10 / 14, abs=1e-6)
    assert float(rows["mean_seconds"]["second"]) == pytest.approx(27 / 14, abs=1e-6)
    assert rows["accuracy"]["difference"] == "0"
    assert rows["accuracy"]["n_common_people"] == "3"
    assert [(row["item_id"], row["compared"]) for row in tables["pilot_items.csv"]] == [
        (f"i{number}", "true") for number in range(1, 7)
    ]
