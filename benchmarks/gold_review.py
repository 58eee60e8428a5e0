"""How often the intervals of a gold review cover the share of wrong gold, by simulation.

    python benchmarks/gold_review.py [--json] [--quick]

The gold of 200 or 1,000 items is wrong with the planted chance; three people of accuracy .8 to .95 answer; every
conflict of their majority with gold is reviewed, and a random sample of 50 of the rest. *Planted*: the interval for
items like these, against the chance with which gold was made wrong; the goal is .92-.98. *Pool*: the interval for these
very items, against the share of them whose gold is wrong; it may cover more, since in a pool whose conflicts are all
reviewed hardly anything is unknown, and every interval holds its own value: the goal is at least .92. The last designs
are no promise: samples of other sizes, models' conflicts, people whom wrong gold misleads, and pools in which exactly
that share is wrong, which no longer vary as items like these do. 2,000 reviews a design (with --quick 100, held against
no goal). `--json` prints one object a line: figure, value, unit, goal, holds.
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
from _gold_reviews import DESIGNS, THREE_SHARES, ReviewDesign, measure_coverage

REVIEWS, SEED = 2000, 19
PLANTED, LEAST_OF_POOL = (0.92, 0.98), 0.92
OTHERS = tuple(
    design
    for share in THREE_SHARES
    for design in (
        ReviewDesign(items=1000, wrong=share, accuracy=0.9, sample=100),
        ReviewDesign(items=5000, wrong=share, accuracy=0.9),
        ReviewDesign(items=1000, wrong=share, accuracy=0.9, models=True),
        ReviewDesign(items=200, wrong=share, accuracy=0.9, misled=0.5),
        ReviewDesign(items=1000, wrong=share, accuracy=0.9, misled=0.5),
        ReviewDesign(items=200, wrong=share, accuracy=0.8, is_exact=True),
        ReviewDesign(items=1000, wrong=share, accuracy=0.8, is_exact=True),
        ReviewDesign(items=1000, wrong=share, accuracy=0.95, is_exact=True),
    )
)


def main() -> int:
    """Simulate all designs and print the coverage; ends with 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the reviews")
    given = parser.parse_args()
    end(tell("Coverage of gold reviews with the nominal level .95", measure_designs(quick=given.quick)))
    return 0


def measure_designs(*, quick: bool) -> Iterator[Figure]:
    """Three figures a design, in its order."""
    reviews = REVIEWS // 20 if quick else REVIEWS
    designs = (*DESIGNS, *OTHERS)
    with multiprocessing.Pool(2) as pool:
        for design, (planted, of_pool, width) in zip(
            designs, pool.imap(_Measure(reviews), designs, chunksize=1), strict=True
        ):
            is_held = not quick and design in DESIGNS
            low, high = PLANTED
            yield Figure(
                f"{design.name}: planted",
                planted,
                "share",
                f"{low:.2f}-{high:.2f}" if design in DESIGNS else None,
                low <= planted <= high if is_held else None,
            )
            yield Figure(
                f"{design.name}: pool",
                of_pool,
                "share",
                f">= {LEAST_OF_POOL:.2f}" if design in DESIGNS else None,
                of_pool >= LEAST_OF_POOL if is_held else None,
            )
            yield Figure(f"{design.name}: width", width, "")


class _Measure:
    """Measures a design; it can be sent to another process."""

    def __init__(self, reviews: int) -> None:
        self.reviews = reviews

    def __call__(self, design: ReviewDesign) -> tuple[float, float, float]:
        return measure_coverage(design, reviews=self.reviews, seed=SEED)


if __name__ == "__main__":
    sys.exit(main())
