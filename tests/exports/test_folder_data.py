"""Data sets read again from the folder of a release or a build: comparisons with them are the same, unrounded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aggregation.errors import HromadaError
from exports import writers
from exports.benchmark_items import BuildOptions, build_tasks
from exports.folder_data import read_folder_data
from exports.inputs import DataSet
from exports.model_answers import ReadAnswers, ReadModels
from exports.model_comparison import ComparedModels, compare_data_set
from exports.people_files import build_people_files, read_people_files
from exports.release import ReleaseFolder


def compare(data: DataSet) -> ComparedModels:
    """People beside a model that is right on two items of three."""
    answers = {f"i{number:02}": "так" if number % 3 else "ні" for number in range(12)}
    model = ReadAnswers(name="m", file=Path("m"), answers=answers, stimuli={})
    return compare_data_set(data, ReadModels(models=(model,)))


@pytest.mark.parametrize("part", [".", "benchmark"])
def test_a_written_folder_gives_the_very_numbers(
    make_release: Any, plain_release: ReleaseFolder, tmp_path: Path, part: str
) -> None:
    """Of a whole release, and of the benchmark in it: differences, tests, items and judges, to the last bit."""
    writers.write_files(tmp_path, plain_release.files)
    found = read_folder_data(tmp_path / part)
    (data,), ours = found.data_sets, compare(make_release.data_set())
    read = compare(data)
    assert found.missing == {}
    assert read.comparison.differences == ours.comparison.differences
    assert read.comparison.parts == ours.comparison.parts
    assert read.comparison.mcnemar == ours.comparison.mcnemar
    assert read.comparison.items.equals(ours.comparison.items)
    assert (read.judges, read.statuses, read.notes) == (ours.judges, ours.statuses, ours.notes)


def test_a_damaged_file_of_votes_is_named(plain_release: ReleaseFolder, tmp_path: Path) -> None:
    """With its path and what to do."""
    writers.write_files(tmp_path, plain_release.files)
    (file,) = tmp_path.glob("benchmark/people/*/responses.jsonl")
    file.write_text("{", "utf-8")
    with pytest.raises(HromadaError, match=r"responses\.jsonl"):
        read_folder_data(tmp_path / "benchmark")


def test_texts_of_retired_items_are_not_published_again(make: Any, make_release: Any) -> None:
    """Labels of retired items stay, since people were scored on them; texts to mark or correct do not."""
    data: DataSet = make.closed()
    retired = replace(data, items=data.items.assign(status=["retired", *data.items["status"][1:]]))
    for texts, n_items in (({}, 6), ({"i1": "зайвий", "i2": "ні"}, 5)):
        source = make_release.source(replace(retired, texts=texts))
        (task,), _ = build_tasks(source.tasks, options=BuildOptions(), canary="c")
        files = build_people_files([task])
        read = read_people_files(files, task.name)
        assert read is not None
        assert len(read.items) == n_items
        assert not any("зайвий" in content for content in files.values())
