"""Spans: the known case, and what may not change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from _examples import limit_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregation.answer_types.span import DESCRIPTIONS, SpanVotes, check_span_votes, compute_span_agreement
from aggregation.errors import HromadaError

TEXT = "Галина черепашка"
Marked = Iterable[tuple[int, int, str]]
Rows = list[tuple[str, str, Marked]]
SPANS = st.tuples(st.integers(0, 15), st.integers(1, 6), st.sampled_from("xy")).map(
    lambda drawn: (drawn[0], min(16, drawn[0] + drawn[1]), drawn[2])
)
ROWS = st.lists(st.tuples(st.sampled_from("ijklmn"), st.sampled_from("abc"), st.lists(SPANS, max_size=3)), max_size=20)


def build(rows: Iterable[tuple[str, str, Marked]], text: str = TEXT) -> SpanVotes:
    frame = pd.DataFrame(list(rows), columns=["item", "annotator", "answer"], dtype=object)
    ids = sorted(set(frame["item"]))
    return check_span_votes(frame, items=pd.DataFrame({"group": ids, "text": text}, index=pd.Index(ids, dtype=object)))


def values(made: SpanVotes, **options: Any) -> dict[str, float | None]:
    return {row.name: row.value for row in compute_span_agreement(made, n_resamples=5, **options)}


def test_the_known_case(known: dict[str, Any]) -> None:
    """Half of the spans are equal, all words are touched, 13 of 14 and 15 characters are common."""
    case = known["span_case"]
    made = values(build([("i", "a", case["a"]), ("i", "b", case["b"])], case["text"]))
    of_both = {
        "span_f1_exact": case["exact"],
        "span_f1_token": case["token"],
        "span_f1_char": pytest.approx(case["char"], abs=1e-6),
        "span_majority": 1.0,
    }
    assert made == {**{f"{name}_class": value for name, value in of_both.items()}, **of_both}


def test_labels_and_empty_answers_count() -> None:
    """The same place under another label agrees in place alone; nothing against nothing is full agreement."""
    made = build([("i", "a", [(0, 6, "x")]), ("i", "b", [(0, 6, "y")]), ("j", "a", []), ("j", "b", [])])
    of_classes = {f"{name}_class": 0.5 for name in DESCRIPTIONS} | {"span_majority_class": 0.0}
    assert values(made) == {**of_classes, **dict.fromkeys(DESCRIPTIONS, 1.0), "span_majority": 0.5}
    rows = {row.name: row.how for row in compute_span_agreement(made, n_resamples=5)}
    assert "; place and class" in rows["span_f1_token_class"]
    assert "; place alone" in rows["span_f1_token"]


def test_more_than_half_must_mark_a_span() -> None:
    """Two of three do, two of four do not."""
    rows: Rows = [("i", person, [(0, 6, "x")] if person in "ab" else []) for person in "abc"]
    rows += [("j", person, [(7, 16, "x")] if person in "ab" else []) for person in "abcd"]
    assert values(build(rows))["span_majority"] == 0.5
    assert values(build(rows), overlap=2)["span_majority"] == 1.0


def test_a_span_outside_its_text_is_named() -> None:
    """Ends are checked when votes come in."""
    with pytest.raises(HromadaError, match="The span 0 to 17 is not within the text of 'i'"):
        build([("i", "a", [(0, 17, "x")])])


@pytest.mark.parametrize("rows", [[], [("i", "a", [(0, 1, "x")])]], ids=["empty", "no overlap"])
def test_nothing_to_compare_is_said(rows: Rows) -> None:
    """Every coefficient is undefined with that reason."""
    assert {(row.value, row.reason) for row in compute_span_agreement(build(rows))} == {
        (None, "No item has two votes, so there is nothing to compare.")
    }


@settings(deadline=None, max_examples=limit_examples(40))
@given(rows=ROWS, seed=st.integers(0, 99))
def test_order_names_and_copies_change_nothing(rows: Rows, seed: int) -> None:
    """Rows shuffled, people and labels renamed, items copied."""
    one = values(build(rows))
    shuffled = [rows[place] for place in np.random.default_rng(seed).permutation(len(rows))]
    names = {"x": "y", "y": "x"}
    renamed: Rows = [(i, f"p{p}", [(start, end, names[label]) for start, end, label in spans]) for i, p, spans in rows]
    copied: Rows = [*rows, *((f"{i}'", p, spans) for i, p, spans in rows)]
    for changed in (shuffled, renamed, copied):
        assert values(build(changed)) == pytest.approx(one)


@settings(deadline=None, max_examples=limit_examples(40))
@given(rows=ROWS)
def test_shares_are_shares(rows: Rows) -> None:
    """Between nothing and full agreement."""
    assert all(value is None or 0 <= value <= 1 + 1e-12 for value in values(build(rows)).values())
