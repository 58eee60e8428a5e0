"""What the harness will hash of each test item, computed without it: by these, other items and prompts are noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence

from exports.benchmark_items import BenchmarkTask
from exports.benchmark_items.task_functions import Doc, build_prompt

PROMPT_COLUMNS = ("task", "item_id", "stimulus_sha256", "doc_sha256", "prompt_sha256", "target_sha256")
TARGET_DELIMITER, EXAMPLE_DELIMITER = " ", "\n\n"
"""The harness's own, as its tasks have them by default."""


def build_prompt_rows(tasks: Sequence[BenchmarkTask]) -> Iterator[tuple[str, ...]]:
    """The rows of prompts.csv, with the columns PROMPT_COLUMNS: one for each test item, in the order of the data file.

    They are the `doc_hash`, `prompt_hash` and `target_hash` of the harness's sample files, for the prompt with the
    examples of the task file and without a chat template or a system prompt.
    """
    for task in tasks:
        examples = "".join(map(_format_example, task.few_shot[: task.num_few_shot]))
        for doc in task.docs:
            target = doc["label"] if "label" in doc else doc["answer"]
            yield (
                task.name,
                doc["item_id"],
                doc["stimulus_sha256"],
                hash_text(format_doc(doc)),
                hash_text(examples + build_prompt(doc)),
                hash_text(str(target)),
            )


def format_doc(doc: Doc) -> str:
    """The row as the harness hashes it: JSON, two spaces a level; many times as fast as `json.dumps` with `indent`."""
    return "{\n" + ",\n".join(f'  "{name}": {_format_value(value)}' for name, value in doc.items()) + "\n}"


def _format_value(value: object) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(f"    {json.dumps(element, ensure_ascii=False)}" for element in value) + "\n  ]"
    return json.dumps(value, ensure_ascii=False)


def _format_example(doc: Doc) -> str:
    return f"{build_prompt(doc)}{TARGET_DELIMITER}{doc['answer']}{EXAMPLE_DELIMITER}"


def hash_text(text: str) -> str:
    """The sha256 of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()
