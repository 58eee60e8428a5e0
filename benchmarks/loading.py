"""Loading at size: 100,000 seeded items from CSV, JSONL, JSON and Parquet into a fresh database, and their lint alone.

An item has a text of some 250 characters, a group of five, four options of its own, gold at a seeded place, and two
fields that are not shown. `load` is the whole of it: reading, lint, storing; it is held against a fixed reference of
the same run (`_reference`). Prints a table, or with --json one object a line: figure, value, unit, goal, holds.
"""

from __future__ import annotations

import csv
import json
import random
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
from _reference import measure_reference
from pyarrow import parquet

from annotation.campaigns import lint, project_file
from annotation.loading import campaign as loading
from annotation.loading import campaign_lint
from annotation.store import database
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
    """How long a call takes."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def load(folder: Path, file: Path) -> None:
    """One project into a database of its own."""
    with database.open_database(f"sqlite:///{folder / file.stem}.db") as db, db.transaction() as session:
        projects.load_project_file(session, file, now=datetime.now(UTC))


def main() -> None:
    """Measure and show."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write(folder, make())
        before = measure_reference()
        figures = [
            Figure(f"load from .{ending}", seconds(partial(load, folder, file)), "s") for ending, file in files.items()
        ]
        reference = (before + measure_reference()) / 2
        campaign = project_file.read_project(files["jsonl"])
        contents = loading.read_contents(campaign)
        clean = seconds(partial(campaign_lint.lint_campaign, campaign, contents))
        bad = [damaged(item) for item in campaign_lint.build_lint_items(campaign, contents)]
        worst = seconds(partial(lint.lint_items, bad, limits=lint.TELEGRAM))
    figures += [Figure("lint of a clean set", clean, "s"), Figure("lint where every item is bad", worst, "s")]
    ratios = [build_ratio(f"{one.figure}, to Dawid-Skene", one.value, reference, most=GOAL) for one in figures]
    show(f"Loading {ITEMS:,} items", [*figures, Figure("crowd-kit's Dawid-Skene alone", reference, "s"), *ratios])


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
    main()
