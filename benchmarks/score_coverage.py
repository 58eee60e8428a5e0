"""How often the published intervals of scores cover what they are to cover, by simulation.

    python benchmarks/score_coverage.py [--json] [--quick] [--only NAME] [--processes N]

Each design is simulated as often as CAMPAIGNS says, from a fixed seed, and scored by the code that scores a project.
*This panel*: the score of the same people on new items; *a fresh panel*: that of new people on new items. A campaign
without an interval (MCC of answers that never vary) does not count; its share is told. Where a few people gave most
answers, as in rte, or a tenth of the people answer at random, the interval for a fresh panel is too narrow, and files
say so: these designs are held against the range that they state. Nearly perfect people have an interval in every
campaign, and three of them none for a fresh panel. A cell misses its goal if it is outside by more than twice its
Monte Carlo error. `--quick` simulates a twentieth; `--only` the designs whose names contain the text. `--json` prints
one object a line: figure, value, unit, goal, holds. `make coverage` writes the tables of the documents from all
benchmarks of coverage.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _answer_panels import ANSWER_TYPES, simulate_answers
from _coverage_goals import (
    CEILING,
    CEILING_PANEL,
    LABELS,
    MIXED,
    MIXED_PANEL,
    NEARLY_RIGHT,
    RTE,
    THIS_PANEL,
    choose_goal,
)
from _figures import Figure
from _panels import Campaign, Design, simulate_labels
from _refitted_panels import simulate_refits
from _simulations import Job, Suite, judge_share, measure_error, name_figure, run

from aggregation.intervals.panel import FEWEST_PEOPLE
from aggregation.schema import Floats

CAMPAIGNS = {"labels": 600, "mixed": 400, "ceiling": 300, "refitted": 280, "answers": 400}
PERFECT_CAMPAIGNS = 20  # all alike: everybody is always right
SEED = 15
ROUNDING = 1e-9
REFITTED = (
    Design(name="8 x 100", people=8, items=100, votes=8, level=3.0, people_sd=0.5, items_sd=1.5),
    Design(name="30 people, 100 x 5", people=30, items=100, votes=5, level=1.5, people_sd=1.0),
    Design(name="40 people, 200 x 10", people=40, items=200, votes=10, level=1.5, people_sd=1.0),
    Design(name="111 people, 500 x 3 (PARus)", people=111, items=500, votes=3, level=3.3, people_sd=0.7),
    RTE,
)
ANSWERS = (
    Design(name="5 x 100", people=5, items=100, votes=5, level=1.8, people_sd=0.5, bias_sd=0.0),
    Design(name="30 people, 100 x 5", people=30, items=100, votes=5, level=1.5, people_sd=0.8, bias_sd=0.0),
)


@dataclass(frozen=True, kw_only=True)
class ScoredDesign(Job):
    """The campaigns of one design: how many people it has, what makes one campaign, and this panel's goal."""

    people: int
    make: Callable[..., Campaign]
    arguments: tuple[object, ...]
    this_panel: tuple[float, float] = THIS_PANEL

    def simulate(self, number: int) -> Campaign:
        """The campaign of that number."""
        return self.make(np.random.default_rng([SEED, *self.name.encode(), number]), *self.arguments)

    def summarise(self, found: list[Campaign]) -> Iterator[Figure]:
        """How often each interval covers, how many campaigns have none, and the width of the first metric."""
        fresh = average_fresh(found)
        goal = choose_goal(self.name, self.people)
        widest: set[str] = set()
        for unit, metric in found[0].intervals:
            scores = [one.intervals[unit, metric] for one in found]
            own = [one.panel[unit][metric] for one in found]
            this = list_ends([(row.item_only_low, row.item_only_high, to) for row, to in zip(scores, own, strict=True)])
            other = list_ends([(row.ci_low, row.ci_high, fresh[unit][metric]) for row in scores])
            yield from self._judge(name_figure(self.name, unit, metric), this, other, n=len(scores), goal=goal)
            if len(other) and unit not in widest:
                widest.add(unit)
                width = float(np.mean(other[:, 1] - other[:, 0]))
                yield Figure(name_figure(self.name, unit, f"width of {metric}", "a fresh panel"), width, "")

    def _judge(self, name: str, this: Floats, other: Floats, *, n: int, goal: tuple[float, float]) -> Iterator[Figure]:
        if len(this) < n:
            yield Figure(name_figure(name, "without interval"), 1 - len(this) / n, "share")
        if len(other) and self.people < FEWEST_PEOPLE:
            yield Figure(name_figure(name, "of too few people"), len(other) / n, "share", goal="0", holds=False)
        for kind, ends, wanted in (("this panel", this, self.this_panel), ("a fresh panel", other, goal)):
            if len(ends):
                covered = measure_coverage(ends)
                sure = measure_error(covered, len(ends))
                yield judge_share(name_figure(name, kind), covered, wanted, sure=sure)


def list_jobs() -> Iterable[ScoredDesign]:
    """Every design with what is simulated of it."""
    for designs, part, goal in (
        (LABELS, "labels", THIS_PANEL),
        (MIXED, "mixed", MIXED_PANEL),
        (CEILING, "ceiling", CEILING_PANEL),
    ):
        for one in designs:
            yield ScoredDesign(
                name=one.name,
                people=one.people,
                campaigns=CAMPAIGNS[part] if math.isfinite(one.level) else PERFECT_CAMPAIGNS,
                make=simulate_labels,
                arguments=(one,),
                this_panel=CEILING_PANEL if one.name in NEARLY_RIGHT else goal,
            )
    for one in REFITTED:
        yield ScoredDesign(
            name=f"{one.name}, Dawid-Skene",
            people=one.people,
            campaigns=CAMPAIGNS["refitted"],
            make=simulate_refits,
            arguments=(one,),
        )
    for one in ANSWERS:
        for kind in ANSWER_TYPES:
            yield ScoredDesign(
                name=f"{one.name}, {'four labels' if kind == 'label' else kind}",
                people=one.people,
                campaigns=CAMPAIGNS["answers"],
                make=simulate_answers,
                arguments=(one, kind),
            )


def average_fresh(campaigns: list[Campaign]) -> dict[str, Mapping[str, float]]:
    """The score of a fresh panel: the metrics of the mean counts of panels that no campaign used."""
    units = campaigns[0].fresh
    means = {unit: np.mean([one.fresh[unit] for one in campaigns], axis=0) for unit in units}
    return {unit: campaigns[0].compute(mean) for unit, mean in means.items()}


def list_ends(rows: Sequence[tuple[float | None, float | None, float]]) -> Floats:
    """Both ends and what they are to cover, of the campaigns that have all three."""
    known = [row for row in rows if row[0] is not None and row[1] is not None and not np.isnan(row[2])]
    return np.array(known, dtype=np.float64).reshape(len(known), 3)


def measure_coverage(ends: Floats) -> float:
    """The share of campaigns whose ends hold the value, to rounding."""
    low, high, value = ends.T
    return float(np.mean((low - ROUNDING <= value) & (value <= high + ROUNDING)))


SUITE = Suite(name="scores", title="Coverage of intervals of scores with the nominal level .95", list_jobs=list_jobs)

if __name__ == "__main__":
    sys.exit(run(SUITE))
