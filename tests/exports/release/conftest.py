"""A small release on disk, of everything that one can hold."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from exports.model_answers import ReadAnswers, ReadModels
from exports.release import ReleaseFolder, build_release_folder
from exports.release_state import ReleaseInputs


@pytest.fixture(scope="session")
def inputs(make_release: Any) -> ReleaseInputs:
    """A baseline in which everything is in order, beside a model."""
    data = make_release.data_set()
    model = ReadAnswers(
        name="yes",
        file=Path("yes.jsonl"),
        answers=dict.fromkeys(data.items["item_id"], "так"),
        stimuli=dict.fromkeys(data.items["item_id"]),
    )
    made: ReleaseInputs = make_release.inputs(data, models={data.name: ReadModels(models=(model,))})
    return made


@pytest.fixture(scope="session")
def built(inputs: ReleaseInputs) -> ReleaseFolder:
    """Its files."""
    return build_release_folder(inputs)


@pytest.fixture(scope="session")
def hidden(make_release: Any) -> ReleaseInputs:
    """The same with hidden gold."""
    made: ReleaseInputs = make_release.inputs()
    tasks = tuple(dataclasses.replace(task, hidden=True) for task in made.benchmark.tasks)
    return dataclasses.replace(made, benchmark=dataclasses.replace(made.benchmark, tasks=tasks))
