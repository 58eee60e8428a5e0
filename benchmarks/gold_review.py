"""How often the intervals of a gold review cover the share of wrong gold, by simulation.

    python benchmarks/gold_review.py [--json] [--quick] [--only NAME] [--processes N]

The gold of 200 or 1,000 items is wrong with the planted chance; three people of accuracy .8 to .95 answer; every
conflict of their majority with gold is reviewed, and a random sample of 50 of the rest. *Planted*: the interval for
items like these, against the chance with which gold was made wrong; the goal is .92-.98. *Pool*: the interval for these
very items, against the share of them whose gold is wrong; it may cover more, since in a pool whose conflicts are all
reviewed hardly anything is unknown, and every interval holds its own value: the goal is at least .92. The last designs
are no promise: samples of other sizes, models' conflicts, people whom wrong gold misleads, and pools in which exactly
that share is wrong, which no longer vary as items like these do. 600 reviews a design.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _figures import Figure
from _gold_reviews import DESIGNS, THREE_SHARES, ReviewDesign, cover_review
from _simulations import Job, Suite, average, judge_share, measure_error, name_figure, run

REVIEWS, SEED = 600, 19
PLANTED, OF_POOL = (0.92, 0.98), (0.92, 1.0)
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


@dataclass(frozen=True, kw_only=True)
class Reviews(Job):
    """Reviews of one design."""

    design: ReviewDesign

    def simulate(self, number: int) -> tuple[bool, bool, float]:
        """What one review covers, and how wide its interval is."""
        return cover_review(self.design, number, seed=SEED)

    def summarise(self, found: list[tuple[bool, bool, float]]) -> Iterator[Figure]:
        """Three figures, held against the goals where the design is of the promise."""
        planted, of_pool, width = zip(*found, strict=True)
        for kind, covered, goal in (("items like these", planted, PLANTED), ("this pool", of_pool, OF_POOL)):
            share = average(covered)
            sure = measure_error(share, len(found))
            figure = judge_share(name_figure(self.name, kind), share, goal, sure=sure)
            yield figure if self.design in DESIGNS else replace(figure, goal=None, holds=None)
        yield Figure(name_figure(self.name, "width for items like these"), average(width), "")


SUITE = Suite(
    name="gold",
    title="Coverage of gold reviews with the nominal level .95",
    list_jobs=lambda: (Reviews(name=one.name, campaigns=REVIEWS, design=one) for one in (*DESIGNS, *OTHERS)),
)

if __name__ == "__main__":
    sys.exit(run(SUITE))
