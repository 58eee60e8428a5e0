"""Loading at size: 100,000 seeded items and 100,000 votes from every kind of table, and the lint of items alone.

An item has a text of some 250 characters, a group of five, four options of its own, gold at a seeded place, and two
fields that are not shown. `load` is the whole of it: reading, lint, storing; it is held against a fixed reference of
the same run (`_reference`). Votes are of five people on 20,000 items; their import, reading and storing, is held
against that from a .csv with a vote in each row, in a process of its own, with its memory. All seconds are those of the
processor: by the clock on the wall a busy machine missed goals that the same work met an hour later.
Prints a table, or with --json one object a line: figure, value, unit, goal, holds.

python benchmarks/loading.py [--votes] [--json]
"""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, f"{Path(__file__).parent}/shared")  # what benchmarks share

import pyarrow as pa
from _figures import Figure, build_ratio, show
from _processes import read_memory
from _reference import measure_reference
from _tables import write_table
from pyarrow import parquet

from annotation.campaigns import lint, project_file
from annotation.loading import campaign as loading
from annotation.loading import campaign_lint
from annotation.store import database, pseudonyms, queries
from annotation.workflow.imports import vote_import
from annotation.workflow.lifecycle import projects

ITEMS, GOAL = 100_000, 1.6
WORDS = ["хата", "дорога", "річка", "поле", "вікно", "трава", "книга", "місто", "небо", "зоря", "вечір", "ранок"]
PROJECT = """
project: {ending}
title: Loading
language: uk
question: {{type: choice, text: "Яке слово зайве?"}}
items: {{file: items.{ending}, id: id, show: text, options: options, gold: gold, group: story}}
overlap: 3
"""


def make(*, seed: int = 1) -> list[dict[str, Any]]:
    """The items, the same for every format."""
    rng = random.Random(seed)  # noqa: S311
    rows = []
    for number in range(ITEMS):
        options = rng.sample(WORDS, 4)
        text = f"Речення номер {number}: {' '.join(rng.choices(WORDS, k=40))}."
        hidden = {"source": "made up", "words": options[::-1]}
        rows.append(
            {
                "id": f"i{number}",
                "story": f"s{number // 5}",
                "text": text,
                "options": options,
                "gold": rng.choice(options),
            }
            | hidden
        )
    return rows


def write(folder: Path, rows: list[dict[str, Any]]) -> dict[str, Path]:
    """Every format's file and project file, by ending."""
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    (folder / "items.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "items.json").write_text("[" + ",\n".join(lines) + "]\n", "utf-8")
    parquet.write_table(pa.Table.from_pylist(rows), folder / "items.parquet")
    with (folder / "items.csv").open("w", encoding="utf-8", newline="") as out:
        cells = csv.DictWriter(out, fieldnames=list(rows[0]))
        cells.writeheader()
        for row in rows:
            cells.writerow(
                {
                    name: json.dumps(one, ensure_ascii=False) if isinstance(one, list) else one
                    for name, one in row.items()
                }
            )
    endings = ("csv", "jsonl", "json", "parquet")
    for ending in endings:
        (folder / f"{ending}.yaml").write_text(PROJECT.format(ending=ending), "utf-8")
    return {ending: folder / f"{ending}.yaml" for ending in endings}


def seconds(call: Callable[[], object]) -> float:
    """The processor seconds of a call."""
    begun = time.process_time()
    call()
    return time.process_time() - begun


def load(folder: Path, file: Path) -> None:
    """One project into a database of its own."""
    with database.open_database(f"sqlite:///{folder / file.stem}.db") as db, db.transaction() as session:
        projects.load_project_file(session, file, now=datetime.now(UTC))


VOTES, PEOPLE, MOST_TIMES, MOST_MEGABYTES = 100_000, ("Оля", "Ян", "Іво", "Ада", "Зоя"), 1.5, 500
LONG = "item: item, annotator: who, answer: says"
SHAPES = {
    "long.csv": LONG, "votes.xlsx": LONG, "votes.jsonl": LONG, "votes.json": LONG, "votes.parquet": LONG,
    "wide.csv": "item: item, annotators: rest", "wide.xlsx": "item: item, annotators: rest",
}  # fmt: skip
VOTES_PROJECT = """
project: votes
title: Votes
language: uk
question: {{type: choice, text: "?", options: [так, ні, інше]}}
items: from votes
votes: {{file: {file}, {columns}}}
"""


def write_votes(folder: Path, *, seed: int = 1) -> None:
    """The votes in every shape, with a project file for each."""
    rng = random.Random(seed)  # noqa: S311
    labels = ("так", "ні", "інше")
    wide: list[dict[str, object]] = [
        {"item": f"речення {number}", **{who: rng.choice(labels) for who in PEOPLE}}
        for number in range(VOTES // len(PEOPLE))
    ]
    long = [{"item": row["item"], "who": who, "says": row[who]} for row in wide for who in PEOPLE]
    for name, columns in SHAPES.items():
        write_table(folder / name, wide if name.startswith("wide") else long)
        (folder / f"{name}.yaml").write_text(VOTES_PROJECT.format(file=name, columns=columns), "utf-8")


def import_votes(file: Path) -> None:
    """Load a project, import its votes, and print the processor seconds of the import and the most memory in MB."""
    now = datetime.now(UTC)
    with database.open_database(f"sqlite:///{file}.db") as db, db.transaction() as session:
        key = pseudonyms.ensure_key(session, file=file.with_suffix(".key"), now=now)
        projects.load_project_file(session, file, now=now)
        project = queries.get_project(session, "votes")
        begun = time.process_time()
        vote_import.store_votes(session, project, vote_import.read_vote_file(session, project), key=key, now=now)
        took = time.process_time() - begun
    print(took, read_memory(os.getpid(), "VmHWM"))


def measure_votes() -> list[Figure]:
    """The time of the import and the memory for every shape of votes."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as name:
        write_votes(Path(name))
        of_csv = 0.0
        for shape in SHAPES:
            words = [sys.executable, __file__, "--import", str(Path(name) / f"{shape}.yaml")]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            took, megabytes = map(float, done.stdout.split())
            of_csv = of_csv or took
            figures += [
                Figure(f"import of {shape}", took, "s"),
                build_ratio(f"import of {shape}, to long .csv", took, of_csv, most=MOST_TIMES),
                Figure(f"memory for {shape}", megabytes, "MB", f"< {MOST_MEGABYTES}", megabytes < MOST_MEGABYTES),
            ]
    return figures


def main() -> None:
    """Measure and show."""
    if "--votes" in sys.argv[1:]:
        show(f"Importing {VOTES:,} votes", measure_votes())
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write(folder, make())
        before = measure_reference(time.process_time)
        figures = [
            Figure(f"load from .{ending}", seconds(partial(load, folder, file)), "s") for ending, file in files.items()
        ]
        reference = (before + measure_reference(time.process_time)) / 2
        campaign = project_file.read_project(files["jsonl"])
        contents = loading.read_contents(campaign)
        clean = seconds(partial(campaign_lint.lint_campaign, campaign, contents))
        bad = [damaged(item) for item in campaign_lint.build_lint_items(campaign, contents)]
        worst = seconds(partial(lint.lint_items, bad, limits=lint.TELEGRAM))
    figures += [Figure("lint of a clean set", clean, "s"), Figure("lint where every item is bad", worst, "s")]
    ratios = [build_ratio(f"{one.figure}, to Dawid-Skene", one.value, reference, most=GOAL) for one in figures]
    figures += [Figure("crowd-kit's Dawid-Skene alone", reference, "s"), *ratios, *measure_votes()]
    show(f"Loading {ITEMS:,} items and {VOTES:,} votes", figures)


def damaged(item: lint.LintItem) -> lint.LintItem:
    """The item with a repeated option, a Latin letter, a mark beside its gold, and no group."""
    asked = item.questions[0]
    marked = ", ".join(option + "*" * (option in asked.gold) for option in asked.options)
    return lint.LintItem(
        id=item.id,
        shown={"text": f"Літера y слові. {item.shown['text'][:120]}", "options": marked},
        questions=(lint.LintQuestion(text=asked.text, options=asked.options, labels=asked.labels, gold=asked.gold),),
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--import"]:
        import_votes(Path(sys.argv[2]))
    else:
        main()
