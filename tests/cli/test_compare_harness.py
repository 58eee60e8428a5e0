"""People beside a model that the harness really ran on what `hromada build` wrote."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from _built_benchmarks import run_harness
from _command import Hromada

PROJECT = """
project: {name}
title: {name}
language: uk
question: {question}
items: {{file: {name}.csv, id: id, show: text, gold: gold, gold_origin: construction}}
votes: {{format: csv, file: {name}-votes.csv, item: item, annotator: who, answer: answer, people: friends}}
"""
QUESTIONS = {
    "classes": '{type: choice, text: "Чи парне?", options: [так, ні]}',
    "boxes": '{type: choices, text: "Які цифри?", options: [а, б, в]}',
}
GOLD = {"classes": ("так", "ні"), "boxes": ('["а"]', '["б"; "в"]')}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Hromada, dict[str, dict[str, Any]]]:
    """Two projects of 20 items, each built and run by the harness's dummy model; by task the harness's own values."""
    hromada = Hromada(tmp_path_factory.mktemp("compare"))
    found = {}
    for name, question in QUESTIONS.items():
        load_project(hromada, name, question)
        built = hromada("build", name, f"bench-{name}", "--json")
        assert built.code == 0, built.err
        out = hromada.folder / f"runs-{name}"
        found[name] = run_harness(hromada.folder / f"bench-{name}", out, [name])["results"][name]
    return hromada, found


def load_project(hromada: Hromada, name: str, question: str) -> None:
    """Twenty items and seven people who are right on three of four."""
    rng = random.Random(name)  # noqa: S311  # simulated answers
    golds = [GOLD[name][number % 2].replace(";", ",").replace('"', '""') for number in range(20)]
    others = [GOLD[name][(number + 1) % 2].replace(";", ",").replace('"', '""') for number in range(20)]
    rows = [f'i{number},"текст {number}","{gold}"\n' for number, gold in enumerate(golds)]
    hromada.write(f"{name}.csv", "id,text,gold\n" + "".join(rows))
    votes = [
        f'i{number},{who},"{gold if rng.random() < 0.75 else other}"\n'
        for number, (gold, other) in enumerate(zip(golds, others, strict=True))
        for who in "abcdefg"
    ]
    hromada.write(f"{name}-votes.csv", "item,who,answer\n" + "".join(votes))
    assert hromada.loaded(PROJECT.format(name=name, question=question), name=f"{name}.yaml") == name


def read_differences(found: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """The differences over all items by unit and metric."""
    return {(row["unit"], row["metric"]): row for row in found["differences"] if row["kind"] == "all"}


def test_the_models_scores_are_those_that_the_harness_wrote(ran: tuple[Hromada, dict[str, dict[str, Any]]]) -> None:
    """Every metric; the items are matched by id and stimulus, and all are there."""
    hromada, values = ran
    found = hromada("compare", "classes", "runs-classes", "--json")
    assert found.code == 0, found.err
    rows = read_differences(found.json)
    assert found.json["items"]["dummy"]["n_compared"] == 20
    for metric in ("accuracy", "macro_f1", "weighted_f1", "mcc"):
        assert rows["individual", metric]["value"] == pytest.approx(values["classes"][f"{metric},none"], abs=1e-6)
        assert rows["majority", metric]["value"] == rows["individual", metric]["value"]
    assert rows["individual", "accuracy"]["is_paired"]
    assert not any("matched by ids alone" in note for note in found.json["notes"])


def test_replies_that_cannot_be_read_are_wrong(ran: tuple[Hromada, dict[str, dict[str, Any]]]) -> None:
    """The dummy model never writes numbers of boxes: 0 under every metric, as the harness has it, and said."""
    hromada, values = ran
    found = hromada("compare", "boxes", "runs-boxes", "--json")
    assert found.code == 0, found.err
    rows = read_differences(found.json)
    for metric in ("exact_match", "f1a", "f1m", "f1m_of_averages"):
        assert rows["individual", metric]["value"] == values["boxes"][f"{metric},none"] == 0
    assert rows["individual", "exact_match"]["above"] == "people"
    assert "dummy: 20 answers cannot be read as an answer to the question: wrong." in found.json["notes"]


def test_a_run_without_samples_is_a_published_score(
    ran: tuple[Hromada, dict[str, dict[str, Any]]], tmp_path: Path
) -> None:
    """Unpaired, with the harness's own value; and a sample file alone is a model too."""
    hromada, values = ran
    bare = shutil.copytree(hromada.folder / "runs-classes", tmp_path / "bare")
    (samples,) = bare.rglob("samples_*.jsonl")
    alone = shutil.move(samples, tmp_path / "alone.jsonl")
    found = hromada("compare", "classes", bare, "--json")
    assert found.code == 0, found.err
    row = read_differences(found.json)["individual", "accuracy"]
    assert (row["is_paired"], row["n_items"]) == (False, 20)
    assert row["value"] == pytest.approx(values["classes"]["accuracy,none"], abs=1e-6)
    paired = hromada("compare", "classes", alone, "--json")
    assert read_differences(paired.json)["individual", "accuracy"]["is_paired"]


def test_runs_of_people_and_of_another_task_are_no_model(ran: tuple[Hromada, dict[str, dict[str, Any]]]) -> None:
    """The folder that `build` wrote has people alone; another project's has no result of this task."""
    hromada, _ = ran
    people = hromada("compare", "classes", "bench-classes/results")
    assert (people.code, "Its runs are those of people: run a model." in people.err) == (2, True), people.err
    other = hromada("compare", "classes", "runs-boxes")
    assert (other.code, "It has: boxes." in other.err) == (2, True), other.err


def test_answers_in_another_form_are_refused(ran: tuple[Hromada, dict[str, dict[str, Any]]]) -> None:
    """Labels that the project does not have, in every line: refused with the file; null is no answer, and wrong."""
    hromada, _ = ran
    hromada.write("yes.jsonl", "".join(json.dumps({"item_id": f"i{n}", "answer": "yes"}) + "\n" for n in range(20)))
    other = hromada("compare", "classes", "yes.jsonl")
    assert (other.code, "yes.jsonl: None of the 20 answers can be read" in other.err) == (2, True), other.err
    hromada.write("none.jsonl", "".join(json.dumps({"item_id": f"i{n}", "answer": None}) + "\n" for n in range(20)))
    silent = hromada("compare", "classes", "none.jsonl", "--json")
    assert silent.code == 0, silent.err
    assert read_differences(silent.json)["majority", "accuracy"]["value"] == 0
