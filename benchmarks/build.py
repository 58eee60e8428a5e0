"""A benchmark at size: `hromada build` of 100,000 items with three judgements each, without and with people replayed.

An item has a text of some 250 characters, a group of five, four options of its own, and gold; 300 people gave 300,000
imported votes. The command runs in a process of its own, so that its memory is its own. The harness asks every person's
items one by one, in its own time, so that the replay is measured on 2,000 items of 12 people, and has no goal. Prints a
table, or with --json one object a line: figure, value, unit, goal, holds.
"""

from __future__ import annotations

import csv
import json
import os
import random
import resource
import subprocess
import sys
import sysconfig
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, f"{Path(__file__).parent}/shared")  # what benchmarks share

from _figures import Figure, show

from annotation.store import database, pseudonyms, queries
from annotation.workflow.imports import vote_import
from annotation.workflow.lifecycle import projects

ITEMS, PEOPLE, VOTES = 100_000, 300, 3
REPLAYED_ITEMS, REPLAYED_PEOPLE = 2_000, 12
MOST_SECONDS, MOST_MEGABYTES = 60.0, 1000.0
WORDS = ("хата", "дорога", "річка", "поле", "вікно", "трава", "книга", "місто", "небо", "зоря", "вечір", "ранок")
PROJECT = """
project: {name}
title: Building
language: uk
question: {{type: choice, text: "Яке слово зайве?"}}
items: {{file: items.jsonl, id: id, show: text, options: options, gold: gold, gold_origin: expert, group: story}}
votes: {{format: csv, file: votes.csv, item: id, annotator: who, answer: says}}
"""


def write_campaign(folder: Path, *, items: int, people: int) -> Path:
    """Write a project with its items and votes; its project file."""
    rng = random.Random(1)  # noqa: S311
    with (
        (folder / "items.jsonl").open("w", encoding="utf-8") as out,
        (folder / "votes.csv").open("w", encoding="utf-8", newline="") as votes,
    ):
        cells = csv.writer(votes)
        cells.writerow(["id", "who", "says"])
        for number in range(items):
            options = rng.sample(WORDS, 4)
            text = f"Речення номер {number}: {' '.join(rng.choices(WORDS, k=40))}."
            row = {"id": f"i{number}", "story": f"s{number // 5}", "text": text, "options": options, "gold": options[0]}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            for person in rng.sample(range(people), VOTES):
                cells.writerow([row["id"], f"p{person}", options[0] if rng.random() < 0.8 else rng.choice(options)])
    file = folder / "project.yaml"
    file.write_text(PROJECT.format(name="building"), "utf-8")
    return file


def fill_database(folder: Path, *, items: int, people: int) -> None:
    """A database with the campaign and its votes."""
    file, now = write_campaign(folder, items=items, people=people), datetime.now(UTC)
    with database.open_database(f"sqlite:///{folder / 'hromada.db'}") as db, db.transaction() as session:
        projects.load_project_file(session, file, now=now)
        key = pseudonyms.ensure_key(session, file=folder / "hromada.key", now=now)
        project = queries.get_project(session, "building")
        vote_import.store_votes(session, project, vote_import.read_vote_file(session, project), key=key, now=now)


def run_build(folder: Path, *words: str) -> float:
    """Seconds of the command, its start included."""
    command = [f"{sysconfig.get_path('scripts')}/hromada", "build", "building", "built", "--json", *words]
    env = {"PATH": os.environ["PATH"], "HROMADA_DATABASE_URL": f"sqlite:///{folder / 'hromada.db'}"}
    begun = time.perf_counter()
    subprocess.run(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def main() -> None:
    """Measure and show."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill_database(folder, items=ITEMS, people=PEOPLE)
        seconds = run_build(folder, "--no-replay")
        megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill_database(folder, items=REPLAYED_ITEMS, people=REPLAYED_PEOPLE)
        replayed = run_build(folder)
    show(
        f"Building {ITEMS:,} items with {VOTES} judgements each",
        [
            Figure("build", seconds, "s", f"< {MOST_SECONDS:g}", seconds < MOST_SECONDS),
            Figure("its peak of memory", megabytes, "MB", f"< {MOST_MEGABYTES:g}", megabytes < MOST_MEGABYTES),
            Figure(f"build and replay of {REPLAYED_ITEMS:,} items", replayed, "s"),
        ],
    )


if __name__ == "__main__":
    main()
