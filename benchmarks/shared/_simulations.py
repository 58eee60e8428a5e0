"""The main of every benchmark that simulates campaigns: arguments, processes, progress, figures and processor time."""

from __future__ import annotations

import argparse
import multiprocessing
import multiprocessing.pool
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from _figures import Figure, end, tell

CHUNK = 20  # campaigns that a process simulates at a time
PROCESSOR_TIME, MOST_MINUTES = "processor time", 50  # of all: under 30 minutes on two cores
QUICK = 20  # the part of the campaigns that --quick simulates


@dataclass(frozen=True, kw_only=True)
class Job:
    """The campaigns of one design. Each has a generator of its own, so that neither chunks nor processes matter."""

    name: str
    campaigns: int

    @cached_property
    def known(self) -> Any:
        """What is found once, before any campaign."""
        return None

    def simulate(self, number: int) -> Any:
        """What is kept of the campaign of that number."""
        raise NotImplementedError

    def summarise(self, found: list[Any]) -> Iterable[Figure]:
        """The figures of all campaigns; their names are joined by `name_figure`."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Suite:
    """What one benchmark simulates: the name of its table, what that has, and its jobs."""

    name: str
    title: str
    list_jobs: Callable[[], Iterable[Job]]


def name_figure(*parts: str) -> str:
    """The name of a figure: the design, then the places of its cell in the table."""
    return " | ".join(parts)


def judge_share(name: str, share: float, goal: tuple[float, float], *, sure: float = 0.0) -> Figure:
    """A share with its goal, which it may miss by `sure`, what chance does to it."""
    low, high = goal
    return Figure(name, share, "share", f"{low:.2f}-{high:.2f}", low - sure <= share <= high + sure)


def measure_error(share: float, n: int) -> float:
    """Twice the standard error of a share that `n` simulated campaigns show."""
    return float(2 * (share * (1 - share) / n) ** 0.5)


def average(values: Iterable[Any]) -> float:
    """The mean, as a float."""
    return float(np.mean(list(values)))


Cell = tuple[str, str]
"""The column of a table and the population."""


@dataclass(frozen=True, kw_only=True)
class CoveredDesign(Job):
    """Campaigns that each say which of their intervals cover; `goals` are those of populations."""

    cover: Callable[[int], Mapping[Cell, bool]]
    goals: Mapping[str, tuple[float, float]]

    def simulate(self, number: int) -> Mapping[Cell, bool]:
        """Which intervals of one campaign cover."""
        return self.cover(number)

    def summarise(self, found: list[Mapping[Cell, bool]]) -> Iterator[Figure]:
        """One figure a column and population."""
        for (column, population), covered in average_coverage(found).items():
            name = name_figure(self.name, column, population)
            yield judge_share(name, covered, self.goals[population], sure=measure_error(covered, len(found)))


def average_coverage(found: Sequence[Mapping[Cell, bool]]) -> dict[Cell, float]:
    """How often each interval covers, in the campaigns that have it."""
    cells = dict.fromkeys(cell for one in found for cell in one)
    return {cell: average(one[cell] for one in found if cell in one) for cell in cells}


def run(*suites: Suite) -> int:
    """Simulate the suites and print their figures; ends with 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=suites[0].title)
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the campaigns, held against no goal")
    parser.add_argument("--only", default="", help="the designs whose names contain this text")
    parser.add_argument("--processes", type=int, default=2, help="how many share the work (2)")
    given = parser.parse_args()
    made = []
    several = given.processes > 1
    with multiprocessing.Pool(given.processes) if several else nullcontext() as pool:
        for suite in suites:
            made += tell(suite.title, _measure(suite, pool, only=given.only, quick=given.quick))
    if len(suites) > 1:
        minutes = sum(figure.value for figure in made if figure.figure.endswith(PROCESSOR_TIME))
        goal = f"<= {MOST_MINUTES}"
        made += tell("In all", [Figure(PROCESSOR_TIME, minutes, "min", goal, given.quick or minutes <= MOST_MINUTES)])
    end(made)
    return 0


def _measure(suite: Suite, pool: multiprocessing.pool.Pool | None, *, only: str, quick: bool) -> Iterator[Figure]:
    """The figures of a suite as they come, and what all of it took."""
    jobs = [job for job in suite.list_jobs() if only in job.name]
    start, of_workers = time.process_time(), 0.0
    for place, job in enumerate(jobs, start=1):
        n = -(-job.campaigns // QUICK) if quick else job.campaigns
        _ = job.known  # before the job goes to processes, which then all have it
        chunks = [(job, range(first, min(first + CHUNK, n))) for first in range(0, n, CHUNK)]
        found: list[Any] = []
        for seconds, rows in pool.imap(_simulate, chunks) if pool else map(_simulate, chunks):
            of_workers += seconds if pool else 0.0
            found += rows
            sys.stderr.write(
                f"\r{suite.name}, {place} of {len(jobs)}: {job.name}, {len(found)} of {n} campaigns \033[K"
            )
        for figure in job.summarise(found):
            holds = None if quick else figure.holds
            yield replace(figure, figure=f"{suite.name}: {figure.figure}", holds=holds)
    sys.stderr.write("\n")
    minutes = (time.process_time() - start + of_workers) / 60
    yield Figure(f"{suite.name}: {PROCESSOR_TIME}", minutes, "min")


def _simulate(chunk: tuple[Job, range]) -> tuple[float, list[Any]]:
    """The processor time of some campaigns, and what is kept of them."""
    job, numbers = chunk
    start = time.process_time()
    rows = [job.simulate(number) for number in numbers]
    return time.process_time() - start, rows
