"""The raw files of a release: what is written is read back the same, whatever fields there are."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from aggregation.errors import HromadaError
from exports import records
from exports.joint_answers import QuestionSpec
from exports.model_answers import ReadAnswers, ReadModels
from exports.release.raw_inputs import read_inputs, write_inputs


def list_leaves(value: Any, place: str = "") -> dict[str, Any]:
    """All values in a record by place; frames as their cells."""
    if isinstance(value, pd.DataFrame):
        return {f"{place}.{name}": value[name].tolist() for name in value.columns}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {place: type(value)} | {
            key: own for name, field in fields.items() for key, own in list_leaves(field, f"{place}.{name}").items()
        }
    if isinstance(value, tuple):
        return {place: len(value)} | {
            key: own for number, one in enumerate(value) for key, own in list_leaves(one, f"{place}[{number}]").items()
        }
    if isinstance(value, Mapping):
        return {place: list(value)} | {
            key: own for name, one in value.items() for key, own in list_leaves(one, f"{place}[{name}]").items()
        }
    return {place: value}


def test_inputs_are_read_back_whole(make: Any, make_release: Any) -> None:
    question = QuestionSpec(name="answer", kind="edit", text="Виправте", show_if={}, field="text")
    full = make.joint_answers(
        [question],
        [("s1", "a1", {"answer": "Добрий\r\nдень"}), ("s1", "a2", {})],
        texts={"s1": {"text": "Добрй день"}},
        kind="edit",
    )
    full = dataclasses.replace(full, unasked=(frozenset({"b", "a"}), frozenset()))
    data = make_release.data_set("інші")
    inputs = make_release.inputs(
        data,
        data_sets=(data, full.data),
        responses=(full,),
        models={
            data.name: ReadModels(
                models=(ReadAnswers(name="m", file=Path("/some/where/m.jsonl"), answers={"i00": None}, stimuli={}),)
            )
        },
        harness="0.4.13",
        seed=7,
    )
    files = write_inputs(inputs)
    again = read_inputs(files)
    assert write_inputs(again) == files
    leaves, expected = list_leaves(again), list_leaves(inputs)
    file = next(key for key in expected if key.endswith(".file"))
    assert str(expected.pop(file)) == "/some/where/m.jsonl"
    assert str(leaves.pop(file)) == "m.jsonl"
    task = [key for key in expected if ".option_items" in key and ".tasks" in key]
    assert {key: leaves[key] for key in expected if key not in task} == {
        key: own for key, own in expected.items() if key not in task
    }
    assert again.facts.harness == "0.4.13"


def test_sets_are_written_in_one_order(make: Any) -> None:
    question = QuestionSpec(name="answer", kind="text", text="?")
    full = dataclasses.replace(
        make.joint_answers([question], [("s1", "a1", {})], texts={"s1": {}}),
        unasked=(frozenset("zyxwvutsrqponmlkjihgfedcba"),),
    )
    (text,) = (
        own for path, own in records.write_record(full, "x", without=("data",)).items() if path.endswith("record.json")
    )
    assert str(list("abcdefghijklmnopqrstuvwxyz")).replace("'", '"') in text


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1, 2], "b": [1.5, math.nan], "c": ["x\ny", None], "d": [True, None]}),
        pd.DataFrame({"a": pd.Series([], dtype=object)}),
        pd.DataFrame(),
        pd.DataFrame({"cells": pd.Series([None, 1, 2.0, "3", ("a", "b")], dtype=object)}),
    ],
)
def test_frames_keep_values_and_types(frame: pd.DataFrame) -> None:
    again = records.read_frame({"f": records.write_frame(frame)}, "f")
    assert list(again.columns) == list(frame.columns)
    assert [str(kind) for kind in again.dtypes] == [str(kind) for kind in frame.dtypes]
    for name in frame.columns:
        for cell, expected in zip(again[name], frame[name], strict=True):
            same = cell == (list(expected) if isinstance(expected, tuple) else expected)
            assert same or (expected is None and cell is None) or (cell != cell and expected != expected)  # noqa: PLR0124


@pytest.mark.parametrize(
    ("path", "content", "place"),
    [
        ("inputs/index.json", None, "inputs/index.json"),
        ("inputs/index.json", "{", "inputs/index.json"),
        ("inputs/data_sets/так-ні/responses.jsonl", None, "inputs/data_sets/так-ні/responses.jsonl"),
        ("inputs/data_sets/так-ні/responses.jsonl", "[]\n", "inputs/data_sets/так-ні/responses.jsonl"),
        ("inputs/data_sets/так-ні/record.json", '{"name": 3}', "inputs/data_sets/так-ні/record.json"),
        ("inputs/release/record.json", "{}", "inputs/release/record.json"),
    ],
)
def test_a_broken_raw_file_is_named(make_release: Any, path: str, content: str | None, place: str) -> None:
    files = write_inputs(make_release.inputs())
    if content is None:
        del files[path]
    else:
        files[path] = content
    with pytest.raises(HromadaError) as caught:
        read_inputs(files)
    assert str(caught.value).startswith(place)
