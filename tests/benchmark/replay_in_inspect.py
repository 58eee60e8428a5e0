"""Runs the tasks of a build in Inspect AI, with people's replies as those of its mock model; prints what came out.

The test starts it with the Python of the environment that has Inspect: replay_in_inspect.py BUILD LOGS [KEY].
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from inspect_ai import eval as run_tasks
from inspect_ai import list_tasks
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver._task_state import sample_state

Replies = dict[str, list[str]]
"""The replies of somebody by item, one a run."""


def read_replies(folder: Path, task: str) -> Replies:
    """The replies in the sample files of a person, or of all runs of a majority."""
    replies: Replies = {}
    for file in sorted(folder.glob(f"samples_{task}_replay*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            sample = json.loads(line)
            replies.setdefault(sample["doc"]["item_id"], []).append(sample["filtered_resps"][0])
    return replies


def run_task(file: Path, task: str, replies: Replies, logs: Path, **arguments: object) -> dict[str, Any]:
    """What Inspect computes for these replies: its values by scorer and metric, and the grades of each sample."""

    def reply(*_: object) -> Any:
        state = sample_state()
        output = ModelOutput.from_content("mockllm", replies[state.sample_id][state.epoch - 1])
        return output.model_copy(update={"usage": ModelUsage()})  # otherwise a tokenizer is fetched, to count them

    (log,) = run_tasks(
        f"{file}@{task}",
        model=get_model("mockllm/model", custom_outputs=reply, memoize=False),
        task_args=arguments,
        sample_id=sorted(replies),
        epochs=len(next(iter(replies.values()))),
        log_dir=str(logs),
        display="none",
        log_format="json",
    )
    assert log.status == "success", log.error.message
    return {
        "values": {
            score.name: {name: metric.value for name, metric in score.metrics.items()} for score in log.results.scores
        },
        "headline": log.results.headline.model_dump() if log.results.headline else None,
        "grades": [sample.scores["grade"].metadata["grades"] for sample in log.samples],
        "inputs": {sample.id: sample.input for sample in log.samples},
    }


def main(build: Path, logs: Path, key: Path | None = None) -> None:
    """Every task of the file for every person who answered it."""
    file, found = build / "inspect_ai/tasks.py", {}
    arguments = {} if key is None else {"key": str(key)}
    for task in (info.name for info in list_tasks(str(file.name), root_dir=file.parent)):
        for folder in sorted([*(build / "results").glob("human-*"), *((key or build) / "results").glob("human-*")]):
            if replies := read_replies(folder, task):
                found.setdefault(task, {})[folder.name] = run_task(file, task, replies, logs, **arguments)
    print(json.dumps(found, ensure_ascii=False))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
