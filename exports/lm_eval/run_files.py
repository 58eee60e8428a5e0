"""The files of one run of the harness: its results, and the samples that it logged."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from aggregation.errors import HromadaError, Where
from exports.benchmark_items import BenchmarkTask
from exports.benchmark_items.answer_spaces.answer_space import LONG_GAP
from exports.benchmark_items.forms import FormName
from exports.benchmark_items.task_functions import Doc, build_prompt

PROMPT_COLUMNS = ("task", "item_id", "stimulus_sha256", "doc_sha256", "prompt_sha256", "target_sha256")
TARGET_DELIMITER, EXAMPLE_DELIMITER = " ", LONG_GAP
"""Before the answer of an example, as the harness has it by default, and after it, where replies end too."""

TARGETS: Mapping[FormName, str] = MappingProxyType({"likelihood": "label", "generation": "answer"})
"""The field of a row that has the right answer, by the form of the task."""


def build_prompt_rows(tasks: Sequence[BenchmarkTask]) -> Iterator[tuple[str, ...]]:
    """The rows of prompts.csv, with the columns PROMPT_COLUMNS: for each task of the harness, one for each test item.

    They are in the order of the data file, and have the `doc_hash`, `prompt_hash` and `target_hash` of the harness's
    sample files, for the prompt with the examples of the task file and without a chat template or a system prompt.
    """
    for task in tasks:
        examples = task.description + "".join(map(_format_example, task.few_shot[: task.num_few_shot]))
        hashes = [(hash_text(format_doc(doc)), hash_text(examples + build_prompt(doc))) for doc in task.docs]
        for form in task.forms:
            target = TARGETS[form.form]
            for doc, (doc_sha256, prompt_sha256) in zip(task.docs, hashes, strict=True):
                asked = (form.task, doc["item_id"], doc["stimulus_sha256"])
                yield (*asked, doc_sha256, prompt_sha256, hash_text(str(doc[target])))


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


Sample = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class HarnessRun:
    """A result file, its model, and its sample files by task."""

    file: Path
    model: str
    content: Mapping[str, Any]
    samples: Mapping[str, Path]

    @property
    def series(self) -> Path:
        """What is read together: the folder of a majority's runs, else the file alone."""
        return self.file.parent if self.number else self.file

    @property
    def number(self) -> int:
        """Which run of a majority it is, from 1; 0 for any other run."""
        facts = self.content["config"].get("model_args")
        return int(facts["run"]) if isinstance(facts, dict) and "runs" in facts else 0

    def is_as_built(self, task: str, num_few_shot: int) -> bool:
        """Whether nobody added a system prompt, or asked for another number of examples."""
        n_shot = (self.content.get("n-shot") or {}).get(task)
        return not self.content.get("system_instruction") and n_shot == num_few_shot


def find_results(folder: Path) -> list[Path]:
    """The result files under a folder, sorted; raises HromadaError where there are none."""
    files = sorted(folder.rglob("results_*.json"))
    if not files:
        raise HromadaError(
            "There is no result file of the harness here.",
            remedy="Run lm_eval with --output_path and --log_samples, and name that folder.",
            where=Where(file=folder),
        )
    return files


def read_run(file: Path) -> HarnessRun:
    """The run of a result file; raises HromadaError for one that cannot be read."""
    try:
        content = json.loads(file.read_text("utf-8"))
        config = content["config"]
        name = content.get("model_name") if config.get("model_args") else config["model"]
        tasks = list(content["results"])
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as failure:
        raise HromadaError(
            f"The result file cannot be read ({type(failure).__name__}).",
            remedy="Run the harness again, or take the file away.",
            where=Where(file=file),
        ) from None
    date = file.stem.removeprefix("results_")
    samples = {task: file.with_name(f"samples_{task}_{date}.jsonl") for task in tasks}
    return HarnessRun(
        file=file,
        model=str(name or config["model"]),
        content=content,
        samples={task: path for task, path in samples.items() if path.is_file()},
    )


def read_samples(file: Path) -> Iterator[Sample]:
    """The samples of a file; raises HromadaError with the line of one that cannot be read."""
    with file.open(encoding="utf-8", errors="surrogateescape") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                line.encode("utf-8")  # bytes that are no UTF-8 fail here, where the line is known
                sample = json.loads(line)
                needed = {name: sample[name] for name in ("doc", "prompt_hash", "filtered_resps")}
                needed["arguments"] = sample.get("arguments")
            except (ValueError, KeyError, TypeError) as failure:
                raise HromadaError(
                    f"This sample cannot be read ({type(failure).__name__}).",
                    remedy="Run the harness again with --log_samples.",
                    where=Where(file=file, line=number),
                ) from None
            yield needed


def read_prompt(sample: Sample) -> str:
    """The prompt of a sample, of a chat the contents of its messages; "" where it is not that of its hash."""
    try:
        prompt = sample["arguments"]["gen_args_0"]["arg_0"]
    except (LookupError, TypeError):
        return ""
    is_chat = isinstance(prompt, list)  # messages, which the harness hands on as JSON in a tuple
    written = str(prompt[0] if is_chat and prompt else prompt)
    if hash_text(written) != sample["prompt_hash"]:
        return ""
    return "\n".join(str(message.get("content")) for message in json.loads(written)) if is_chat else written


def holds_in_order(text: str, pieces: Sequence[str]) -> bool:
    """Whether pieces stand in a text one after the other."""
    place = 0
    for piece in pieces:
        start = text.find(piece, place)
        if start < 0:
            return False
        place = start + len(piece)
    return True
