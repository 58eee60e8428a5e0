"""Reads items from the files of the Eval-UA-tion benchmarks: LMES tasks and UA-CBT.

LMES tasks are {name, instances: [{question, correctAnswer, …, additionalMetadata: {…}}]}. Nested metadata become
columns joined by `_` (`additionalMetadata_all_options`), as in the published copies of these sets; a truth value
becomes так or ні, as in the authors' scorer.

UA-CBT is .json ({tasks: [[item, …], …]}), .jsonl (read as any other), or .csv with lists as Python prints them. All
have the same columns: metadata nested under `md` in .json are `md_…`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotation import input_files
from annotation.errors import BadInput
from annotation.input_files import parse_printed_list
from annotation.loading.items import json_files

ANSWER_KEY = "correctAnswer"
TRUTH_VALUE_LABELS = {True: "так", False: "ні"}


def read_lmes(path: Path) -> Iterator[input_files.FileRow]:
    """Read LMES tasks, one row per instance; raises BadInput for one without question or answer."""
    for row in json_files.read_json_objects(path, under="instances"):
        for key in ("question", ANSWER_KEY):
            if key not in row.values:
                raise BadInput(
                    f"The instance has no {key!r}.",
                    where=row.where(key),
                    remedy="Is this an LMES file? Leave `format` out if it is not.",
                )
        values = json_files.flatten_object(row.values, row=row)
        answer = values.get(ANSWER_KEY)
        yield input_files.FileRow(
            path, row.line, values | ({ANSWER_KEY: TRUTH_VALUE_LABELS[answer]} if isinstance(answer, bool) else {})
        )


def read_ua_cbt_json(path: Path) -> Iterator[input_files.FileRow]:
    """Read the items of all stories of a .json; the line of an item is that of its story."""
    for line, story in json_files.read_json_elements(path, under="tasks"):
        for number, item in enumerate(story if isinstance(story, list) else [story], start=1):
            row = input_files.FileRow(path, line, item if isinstance(item, dict) else {})
            if not row.values:
                raise BadInput(
                    "This item is not a JSON object.",
                    where=row.where(f"element {number}"),
                    remedy="Write [[{…}, …], …].",
                )
            yield input_files.FileRow(path, line, json_files.flatten_object(row.values, row=row))


def read_ua_cbt_csv(path: Path) -> Iterator[input_files.FileRow]:
    """Read the items of a .csv."""
    for row in input_files.read_delimited(path):
        values = {name: parse_printed_list(text) for name, text in row.values.items()}
        yield input_files.FileRow(path, row.line, values)
