"""Comparisons through the command line: known answers, the three layouts of votes, and a file of votes to a report."""

from __future__ import annotations

import csv
import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _command import Hromada

SHARED = Path(os.environ.get("HROMADA_SHARED") or "not-set")
COUNTS = ("one", "two", "wins", "ties", "losses")
PROJECT = """\
project: arena
title: Arena
language: en
question:
  type: preference
  text: Which answer is better?
  sides: [text_a, text_b]
  systems: [model_a, model_b]
  tie: The same
  both_bad: Both are bad
items: from votes
votes: {format: comparisons, file: votes.jsonl, show: prompt}
"""


@pytest.fixture(scope="module")
def cases() -> dict[str, dict[str, Any]]:
    """The known answers by id."""
    if "HROMADA_SHARED" not in os.environ:
        pytest.skip("HROMADA_SHARED names no folder with the known answers")
    known = json.loads((SHARED / "reference/ratings-known-answers.json").read_text(encoding="utf-8"))
    return {case["id"]: case for case in known["cases"]}


def rank(hromada: Hromada, columns: tuple[str, ...], rows: list[tuple[object, ...]]) -> Any:
    """What `hromada rank` says of a table, as JSON."""
    path = hromada.folder / "comparisons.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return hromada("rank", path, "--json").json


def list_strengths(ranked: Any, model: str = "bradley_terry") -> dict[str, float]:
    """The strength of each system under a model."""
    return {row["system"]: row["strength"] for row in ranked["ranking"] if row["model"] == model}


def weigh(strengths: dict[str, float]) -> list[float]:
    """The worths, which sum to one, in the order of the names."""
    worths = [math.exp(strengths[name]) for name in sorted(strengths)]
    return [worth / sum(worths) for worth in worths]


def test_counts_have_the_published_strengths(hromada: Hromada, cases: dict[str, dict[str, Any]]) -> None:
    """Citations between journals, and Davidson's puddings by both models."""
    case = cases["bt-citations"]
    names, wins = case["input"]["names"], case["input"]["wins_row_over_column"]
    pairs = [(i, j) for i in range(len(names)) for j in range(i)]
    rows: list[tuple[object, ...]] = [(names[i], names[j], wins[i][j], 0, wins[j][i]) for i, j in pairs]
    strengths = list_strengths(rank(hromada, COUNTS, rows))
    found = [strengths[name] - strengths[names[0]] for name in names[1:]]
    assert found == pytest.approx(case["expected"]["coefficients"], abs=case["tolerance"])

    case = cases["davidson-pudding"]
    ranked = rank(hromada, COUNTS, [(i, j, one, ties, two) for i, j, _, one, two, ties in case["input"]["rows"]])
    expected, tolerance = case["expected"], case["tolerance"]
    assert weigh(list_strengths(ranked)) == pytest.approx(expected["half_win_worth"], abs=tolerance)
    assert weigh(list_strengths(ranked, "davidson")) == pytest.approx(expected["davidson_worth"], abs=tolerance)
    ties = {row["tie_parameter"] for row in ranked["ranking"] if row["model"] == "davidson"}
    assert ties.pop() == pytest.approx(expected["davidson_nu"], abs=tolerance)


def test_votes_have_the_known_strengths_or_the_reason(hromada: Hromada, cases: dict[str, dict[str, Any]]) -> None:
    """evalica's ties, a circle, a system that never lost, and two groups that never met."""
    case = cases["bt-ties-simple"]
    given = case["input"]
    rows: list[tuple[object, ...]] = list(zip(given["left"], given["right"], given["winner"], strict=True))
    ranked = rank(hromada, ("left", "right", "winner"), rows)
    assert weigh(list_strengths(ranked)) == pytest.approx(case["expected"]["worth"], abs=case["tolerance"])

    def rank_winners(name: str) -> Any:
        pairs = cases[name]["input"]["winner_loser"]
        return rank(hromada, ("left", "right", "label"), [(one, two, one) for one, two in pairs])

    ranked = rank_winners("bt-cycle")
    assert weigh(list_strengths(ranked)) == pytest.approx(cases["bt-cycle"]["expected"]["worth"])
    assert (ranked["condorcet_winner"], ranked["circular_triads"]) == (None, 1)
    for name, said in (("bt-never-lost", "0 never lost"), ("bt-disconnected", "{0, 1}; {2, 3}")):
        ranked = rank_winners(name)
        assert set(list_strengths(ranked).values()) == {None}, name
        assert said in ranked["ranking"][0]["reason"], name


def test_a_person_who_prefers_a_side_is_found(hromada: Hromada, cases: dict[str, dict[str, Any]]) -> None:
    case = cases["position-bias"]
    answers = [word for word, n in zip(("left", "right", "tie"), case["input"].values(), strict=True) for _ in range(n)]
    rows: list[tuple[object, ...]] = [
        ("judge", n, *(("a", "b") if n % 2 else ("b", "a")), answer) for n, answer in enumerate(answers)
    ]
    ranked = rank(hromada, ("judge", "question_id", "left", "right", "winner"), rows)
    everybody, person = ranked["positions"]
    expected, tolerance = case["expected"], max(case["tolerance"], 1e-8)  # shares are rounded there
    assert person["p_value"] == pytest.approx(expected["p_two_sided"], abs=tolerance)
    assert everybody["share_left"] == pytest.approx(expected["share_left_ties_half"], abs=tolerance)
    decided = person["left"] / (person["left"] + person["right"])
    assert decided == pytest.approx(expected["share_left_of_decided"], abs=tolerance)


def build_votes() -> list[dict[str, object]]:
    """Votes of three systems as Chatbot Arena writes them: 6 judges, 12 questions, each pair, sides by turns."""
    pairs = [("alpha", "beta"), ("beta", "gamma"), ("gamma", "alpha")]
    votes = []
    for number, (question, judge) in enumerate((question, judge) for question in range(12) for judge in range(6)):
        for place, pair in enumerate(pairs):
            one, two = pair if (number + place) % 2 else pair[::-1]
            kind = (number * 7 + place * 3) % 9
            best = "model_a" if one == min(one, two) else "model_b"
            worst = "model_b" if best == "model_a" else "model_a"
            winner = best if kind < 5 else worst if kind < 7 else ("tie", "tie (bothbad)")[kind - 7]
            texts = {"text_a": f"{one} on {question}", "text_b": f"{two} on {question}"}
            row = {"question_id": question, "model_a": one, "model_b": two, "winner": winner, "judge": f"j{judge}"}
            votes.append(row | texts | {"prompt": f"Question {question}"})
    return votes


def test_three_layouts_of_the_same_votes_rank_alike(hromada: Hromada) -> None:
    """Chatbot Arena's, crowd-kit's and evalica's; a file that lacks people or items says so."""
    votes = build_votes()
    sides = {"model_a": "left", "model_b": "right"}
    of_arena = rank(hromada, tuple(votes[0]), [tuple(vote.values()) for vote in votes])
    rows: list[tuple[object, ...]] = [
        (vote["judge"], vote["model_a"], vote["model_b"], vote.get(str(vote["winner"]), vote["winner"]))
        for vote in votes
    ]
    of_crowd_kit = rank(hromada, ("worker", "left", "right", "label"), rows)
    rows = [(vote["model_a"], vote["model_b"], sides.get(str(vote["winner"]), "tie")) for vote in votes]
    of_evalica = rank(hromada, ("left", "right", "winner"), rows)
    assert list_strengths(of_arena) == list_strengths(of_crowd_kit) == list_strengths(of_evalica)
    assert of_arena["notes"] == []
    assert "names no items" in of_crowd_kit["notes"][0]
    assert "does not say who answered" in of_evalica["notes"][1]
    assert [row["ci_low"] is None for row in (of_arena["ranking"][0], of_evalica["ranking"][0])] == [False, True]
    assert {one["rule"]: one["winners"] for one in of_arena["rules"]}["borda"] == ["alpha"]
    assert sum(pair["both_bad"] for pair in of_arena["pairs"]) > 0


LAYOUTS = {
    "arena": {},
    "crowd-kit": {"model_a": "left", "model_b": "right", "winner": "label", "judge": "worker"},
    "evalica": {"model_a": "left", "model_b": "right"},
}
"""The columns that other tools have in place of Chatbot Arena's."""


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_file_of_votes_gets_into_a_project(hromada: Hromada, layout: str) -> None:
    """Loaded, imported, and shown by baseline and rank as the file itself is."""
    (hromada.folder / "arena.yaml").write_text(PROJECT)
    names = LAYOUTS[layout]
    votes = [{names.get(name, name): value for name, value in vote.items()} for vote in build_votes()]
    (hromada.folder / "votes.jsonl").write_text("".join(json.dumps(vote) + "\n" for vote in votes))
    for words in (("check", "arena.yaml"), ("load", "arena.yaml"), ("import", "arena")):
        ran = hromada(*words)
        assert ran.code == 0, ran.err
    shown = hromada("baseline", "arena")
    assert "More answers prefer alpha to each other system than the reverse." in shown.out
    assert "No item has gold" not in shown.out + shown.err
    ranked = hromada("rank", "arena", "--json").json
    of_file = hromada("rank", "votes.jsonl", "--json").json
    assert list_strengths(ranked) == pytest.approx(list_strengths(of_file))
    assert ranked["positions"][0]["left"] == of_file["positions"][0]["left"] > 0


@pytest.mark.slow
def test_a_release_of_votes_proves_itself_and_says_who_won(hromada: Hromada) -> None:
    (hromada.folder / "arena.yaml").write_text(PROJECT)
    (hromada.folder / "votes.jsonl").write_text("".join(json.dumps(vote) + "\n" for vote in build_votes()))
    for words in (("load", "arena.yaml"), ("import", "arena"), ("release", "arena", "rel", "--draft", "--no-replay")):
        assert hromada(*words).code == 0, words
    assert "Verified" in hromada("release", "--verify", "rel").out
    paragraph = (hromada.folder / "rel/paragraph.md").read_text()
    assert "alpha has a win rate of" in paragraph
    assert "has no score" not in paragraph
    assert "the order in arena is alpha (1" in paragraph
    with (hromada.folder / "rel/preferences.csv").open() as file:
        pairs = list(csv.DictReader(file))
    assert [(pair["one"], pair["two"]) for pair in pairs] == [("alpha", "beta"), ("alpha", "gamma"), ("beta", "gamma")]
    report = (hromada.folder / "rel/report.html").read_text()
    assert "Strongest system" in report
    assert "Which text people prefer" in report
    of_counts = hromada("rank", "rel/preferences.csv", "--json").json
    ranked = hromada("rank", "arena", "--json").json
    assert list_strengths(of_counts) == pytest.approx(list_strengths(ranked))
    assert "counts alone" in of_counts["notes"][0]
    assert "Classes are columns" in report
    assert "classes are columns" in hromada("agreement", "arena").out


@pytest.mark.slow
def test_a_draft_without_answers_proves_itself(hromada: Hromada) -> None:
    """Nobody worked 0.0 hours, as the file says it and as it is computed again."""
    for words in (
        ("new", "shop", "--template", "preference", "--language", "en"),
        ("load", "shop/project.yaml"),
        ("release", "shop", "rel", "--draft", "--no-replay"),
        ("release", "--verify", "rel"),
    ):
        ran = hromada(*words)
        assert ran.code == 0, ran.err
    assert ran.out.startswith("Verified")


def test_a_winner_that_is_no_side_is_refused_with_its_place(hromada: Hromada) -> None:
    path = hromada.write("votes.csv", "left,right,winner\na,b,left\na,b,maybe\n")
    said = hromada("rank", path).err
    assert "votes.csv:3, winner: The winner 'maybe' is neither a side nor one of the two systems." in said
    path = hromada.write("both.csv", "left,right,winner\nright,b,right\n")
    assert "can mean either side" in hromada("rank", path).err


def test_one_answer_is_counted_and_proves_nothing(hromada: Hromada) -> None:
    hromada.write("one.csv", "question_id,judge,model_a,model_b,winner\n1,ann,x,y,model_a\n")
    told = " ".join(hromada("rank", "one.csv").out.split())
    assert "x is preferred to y: win rate 1.0000 [–], 1 answer. Nothing shows whether chance explains this." in told
    assert "No interval: 1 item is fewer than 5." in told


def test_ties_alone_prefer_neither_system(hromada: Hromada) -> None:
    rows = "".join(f"{n},p{n % 3},x,y,tie\n" for n in range(9))
    hromada.write("tied.csv", f"question_id,judge,model_a,model_b,winner\n{rows}")
    for words in (("new", "tied", "--from", "tied.csv"), ("load", "tied/project.yaml"), ("import", "tied")):
        assert hromada(*words).code == 0
    assert hromada("export", "tied", "--to", "out").code == 0
    page = (hromada.folder / "out/report.html").read_text()
    assert "Neither preferred: x, y" in page
    assert "preferred to" not in page
