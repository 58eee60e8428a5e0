"""Figures of `ratings-known-answers.json` that commands print: opinions, ranks, judges, distributions.

Intraclass correlations and points against gold are in `test_opinions.py`, comparisons in `test_preference_ranking.py`,
and every figure by its function in `tests/aggregation/test_known_ratings.py`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """
project: NAME
title: Points
language: en
question: {type: TYPE, text: "How good?", options: OPTIONS LEVEL}
items: {file: items.csv, id: id, show: text, gold: right}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: said}
MORE
"""


@pytest.fixture(scope="module")
def known(shared: Path) -> Mapping[str, Any]:
    """The known answers by id."""
    path = shared / "reference" / "ratings-known-answers.json"
    return {case["id"]: case for case in json.loads(path.read_text("utf-8"))["cases"]}


def load(
    hromada: Hromada,
    table: Sequence[Sequence[object]],
    *,
    options: Sequence[str],
    kind: str = "scale",
    gold: Sequence[object] = (),
    more: str = "",
) -> str:
    """The name of a project with these answers, items × people, and with other items that nobody answered."""
    n = max(len(table), len(gold))
    right = [*gold, *[""] * (n - len(gold))]
    hromada.write("items.csv", "id,text,right\n" + "".join(f"i{row:03},text {row},{right[row]}\n" for row in range(n)))
    said = [f"i{row:03},p{who},{one}\n" for row, own in enumerate(table) for who, one in enumerate(own)]
    hromada.write("votes.csv", "item,who,said\n" + "".join(said))
    text = PROJECT.replace("TYPE", kind).replace("MORE", more).replace("NAME", "points")
    if not gold:
        text = text.replace(", gold: right", "")
    text = text.replace("LEVEL", ", level: interval" if kind == "scale" else "")
    return hromada.loaded(text.replace("OPTIONS", json.dumps(list(options))))


def judge(hromada: Hromada, answers: Sequence[object], *more: str) -> Any:
    """What `compare` says of a model with these answers to the items in turn."""
    rows = [{"item_id": f"i{row:03}", "answer": answer} for row, answer in enumerate(answers)]
    path = hromada.write("judge.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    return hromada("compare", "points", path, "--json", *more).json


def test_a_mean_opinion_has_the_known_intervals(hromada: Hromada, known: Mapping[str, Any]) -> None:
    case = known["mean-two-way"]
    name = load(hromada, case["input"]["ratings"], options="12345")
    (opinion,) = hromada("baseline", name, "--json").json["opinions"]
    expected = case["expected"]
    keys = {
        "value": "mean",
        "ci_low": "fresh_low_hromada",
        "ci_high": "fresh_high_hromada",
        "item_only_low": "this_low_hromada",
        "item_only_high": "this_high_hromada",
    }
    found = {key: opinion["mean"][key] for key in keys}
    assert found == pytest.approx({key: expected[name] for key, name in keys.items()}, abs=case["tolerance"])
    assert opinion["median"]["value"] == expected["median"]


@pytest.mark.parametrize(
    ("name", "metric", "figure"), [("kendall-tau-b", "kendall_tau_b", "tau_b"), ("spearman", "spearman", "rho")]
)
def test_ranks_are_held_against_gold(
    hromada: Hromada, known: Mapping[str, Any], name: str, metric: str, figure: str
) -> None:
    given = known[name]["input"]
    options = [str(point) for point in range(13)]
    project = load(hromada, [[one] for one in given["x"]], options=options, gold=given["y"])
    units = hromada("baseline", project, "--json").json["points_against_gold"]
    for unit in units:
        scores = {score["metric"]: score["value"] for score in unit["scores"]}
        assert scores[metric] == pytest.approx(known[name]["expected"][figure], abs=known[name]["tolerance"])


def test_the_alternative_annotator_test_is_that_of_its_authors(hromada: Hromada, known: Mapping[str, Any]) -> None:
    case = known["alt-test-scale"]
    load(hromada, [*zip(*case["input"]["people"], strict=True)], options="12345")
    found, expected = judge(hromada, list(case["input"]["judge"]), "--epsilon", "0.15"), case["expected"]
    rows = {row["statistic"]: row["value"] for row in found["judges"]}
    for figure in ("winning_rate", "advantage_probability"):
        assert rows[figure] == pytest.approx(expected[figure], abs=case["tolerance"])
    p_values = sorted(row["p_value"] for row in found["judge_people"])  # under pseudonyms
    assert p_values == pytest.approx(sorted(expected["p_values"]), abs=case["tolerance"])


@pytest.mark.parametrize(
    ("name", "figure", "more"),
    [
        ("ppi-mean", "estimate_tuned", "judges: {random_sample: yes}"),
        ("rogan-gladen", "corrected", ""),
        ("rogan-gladen-useless-judge", "value", ""),
    ],
)
def test_a_judge_of_more_items_corrects_a_share(
    hromada: Hromada, known: Mapping[str, Any], name: str, figure: str, more: str
) -> None:
    """Two people who agree stand for the one of the file."""
    given, expected = known[name]["input"], known[name]["expected"][figure]
    words = {1: "yes", 0: "no"}
    load(hromada, [[words[one]] * 2 for one in given["people"]], options=("yes", "no"), kind="choice", more=more)
    found = judge(hromada, [words[one] for one in (*given["judge_same_items"], *given["judge_other_items"])])
    means = [row for row in found["judges"] if row["statistic"] == "corrected_mean" and row["of"] in ("", "yes")]
    (value,) = [row["value"] for row in means]
    assert value == (
        None if expected is None else pytest.approx(expected, abs=0.01 if more else known[name]["tolerance"])
    )
    assert ("tells nothing apart" in json.dumps(found)) == (expected is None)


def test_a_distribution_has_the_known_cross_entropy(hromada: Hromada, known: Mapping[str, Any]) -> None:
    case = known["soft-labels"]
    people, model = case["input"]["people"], case["input"]["model"]
    said = [option for option, share in zip("123", people, strict=True) for _ in range(round(10 * share))]
    load(hromada, [said], options="123")
    found = judge(hromada, [dict(zip("123", model, strict=True))])["soft_scores"]
    scores = {row["metric"]: row["value"] for row in found}
    assert scores["cross_entropy"] == pytest.approx(case["expected"]["cross_entropy_bits"], abs=case["tolerance"])
