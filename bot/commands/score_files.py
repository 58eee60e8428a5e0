"""The scores of systems on tasks from a file, a row for each system, task and metric, as `hromada results --to` has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from annotation.errors import BadInput, Where
from annotation.input_files import FileRow, format_columns
from annotation.loading.tables.delimited import read_delimited

if TYPE_CHECKING:
    import pandas as pd

NEEDED = ("model", "task", "value")


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreTable:
    """Scores, systems × tasks in the order of the file, nan where there is none; the group of each task, if any has.

    Of a task with several metrics they are averaged first; it has no score where one of them has none.
    """

    scores: pd.DataFrame
    groups: dict[str, str]
    averaged: dict[str, list[str]]


ERRORS = ("wer", "cer", "wer_corpus", "cer_corpus")
"""The metrics of which less is better: a ranking would turn them upside down."""


def read_scores(file: Path) -> ScoreTable:
    """Read a CSV or TSV with the columns model, task, value, and metric and group if there are any; raises BadInput.

    An empty value, or no row, is a missing score.
    """
    import pandas as pd

    values: dict[tuple[str, str, str], float] = {}
    lines: dict[tuple[str, str, str], int] = {}
    groups: dict[str, tuple[str, FileRow]] = {}
    for row in read_delimited(file):
        _require_score_columns(row)
        model, task = (_read_name(row, column) for column in ("model", "task"))
        key = (model, task, str(row.values.get("metric") or "").strip())
        if key[2] in ERRORS:
            raise BadInput(
                f"{key[2]} counts errors: less is better.",
                where=row.where("metric"),
                remedy="Leave its rows out; of all others more is better.",
            )
        if key in values:
            raise BadInput(
                f"{' · '.join(filter(None, key))} is on line {lines[key]} already.",
                where=row.where("model"),
                remedy="Keep one of the rows.",
            )
        values[key], lines[key] = _read_value(row), row.line
        _add_group(groups, task, row)
    if not values:
        raise BadInput("The file has no rows.", where=Where(file=file), remedy="Is it the right one?")
    models, tasks = (tuple(dict.fromkeys(key[place] for key in values)) for place in (0, 1))
    metrics = {task: sorted({metric for _, of_task, metric in values if of_task == task}) for task in tasks}
    scores = pd.DataFrame(
        {
            task: [_average_metrics([values.get((model, task, name), math.nan) for name in names]) for model in models]
            for task, names in metrics.items()
        },
        index=pd.Index(models, name="system"),
    )
    _require_scores(scores, file)
    return ScoreTable(
        scores=scores,
        groups={task: group for task, (group, _) in groups.items() if group},
        averaged={task: names for task, names in metrics.items() if len(names) > 1},
    )


def parse_group_weights(given: Sequence[str], groups: Sequence[str]) -> dict[str, float]:
    """Weights given as GROUP=NUMBER.

    Raises BadInput for another form, an unknown or repeated group, and a number not above 0.
    """
    weights: dict[str, float] = {}
    for text in given:
        group, _, number = text.rpartition("=")
        if group not in groups:
            listed = ", ".join(groups) or "none: it has no column `group`"
            raise BadInput(
                f"There is no group {group or text!r}.",
                where=Where(field="--group-weight"),
                remedy=f"Write GROUP=NUMBER. The groups of the file: {listed}.",
            )
        if group in weights:
            raise BadInput(
                f"The group {group} has two weights.", where=Where(field="--group-weight"), remedy="Give it one."
            )
        weights[group] = _parse_number(number)
        if not 0 < weights[group] < math.inf:
            raise BadInput(
                f"{number!r} is not a weight.", where=Where(field="--group-weight"), remedy="Give a number above 0."
            )
    return weights


def _require_score_columns(row: FileRow) -> None:
    for column in NEEDED:
        if column not in row.values:
            raise BadInput(
                f"There is no column {column!r}.",
                where=Where(file=row.file, line=1, field=column),
                remedy="Write one row a system and task with the columns model, task, value (and metric, group)."
                f" It has: {format_columns(row.values)}.",
            )


def _read_name(row: FileRow, column: str) -> str:
    name = str(row.values[column]).strip()
    if not name:
        raise BadInput(f"The {column} has no name.", where=row.where(column), remedy="Name it, or take the row out.")
    return name


def _read_value(row: FileRow) -> float:
    text = str(row.values["value"]).strip()
    value = _parse_number(text) if text else math.nan
    if text and not math.isfinite(value):
        raise BadInput(
            f"{text!r} is not a number.",
            where=row.where("value"),
            remedy="Write, for example, 0.68 without a percent sign, or leave the cell empty if there is not a score.",
        )
    return value


def _parse_number(text: str) -> float:
    """The number that a text is, nan for any other."""
    try:
        return float(text) if "_" not in text else math.nan
    except ValueError:
        return math.nan


def _average_metrics(values: Sequence[float]) -> float:
    """The mean, without the last digits that a computer's sums add, so that equal means tie."""
    return round(math.fsum(values) / len(values), 12)


def _add_group(groups: dict[str, tuple[str, FileRow]], task: str, row: FileRow) -> None:
    """Note the group of a task; raises BadInput where it has another one already, or some tasks have none."""
    group = str(row.values.get("group") or "").strip()
    task_group, first = groups.setdefault(task, (group, row))
    if task_group != group:
        raise BadInput(
            f"{task} is in the group {group!r} here, and in {task_group!r} on line {first.line}.",
            where=row.where("group"),
            remedy="A task is in one group.",
        )
    other, (any_group, _) = next(iter(groups.items()))
    if bool(any_group) != bool(group):
        lacks = task if any_group else other
        raise BadInput(
            f"{lacks} has no group, but other tasks do.",
            where=row.where("group"),
            remedy="Give every task a group, or none.",
        )


def _require_scores(scores: pd.DataFrame, file: Path) -> None:
    if len(scores) < 2:
        raise BadInput(
            f"There is one system only, {scores.index[0]}.", where=Where(file=file, field="model"), remedy="Give two."
        )
    for field, has_scores in (("model", scores.notna().any(axis=1)), ("task", scores.notna().any(axis=0))):
        if not has_scores.all():
            name = str(has_scores.index[~has_scores][0])
            raise BadInput(
                f"{name} has no score at all.",
                where=Where(file=file, field=f"{field} {name}"),
                remedy="Take it out, or give every metric of a task.",
            )
