"""Whether plans hold in simulated campaigns with known truth: half widths that are reached, differences that are found.

    python benchmarks/planning.py [--json] [--quick] [--only NAME] [--processes N]

Each design is simulated 2,000 times for half widths, those of DESIGNS 500 times for differences, from a fixed seed.
Planned with the true variance, a half width is to be reached in 88-93 % of campaigns (an assurance of 90 %), for these
people and for a fresh panel; a cell misses the goal if it is outside by more than twice the Monte Carlo error (.013).
The interval of a majority for these people hangs on the number of right items alone, and one item more or less can be
more than 5 % of campaigns: its goal is met if at least 88 % reach the half width and at most 93 % stay below it. A
difference that is called detectable is to be found in 74-86 % (a power of 80 %).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _figures import Figure
from _panels import Design
from _plans import (
    PANELS,
    UNITS,
    PlannedWidth,
    find_detectable_model,
    find_differences,
    measure_widths,
    place_design,
    plan_width,
)
from _simulated_models import SimulatedModel
from _simulations import Job, Suite, average, judge_share, name_figure, run

from aggregation.comparison.scored_units import ScoredUnit

CAMPAIGNS, RUNS = 2000, 500
REACHED, FOUND = (0.88, 0.93), (0.74, 0.86)
SURE = 2 * (0.9 * 0.1 / CAMPAIGNS) ** 0.5
NAMED = {"individual": "single answers", "majority": "majority"}
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


@dataclass(frozen=True, kw_only=True)
class ReachedWidths(Job):
    """Campaigns of one design, whose half widths are held against the planned ones."""

    design: Design

    @cached_property
    def known(self) -> dict[PlannedWidth, float]:
        """The planned half widths."""
        return {(unit, panel): plan_width(self.design, unit, panel) for unit, panel in product(UNITS, PANELS)}

    def simulate(self, number: int) -> dict[PlannedWidth, float]:
        """The half widths of one campaign."""
        return measure_widths(self.design, number)

    def summarise(self, found: list[dict[PlannedWidth, float]]) -> Iterator[Figure]:
        """How often the planned half widths are reached."""
        for (unit, panel), planned in self.known.items():
            name = name_figure(self.name, f"{NAMED[unit]}, {NAMES[panel]}")
            yield Figure(name_figure(name, "planned half width"), planned, "")
            reached = np.array([row[unit, panel] for row in found])
            yield judge_reached(name_figure(name, "half width reached"), reached, planned)


@dataclass(frozen=True, kw_only=True)
class FoundDifferences(Job):
    """Campaigns of one design beside a model that is so far below people as is called detectable."""

    design: Design
    unit: ScoredUnit
    is_paired: bool

    @cached_property
    def known(self) -> tuple[float, SimulatedModel]:
        """The difference, and the model."""
        return find_detectable_model(self.design, self.unit, is_paired=self.is_paired)

    def simulate(self, number: int) -> bool:
        """Whether one campaign finds the difference."""
        model = self.known[1]
        return find_differences(self.design, self.unit, number, model=model, is_paired=self.is_paired)

    def summarise(self, found: list[bool]) -> Iterator[Figure]:
        """How often the planned difference is found."""
        name = name_figure(self.name, f"{NAMED[self.unit]}, {'paired' if self.is_paired else 'unpaired'}")
        yield Figure(name_figure(name, "detectable difference"), self.known[0], "")
        yield judge_share(name_figure(name, "difference found"), average(found), FOUND)


def judge_reached(name: str, widths: NDArray[np.float64], planned: float) -> Figure:
    """The share of campaigns that reach the planned half width; it may be above the goal by those that just do."""
    low, high = REACHED
    reached, below = float(np.mean(widths <= planned + ROUNDING)), float(np.mean(widths < planned - ROUNDING))
    holds = reached >= low - SURE and below <= high + SURE
    return Figure(name, reached, "share", f"{low:.2f}-{high:.2f}", holds)


def list_jobs() -> Iterator[Job]:
    """Half widths of all designs, then differences of some."""
    for one in (*DESIGNS, *OTHERS):
        yield ReachedWidths(name=one.name, campaigns=CAMPAIGNS, design=one)
    for one, unit, is_paired in product(DESIGNS, UNITS, (True, False)):
        yield FoundDifferences(name=one.name, campaigns=RUNS, design=one, unit=unit, is_paired=is_paired)


SUITE = Suite(name="plans", title="Plans held in simulated campaigns", list_jobs=list_jobs)

if __name__ == "__main__":
    sys.exit(run(SUITE))
