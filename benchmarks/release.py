"""A release at size: `hromada release` of 100,000 judgements, and its verification, each in a process of its own.

33,334 items of four classes, and then of four options of their own, have three imported votes each, given by 300
people. The harness asks every person's items one by one, in its own time, so people are not replayed here. Prints a
table, or with --json one object a line: figure, value, unit, goal, holds.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, f"{Path(__file__).parent}/shared")  # what benchmarks share

from _figures import Figure, end, tell
from _imported_votes import PROJECT_NAME, fill_database, run_command

ITEMS, PEOPLE, VOTES = 33_334, 300, 3
MOST_SECONDS, MOST_MEGABYTES = 60.0, 1000.0
KINDS = {"four classes": False, "own options": True}


def measure() -> Iterator[Figure]:
    """Release and verify both kinds of campaign."""
    for kind, own_options in KINDS.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            fill_database(folder, items=ITEMS, people=PEOPLE, votes=VOTES, own_options=own_options)
            commands = {
                "release": ("release", PROJECT_NAME, "released", "--json", "--no-replay"),
                "verification": ("release", "--verify", "released", "--json"),
            }
            for what, words in commands.items():
                seconds, megabytes = run_command(folder, *words)
                yield Figure(f"{what}, {kind}", seconds, "s", f"< {MOST_SECONDS:g}", seconds < MOST_SECONDS)
                fits = megabytes < MOST_MEGABYTES
                yield Figure(f"its peak of memory, {kind}", megabytes, "MB", f"< {MOST_MEGABYTES:g}", fits)


if __name__ == "__main__":
    end(tell(f"Releasing {ITEMS * VOTES:,} judgements", measure()))
