"""How often the intervals of ratings, preferences and model judges cover, by simulation.

    python benchmarks/opinion_coverage.py [--json] [--quick] [--only NAME] [--processes N]

Each design is simulated CAMPAIGNS times from a fixed seed and measured by the code that measures a project. The truths
are exact, or of samples so large that they are sure to .002 (`shared/_rated_campaigns.py`, `_compared_campaigns.py`,
`_judged_campaigns.py`). *This panel*: the same people on new items; *a fresh panel*: new people on new items. Places
count as covered where all systems are within theirs, and strengths are averaged over the systems. The table of points
has every metric against gold for a fresh panel.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _compared_campaigns import MODELS, hold_strengths, hold_win_rate
from _coverage_goals import THIS_PANEL
from _figures import Figure
from _judged_campaigns import hold_corrected_share, hold_judge, hold_length_slope, hold_powered_mean
from _opinion_designs import FRESH, THIS, Held, OpinionDesign
from _rated_campaigns import (
    PointsTruth,
    find_true_points,
    hold_difference,
    hold_icc,
    hold_opinion,
    hold_points,
    hold_severity,
)
from _simulations import Job, Suite, judge_share, measure_error, name_figure, run

CAMPAIGNS = 500
SEED = 40
FEW = 10  # under so many people a fresh panel is held against a lower goal
LEAST, LEAST_OF_FEW, MOST = 0.90, 0.88, 1.0
ROUNDING = 1e-9


def design(people: int, items: int, votes: int, note: str = "", *, group_size: int = 1) -> OpinionDesign:
    """A design in one line."""
    return OpinionDesign(people=people, items=items, votes=votes, note=note, group_size=group_size)


OPINIONS = (
    design(5, 100, 5), design(8, 100, 8), design(30, 100, 5), design(111, 300, 3), design(20, 200, 3),
    design(20, 200, 5, group_size=10),
)  # fmt: skip
DIFFERENCES = (
    design(8, 100, 8, "same people"), design(30, 100, 5, "same people"), design(30, 100, 5, "apart"),
    design(60, 100, 5, "apart"), design(20, 200, 5, "same people", group_size=10),
)  # fmt: skip
TABLES = tuple(
    design(people, items, people, f"{spread}{shape}")
    for people, items in ((3, 30), (5, 50), (8, 100))
    for spread in ("", "severe ")
    for shape in ("normal", "rounded")
)
SEVERITIES = (design(8, 60, 8), design(20, 200, 3))
POINTS = (
    design(8, 60, 8), design(20, 60, 3), design(30, 60, 5), design(8, 100, 8), design(30, 100, 5), design(111, 300, 3),
    design(20, 200, 5, group_size=10),
)  # fmt: skip
WIN_RATES = (
    design(5, 100, 5), design(8, 60, 8), design(30, 100, 5), design(111, 300, 3), design(20, 200, 3, "w .9"),
    design(20, 200, 3, "half ties"), design(20, 200, 5, group_size=10),
)  # fmt: skip
STRENGTHS = (
    design(8, 60, 8, "4 systems"), design(20, 120, 5, "4 systems"), design(60, 300, 3, "4 systems"),
    design(20, 240, 5, "4 systems far apart"), design(20, 240, 5, "4 systems", group_size=10),
    design(8, 60, 8, "4 equal systems"), design(20, 120, 5, "4 equal systems"),
)  # fmt: skip
JUDGES = (
    design(3, 50, 3), design(3, 200, 3), design(6, 100, 6), design(12, 100, 12), design(12, 200, 4),
    design(8, 60, 8), design(12, 200, 6, group_size=10),
)  # fmt: skip
MEANS = (
    design(20, 100, 3), design(8, 100, 8), design(30, 200, 5), design(200, 200, 1), design(20, 200, 5, group_size=10)
)  # fmt: skip
SHARES = (design(200, 200, 1), design(20, 100, 3))
SLOPES = (design(8, 100, 8), design(12, 200, 3), design(30, 300, 3), design(12, 200, 4, group_size=10))

FOUND: Mapping[str, tuple[tuple[OpinionDesign, ...], tuple[float, ...]]] = {
    "mean opinion": (OPINIONS, (0.91, 0.93, 0.93, 0.95, 0.96)),
    "difference of systems": (DIFFERENCES, (0.95, 0.96, 0.98, 0.97)),
    "win rate": (WIN_RATES, (0.93, 0.90, 0.95, 0.94, 0.97, 0.94)),
    "Bradley–Terry strength": (STRENGTHS, (0.93, 0.94, 0.95, 0.94)),
    "single answers rmse": (POINTS[3:], (0.89, 0.93, 0.96)),
    "mean kendall_tau_b": (POINTS, (0.97,)),
    "mean pearson": (POINTS[2:], (0.95,)),
    "mean kappa_quadratic": (POINTS[2:], (0.95,)),
}
RANGES: Mapping[str, tuple[tuple[OpinionDesign, ...], tuple[float, float]]] = {
    "ICC(A,1)": (TABLES, (0.938, 0.953)),
    "ICC(C,1)": (TABLES, (0.944, 0.956)),
    "mean spearman": (POINTS[:3], (0.95, 0.97)),
    "mean mae": (POINTS[:3], (0.95, 0.98)),
    "mean rmse": (POINTS[:3], (0.96, 0.99)),
    "single answers pearson": (POINTS[3:6], (0.94, 0.96)),
    "single answers kappa_quadratic": (POINTS[3:6], (0.94, 0.95)),
    "agreement difference": (JUDGES[:6], (0.96, 0.99)),
    "advantage": (JUDGES[:6], (0.95, 0.96)),
    "prediction-powered mean": (MEANS[:4], (0.93, 0.97)),
}
REFERENCE: Mapping[tuple[str, str], tuple[float, float]] = {
    (one.name, interval): (share, share)
    for interval, (designs, shares) in FOUND.items()
    for one, share in zip(designs, shares, strict=False)
} | {(one.name, interval): shares for interval, (designs, shares) in RANGES.items() for one in designs}
"""What an independent simulation found, with effects of its own; these cells are within .03 of it."""
NAMED = {
    f"{model} {what}": f"{name} {shown}"
    for model, name in zip(MODELS, ("Bradley–Terry", "Davidson"), strict=True)
    for what, shown in (*((system, "strength") for system in "abcdef"), ("places", "places"))
}
"""Intervals that share a row."""


@dataclass(frozen=True, kw_only=True)
class OpinionIntervals(Job):
    """Campaigns of one design, each with some intervals."""

    hold: Callable[[np.random.Generator, OpinionDesign], Held]
    design: OpinionDesign

    def simulate(self, number: int) -> Held:
        """The intervals of one campaign, and what they are to cover."""
        return self.hold(np.random.default_rng([SEED, number, *self.name.encode()]), self.design)

    def summarise(self, found: list[Held]) -> Iterator[Figure]:
        """How often each interval covers in the campaigns that have it."""
        rows: dict[tuple[str, str], list[float]] = {}
        for key in dict.fromkeys(key for one in found for key in one):
            ends = np.array([one[key] for one in found if key in one], dtype=np.float64)
            rows.setdefault((NAMED.get(key[0], key[0]), key[1]), []).append(_measure(ends))
        for (measure, population), shares in rows.items():
            covered = float(np.mean(shares))
            goal = THIS_PANEL if population == THIS else choose_goal(self.design.people)
            yield judge_share(
                name_figure(self.name, measure, population), covered, goal, sure=measure_error(covered, len(found))
            )


@dataclass(frozen=True, kw_only=True)
class PointScores(Job):
    """Campaigns of one design with gold points: a row for each unit, a column for each metric."""

    design: OpinionDesign

    @cached_property
    def known(self) -> PointsTruth:
        """What is true of the design."""
        return find_true_points(self.design)

    def simulate(self, number: int) -> Held:
        """The intervals of one campaign, and what they are to cover."""
        return hold_points(np.random.default_rng([SEED, number, *self.name.encode()]), self.design, self.known)

    def summarise(self, found: list[Held]) -> Iterator[Figure]:
        """How often each interval covers."""
        for unit, metric in found[0]:
            covered = _measure(np.array([one[unit, metric] for one in found], dtype=np.float64))
            sure = measure_error(covered, len(found))
            name = name_figure(self.name, unit, metric, FRESH)
            yield judge_share(name, covered, choose_goal(self.design.people), sure=sure)


def _measure(ends: Any) -> float:
    """The share of rows (low, high, true) that hold the truth, of those with an interval."""
    low, high, true = ends[~np.isnan(ends[:, 0])].T
    return float(np.mean((low - ROUNDING <= true) & (true <= high + ROUNDING)))


def choose_goal(people: int) -> tuple[float, float]:
    """What the coverage of a fresh panel is held against."""
    return (LEAST_OF_FEW if people < FEW else LEAST), MOST


def list_jobs() -> Iterator[Job]:
    """Every interval with its designs."""
    every: tuple[tuple[Callable[..., Held], tuple[OpinionDesign, ...]], ...] = (
        (hold_opinion, OPINIONS),
        (hold_difference, DIFFERENCES),
        (hold_icc, TABLES),
        (hold_severity, SEVERITIES),
        (hold_win_rate, WIN_RATES),
        (hold_strengths, STRENGTHS),
        (hold_judge, JUDGES),
        (hold_powered_mean, MEANS),
        (hold_corrected_share, SHARES),
        (hold_length_slope, SLOPES),
    )
    for hold, designs in every:
        for one in designs:
            yield OpinionIntervals(name=one.name, campaigns=CAMPAIGNS, hold=hold, design=one)
    for one in POINTS:
        yield PointScores(name=one.name, campaigns=CAMPAIGNS, design=one)


SUITE = Suite(
    name="opinions", title="Coverage of ratings, preferences and judges, nominal level .95", list_jobs=list_jobs
)

if __name__ == "__main__":
    sys.exit(run(SUITE))
