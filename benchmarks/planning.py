"""Whether plans hold in simulated campaigns with known truth: half widths that are reached, differences that are found.

    python benchmarks/planning.py [--json] [--quick] [--only NAME]

Each design is simulated 500 times for half widths and 2,000 times for differences, from a fixed seed. Planned with the
true variance, a half width is to be reached in 86-94 % (an assurance of 90 %), and a difference that is called
detectable is to be found in 74-86 % (a power of 80 %). `--quick` simulates a twentieth, held against no goal. `--json`
prints one object a line: figure, value, unit, goal, holds.
"""

from __future__ import annotations

import argparse
import multiprocessing
import multiprocessing.pool
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _figures import Figure, end, tell
from _panels import Design
from _plans import UNITS, find_detectable_model, find_differences, find_truth, measure_widths, plan_width

CAMPAIGNS, RUNS, CHUNK = 500, 2000, 25
REACHED, FOUND = (0.86, 0.94), (0.74, 0.86)
DESIGNS = (
    Design(name="8 people, 100 x 8", people=8, items=100, votes=8, level=2.2),
    Design(name="20 people, 200 x 3", people=20, items=200, votes=3, level=2.0),
    Design(name="30 people, 100 x 5", people=30, items=100, votes=5, level=1.5, people_sd=0.8),
    Design(name="30 people, 300 x 3, 60 groups", people=30, items=300, votes=3, level=2.0, group_size=5, group_sd=0.8),
    Design(name="111 people, 500 x 3 (PARus)", people=111, items=500, votes=3, level=3.3, people_sd=0.7),
)


def main() -> int:
    """Simulate all designs and print what was reached and found; ends with 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the campaigns")
    parser.add_argument("--only", default="", help="the designs whose names contain this text")
    given = parser.parse_args()
    part = 5 if given.quick else 1
    with multiprocessing.Pool(2) as pool:
        figures = (
            figure
            for design in DESIGNS
            if given.only in design.name
            for figure in measure_design(design, pool, part=part)
        )
        end(tell("Plans held in simulated campaigns", figures))
    return 0


def measure_design(design: Design, pool: multiprocessing.pool.Pool, *, part: int) -> Iterator[Figure]:
    """How often the planned half widths are reached, and the planned differences found."""
    find_truth(design)
    widths = [row for rows in pool.imap(partial(measure_widths, design), split(CAMPAIGNS // part)) for row in rows]
    for unit in UNITS:
        planned = plan_width(design, unit)
        reached = float(np.mean([row[unit] <= planned for row in widths]))
        yield Figure(f"{design.name}: {unit}, planned half width", planned, "")
        yield judge_share(f"{design.name}: {unit}, half width reached", reached, REACHED, is_held=part == 1)
    for unit in UNITS:
        for is_paired in (True, False):
            name = f"{design.name}: {unit}, {'paired' if is_paired else 'unpaired'}"
            difference, _ = find_detectable_model(design, unit, is_paired=is_paired)
            find = partial(find_differences, design, unit, is_paired=is_paired)
            found = sum(pool.imap(find, split(RUNS // part))) / (RUNS // part)
            yield Figure(f"{name}, detectable difference", difference, "")
            yield judge_share(f"{name}, difference found", found, FOUND, is_held=part == 1)


def split(number: int) -> list[range]:
    """The numbers of the campaigns in chunks."""
    return [range(start, min(start + CHUNK, number)) for start in range(0, number, CHUNK)]


def judge_share(name: str, share: float, goal: tuple[float, float], *, is_held: bool) -> Figure:
    """A share with its goal, and whether it is held where it is held against it."""
    low, high = goal
    return Figure(name, share, "share", f"{low:.2f}-{high:.2f}", low <= share <= high if is_held else None)


if __name__ == "__main__":
    sys.exit(main())
