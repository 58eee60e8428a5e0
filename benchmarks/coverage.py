"""How often the published intervals of scores cover what they are to cover, by simulation.

    python benchmarks/coverage.py [--json] [--quick] [--only NAME]

Each design is simulated 2,000 times (1,000 where skills follow another law than the normal one, 600 where people are
nearly perfect, 300 where Dawid-Skene is refitted) from a fixed seed, and scored by the code that scores a project.
*This panel*: the score of the same people on new items; *a fresh panel*: that of new people on new items. A campaign
without an interval (MCC of answers that never vary) does not count; its share is told. Where a few people gave most
answers, as in rte, or a tenth of the people answer at random, the interval for a fresh panel is too narrow, and files
say so: these designs are held against the range that they state. Nearly perfect people have an interval in every
campaign, and three of them none for a fresh panel. `--quick` simulates a twentieth; `--only` the designs whose names
contain the text. `--json` prints one object a line: figure, value, unit, goal, holds; of these
`docs/explanation/list_coverage.py` makes the tables of intervals.md. Two processes share the work; it takes about 20
minutes on two cores.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import multiprocessing.pool
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _answer_panels import ANSWER_TYPES, simulate_answers
from _coverage_goals import (
    CAMPAIGNS,
    CEILING,
    CEILING_CAMPAIGNS,
    CEILING_PANEL,
    CHUNK,
    LABELS,
    MIXED,
    MIXED_CAMPAIGNS,
    MIXED_PANEL,
    NEARLY_RIGHT,
    RTE,
    THIS_PANEL,
    choose_goal,
    judge_coverage,
)
from _figures import Figure, end, tell
from _panels import Campaign, Design, simulate_labels
from _refitted_panels import simulate_refits

from aggregation.intervals.panel import FEWEST_PEOPLE
from aggregation.schema import Floats

REFITTED_CAMPAIGNS = 300
PERFECT_CAMPAIGNS = 60  # all alike: everybody is always right
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
class Series:
    """The campaigns of one design: their number, what simulates one of them from a generator, this panel's goal."""

    name: str
    people: int
    campaigns: int
    simulate: Callable[[np.random.Generator], Campaign]
    this_panel: tuple[float, float] = THIS_PANEL


@dataclass(frozen=True, kw_only=True)
class Simulator:
    """A simulating function with its design and, for answers that are no labels, their type; it can be pickled."""

    function: Callable[..., Campaign]
    arguments: tuple[object, ...]

    def __call__(self, rng: np.random.Generator) -> Campaign:
        """One campaign."""
        return self.function(rng, *self.arguments)


def list_series() -> list[Series]:
    """Every design with what is simulated of it."""
    series = [
        Series(
            name=one.name,
            people=one.people,
            campaigns=campaigns if math.isfinite(one.level) else PERFECT_CAMPAIGNS,
            simulate=Simulator(function=simulate_labels, arguments=(one,)),
            this_panel=CEILING_PANEL if one.name in NEARLY_RIGHT else goal,
        )
        for designs, campaigns, goal in (
            (LABELS, CAMPAIGNS, THIS_PANEL),
            (MIXED, MIXED_CAMPAIGNS, MIXED_PANEL),
            (CEILING, CEILING_CAMPAIGNS, CEILING_PANEL),
        )
        for one in designs
    ]
    series += [
        Series(
            name=f"{one.name}, Dawid-Skene",
            people=one.people,
            campaigns=REFITTED_CAMPAIGNS,
            simulate=Simulator(function=simulate_refits, arguments=(one,)),
        )
        for one in REFITTED
    ]
    series += [
        Series(
            name=f"{one.name}, {'four labels' if kind == 'label' else kind}",
            people=one.people,
            campaigns=CAMPAIGNS,
            simulate=Simulator(function=simulate_answers, arguments=(one, kind)),
        )
        for one in ANSWERS
        for kind in ANSWER_TYPES
    ]
    return series


def main() -> int:
    """Simulate all designs and print the coverage; ends with 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the campaigns")
    parser.add_argument("--only", default="", help="the designs whose names contain this text")
    given = parser.parse_args()
    series = [one for one in list_series() if given.only in one.name]
    with multiprocessing.Pool(2) as pool:
        figures = (
            figure
            for number, one in enumerate(series, start=1)
            for figure in measure_series(one, pool, quick=given.quick, place=f"{number} of {len(series)}")
        )
        end(tell("Coverage of intervals with the nominal level .95", figures))
    return 0


def measure_series(series: Series, pool: multiprocessing.pool.Pool, *, quick: bool, place: str) -> Iterator[Figure]:
    """Simulate a design and compare each interval with what it is to cover; a quick run is held against no goal."""
    n_campaigns = series.campaigns // 20 if quick else series.campaigns
    chunks = [(series, range(start, min(start + CHUNK, n_campaigns))) for start in range(0, n_campaigns, CHUNK)]
    campaigns: list[Campaign] = []
    for chunk in pool.imap(simulate_chunk, chunks):
        campaigns += chunk
        sys.stderr.write(f"\r{place}: {series.name}, {len(campaigns)} of {n_campaigns} campaigns ")
    sys.stderr.write("\n")
    fresh = average_fresh(campaigns)
    goal = choose_goal(series.name, series.people)
    for unit, metric in campaigns[0].intervals:
        name = f"{series.name}: {unit} {metric}"
        scores = [one.intervals[unit, metric] for one in campaigns]
        own = [one.panel[unit][metric] for one in campaigns]
        this = list_ends(
            [(score.item_only_low, score.item_only_high, value) for score, value in zip(scores, own, strict=True)]
        )
        other = list_ends([(score.ci_low, score.ci_high, fresh[unit][metric]) for score in scores])
        if len(this) < len(scores):
            yield Figure(f"{name}, without interval", 1 - len(this) / len(scores), "share")
        if len(other) and series.people < FEWEST_PEOPLE:
            yield Figure(f"{name}, of too few people", len(other) / len(scores), "share", goal="0", holds=False)
        if len(this):
            yield judge_coverage(f"{name}, this panel", measure_coverage(this), series.this_panel, is_held=not quick)
        if len(other):
            yield judge_coverage(f"{name}, a fresh panel", measure_coverage(other), goal, is_held=not quick)
            yield Figure(f"{name}, width for a fresh panel", float(np.mean(other[:, 1] - other[:, 0])), "")


def simulate_chunk(chunk: tuple[Series, range]) -> list[Campaign]:
    """Some campaigns of a design; each has a generator of its own, so that chunks change no number."""
    series, numbers = chunk
    key = [SEED, *series.name.encode()]
    return [series.simulate(np.random.default_rng([*key, number])) for number in numbers]


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


if __name__ == "__main__":
    sys.exit(main())
