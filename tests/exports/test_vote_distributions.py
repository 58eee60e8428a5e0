"""Counts of votes by option, their entropy and the share that is right, in every file that has them."""

import json
from typing import Any

import pytest

from exports.tables import Release, build_files, build_release

Make = Any


def released(data: Any) -> Release:
    return build_release([data], agreement_resamples=50)


def test_items_with_options_of_their_own_count_each_of_them(make: Make) -> None:
    """Options that nobody chose have 0, also on an item that nobody answered; there is one JSON object an item."""
    data = make.data_set(
        items=[make.item("i1", "б", n_options=3), make.item("i2", n_options=2)],
        responses=[make.response("i1", f"a{n}", said) for n, said in enumerate("аббв")],
        classes=None,
        own_options={"i1": ("а", "б", "в"), "i2": ("г", "ґ")},
    )
    rows = released(data).human_items
    assert [json.loads(counts) for counts in rows["counts"]] == [{"а": 1, "б": 2, "в": 1}, {"г": 0, "ґ": 0}]
    assert rows[["entropy", "p_correct"]].to_numpy().tolist() == [["1.5000", "0.5000"], [None, None]]
    lines = [json.loads(line) for line in build_files(released(data))["label_distributions.jsonl"].splitlines()]
    assert lines == [
        {"dataset": "так-ні", "item_id": "i1", "n": 4, "counts": {"а": 1, "б": 2, "в": 1}, "entropy": 1.5},
        {"dataset": "так-ні", "item_id": "i2", "n": 0, "counts": {"г": 0, "ґ": 0}, "entropy": None},
    ]


def test_positions_count_only_the_places_that_an_item_has(make: Make) -> None:
    """Of classes A to C an item with two options offers A and B."""
    data = make.data_set(
        items=[make.item("i1", "A", n_options=2), make.item("i2", "C", n_options=3)],
        responses=[make.response("i1", "a1", "A"), make.response("i2", "a1", "C")],
        classes=("A", "B", "C"),
        classes_are_positions=True,
    )
    counts = [json.loads(cell) for cell in released(data).gold["counts"]]
    assert counts == [{"A": 1, "B": 0}, {"A": 0, "B": 0, "C": 1}]


def test_ticked_boxes_are_counted_and_texts_are_not(make: Make) -> None:
    """Boxes have no entropy, because a vote can tick several; texts have none of the columns."""
    boxes = make.data_set(
        items=[make.item("i1", '["к"]', n_options=None)],
        responses=[make.response("i1", "a1", '["к", "п"]'), make.response("i1", "a2", '["к"]')],
        classes=None,
        kind="boxes",
        boxes=("к", "п", "р"),
    )
    row = released(boxes).human_items.iloc[0]
    assert (json.loads(row["counts"]), row["entropy"], row["p_correct"]) == ({"к": 2, "п": 1, "р": 0}, None, "0.5000")
    texts = make.data_set(
        items=[make.item("i1", "Київ", n_options=None)],
        responses=[make.response("i1", "a1", "Київ")],
        classes=None,
        kind="text",
    )
    assert list(released(texts).gold.iloc[0][["counts", "entropy", "p_correct"]]) == [None, None, None]
    assert "label_distributions.jsonl" not in build_files(released(texts))


@pytest.mark.parametrize("circular", [True, False])
def test_gold_made_of_the_votes_has_no_share_of_right_ones(make: Make, circular: bool) -> None:
    """The share would be that of the majority for itself."""
    item = make.item("i1", "так") | {"circular": circular}
    release = released(make.data_set(items=[item], responses=make.answered({"i1": "ттн"})))
    assert list(release.gold["p_correct"]) == [None if circular else "0.6667"]
