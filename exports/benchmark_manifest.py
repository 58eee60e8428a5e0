"""What manifest.json says of each task and of each file, and which files of an earlier run it lists."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from aggregation.errors import HromadaError, Where
from exports.benchmark_items import BenchmarkTask
from exports.lm_eval.replay import TaskPeople
from exports.lm_eval.results import MANIFEST

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


def list_earlier_files(folder: Path, *, of: str, kind: str | None = None) -> frozenset[str]:
    """The files in a folder that its manifest lists, and the manifest; none in a new or an empty folder.

    Raises HromadaError for a folder that holds anything else than what an earlier build or release (`of`) wrote, whose
    manifest is of this `kind`.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return frozenset()
    try:
        content = json.loads((folder / MANIFEST).read_text("utf-8"))
        if content.get("kind") != kind:
            raise ValueError(MANIFEST)
        return frozenset({*content["files"], MANIFEST})
    except (AttributeError, OSError, ValueError, KeyError, TypeError):
        raise HromadaError(
            f"This folder holds something that is not of an earlier {of}.",
            remedy="Name another folder, or empty it.",
            where=Where(file=folder),
        ) from None
