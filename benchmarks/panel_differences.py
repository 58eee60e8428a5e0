"""How often the intervals of the differences between two panels cover the true ones, by simulation.

    python benchmarks/panel_differences.py [--json] [--quick]

Experts and lay people, of unequal number, answer the same items; the truths are known (`shared/_panel_differences.py`).
Held are the intervals for new people (.90-.99 from 20 people in both on, .88-.99 below; with fewer than five in one
there is none) and for these people (.90-.99). 300 pairs a design, sure to ± .025 (with --quick 30, held against no
goal). `--json` prints one object a line: figure, value, unit, goal, holds.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _figures import Figure, end, tell
from _panel_differences import PanelDesign, measure_coverage

PAIRS, QUICK_PAIRS, SEED = 300, 30, 38
MANY_PEOPLE = 20
DESIGNS = (
    PanelDesign(experts=2, lay=20, items=100, votes=(2, 3), accuracies=(0.85, 0.7)),
    PanelDesign(experts=3, lay=20, items=200),
    PanelDesign(experts=5, lay=20, items=100),
    PanelDesign(experts=5, lay=40, items=200),
    PanelDesign(experts=10, lay=10, items=100),
    PanelDesign(experts=20, lay=20, items=200),
)


def main() -> int:
    """Simulate all designs and print the coverage; ends with 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--quick", action="store_true", help="a tenth of the pairs")
    given = parser.parse_args()
    end(tell("Coverage of differences of panels with the nominal level .95", measure_designs(quick=given.quick)))
    return 0


def measure_designs(*, quick: bool) -> Iterator[Figure]:
    """One figure a design, measure and population, in their order."""
    with multiprocessing.Pool(2) as pool:
        measured = pool.imap(_measure_quickly if quick else _measure_fully, DESIGNS, chunksize=1)
        for design, coverage in zip(DESIGNS, measured, strict=True):
            for (measure, population), covered in coverage.items():
                low, high = choose_goal(design, population)
                holds = None if quick else low <= covered <= high
                yield Figure(
                    f"{design.name}: {measure}, {population}", covered, "share", f"{low:.2f}-{high:.2f}", holds
                )


def choose_goal(design: PanelDesign, population: str) -> tuple[float, float]:
    """The least and the greatest share of intervals that cover."""
    is_many = population == "these people" or min(design.experts, design.lay) >= MANY_PEOPLE
    return (0.90, 0.99) if is_many else (0.88, 0.99)


def _measure_fully(design: PanelDesign) -> dict[tuple[str, str], float]:
    return measure_coverage(design, pairs=PAIRS, seed=SEED)


def _measure_quickly(design: PanelDesign) -> dict[tuple[str, str], float]:
    return measure_coverage(design, pairs=QUICK_PAIRS, seed=SEED)


if __name__ == "__main__":
    sys.exit(main())
