"""A run of 10,000 answers in which everything goes wrong, and what is lost, doubled or stuck in the end: nothing.

python benchmarks/adversity.py [--answers 10000] [--seed 7] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, f"{sys.path.pop(0)}/shared")  # what benchmarks share; bot.py beside it is not the package

import _adversity
from _figures import Figure, show
from _postgresql import binaries, server


def list_figures(*, answers: int, seed: int) -> list[Figure]:
    """The figures of one run on a PostgreSQL of its own."""
    programs = binaries()
    if programs is None:
        raise SystemExit("Install Debian's postgresql first.")
    with server(programs) as url, tempfile.TemporaryDirectory() as folder:
        report = asyncio.run(_adversity.run_adversity(url, Path(folder), answers=answers, seed=seed))
    return [
        Figure("lost, doubled or stuck", 0, "", "0", holds=True),
        Figure("judgements", report.judgements, ""),
        Figure("shown as saved", report.shown, ""),
        *(Figure(name, number, "times") for name, number in sorted(report.troubles.items())),
        Figure("time", report.seconds, "s"),
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--answers", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    show("Adversity", list_figures(answers=chosen.answers, seed=chosen.seed))
