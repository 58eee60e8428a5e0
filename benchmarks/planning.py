"""Whether plans hold in simulated campaigns with known truth: half widths that are reached, differences that are found.

    python benchmarks/planning.py [--json] [--quick] [--only NAME]

Each design is simulated 2,000 times for half widths, those of DESIGNS 1,000 times for differences, from a fixed seed.
Planned with the true variance, a half width is to be reached in 88-93 % of campaigns (an assurance of 90 %), for these
people and for a fresh panel; a cell misses the goal if it is outside by more than twice the Monte Carlo error (.013).
The interval of a majority for these people hangs on the number of right items alone, and one item more or less can be
more than 5 % of campaigns: its goal is met if at least 88 % reach the half width and at most 93 % stay below it. A
difference that is called detectable is to be found in 74-86 % (a power of 80 %). `--quick` simulates a twentieth, held
against no goal. `--json` prints one object a line: figure, value, unit, goal, holds.
"""

from __future__ import annotations

import argparse
import multiprocessing
import multiprocessing.pool
import sys
from collections.abc import Iterator
from functools import partial
from itertools import chain, product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _figures import Figure, end, tell
from _panels import Design
from _plans import (
    PANELS,
    UNITS,
    find_detectable_model,
    find_differences,
    measure_widths,
    place_design,
    plan_width,
)

CAMPAIGNS, RUNS, CHUNK = 2000, 1000, 25
REACHED, FOUND = (0.88, 0.93), (0.74, 0.86)
SURE = 2 * (0.9 * 0.1 / CAMPAIGNS) ** 0.5
NAMES = {"this": "this panel", "fresh": "a fresh panel"}
ROUNDING = 1e-9
DESIGNS = (
    Design(name="8 people, 100 x 8", people=8, items=100, votes=8, level=2.2),
    Design(name="20 people, 200 x 3", people=20, items=200, votes=3, level=2.0),
    Design(name="30 people, 100 x 5", people=30, items=100, votes=5, level=1.5, people_sd=0.8),
    Design(name="30 people, 300 x 3, 60 groups", people=30, items=300, votes=3, level=2.0, group_size=5, group_sd=0.8),
    Design(name="111 people, 500 x 3 (PARus)", people=111, items=500, votes=3, level=3.3, people_sd=0.7),
)
OTHERS = (
    place_design("5 people, 100 x 5", 5, 100, 5, share=0.9),
    place_design("10 people, 200 x 10", 10, 200, 10, share=0.85),
    place_design("20 people, 500 x 3", 20, 500, 3, share=0.9),
    place_design("100 people, 500 x 3", 100, 500, 3, share=0.9),
    place_design("12 people, 50 x 4, equal", 12, 50, 4, share=0.8, people_sd=0.0, bias_sd=0.0),
    place_design("15 people, 300 x 2, very different", 15, 300, 2, share=0.75, people_sd=1.5),
    place_design("40 people, 400 x 5, 80 groups", 40, 400, 5, share=0.7, people_sd=0.7, group_size=5, group_sd=0.8),
    place_design("24 people, 600 x 3, two kinds", 24, 600, 3, share=0.88, novices=0.3, novice_gap=1.5),
    place_design("200 people, 2000 x 2", 200, 2000, 2, share=0.6, people_sd=0.8),
    place_design("60 people, 1000 x 4, nearly perfect", 60, 1000, 4, share=0.97, people_sd=0.7),
)
"""Designs of which only half widths are simulated. `share` is the accuracy of people who are no novices."""


def main() -> int:
    """Simulate all designs and print what was reached and found; ends with 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the campaigns")
    parser.add_argument("--only", default="", help="the designs whose names contain this text")
    given = parser.parse_args()
    part = 20 if given.quick else 1
    designs, held = ([one for one in some if given.only in one.name] for some in ((*DESIGNS, *OTHERS), DESIGNS))
    with multiprocessing.Pool(2) as pool:
        widths = (figure for design in designs for figure in measure_reached(design, pool, part=part))
        differences = (figure for design in held for figure in measure_found(design, pool, part=part))
        end(tell("Plans held in simulated campaigns", chain(widths, differences)))
    return 0


def measure_reached(design: Design, pool: multiprocessing.pool.Pool, *, part: int) -> Iterator[Figure]:
    """How often the planned half widths are reached."""
    widths = [row for rows in pool.imap(partial(measure_widths, design), split(CAMPAIGNS // part)) for row in rows]
    for unit, panel in product(UNITS, PANELS):
        planned = plan_width(design, unit, panel)
        reached = np.array([row[unit, panel] for row in widths])
        name = f"{design.name}: {unit}, {NAMES[panel]}"
        yield Figure(f"{name}, planned half width", planned, "")
        yield judge_reached(f"{name}, half width reached", reached, planned, is_held=part == 1)


def measure_found(design: Design, pool: multiprocessing.pool.Pool, *, part: int) -> Iterator[Figure]:
    """How often the planned differences are found."""
    for unit, is_paired in product(UNITS, (True, False)):
        name = f"{design.name}: {unit}, {'paired' if is_paired else 'unpaired'}"
        difference, model = find_detectable_model(design, unit, is_paired=is_paired)
        find = partial(find_differences, design, unit, model=model, is_paired=is_paired)
        found = sum(pool.imap(find, split(RUNS // part))) / (RUNS // part)
        yield Figure(f"{name}, detectable difference", difference, "")
        yield judge_share(f"{name}, difference found", found, FOUND, is_held=part == 1)


def judge_reached(name: str, widths: NDArray[np.float64], planned: float, *, is_held: bool) -> Figure:
    """The share of campaigns that reach the planned half width; it may be above the goal by those that just do."""
    low, high = REACHED
    reached, below = float(np.mean(widths <= planned + ROUNDING)), float(np.mean(widths < planned - ROUNDING))
    holds = reached >= low - SURE and below <= high + SURE
    return Figure(name, reached, "share", f"{low:.2f}-{high:.2f}", holds if is_held else None)


def split(number: int) -> list[range]:
    """The numbers of the campaigns in chunks."""
    return [range(start, min(start + CHUNK, number)) for start in range(0, number, CHUNK)]


def judge_share(name: str, share: float, goal: tuple[float, float], *, is_held: bool) -> Figure:
    """A share with its goal, and whether it is held where it is held against it."""
    low, high = goal
    return Figure(name, share, "share", f"{low:.2f}-{high:.2f}", low <= share <= high if is_held else None)


if __name__ == "__main__":
    sys.exit(main())
