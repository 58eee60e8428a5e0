"""The mean over tasks: data sets scored as the tasks of a programme, as single answers and as majorities."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np

from aggregation.comparison.scored_units import ScoredUnit, ScoredUnits, add_point_metrics, sum_scored_units
from aggregation.comparison.task_means import ScoredTask, TaskMean, estimate_task_mean
from aggregation.consensus.consensus import SHARED, TieChoice
from aggregation.errors import HromadaError, Refused
from aggregation.intervals.panel import NO_INTERVAL, NOT_COVERED
from exports.inputs import DataSet

UNITS: tuple[ScoredUnit, ...] = get_args(ScoredUnit)
MARKED_METRICS = "The score of {task} is the mean of {metrics}."
CIRCULAR_TASK = "{task} has no score: its gold was made of its own votes, so people would be scored against themselves."


@dataclass(frozen=True, kw_only=True)
class TaskScores:
    """One task: its items with gold that people met, their number of people, and by unit its metrics' values.

    `n_ties` counts the items on which the majority is tied; `ties_wrong` are its values in which each of them is wrong,
    empty without a tie.
    """

    name: str
    n_items: int
    n_people: int
    values: Mapping[ScoredUnit, Mapping[str, float]]
    n_ties: int = 0
    ties_wrong: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ProgrammeScores:
    """The tasks in the order given, and for each unit the mean over them; `notes` say what is doubtful."""

    tasks: tuple[TaskScores, ...]
    means: Mapping[ScoredUnit, TaskMean]
    simulated: bool
    notes: tuple[str, ...]


def score_tasks(data_sets: Sequence[DataSet], *, tie_choice: TieChoice = SHARED) -> ProgrammeScores:
    """Score data sets as tasks, by the first votes of each item, and estimate the mean over them in both units.

    The score of a task is the mean of the metrics that its project file names, or else the primary one. A person is
    the same in all tasks by pseudonym; items that stand in two tasks are found by `DataSet.text_hashes`. Raises Refused
    where all gold of a task is circular, and HromadaError where a task has no gold or votes, or a metric without a
    mean.
    """
    scored = {data.name: _score_data_set(data, tie_choice) for data in data_sets}
    if len(scored) < len(data_sets):
        names = [data.name for data in data_sets]
        raise HromadaError(
            f"{next(name for name in names if names.count(name) > 1)!r} is named twice.", remedy="Name it once."
        )
    return ProgrammeScores(
        tasks=tuple(_list_task_scores(data, scored[data.name]) for data in data_sets),
        means={unit: _estimate_mean(data_sets, scored, unit) for unit in UNITS},
        simulated=any(data.simulated for data in data_sets),
        notes=(
            *_list_notes(data_sets),
            *_describe_ties(data_sets, scored, tie_choice),
            *_warn_of_shared_items(data_sets, scored),
        ),
    )


def describe_scores(found: ProgrammeScores) -> dict[str, Any]:
    """The scores as JSON: by task the metrics of both units; by unit the mean with its intervals."""
    return {
        "simulated": found.simulated,
        "tasks": [
            {
                "name": task.name,
                "n_items": task.n_items,
                "n_people": task.n_people,
                "values": {unit: _clear_undefined(values) for unit, values in task.values.items()},
                "n_ties": task.n_ties,
                "values_ties_wrong": _clear_undefined(task.ties_wrong),
            }
            for task in found.tasks
        ],
        "means": [{"unit": unit} | _describe_mean(mean) for unit, mean in found.means.items()],
        "notes": list(found.notes),
    }


def _describe_mean(mean: TaskMean) -> dict[str, Any]:
    return {
        "value": None if np.isnan(mean.value) else mean.value,
        "task_values": _clear_undefined(mean.task_values),
        "se": mean.se,
        "ci_low": mean.fresh_panel.low,
        "ci_high": mean.fresh_panel.high,
        "item_only_low": mean.this_panel.low,
        "item_only_high": mean.this_panel.high,
        "n_people": mean.n_people,
        "n_common_people": mean.n_common_people,
        "reason": mean.reason,
    }


def _clear_undefined(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: None if np.isnan(value) else value for name, value in values.items()}


def _score_data_set(data: DataSet, tie_choice: TieChoice) -> ScoredUnits:
    if data.has_circular_gold_alone:
        raise Refused(CIRCULAR_TASK.format(task=data.name), remedy="Name the other projects alone.")
    first = data.keep_first_places()
    try:
        scored = sum_scored_units(first.build_answers(), first.build_skips(), tie_choice=tie_choice)
    except HromadaError as error:
        raise HromadaError(
            f"{data.name}: {error.problem}", remedy=error.remedy or "Leave it out.", where=error.where
        ) from None
    if any(name not in scored.metrics for name in data.metrics):
        scored = add_point_metrics(scored, first.build_answers().votes)
    missing = [name for name in data.metrics if name not in scored.metrics]
    if missing:
        raise HromadaError(
            f"{data.name} has no score by {missing[0]}.",
            remedy=f"Name others under `metrics`: {', '.join(scored.metrics)}.",
        )
    return scored


def _list_metrics(data: DataSet, scored: ScoredUnits) -> tuple[str, ...]:
    """The metrics whose mean is the score of the task."""
    return tuple(dict.fromkeys(data.metrics)) or (scored.primary,)


def _list_task_scores(data: DataSet, scored: ScoredUnits) -> TaskScores:
    return TaskScores(
        name=data.name,
        n_items=len(scored.scored.gold),
        n_people=len(scored.scored.annotator_ids),
        values={
            unit: {name: scored.measure(unit, name).value for name in _list_metrics(data, scored)} for unit in UNITS
        },
        n_ties=scored.majority.n_ties,
        ties_wrong=_score_ties_wrong(data, scored),
    )


def _score_ties_wrong(data: DataSet, scored: ScoredUnits) -> dict[str, float]:
    """The majority's metrics with ties wrong; none without a tie."""
    other = scored.majority.count_ties_wrong()
    if other is None:
        return {}
    return {name: float(scored.metrics[name].compute(other.sums)[0]) for name in _list_metrics(data, scored)}


def _describe_ties(
    data_sets: Sequence[DataSet], scored: Mapping[str, ScoredUnits], tie_choice: TieChoice
) -> Iterator[str]:
    """How ties are scored, and the mean of the majority with ties wrong, where anything ties."""
    tasks = [_list_task_scores(data, scored[data.name]) for data in data_sets]
    n_ties = sum(task.n_ties for task in tasks)
    if n_ties:
        means = [np.mean(list((task.ties_wrong or task.values["majority"]).values())) for task in tasks]
        yield f"Ties of the majority: {n_ties}, {tie_choice.ties}. With ties wrong its mean is {np.mean(means):.4f}."


def _estimate_mean(data_sets: Sequence[DataSet], scored: Mapping[str, ScoredUnits], unit: ScoredUnit) -> TaskMean:
    tasks = [_build_task(data, scored[data.name], unit) for data in data_sets]
    mean = estimate_task_mean(tasks)
    if unit == "majority" and not all(metric.covers_majority for task in tasks for metric in task.metrics):
        return replace(mean, fresh_panel=NO_INTERVAL, this_panel=NO_INTERVAL, se=None, reason=NOT_COVERED)
    return mean


def _build_task(data: DataSet, scored: ScoredUnits, unit: ScoredUnit) -> ScoredTask:
    measure = scored.measure(unit)
    metrics = tuple(scored.metrics[name] for name in _list_metrics(data, scored))
    people = [str(name) for name in measure.people]
    return ScoredTask(
        name=data.name,
        metrics=metrics,
        contributions=measure.contributions,
        annotators=people,
        share=scored.metrics[scored.primary],
    )


def _list_notes(data_sets: Sequence[DataSet]) -> list[str]:
    notes = [
        MARKED_METRICS.format(task=data.name, metrics=" and ".join(dict.fromkeys(data.metrics)))
        for data in data_sets
        if len(set(data.metrics)) > 1
    ]
    partly = [data.name for data in data_sets if data.has_circular_gold]
    if partly:
        notes.append(f"{', '.join(partly)}: items whose gold was made of the project's own votes are left out.")
    return notes


def _warn_of_shared_items(data_sets: Sequence[DataSet], scored: Mapping[str, ScoredUnits]) -> Iterator[str]:
    """A warning where tasks share a named group of items, or an item's text: they are not independent then."""
    by_group: dict[str, list[str]] = defaultdict(list)
    by_text: dict[str, list[str]] = defaultdict(list)
    for data in data_sets:
        scored_items = set(scored[data.name].scored.gold.index)
        rows = data.items.loc[data.items["item_id"].isin(scored_items), ["item_id", "group"]]
        for group in {str(group) for item, group in rows.itertuples(index=False) if group != item}:
            by_group[group].append(data.name)
        for text in {data.text_hashes[item] for item in rows["item_id"] if item in data.text_hashes}:
            by_text[text].append(data.name)
    for what, found in (("groups of items", by_group), ("texts of items", by_text)):
        shared = {name: tasks for name, tasks in found.items() if len(tasks) > 1}
        if shared:
            tasks = sorted({task for own in shared.values() for task in own})
            named = f" (the first: {min(shared)})" if found is by_group else ""
            yield (
                f"In several of the tasks {', '.join(tasks)} are the same {what}: {len(shared)}{named}. Tasks are taken"
                " as independent, so both intervals are too narrow."
            )
