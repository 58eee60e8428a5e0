"""How often the intervals of the differences between two panels cover the true ones, by simulation.

    python benchmarks/panel_differences.py [--json] [--quick] [--only NAME] [--processes N]

Experts and lay people, of unequal number, answer the same items; the truths are known (`shared/_panel_differences.py`).
Held are the intervals for new people (.90-.99 from 20 people in both on, .88-.99 below; with fewer than five in one
there is none) and for these people (.90-.99). 300 pairs a design, sure to ± .025.
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
from _panel_differences import CoveredDifferences, PanelDesign, cover_differences
from _simulations import Job, Suite, average_coverage, judge_share, measure_error, name_figure, run

PAIRS, SEED = 300, 38
DESIGNS = (
    PanelDesign(experts=2, lay=20, items=100, votes=(2, 3), accuracies=(0.85, 0.7)),
    PanelDesign(experts=3, lay=20, items=200),
    PanelDesign(experts=5, lay=20, items=100),
    PanelDesign(experts=5, lay=40, items=200),
    PanelDesign(experts=10, lay=10, items=100),
    PanelDesign(experts=20, lay=20, items=200),
)


@dataclass(frozen=True, kw_only=True)
class ComparedPanels(Job):
    """Pairs of panels of one design."""

    design: PanelDesign

    def simulate(self, number: int) -> CoveredDifferences:
        """Which intervals of one pair cover."""
        return cover_differences(self.design, number, seed=SEED)

    def summarise(self, found: list[CoveredDifferences]) -> Iterator[Figure]:
        """One figure a measure and population."""
        for (measure, population), covered in average_coverage(found).items():
            is_many = population == "these people" or min(self.design.experts, self.design.lay) >= MANY_PEOPLE
            goal = FRESH_PANEL if is_many else FEW_PEOPLE
            sure = measure_error(covered, len(found))
            yield judge_share(name_figure(self.name, measure, population), covered, goal, sure=sure)


SUITE = Suite(
    name="panels",
    title="Coverage of differences of panels with the nominal level .95",
    list_jobs=lambda: (ComparedPanels(name=one.name, campaigns=PAIRS, design=one) for one in DESIGNS),
)

if __name__ == "__main__":
    sys.exit(run(SUITE))
