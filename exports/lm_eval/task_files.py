"""The folder `lm_eval`: a YAML file for each task and group, the data, and the functions that tasks call."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Mapping, Sequence
from importlib import resources

from aggregation.errors import HromadaError
from exports.benchmark_items import HUMAN_RESPONSES, BenchmarkTask, BuildSource, TaskForm
from exports.benchmark_items.forms import name_forms, name_generation, name_questions
from exports.benchmark_items.readers import READERS_VERSION
from exports.benchmark_items.task_functions import AGGREGATIONS, Doc
from exports.lm_eval.run_files import EXAMPLE_DELIMITER, TARGETS

COPIED_MODULES = (
    ("aggregation", "scoring.py"),
    ("exports.benchmark_items", "replies.py"),
    ("exports.benchmark_items", "option_replies.py"),
    ("exports.benchmark_items", "readers.py"),
    ("exports.benchmark_items", "task_functions.py"),
)
"""What tasks are scored by; each imports only modules before it."""
_IMPORT_HERE = re.compile(r"^from (?:aggregation|exports\.benchmark_items) import (?P<names>.+)\n", re.MULTILINE)
IMPORT_THERE = """\
import importlib.util
import sys
from pathlib import Path

_spec = importlib.util.spec_from_file_location("hromada_{name}_{digest}", Path(__file__).with_name("{name}.py"))
{name} = sys.modules[_spec.name] = importlib.util.module_from_spec(_spec)  # its dataclasses look there for it
_spec.loader.exec_module({name})
"""
"""How a copied file finds the others: beside it; the harness puts no folder on Python's path."""
ERRORS = ("wer", "cer")
HASH_DIGITS = 16


def format_rows(docs: Sequence[Doc]) -> bytes:
    """Rows as JSON Lines; raises HromadaError for a text with half a character (a lone surrogate)."""
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    buffer = io.BytesIO()
    for doc in docs:
        try:
            buffer.write(f"{encode(doc)}\n".encode())
        except UnicodeEncodeError as error:
            raise HromadaError(
                f"Half a character (a lone surrogate) is in a text of the item {doc['item_id']!r}.",
                remedy="Correct that item in its source, then build again.",
            ) from error
    return buffer.getvalue()


def build_task_files(
    source: BuildSource, tasks: Sequence[BenchmarkTask], rows: Mapping[tuple[str, str], bytes]
) -> dict[str, str | bytes]:
    """Build the files of the folder: name → content; `rows` are the rows by task and split, as JSON Lines.

    Raises HromadaError where two tasks, or a task and another part, would have one name.
    """
    groups = build_groups(source, tasks)
    names = [HUMAN_RESPONSES, *(form.task for task in tasks for form in task.forms), *groups]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise HromadaError(
            f"Two parts of the benchmark would be called {repeated!r}.",
            remedy="Give the project, the question or the programme another name.",
        )
    files: dict[str, str | bytes] = {**_copy_functions()}
    digest = _hash(str(files["scoring.py"]))
    for task in tasks:
        data_files = {}
        for split in ("test", "few_shot"):
            if (task.name, split) in rows:
                content = rows[task.name, split]
                data_files[split] = name_data_file(task.name, split, content)
                files[data_files[split]] = content
        files |= {
            f"{form.task}.yaml": _build_task_file(source, task, form, data_files, scorer_sha256=digest)
            for form in task.forms
        }
    means = {source.name, name_generation(source.name)} if source.is_group else set()
    return files | {
        f"{name}.yaml": _build_group_file(name, forms, has_mean=name in means) for name, forms in groups.items()
    }


def build_groups(source: BuildSource, tasks: Sequence[BenchmarkTask]) -> dict[str, list[TaskForm]]:
    """The tasks of each group: programmes and projects of several questions, as they are named and by generation.

    What has two forms is a group of all of them.

    The harness runs no two groups at once that share a task, so a programme has a group of all forms too.
    """
    groups = {name_forms(task.name): list(task.forms) for task in tasks if len(task.forms) > 1}
    projects: dict[str, list[BenchmarkTask]] = {}
    for task in tasks:
        projects.setdefault(task.data.name.partition("/")[0], []).append(task)
    for project, own in projects.items():
        if len(own) > 1:
            groups[name_questions(project)] = [task.forms[0] for task in own]
            groups[name_generation(name_questions(project))] = [task.forms[-1] for task in own]
    if source.is_group and tasks:
        by_name = {source.name: [task.forms[0] for task in tasks]}
        if groups:
            by_name[name_generation(source.name)] = [task.forms[-1] for task in tasks]
            by_name[name_forms(source.name)] = [form for task in tasks for form in task.forms]
        groups = by_name | groups
    return groups


def name_data_file(task: str, split: str, content: bytes) -> str:
    """The path of a data file in the folder, another one whenever its content is: the harness keeps what it loaded."""
    return f"data/{task}-{split}-{hashlib.sha256(content).hexdigest()[:HASH_DIGITS]}.jsonl"


def _read_source(package: str, name: str) -> str:
    return resources.files(package).joinpath(name).read_text("utf-8")


def _copy_functions() -> dict[str, str]:
    """The files of functions; each imports those before it from its own folder, by the hash of their content."""
    copies: dict[str, str] = {}

    def copy_import(match: re.Match[str]) -> str:
        names = match["names"].split(", ")
        digests = [_hash(copies[f"{name}.py"])[:HASH_DIGITS] for name in names]
        there = map(IMPORT_THERE.format_map, ({"name": n, "digest": d} for n, d in zip(names, digests, strict=True)))
        return "".join(there)

    for package, source in COPIED_MODULES:
        content = _IMPORT_HERE.sub(copy_import, _read_source(package, source))
        copies["tasks.py" if source == "task_functions.py" else source] = content
    return copies


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _build_task_file(
    source: BuildSource, task: BenchmarkTask, form: TaskForm, data_files: Mapping[str, str], *, scorer_sha256: str
) -> str:
    is_choice = form.form == "likelihood"
    lines = [
        *(["# Items show pictures: only a model that sees can be asked."] if task.source.shows_pictures else []),
        f"task: {_quote(form.task)}",
        "custom_dataset: !function tasks.load_data",
        f"dataset_kwargs: {_quote({'data_files': dict(data_files)})}",
        f"output_type: {'multiple_choice' if is_choice else 'generate_until'}",
        "test_split: test",
        *(["fewshot_split: few_shot", "fewshot_config: {sampler: first_n}"] if task.few_shot else []),
        f"num_fewshot: {task.num_few_shot}",
        *([f"description: {_quote(_escape_template(task.description))}"] if task.description else []),
        "doc_to_text: !function tasks.build_prompt",
        *(["doc_to_image: !function tasks.load_images"] if task.source.shows_pictures else []),
        *([f"doc_to_choice: {_choose_continuations(task)}"] if is_choice else []),
        f"doc_to_target: {TARGETS[form.form]}",
        f"fewshot_delimiter: {_quote(EXAMPLE_DELIMITER)}",
        f"process_results: !function tasks.{task.scorer}",
        "metric_list:",
        *(_build_metric(metric) for metric in form.metrics),
        *([] if is_choice else [f"generation_kwargs: {_quote(task.space.describe_generation())}"]),
        f"metadata: {_quote(_build_metadata(source, task, scorer_sha256=scorer_sha256))}",
    ]
    return "\n".join(lines) + "\n"


def _choose_continuations(task: BenchmarkTask) -> str:
    """Of what a model tells the likelihood: the options' words, or their marks, with the texts beside them."""
    if "marks" not in task.docs[0]:
        return "options"
    return "!function tasks.list_names_and_texts" if task.space.has_norm else "marks"


def _build_metric(metric: str) -> str:
    is_pooled = metric.startswith("f1 ")
    function = "compute_pooled_f1" if is_pooled else AGGREGATIONS.get(metric, None)
    aggregation = "mean" if function is None else f"!function tasks.{getattr(function, '__name__', function)}"
    better = "false" if metric in ERRORS else "true"
    return f"  - {{metric: {_quote(metric)}, aggregation: {aggregation}, higher_is_better: {better}}}"


def _build_metadata(source: BuildSource, task: BenchmarkTask, *, scorer_sha256: str) -> dict[str, object]:
    return {
        "version": 1.0,
        "dataset": task.data.name,
        "hidden": task.source.hidden,
        "scoring_sha256": scorer_sha256,
        "readers_version": READERS_VERSION,
        "hromada": source.version,
        "canary": task.docs[0]["canary"],
        "human": task.human.to_plain(),
    }


def _build_group_file(name: str, forms: Sequence[TaskForm], *, has_mean: bool) -> str:
    """A group; if it has a mean and all its tasks are of one form, it is that of metrics which all of them have.

    Each task counts the same.
    """
    is_one = has_mean and len({form.form for form in forms}) == 1
    common = [metric for metric in forms[0].metrics if is_one and all(metric in form.metrics for form in forms)]
    lines = [f"group: {_quote(name)}", "task:", *(f"  - {_quote(form.task)}" for form in forms)]
    if common:
        lines.append("aggregate_metric_list:")
        lines += [f"  - {{metric: {_quote(metric)}, aggregation: mean, weight_by_size: false}}" for metric in common]
    return "\n".join([*lines, "metadata: {version: 1.0}"]) + "\n"


def _escape_template(text: str) -> str:
    """A text that the harness, which takes it for a template of Jinja, prints as it is."""
    return f"{{{{ {_quote(text)} }}}}" if re.search(r"\{[{%#]", text) else text


def _quote(value: object) -> str:
    """A value as JSON, which is YAML too."""
    return json.dumps(value, ensure_ascii=False)
