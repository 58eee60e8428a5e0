"""Damaged files of every reader of items and votes: read, or refused with an error of our own, and nothing stored.

Each is a sound table, or a genuine export of another tool, that was cut or emptied, saved in another encoding, or in
which bytes, lines, keys or values were changed. All are read as `hromada check` reads them; every fourth of a source is
also loaded and imported in one database, whose rows are counted before and after. Prints a table, or with --json one
object a line: figure, value, unit, goal, holds; and every error that is not ours as it occurs.

python benchmarks/fuzz_readers.py [--files 20000] [--seed 1] [--json]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, f"{Path(__file__).parent}/shared")  # what benchmarks share

from _figures import Figure, show
from _fuzzing import Outcome, fuzz


def list_figures(outcome: Outcome, seconds: float) -> list[Figure]:
    """What became of the files; nothing but our own errors, and no row."""
    leaks, rows_left = outcome.leaks.total(), len(outcome.rows_left)
    return [
        *(Figure(f"files {what}", number, "files") for what, number in sorted(outcome.counts.items())),
        Figure("files loaded and imported as well", outcome.stored, "files"),
        Figure("errors that are not ours", leaks, "errors", "= 0", leaks == 0),
        Figure("files that left rows behind", rows_left, "files", "= 0", rows_left == 0),
        Figure("slowest file", outcome.slowest, "s", "<= 5", outcome.slowest <= 5),
        Figure("time", seconds, "s"),
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    begun = time.perf_counter()
    found = fuzz(arguments.files, arguments.seed, lambda line: print(line, file=sys.stderr, flush=True))
    show(f"{arguments.files:,} damaged files", list_figures(found, time.perf_counter() - begun))
