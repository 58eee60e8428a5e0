"""Agreement by label, person, pair and time, and the two figures that campaigns call agreement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from _examples import limit_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregation.agreement import people
from aggregation.agreement.breakdowns import break_down_by_annotator, break_down_by_label, break_down_over_time
from aggregation.agreement.coefficients import compute_label_agreement
from aggregation.agreement.people import (
    OVERCONFIDENCE_WARNING,
    compute_cohen_pairs,
    estimate_class_confidence,
    estimate_mean_posterior,
)
from aggregation.agreement.table import Coefficient
from aggregation.consensus.methods import build_label_consensus
from aggregation.errors import HromadaError, Refused
from aggregation.schema import Votes

Build = Callable[..., Votes]
Rows = list[tuple[str, str, str]]
ROWS = st.lists(st.tuples(st.sampled_from("ijklmn"), st.sampled_from("abc"), st.sampled_from("xyz")), max_size=30)
SMALL: Rows = [
    *(("i", person, "x") for person in "abc"),
    *zip("jjj", "abc", "xxy", strict=True),
    *zip("kk", "ab", "yz", strict=True),
    ("l", "d", "x"),
]


def told(rows: Sequence[Coefficient]) -> dict[tuple[str, str], Any]:
    return {(row.of, row.name): row.value for row in rows}


def test_labels_are_told_apart_by_hand(votes_of: Build) -> None:
    """Of five votes x, i repeats each by both others and j each by one of two; z is never repeated."""
    made = told(break_down_by_label(votes_of(SMALL, classes="xyzw")))
    assert made["x", "specific_agreement"] == pytest.approx((3 + 2 * 0.5) / 5)
    assert made["z", "specific_agreement"] == 0
    assert made["w", "specific_agreement"] is None
    binary = votes_of([(item, person, "x" if a == "x" else "o") for item, person, a in SMALL], classes="xo")
    alpha = compute_label_agreement(binary)["krippendorff_alpha_nominal"].value
    assert made["x", "alpha_against_others"] == pytest.approx(alpha)


def test_labels_without_shared_classes_are_refused(votes_of: Build) -> None:
    """There is nothing to list."""
    with pytest.raises(Refused, match="no labels to tell apart"):
        break_down_by_label(votes_of(SMALL))


def test_everybody_is_laid_against_the_rest(votes_of: Build) -> None:
    """c agrees with both others on i and with none on j; d meets nobody and is undefined, with the reason."""
    rows = {row.of: row for row in break_down_by_annotator(votes_of(SMALL, classes="xyz"))}
    assert list(rows) == ["a", "b", "c", "d"]
    assert rows["a"].value == pytest.approx((1 + 0.5 + 0) / 3)
    assert (rows["c"].value, rows["c"].n_items, rows["c"].n_votes) == (0.5, 2, 2)
    assert (rows["d"].value, rows["d"].reason) == (None, "Nobody else answered an item of this person.")


def test_a_stranger_stands_out_among_real_people(real: Build) -> None:
    """Somebody who answers PARus the other way round agrees with the rest on few items."""
    votes = real("PARus")
    person = votes.frame["annotator"].value_counts().index[0]
    turned = votes.frame["annotator"] == person
    opposite = votes.frame["answer"].map({"0": "1", "1": "0"})
    frame = votes.frame.assign(answer=votes.frame["answer"].where(~turned, opposite))
    before = told(break_down_by_annotator(votes, n_resamples=5))[person, "agreement_with_rest"]
    after = told(break_down_by_annotator(replace(votes, frame=frame), n_resamples=5))[person, "agreement_with_rest"]
    assert after == pytest.approx(1 - before)


def test_stretches_follow_the_order_of_assignment(votes_of: Build) -> None:
    """People agree on the first half of the items and on none of the second; named periods come sorted."""
    rows = [
        (f"i{n}", person, "x" if n < 4 else answer) for n in range(8) for person, answer in (("a", "x"), ("b", "y"))
    ]
    votes = votes_of(rows, classes="xy")
    halves = told(break_down_over_time(votes, n_windows=2, n_resamples=5))
    assert [halves[of, "percent_agreement"] for of in "12"] == [1, 0]
    assert len(break_down_over_time(votes, n_windows=12, n_resamples=5)) == 16
    days = {f"i{n}": "day 2" if n % 2 else "day 1" for n in range(8)}
    assert {row.of for row in break_down_over_time(votes, periods=days, n_resamples=5)} == {"day 1", "day 2"}
    own = break_down_over_time(votes_of(rows), n_windows=1, n_resamples=5)
    assert [row.name for row in own] == ["percent_agreement", "percent_agreement_chance_corrected_per_item"]
    with pytest.raises(HromadaError, match="one stretch or more"):
        break_down_over_time(votes, n_windows=0)


def test_pairs_of_people_have_their_own_kappas(votes_of: Build) -> None:
    """a and b meet on three items, the others on two; b and c always agree where they meet but once."""
    table = compute_cohen_pairs(votes_of(SMALL, classes="xyz"))
    assert table[["annotator_a", "annotator_b", "n_items"]].to_numpy().tolist() == [
        ["a", "b", 3],
        ["a", "c", 2],
        ["b", "c", 2],
    ]
    assert table["percent_agreement"].tolist() == pytest.approx([2 / 3, 0.5, 0.5])
    assert table["kappa"].tolist() == pytest.approx([(2 / 3 - 4 / 9) / (5 / 9), 0.0, 0.0])
    made = compute_label_agreement(votes_of(SMALL, classes="xyz"))["cohen_kappa_pooled"]
    assert (made.value, made.reason[:50]) == (None, "The median pair of annotators shares 2 items. Belo")
    often = [(f"{item}{n}", who, said) for n in range(6) for item, who, said in SMALL]
    made = compute_label_agreement(votes_of(often, classes="xyz"))["cohen_kappa_pooled"]
    equal, chance = (3 * 2 / 3 + 2 * 0.5 + 2 * 0.5) / 7, (3 * 4 / 9 + 2 * 0.5 + 2 * 0.5) / 7
    assert made.value == pytest.approx((equal - chance) / (1 - chance))
    assert "3 pairs, which share 12 items in the median" in made.how


def test_a_kappa_of_too_many_pairs_has_no_interval_and_says_so(
    votes_of: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The value is the same; nothing is said where there is an interval."""
    votes = votes_of([(f"{item}{n}", who, said) for n in range(6) for item, who, said in SMALL], classes="xyz")
    usual = compute_label_agreement(votes)["cohen_kappa_pooled"]
    monkeypatch.setattr(people, "MAX_RESAMPLED_NUMBERS", 1)
    large = compute_label_agreement(votes)["cohen_kappa_pooled"]
    assert (usual.low is None, large.low is None, usual.value == large.value) == (False, True, True)
    assert ("no interval" in usual.how, "no interval" in large.how) == (False, True)


@pytest.mark.parametrize(("n_people", "refused"), [(6, False), (40, True), (150, True)])
def test_alike_people_have_one_kappa_or_none(votes_of: Build, n_people: int, refused: bool) -> None:
    """The mean over pairs fell from .66 to .04 with the number of people, all alike; now it is alpha, or none."""
    rng = np.random.default_rng(n_people)
    rows = []
    for n in range(300):
        truth = rng.integers(2)
        for person in rng.choice(n_people, 5, replace=False):
            said = truth if rng.random() < 0.9 else 1 - truth
            rows.append((f"i{n}", f"p{person}", "xy"[said]))
    made = compute_label_agreement(votes_of(rows, classes="xy"), n_resamples=5)
    kappa, alpha = made["cohen_kappa_pooled"], made["krippendorff_alpha_nominal"]
    assert alpha.value is not None
    assert 0.6 < alpha.value < 0.7
    if refused:
        assert kappa.value is None
        assert "kappa falls with the number of annotators" in kappa.reason
    else:
        assert kappa.value == pytest.approx(alpha.value, abs=0.02)


def test_the_mean_posterior_has_its_own_name_and_its_warning(real: Build) -> None:
    """RWSD's people hardly agree beyond chance, and the posterior is sure of itself all the same."""
    votes = real("RWSD")
    made = estimate_mean_posterior(
        build_label_consensus(votes, method="dawid_skene", ties="drop"), votes, n_resamples=50
    )
    alpha = compute_label_agreement(votes, n_resamples=50)["krippendorff_alpha_nominal"]
    assert made.name == "dawid_skene_iaa"
    assert made.how.split("; 95 %")[0].endswith(OVERCONFIDENCE_WARNING.rstrip("."))
    assert alpha.value is not None
    assert made.value is not None
    assert 0.85 < made.value <= 1
    assert alpha.value < 0.2


def test_a_share_of_votes_is_no_posterior(votes_of: Build) -> None:
    """The majority's confidence is refused, with what has one."""
    votes = votes_of(SMALL, classes="xyz")
    with pytest.raises(Refused, match="labels by majority have no posterior"):
        estimate_mean_posterior(build_label_consensus(votes, method="majority", ties="drop"), votes)


def test_confidence_is_the_share_of_three_in_the_class(votes_of: Build) -> None:
    """Items with three votes count, their first three alone, each in the class that it belongs to."""
    votes = votes_of([*SMALL, ("j", "d", "y"), ("m", "a", "y"), ("m", "b", "y"), ("m", "c", "z")], classes="xyz")
    rows = estimate_class_confidence(votes, pd.Series({"i": "x", "j": "x", "k": "y", "m": "y", "l": None}))
    assert told(rows) == {
        ("", "class_confidence"): pytest.approx(7 / 9),
        ("x", "class_confidence"): pytest.approx(5 / 6),
        ("y", "class_confidence"): pytest.approx(2 / 3),
    }
    assert [row.n_items for row in rows] == [3, 2, 1]
    assert estimate_class_confidence(votes, pd.Series({"l": "x"}))[0].reason == "No item of the class has 3 votes."


@settings(deadline=None, max_examples=limit_examples(30))
@given(rows=ROWS, seed=st.integers(0, 99))
def test_the_order_of_rows_changes_no_breakdown(votes_of: Build, rows: Rows, seed: int) -> None:
    """Labels, people and pairs know no order; time is the one that reads it."""
    votes = votes_of(rows, classes="xyz")
    shuffled = replace(votes, frame=votes.frame.sample(frac=1, random_state=seed).reset_index(drop=True))
    assert break_down_by_label(votes, n_resamples=5) == break_down_by_label(shuffled, n_resamples=5)
    assert break_down_by_annotator(votes, n_resamples=5) == break_down_by_annotator(shuffled, n_resamples=5)
    pd.testing.assert_frame_equal(compute_cohen_pairs(votes), compute_cohen_pairs(shuffled), check_exact=True)


@settings(deadline=None, max_examples=limit_examples(30))
@given(rows=ROWS)
def test_new_names_rename_the_breakdowns(votes_of: Build, rows: Rows) -> None:
    """Each label and person keeps its own value under another name, and copies of items change none of people's."""
    labels, people = dict(zip("xyz", "rpq", strict=True)), dict(zip("abc", "βγα", strict=True))
    renamed = votes_of([(i, people[p], labels[a]) for i, p, a in rows], classes="pqr")
    votes = votes_of(rows, classes="xyz")
    expected = {
        (labels[of], name): value for (of, name), value in told(break_down_by_label(votes, n_resamples=5)).items()
    }
    assert told(break_down_by_label(renamed, n_resamples=5)) == pytest.approx(expected)
    expected = {
        (people[of], name): value for (of, name), value in told(break_down_by_annotator(votes, n_resamples=5)).items()
    }
    assert told(break_down_by_annotator(renamed, n_resamples=5)) == pytest.approx(expected)
    copied = votes_of([*rows, *((f"{i}'", p, a) for i, p, a in rows)], classes="xyz")
    assert told(break_down_by_annotator(copied, n_resamples=5)) == pytest.approx(
        told(break_down_by_annotator(votes, n_resamples=5))
    )


def test_nothing_gives_empty_tables(votes_of: Build) -> None:
    """No votes: labels are undefined, and there are no people, pairs or stretches."""
    votes = votes_of([], classes="xy")
    assert {row.value for row in break_down_by_label(votes)} == {None}
    assert break_down_by_annotator(votes) == ()
    assert break_down_over_time(votes) == ()
    assert compute_cohen_pairs(votes).empty
