"""How often the intervals of agreement cover what they are to cover, by simulation.

    python benchmarks/agreement_coverage.py [--json] [--quick] [--only NAME]

Each design is simulated 1,200 times from a fixed seed (400 or 800 times where answers are sets or many), and measured
by the code that measures a project. Both truths are known in closed form (`shared/_agreements.py`): that of *these
people and new items*, and that of *new people and new items*. Held are .92-.98 for both. A campaign without an interval
does not count. `--quick` simulates a twentieth, held against no goal; `--only` the designs whose names contain the
text. `--json` prints one object a line: figure, value, unit, goal, holds; of these `docs/explanation/list_coverage.py`
makes the table of agreement.md. Two processes share the work; it takes about 5 minutes on two cores.
"""

from __future__ import annotations

import argparse
import multiprocessing
import multiprocessing.pool
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _agreements import AgreementDesign, find_new_agreement, find_own_agreement, simulate_agreement
from _coverage_goals import judge_coverage
from _figures import Figure, end, tell

SEED, CHUNK = 38, 50
GOAL = (0.92, 0.98)
THESE, NEW = "these people and new items", "new people and new items"
DESIGNS = (
    AgreementDesign(name="5 x 100", people=5, items=100, votes=5),
    AgreementDesign(name="5 x 100, very different", people=5, items=100, votes=5, people_sd=1.2, leaning_sd=0.8),
    AgreementDesign(name="6 x 20", people=6, items=20, votes=6),
    AgreementDesign(name="20 people, 50 x 3", people=20, items=50, votes=3),
    AgreementDesign(name="20 x 200", people=20, items=200, votes=20, campaigns=800),
    AgreementDesign(name="100 people, 300 x 3", people=100, items=300, votes=3, people_sd=0.8),
    AgreementDesign(name="50 people, 150 x 4, unequal loads", people=50, items=150, votes=4, people_sd=0.8, loads=1.0),
    AgreementDesign(name="20 people, 200 x 2", people=20, items=200, votes=2),
    AgreementDesign(name="20 people, 200 x 5, 40 groups", people=20, items=200, votes=5, group_size=5),
    AgreementDesign(
        name="20 people, 200 x 5, rare label", people=20, items=200, votes=5, level=3.0, shares=(0.95, 0.05)
    ),
    AgreementDesign(name="10 x 100, scale", people=10, items=100, votes=10, kind="scale", campaigns=800),
    AgreementDesign(name="20 people, 100 x 3, scale", people=20, items=100, votes=3, kind="scale", campaigns=800),
    AgreementDesign(name="10 x 100, boxes", people=10, items=100, votes=10, kind="boxes", campaigns=400),
    AgreementDesign(name="20 people, 100 x 3, boxes", people=20, items=100, votes=3, kind="boxes", campaigns=400),
    AgreementDesign(name="20 people, 100 x 3, spans", people=20, items=100, votes=3, kind="span", campaigns=400),
    AgreementDesign(
        name="20 people, 100 x 3, texts", people=20, items=100, votes=3, kind="text", shares=(0.4, 0.3, 0.2, 0.1),
        campaigns=400,
    ),
)  # fmt: skip

Interval = tuple[float, float]
Covered = list[tuple[str, Interval, Interval, float]]
"""Of a campaign, each coefficient with both intervals (nan where there is none) and the value of its own people."""


def main() -> int:
    """Simulate all designs and print the coverage; ends with 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the campaigns")
    parser.add_argument("--only", default="", help="the designs whose names contain this text")
    given = parser.parse_args()
    designs = [one for one in DESIGNS if given.only in one.name]
    with multiprocessing.Pool(2) as pool:
        figures = (figure for one in designs for figure in measure_design(one, pool, quick=given.quick))
        end(tell("Coverage of intervals of agreement with the nominal level .95", figures))
    return 0


def measure_design(design: AgreementDesign, pool: multiprocessing.pool.Pool, *, quick: bool) -> Iterator[Figure]:
    """Both coverages and widths of each coefficient; a quick run is held against no goal."""
    n = max(CHUNK, design.campaigns // 20) if quick else design.campaigns
    chunks = [(design, range(start, min(start + CHUNK, n))) for start in range(0, n, CHUNK)]
    campaigns: Covered = [row for chunk in pool.imap(simulate_chunk, chunks) for row in chunk]
    truths = find_new_agreement(design, np.random.default_rng([SEED, *design.name.encode()]))
    for name, truth in truths.items():
        rows = np.array([(*these, *new, own) for named, these, new, own in campaigns if named == name])
        low, high, new_low, new_high, own = rows.T
        for kind, ends, value in ((THESE, (low, high), own), (NEW, (new_low, new_high), np.full(len(own), truth))):
            known = ~np.isnan(ends[0])
            covered = float(((ends[0] <= value) & (value <= ends[1]))[known].mean())
            yield judge_coverage(f"{design.name}: {name}, {kind}", covered, GOAL, is_held=not quick)
            yield Figure(f"{design.name}: {name}, width, {kind}", float((ends[1] - ends[0])[known].mean()), "")


def simulate_chunk(chunk: tuple[AgreementDesign, range]) -> Covered:
    """Some campaigns of a design; each has a generator of its own, so that chunks change no number."""
    design, numbers = chunk
    rows: Covered = []
    for number in numbers:
        made, chances = simulate_agreement(np.random.default_rng([SEED, number, *design.name.encode()]), design)
        for name, own in find_own_agreement(design, chances).items():
            row = made[name]
            ends = (row.low, row.high, row.new_people_low, row.new_people_high)
            low, high, new_low, new_high = (float("nan") if one is None else one for one in ends)
            rows.append((name, (low, high), (new_low, new_high), own))
    return rows


if __name__ == "__main__":
    sys.exit(main())
