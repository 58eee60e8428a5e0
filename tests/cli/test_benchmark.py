"""`hromada build` and `hromada results` as they are typed, on imported votes."""

from __future__ import annotations

import json
import re
import sqlite3
from typing import TYPE_CHECKING

import pytest
from huggingface_hub import DatasetCard

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """\
project: animals
title: Cat or dog?
language: en
question: {type: choice, text: What is it?, options: [cat, dog]}
items: from votes
votes: {format: csv, file: votes.csv, item: picture, annotator: who, answer: says}
truth: {file: truth.csv, item: picture, gold: is}
declared: {licence: CC BY-SA 4.0, recruitment: friends}
"""
PROGRAMME = "programme: pets\ntitle: Pets\nlanguage: en\nprojects: [{file: project.yaml}]\n"


@pytest.fixture
def animals(hromada: Hromada) -> Hromada:
    """Four pictures with votes of three people, gold for three of them."""
    votes = ["picture,who,says"]
    votes += [f"{picture},{who},{'dog' if picture == who else 'cat'}" for picture in range(4) for who in range(3)]
    hromada.write("votes.csv", "\n".join(votes) + "\n")
    hromada.write("truth.csv", "picture,is\n0,cat\n1,dog\n2,cat\n")
    hromada.loaded(PROJECT)
    hromada.write("pets.yaml", PROGRAMME)
    loaded = hromada("load", "pets.yaml")
    assert loaded.code == 0, loaded.err
    return hromada


def test_a_programme_is_built_and_read(animals: Hromada) -> None:
    """By its file; the one item without declared gold has that of the votes, and nobody is scored on it."""
    built = animals("build", "pets.yaml", "bench", "--json")
    assert built.code == 0, built.err
    task = built.json["tasks"]["animals"]
    assert (task["n_items"], task["people"]["n_items"], task["people"]["n_annotators"]) == (4, 3, 3)
    rows = (animals.folder / "bench/hugging_face/animals/test.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(row)["gold_source"] for row in rows] == ["declared", "declared", "declared", "votes"]
    card = DatasetCard.load(animals.folder / "bench/hugging_face/README.md")
    assert (card.data.license, card.data.language) == ("cc-by-sa-4.0", ["en"])
    read = animals("results", "bench", "--json")
    assert read.code == 0, read.err
    scores = {(row["model"], row["task"], row["metric"]): row["value"] for row in read.json["scores"]}
    assert scores["human-majority", "animals", "accuracy"] == pytest.approx(2 / 3)
    assert scores["human-majority", "pets", "accuracy"] == pytest.approx(2 / 3)


def test_the_build_says_how_a_model_is_run(animals: Hromada) -> None:
    """With every task, and on the items that people answered."""
    built = animals("build", "animals", "bench")
    assert built.code == 0, built.err
    said = " ".join(built.out.split())
    assert (
        "`lm_eval run --model dummy --tasks animals_forms --include_path bench/lm_eval --output_path runs"
        " --log_samples --samples bench/samples.json`" in said
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("build", "nothing", "bench"), "No project or programme 'nothing' is loaded. Loaded: pets, animals."),
        (("build", "animals", "."), "This folder holds something that is not of an earlier build."),
        (("results", "."), "This is not a folder of `hromada build`"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(animals: Hromada, words: tuple[str, ...], said: str) -> None:
    """Exit code 2, and the folder as it was."""
    before = sorted(animals.folder.iterdir())
    ran = animals(*words)
    assert (ran.code, said in ran.err) == (2, True), ran.err
    assert sorted(animals.folder.iterdir()) == before


def test_a_build_with_hidden_gold_names_the_samples_in_the_key(hromada: Hromada) -> None:
    """They tell which items people answered, so they are not published; the files of each folder are counted."""
    votes = [f"{picture},{who},cat" for picture in range(2) for who in range(3)]
    hromada.write("votes.csv", "\n".join(["picture,who,says", *votes]) + "\n")
    hromada.write("truth.csv", "picture,is\n0,cat\n1,dog\n")
    hromada.loaded(PROJECT + "benchmark: {hidden: true}\n")
    built = hromada("build", "animals", "bench")
    assert built.code == 0, built.err
    named = " ".join(built.out.split()).partition(" --samples ")[2].partition("`")[0]
    assert named.endswith("/bench-key/samples.json")
    assert (hromada.folder / named).is_file()
    for folder, name in (("bench", "files in bench."), ("bench-key", "files with the gold and the answers to it")):
        files = [path for path in (hromada.folder / folder).rglob("*") if path.is_file()]
        assert f" {len(files)} {name}" in " ".join(built.out.split())


def test_a_build_counts_the_examples_that_models_see(hromada: Hromada) -> None:
    """Of two examples in the pool, one is shown."""
    votes = [f"{picture},{who},cat" for picture in range(2) for who in range(3)]
    hromada.write("votes.csv", "\n".join(["picture,who,says", *votes]) + "\n")
    hromada.write("truth.csv", "picture,is\n0,cat\n1,dog\n")
    hromada.write("pool.csv", "picture,is\n7,cat\n8,dog\n")
    hromada.loaded(PROJECT + "benchmark: {few_shot: {pool: pool.csv, number: 1}}\n")
    built = hromada("build", "animals", "bench", "--no-replay")
    assert built.code == 0, built.err
    assert re.search(r"animals +2 +1 of 2 +3 ", built.out), built.out


def test_an_identity_in_an_item_stops_a_build(hromada: Hromada) -> None:
    """As it stops a release: the file is named, the value is not, and nothing is written, neither gold apart."""
    votes = [f"picture 4815162342 of {picture},{who},cat" for picture in range(2) for who in range(3)]
    hromada.write("votes.csv", "\n".join(["picture,who,says", *votes]) + "\n")
    hromada.write("truth.csv", "picture,is\npicture 4815162342 of 0,cat\npicture 4815162342 of 1,dog\n")
    hromada.loaded(PROJECT + "benchmark: {hidden: true}\n")
    with sqlite3.connect(hromada.folder / "hromada.db") as database:
        database.execute("UPDATE annotator SET telegram_id = 4815162342 WHERE id = 1")
    done = hromada("build", "animals", "bench")
    assert (done.code, "tell who somebody is, and nothing was written: " in done.err) == (2, True), done.err
    assert "and build again." in done.err
    assert "4815162342" not in done.err + done.out
    assert not list(hromada.folder.glob("bench*"))


def test_items_whose_gold_is_peoples_majority_are_named(hromada: Hromada) -> None:
    """If others have gold of their own: models are scored on them, people are not."""
    votes = [f"{picture},{who},cat" for picture in range(3) for who in range(3)]
    hromada.write("votes.csv", "\n".join(["picture,who,says", *votes]) + "\n")
    hromada.write("truth.csv", "picture,is\n0,cat\n1,dog\n")
    hromada.loaded(PROJECT)
    done = hromada("build", "animals", "bench", "--json")
    assert done.code == 0, done.err
    (note,) = [note for note in done.json["notes"] if "no gold of their own" in note]
    assert "1 of 3 items" in note
    assert note.endswith("(2).")


def test_a_project_without_gold_and_answers_makes_no_task(hromada: Hromada) -> None:
    """The reason is named, and no folder is made; where the question is named, its votes have to agree."""
    hromada.write("votes.csv", "picture,who,says\n1,1,cat\n1,2,dog\n")
    without_gold = PROJECT.replace("truth: {file: truth.csv, item: picture, gold: is}\n", "")
    hromada.loaded(without_gold)
    ran = hromada("build", "animals", "bench")
    assert (ran.code, "name the questions under `benchmark.questions`" in ran.err) == (2, True), ran.err
    hromada.write("project.yaml", f"{without_gold}benchmark: {{questions: [answer]}}\n")
    assert hromada("load", "project.yaml", "--yes").code == 0
    ran = hromada("build", "animals", "bench")
    assert (ran.code, "1 no gold and no consensus" in ran.err) == (2, True), ran.err
    assert not (hromada.folder / "bench").exists()
