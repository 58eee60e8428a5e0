"""Scores otherwise counted, the best person, and scores as people go on, under the table of `hromada baseline`."""

from __future__ import annotations

import csv
import random
import sqlite3
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """\
project: words
title: Чи є таке слово?
language: uk
question: {type: choice, text: Є?, options: [так, ні]}
items: {file: words.csv, id: id, show: [word], gold: gold, gold_origin: construction}
votes: {format: toloka, file: votes.tsv, item: ["INPUT:id"], answer: "OUTPUT:says"}
"""
PEOPLE, ITEMS = 8, 60


@pytest.fixture
def words(hromada: Hromada) -> Hromada:
    """Eight people answer sixty items; the first person's answers, mostly wrong, were rejected."""
    rng = random.Random(3)  # noqa: S311  # simulated answers
    hromada.write(
        "words.csv", "id,word,gold\n" + "".join(f"i{number:02},слово {number},так\n" for number in range(ITEMS))
    )
    rows = ["INPUT:id\tOUTPUT:says\tASSIGNMENT:worker_id\tASSIGNMENT:status"]
    for person in range(PEOPLE):
        for place, number in enumerate(rng.sample(range(ITEMS), ITEMS)):
            right = 0.2 if person == 0 else 0.95 if place < 30 else 0.6
            says = "так" if rng.random() < right else "ні"
            rows.append(f"i{number:02}\t{says}\tw{person}\t{'REJECTED' if person == 0 else 'APPROVED'}")
    hromada.write("votes.tsv", "\n".join(rows) + "\n")
    assert hromada("load", hromada.write("words.yaml", PROJECT)).code == 0
    assert hromada("import", "words", str(hromada.folder / "votes.tsv")).code == 0
    return hromada


def set_times(folder: Path) -> None:
    """Give the answers places and times as if they had come through the bot: a minute each, from 20:00 in Kyiv."""
    with sqlite3.connect(next(folder.glob("*.db"))) as database:
        found = database.execute("SELECT assignment.id, annotator_id FROM assignment ORDER BY assignment.id").fetchall()
        places: dict[int, int] = defaultdict(int)
        for assignment, annotator in found:
            places[annotator] += 1
            pause = timedelta(hours=2) if places[annotator] > 45 else timedelta()
            time = datetime(2026, 11, 2, 18, 0) + timedelta(minutes=places[annotator]) + pause  # noqa: DTZ001
            database.execute("UPDATE assignment SET position = ? WHERE id = ?", (places[annotator], assignment))
            database.execute(
                "UPDATE judgement SET answered_at = ? WHERE assignment_id = ?", (f"{time:%F %T}.000000", assignment)
            )
        database.execute("UPDATE annotator SET time_zone = 'Europe/Kyiv'")


def test_scores_as_people_go_on(words: Hromada) -> None:
    """Places and sessions, hours on their own clocks, and a decline that is found; files have no hour."""
    set_times(words.folder)
    found = words("baseline", "words", "--json").json
    parts = {(row["kind"], row["part"]): row for row in found["order"]}
    assert {part for kind, part in parts if kind == "place in the session"} == {
        "1–5",
        "6–10",
        "11–20",
        "21–40",
        "41–80",
    }
    assert parts["place in the session", "1–5"]["total"] == 7 * 5 + 7 * 5, "the second session begins anew"
    assert {part: row["total"] for (kind, part), row in parts.items() if kind == "session"} == {"1": 315, "2": 105}
    assert {part: row["total"] for (kind, part), row in parts.items() if kind == "hour of day"} == {
        "18–21 h": 315, "21–24 h": 105,
    }  # fmt: skip
    assert found["order_slope"]["n"] == 420
    assert found["order_slope"]["high"] < 0.02
    table = words("baseline", "words")
    for part in ("single answers as people go on", "place in the session", "18–21 h", "Per 10 answers into a session"):
        assert part in table.out
    assert words("export", "--to", "out").code == 0
    with (words.folder / "out" / "order_effects.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["kind"] for row in rows} == {"place in the session", "session", "slope"}
    assert (rows[-1]["kind"], rows[-1]["total"], rows[-1]["n_annotators"]) == ("slope", "420", "7")
    assert float(rows[-1]["value"]) == pytest.approx(found["order_slope"]["value"], abs=1e-4)
    assert "Accuracy during a session" in (words.folder / "out" / "report.html").read_text("utf-8")


def test_hours_of_few_people_are_not_shown(words: Hromada) -> None:
    """An hour at which two people answered says when they were awake: it is left out; so is who would not tell."""
    set_times(words.folder)
    with sqlite3.connect(next(words.folder.glob("*.db"))) as database:
        database.execute("UPDATE annotator SET time_zone = NULL")
        ids = [row[0] for row in database.execute("SELECT id FROM annotator ORDER BY id")]
        for zone, some in (("Europe/Kyiv", ids[1:5]), ("Asia/Tokyo", ids[5:7]), ("UTC", ids[7:])):
            for one in some:
                database.execute("UPDATE annotator SET time_zone = ? WHERE id = ?", (zone, one))
        database.execute("UPDATE item SET gold = NULL WHERE external_id IN ('i00', 'i01')")
    found = words("baseline", "words", "--json").json["order"]
    assert all(row["n_annotators"] >= 3 for row in found if row["kind"] == "hour of day")
    hours = {row["part"]: row["n_annotators"] for row in found if row["kind"] == "hour of day"}
    assert hours == {"18–21 h": 4, "21–24 h": 4}


def test_the_same_answers_otherwise_counted(words: Hromada) -> None:
    """Rejected answers count in a row of their own, marked where they are far from the headline."""
    found = words("baseline", "words", "--json").json
    kept = {row["unit"]: row for row in found["variants"] if row["subset"] == "exclusions kept"}
    assert kept["individual"]["total"] == 480
    assert found["units"][0]["total"] == 420
    assert kept["individual"]["beyond_half_width"] is (
        abs(kept["individual"]["scores"][0]["value"] - found["units"][0]["scores"][0]["value"])
        > (found["units"][0]["scores"][0]["ci_high"] - found["units"][0]["scores"][0]["ci_low"]) / 2
    )
    best = found["best_annotator"]
    assert best["people"] == 7
    assert best["value"] >= best["held_out"] > 0.6
    assert best["selection_bias"] == pytest.approx(best["value"] - best["held_out"])
    table = words("baseline", "words")
    assert "the same answers otherwise counted" in table.out
    assert "what choosing the best adds" in " ".join(table.out.split())
    assert "single people" in table.out
    assert "as people go on" not in table.out, "places are unknown"
