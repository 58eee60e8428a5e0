"""Ties of votes, as people see them: one convention in `baseline`, `compare`, `aggregate`, `build` and `results`."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aggregation import scoring

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """\
project: pairs
title: Cat or dog?
language: en
question: {type: choice, text: What is it?, options: [cat, dog]%s}
items: from votes
votes: {format: csv, file: votes.csv, item: picture, annotator: who, answer: says}
truth: {file: truth.csv, item: picture, gold: is}
declared: {licence: CC BY-SA 4.0}
"""
Vote = tuple[str, str, str]


def gold_of(number: int) -> str:
    return ("cat", "dog")[number % 2]


def other_than(gold: str) -> str:
    return "dog" if gold == "cat" else "cat"


def load_votes(hromada: Hromada, votes: Sequence[Vote], n: int, *, project: str = PROJECT % "") -> str:
    """Load and import votes (picture, who, says) on n pictures, whose gold takes turns."""
    hromada.write("votes.csv", "".join(f"{','.join(row)}\n" for row in [("picture", "who", "says"), *votes]))
    hromada.write("truth.csv", "picture,is\n" + "".join(f"p{n:03},{gold_of(n)}\n" for n in range(n)))
    return hromada.loaded(project)


def load_two_votes(hromada: Hromada) -> None:
    """200 items with two votes each of twenty people, who are right in 90 %, and a model that is right in 90 %."""
    rng = random.Random(4)  # noqa: S311  # simulated answers
    votes: list[Vote] = []
    for number in range(200):
        for who in rng.sample(range(20), 2):
            says = gold_of(number) if rng.random() < 0.9 else other_than(gold_of(number))
            votes.append((f"p{number:03}", f"w{who:02}", says))
    load_votes(hromada, votes, 200)
    wrong = set(rng.sample(range(200), 20))
    lines = [
        {"item_id": f"p{n:03}", "answer": other_than(gold_of(n)) if n in wrong else gold_of(n)} for n in range(200)
    ]
    hromada.write("model.jsonl", "".join(json.dumps(line) + "\n" for line in lines))


def find_units(hromada: Hromada, *words: str) -> dict[str, dict[str, Any]]:
    """The units of `baseline --json` by name."""
    return {unit["unit"]: unit for unit in hromada("baseline", "pairs", *words, "--json").json["units"]}


def list_scores(unit: dict[str, Any], key: str = "value") -> dict[str, float]:
    """The metrics of a unit."""
    return {score["metric"]: score[key] for score in unit["scores"]}


def test_a_tie_rule_makes_no_model_better_than_people(hromada: Hromada) -> None:
    """Two votes an item: the majority is as right as its people; with ties wrong a model would be above them."""
    load_two_votes(hromada)
    units = find_units(hromada)
    majority, single = units["majority"], list_scores(units["individual"])["accuracy"]
    shared, wrong = list_scores(majority), list_scores(majority, "value_ties_wrong")
    assert majority["n_ties"] > 25
    assert shared["accuracy"] == pytest.approx(single)  # the expectation over a draw of one of two votes
    assert wrong["accuracy"] == pytest.approx(shared["accuracy"] - majority["n_ties"] / 2 / 200)
    assert majority["wrong"] == 200 - majority["n_ties"] - round(wrong["accuracy"] * 200)
    ran = hromada("compare", "pairs", "model.jsonl", "--json")
    assert ran.code == 0, ran.err
    (row,) = (one for one in ran.json["differences"]
              if (one["unit"], one["metric"], one["kind"]) == ("majority", "accuracy", "all"))  # fmt: skip
    assert row["difference"] == pytest.approx(shared["accuracy"] - 0.9)
    assert row["difference_ties_wrong"] == pytest.approx(wrong["accuracy"] - 0.9)
    assert (row["p_ties_wrong"] < 0.05 < row["p_value"], row["above"]) == (True, "")
    assert (row["n_ties"], row["fewest_votes"], row["most_votes"]) == (majority["n_ties"], 2, 2)
    (mcnemar,) = ran.json["mcnemar"]
    counted = [mcnemar[name] for name in ("both", "only_first", "only_second", "neither")]
    assert (sum(counted), mcnemar["n_ties"]) == (200, majority["n_ties"])
    assert counted[1] - counted[2] == pytest.approx(200 * row["difference"])
    assert mcnemar["p_mid"] > 0.05  # of untied items alone p would be below .001, for people
    shown = hromada("compare", "pairs", "model.jsonl").out
    assert "people (majority of 2) less models, ties wrong" in shown
    dropped = hromada("compare", "pairs", "model.jsonl", "--ties", "drop", "--json").json
    (old,) = (one for one in dropped["differences"]
              if (one["unit"], one["metric"], one["kind"]) == ("majority", "accuracy", "all"))  # fmt: skip
    assert (old["difference"], old["above"]) == (row["difference_ties_wrong"], "model")
    assert dropped["mcnemar"][0]["n_ties"] == 0


@pytest.mark.slow
def test_every_metric_is_that_of_the_expected_confusion_matrix(hromada: Hromada) -> None:
    """By hand, from the votes: accuracy, both F1 and MCC; and what each rule of ties gives."""
    load_two_votes(hromada)
    with (hromada.folder / "votes.csv").open(encoding="utf-8", newline="") as file:
        votes = list(csv.DictReader(file))
    said = {f"p{n:03}": [row["says"] for row in votes if row["picture"] == f"p{n:03}"] for n in range(200)}
    gold = [gold_of(n) for n in range(200)]
    tied = [sorted(set(answers)) for answers in said.values()]
    expected = scoring.count_labels(gold, tied, classes=("cat", "dog"))
    assert list_scores(find_units(hromada)["majority"]) == pytest.approx(
        {name: metric(expected) for name, metric in scoring.METRICS.items()}
    )
    first = scoring.count_labels(gold, [answers[0] for answers in said.values()], classes=("cat", "dog"))
    found = find_units(hromada, "--ties", "first")["majority"]
    assert list_scores(found) == pytest.approx({name: metric(first) for name, metric in scoring.METRICS.items()})
    least = scoring.count_labels(gold, [one[0] if len(one) == 1 else None for one in tied], classes=("cat", "dog"))
    wrong = {name: metric(least) for name, metric in scoring.METRICS.items()}
    assert list_scores(found, "value_ties_wrong") == pytest.approx(wrong)
    assert list_scores(find_units(hromada, "--ties", "drop")["majority"]) == pytest.approx(wrong)


@pytest.mark.slow
def test_a_row_carries_its_number_of_votes_and_both_values(hromada: Hromada) -> None:
    """Items with two to five votes: the table, the report, the paragraph, the tables for the paper and both CSV."""
    rng = random.Random(1)  # noqa: S311  # simulated answers
    votes = [
        (f"p{n:03}", f"w{who}", gold_of(n) if rng.random() < 0.7 else other_than(gold_of(n)))
        for n in range(40)
        for who in range(2 + n % 4)
    ]
    load_votes(hromada, votes, 40)
    unit = find_units(hromada)["majority"]
    assert unit["n_ties"] > 0
    shown = hromada("baseline", "pairs").out
    assert "majority of 2–5" in shown
    assert "each of m tied answers counts 1/m" in " ".join(shown.split())
    assert f"{list_scores(unit, 'value_ties_wrong')['accuracy']:.4f}" in shown
    assert hromada("export", "pairs", "--to", "out").code == 0
    with (hromada.folder / "out/human_baseline.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["metric"]: row for row in csv.DictReader(file) if row["unit"] == "majority"}
    for metric, value in list_scores(unit, "value_ties_wrong").items():
        assert float(rows[metric]["value_ties_wrong"]) == pytest.approx(value, abs=5e-5)
    report = (hromada.folder / "out/report.html").read_text("utf-8")
    assert "Majority of 2–5" in report
    assert (
        f"{unit['n_ties']}; {100 * list_scores(unit, 'value_ties_wrong')['accuracy']:.1f} % if every tie counts"
        in report
    )


@pytest.mark.parametrize(("overlap", "said"), [("4", "(4)"), ("{min: 2, max: 5, confidence: 0.9}", "(2)"), ("3", "")])
def test_an_even_overlap_of_a_baseline_is_warned_of(hromada: Hromada, overlap: str, said: str) -> None:
    """`check` names the number, before anybody answers."""
    hromada.write("items.csv", "id,text,gold\n" + "".join(f"i{n},text {n},{gold_of(n)}\n" for n in range(12)))
    hromada.write(
        "even.yaml",
        "project: even\ntitle: Even\nlanguage: en\nkind: baseline\ninstructions: Read.\n"
        'question: {type: choice, text: "Which?", options: [cat, dog]}\n'
        "items: {file: items.csv, id: id, show: text, gold: gold, gold_origin: expert}\n"
        f"overlap: {overlap}\n",
    )
    ran = hromada("check", "even.yaml", "--json")
    assert ran.code == 0, ran.err
    warned = [line for line in ran.json["weak"] if "even number of answers" in line]
    assert [said in line for line in warned] == ([True] if said else [])


def test_the_replay_answers_what_people_answered(hromada: Hromada) -> None:
    """20 items with 8 ties: `results` says what `baseline` says, of all 20, and `--samples` names all of them."""
    votes: list[Vote] = []
    for number in range(20):
        gold = gold_of(number)
        for who in range(4):
            is_right = who < 2 if number < 8 else who < 3
            votes.append((f"p{number:03}", f"w{who}", gold if is_right else other_than(gold)))
    load_votes(hromada, votes, 20)
    majority = find_units(hromada)["majority"]
    assert (majority["n_ties"], majority["wrong"]) == (8, 0)
    built = hromada("build", "pairs", "bench", "--json")
    assert built.code == 0, built.err
    people = built.json["tasks"]["pairs"]["people"]
    assert (people["n_items"], people["n_ties"], people["n_runs"]) == (20, 8, 2)
    samples = json.loads((hromada.folder / "bench/samples.json").read_text("utf-8"))
    assert len(samples["pairs"]) == 20
    runs = [json.loads(file.read_text("utf-8"))["config"]["model_args"] for file in list_runs(hromada.folder)]
    assert [(run["run"], run["runs"]) for run in runs] == [
        (number, {"pairs": 2, "pairs_generation": 2}) for number in (1, 2)
    ]
    read = hromada("results", "bench", "--to", "read", "--json").json
    found: dict[str, float] = {}
    for task, beside in (("pairs", "accuracy_norm"), ("pairs_generation", "accuracy_strict")):
        rows = [row for row in read["scores"] if (row["model"], row["task"]) == ("human-majority", task)]
        found = {row["metric"]: row["value"] for row in rows}
        assert found.pop(beside) == found["accuracy"]
        assert found == pytest.approx(list_scores(majority), abs=1e-9)
    assert found["accuracy"] == pytest.approx(16 / 20)
    assert not [row for row in read["differences"] if row["model"] == "human-majority"]
    with (hromada.folder / "read/answers.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if (row["model"], row["task"]) == ("human-majority", "pairs")]
    assert Counter((bool(row["answer"]), float(row["score"])) for row in rows) == {(True, 1.0): 12, (False, 0.5): 8}


def list_runs(folder: Path) -> list[Path]:
    """The result files of the majority, by run."""
    files = (folder / "bench/results/human-majority").glob("results_*.json")
    return sorted(files, key=lambda file: (len(file.name), file.name))


def test_sets_and_corrections_that_tie_have_the_mean_of_their_grades(hromada: Hromada) -> None:
    """Two people tick {a, b} and {a, c}: each answer is the consensus in half of the draws."""
    hromada.write("items.csv", 'id,text,gold\ni1,one,"[""a"", ""b""]"\ni2,two,"[""c""]"\n')
    hromada.write(
        "sets.yaml",
        "project: pairs\ntitle: Sets\nlanguage: en\n"
        'question: {type: choices, text: "Which?", options: [a, b, c]}\n'
        "items: {file: items.csv, id: id, show: text, gold: gold, gold_origin: expert}\n"
        "votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: says}\n",
    )
    rows = [("i1", "w1", ["a", "b"]), ("i1", "w2", ["a", "c"]), ("i2", "w1", ["c"]), ("i2", "w2", ["c"])]
    lines = [f'{item},{who},"{json.dumps(said).replace(chr(34), chr(34) * 2)}"\n' for item, who, said in rows]
    hromada.write("votes.csv", "item,who,says\n" + "".join(lines))
    assert hromada("load", "sets.yaml").code == 0
    imported = hromada("import", "pairs")
    assert imported.code == 0, imported.err
    majority = find_units(hromada)["majority"]
    scores, wrong = list_scores(majority), list_scores(majority, "value_ties_wrong")
    assert (scores["exact_match"], wrong["exact_match"]) == pytest.approx(((0.5 + 1) / 2, 0.5))
    assert (scores["f1m"], wrong["f1m"]) == pytest.approx(((0.75 + 1) / 2, 0.5))
    first = list_scores(find_units(hromada, "--ties", "first")["majority"])
    assert (first["exact_match"], first["f1m"]) == (1.0, 1.0)
    aggregate = hromada("aggregate", "pairs", "--json").json
    assert aggregate["accuracy"]["value"] == pytest.approx(scores["exact_match"])
