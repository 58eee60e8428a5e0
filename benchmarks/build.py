"""A benchmark at size: `hromada build` of 100,000 items with three judgements each, without and with people replayed.

An item has a text of some 250 characters, a group of five, four options of its own, and gold; 300 people gave 300,000
imported votes. The command runs in a process of its own, so that its memory is its own. The harness asks every person's
items one by one, in its own time, so that the replay is measured on 2,000 items of 12 people, and has no goal. Prints a
table, or with --json one object a line: figure, value, unit, goal, holds.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, f"{Path(__file__).parent}/shared")  # what benchmarks share

from _figures import Figure, show
from _imported_votes import PROJECT_NAME, fill_database, run_command

ITEMS, PEOPLE, VOTES = 100_000, 300, 3
REPLAYED_ITEMS, REPLAYED_PEOPLE = 2_000, 12
MOST_SECONDS, MOST_MEGABYTES = 60.0, 1000.0


def main() -> None:
    """Measure and show."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill_database(folder, items=ITEMS, people=PEOPLE, votes=VOTES)
        seconds, megabytes = run_command(folder, "build", PROJECT_NAME, "built", "--json", "--no-replay")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill_database(folder, items=REPLAYED_ITEMS, people=REPLAYED_PEOPLE, votes=VOTES)
        replayed, _ = run_command(folder, "build", PROJECT_NAME, "built", "--json")
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
