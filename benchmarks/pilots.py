"""How often the intervals of `hromada compare` cover the true difference of two pilots, by simulation.

    python benchmarks/pilots.py [--json] [--quick] [--only NAME] [--processes N]

Two wordings over the same 100 items, three votes each, by the same people or by others; the true differences are known
in closed form (`shared/_pilots.py`). Held are the intervals for a fresh panel (new people and items): .90-.99 from 20
people on, .88-.99 below, as for scores. 400 pairs a design, sure to ± .02.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _coverage_goals import FEW_PEOPLE, FRESH_PANEL, MANY_PEOPLE
from _figures import Figure
from _pilots import CoveredPilots, PilotDesign, cover_differences
from _simulations import Job, Suite, average_coverage, judge_share, measure_error, name_figure, run

PAIRS, SEED = 400, 20
DESIGNS = tuple(
    PilotDesign(items=100, people=people, is_same=is_same) for people in (6, 20, 40) for is_same in (True, False)
)


@dataclass(frozen=True, kw_only=True)
class ComparedPilots(Job):
    """Pairs of pilots of one design."""

    design: PilotDesign

    def simulate(self, number: int) -> CoveredPilots:
        """Which intervals of one pair cover."""
        return cover_differences(self.design, number, seed=SEED)

    def summarise(self, found: list[CoveredPilots]) -> Iterator[Figure]:
        """One figure a measure."""
        goal = FRESH_PANEL if self.design.people >= MANY_PEOPLE else FEW_PEOPLE
        for measure, covered in average_coverage(found).items():
            sure = measure_error(covered, len(found))
            yield judge_share(name_figure(self.name, measure, "a fresh panel"), covered, goal, sure=sure)


SUITE = Suite(
    name="pilots",
    title="Coverage of differences of pilots with the nominal level .95",
    list_jobs=lambda: (ComparedPilots(name=one.name, campaigns=PAIRS, design=one) for one in DESIGNS),
)

if __name__ == "__main__":
    sys.exit(run(SUITE))
