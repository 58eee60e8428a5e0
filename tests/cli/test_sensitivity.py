"""`hromada sensitivity` as it is typed: the tables, the JSON, the files, and what it refuses."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """\
project: quick
title: t
language: en
question: {type: choice, text: "Is it so?", options: [yes, no]}
items: {file: items.csv, id: key, show: text, gold: gold}
votes: {format: label-studio, file: votes.json, item: key, answer: answer, people: studio}
"""
TASK = """{{"id": {number}, "data": {{"key": "i{number}"}}, "annotations": [{annotations}]}}"""
ANNOTATION = """{{"id": {id}, "completed_by": {who}, "lead_time": {seconds}, "was_cancelled": false, "result":
[{{"type": "choices", "from_name": "answer", "to_name": "text", "value": {{"choices": ["{answer}"]}}}}]}}"""


def load_votes(hromada: Hromada) -> None:
    """Ten items with gold yes: two slow people say so, one in haste says no."""
    hromada.write("items.csv", "key,text,gold\n" + "".join(f"i{number},text {number},yes\n" for number in range(10)))
    tasks = []
    for number in range(10):
        given = [(1, 5.0, "yes"), (2, 6.0, "yes"), (3, 0.4, "no")]
        annotations = [
            ANNOTATION.format(id=10 * number + who, who=who, seconds=seconds, answer=answer)
            for who, seconds, answer in given
        ]
        tasks.append(TASK.format(number=number, annotations=", ".join(annotations)))
    hromada.write("votes.json", f"[{', '.join(tasks)}]")
    hromada.loaded(PROJECT)


def test_rules_and_cuts_are_tried_by_the_command(hromada: Hromada) -> None:
    """Without hasty answers every answer is right; the table, the JSON and the files say so."""
    load_votes(hromada)
    ran = hromada("sensitivity", "quick", "--seconds", "1", "--cut", "0.5", "--cut", "0.9", "--to", "tried", "--json")
    assert ran.code == 0, ran.err
    settings = {row["setting"]: row for row in ran.json["settings"]}
    assert {name: (row["n_answers"], row["single"], row["agreement"]) for name, row in settings.items()} == {
        "as collected": (30, 0.666667, settings["no rule"]["agreement"]),
        "no rule": (30, 0.666667, settings["no rule"]["agreement"]),
        "≥ 1 s": (20, 1.0, None),  # all say the same, so nothing is left to agree on by chance
    }
    assert settings["no rule"]["agreement"] < 0
    assert [(row["cut"], row["n_kept"], row["n_right"]) for row in ran.json["cuts"]] == [(0.5, 10, 10), (0.9, 0, 0)]
    with (hromada.folder / "tried" / "sensitivity.csv").open(encoding="utf-8", newline="") as file:
        assert [row["n_answers"] for row in csv.DictReader(file)] == ["30", "30", "20"]
    assert "<svg" in (hromada.folder / "tried" / "sensitivity.html").read_text("utf-8")
    shown = hromada("sensitivity", "quick").out
    assert "≥ 5 s" in shown
    assert "labels above a confidence" in shown


def test_thresholds_out_of_range_are_refused(hromada: Hromada) -> None:
    """With the remedy; nothing is written."""
    load_votes(hromada)
    for arguments, problem in (
        (("--control", "1.5"), "A control accuracy is not from 0 to below 1"),
        (("--seconds", "nan"), "A number of seconds is not from 0 on"),
        (("--cut", "2"), "A cut of confidence is not from 0 to 1"),
    ):
        ran = hromada("sensitivity", "quick", "--to", "tried", *arguments)
        assert (ran.code, problem in ran.err) == (2, True), ran.err
    assert not (hromada.folder / "tried").exists()
