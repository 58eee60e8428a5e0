"""People beside the models of a benchmark: people's numbers by task, and the paired differences of each model.

People's numbers are those that the manifest of the build states (`exports.human_scores`), the differences those of
`hromada compare`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aggregation.errors import HromadaError
from exports import writers
from exports.folder_data import read_folder_data, read_manifest
from exports.inputs import DataSet
from exports.lm_eval import HarnessResults
from exports.model_answers import ReadAnswers, ReadModels
from exports.model_comparison import compare_data_set, list_difference_rows

HUMAN_COLUMNS = (
    "task", "unit", "title", "metric", "value", "ci_low", "ci_high", "item_only_low", "item_only_high",
    "value_ties_wrong", "n_items", "n_annotators", "n_answers", "reason", "n_left_out", "simulated",
)  # fmt: skip
DIFFERENCE_COLUMNS = (
    "task", "model", "unit", "metric", "people", "value", "difference", "ci_low", "ci_high", "item_only_low",
    "item_only_high", "p_holm", "above", "n_items", "n_people", "reason", "simulated",
)  # fmt: skip
PEOPLE = "human-"
UNITS = ("individual", "majority", "ceiling", "agreement")
NO_NUMBERS = "The build does not state people's numbers: build it again with this version of hromada."

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class PeopleBesideModels:
    """Rows with HUMAN_COLUMNS and DIFFERENCE_COLUMNS by task, and notes on what could not be told.

    A difference is people's value less the model's, of the primary metric, on the items that both answered. With
    `simulated` no person answered.
    """

    human: list[Row] = field(default_factory=list)
    differences: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    simulated: bool = False


def set_people_beside_models(build: Path, read: HarnessResults, *, key: Path | None = None) -> PeopleBesideModels:
    """Read people's numbers of a build, and compare the models whose results were read with its people.

    What cannot be compared is said in the notes. Raises HromadaError for a folder that is no build.
    """
    tasks = read_manifest(build)["tasks"]
    found = PeopleBesideModels(simulated=read_manifest(build).get("simulated") is True)
    for name, task in tasks.items():
        found.human.extend(_list_human_rows(name, task.get("human") or {}))
    if not found.human:
        found.notes.append(NO_NUMBERS)
    answered = _group_answers(read, tasks)
    if not answered:
        return found
    try:
        data = read_folder_data(build, key=key)
    except HromadaError as failure:
        found.notes.append(f"Models are not compared with people: {failure.problem} {failure.remedy}")
        return found
    by_name = {one.name: one for one in data.data_sets}
    for (task, name), models in answered.items():
        own = by_name.get(tasks[name]["dataset"])
        if own is None:
            found.notes.append(f"{task}: models are not compared with people: {data.missing.get(name)}.")
        else:
            _add_differences(found, task, own, models)
    return found


def _list_human_rows(task: str, human: Mapping[str, Any]) -> Iterator[Row]:
    shared = {"task": task, "n_left_out": human.get("n_left_out"), "simulated": human.get("simulated")}
    for unit in UNITS:
        if unit in human:
            row = shared | {"unit": unit} | human[unit]
            yield {name: row.get(name) for name in HUMAN_COLUMNS}


def _group_answers(
    read: HarnessResults, tasks: Mapping[str, Mapping[str, Any]]
) -> dict[tuple[str, str], dict[str, list[Row]]]:
    """The answers of models by the task that they were asked, with the name in the manifest, and by model."""
    names = {
        str(form["task"]): name
        for name, task in tasks.items()
        for form in (task.get("forms") or {"": {"task": name}}).values()
    }
    grouped: dict[tuple[str, str], dict[str, list[Row]]] = {}
    for row in read.answers:
        if not row["model"].startswith(PEOPLE) and row["task"] in names:
            grouped.setdefault((row["task"], names[row["task"]]), {}).setdefault(row["model"], []).append(row)
    return dict(sorted(grouped.items()))


def _add_differences(found: PeopleBesideModels, task: str, data: DataSet, answered: Mapping[str, list[Row]]) -> None:
    models = tuple(
        ReadAnswers(
            name=model,
            file=Path(task),
            answers={row["item_id"]: row["answer"] for row in rows},
            stimuli={row["item_id"]: row["stimulus_sha256"] for row in rows},
        )
        for model, rows in sorted(answered.items())
    )
    try:
        compared = compare_data_set(data, ReadModels(models=models))
    except HromadaError as failure:
        found.notes.append(f"{task}: models are not compared with people: {failure.problem}")
        return
    if not compared.comparison.differences:
        found.notes.append(f"{task}: models are not compared with people, who are scored on no item.")
    for row in list_difference_rows(compared):
        if row["kind"] == "all" and row["metric"] == compared.comparison.primary:
            row |= {"task": task, "simulated": data.simulated}
            found.differences.append({name: row[name] for name in DIFFERENCE_COLUMNS})


def build_people_tables(beside: PeopleBesideModels) -> dict[str, str]:
    """The rows as CSV: human.csv, people_less_models.csv."""
    return {
        "human.csv": writers.format_rows(beside.human, HUMAN_COLUMNS),
        "people_less_models.csv": writers.format_rows(beside.differences, DIFFERENCE_COLUMNS),
    }
