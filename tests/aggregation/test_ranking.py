"""Vote'n'Rank: each rule worked by hand on the example of Russian SuperGLUE, and on votes where only it decides so."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from _examples import limit_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregation.errors import HromadaError
from aggregation.ranking import MEANS, PAIRWISE_RULES, RULES, VOTING_RULES, Ranking, rank_in_two_steps, rank_systems
from aggregation.ranking import weigh_groups as weigh

EXAMPLE = Path(__file__).parents[2] / "examples/ranking/russian-superglue-invented.csv"
TASKS = ("LiDiRus", "RCB", "PARus", "MuSeRC", "TERRa", "RUSSE", "RWSD", "DaNetQA", "RuCoS")
PLACES = {
    "HUMAN": (2, 3, 1, 5, 1, 3, 1, 3, 1),
    "Invented A": (1, 1, 8, 1, 7, 1, 11, 11, 9),
    "Invented B": (3, 2, 3, 2, 3, 2, 2, 1, 2),
    "Invented C": (4, 4, 2, 3, 2, 4, 3, 2, 3),
    "Invented D": (5, 5, 4, 4, 4, 5, 4, 4, 4),
    "Invented E": (6, 6, 5, 6, 5, 6, 5, 5, 5),
    "Invented F": (7, 7, 6, 7, 6, 7, 6, 6, 6),
    "Invented G": (8, 8, 7, 8, 8, 8, 7, 7, 7),
    "Invented H": (9, 9, 9, 9, 9, 9, 8, 8, 8),
    "Invented I": (10, 10, 10, 10, 10, 10, 9, 9, 10),
    "Invented J": (11, 11, 11, 11, 11, 11, 10, 10, 11),
}
"""The places on each task, read off the file by eye; the tests below count them by hand."""
SYSTEMS = tuple(PLACES)


def read_example() -> pd.DataFrame:
    """The scores of the example, both metrics of a task averaged."""
    rows = pd.read_csv(EXAMPLE)
    means = rows.groupby(["model", "task"])["value"].mean().round(12).unstack()
    return means.loc[list(SYSTEMS), list(TASKS)]


def rank(scores: pd.DataFrame, rule: str, **options: object) -> Ranking:
    """The ranking under one rule."""
    return {one.rule: one for one in rank_systems(scores, **options)}[rule]  # type: ignore[arg-type]


def vote(*orders: str) -> pd.DataFrame:
    """Scores whose tasks order systems as these words do, the best first."""
    return pd.DataFrame(
        {f"t{n}": {one: float(-order.index(one)) for one in sorted(orders[0])} for n, order in enumerate(orders)}
    )


def give_scores(*values: float) -> dict[str, float]:
    """Numbers of the example's systems, in their order."""
    return dict(zip(SYSTEMS, values, strict=True))


def test_the_human_row_is_the_published_one() -> None:
    """Its mean over nine tasks is the 0.811 of the leaderboard; places of the file are those of the table above."""
    scores = read_example()
    assert round(scores.loc["HUMAN"].mean(), 3) == 0.811
    assert scores.rank(ascending=False).astype(int).to_numpy().tolist() == [list(row) for row in PLACES.values()]


def test_plurality_by_hand() -> None:
    """First places: HUMAN on PARus, TERRa, RWSD, RuCoS; A on LiDiRus, RCB, MuSeRC, RUSSE; B on DaNetQA."""
    ranking = rank(read_example(), "plurality")
    assert ranking.scores.to_dict() == give_scores(4, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0)
    assert (ranking.winners, ranking.places["Invented B"], ranking.places["Invented J"]) == (
        ("HUMAN", "Invented A"), 3, 4
    )  # fmt: skip


def test_borda_by_hand() -> None:
    """Nine tasks of 11 systems: 99 less the sum of places, which is 20, 50, 20, 27, 39, 49, 58, 68, 78, 88, 97."""
    ranking = rank(read_example(), "borda")
    assert ranking.scores.to_dict() == give_scores(79, 49, 79, 72, 60, 50, 41, 31, 21, 11, 2)
    assert ranking.winners == ("HUMAN", "Invented B")
    assert (ranking.places["Invented E"], ranking.places["Invented A"]) == (5, 6)


def test_dowdall_by_hand() -> None:
    """HUMAN 4 + 1/2 + 3/3 + 1/5; A 4 + 1/8 + 1/7 + 2/11 + 1/9; B 1 + 5/2 + 3/3; C 3/2 + 3/3 + 3/4."""
    ranking = rank(read_example(), "dowdall")
    by_hand = {"HUMAN": 5.7, "Invented A": 4.560786, "Invented B": 4.5, "Invented C": 3.25}
    assert {name: round(float(ranking.scores[name]), 6) for name in by_hand} == by_hand
    assert [ranking.places[name] for name in by_hand] == [1, 2, 3, 4]


def test_threshold_by_hand() -> None:
    """The worst place decides, then how often: B 3, C 4 (thrice), HUMAN 5 once, D 5 thrice, E 6; A is last twice."""
    ranking = rank(read_example(), "threshold")
    order = ["Invented B", "Invented C", "HUMAN", *(f"Invented {letter}" for letter in "DEFGHIAJ")]
    assert ranking.places.sort_values().index.tolist() == order
    assert ranking.winners == ("Invented B",)


def test_baldwin_by_hand() -> None:
    """J to D are removed one by one; then places among HUMAN, A, B, C count, three points for the first.

    HUMAN has 2+1+3+0+3+1+3+1+3 = 17, A 4·3 = 12, B 1+2+1+2+1+2+2+3+2 = 16, C 2+1+2+1+2+1 = 9: C goes. Of HUMAN, A and B
    HUMAN has 1+2+2+2+1+2 = 10, A 4·2 = 8, B 7·1 + 2 = 9: A goes. HUMAN is above B on 5 tasks of 9.
    """
    ranking = rank(read_example(), "baldwin")
    order = ["HUMAN", "Invented B", *(f"Invented {letter}" for letter in "ACDEFGHIJ")]
    assert ranking.scores.to_dict() == {name: 10.0 - number for number, name in enumerate(order)}
    assert [ranking.places[name] for name in order] == list(range(1, 12))


def test_condorcet_by_hand() -> None:
    """HUMAN beats A 5:4 (all but LiDiRus, RCB, MuSeRC, RUSSE), B 5:4 (not on RCB, MuSeRC, RUSSE, DaNetQA), C 7:2."""
    ranking = rank(read_example(), "condorcet")
    assert ranking.winners == ("HUMAN",)
    assert ranking.places.dropna().to_dict() == {"HUMAN": 1}


def test_copeland_by_hand() -> None:
    """HUMAN beats 10; B all but HUMAN (A by 5:4); A is beaten by HUMAN, B, C, D, E, F; 4:5 each, and beats G to J."""
    ranking = rank(read_example(), "copeland")
    assert ranking.scores.to_dict() == give_scores(10, -2, 8, 6, 4, 2, 0, -4, -6, -8, -10)


def test_minimax_by_hand() -> None:
    """HUMAN loses to nobody; A and B lose 5 tasks of 9 to HUMAN; C 8 to B (all but PARus, TERRa: 7); D to J all 9."""
    ranking = rank(read_example(), "minimax")
    assert ranking.scores.to_dict() == give_scores(0, -5, -5, -7, -9, -9, -9, -9, -9, -9, -9)


def test_means_and_gap_by_hand() -> None:
    """HUMAN: 7.302/9; the gap is .95 - mean of scores capped at .95, and only PARus' .982 is capped."""
    scores = read_example()
    assert rank(scores, "arithmetic_mean").scores["HUMAN"] == pytest.approx(7.302 / 9)
    product = 0.626 * 0.691 * 0.982 * 0.613 * 0.92 * 0.805 * 0.84 * 0.915 * 0.91
    assert rank(scores, "geometric_mean").scores["HUMAN"] == pytest.approx(product ** (1 / 9))
    gap = rank(scores, "optimality_gap")
    assert gap.scores["HUMAN"] == pytest.approx(0.95 - (7.302 - 0.032) / 9)
    assert (gap.winners, gap.places["Invented J"]) == (("HUMAN",), 11)


PROFILES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "plurality": ("c", ("cadb", "badc", "dacb", "adbc", "cadb")),
    "borda": ("c", ("dbca", "cbad", "cbad", "dbca", "dcba")),
    "dowdall": ("g", ("agcdfeb", "afbgced", "cgefabd", "gfceadb", "deacfbg", "fgebcad", "defbgac")),
    "threshold": ("c", ("bca", "acb", "bca")),
    "baldwin": ("a", ("abcdfe", "dfecab", "beadfc", "bdcfea", "cafdbe", "dbfeca", "eabfcd")),
    "condorcet": ("", ("bac", "acb", "cba")),
    "copeland": ("f", ("cfbaed", "cfbead", "fbeacd", "bdeacf")),
    "minimax": ("b", ("dbca", "cbad", "abdc", "cbad", "adcb", "dcba", "cadb", "bdca", "adbc")),
}
"""Votes on which a rule has a winner that no other rule has (Condorcet: none, where every other rule has one)."""


@pytest.mark.parametrize("rule", PROFILES)
def test_each_rule_decides_somewhere_as_no_other_does(rule: str) -> None:
    """On its profile a rule has its own winner, and the other seven have others."""
    winner, orders = PROFILES[rule]
    winners = {one.rule: "".join(one.winners) for one in rank_systems(vote(*orders)) if one.rule in VOTING_RULES}
    assert winners.pop(rule) == winner
    assert not any(winner in others for others in winners.values() if winner)
    assert all(winners[other] for other in winners if other != "condorcet")


def test_tied_systems_share_the_points_of_their_places() -> None:
    """a and b share first and second place of three: ½ for plurality, 1½ for Borda, ¾ for Dowdall."""
    scores = pd.DataFrame({"t": {"a": 0.9, "b": 0.9, "c": 0.1}})
    found = {one.rule: one for one in rank_systems(scores)}
    assert found["plurality"].scores.tolist() == [0.5, 0.5, 0.0]
    assert found["borda"].scores.tolist() == [1.5, 1.5, 0.0]
    assert found["dowdall"].scores.tolist() == [0.75, 0.75, round(1 / 3, 9)]
    assert found["minimax"].scores.tolist() == [0.0, 0.0, -1.0]
    assert found["condorcet"].winners == ()
    for rule in set(VOTING_RULES) - {"condorcet"}:
        assert found[rule].places.tolist() == [1, 1, 3], rule


def test_pairs_are_compared_on_the_tasks_that_both_have() -> None:
    """a beats b 2:1, b beats c on the one task of c, which a lacks; so a is no Condorcet winner."""
    nan = np.nan
    scores = pd.DataFrame(
        {"t1": [0.9, 0.8, nan], "t2": [0.9, 0.8, nan], "t3": [0.1, 0.8, nan], "t4": [nan, 0.5, 0.4]}, index=list("abc")
    )
    found = {one.rule: one for one in rank_systems(scores)}
    assert found["copeland"].scores.tolist() == [1.0, 0.0, -1.0]
    assert found["minimax"].scores.tolist() == [0.0, -2.0, -1.0]
    assert found["condorcet"].reason == "No system beats every other one."
    for rule in set(VOTING_RULES) - set(PAIRWISE_RULES):
        assert found[rule].winners == ()
        assert found[rule].reason == "Places need every score; a has none on t4 (and 3 more)."
    assert found["arithmetic_mean"].scores["c"] == pytest.approx((0.85 + 0.85 + 0.45 + 0.4) / 4)
    assert found["arithmetic_mean"].reason.startswith("Missing scores count as their task's median")


def test_groups_weigh_and_rank_in_two_steps() -> None:
    """a wins two tasks of a group, b the only one of another: plain a; weighted a tie; b where its group counts 2."""
    scores = pd.DataFrame({"t1": {"a": 0.9, "b": 0.8}, "t2": {"a": 0.9, "b": 0.8}, "t3": {"a": 0.1, "b": 0.9}})
    groups = {"t1": "g", "t2": "g", "t3": "h"}
    assert rank(scores, "borda").scores.tolist() == [2.0, 1.0]
    assert rank(scores, "borda", weights=weigh(scores, groups)).scores.tolist() == [1.0, 1.0]
    assert rank(scores, "borda", weights=weigh(scores, groups, {"h": 2})).scores.tolist() == [1.0, 2.0]
    for weights, winners in (({}, ("a", "b")), ({"h": 2.0}, ("b",)), ({"g": 3.0}, ("a",))):
        two_step = {one.rule: one for one in rank_in_two_steps(scores, groups, group_weights=weights)}
        assert two_step["borda"].winners == winners
        assert two_step["copeland"].winners == winners


def test_two_steps_are_not_the_weighted_rule() -> None:
    """Borda gives a, b, c 5, 4 and 0 points in a group of three tasks: a third by weight, 2, 1, 0 in two steps."""
    scores = vote("abc", "abc", "bac", "bca").assign(t4=pd.Series({"a": 0.0, "b": 1.0, "c": 2.0}))
    groups = {"t0": "g", "t1": "g", "t2": "g", "t3": "h", "t4": "i"}
    weighted = rank(scores, "borda", weights=weigh(scores, groups))
    assert weighted.scores.round(3).tolist() == [1.667, 4.333, 3.0]
    two_step = {one.rule: one for one in rank_in_two_steps(scores, groups)}["borda"]
    assert two_step.scores.tolist() == [2.0, 4.0, 3.0]


def test_what_has_no_mean_says_why() -> None:
    """A correlation below 0 has no geometric mean; scores of 0 to 100 need a γ on that scale."""
    negative = pd.DataFrame({"mcc": {"a": -0.1, "b": 0.2}, "acc": {"a": 0.5, "b": 0.5}})
    assert rank(negative, "geometric_mean").reason.endswith("a has -0.1 on mcc.")
    percent = pd.DataFrame({"acc": {"a": 96.0, "b": 20.0}})
    assert "γ = 0.95" in rank(percent, "optimality_gap").reason
    assert rank(percent, "optimality_gap", gamma=95).scores.tolist() == [0.0, 75.0]
    assert rank(pd.DataFrame({"acc": {"a": 0.0, "b": 0.5}}), "geometric_mean").scores.tolist() == [0.0, 0.5]


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (pd.DataFrame({"t": {"a": 0.5}}), "There is nothing to rank."),
        (pd.DataFrame({"t": [0.5, 0.4]}, index=["a", "a"]), "Two systems are called 'a'."),
        (pd.DataFrame({"t": {"a": 0.5, "b": np.inf}}), "A score is infinite."),
        (pd.DataFrame({"t": {"a": 0.5, "b": np.nan}}), "The system 'b' has no score."),
        (pd.DataFrame({"t": {"a": 0.5, "b": 0.4}, "u": {"a": np.nan, "b": np.nan}}), "The task 'u' has no score."),
    ],
)
def test_frames_that_cannot_be_ranked_are_refused(scores: pd.DataFrame, said: str) -> None:
    """With a sentence, whichever frame it is; so is a weight that is not above 0."""
    with pytest.raises(HromadaError, match=said):
        rank_systems(scores)
    good = pd.DataFrame({"t": {"a": 0.5, "b": 0.4}})
    with pytest.raises(HromadaError, match="no weight above 0"):
        rank_systems(good, weights=pd.Series({"t": 0.0}))


@st.composite
def draw_scores(draw: st.DrawFn) -> pd.DataFrame:
    """Two to six systems on one to seven tasks, with many ties."""
    n_systems, n_tasks = draw(st.integers(2, 6)), draw(st.integers(1, 7))
    row = st.lists(st.integers(0, 4).map(float), min_size=n_tasks, max_size=n_tasks)
    values = draw(st.lists(row, min_size=n_systems, max_size=n_systems))
    return pd.DataFrame(values, index=list("abcdef")[:n_systems], columns=[f"t{n}" for n in range(n_tasks)])


@settings(deadline=None, max_examples=limit_examples(60))
@given(scores=draw_scores(), data=st.data())
def test_neither_names_nor_orders_matter(scores: pd.DataFrame, data: st.DataObject) -> None:
    """Systems and tasks in another order: the same places and numbers under every rule."""
    systems, tasks = (data.draw(st.permutations(list(axis))) for axis in (scores.index, scores.columns))
    for one, other in zip(rank_systems(scores), rank_systems(scores.loc[systems, tasks]), strict=True):
        assert one.scores.equals(other.scores[scores.index]), one.rule
        assert one.places.equals(other.places[scores.index])
        assert set(one.winners) == set(other.winners)


@settings(deadline=None, max_examples=limit_examples(60))
@given(scores=draw_scores())
def test_voting_rules_read_orders_alone(scores: pd.DataFrame) -> None:
    """Scores changed by a rising function, another one for each task, give the same."""
    changed = scores.copy()
    for number, task in enumerate(scores.columns):
        changed[task] = np.exp(scores[task] * (number + 1)) - 100 * number
    for one, other in zip(rank_systems(scores), rank_systems(changed), strict=True):
        if one.rule not in MEANS:
            assert one.scores.equals(other.scores), one.rule


@settings(deadline=None, max_examples=limit_examples(60))
@given(scores=draw_scores())
def test_a_system_that_beats_all_others_wins(scores: pd.DataFrame) -> None:
    """Condorcet's winner wins Copeland, minimax and Baldwin too."""
    found = {one.rule: one.winners for one in rank_systems(scores)}
    if found["condorcet"]:
        assert found["copeland"] == found["minimax"] == found["baldwin"] == found["condorcet"]


@settings(deadline=None, max_examples=limit_examples(60))
@given(scores=draw_scores())
def test_a_task_that_stands_twice_weighs_two(scores: pd.DataFrame) -> None:
    """A copy of the first task does what a weight of 2 does."""
    first = scores.columns[0]
    doubled = scores.assign(copy=scores[first])
    weights = pd.Series(1.0, index=scores.columns)
    weights[first] = 2.0
    for one, other in zip(rank_systems(doubled), rank_systems(scores, weights=weights), strict=True):
        assert one.places.equals(other.places), one.rule


@settings(deadline=None, max_examples=limit_examples(60))
@given(scores=draw_scores())
def test_a_system_that_is_nowhere_worse_is_never_behind(scores: pd.DataFrame) -> None:
    """A system better than another on every task has at least its place under every rule."""
    grown = scores.copy()
    grown.loc["z"] = scores.loc["a"] + 0.5
    for ranking in rank_systems(grown):
        if ranking.rule != "condorcet" and not ranking.reason:
            assert ranking.places["z"] <= ranking.places["a"], ranking.rule


@settings(deadline=None, max_examples=limit_examples(60))
@given(scores=draw_scores())
def test_one_group_for_each_task_is_no_group(scores: pd.DataFrame) -> None:
    """Two steps, of which the first ranks one task each, give what one step gives."""
    two_steps = rank_in_two_steps(scores, {task: task for task in scores.columns})
    for one, other in zip(rank_systems(scores), two_steps, strict=True):
        if one.rule in {"borda", "dowdall", "threshold", "copeland", *MEANS}:
            assert one.places.equals(other.places), one.rule
    assert [one.rule for one in two_steps] == list(RULES)
