"""The mean score over the tasks of a programme, with intervals that know which people answered several of its tasks.

A task with several metrics counts once, by their mean, as GLUE and Russian SuperGLUE do. The variance is that of
`panel_variance` with one difference: tasks have items of their own, whose terms add up, but what a person adds to the
mean is summed over all tasks before it is squared. Somebody skilled is skilled everywhere, so tasks that the same
people answered vary together, and an interval made of each task's own would be too narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from aggregation.errors import HromadaError
from aggregation.findings import Finding, get_code, join_findings
from aggregation.intervals.few_errors import FEW_ERRORS, End, name_few
from aggregation.intervals.panel import (
    NO_INTERVAL,
    SMALLEST_VARIANCE,
    Contributions,
    Metric,
    Scale,
    build_interval,
    compute_gradient,
    count_items_df,
    estimate_intervals,
    measure_items,
)
from aggregation.intervals.resampling import FEWEST_GROUPS
from aggregation.intervals.shares import Interval
from aggregation.schema import Codes, Floats

FEW_PEOPLE = ("few-people-panel", "few-people-refitted")
"""The code of the reason with which only the interval for a fresh panel is missing."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredTask:
    """One task: its metrics, and what its items and people contribute to their common column sums.

    `annotators` are the pseudonyms of the people by their codes in `contributions`, the same ones in every task.
    `share` is the metric of the share of right answers.
    """

    name: str
    metrics: tuple[Metric, ...]
    contributions: Contributions
    annotators: Sequence[str]
    share: Metric

    @property
    def mean_metric(self) -> Metric:
        """The mean of the task's metrics."""
        scales = {metric.scale for metric in self.metrics}
        return Metric(
            compute=lambda sums: np.mean([metric.compute(sums) for metric in self.metrics], axis=0),
            scale=next(iter(scales)) if len(scales) == 1 else "correlation" if "correlation" in scales else "fraction",
            carry=self._carry_share,
        )

    def _carry_share(self, columns: Floats, value: float, end: End) -> float:
        share = Interval(low=value, high=value)
        return float(np.mean([metric.carry_share(columns, share, end) for metric in self.metrics]))


@dataclass(frozen=True, kw_only=True)
class TaskMean:
    """The mean over tasks: `task_values` by name, `value`, and intervals for a fresh panel and for this panel.

    `se` is the standard error for a fresh panel. `n_common_people` is the number of people who answered two tasks or
    more. `reason` says why an interval is missing.
    """

    task_values: dict[str, float]
    value: float
    fresh_panel: Interval
    this_panel: Interval
    se: float | None
    n_people: int
    n_common_people: int
    reason: str


def estimate_task_mean(tasks: Sequence[ScoredTask], *, confidence_level: float = 0.95) -> TaskMean:
    """The mean over tasks of the mean of their metrics, with both intervals; every task counts the same.

    V_items = Σ_t V_items,t / T²; V_people = A/(A-1) · Σ_j (Σ_t Σ_i e_ijt)² / T² over all A people, V_cell like that of
    one task; V = V_items + max(0, V_people - V_cell), with Satterthwaite's degrees of freedom. All tasks are of one
    unit (single answers, or majorities). Items of different tasks are taken as independent, so a group of items should
    not be in two of them. Where few items of all tasks have an error, the interval holds the mean of the tasks' own
    ends as well. Raises HromadaError if there is no task, a name occurs twice or a task counts errors.
    """
    _check_tasks(tasks)
    values = {task.name: float(task.mean_metric.compute(task.contributions.sums)[0]) for task in tasks}
    value = float(np.mean(list(values.values())))
    people = sorted({who for task in tasks for who in task.annotators})
    n_common = int((_count_tasks(tasks, people) > 1).sum())
    fresh = this = NO_INTERVAL
    se: float | None = None
    reason = _explain_missing(tasks, value, n_people=len(people))
    if not reason or get_code(reason) in FEW_PEOPLE:
        items = [_estimate_items(task) for task in tasks]
        v_items = sum(part for part, _ in items) / len(tasks) ** 2
        items_over_df = sum(part**2 / df for part, df in items) / len(tasks) ** 4
        scale: Scale = "difference" if any(task.mean_metric.scale == "correlation" for task in tasks) else "fraction"
        this = _build_interval(value, v_items, items_over_df, scale=scale, confidence_level=confidence_level)
        if not reason:
            v_people = _estimate_people(tasks, people)
            over_df = items_over_df + v_people**2 / (len(people) - 1)
            fresh = _build_interval(value, v_items + v_people, over_df, scale=scale, confidence_level=confidence_level)
            se = (v_items + v_people) ** 0.5
        few = name_few(np.concatenate([_list_shares(task) for task in tasks]))
        if few != "none-varies" or this.low is None:
            this, fresh = _widen(this, fresh, tasks, confidence_level=confidence_level, is_fresh=not reason)
            reason = join_findings(Finding(f"{few}-items", least=FEW_ERRORS), reason)
            se = se if v_items >= SMALLEST_VARIANCE else None
    return TaskMean(
        task_values=values,
        value=value,
        fresh_panel=fresh,
        this_panel=this,
        se=se,
        n_people=len(people),
        n_common_people=n_common,
        reason=reason,
    )


def _list_shares(task: ScoredTask) -> Floats:
    """The share of right answers of each group of the task's items."""
    sums, of_groups = task.contributions.group_sums
    return np.asarray(task.share.compute(sums)[of_groups], dtype=np.float64)


def _widen(
    this: Interval, fresh: Interval, tasks: Sequence[ScoredTask], *, confidence_level: float, is_fresh: bool
) -> tuple[Interval, Interval]:
    """Both intervals of the mean (of this panel, of a fresh one), widened to the mean ends of the tasks' own."""
    made = [
        estimate_intervals(task.mean_metric, task.contributions, confidence_level=confidence_level, share=task.share)
        for task in tasks
    ]
    this = _join_ends(this, [one.this_panel for one in made])
    own = [one.this_panel if one.fresh_panel.low is None else one.fresh_panel for one in made]
    return this, _join_ends(fresh, own) if is_fresh else NO_INTERVAL


def _join_ends(interval: Interval, own: Sequence[Interval]) -> Interval:
    ends = np.array([(one.low, one.high) for one in own], dtype=np.float64).mean(axis=0)
    low, high = float(ends[0]), float(ends[1])
    return Interval(
        low=low if interval.low is None else min(low, interval.low),
        high=high if interval.high is None else max(high, interval.high),
    )


def _estimate_items(task: ScoredTask) -> tuple[float, float]:
    """V_items of a task's mean metric, and its degrees of freedom."""
    metric, contributions = task.mean_metric, task.contributions
    of_groups = measure_items(metric, contributions, compute_gradient(metric, contributions.sums[0]))
    return float((of_groups**2).sum()), count_items_df(metric, contributions, of_groups)


def _estimate_people(tasks: Sequence[ScoredTask], people: Sequence[str]) -> float:
    """V_people less V_cell of the mean over tasks, 0 where it is negative."""
    numbers = {who: number for number, who in enumerate(people)}
    of_people, v_cell = np.zeros(len(people)), 0.0
    for task in tasks:
        contributions = task.contributions
        effects = _measure_votes(task) / len(tasks)
        own: Codes = np.array([numbers[who] for who in task.annotators], dtype=np.intp)
        of_people += np.bincount(own[contributions.people], weights=effects, minlength=len(people))
        cells = contributions.groups[contributions.items] * contributions.n_people + contributions.people
        of_cells = np.bincount(np.unique(cells, return_inverse=True)[1], weights=effects)
        v_cell += contributions.cell_factor * float((of_cells**2).sum())
    is_remade = tasks[0].contributions.people_factor < 1  # see `Contributions`
    factor = (len(people) - 1) / len(people) if is_remade else len(people) / (len(people) - 1)
    return max(0.0, factor * float((of_people**2).sum()) - v_cell)


def _measure_votes(task: ScoredTask) -> Floats:
    """What each vote changes of the task's mean metric, centred over its votes."""
    contributions = task.contributions
    gradient = compute_gradient(task.mean_metric, contributions.sums[0])
    effects = (contributions.changes @ gradient)[contributions.change]
    return np.asarray(effects - effects.mean(), dtype=np.float64)


def _build_interval(
    value: float, variance: float, variance_over_df: float, *, scale: Scale, confidence_level: float
) -> Interval:
    """The interval with Satterthwaite's degrees of freedom V² / Σ (V_part² / df_part)."""
    if variance < SMALLEST_VARIANCE:
        return NO_INTERVAL
    quantile = float(stdtrit(variance**2 / variance_over_df, (1 + confidence_level) / 2))
    return build_interval(value, variance, scale=scale, quantile=quantile, n=1)


def _count_tasks(tasks: Sequence[ScoredTask], people: Sequence[str]) -> NDArray[np.intp]:
    """In how many tasks each of the people gave a vote."""
    answered = [{task.annotators[code] for code in np.unique(task.contributions.people)} for task in tasks]
    return np.array([sum(person in panel for panel in answered) for person in people], dtype=np.intp)


def _explain_missing(tasks: Sequence[ScoredTask], value: float, *, n_people: int) -> str:
    """Why there is no interval, or none for a fresh panel; empty where there are both."""
    if np.isnan(value):
        undefined = next(t.name for t in tasks if np.isnan(t.mean_metric.compute(t.contributions.sums)[0]))
        return f"No mean: the score of {undefined} is undefined."
    for task in tasks:
        if task.contributions.n_groups < FEWEST_GROUPS:
            units = f"{task.contributions.n_groups} items or groups of them"
            return f"No interval: the {units} of {task.name} are fewer than {FEWEST_GROUPS}."
    largest = max((task.contributions for task in tasks), key=lambda one: one.fewest_people)
    code, fewest = FEW_PEOPLE[largest.is_refitted], largest.fewest_people
    return Finding(code, n=n_people, least=fewest) if n_people < fewest else ""


def _check_tasks(tasks: Sequence[ScoredTask]) -> None:
    names = [task.name for task in tasks]
    if not names:
        raise HromadaError("There is no task to average.", remedy="Give the scores of at least one.")
    for task in tasks:
        if names.count(task.name) > 1:
            raise HromadaError(f"Two tasks are called {task.name!r}.", remedy="Rename one.")
        if any(metric.scale in ("errors", "difference") for metric in task.metrics):
            raise HromadaError(
                f"{task.name} counts errors or differences, which have no mean with scores.", remedy="Leave it out."
            )
