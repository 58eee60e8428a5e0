"""What people scored on each item, as the records that Inspect's `precomputed_scores()` takes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from exports.benchmark_items import BenchmarkTask, task_functions
from exports.benchmark_items.task_functions import Doc
from exports.inspect_ai.task_file import name_task
from exports.lm_eval.replay import MAJORITY, Recording


def build_people_files(tasks: Sequence[BenchmarkTask], recordings: Mapping[str, Sequence[Recording]]) -> dict[str, str]:
    """A file of JSON Lines for each task that people answered: name in the folder → content.

    A record has the `id` of an item, and as `value` two scores in the first
    metric: `single_answers`, the mean over answers and skips, and `majority`, of a tie its share. `answer` is the
    majority's, None for a tie, and `metadata` has `n_answers` with skips, `metric` and `canary`.
    """
    files = {f"people/{name_task(task)}.jsonl": list(_list_records(task, recordings)) for task in tasks}
    return {
        path: "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
        for path, records in files.items()
        if records
    }


def _list_records(task: BenchmarkTask, recordings: Mapping[str, Sequence[Recording]]) -> Iterator[dict[str, Any]]:
    said = {
        person: [recording[task.name] for recording in runs if task.name in recording]
        for person, runs in recordings.items()
    }
    majorities = said.pop(MAJORITY, [])
    singles = [answers for runs in said.values() for answers in runs]
    for doc in task.scored_docs:
        item = doc["item_id"]
        single = [answers[item] for answers in singles if item in answers]
        majority = [answers[item] for answers in majorities if item in answers]
        if single:
            answer = majority[0] if len(set(majority)) == 1 else None
            yield {
                "id": item,
                "value": {
                    "single_answers": _average_scores(task, doc, single),
                    "majority": _average_scores(task, doc, majority),
                },
                "answer": None if answer is None else task.space.encode_answer(answer, doc),
                "metadata": {"n_answers": len(single), "metric": task.space.primary, "canary": doc["canary"]},
            }


def _average_scores(task: BenchmarkTask, doc: Doc, said: Sequence[str | None]) -> float:
    """The mean of the first metric over stored answers, None for a skip."""
    score = getattr(task_functions, task.scorer)
    grades = [score(doc, [task.space.build_reply(stored, doc)]) for stored in said]
    return task_functions.compute_mean([float(next(iter(each.values()))) for each in grades])
