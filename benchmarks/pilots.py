"""How often the intervals of `hromada compare` cover the true difference of two pilots, by simulation.

    python benchmarks/pilots.py [--json] [--quick]

Two wordings over the same 100 items, three votes each, by the same people or by others; the true differences are known
in closed form (`shared/_pilots.py`). Held are the intervals for a fresh panel (new people and items): .90-.99 from 20
people on, .88-.99 below, as for scores. 1,000 pairs a design (with --quick 50, held against no goal). `--json` prints
one object a line: figure, value, unit, goal, holds.
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
from _pilots import PilotDesign, measure_coverage

PAIRS, SEED = 1000, 20
MANY_PEOPLE = 20
GOALS = {True: (0.90, 0.99), False: (0.88, 0.99)}
DESIGNS = tuple(
    PilotDesign(items=100, people=people, is_same=is_same) for people in (6, 20, 40) for is_same in (True, False)
)


def main() -> int:
    """Simulate all designs and print the coverage; ends with 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the pairs")
    given = parser.parse_args()
    end(tell("Coverage of paired differences with the nominal level .95", measure_designs(quick=given.quick)))
    return 0


def measure_designs(*, quick: bool) -> Iterator[Figure]:
    """Two figures a design and measure, in their order."""
    with multiprocessing.Pool(2) as pool:
        measured = pool.imap(_measure_quickly if quick else _measure_fully, DESIGNS, chunksize=1)
        for design, coverage in zip(DESIGNS, measured, strict=True):
            low, high = GOALS[design.people >= MANY_PEOPLE]
            for measure, (covered, width) in coverage.items():
                holds = None if quick else low <= covered <= high
                yield Figure(f"{design.name}: {measure}", covered, "share", f"{low:.2f}-{high:.2f}", holds)
                yield Figure(f"{design.name}: {measure}, width", width, "")


def _measure_fully(design: PilotDesign) -> dict[str, tuple[float, float]]:
    return measure_coverage(design, pairs=PAIRS, seed=SEED)


def _measure_quickly(design: PilotDesign) -> dict[str, tuple[float, float]]:
    return measure_coverage(design, pairs=PAIRS // 20, seed=SEED)


if __name__ == "__main__":
    sys.exit(main())
