"""How often the intervals of agreement cover what they are to cover, by simulation.

    python benchmarks/agreement_coverage.py [--json] [--quick] [--only NAME] [--processes N]

Each design is simulated from a fixed seed, and measured by the code that measures a project. The truths are known in
closed form or from very many items (`shared/_agreements.py`): that of *these people and new items*, and that of *new
people and new items*. Held are .92-.98 for both; a cell misses the goal if it is outside by more than twice its Monte
Carlo error. Coefficients that are resampled have no interval for new people. A campaign without an interval does not
count.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _agreements import AgreementDesign, find_new_agreement, find_own_agreement, simulate_agreement
from _figures import Figure
from _simulations import Job, Suite, judge_share, measure_error, name_figure, run

SEED = 38
GOAL = (0.92, 0.98)
THESE, NEW = "these people and new items", "new people and new items"
DESIGNS = (
    AgreementDesign(name="5 x 100", people=5, items=100, votes=5, has_extras=True),
    AgreementDesign(name="5 x 100, very different", people=5, items=100, votes=5, people_sd=1.2, leaning_sd=0.8),
    AgreementDesign(name="6 x 20", people=6, items=20, votes=6, campaigns=400),
    AgreementDesign(name="20 people, 50 x 3", people=20, items=50, votes=3, has_extras=True),
    AgreementDesign(name="20 x 200", people=20, items=200, votes=20),
    AgreementDesign(name="100 people, 300 x 3", people=100, items=300, votes=3, people_sd=0.8),
    AgreementDesign(name="50 people, 150 x 4, unequal loads", people=50, items=150, votes=4, people_sd=0.8, loads=1.0),
    AgreementDesign(name="20 people, 200 x 2", people=20, items=200, votes=2),
    AgreementDesign(name="20 people, 200 x 5, 40 groups", people=20, items=200, votes=5, group_size=5),
    AgreementDesign(
        name="20 people, 200 x 5, rare label", people=20, items=200, votes=5, level=3.0, shares=(0.95, 0.05)
    ),
    AgreementDesign(name="10 x 100, other options each", people=10, items=100, votes=10, kind="options"),
    AgreementDesign(name="20 people, 100 x 3, other options each", people=20, items=100, votes=3, kind="options"),
    AgreementDesign(name="10 x 100, scale", people=10, items=100, votes=10, kind="scale"),
    AgreementDesign(name="20 people, 100 x 3, scale", people=20, items=100, votes=3, kind="scale"),
    AgreementDesign(name="10 x 100, boxes", people=10, items=100, votes=10, kind="boxes"),
    AgreementDesign(name="20 people, 100 x 3, boxes", people=20, items=100, votes=3, kind="boxes"),
    AgreementDesign(
        name="20 people, 100 x 3, spans", people=20, items=100, votes=3, kind="span", has_extras=True
    ),
    AgreementDesign(
        name="20 people, 100 x 3, texts", people=20, items=100, votes=3, kind="text", shares=(0.4, 0.3, 0.2, 0.1),
        has_extras=True,
    ),
)  # fmt: skip

Ends = tuple[float | None, float | None]
Covered = dict[str, tuple[Ends, Ends, float]]
"""Of a campaign, each coefficient with both intervals and the value of its own people."""


@dataclass(frozen=True, kw_only=True)
class MeasuredAgreement(Job):
    """Campaigns of one design."""

    design: AgreementDesign

    @cached_property
    def known(self) -> dict[str, float]:
        """The coefficients of new people."""
        return find_new_agreement(self.design, np.random.default_rng([SEED, *self.name.encode()]))

    def simulate(self, number: int) -> Covered:
        """The intervals of one campaign."""
        rng = np.random.default_rng([SEED, number, *self.name.encode()])
        made, chances = simulate_agreement(rng, self.design)
        own = find_own_agreement(self.design, chances, rng if self.design.has_extras else None)
        rows = {name: made[name] for name in own}
        return {
            name: ((row.low, row.high), (row.new_people_low, row.new_people_high), own[name])
            for name, row in rows.items()
        }

    def summarise(self, found: list[Covered]) -> Iterator[Figure]:
        """Both coverages and widths of each coefficient."""
        for name in found[0]:
            these, new, own = zip(*(one[name] for one in found), strict=True)
            for kind, ends, values in ((THESE, these, own), (NEW, new, (self.known.get(name, np.nan),) * len(own))):
                low, high = np.array(ends, dtype=np.float64).T
                known = ~np.isnan(low)
                if not known.any():
                    continue
                covered = float(((low <= values) & (values <= high))[known].mean())
                sure = measure_error(covered, int(known.sum()))
                yield judge_share(name_figure(self.name, name, kind, "covered"), covered, GOAL, sure=sure)
                yield Figure(name_figure(self.name, name, kind, "width"), float((high - low)[known].mean()), "")


SUITE = Suite(
    name="agreement",
    title="Coverage of intervals of agreement with the nominal level .95",
    list_jobs=lambda: (MeasuredAgreement(name=one.name, campaigns=one.campaigns, design=one) for one in DESIGNS),
)

if __name__ == "__main__":
    sys.exit(run(SUITE))
