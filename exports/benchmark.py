"""A benchmark as one folder: tasks for models, people beside them, a data set for the Hub, and a manifest of it all."""

from __future__ import annotations

import hashlib
import itertools
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd

from aggregation.errors import HromadaError, Where
from aggregation.intervals.resampling import Progress
from exports import citation, hugging_face, inspect_ai, lm_eval, writers
from exports.benchmark_items import BenchmarkTask, BuildOptions, BuildSource, build_tasks
from exports.benchmark_items.differences import declare_differences, list_differences
from exports.benchmark_items.forms import name_generation
from exports.benchmark_items.readers import READERS_VERSION
from exports.benchmark_items.task_functions import PICTURES
from exports.foreign_files import GIT_ATTRIBUTES, NO_CONVERSION, is_foreign
from exports.lm_eval.replay import MAJORITY, TaskPeople, has_harness, list_samples
from exports.lm_eval.results import KEY_ROWS, MANIFEST, PROMPTS
from exports.lm_eval.task_files import format_rows
from exports.people_files import build_people_files

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
        "forms": {form.form: {"task": form.task, "metrics": list(form.metrics)} for form in task.forms},
        "hidden": source.hidden,
        "n_items": len(task.docs),
        "n_groups": len({doc["group"] for doc in task.docs}),
        "shows_pictures": source.shows_pictures,
        "n_few_shot": len(task.few_shot),
        "num_few_shot": task.num_few_shot,
        "left_out": dict(task.left_out),
        "human": task.human.to_plain(),
        "people": asdict(people),
        "differences": list(list_differences(task)),
    }


def hash_files(files: Files) -> dict[str, str]:
    """The SHA-256 of each file, by path."""
    contents = {path: content.encode() if isinstance(content, str) else content for path, content in files.items()}
    return {path: hashlib.sha256(content).hexdigest() for path, content in sorted(contents.items())}


def list_earlier_files(folder: Path, *, of: str, kind: str | None = None) -> frozenset[str]:
    """The files in a folder that its manifest lists, and the manifest; none in a new or an empty folder.

    A folder is empty too if it holds foreign files only, as a new repository of Git does.

    Raises HromadaError for a folder that holds anything else than what an earlier build or release (`of`) wrote, whose
    manifest is of this `kind`.
    """
    if not folder.exists() or (folder.is_dir() and _is_empty(folder)):
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


def _is_empty(folder: Path) -> bool:
    """Whether all in a folder is foreign and would not be overwritten."""
    return all(is_foreign(path.name) and path.name != GIT_ATTRIBUTES for path in folder.iterdir())


NO_HARNESS = "the extra `harness` is not installed: pip install 'lm-eval>=0.4.13,<0.5'"
ROWS_AT_ONCE = 10_000
SAMPLES = "samples.json"
NAMED_ITEMS = 5
"""How many items a note names."""
NOT_ASKED_FOR = "it was not asked for"
CANARY_SPACE = uuid.UUID("6f0f2c3e-7f0a-5b0e-9b1d-1d9a3c5e7b21")


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """The files to publish, by path in the folder, and those to keep back where gold is hidden.

    `manifest` is the content of manifest.json. `notes` say what is not there, and why.
    """

    files: Files
    key_files: Files
    manifest: Mapping[str, Any]
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class _Parts:
    """What a build is put together from: `left_out` are reasons by data set, `people` counts by task.

    `answered` has the indices of the items that people answered, by task.
    """

    tasks: tuple[BenchmarkTask, ...]
    left_out: Mapping[str, str]
    people: Mapping[str, TaskPeople]
    answered: Mapping[str, list[int]]
    harness: str
    no_replay: str
    canary: str
    notes: list[str] = field(default_factory=list)


def build_benchmark(
    source: BuildSource,
    *,
    options: BuildOptions,
    replay: bool = True,
    recorded: tuple[lm_eval.ReplayedPeople, lm_eval.ReplayedPeople] | None = None,
    progress: Progress | None = None,
) -> Benchmark:
    """Build all files of a benchmark; with `replay`, and where the harness is installed, also people's result files.

    `recorded` are such files of an earlier build, of open and of hidden tasks, which are taken instead. The same source
    and options give the same bytes. `progress` is called with the share that is done. Raises
    HromadaError where no task can be made of any question, with the reasons.
    """
    report = progress or (lambda _share: None)
    canary = make_canary(source)
    tasks, empty = build_tasks(source.tasks, options=options, canary=canary)
    left_out = {unfit.name: unfit.reason for unfit in source.unfit} | empty
    if not tasks:
        raise HromadaError(
            f"No task can be made of {source.name!r}: {_join_reasons(left_out)}.",
            remedy="Declare gold, or name the questions under `benchmark.questions` and collect answers first.",
        )
    report(0.3)
    _check_pictures(source, tasks)
    parquet = hugging_face.build_data_files(tasks, source.pictures)  # first, while little else is in memory
    report(0.5)
    recordings, people = lm_eval.list_recordings(tasks)
    rows = {
        (task.name, split): format_rows(docs)
        for task in tasks
        for split, docs in (("test", task.docs), ("few_shot", task.few_shot))
        if docs
    }
    task_files = lm_eval.build_task_files(source, tasks, rows)
    replayed, secret = lm_eval.ReplayedPeople(), lm_eval.ReplayedPeople()
    open_tasks, hidden_tasks = _part_tasks(tasks)
    no_replay = "" if replay and (recorded or has_harness()) else NO_HARNESS if replay else NOT_ASKED_FOR
    if recorded is not None:
        replayed, secret = recorded
    elif not no_replay:
        groups = (source.name, name_generation(source.name)) if source.is_group and not hidden_tasks else ()
        if open_tasks:
            replayed = lm_eval.replay_people(
                task_files, open_tasks, recordings, groups=[name for name in groups if f"{name}.yaml" in task_files]
            )
        if hidden_tasks:
            secret = lm_eval.replay_people(task_files, hidden_tasks, recordings)
    answered = list_samples(tasks, recordings[MAJORITY][0]) if recordings else {}
    scores, hidden_scores = (inspect_ai.build_people_files(part, recordings) for part in (open_tasks, hidden_tasks))
    del recordings
    report(0.7)
    parts = _Parts(
        tasks=tasks,
        left_out=left_out,
        people=people,
        answered=answered,
        harness=replayed.version or secret.version,
        no_replay=no_replay,
        canary=canary,
    )
    files = _build_open_files(source, parts, task_files, rows, parquet)
    files |= {f"results/{path}": content for path, content in replayed.files.items()}
    own = inspect_ai.build_task_files(source, tasks, rows, canary=canary) | scores
    files |= {f"inspect_ai/{path}": content for path, content in own.items()}
    key_files = _build_key_files(parts)
    key_files |= {f"results/{path}": content for path, content in secret.files.items()}
    key_files |= {f"inspect_ai/{path}": content for path, content in hidden_scores.items()}
    report(0.9)
    manifest = _build_manifest(source, options, parts, files, key_files)
    notes = _list_notes(parts, group=source.name if source.is_group else None)
    files[MANIFEST] = writers.format_json(manifest)
    return Benchmark(files=files, key_files=key_files, manifest=manifest, notes=notes)


def _check_pictures(source: BuildSource, tasks: Sequence[BenchmarkTask]) -> None:
    """Raise HromadaError for a picture of a test item that is missing, or not the one that its name says."""
    for name in sorted({name for task in tasks for name in task.images}):
        content = source.pictures.get(name)
        if content is None or hashlib.sha256(content).hexdigest() != name.partition(".")[0]:
            raise HromadaError(
                f"The picture {name} is {'missing' if content is None else 'another one'}.",
                remedy="Load the project file again, then build again.",
            )


def _join_reasons(left_out: Mapping[str, str]) -> str:
    """Every reason once, after the data sets that it is of."""
    named: dict[str, list[str]] = {}
    for name, reason in left_out.items():
        named.setdefault(reason, []).append(name)
    return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in named.items())


def make_canary(source: BuildSource) -> str:
    """A string by which training data that holds the benchmark is found; another one whenever the items change."""
    words = json.dumps([source.name, sorted(source.definitions.items())])
    return f"hromada:canary:{uuid.uuid5(CANARY_SPACE, words)}"


def write_benchmark(benchmark: Benchmark, folder: Path, key_folder: Path) -> tuple[Path, ...]:
    """Write the files into a new folder, an empty one, or one of an earlier build, whose other files are removed.

    The key goes to `key_folder`. Raises HromadaError for a folder that holds anything else, and for a key inside the
    folder that is published, before anything is changed.
    """
    if benchmark.key_files and key_folder.resolve().is_relative_to(folder.resolve()):
        raise HromadaError(
            "Hidden gold would be inside the folder that is published.",
            remedy="Name a folder outside it with --key.",
            where=Where(file=key_folder),
        )
    targets = [(folder, benchmark.files)] + ([(key_folder, benchmark.key_files)] if benchmark.key_files else [])
    old = {target: list_earlier_files(target, of="build") for target, _ in targets}
    written: list[Path] = []
    for target, files in targets:
        written += writers.write_files(target, files)
        writers.remove_files(target, old[target] - files.keys())
    return tuple(written)


def _part_tasks(tasks: Sequence[BenchmarkTask]) -> tuple[list[BenchmarkTask], list[BenchmarkTask]]:
    """The open tasks, and those whose gold is hidden."""
    return [task for task in tasks if not task.source.hidden], [task for task in tasks if task.source.hidden]


def _build_open_files(
    source: BuildSource,
    parts: _Parts,
    task_files: Mapping[str, str | bytes],
    rows: Mapping[tuple[str, str], bytes],
    parquet: tuple[Mapping[str, bytes], Sequence[hugging_face.DataFile]],
) -> Files:
    open_tasks, _ = _part_tasks(parts.tasks)
    data, described = parquet
    declaring = declare_differences(source, parts.tasks)
    card = hugging_face.build_card(declaring, parts.tasks, described, canary=parts.canary, left_out=parts.left_out)
    croissant = hugging_face.build_croissant(source, parts.tasks, described, data, canary=parts.canary)
    return {
        **{f"lm_eval/{path}": content for path, content in task_files.items()},
        **{f"lm_eval/{PICTURES}/{name}": source.pictures[name] for task in parts.tasks for name in task.images},
        f"lm_eval/{PROMPTS}": "".join(_format_prompts(parts.tasks)),
        **_build_sample_file(open_tasks, parts.answered),
        **build_people_files(open_tasks),
        citation.FILE: citation.build_cff(source, parts.tasks, licence=hugging_face.find_licence(source)),
        **{f"hugging_face/{path}": content for path, content in data.items()},
        **{f"hugging_face/{task}/{split}.jsonl": content for (task, split), content in rows.items()},
        "hugging_face/README.md": card,
        "hugging_face/croissant.json": writers.format_json(croissant),
        GIT_ATTRIBUTES: NO_CONVERSION,
    }


def _format_prompts(tasks: Sequence[BenchmarkTask]) -> Iterator[str]:
    """The parts of prompts.csv, of which only the first has the header."""
    rows = lm_eval.build_prompt_rows(tasks)
    header = len(",".join(lm_eval.PROMPT_COLUMNS)) + 1
    for number, part in enumerate(iter(lambda: list(itertools.islice(rows, ROWS_AT_ONCE)), [])):
        text = writers.format_csv(pd.DataFrame(part, columns=list(lm_eval.PROMPT_COLUMNS)))
        yield text[header if number else 0 :]


def _build_sample_file(tasks: Sequence[BenchmarkTask], answered: Mapping[str, list[int]]) -> Files:
    """What the harness takes as `--samples`: the items that people answered, for all tasks or some of them."""
    names = [form.task for task in tasks for form in task.forms]
    chosen = {name: answered[name] for name in names if name in answered}
    return {SAMPLES: json.dumps(chosen, sort_keys=True) + "\n"} if chosen else {}


def _build_key_files(parts: _Parts) -> Files:
    """The gold of hidden tasks and what people answered to their items; nothing where no gold is hidden."""
    _, hidden = _part_tasks(parts.tasks)
    if not hidden:
        return {}
    files: Files = {
        GIT_ATTRIBUTES: NO_CONVERSION,
        KEY_ROWS: b"".join(format_rows(task.key) for task in hidden),
        **build_people_files(hidden),
    }
    answers = hugging_face.build_human_file(hidden)
    if answers is not None:
        files["human_responses.parquet"] = answers
    return files | _build_sample_file(hidden, parts.answered)


def _build_manifest(
    source: BuildSource, options: BuildOptions, parts: _Parts, files: Files, key_files: Files
) -> dict[str, Any]:
    versions = {"hromada": source.version, "pyarrow": metadata.version("pyarrow")}
    if parts.harness:
        versions["lm_eval"] = parts.harness
    manifest = {
        "name": source.name,
        "title": source.title,
        "language": source.language,
        "group": source.is_group,
        "simulated": source.simulated,
        "canary": parts.canary,
        "definitions": dict(source.definitions),
        "consensus": {"method": options.method, "ties": options.ties},
        "seed": options.seed,
        "versions": versions,
        "readers_version": READERS_VERSION,
        "tasks": {task.name: describe_task(task, parts.people[task.name]) for task in parts.tasks},
        "left_out": dict(parts.left_out),
        "no_replay": parts.no_replay or None,
        "files": hash_files(files),
    }
    if key_files:
        key_files[MANIFEST] = writers.format_json({"name": source.name, "files": hash_files(key_files)})
    return manifest


def _list_voted_gold(task: BenchmarkTask) -> list[str]:
    """The note on items without gold of their own, if others have some: models are scored on them, people are not."""
    sources = {doc["item_id"]: doc["gold_source"] for doc in task.key or task.docs}
    voted = [item for item, source in sources.items() if source == "votes"]
    if not 0 < len(voted) < len(sources):
        return []
    named = ", ".join([*voted[:NAMED_ITEMS], *(["…"] if len(voted) > NAMED_ITEMS else [])])
    told = f"{len(voted)} of {len(sources)} items have no gold of their own: theirs is what most people said"
    return [f"{task.name}: {told}, and people are not scored on them ({named})."]


def _list_notes(parts: _Parts, *, group: str | None) -> tuple[str, ...]:
    """What is not there, and why, for people; and what models take that tell no likelihoods."""
    notes = [f"{name}: no task, {reason}." for name, reason in parts.left_out.items()]
    written = [task.forms[-1].task for task in parts.tasks if len(task.forms) > 1]
    if written:
        notes.append(f"Chat models take {name_generation(group) if group else ', '.join(written)}.")
    for task in parts.tasks:
        people = parts.people[task.name]
        notes += [f"{task.name}: {number} items left out: {reason}." for reason, number in task.left_out.items()]
        notes += _list_voted_gold(task)
        if people.reason:
            notes.append(f"{task.name}: people get no files of lm-eval: {people.reason}.")
        if people.n_runs > 1:
            shares = "" if people.are_shares_exact else ", in which their shares are rounded"
            notes.append(
                f"{task.name}: the majority is tied on {people.n_ties} items, so its files are of {people.n_runs}"
                f" runs{shares}; `hromada results` pools them."
            )
        if people.n_unanswered:
            notes.append(f"{task.name}: {people.n_unanswered} items that were only skipped are wrong for the majority.")
        if task.source.shows_pictures:
            notes.append(
                f"{task.name}: items show pictures, so only a model that sees can be asked, by generation; it gets no"
                " examples, since the harness shows the pictures of one item only."
            )
        if not task.few_shot and task.source.n_examples:
            notes.append(f"{task.name}: no few-shot examples: every group with gold has items in the test.")
        if "licence" not in task.source.declared:
            notes.append(f"{task.name}: no licence is declared.")
    if not any("authors" in task.source.declared for task in parts.tasks):
        notes.append(f"{citation.FILE}: no authors are declared; write `declared: {{authors: …}}`, with semicolons.")
    return (*notes, *([f"People's result files are missing: {parts.no_replay}."] if parts.no_replay else []))
