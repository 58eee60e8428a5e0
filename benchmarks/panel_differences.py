"""How often the intervals of the differences between two panels cover the true ones, by simulation.

    python benchmarks/panel_differences.py [--json] [--quick] [--only NAME] [--processes N]

Experts and lay people, of unequal number, answer the same items; the truths are known (`shared/_panel_differences.py`).
Held are the intervals for new people (.90-.99 from 20 people in both on, .88-.99 below; with fewer than five in one
there is none) and for these people (.90-.99). 300 pairs a design, sure to ± .025.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _coverage_goals import FEW_PEOPLE, FRESH_PANEL, MANY_PEOPLE
from _panel_differences import PanelDesign, cover_differences
from _simulations import CoveredDesign, Suite, run

PAIRS, SEED = 300, 38
DESIGNS = (
    PanelDesign(experts=2, lay=20, items=100, votes=(2, 3), accuracies=(0.85, 0.7)),
    PanelDesign(experts=3, lay=20, items=200),
    PanelDesign(experts=5, lay=20, items=100),
    PanelDesign(experts=5, lay=40, items=200),
    PanelDesign(experts=10, lay=10, items=100),
    PanelDesign(experts=20, lay=20, items=200),
)


def list_jobs() -> Iterator[CoveredDesign]:
    """Pairs of panels of each design."""
    for one in DESIGNS:
        is_many = min(one.experts, one.lay) >= MANY_PEOPLE
        goals = {"new people": FRESH_PANEL if is_many else FEW_PEOPLE, "these people": FRESH_PANEL}
        cover = partial(cover_differences, one, seed=SEED)
        yield CoveredDesign(name=one.name, campaigns=PAIRS, cover=cover, goals=goals)


SUITE = Suite(name="panels", title="Coverage of differences of panels with the nominal level .95", list_jobs=list_jobs)

if __name__ == "__main__":
    sys.exit(run(SUITE))
