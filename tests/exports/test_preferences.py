"""The comparisons of a data set: sides by the systems of each item, orders as shown, and repeats with swapped sides."""

from __future__ import annotations

from typing import Any

from exports.preferences import build_position_table, build_preference_table, read_preferences

Make = Any

LEFT, RIGHT = '["first", "second"]', '["second", "first"]'


def test_answers_follow_systems_and_orders(make: Make) -> None:
    """i1 has the systems the other way round, i3 has one system twice; a1 repeats both items with swapped sides."""
    systems = {"i1": ("b", "a"), "i2": ("a", "b"), "i3": ("a", "a")}
    answers = [
        ("i1", "a1", "second", LEFT, False), ("i2", "a1", "first", RIGHT, False), ("i1", "a2", "both_bad", None, False),
        ("i3", "a1", "first", LEFT, False), ("i1", "a1", "second", RIGHT, True), ("i2", "a1", "tie", LEFT, True),
        ("i2", "a2", "tie", LEFT, False),
    ]  # fmt: skip
    data = make.data_set(
        items=[make.item(name) for name in systems],
        responses=[
            make.response(item, person, answer, option_order=order, is_repeat=is_repeat)
            for item, person, answer, order, is_repeat in answers
        ],
        classes=("first", "second", "tie", "both_bad"),
        kind="preference",
        systems=systems,
    )
    found = read_preferences(data, confidence_level=0.95)
    assert found is not None
    (pair,) = found.pairs
    assert (pair.one, pair.wins, pair.ties, pair.losses, pair.both_bad) == ("a", 2, 2, 0, 1)
    assert found.comparisons.n_same == 1
    rows = {row["who"]: row for row in build_position_table(data, found).to_dict("records")}
    cells = [rows["a1"][name] for name in ("left", "right", "ties", "swap_consistency")]
    assert cells == [0, 2, 0, "0.5000"]  # the second of i1 was shown right, as was the first of i2
    assert build_preference_table(data, found)["value"].tolist() == ["0.7500"]
    assert build_preference_table(data, None).empty
    assert read_preferences(make.closed(), confidence_level=0.95) is None
