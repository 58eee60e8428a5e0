"""The harness's result and sample files of models and people as plain tables, checked against the build they answer."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aggregation.errors import HromadaError, Where
from exports import writers
from exports.benchmark_items import task_functions
from exports.benchmark_items.task_functions import AGGREGATIONS, Doc, Grades
from exports.lm_eval.prompt_hashes import format_doc, hash_text
from exports.lm_eval.run_files import HarnessRun, find_results, format_answer, read_run, read_samples

ANSWER_COLUMNS = ("model", "task", "item_id", "stimulus_sha256", "answer", "score")
SCORE_COLUMNS = ("model", "task", "metric", "value", "n_items", "task_hash")
DIFFERENCE_COLUMNS = ("model", "task", "difference", "n_items", "items")
OTHER_ITEM, OTHER_PROMPT = "other items than ours, left out", "another prompt than ours"
OTHER_TASK, NO_SAMPLES = "no task of this build, left out", "no sample file: items and prompts cannot be checked"
OLDER_RUN, NO_ITEM = "an older run, left out", "not asked"
MANIFEST, PROMPTS, KEY_ROWS = "manifest.json", "prompts.csv", "gold.jsonl"
NAMED_ITEMS = 5

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class HarnessResults:
    """Three tables, each a list of rows with the columns ANSWER_COLUMNS, SCORE_COLUMNS and DIFFERENCE_COLUMNS.

    `answers` has a row for each answered item of ours: the answer as answers are stored (None where none could be
    read), and its primary score, None where gold is hidden. `scores` are the values that the harness wrote, or, of
    hidden gold, those that follow from the key. Equal `task_hash` in two rows means the same items with the same
    prompts. `items` names the first few items of a difference.
    """

    answers: list[Row] = field(default_factory=list)
    scores: list[Row] = field(default_factory=list)
    differences: list[Row] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class _Build:
    """What a build says of its tasks; `prompts` and `keys` are by task and item."""

    tasks: Mapping[str, Mapping[str, Any]]
    prompts: Mapping[str, Mapping[str, Mapping[str, str]]]
    keys: Mapping[tuple[str, str], Doc]


def read_results(build: Path, folders: Sequence[Path], *, key: Path | None = None) -> HarnessResults:
    """Read all result files under the folders, which answer the benchmark in `build`; `key` is its folder of the key.

    Raises HromadaError for a folder that is no build, for one without result files, and for files that are damaged.
    """
    known = _read_build(build, key)
    results = HarnessResults()
    runs = [read_run(file) for folder in folders for file in find_results(folder)]
    runs.sort(key=lambda run: (float(run.content.get("date") or 0), run.model, str(run.file)))
    latest = {(run.model, task): run.file for run in runs for task in run.content["results"]}
    for run in runs:
        groups = set(run.content.get("group_subtasks") or {})
        for task, values in run.content["results"].items():
            if task in groups:
                results.scores.extend(_list_scores(run, task, values))
            elif task not in known.tasks:
                results.differences.append(_build_difference(run.model, task, OTHER_TASK))
            elif latest[run.model, task] != run.file:
                results.differences.append(_build_difference(run.model, task, OLDER_RUN))
            else:
                _add_task(results, run, task, values, known)
    return results


def _read_build(folder: Path, key: Path | None) -> _Build:
    manifest = folder / MANIFEST
    try:
        tasks = json.loads(manifest.read_text("utf-8"))["tasks"]
        with (folder / "lm_eval" / PROMPTS).open(encoding="utf-8", newline="") as file:
            prompts: dict[str, dict[str, Mapping[str, str]]] = {}
            for row in csv.DictReader(file):
                prompts.setdefault(row["task"], {})[row["item_id"]] = row
        rows = () if key is None else task_functions.read_rows(key / KEY_ROWS)
    except (OSError, ValueError, KeyError) as failure:
        raise HromadaError(
            f"This is no folder of `hromada build`, or its files are damaged ({type(failure).__name__}).",
            remedy="Name the folder that was built, and with --key the one beside it.",
            where=Where(file=folder),
        ) from None
    return _Build(tasks=tasks, prompts=prompts, keys={(row["task"], row["item_id"]): row for row in rows})


def _add_task(results: HarnessResults, run: HarnessRun, task: str, values: Mapping[str, Any], build: _Build) -> None:
    """Add the rows of one task of one run."""
    if task not in run.samples:
        results.scores.extend(_list_scores(run, task, values))
        results.differences.append(_build_difference(run.model, task, NO_SAMPLES))
        return
    prompts, scorer = build.prompts[task], getattr(task_functions, build.tasks[task]["scorer"])
    graded: list[Grades] = []
    changed: dict[str, list[str]] = {OTHER_ITEM: [], OTHER_PROMPT: []}
    met: set[str] = set()
    for sample in read_samples(run.samples[task]):
        item = str(sample["doc"].get("item_id"))
        ours = prompts.get(item)
        if ours is None or hash_text(format_doc(sample["doc"])) != ours["doc_sha256"]:
            changed[OTHER_ITEM].append(item)
            continue
        if item in met:  # another filter of the same reply
            continue
        met.add(item)
        if sample["prompt_hash"] != ours["prompt_sha256"]:
            changed[OTHER_PROMPT].append(item)
        doc = sample["doc"] | build.keys.get((task, item), {})
        replies = sample["filtered_resps"]
        grades = scorer(doc, replies)
        graded.append(grades)
        score = None if doc["gold"] is None else next(iter(grades.values()))
        answer = format_answer(build.tasks[task]["kind"], doc, replies)
        row = (run.model, task, item, ours["stimulus_sha256"], answer, score)
        results.answers.append(dict(zip(ANSWER_COLUMNS, row, strict=True)))
    is_keyed = any((task, item) in build.keys for item in met)
    results.scores.extend(_list_scores(run, task, _aggregate_grades(graded) if is_keyed else values))
    results.differences.extend(
        _build_difference(run.model, task, difference, items) for difference, items in changed.items() if items
    )
    if len(met) < len(prompts):
        missing = [item for item in prompts if item not in met]
        results.differences.append(_build_difference(run.model, task, NO_ITEM, missing))


def _aggregate_grades(graded: Sequence[Grades]) -> dict[str, float]:
    """The values of all metrics, under the names that the harness gives them."""
    return {
        f"{metric},none": (
            task_functions.compute_pooled_f1
            if metric.startswith("f1 ")
            else AGGREGATIONS.get(metric) or task_functions.compute_mean
        )([grades[metric] for grades in graded])
        for metric in (graded[0] if graded else ())
    }


def _list_scores(run: HarnessRun, task: str, values: Mapping[str, Any]) -> Iterator[Row]:
    counts = (run.content.get("n-samples") or {}).get(task, {})
    task_hash = (run.content.get("task_hashes") or {}).get(task)
    for name, value in values.items():
        metric, _, kind = name.rpartition(",")
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if metric and kind and is_number and not metric.endswith("_stderr"):
            shown = None if math.isnan(value) else float(value)
            row = (run.model, task, metric, shown, counts.get("effective"), task_hash)
            yield dict(zip(SCORE_COLUMNS, row, strict=True))


def _build_difference(model: str, task: str, difference: str, items: Iterable[str] = ()) -> Row:
    named = list(items)
    row = (model, task, difference, len(named), ", ".join(named[:NAMED_ITEMS]))
    return dict(zip(DIFFERENCE_COLUMNS, row, strict=True))


def build_result_files(results: HarnessResults) -> dict[str, str]:
    """The three tables as CSV: answers.csv, scores.csv, differences.csv."""
    import pandas as pd

    tables = {
        "answers.csv": (results.answers, ANSWER_COLUMNS),
        "scores.csv": (results.scores, SCORE_COLUMNS),
        "differences.csv": (results.differences, DIFFERENCE_COLUMNS),
    }
    return {
        name: writers.format_csv(pd.DataFrame(rows, columns=list(columns), dtype=object))
        for name, (rows, columns) in tables.items()
    }
