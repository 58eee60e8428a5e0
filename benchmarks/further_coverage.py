"""How often published intervals that are neither of scores nor of agreement cover, by simulation.

    python benchmarks/further_coverage.py [--json] [--quick] [--only NAME] [--processes N]

Cross-entropy of a model's distributions, the slope over a session, the mean over tasks, shares of independent answers
(exactly, for a person, for answers given twice, and for labels above a cut), means over stories, changes of all stories
together, and two intervals that are known to be too narrow and held against no goal: answers of many people as if they
were independent, and the mean posterior of Dawid-Skene's labels. The truths are known
(`shared/_further_intervals.py`). *This panel*: these people on new items; *a fresh panel*: new people on new items.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _coverage_goals import FEW_PEOPLE, FRESH_PANEL, MANY_PEOPLE, THIS_PANEL
from _figures import Figure
from _further_intervals import (
    FRESH,
    THIS,
    Held,
    ProgrammeDesign,
    SessionDesign,
    cover_shares,
    hold_cross_entropy,
    hold_independent,
    hold_mean_posterior,
    hold_pooled_changes,
    hold_slope,
    hold_story_mean,
    hold_task_mean,
)
from _panels import Design
from _simulations import Job, Suite, average, judge_share, measure_error, name_figure, run

SEED = 41
Goal = tuple[float, float]
FIVE = Design(name="5 x 100", people=5, items=100, votes=5)
TWENTY = Design(name="20 people, 100 x 3", people=20, items=100, votes=3, level=1.5)
THIRTY = Design(name="30 people, 100 x 5", people=30, items=100, votes=5, level=1.5, people_sd=0.8)
SESSIONS = tuple(
    SessionDesign(people=people, items=40, decline=decline, is_own_order=is_own_order)
    for people in (5, 12, 30)
    for decline, is_own_order in ((0.004, True), (0.0, False))
)
PROGRAMMES = (
    ProgrammeDesign(people=8, votes=8, unit="individual"),
    ProgrammeDesign(people=24, votes=5, unit="individual"),
    ProgrammeDesign(people=24, votes=3, unit="majority"),
)
SHARES = ((0.5, 0.6), (0.7, 0.8), (0.9, 0.95), (0.97, 1.0))
EXACT = (0.92, 1.0)
STORIES = (0.88, 0.98)  # skewed numbers of ten stories cover less than those of many


@dataclass(frozen=True, kw_only=True)
class HeldIntervals(Job):
    """Campaigns of one design, each with the intervals of one measure; a population without a goal is only told."""

    measure: str
    hold: Callable[[np.random.Generator, Any], Held]
    design: Any
    goals: dict[str, Goal]

    def simulate(self, number: int) -> Held:
        """The intervals of one campaign, and what they are to cover."""
        return self.hold(np.random.default_rng([SEED, number, *self.name.encode()]), self.design)

    def summarise(self, found: list[Held]) -> Iterator[Figure]:
        """How often the interval for each population covers; what is true of a fresh panel is the mean of many."""
        for population in found[0]:
            low, high, true = np.array([one[population] for one in found], dtype=np.float64).T
            true = np.full_like(true, true.mean()) if population == FRESH else true
            known = ~np.isnan(low)
            covered = average(((low <= true) & (true <= high))[known])
            name = name_figure(self.name, self.measure, population)
            if population in self.goals:
                sure = measure_error(covered, int(known.sum()))
                yield judge_share(name, covered, self.goals[population], sure=sure)
            else:
                yield Figure(name, covered, "share")


@dataclass(frozen=True, kw_only=True)
class ExactShares(Job):
    """The coverage of the interval of a share of so many independent answers, which needs no simulation."""

    n: int

    def simulate(self, number: int) -> float:
        """The coverage for shares in the range of that number."""
        return cover_shares(self.n, *SHARES[number])

    def summarise(self, found: list[float]) -> Iterator[Figure]:
        """One figure a range of shares."""
        for (least, most), covered in zip(SHARES, found, strict=False):
            name = f"{self.name}, {least:g} to {most:g} right"
            yield judge_share(name_figure(name, "share of independent answers", THIS), covered, EXACT)


def choose_goals(people: int) -> dict[str, Goal]:
    """As for scores."""
    return {THIS: THIS_PANEL, FRESH: FRESH_PANEL if people >= MANY_PEOPLE else FEW_PEOPLE}


def list_jobs() -> Iterator[Job]:
    """Every measure with its designs."""
    measures: tuple[tuple[str, Callable[..., Held], int, tuple[Any, ...]], ...] = (
        ("cross-entropy", hold_cross_entropy, 500, (FIVE, TWENTY, THIRTY)),
        ("slope over a session", hold_slope, 500, SESSIONS),
        ("mean over tasks", hold_task_mean, 500, PROGRAMMES),
    )
    for measure, hold, campaigns, designs in measures:
        for one in designs:
            goals = choose_goals(one.people)
            yield HeldIntervals(name=one.name, campaigns=campaigns, measure=measure, hold=hold, design=one, goals=goals)
    for n in (10, 30, 100, 500):
        yield ExactShares(name=f"{n} answers", campaigns=len(SHARES), n=n)
    for n in (10, 30, 100):
        goals = {THIS: STORIES}
        for measure, hold in (("mean over stories", hold_story_mean), ("changes of all stories", hold_pooled_changes)):
            yield HeldIntervals(name=f"{n} stories", campaigns=800, measure=measure, hold=hold, design=n, goals=goals)
    for one in (FIVE, THIRTY):
        measure = "answers as if independent"
        yield HeldIntervals(name=one.name, campaigns=500, measure=measure, hold=hold_independent, design=one, goals={})
        measure = "mean posterior"
        yield HeldIntervals(
            name=one.name, campaigns=100, measure=measure, hold=hold_mean_posterior, design=one, goals={}
        )


SUITE = Suite(name="further", title="Coverage of all other intervals, nominal level .95", list_jobs=list_jobs)

if __name__ == "__main__":
    sys.exit(run(SUITE))
