"""A small release on disk, of everything that one can hold."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from exports.model_answers import ReadAnswers, ReadModels
from exports.release import ReleaseFolder, build_release_folder, verification
from exports.release.raw_inputs import write_inputs
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


@pytest.fixture(scope="module")
def computed_once() -> Iterator[None]:
    """Most tests alter what follows from the raw files, not these: what follows from them is the same each time, as
    `test_the_same_inputs_give_the_same_bytes` says. Altered raw files are computed anew.
    """
    computed: dict[str, ReleaseFolder] = {}

    def build(inputs: ReleaseInputs, **options: Any) -> ReleaseFolder:
        if options["recorded"] is not None:
            return build_release_folder(inputs, **options)
        key = json.dumps([write_inputs(inputs), options["draft"]])
        if key not in computed:
            computed[key] = build_release_folder(inputs, **options)
        return computed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification, "build_release_folder", build)
        yield
