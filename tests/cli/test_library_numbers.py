"""What a notebook computes is what the commands print for the same votes, to twelve digits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from aggregation import compare_scores, find_consensus, measure_agreement, score_answers

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """
project: votes
title: Votes
language: en
question: {type: %(kind)s, text: "Which?", options: %(options)s}
items: from votes
votes: {format: csv, file: "%(file)s", item: %(item)s, annotator: worker, answer: label, repeats: %(repeats)s}
"""
TRUTH = 'truth: {file: "%s", item: item, gold: truth}\n'
POPULATIONS = ("low", "high", "new_people_low", "new_people_high")


def is_equal(ours: Any, told: Any) -> bool:
    """Whether two parts of JSON are equal; the order of rows changes the rounding of sums."""
    if isinstance(ours, dict):
        return ours.keys() == told.keys() and all(is_equal(ours[key], told[key]) for key in ours)
    if isinstance(ours, list):
        return len(ours) == len(told) and all(map(is_equal, ours, told))
    return bool(ours == (pytest.approx(told, rel=1e-12, abs=1e-12) if isinstance(told, float) else told))


def find_differences(ours: Sequence[Any], told: Sequence[Any]) -> list[tuple[Any, Any]]:
    """The rows (dataclasses) that are not as the command tells them."""
    rows = [json.loads(json.dumps(asdict(row))) for row in ours]
    return [pair for pair in zip(rows, told, strict=True) if not is_equal(*pair)]


def check_agreement(hromada: Hromada, name: str, frame: pd.DataFrame, **options: Any) -> None:
    """Every row of `agreement`, but for the mean posterior, which rests on a fit."""
    told = hromada("agreement", name, "--json").json["coefficients"]
    measured = measure_agreement(frame, **options)
    assert find_differences(measured.table.rows, [row for row in told if row["name"] != "dawid_skene_iaa"]) == []
    assert any(row[end] is not None for row in told for end in POPULATIONS[2:])


def check_labels(hromada: Hromada, name: str, frame: pd.DataFrame, **options: Any) -> None:
    """Labels, confidence, ties and posteriors of every method."""
    for method in ("majority", "dawid_skene", "one_coin"):
        told = hromada("aggregate", name, "--method", method, "--json").json
        found = find_consensus(frame, method=method, **options)
        assert (found.iterations, found.converged) == (told["iterations"], told["converged"])
        ours = found.to_frame().assign(item_id=lambda rows: rows["item_id"].astype(str)).sort_values("item_id")
        for row, item in zip(ours.to_dict("records"), told["items"], strict=True):
            label = None if row["label"] is None else str(row["label"])
            assert (row["item_id"], label, row["tie"]) == (item["item_id"], item["label"], item["tie"])
            assert row["confidence"] == pytest.approx(item["confidence"], rel=1e-12)
            assert is_equal({name: row[f"posterior {name}"] for name in item["posterior"]}, item["posterior"])


def check_scores(hromada: Hromada, name: str, frame: pd.DataFrame, gold: pd.Series[Any], **options: Any) -> None:
    """Every unit and metric of `baseline`, and every difference of `compare`."""
    told = hromada("baseline", name, "--json").json
    scores = score_answers(frame, gold=gold, **options)
    assert find_differences(scores.performance.units, told["units"]) == []
    assert find_differences(scores.performance.fresh_majorities, told["fresh_majorities"]) == []
    model = {str(item): label if number % 3 else (label + 1) % 5 for number, (item, label) in enumerate(gold.items())}
    lines = [json.dumps({"item_id": item, "answer": str(label)}) for item, label in model.items()]
    hromada.write("model.jsonl", "\n".join(lines) + "\n")
    against = hromada("compare", name, "model.jsonl", "--json").json
    compared = compare_scores(frame, {"model": model}, gold=gold, **options)
    assert len(compared.to_frame()) == len(against["differences"])
    for row, shown in zip(compared.to_frame().to_dict("records"), against["differences"], strict=True):
        assert [row[key] for key in ("model", "unit", "metric", "kind", "part", "n_items", "above")] == [
            shown[key] for key in ("model", "unit", "metric", "kind", "part", "n_items", "above")
        ]
        for key, end in (("difference", "difference"), ("ci_low", "new_people_low"), ("ci_high", "new_people_high"),
                         ("item_only_low", "these_people_low"), ("p_holm", "p_holm")):  # fmt: skip
            ours = None if pd.isna(row[end]) else row[end]
            assert ours == (None if shown[key] is None else pytest.approx(shown[key], abs=6e-7)), (row, key)
    assert compared.mcnemar_to_frame().loc[0, "p_mid"] == pytest.approx(against["mcnemar"][0]["p_mid"], abs=6e-7)


@pytest.mark.parametrize(
    "place",
    [
        "active-crowd-toolkit/CF",
        pytest.param("SpectralMethodsMeetEM/rte", marks=pytest.mark.slow),
    ],
)
def test_real_votes_have_the_numbers_of_the_commands(hromada: Hromada, shared: Path, place: str) -> None:
    """Agreement, labels, scores and differences of crowdsourced votes; the frame has integers, the commands texts."""
    folder = shared / "data/truth-inference" / place
    frame = pd.read_csv(folder / "label.csv").rename(columns={"item": "task"})
    truth = pd.read_csv(folder / "truth.csv").set_index("item")["truth"]
    labels = sorted({*frame["label"], *truth})
    facts = {"kind": "choice", "options": [str(label) for label in labels], "file": folder / "label.csv"}
    project = PROJECT % (facts | {"item": "item", "repeats": "first"}) + TRUTH % (folder / "truth.csv")
    name = hromada.loaded(project, outside=True)
    check_agreement(hromada, name, frame, labels=labels)
    check_labels(hromada, name, frame, labels=labels)
    check_scores(hromada, name, frame, truth, labels=labels)


@pytest.mark.parametrize(("kind", "level"), [("choice", "nominal"), ("scale", "ordinal")])
@pytest.mark.parametrize("repeats", ["first", "last", "all"])
def test_the_patients_of_1979_have_the_numbers_of_the_commands(
    hromada: Hromada, shared: Path, kind: str, level: Any, repeats: Any
) -> None:
    """One observer answered three times; classes 1 to 4 are also read as an ordered scale."""
    file = shared / "data/dawid-skene-1979/patients45.csv"
    facts = {"kind": kind, "options": ["1", "2", "3", "4"], "file": file, "item": "task", "repeats": repeats}
    name = hromada.loaded(PROJECT % facts, outside=True)
    frame = pd.read_csv(file)
    check_agreement(hromada, name, frame, level=level, repeats=repeats)
    if kind == "choice":
        check_labels(hromada, name, frame, repeats=repeats)
