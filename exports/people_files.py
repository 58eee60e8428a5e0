"""What a build holds of people's answers, so that `hromada compare` needs no database: a record of each data set.

It has the votes and skips that count, in the order in which they were given, with pseudonyms, and what scoring them
needs. Where gold is hidden these files are among those of the key, since votes tell the gold.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from exports.benchmark_items import BenchmarkTask
from exports.benchmark_items.rows import RETIRED
from exports.inputs import INPUT_COLUMNS, DataSet
from exports.records import read_record, write_record

PEOPLE = "people"
VOTE_COLUMNS = ("item_id", "annotator", "response")
EMPTY = ("adjudications", "reviews")
"""Frames that no comparison needs."""


def build_people_files(tasks: Sequence[BenchmarkTask]) -> dict[str, str]:
    """Build the files by their paths: record.json, items.jsonl and others in a folder for each task with answers."""
    return {path: content for task in tasks for path, content in _write_task(task)}


def _write_task(task: BenchmarkTask) -> Iterator[tuple[str, str]]:
    if task.data.list_counted_answers().empty:
        return
    canary = json.dumps(task.docs[0]["canary"])
    for path, content in write_record(_keep_votes(task.data), f"{PEOPLE}/{task.name}", without=EMPTY).items():
        yield path, content.replace("{", f'{{"canary": {canary}, ', 1)  # gold is in it, as in the rows of the items


def _keep_votes(data: DataSet) -> DataSet:
    """The data set with what a comparison with models needs, and nothing else.

    Retired items are left out where their texts would be published again.
    """
    items, votes = data.items, data.responses.loc[data.exclusion_kinds().isna(), list(VOTE_COLUMNS)]
    if data.texts:
        items = items.loc[items["status"] != RETIRED]
        votes = votes.loc[votes["item_id"].isin(items["item_id"])]
    return replace(
        data,
        items=items,
        responses=votes,
        texts={item: data.texts[item] for item in items["item_id"] if item in data.texts},
        control_gold={},
        removed_annotators={},
        gold_strata={},
        option_items=(),
        panels={},
        panel_gold=(),
    )


def read_people_files(files: Mapping[str, str], task: str) -> DataSet | None:
    """Read the data set of a task, None if the files have none; raises HromadaError with the file for a damaged one."""
    folder = f"{PEOPLE}/{task}"
    if not any(path.startswith(f"{folder}/") for path in files):
        return None
    data = read_record(DataSet, files, folder, **{name: pd.DataFrame() for name in EMPTY})
    return replace(data, responses=data.responses.reindex(columns=list(INPUT_COLUMNS)).astype(object))
