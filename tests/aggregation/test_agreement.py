"""Agreement: known coefficients, what is undefined and why, and intervals that resample groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from _examples import limit_examples
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtrit

from aggregation.agreement.breakdowns import break_down_by_label
from aggregation.agreement.coefficients import build_statistic, compute_label_agreement
from aggregation.agreement.table import AgreementTable
from aggregation.agreement.vote_sums import add_losses, sum_votes
from aggregation.intervals.shares import share_interval
from aggregation.schema import Votes

Build = Callable[..., Votes]
Rows = list[tuple[str, str, str]]
ROWS = st.lists(st.tuples(st.sampled_from("ijklmn"), st.sampled_from("abc"), st.sampled_from("xyz")), max_size=40)
CLOSED = ["percent_agreement", "all_agree", "strict_majority", "unique_plurality", "krippendorff_alpha_nominal"]
CLOSED += ["fleiss_kappa", "cohen_kappa_pooled", "gwet_ac1"]


def values(made: AgreementTable) -> dict[str, float | None]:
    return {row.name: row.value for row in made.rows}


@pytest.mark.parametrize(
    ("name", "options", "alpha"),
    [
        ("PARus", {}, 0.864036),
        ("RWSD", {}, 0.164938),
        ("RCB", {}, 0.1281),
        ("RCB", {"clean": True}, 0.1811),
        ("RCB", {"first": True}, 0.126424),
        ("RCB", {"clean": True, "first": True}, 0.177935),
    ],
)
def test_alpha_on_real_votes_is_the_known_one(real: Build, name: str, options: dict[str, bool], alpha: float) -> None:
    """Raw and cleaned, with all repeats and with the first alone."""
    row = compute_label_agreement(real(name, **options), n_resamples=10)["krippendorff_alpha_nominal"]
    assert row.value == pytest.approx(alpha, abs=5e-5)
    assert row.n_votes == {"PARus": 1500, "RWSD": 560, "RCB": 1388 if options.get("first") else 1398}[name]


@pytest.mark.parametrize(("name", "options"), [("PARus", {}), ("RWSD", {}), ("RCB", {"first": True})])
def test_the_other_coefficients_are_the_known_ones(
    real: Build, known: dict[str, Any], name: str, options: dict[str, bool]
) -> None:
    """Percent agreement, all agree, strict majority (which PARus' design forces) and the interval of alpha."""
    expected = known[f"{name}/assign_{name}"]
    made = compute_label_agreement(real(name, **options))
    for coefficient, key in (
        ("percent_agreement", "percent_agreement"),
        ("all_agree", "all_agree"),
        ("strict_majority", "strict_majority"),
        ("gwet_ac1", "ac1"),
    ):
        if (name, coefficient) == ("PARus", "strict_majority"):
            assert (made[coefficient].value, expected[key]) == (None, 1.0)
            assert "100 % by design" in made[coefficient].reason
            continue
        assert made[coefficient].value == pytest.approx(expected[key], abs=1e-6)
    alpha = made["krippendorff_alpha_nominal"]
    assert (alpha.n_items, alpha.n_annotators) == (expected["items"], expected["workers"])
    assert (alpha.low, alpha.high) == pytest.approx(expected["alpha_ci95_items"], abs=0.01)


def test_krippendorffs_own_example_comes_out(krippendorffs: Build, known: dict[str, Any]) -> None:
    """Four observers, twelve units, gaps: alpha leaves out the unit with one value, Gwet's chance counts it."""
    made = compute_label_agreement(krippendorffs("ratio"))
    for name, key in (
        ("krippendorff_alpha_nominal", "C_alpha_nominal"),
        ("krippendorff_alpha_ordinal", "C_alpha_ordinal"),
        ("krippendorff_alpha_interval", "C_alpha_interval"),
        ("krippendorff_alpha_ratio", "C_alpha_ratio"),
        ("gwet_ac1", "C_gwet_ac1"),
        ("gwet_ac2_linear", "C_gwet_ac2_linear"),
        ("gwet_ac2_quadratic", "C_gwet_ac2_quadratic"),
        ("percent_agreement", "C_percent_agreement"),
    ):
        assert made[name].value == pytest.approx(known[key], abs=1e-6)
        # the twelfth unit has one value, which is no pair but counts in Gwet's chance
        assert (made[name].n_items, made[name].n_votes) == ((12, 41) if name.startswith("gwet") else (11, 40))


def test_every_coefficient_has_its_level(krippendorffs: Build) -> None:
    """Alpha that of its name, AC2 that of the labels, whose distances it weighs; all others only tell equal answers."""
    levels = {row.name: row.level for row in compute_label_agreement(krippendorffs("interval"), n_resamples=5).rows}
    assert levels["krippendorff_alpha_ordinal"] == "ordinal"
    assert {levels[name] for name in ("krippendorff_alpha_interval", "gwet_ac2_linear", "gwet_ac2_quadratic")} == {
        "interval"
    }
    assert {level for name, level in levels.items() if "ac2" not in name and "alpha" not in name} == {"nominal"}


@pytest.mark.parametrize(
    ("n_votes", "classes", "forced"), [(3, "xy", True), (5, "xy", True), (4, "xy", False), (3, "xyz", False)]
)
def test_a_share_that_the_design_forces_is_not_printed(
    votes_of: Build, n_votes: int, classes: str, forced: bool
) -> None:
    """An odd number of votes on two options always has a majority; an even one, or a third option, can tie."""
    rows = [(f"i{n}", f"p{voter}", classes[(n * voter) % 2]) for n in range(6) for voter in range(n_votes)]
    made = compute_label_agreement(votes_of(rows, classes=classes, n_options=len(classes)), n_resamples=5)
    for name in ("strict_majority", "unique_plurality"):
        assert (made[name].value is None) == forced
        assert ("by design" in made[name].reason) == forced


@pytest.mark.parametrize(
    ("level", "asked"),
    [
        ("nominal", {"krippendorff_alpha_nominal"}),
        ("ordinal", {"krippendorff_alpha_nominal", "krippendorff_alpha_ordinal"}),
        ("interval", {"krippendorff_alpha_nominal", "krippendorff_alpha_ordinal", "krippendorff_alpha_interval"}),
    ],
)
def test_only_what_the_level_reaches_is_told(krippendorffs: Build, level: Any, asked: set[str]) -> None:
    """Nominal labels have no order, ordinal ones no distance; AC2 needs an order."""
    names = {row.name for row in compute_label_agreement(krippendorffs(level), n_resamples=5).rows}
    assert {name for name in names if "alpha" in name} == asked
    assert ("gwet_ac2_linear" in names) == (level != "nominal")


def test_the_headline_rests_on_the_first_votes(votes_of: Build) -> None:
    """Items that were contested got a third and a fourth vote; the pooled rows follow, under their own basis."""
    rows = [("i", "a", "x"), ("i", "b", "x"), ("j", "a", "y"), ("j", "b", "x"), ("j", "c", "x"), ("j", "d", "x")]
    made = compute_label_agreement(votes_of(rows, classes="xy"), overlap=2)
    assert made["percent_agreement"].value == 0.5
    assert [(row.basis, row.value, row.n_votes) for row in made.rows if row.name == "percent_agreement"] == [
        ("first", 0.5, 4),
        ("pooled", 0.75, 6),
    ]
    assert "the first 2 votes of each item in the order of assignment" in made["percent_agreement"].how
    assert "all votes pooled" in made.rows[-1].how
    assert {row.basis for row in made.headline} == {"first"}
    fixed = compute_label_agreement(votes_of(rows[:4], classes="xy"), overlap=2)
    assert {row.basis for row in fixed.rows} == {"first"}
    assert {row.basis for row in compute_label_agreement(votes_of(rows, classes="xy")).rows} == {"pooled"}


def test_fleiss_needs_equal_overlap(real: Build, known: dict[str, Any]) -> None:
    """With three votes on every item it is the known one; with two to eight it is refused in those words."""
    assert compute_label_agreement(real("PARus"), n_resamples=5)["fleiss_kappa"].value == pytest.approx(
        known["PARus/assign_PARus"]["fleiss"], abs=1e-6
    )
    refused = compute_label_agreement(real("RWSD"), n_resamples=5)["fleiss_kappa"]
    assert refused.value is None
    assert refused.reason.endswith("here items have 2 to 8.")


def test_high_agreement_with_little_variation_has_a_low_alpha(votes_of: Build) -> None:
    """95 times yes-yes and five contradictions: .95 of pairs agree and alpha is below zero."""
    answers = [("yes", "yes")] * 95 + [("yes", "no")] * 3 + [("no", "yes")] * 2
    rows = [(f"i{n}", person, said) for n, pair in enumerate(answers) for person, said in zip("ab", pair, strict=True)]
    made = compute_label_agreement(votes_of(rows, classes=["yes", "no"]))
    assert made["percent_agreement"].value == pytest.approx(0.95)
    assert made["cohen_kappa_pooled"].value == pytest.approx(-0.025, abs=5e-4)
    assert made["gwet_ac1"].value == pytest.approx(0.947, abs=5e-4)
    assert made["krippendorff_alpha_nominal"].value == pytest.approx(-0.0206, abs=5e-4)


def list_votes_of_an_odd_one(people: str) -> Rows:
    """Five items on which everybody says x, but that the first one says y on two of them."""
    return [(item, p, "y" if p == people[0] and item in "ij" else "x") for item in "ijklm" for p in people]


def test_the_variance_for_new_people_is_the_one_by_hand(votes_of: Build) -> None:
    """With P = .6, .6, 1, 1, 1: V_items = 5/4 · (2 · .048² + 3 · .032²), V_people = 4/5 · (.16² + 4 · .04²), as the
    others agree wholly without a and .8 without anybody else, and V_cell = 4/5 · 2 · (.08² + 4 · .02²).
    """
    votes = votes_of(list_votes_of_an_odd_one("abcde"), classes="xy")
    sums = add_losses(votes, sum_votes(votes))
    variance = sums.items.estimate_variance(build_statistic("percent_agreement", votes, sums))
    assert variance.items == pytest.approx(0.0096)
    assert (variance.people, variance.cells) == pytest.approx((0.0256, 0.0128))
    assert variance.total == pytest.approx(0.0224)
    assert variance.total_df == 4  # .0224² / (.0096² / 4 + .0256² / 4) is 2.7, fewer than those of the five people
    row = compute_label_agreement(votes)["percent_agreement"]
    n = 0.84 * 0.16 / 0.0224  # effective answers, for Wilson's form with t of 4 degrees of freedom
    t = float(stdtrit(4, 0.975))
    center, half = 0.84 + t * t / (2 * n), t * (0.84 * 0.16 / n + t * t / (4 * n * n)) ** 0.5
    ends = ((center - half) / (1 + t * t / n), (center + half) / (1 + t * t / n))
    assert (row.new_people_low, row.new_people_high) == pytest.approx(ends)
    assert row.value == pytest.approx(0.84)
    assert not row.new_people_reason
    assert row.low is not None
    assert ends[0] < row.low
    assert row.how.endswith("clustered variance over 5 items and 5 people")
    assert row.explanations == ()


def test_two_equal_intervals_are_explained(votes_of: Build) -> None:
    """Each of six people errs once, on an item of their own: they differ less than chance would make them."""
    rows = [(f"i{n}", p, "y" if n == number else "x") for number, p in enumerate("abcdef") for n in range(8)]
    row = compute_label_agreement(votes_of(rows, classes="xy"))["percent_agreement"]
    assert row.low is not None
    assert (row.low, row.high) == (row.new_people_low, row.new_people_high)
    assert row.explanations == ("Both intervals are the same, because the answers do not show that people differ.",)


@pytest.mark.parametrize("people", ["abcd", "ab"])
def test_of_new_people_nothing_is_said_below_five(votes_of: Build, people: str) -> None:
    """The interval for these people stays."""
    made = compute_label_agreement(votes_of(list_votes_of_an_odd_one(people), classes="xy"))
    reason = f"Nothing can be said about new people: there are {len(people)} people, but at least 5 are needed."
    for name in ("percent_agreement", "krippendorff_alpha_nominal", "gwet_ac1"):
        row = made[name]
        assert row.low is not None
        assert (row.new_people_low, row.new_people_high, row.new_people_reason) == (None, None, reason)


def test_shares_of_items_say_nothing_of_new_people(votes_of: Build) -> None:
    """They are made of whole items, not of pairs of people; where all agree, people count as one observation each."""
    made = compute_label_agreement(votes_of(list_votes_of_an_odd_one("abcde"), classes="xy"))
    assert made["all_agree"].low is not None
    assert (made["all_agree"].new_people_low, made["all_agree"].new_people_reason) == (
        None,
        "Only a coefficient made of pairs of answers has an interval for new people.",
    )
    rows = [(f"i{n:02}", p, "y" if n < 4 or (p == "a" and n == 9) else "x") for n in range(12) for p in "abcde"]
    kappa = compute_label_agreement(votes_of(rows, classes="xy"))["cohen_kappa_pooled"]
    assert (kappa.low is None, kappa.new_people_low, kappa.new_people_reason) == (
        False,
        None,
        "Resamples of items keep the same people, so they give no interval for new ones.",
    )
    agreed = compute_label_agreement(votes_of([(f"i{n}", p, "x") for n in range(9) for p in "abcde"], classes="xy"))
    percent = agreed["percent_agreement"]
    assert (percent.low, percent.new_people_low) == (share_interval(9, 9).low, share_interval(5, 5).low)


def test_options_that_differ_get_the_coefficients_that_need_no_classes(votes_of: Build) -> None:
    """Chance is corrected by each item's own number of options, and alpha is refused with the reason."""
    rows = [("i", p, a) for p, a in zip("abc", ("cat", "cat", "ape"), strict=True)]
    rows += [("j", p, a) for p, a in zip("abcd", ("sun", "sun", "moon", "moon"), strict=True)]
    rows += [("k", "a", "alone")]
    made = compute_label_agreement(votes_of(rows, n_options={"i": 4, "j": 2, "k": 2}))
    assert values(made) == {
        "percent_agreement": pytest.approx(1 / 3),
        "percent_agreement_chance_corrected_per_item": pytest.approx(
            ((1 / 3 - 1 / 4) / (3 / 4) + (1 / 3 - 1 / 2) * 2) / 2
        ),
        "all_agree": 0.0,
        "strict_majority": 0.5,
        "unique_plurality": 0.5,
        **dict.fromkeys(["krippendorff_alpha_nominal", "fleiss_kappa", "cohen_kappa_pooled", "gwet_ac1"]),
    }
    assert made["krippendorff_alpha_nominal"].reason.startswith("Options differ between items")


def test_closed_labels_get_no_correction_per_item(votes_of: Build) -> None:
    """Alpha corrects for chance there; rows come in one order, and positions are marked on each."""
    made = compute_label_agreement(votes_of([("i", "a", "0"), ("i", "b", "1")], classes="01", positions=True))
    assert [row.name for row in made.rows] == CLOSED
    assert all(row.positions for row in made.rows)


def test_repeats_of_one_person_all_count(votes_of: Build) -> None:
    """Two rows of the same person on an item are two votes."""
    made = compute_label_agreement(
        votes_of([("i", "a", "x"), ("i", "a", "y"), ("j", "a", "x"), ("j", "b", "x")], classes="xy")
    )
    assert (made["all_agree"].value, made["all_agree"].n_votes, made["all_agree"].n_annotators) == (0.5, 4, 2)


@pytest.mark.parametrize("rows", [[], [("i", "a", "x"), ("j", "b", "y")]], ids=["no votes", "no overlap"])
def test_nothing_to_compare_is_said(votes_of: Build, rows: Rows) -> None:
    """Every coefficient is undefined with that reason."""
    made = compute_label_agreement(votes_of(rows, classes="xy"))
    assert {(row.value, row.low, row.n_items, row.reason) for row in made.rows} == {
        (None, None, 0, "No item has two votes, so there is nothing to compare.")
    }


def test_one_label_leaves_alpha_undefined(votes_of: Build) -> None:
    """No variation, no alpha: undefined, not one. The other coefficients stand."""
    made = compute_label_agreement(votes_of([(item, person, "x") for item in "ijklm" for person in "ab"], classes="xy"))
    alpha = made["krippendorff_alpha_nominal"]
    assert (alpha.value, alpha.low, alpha.undefined_resamples) == (None, None, 0)
    assert alpha.reason.endswith("expected disagreement is 0 and the coefficient is undefined.")
    percent, share = made["percent_agreement"], share_interval(5, 5)
    assert (percent.value, percent.low, percent.high) == (1.0, share.low, 1.0)
    assert "95 % modified Jeffreys interval of 5 items" in percent.how
    assert (made["gwet_ac1"].value, made["gwet_ac1"].low) == (1.0, None)
    assert made["gwet_ac1"].reason.startswith("No interval: every resample of items has the same value")


def test_resamples_without_variation_are_counted(votes_of: Build) -> None:
    """One contradiction in six items is missed by about (5/6)^6 of the resamples, which have no alpha of a label."""
    rows = [(item, person, "x") for item in "ijklm" for person in "ab"] + [("n", "a", "x"), ("n", "b", "y")]
    alpha = break_down_by_label(votes_of(rows, classes="xy"))[1]
    assert alpha.name == "alpha_against_others"
    assert alpha.undefined_resamples == pytest.approx(1000 * (5 / 6) ** 6, abs=60)
    assert alpha.low is not None


def test_groups_vary_whole(votes_of: Build) -> None:
    """Items of one group come and go together, which the text says; under five groups there is no interval."""
    rows = [
        (f"{group}{n}", person, "xy"[(group > "c") * (person == "b")])
        for group in "abcde"
        for n in range(4)
        for person in "ab"
    ]
    apart = votes_of(rows, classes="xy")
    together = votes_of(rows, classes="xy", groups={row[0]: row[0][0] for row in rows})
    one, two = (
        compute_label_agreement(apart)["percent_agreement"],
        compute_label_agreement(together)["percent_agreement"],
    )
    assert one.value == two.value == pytest.approx(0.6)
    assert one.low is not None
    assert two.low is not None
    assert two.low < one.low
    assert one.how.endswith("95 % intervals of the clustered variance over 20 items")
    assert two.how.endswith("95 % intervals of the clustered variance over 5 groups of items")
    few = votes_of(rows, classes="xy", groups={row[0]: min(row[0][0], "d") for row in rows})
    none = compute_label_agreement(few)["percent_agreement"]
    assert (none.value, none.low) == (one.value, None)
    assert none.reason == "No interval: 4 groups of items are fewer than the 5 to resample."
    assert "intervals" not in none.how


def test_the_variance_of_people_is_that_of_a_slow_loop(votes_of: Build) -> None:
    """Each person left out by writing the votes out; with two votes an item goes, with one it is none."""
    rng = np.random.default_rng(8)
    names = [f"i{n:02}" for n in range(25)]
    rows = [
        (name, p, "xyz"[min(2, int(rng.integers(0, 3)) * (n % 2))])
        for n, name in enumerate(names)
        for p in rng.permutation(list("abcdef"))[: 1 + n % 4]
    ]
    votes = votes_of(rows, classes="xyz")
    sums = add_losses(votes, sum_votes(votes))
    statistic = build_statistic("percent_agreement", votes, sums)
    whole = slow_percent(list_units(rows))
    without = np.array([slow_percent(list_units([row for row in rows if row[1] != person])) for person in "abcdef"])
    effects = np.array(list_cell_effects(rows, whole)) / len(list_units(rows))
    variance = sums.items.estimate_variance(statistic)
    assert variance.people == pytest.approx(5 / 6 * ((without - without.mean()) ** 2).sum())
    assert variance.cells == pytest.approx(5 / 6 * ((effects - effects.mean()) ** 2).sum())
    alpha = build_statistic("krippendorff_alpha_nominal", votes, sums)
    assert sums.items.compute(alpha) == pytest.approx(slow_alpha(list_units(rows)))


def list_units(rows: Rows) -> list[list[str]]:
    """The answers to each item with two or more."""
    by_item: dict[str, list[str]] = {}
    for item, _, answer in rows:
        by_item.setdefault(item, []).append(answer)
    return [by_item[item] for item in sorted(by_item) if len(by_item[item]) > 1]


def list_cell_effects(rows: Rows, whole: float) -> list[float]:
    """For each vote on an item with two or more, how far the item's agreement falls, or the mean if the item goes."""
    effects = []
    for item, person, _ in rows:
        unit = [row for row in rows if row[0] == item]
        rest = list_units([row for row in unit if row[1] != person])
        if len(unit) > 1:
            effects.append(slow_percent(list_units(unit)) - (slow_percent(rest) if rest else whole))
    return effects


def slow_percent(units: list[list[str]]) -> float:
    shares = [np.mean([a == b for a, b in combinations(unit, 2)]) for unit in units]
    return float(np.mean(shares))


def slow_alpha(units: list[list[str]]) -> float:
    """Alpha from the matrix of coincidences, pair by pair."""
    pairs: Counter[tuple[str, str]] = Counter()
    for unit in units:
        for one, a in enumerate(unit):
            for two, b in enumerate(unit):
                if one != two:
                    pairs[a, b] += 1 / (len(unit) - 1)  # type: ignore[assignment]  # Counter is typed for whole numbers
    n = sum(pairs.values())
    of_class: Counter[str] = Counter()
    for (a, _), weight in pairs.items():
        of_class[a] += weight
    observed = sum(weight for (a, b), weight in pairs.items() if a != b) / n
    expected = sum(of_class[a] * of_class[b] for a in of_class for b in of_class if a != b) / (n * (n - 1))
    return 1 - observed / expected if expected else float("nan")


@settings(deadline=None, max_examples=limit_examples(40))
@given(rows=ROWS, seed=st.integers(0, 99))
def test_the_order_of_rows_changes_nothing(votes_of: Build, rows: Rows, seed: int) -> None:
    """Values, intervals and words are identical."""
    votes = votes_of(rows, classes="xyz")
    shuffled = replace(votes, frame=votes.frame.sample(frac=1, random_state=seed).reset_index(drop=True))
    assert compute_label_agreement(votes, n_resamples=20, seed=seed) == compute_label_agreement(
        shuffled, n_resamples=20, seed=seed
    )


@settings(deadline=None, max_examples=limit_examples(40))
@given(rows=ROWS)
def test_new_names_for_labels_and_people_change_nothing(votes_of: Build, rows: Rows) -> None:
    """Nominal agreement knows no names; only equality counts."""
    names = {"x": "r", "y": "p", "z": "q"}
    renamed = [(item, f"p{person}", names[answer]) for item, person, answer in rows]
    one = values(compute_label_agreement(votes_of(rows, classes="xyz"), n_resamples=5))
    two = values(compute_label_agreement(votes_of(renamed, classes="pqr"), n_resamples=5))
    assert one == pytest.approx(two)


@settings(deadline=None, max_examples=limit_examples(40))
@given(rows=ROWS, level=st.sampled_from(["ordinal", "interval", "ratio"]))
def test_renaming_keeps_what_the_level_keeps(votes_of: Build, rows: Rows, level: Any) -> None:
    """Turning the order round changes no ordinal coefficient, a shift no interval one, a factor no ratio one."""
    old = {"x": "1", "y": "2", "z": "4"}
    new = {"ordinal": "421", "interval": ["11", "12", "14"], "ratio": ["3", "6", "12"]}[level]
    names = dict(zip("xyz", new, strict=True))
    classes = sorted(names.values()) if level == "ordinal" else list(new)
    one = compute_label_agreement(
        votes_of([(i, p, old[a]) for i, p, a in rows], classes="124", level=level), n_resamples=5
    )
    two = compute_label_agreement(
        votes_of([(i, p, names[a]) for i, p, a in rows], classes=classes, level=level), n_resamples=5
    )
    name = f"krippendorff_alpha_{level}"
    assert one[name].value == pytest.approx(two[name].value)


@settings(deadline=None, max_examples=limit_examples(30))
@given(rows=ROWS)
def test_every_item_twice_leaves_what_is_a_mean(votes_of: Build, rows: Rows) -> None:
    """Copies of the items change no mean over items, no kappa and no AC1; alpha's n - 1 alone notices them.

    Pairs that share too few items for Cohen's kappa may share enough with the copies.
    """
    one = values(compute_label_agreement(votes_of(rows, classes="xyz"), n_resamples=5))
    copied = [*rows, *((f"{item}'", person, answer) for item, person, answer in rows)]
    two = values(compute_label_agreement(votes_of(copied, classes="xyz"), n_resamples=5))
    del one["krippendorff_alpha_nominal"], two["krippendorff_alpha_nominal"]
    if one["cohen_kappa_pooled"] is None:
        del one["cohen_kappa_pooled"], two["cohen_kappa_pooled"]
    assert one == pytest.approx(two)
