"""What manifest.json says of each task and of each file."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import Any

from exports.benchmark_items import BenchmarkTask
from exports.lm_eval.replay import TaskPeople

Files = dict[str, str | bytes]
"""The contents of files by their paths in the folder."""


def describe_task(task: BenchmarkTask, people: TaskPeople) -> dict[str, Any]:
    """The counts of a task, its scorer and metrics, what was left out, and how people were replayed."""
    source = task.source
    return {
        "dataset": task.data.name,
        "kind": task.data.kind,
        "question": source.text,
        "scorer": task.scorer,
        "metrics": list(task.metrics),
        "hidden": source.hidden,
        "n_items": len(task.docs),
        "n_groups": len({doc["group"] for doc in task.docs}),
        "n_few_shot": len(task.few_shot),
        "num_few_shot": task.num_few_shot,
        "left_out": dict(task.left_out),
        "people": asdict(people),
        "differences": list_differences(task),
    }


def list_differences(task: BenchmarkTask) -> list[str]:
    """How what models get differs from what people had."""
    source = task.source
    found = {
        "Models are not shown the instructions.": bool(source.instructions),
        "The last line of the prompt says how to write the answer; people tapped, or marked the text.": True,
        f"People could also answer “{source.abstain}”.": source.abstain is not None,
        "People saw the options in an order of their own, models in the stored one.": source.shuffled,
    }
    return [sentence for sentence, applies in found.items() if applies]


def hash_files(files: Files) -> dict[str, str]:
    """The SHA-256 of each file, by path."""
    contents = {path: content.encode() if isinstance(content, str) else content for path, content in files.items()}
    return {path: hashlib.sha256(content).hexdigest() for path, content in sorted(contents.items())}
