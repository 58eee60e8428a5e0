"""The inputs of a release as the files in `inputs/`, from which everything else in its folder is computed again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from exports.adjudicated_gold import fill_missing_gold
from exports.benchmark_items import BuildSource, TaskSource
from exports.full_responses import FullResponses
from exports.inputs import DataSet
from exports.release import raw_records
from exports.release.raw_records import Files
from exports.release_state import ReleaseInputs

INPUTS = "inputs"
OPTIONS = f"{INPUTS}/release"
DATA_SETS = f"{INPUTS}/data_sets"
RESPONSES = f"{INPUTS}/responses"
BENCHMARK = f"{INPUTS}/benchmark"
INDEX = f"{INPUTS}/index.json"


def write_inputs(inputs: ReleaseInputs) -> Files:
    """The files of `inputs/` by path, with all that the inputs hold.

    The data set of a task lies there once, where it is one of the published ones; the gold that adjudicators gave it
    is filled in again by whoever reads it.
    """
    published = {data.name for data in inputs.data_sets}
    files: Files = {}
    for data in inputs.data_sets:
        files |= raw_records.write_record(data, f"{DATA_SETS}/{data.name}")
    for own in inputs.responses:
        files |= raw_records.write_record(own, f"{RESPONSES}/{own.data.name}", without=("data",))
    for task in inputs.benchmark.tasks:
        folder = f"{BENCHMARK}/{task.data.name}"
        files |= raw_records.write_record(task, folder, without=("data",))
        if task.data.name not in published:
            files |= raw_records.write_record(task.data, f"{folder}/data")
    files |= raw_records.write_record(inputs.benchmark, BENCHMARK, without=("tasks",))
    files |= raw_records.write_record(inputs, OPTIONS, without=("data_sets", "responses", "benchmark"))
    index = {
        "data_sets": [data.name for data in inputs.data_sets],
        "responses": [own.data.name for own in inputs.responses],
        "tasks": [task.data.name for task in inputs.benchmark.tasks],
    }
    files[INDEX] = raw_records.format_line(index) + "\n"
    return files


def read_inputs(files: Mapping[str, str]) -> ReleaseInputs:
    """Read the inputs from their files; raises HromadaError with the file where they cannot be read."""
    index: Mapping[str, list[str]] = raw_records.read_json(files, INDEX)
    data_sets = {name: raw_records.read_record(DataSet, files, f"{DATA_SETS}/{name}") for name in index["data_sets"]}
    responses = tuple(
        raw_records.read_record(FullResponses, files, f"{RESPONSES}/{name}", data=data_sets[name])
        for name in index["responses"]
    )
    tasks = []
    for name in index["tasks"]:
        folder = f"{BENCHMARK}/{name}"
        if name in data_sets:
            data = replace(fill_missing_gold(data_sets[name]), option_items=())
        else:
            data = raw_records.read_record(DataSet, files, f"{folder}/data")
        tasks.append(raw_records.read_record(TaskSource, files, folder, data=data))
    benchmark = raw_records.read_record(BuildSource, files, BENCHMARK, tasks=tuple(tasks))
    return raw_records.read_record(
        ReleaseInputs, files, OPTIONS, data_sets=tuple(data_sets.values()), responses=responses, benchmark=benchmark
    )
