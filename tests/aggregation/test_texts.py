"""Free texts between people: equal under a named rule, and how far apart."""

from __future__ import annotations

import csv
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _examples import limit_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregation import scoring
from aggregation.answer_types.text import compute_text_agreement, normalise_votes
from aggregation.consensus.methods import build_label_consensus
from aggregation.errors import HromadaError
from aggregation.schema import Votes

Build = Callable[..., Votes]
Rows = list[tuple[str, str, str]]
SMALL: Rows = [
    ("i", "a", "П'ять котів"),
    ("i", "b", "п’ять  котів"),
    ("i", "c", "пять котів"),
    ("j", "a", "так"),
    ("j", "b", "ні"),
    ("k", "a", "сам"),
]
ROWS = st.lists(
    st.tuples(st.sampled_from("ijklmn"), st.sampled_from("abc"), st.sampled_from(["так", "т ак", "ні", "Ні"])),
    max_size=20,
)


def values(votes: Votes, **options: Any) -> dict[str, float | None]:
    return {row.name: row.value for row in compute_text_agreement(votes, n_resamples=5, **options)}


def test_a_small_case_is_counted_by_hand(votes_of: Build) -> None:
    """Under `ukrainian` two of three texts are equal and the third lacks an apostrophe."""
    made = values(votes_of(SMALL))
    assert made["exact_match"] == pytest.approx((1 / 3 + 0) / 2)
    assert made["plurality_share"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    near = 1 / ((11 + 10) / 2)
    assert made["mean_cer"] == pytest.approx(((0 + near + near) / 3 + 3 / ((3 + 2) / 2)) / 2)
    assert values(votes_of(SMALL), rule="verbatim")["exact_match"] == 0
    assert values(votes_of(SMALL), rule="words")["exact_match"] == pytest.approx(0.5)
    assert "by the rule ukrainian" in compute_text_agreement(votes_of(SMALL), n_resamples=5)[0].how


def test_pairs_equal_a_slow_loop(votes_of: Build) -> None:
    """Different texts with their counts give what all pairs of votes give, over their mean length."""
    texts = ["кіт спить", "кіт спав", "кіт спить", "кит спить"]
    made = values(votes_of([("i", f"a{number}", text) for number, text in enumerate(texts)]))
    pairs = [*combinations(texts, 2)]
    errors = [2 * scoring.edit_distance(one, two) / (len(one) + len(two)) for one, two in pairs]
    assert made["mean_cer"] == pytest.approx(np.mean(errors))
    both = [*pairs, *((two, one) for one, two in pairs)]
    chrf = [scoring.chrf(scoring.count_ngrams(one), scoring.count_ngrams(two)) for one, two in both]
    assert made["mean_chrf"] == pytest.approx(np.mean(chrf))


def test_the_plurality_text_is_the_majority_under_the_rule(votes_of: Build) -> None:
    """The consensus of normalised texts forgives what the rule forgives."""
    labels = build_label_consensus(normalise_votes(votes_of(SMALL), "ukrainian"), method="majority", ties="drop").labels
    assert labels["label"].to_dict() == {"i": "п'ять котів", "j": None, "k": "сам"}


def test_rover_joins_what_most_people_wrote(votes_of: Build) -> None:
    """Word by word, whatever the order of rows and the names of people."""
    rows = [("i", "a", "кіт спить тут"), ("i", "b", "кіт спав тут"), ("i", "c", "пес спить тут"), ("j", "a", "так")]
    made = build_label_consensus(votes_of(rows), method="rover", ties="drop")
    assert made.labels["label"].to_dict() == {"i": "кіт спить тут", "j": "так"}
    assert made.labels["confidence"].tolist() == pytest.approx([1 / 3, 1])
    again = build_label_consensus(
        votes_of([(i, f"p{p}", text) for i, p, text in rows[::-1]]), method="rover", ties="drop"
    )
    assert again.labels.equals(made.labels)
    assert made.version.startswith("crowd-kit 1.4.")


@pytest.mark.parametrize("rows", [[], [("i", "a", "так")]], ids=["empty", "no overlap"])
def test_nothing_to_compare_is_said(votes_of: Build, rows: Rows) -> None:
    """Every coefficient is undefined with that reason."""
    assert {(row.value, row.reason) for row in compute_text_agreement(votes_of(rows))} == {
        (None, "No item has two votes, so there is nothing to compare.")
    }


def test_an_unknown_rule_and_labels_are_refused(votes_of: Build) -> None:
    """The known rules are listed."""
    with pytest.raises(HromadaError, match=r"no normalisation 'loose'\. Use one of words, exact"):
        compute_text_agreement(votes_of(SMALL), rule="loose")
    with pytest.raises(HromadaError, match="Declared labels are not texts"):
        compute_text_agreement(votes_of([("i", "a", "x")], classes="xy"))


@settings(deadline=None, max_examples=limit_examples(40))
@given(rows=ROWS, seed=st.integers(0, 99))
def test_order_names_and_copies_change_nothing(votes_of: Build, rows: Rows, seed: int) -> None:
    """Rows shuffled, people renamed, items copied; equal texts are at no distance."""
    one = values(votes_of(rows))
    shuffled = [rows[place] for place in np.random.default_rng(seed).permutation(len(rows))]
    renamed = [(item, f"p{person}", text) for item, person, text in rows]
    copied = [*rows, *((f"{item}'", person, text) for item, person, text in rows)]
    for changed in (shuffled, renamed, copied):
        assert values(votes_of(changed)) == pytest.approx(one)
    same = values(votes_of([(item, person, "так") for item, person, _ in rows]))
    assert set(same.values()) <= {1.0, 0.0, None}


def test_real_corrections_of_a_sentence_agree_far(votes_of: Build, shared: Path) -> None:
    """One sentence that 1,300 people and more corrected: few characters apart, half of them the same."""
    with (shared / "data" / "rlc-crowd" / "rlc-toloka-test-counts.csv").open(encoding="utf-8", newline="") as file:
        table = [row for row in csv.DictReader(file) if row["sentence_id"] == "1113"]
    rows = [
        ("1113", f"p{place}-{number}", row["corrected_sentence"])
        for place, row in enumerate(table)
        for number in range(int(row["count"]))
    ]
    made = values(votes_of(rows), rule="verbatim")
    assert made["plurality_share"] == pytest.approx(842 / len(rows))
    assert made["mean_cer"] is not None
    assert made["mean_cer"] < 0.05
