"""Trivial baselines and people who choose by place, under the table of `hromada baseline`."""

from __future__ import annotations

import csv
import io
import random
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """
project: animals
title: Тварини
language: uk
question: {type: choice, text: "Хто спить?"}
items: {file: items.csv, id: id, show: [text], options: [a, b, c], gold: gold, gold_origin: construction}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: answer}
"""
TEXT_PROJECT = """
project: words
title: Слова
language: uk
question: {type: text, text: "Яке?"}
items: {file: items.csv, id: id, show: [text], gold: gold, gold_origin: construction}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: answer}
"""


def write_rows(hromada: Hromada, name: str, rows: Sequence[Sequence[str]]) -> None:
    """Write a CSV file."""
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    hromada.write(name, out.getvalue())


@pytest.fixture
def animals(hromada: Hromada) -> Hromada:
    """Sixty items of three animals, whose text names the right one twice; one of three people always takes the last."""
    rng = random.Random(1)  # noqa: S311  # simulated answers
    items: list[Sequence[str]] = [("id", "text", "a", "b", "c", "gold")]
    votes = [("item", "who", "answer")]
    for number in range(60):
        options = rng.sample(["кіт", "собака", "лисиця"], 3)
        gold = rng.choice(options)
        items.append((f"i{number:02}", f"{number}: {gold} бачить, {gold} спить. {options[0]}.", *options, gold))
        votes += [
            (f"i{number:02}", who, options[2] if who == "last" else gold if rng.random() < 0.9 else rng.choice(options))
            for who in ("ann", "bob", "last")
        ]
    write_rows(hromada, "items.csv", items)
    write_rows(hromada, "votes.csv", votes)
    return hromada


def test_baselines_and_the_planted_person_stand_under_the_people(animals: Hromada) -> None:
    """The option named most is always right, chance a third; who always took the last is found, and nobody else."""
    animals.loaded(PROJECT)
    ran = animals("baseline", "animals")
    assert ran.code == 0, ran.err
    assert "animals · without understanding" in ran.out
    (found,) = [line.split() for line in ran.out.splitlines() if " from the start " in line]
    assert found[1:] == ["3", "from", "the", "start", "60", "60", "20.0000", "1.0000", found[-1]]
    shown = animals("baseline", "animals", "--json").json
    scores = {one["name"]: one["scores"] for one in shown["trivial_baselines"]}
    assert scores["most_mentioned_option"] == {"accuracy": 1.0}
    assert scores["random"]["accuracy"] == pytest.approx(shown["random_exact"])
    assert scores["majority_class"] == {}
    assert [one["preference"] for one in shown["position_preferences"] if one["is_found"]] == [1.0]


def test_the_export_has_the_numbers_of_the_command(animals: Hromada) -> None:
    """The same baselines, scores and reasons in trivial_baselines.csv; those with a score stand in the report."""
    animals.loaded(PROJECT)
    shown = animals("baseline", "animals", "--json").json["trivial_baselines"]
    ran = animals("export", "animals", "--to", "out")
    assert ran.code == 0, ran.err
    with (animals.folder / "out" / "trivial_baselines.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["baseline"] for row in rows] == [one["name"] for one in shown]
    for row, one in zip(rows, shown, strict=True):
        value = one["scores"].get("accuracy")
        assert (row["metric"], row["value"]) == (("accuracy", f"{value:.4f}") if one["scores"] else ("", ""))
        assert (row["reason"], row["answer"], row["n_items"]) == (one["reason"], one["answer"], "60")
    page = (animals.folder / "out" / "report.html").read_text("utf-8")
    assert "Trivial baselines on the same items" in page
    assert "Option mentioned most often in the text" in page
    assert "The most frequent class" not in page


def test_places_are_those_that_were_shown(animals: Hromada) -> None:
    """Had the options been shown the other way round, that person would always have taken the first."""
    animals.loaded(PROJECT)
    with sqlite3.connect(animals.folder / "hromada.db") as database:
        database.execute("UPDATE assignment SET option_order = '[2, 1, 0]'")
    shown = animals("baseline", "animals", "--json").json
    (found,) = [one for one in shown["position_preferences"] if one["is_found"]]
    assert (found["side"], found["place"], found["n_chosen"]) == ("start", 1, 60)


def test_texts_have_no_trivial_baselines(hromada: Hromada) -> None:
    """Nothing is chosen from options: neither table, and empty lists for machines."""
    write_rows(hromada, "items.csv", [("id", "text", "gold"), ("1", "раз", "так"), ("2", "два", "ні")])
    write_rows(hromada, "votes.csv", [("item", "who", "answer"), ("1", "p", "так"), ("2", "p", "так")])
    hromada.loaded(TEXT_PROJECT)
    shown = hromada("baseline", "words", "--json").json
    assert (shown["trivial_baselines"], shown["position_preferences"]) == ([], [])
    assert "without understanding" not in hromada("baseline", "words").out
