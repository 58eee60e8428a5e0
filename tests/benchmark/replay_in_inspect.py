"""Runs the tasks of a build in Inspect AI, with people's replies as those of its mock model; prints what came out.

A test starts it with the Python of the environment that has Inspect: replay_in_inspect.py LOGS BUILD…
"""

from __future__ import annotations

import json
import sys
from base64 import b64decode
from hashlib import sha256
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
    """What Inspect computes for these replies: values by scorer and metric, items without an answer, what was sent."""

    sent: dict[str, str] = {}

    def reply(messages: list[Any], *_: object) -> Any:
        state = sample_state()
        sent[state.sample_id] = write_messages(messages)
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
    results = log.results
    return {
        "values": {
            score.name: {name: metric.value for name, metric in score.metrics.items()} for score in results.scores
        },
        "headline": results.headline.metric,
        "unread": sorted(sample.id for sample in log.samples if sample.scores["grade"].answer is None),
        "inputs": sent,
    }


def write_messages(messages: list[Any]) -> str:
    """What was sent as one text; a picture in it is the SHA-256 of its bytes in angle brackets."""
    (message,) = messages
    if isinstance(message.content, str):
        return message.content
    return "".join(part.text if part.type == "text" else f"<{hash_picture(part.image)}>" for part in message.content)


def hash_picture(uri: str) -> str:
    """The SHA-256 of the bytes of a `data:` URI of a PNG or JPEG file."""
    head, _, content = uri.partition(",")
    assert head in {"data:image/png;base64", "data:image/jpeg;base64"}
    return sha256(b64decode(content)).hexdigest()


def run_build(build: Path, logs: Path) -> dict[str, dict[str, Any]]:
    """What the majority and two people have on each task of a build, by task and person."""
    file, key = build / "inspect_ai/tasks.py", build.with_name(f"{build.name}-key")
    people = sorted([*build.glob("results/human-*"), *key.glob("results/human-*")], key=lambda folder: folder.name)
    chosen = [*people[:2], *(folder for folder in people[2:] if folder.name == "human-majority")]
    found: dict[str, dict[str, Any]] = {}
    for task in (info.name for info in list_tasks(file.name, root_dir=file.parent)):
        for folder in chosen:
            if replies := read_replies(folder, task):
                is_found = folder.name == "human-majority" or not folder.is_relative_to(key)
                arguments = {} if is_found else {"key": str(key)}
                found.setdefault(task, {})[folder.name] = run_task(file, task, replies, logs, **arguments)
    return found


if __name__ == "__main__":
    logs, *builds = map(Path, sys.argv[1:])
    print(json.dumps({build.parent.name: run_build(build, logs) for build in builds}, ensure_ascii=False))
