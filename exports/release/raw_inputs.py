"""The inputs of a release as the files in `inputs/`, from which everything else in its folder is computed again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from exports.benchmark_items import BuildSource, TaskSource
from exports.inputs import DataSet
from exports.joint_answers import JointAnswers
from exports.records import Files, format_line, read_json, read_record, write_record
from exports.release_state import ReleaseInputs

INPUTS = "inputs"
OPTIONS = f"{INPUTS}/release"
DATA_SETS = f"{INPUTS}/data_sets"
RESPONSES = f"{INPUTS}/responses"
BENCHMARK = f"{INPUTS}/benchmark"
INDEX = f"{INPUTS}/index.json"


def write_inputs(inputs: ReleaseInputs) -> Files:
    """The files of `inputs/` by path, with all that the inputs hold.

    The data set of a task is in them once if it is one of the published ones.
    """
    published = {data.name for data in inputs.data_sets}
    files: Files = {}
    for data in inputs.data_sets:
        files |= write_record(data, f"{DATA_SETS}/{data.name}")
    for own in inputs.responses:
        files |= write_record(own, f"{RESPONSES}/{own.data.name}", without=("data",))
    for task in inputs.benchmark.tasks:
        folder = f"{BENCHMARK}/{task.data.name}"
        files |= write_record(task, folder, without=("data",))
        if task.data.name not in published:
            files |= write_record(task.data, f"{folder}/data")
    files |= write_record(inputs.benchmark, BENCHMARK, without=("tasks",))
    files |= write_record(inputs, OPTIONS, without=("data_sets", "responses", "benchmark"))
    index = {
        "data_sets": [data.name for data in inputs.data_sets],
        "responses": [own.data.name for own in inputs.responses],
        "tasks": [task.data.name for task in inputs.benchmark.tasks],
    }
    files[INDEX] = format_line(index) + "\n"
    return files


def read_data_sets(files: Mapping[str, str]) -> tuple[DataSet, ...]:
    """Read the published data sets alone; raises HromadaError as `read_inputs` does."""
    return tuple(read_record(DataSet, files, f"{DATA_SETS}/{name}") for name in read_json(files, INDEX)["data_sets"])


def read_inputs(files: Mapping[str, str], pictures: Mapping[str, bytes] = MappingProxyType({})) -> ReleaseInputs:
    """Read the inputs from their files; raises HromadaError with the file where they cannot be read.

    `pictures` are those of the benchmark in the same folder by name, as the inputs have no second copy of them.
    """
    index: Mapping[str, list[str]] = read_json(files, INDEX)
    data_sets = {data.name: data for data in read_data_sets(files)}
    responses = tuple(
        read_record(JointAnswers, files, f"{RESPONSES}/{name}", data=data_sets[name]) for name in index["responses"]
    )
    tasks = []
    for name in index["tasks"]:
        folder = f"{BENCHMARK}/{name}"
        if name in data_sets:
            data = replace(data_sets[name], option_items=())
        else:
            data = read_record(DataSet, files, f"{folder}/data")
        tasks.append(read_record(TaskSource, files, folder, data=data))
    benchmark = read_record(BuildSource, files, BENCHMARK, tasks=tuple(tasks), pictures=pictures)
    return read_record(
        ReleaseInputs, files, OPTIONS, data_sets=tuple(data_sets.values()), responses=responses, benchmark=benchmark
    )
