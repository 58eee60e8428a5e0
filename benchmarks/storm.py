"""A storm of 100,000 steps: 20 threads on SQLite, 4 processes of 8 threads on PostgreSQL, and what is wrong after it.

`--steps N` makes another number of them, `--on sqlite` or `--on postgresql` one of the two. Prints a table of each, or
with --json one object a line: figure, value, unit, goal, holds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, f"{Path(__file__).parent}/shared")  # what benchmarks share

import _ledger
import _storm
from _figures import Figure, show
from _postgresql import binaries, server

from annotation.store import database

PEOPLE = 60


def figures(url: str, folder: Path, *, steps: int, processes: int, threads: int) -> list[Figure]:
    """One storm on an empty database."""
    name = "SQLite" if url.startswith("sqlite") else "PostgreSQL"
    with database.opened(url) as db:
        running = _storm.prepare(db, folder, items=max(40, steps // 20), people=PEOPLE)
        begun = time.time()
        plan = _storm.Plan(
            url=url,
            projects=running,
            people=PEOPLE,
            processes=processes,
            threads=threads,
            steps=steps,
            seed=1,
            begun=begun,
            until=begun + 3600,
        )
        told = _storm.blow(plan)
        spent = time.time() - begun
        with db.reading() as view:
            wrong = _ledger.breaches(view, told)
    for one in wrong[:20]:
        print(one, file=sys.stderr)
    taken = [1000 * one for one in told.taken]
    return [
        Figure(f"{name}: breaches", len(wrong), "", goal="0", holds=not wrong),
        Figure(f"{name}: steps", len(taken), ""),
        Figure(f"{name}: steps a second", len(taken) / spent, "1/s"),
        Figure(f"{name}: step, median", statistics.median(taken), "ms"),
        Figure(f"{name}: step, longest", max(taken), "ms"),
    ]


def main() -> None:
    """Measure and show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--on", choices=("sqlite", "postgresql"))
    asked = parser.parse_args()
    title, programs = f"A storm of {asked.steps:,} steps", binaries()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if asked.on != "postgresql":
            url = f"sqlite:///{folder}/storm.db"
            show(title, figures(url, folder, steps=asked.steps, processes=1, threads=20))
        if asked.on != "sqlite" and programs is not None:
            with server(programs) as url:
                show(title, figures(url, folder, steps=asked.steps, processes=4, threads=8))


if __name__ == "__main__":
    main()
