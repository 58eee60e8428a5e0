"""Boxes: each as a question of its own, and sets as wholes by Jaccard's and MASI distance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from _examples import limit_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregation.answer_types.box_votes import Selections, check_selections
from aggregation.answer_types.boxes import (
    DISTANCES,
    compute_box_agreement,
    compute_set_agreement,
    jaccard_distance,
    masi_distance,
)
from aggregation.consensus.methods import build_label_consensus
from aggregation.errors import HromadaError

BOXES = ("morphology", "syntax", "semantics")
Rows = list[tuple[str, str, tuple[str, ...]]]
SMALL: Rows = [
    ("i", "a", ("syntax",)),
    ("i", "b", ("syntax", "morphology")),
    ("j", "a", ()),
    ("j", "b", ()),
    ("k", "a", ("semantics",)),
    ("k", "b", ("morphology",)),
    ("k", "c", ("semantics",)),
    ("l", "a", ("syntax",)),
]
ROWS = st.lists(
    st.tuples(st.sampled_from("ijklmn"), st.sampled_from("abc"), st.sets(st.sampled_from(BOXES)).map(sorted)),
    max_size=25,
)


def build(rows: Iterable[tuple[str, str, Iterable[str]]]) -> Selections:
    frame = pd.DataFrame(list(rows), columns=["item", "annotator", "answer"], dtype=object)
    ids = sorted(set(frame["item"]))
    items = pd.DataFrame({"group": ids}, index=pd.Index(ids, dtype=object))
    return check_selections(frame, items=items, boxes=BOXES)


def told(rows: Iterable[Any]) -> dict[tuple[str, str], float | None]:
    return {(row.of, row.name): row.value for row in rows}


def test_distances_by_hand() -> None:
    """One within the other weighs two thirds, an overlap one third, nothing in common nothing."""
    sets = {name: np.array([letter in name for letter in "xyz"]) for name in ("", "x", "xy", "yz", "z")}
    assert jaccard_distance(sets["x"], sets["xy"]) == 0.5
    assert jaccard_distance(sets[""], sets[""]) == 0
    assert masi_distance(sets["x"], sets["x"]) == masi_distance(sets[""], sets[""]) == 0
    assert masi_distance(sets["x"], sets["xy"]) == pytest.approx(1 - 1 / 2 * 2 / 3)
    assert masi_distance(sets["xy"], sets["yz"]) == pytest.approx(1 - 1 / 3 * 1 / 3)
    assert masi_distance(sets["x"], sets["z"]) == masi_distance(sets["x"], sets[""]) == 1


def test_boxes_have_their_own_votes() -> None:
    """Each box is a question with yes and no, so the majority is taken box by box."""
    made = build(SMALL)
    labels = build_label_consensus(made.build_votes("semantics"), method="majority", ties="drop").labels["label"]
    assert labels.to_dict() == {"i": "no", "j": "no", "k": "yes", "l": "no"}
    values = told(compute_box_agreement(made, n_resamples=5))
    assert values["syntax", "percent_agreement"] == 1
    assert values["morphology", "percent_agreement"] == pytest.approx((0 + 1 + 1 / 3) / 3)
    assert list(dict.fromkeys(of for of, _ in values)) == list(BOXES)


def test_the_intervals_of_boxes_have_the_level_that_is_asked() -> None:
    """Of the same resamples, half of them cover less than 95 %."""
    rows = [(f"i{n}", who, BOXES[: (n * 7 + n // 5 + len(who)) % 3]) for n in range(30) for who in ("a", "bb", "ccc")]
    narrow, wide = (
        compute_box_agreement(build(rows), n_resamples=200, confidence_level=level) for level in (0.5, 0.95)
    )
    widths = [
        (one.high - one.low, other.high - other.low)
        for one, other in zip(narrow, wide, strict=True)
        if one.low is not None and one.high is not None and other.low is not None and other.high is not None
    ]
    assert len(widths) >= len(BOXES)
    assert all(half < most for half, most in widths)


@settings(deadline=None, max_examples=limit_examples(40))
@given(rows=ROWS)
def test_alpha_of_sets_equals_nltk(rows: Rows) -> None:
    """nltk's alpha with our distances, which takes them as they are."""
    from nltk.metrics.agreement import AnnotationTask

    made = {row.name: row for row in compute_set_agreement(build(rows))}
    several = [(f"{number}", item, frozenset(answer)) for number, (item, _, answer) in enumerate(rows)]
    counts = pd.Series([row[1] for row in several], dtype=object).value_counts()
    kept = [row for row in several if counts[row[1]] > 1]
    for name, distance in DISTANCES.items():
        value = made[name].value
        if value is None:
            assert len({row[2] for row in kept}) < 2
            continue

        def between(one: frozenset[str], two: frozenset[str], apart: Any = distance) -> float:
            return float(apart(*(np.array([box in chosen for box in BOXES]) for chosen in (one, two))))

        assert value == pytest.approx(AnnotationTask(kept, distance=between).alpha(), abs=1e-9)


def test_only_the_first_votes_count_under_a_plan() -> None:
    """The third vote on k came because the first two differed."""
    exact = compute_set_agreement(build(SMALL), overlap=2)[0]
    assert exact.value == pytest.approx(1 / 3)
    assert (exact.basis, exact.n_votes) == ("first", 6)
    pooled = compute_set_agreement(build(SMALL))[0]
    assert pooled.value == pytest.approx((0 + 1 + 1 / 3) / 3)
    assert pooled.basis == "pooled"


@pytest.mark.parametrize("rows", [[], [("i", "a", ("syntax",))]], ids=["empty", "no overlap"])
def test_nothing_to_compare_is_said(rows: Rows) -> None:
    """Every coefficient is undefined with that reason."""
    assert {(row.value, row.reason) for row in compute_set_agreement(build(rows))} == {
        (None, "No item has two votes, so there is nothing to compare.")
    }


def test_equal_sets_leave_alpha_undefined() -> None:
    """All the same: agreement is full, and alpha undefined, not one."""
    rows = compute_set_agreement(build([(item, person, ("syntax",)) for item in "ij" for person in "ab"]))
    assert [row.value for row in rows] == [1, None, None]
    assert "alpha is undefined" in rows[1].reason


@settings(deadline=None, max_examples=limit_examples(30))
@given(rows=ROWS, seed=st.integers(0, 99))
def test_order_names_and_copies_change_nothing(rows: Rows, seed: int) -> None:
    """Rows shuffled, people and boxes renamed, items copied (alpha's n - 1 alone notices)."""
    one = compute_set_agreement(build(rows))
    shuffled = [rows[place] for place in np.random.default_rng(seed).permutation(len(rows))]
    assert compute_set_agreement(build(shuffled)) == one
    turned = dict(zip(BOXES, (*BOXES[1:], BOXES[0]), strict=True))
    renamed = build([(item, f"p{person}", [turned[box] for box in answer]) for item, person, answer in rows])
    assert told(compute_set_agreement(renamed)) == pytest.approx(told(one))
    copied = build([*rows, *((f"{item}'", person, answer) for item, person, answer in rows)])
    assert compute_set_agreement(copied)[0].value == pytest.approx(one[0].value)


def test_a_foreign_box_is_named() -> None:
    """Boxes are declared, as labels are."""
    with pytest.raises(HromadaError, match="'style', which is not one of the declared boxes"):
        build([("i", "a", ("style",))])
