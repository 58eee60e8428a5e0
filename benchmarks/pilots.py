"""How often the intervals of `hromada compare` cover the true difference of two pilots, by simulation.

    python benchmarks/pilots.py [--json] [--quick] [--only NAME] [--processes N]

Two wordings over the same 100 items, three votes each, by the same people or by others; the true differences are known
in closed form (`shared/_pilots.py`). Held are the intervals for a fresh panel (new people and items): .90-.99 from 20
people on, .88-.99 below, as for scores. 400 pairs a design, sure to ± .02.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _coverage_goals import FEW_PEOPLE, FRESH_PANEL, MANY_PEOPLE
from _pilots import PilotDesign, cover_differences
from _simulations import CoveredDesign, Suite, run

PAIRS, SEED = 400, 20
DESIGNS = tuple(
    PilotDesign(items=100, people=people, is_same=is_same) for people in (6, 20, 40) for is_same in (True, False)
)


def list_jobs() -> Iterator[CoveredDesign]:
    """Pairs of pilots of each design."""
    for one in DESIGNS:
        goals = {"a fresh panel": FRESH_PANEL if one.people >= MANY_PEOPLE else FEW_PEOPLE}
        cover = partial(cover_differences, one, seed=SEED)
        yield CoveredDesign(name=one.name, campaigns=PAIRS, cover=cover, goals=goals)


SUITE = Suite(name="pilots", title="Coverage of differences of pilots with the nominal level .95", list_jobs=list_jobs)

if __name__ == "__main__":
    sys.exit(run(SUITE))
