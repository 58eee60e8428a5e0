"""A stress test of 100,000 steps: 20 threads on SQLite, 4 processes of 8 threads on PostgreSQL, and its violations.

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

import _stress
import _stress_checks
from _figures import Figure, show
from _postgresql import binaries, server

from annotation.store import database

ANNOTATORS = 60


def figures(url: str, folder: Path, *, steps: int, processes: int, threads: int) -> list[Figure]:
    """The figures of one stress test on an empty database."""
    name = "SQLite" if url.startswith("sqlite") else "PostgreSQL"
    with database.open_database(url) as db:
        running = _stress.prepare_database(db, folder, items=max(40, steps // 20), annotators=ANNOTATORS)
        started = time.time()
        plan = _stress.StressPlan(
            url=url,
            projects=running,
            annotators=ANNOTATORS,
            processes=processes,
            threads=threads,
            steps=steps,
            seed=1,
            started=started,
            until=started + 3600,
        )
        log = _stress.run_stress(plan)
        seconds = time.time() - started
        with db.reading() as view:
            violations = _stress_checks.list_violations(view, log)
    for violation in violations[:20]:
        print(violation, file=sys.stderr)
    never = sum(not log.done[kind] for kind in _stress.STEPS)
    durations = [1000 * duration for duration in log.durations]
    return [
        Figure(f"{name}: breaches", len(violations), "", goal="0", holds=not violations),
        Figure(f"{name}: steps", len(durations), "", goal=f"{steps}", holds=len(durations) == steps),
        Figure(f"{name}: kinds of steps that were never done", never, "", goal="0", holds=never == 0),
        Figure(f"{name}: steps a second", len(durations) / seconds, "1/s"),
        Figure(f"{name}: step, median", statistics.median(durations), "ms"),
        Figure(f"{name}: step, longest", max(durations), "ms"),
    ]


def main() -> None:
    """Measure and show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--on", choices=("sqlite", "postgresql"))
    arguments = parser.parse_args()
    title, programs = f"A stress test of {arguments.steps:,} steps", binaries()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments.on != "postgresql":
            url = f"sqlite:///{folder}/stress.db"
            show(title, figures(url, folder, steps=arguments.steps, processes=1, threads=20))
        if arguments.on != "sqlite" and programs is not None:
            with server(programs) as url:
                show(title, figures(url, folder, steps=arguments.steps, processes=4, threads=8))


if __name__ == "__main__":
    main()
