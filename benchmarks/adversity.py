"""Days in which everything goes wrong, on both databases; what is lost, doubled, stuck or has ended: nothing.

python benchmarks/adversity.py [--answers 10000] [--runs 1] [--database postgresql] [--seed 7] [--json]

20 runs on each database are `--runs 20`; the seed of a run is the seed and its number.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, f"{sys.path.pop(0)}/shared")  # what benchmarks share; bot.py beside it is not the package

import _adversity
from _figures import Figure, show
from _postgresql import binaries, server

DATABASES = ("postgresql", "sqlite")


@contextlib.contextmanager
def make_database(kind: str, folder: Path) -> Iterator[str]:
    """The address of an empty database; PostgreSQL has a server of its own."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'hromada.db'}"
        return
    programs = binaries()
    if programs is None:
        raise SystemExit("Install Debian's postgresql first.")
    with server(programs) as url:
        yield url


def list_figures(kind: str, *, answers: int, seed: int, runs: int) -> list[Figure]:
    """The figures of some runs on one kind of database; raises AssertionError if something is lost or doubled."""
    troubles: Counter[str] = Counter()
    judgements = shown = ended = 0
    seconds = 0.0
    for number in range(runs):
        with tempfile.TemporaryDirectory() as name, make_database(kind, Path(name)) as url:
            report = asyncio.run(_adversity.run_adversity(url, Path(name), answers=answers, seed=seed + number))
        judgements, shown, ended = judgements + report.judgements, shown + report.shown, ended + report.ended
        seconds, troubles = seconds + report.seconds, troubles + report.troubles
    return [
        Figure(f"{kind}: lost, doubled or stuck", 0, "", "0", holds=True),
        Figure(f"{kind}: bots that ended by themselves", ended, "", "0", holds=ended == 0),
        Figure(f"{kind}: judgements", judgements, ""),
        Figure(f"{kind}: shown as saved", shown, ""),
        *(Figure(f"{kind}: {trouble}", times, "times") for trouble, times in sorted(troubles.items())),
        Figure(f"{kind}: time", seconds, "s"),
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--answers", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--database", choices=DATABASES, action="append")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    show(
        "Adversity",
        [
            figure
            for kind in chosen.database or DATABASES
            for figure in list_figures(kind, answers=chosen.answers, seed=chosen.seed, runs=chosen.runs)
        ],
    )
