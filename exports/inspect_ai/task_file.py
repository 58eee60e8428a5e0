"""The files `tasks.py` and `tasks.json` of the folder: every task of the build that asks for a written answer.

`tasks.py.txt` is the first of them but for a function a task. It imports Inspect AI, which no module of hromada does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from exports.benchmark_items import BenchmarkTask, BuildSource
from exports.lm_eval.run_files import EXAMPLE_DELIMITER, TARGET_DELIMITER
from exports.lm_eval.task_files import name_data_file

FUNCTION = '''

@task(name={name})
def {function}(key: str = "", people: bool = True, only_answered: bool = False) -> Task:
    """{words}"""
    return build_task({name}, key=key, people_too=people, only_answered=only_answered)
'''
TEMPLATE = "tasks.py.txt"
READERS = {
    "score_choice": "read_label", "score_class": "read_label", "score_boxes": "read_boxes",
    "score_fixed_boxes": "read_boxes", "score_text": "read_text", "score_edit": "read_text", "score_span": "read_spans",
}  # fmt: skip
"""What each scorer reads a reply with."""
Rows = Mapping[tuple[str, str], bytes]


def build_task_files(source: BuildSource, tasks: Sequence[BenchmarkTask], rows: Rows, *, canary: str) -> dict[str, str]:
    """Build the files: name in the folder → content; `rows` are the rows by task and split, as the harness has them."""
    entries = {name_task(task): _describe_task(task, rows) for task in tasks}
    head = resources.files("exports.inspect_ai").joinpath(TEMPLATE).read_text("utf-8").replace("$CANARY", canary)
    seen = {name_task(task) for task in tasks if task.source.shows_pictures}
    functions = (
        FUNCTION.format(
            name=_quote(name),
            function=_name_function(name, number),
            words=f"{entry['n_items']} items of {entry['task']}; `key` is the folder of hidden gold."
            + " They show pictures: the model must have vision." * (name in seen),
        )
        for number, (name, entry) in enumerate(entries.items(), start=1)
    )
    content = {
        "canary": canary,
        "hromada": source.version,
        "target_delimiter": TARGET_DELIMITER,
        "example_delimiter": EXAMPLE_DELIMITER,
        "tasks": entries,
    }
    return {
        "tasks.py": head + "".join(functions),
        "tasks.json": json.dumps(content, ensure_ascii=False, indent=2) + "\n",
    }


def name_task(task: BenchmarkTask) -> str:
    """The name of a task in Inspect: that of the harness's task that asks for a written answer, as every one has."""
    return next(form.task for form in task.forms if form.form == "generation")


def _describe_task(task: BenchmarkTask, rows: Rows) -> dict[str, Any]:
    """What tasks.py needs of a task: files in the folder `lm_eval`, names of functions and of fields of a row."""
    return {
        "task": task.name,
        "version": 1,
        "n_items": len(task.docs),
        "test": name_data_file(task.name, "test", rows[task.name, "test"]),
        "few_shot": name_data_file(task.name, "few_shot", rows[task.name, "few_shot"]) if task.few_shot else None,
        "num_few_shot": task.num_few_shot,
        "description": task.description,
        "scorer": task.scorer,
        "reader": READERS[task.scorer],
    }


def _name_function(name: str, number: int) -> str:
    """The name of the function of a task, which nobody sees: letters, digits and the task's number."""
    return f"task_{number}_{re.sub(r'[^0-9a-z]+', '_', name.lower())}".rstrip("_")


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
