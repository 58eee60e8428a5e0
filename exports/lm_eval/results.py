"""The harness's result and sample files of models and people as plain tables, checked against the build they answer."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from aggregation.errors import HromadaError, Where
from exports import writers
from exports.benchmark_items import task_functions
from exports.benchmark_items.answer_spaces import SPACES_BY_TYPE
from exports.benchmark_items.task_functions import AGGREGATIONS, Doc, Grades
from exports.lm_eval.run_files import (
    HarnessRun,
    find_results,
    format_doc,
    hash_text,
    holds_in_order,
    read_prompt,
    read_run,
    read_samples,
)

ANSWER_COLUMNS = ("model", "task", "item_id", "stimulus_sha256", "answer", "score", "reply")
SCORE_COLUMNS = ("model", "task", "metric", "value", "n_items", "task_hash", "value_ties_wrong")
DIFFERENCE_COLUMNS = ("model", "task", "difference", "n_items", "items")
OTHER_ITEM, OTHER_PROMPT = "other than in this build, left out: run again", "another prompt than ours"
CHAT_PROMPT = "our prompt as messages of a chat"
OTHER_TASK, NO_SAMPLES = "no task of this build, left out", "no sample file: items and prompts cannot be checked"
OLDER_RUN, NO_ITEM = "an older run, left out", "not in this run"
MANIFEST, PROMPTS, KEY_ROWS = "manifest.json", "prompts.csv", "gold.jsonl"
NAMED_ITEMS = 5

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class HarnessResults:
    """Three tables, each a list of rows with the columns ANSWER_COLUMNS, SCORE_COLUMNS and DIFFERENCE_COLUMNS.

    `answers` has a row for each answered item of ours: the answer as answers are stored (None where none could be
    read, or a majority is tied), its primary score (of a tie its share), None where gold is hidden, and the reply as it
    was written, None of likelihoods and of ties. `runs` has the latest run of each model. `scores` are
    the values that the harness wrote, or, of hidden gold, those that follow from the key; the runs of a majority are
    pooled, and `value_ties_wrong` counts their tied items as not answered, None without any. Equal `task_hash` in two
    rows means the same items with the same prompts. `items` names the first few items of a difference.
    """

    answers: list[Row] = field(default_factory=list)
    scores: list[Row] = field(default_factory=list)
    differences: list[Row] = field(default_factory=list)
    runs: dict[str, HarnessRun] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class _Build:
    """What a build says of its tasks.

    `tasks` are by the harness's names, each with the `form` in which it asks the question `name`. `prompts` are by such
    a name and item, `keys` by question and item, `examples` by question: in pieces, what stands before an item.
    """

    tasks: Mapping[str, Mapping[str, Any]]
    prompts: Mapping[str, Mapping[str, Mapping[str, str]]]
    keys: Mapping[tuple[str, str], Doc]
    examples: Mapping[str, Sequence[str]]


def read_results(build: Path, folders: Sequence[Path], *, key: Path | None = None) -> HarnessResults:
    """Read all result files under the folders, which answer the benchmark in `build`; `key` is its folder of the key.

    Raises HromadaError for a folder that is no build, for one without result files, and for files that are damaged.
    """
    answers = _read_build(build, key)
    results = HarnessResults()
    runs = [read_run(file) for folder in folders for file in find_results(folder)]
    runs.sort(key=lambda run: (float(run.content.get("date") or 0), run.model, run.number, str(run.file)))
    results.runs.update({run.model: run for run in runs})
    latest = {(run.model, task): run.series for run in runs for task in run.content["results"]}
    series: dict[tuple[str, Path], list[HarnessRun]] = {}
    for run in runs:
        series.setdefault((run.model, run.series), []).append(run)
    for (model, path), own in series.items():
        groups = set(own[0].content.get("group_subtasks") or {})
        for task in own[0].content["results"]:
            if task in groups:
                continue
            if task not in answers.tasks:
                results.differences.append(_build_difference(model, task, OTHER_TASK))
            elif latest[model, task] != path:
                results.differences.append(_build_difference(model, task, OLDER_RUN))
            else:
                _add_task(results, [run for run in own if task in run.content["results"]], task, answers)
        _add_groups(results, own)
    return results


def _add_groups(results: HarnessResults, runs: Sequence[HarnessRun]) -> None:
    """Add the scores of the groups; of several runs they are the means of those of the tasks, each task the same."""
    run = runs[0]
    own = {(row["task"], row["metric"]): row for row in results.scores if row["model"] == run.model}
    for group, tasks in (run.content.get("group_subtasks") or {}).items():
        for row in _list_scores(run, group, run.content["results"].get(group, {})):
            parts = [part for task in tasks if (part := own.get((task, row["metric"]))) and part["value"] is not None]
            if len(runs) > 1 and len(parts) == len(tasks):
                wrong = [
                    part["value"] if part["value_ties_wrong"] is None else part["value_ties_wrong"] for part in parts
                ]
                row["value"] = task_functions.compute_mean([part["value"] for part in parts])
                row["value_ties_wrong"] = task_functions.compute_mean(wrong)
            results.scores.append(row)


def _read_build(folder: Path, key: Path | None) -> _Build:
    manifest = folder / MANIFEST
    try:
        tasks = {
            form["task"]: question | {"name": name, "form": kind}
            for name, question in json.loads(manifest.read_text("utf-8"))["tasks"].items()
            for kind, form in question["forms"].items()
        }
        with (folder / "lm_eval" / PROMPTS).open(encoding="utf-8", newline="") as file:
            prompts: dict[str, dict[str, Mapping[str, str]]] = {}
            for row in csv.DictReader(file):
                prompts.setdefault(row["task"], {})[row["item_id"]] = row
        rows = () if key is None else task_functions.read_rows(key / KEY_ROWS)
        examples = {
            task["name"]: _read_examples(folder / "hugging_face" / task["name"], task["num_few_shot"])
            for task in tasks.values()
        }
    except (OSError, ValueError, KeyError) as failure:
        raise HromadaError(
            f"This is not a folder of `hromada build`, or its files are damaged ({type(failure).__name__}).",
            remedy="Name the folder that was built, and with --key the one beside it.",
            where=Where(file=folder),
        ) from None
    keys = {(row["task"], row["item_id"]): row for row in rows}
    return _Build(tasks=tasks, prompts=prompts, keys=keys, examples=examples)


def _read_examples(folder: Path, number: int) -> list[str]:
    """The prompts and answers that stand before each item of a question, one after the other."""
    rows = task_functions.read_rows(folder / "few_shot.jsonl")[:number] if number else []
    return [text for row in rows for text in (task_functions.build_prompt(row), row["answer"])]


def _add_task(results: HarnessResults, runs: Sequence[HarnessRun], task: str, build: _Build) -> None:
    """Add the rows of one task of one model: of one run, or of all runs of a majority, whose grades are pooled."""
    run = runs[0]
    if any(task not in part.samples for part in runs):
        results.scores.extend(
            _list_scores(run, task, _average_values([part.content["results"][task] for part in runs]))
        )
        results.differences.append(_build_difference(run.model, task, NO_SAMPLES))
        return
    read = _ReadSamples()
    for part in runs:
        _read_task(read, part, task, build)
    for item, answers in read.answers.items():
        said = answers[0] if len(set(answers)) == 1 else None
        defined = [score for score in read.scores[item] if score is not None]
        score = task_functions.compute_mean(defined) if defined else None
        reply = read.replies[item][0] if len(set(read.replies[item])) == 1 else None
        row = (run.model, task, item, build.prompts[task][item]["stimulus_sha256"], said, score, reply)
        results.answers.append(dict(zip(ANSWER_COLUMNS, row, strict=True)))
    is_pooled = len(runs) > 1 or any((build.tasks[task]["name"], item) in build.keys for item in read.answers)
    values = _aggregate_grades(read.list_grades()) if is_pooled else run.content["results"][task]
    ties_wrong = _aggregate_grades(read.list_grades(ties_wrong=True)) if read.ties else {}
    results.scores.extend(_list_scores(run, task, values, ties_wrong))
    for difference, items in read.changed.items():
        if items:
            results.differences.append(_build_difference(run.model, task, difference, items))
    known = {*read.answers, *read.changed[OTHER_ITEM]}
    missing = [item for item in build.prompts[task] if item not in known]
    if missing:
        results.differences.append(_build_difference(run.model, task, NO_ITEM, missing))


@dataclass(frozen=True, kw_only=True)
class _ReadSamples:
    """The samples of a task: grades, answers and scores of all runs by item, and the items that are others.

    `nothing` has the grades of no answer by item.
    """

    graded: dict[str, list[Grades]] = field(default_factory=dict)
    nothing: dict[str, Grades] = field(default_factory=dict)
    answers: dict[str, list[str | None]] = field(default_factory=dict)
    scores: dict[str, list[float | None]] = field(default_factory=dict)
    replies: dict[str, list[str | None]] = field(default_factory=dict)
    changed: dict[str, dict[str, None]] = field(
        default_factory=lambda: {OTHER_ITEM: {}, OTHER_PROMPT: {}, CHAT_PROMPT: {}}
    )

    @property
    def ties(self) -> frozenset[str]:
        """The items that the runs answer differently."""
        return frozenset(item for item, answers in self.answers.items() if len(set(answers)) > 1)

    def list_grades(self, *, ties_wrong: bool = False) -> list[Grades]:
        """The grades of all runs; with `ties_wrong` a tied item has those of no answer."""
        ties = self.ties if ties_wrong else frozenset()
        return [self.nothing[item] if item in ties else grade for item, own in self.graded.items() for grade in own]


def _read_task(read: _ReadSamples, run: HarnessRun, task: str, build: _Build) -> None:
    """Add the samples of one run."""
    question = build.tasks[task]
    scorer = getattr(task_functions, question["scorer"])
    nothing = (-math.inf, False) if question["form"] == "likelihood" else ""
    met: set[str] = set()
    is_plain = run.is_as_built(task, question["num_few_shot"])
    for sample in read_samples(run.samples[task]):
        item = str(sample["doc"].get("item_id"))
        ours = build.prompts[task].get(item)
        if ours is None or hash_text(format_doc(sample["doc"])) != ours["doc_sha256"]:
            read.changed[OTHER_ITEM][item] = None
            continue
        if item in met:  # another filter of the same reply
            continue
        met.add(item)
        if sample["prompt_hash"] != ours["prompt_sha256"]:
            prompt = task_functions.build_prompt(sample["doc"])
            pieces = [*build.examples[question["name"]], *_list_texts(prompt)]
            is_ours = is_plain and holds_in_order(read_prompt(sample), pieces)
            read.changed[CHAT_PROMPT if is_ours else OTHER_PROMPT][item] = None
        doc = sample["doc"] | build.keys.get((question["name"], item), {})
        replies = sample["filtered_resps"]
        grades = scorer(doc, replies)
        read.graded.setdefault(item, []).append(grades)
        read.nothing[item] = scorer(doc, [nothing] * len(replies))
        answer = SPACES_BY_TYPE[question["kind"]].read_reply(doc, replies)
        read.answers.setdefault(item, []).append(answer)
        read.replies.setdefault(item, []).append(replies[0] if question["form"] == "generation" else None)
        read.scores.setdefault(item, []).append(None if doc["gold"] is None else next(iter(grades.values())))


def _list_texts(prompt: str) -> list[str]:
    """The texts of a prompt between its pictures, whose places a chat template writes in its own way."""
    return [text.strip("\n") for text in prompt.split(task_functions.IMAGE_PLACE)]


def _average_values(values: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The values of several runs, the mean of each number."""
    if len(values) == 1:
        return values[0]
    return {
        name: task_functions.compute_mean([float(each[name]) for each in values]) if isinstance(value, float) else value
        for name, value in values[0].items()
    }


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


def _list_scores(
    run: HarnessRun, task: str, values: Mapping[str, Any], ties_wrong: Mapping[str, float] = MappingProxyType({})
) -> Iterator[Row]:
    counts = (run.content.get("n-samples") or {}).get(task, {})
    task_hash = (run.content.get("task_hashes") or {}).get(task)
    for name, value in values.items():
        metric, _, kind = name.rpartition(",")
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if metric and kind and is_number and not metric.endswith("_stderr"):
            shown = None if math.isnan(value) else float(value)
            wrong = ties_wrong.get(name)
            wrong = None if wrong is None or math.isnan(wrong) else wrong
            row = (run.model, task, metric, shown, counts.get("effective"), task_hash, wrong)
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
