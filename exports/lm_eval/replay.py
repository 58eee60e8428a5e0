"""People replayed through the lm-evaluation-harness: each annotator, and the majority, as a model with result files.

The harness (the extra `harness`) is imported here alone, and loads the tasks as anybody would: from their folder.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata, util
from pathlib import Path
from typing import Any

import pandas as pd

from aggregation.answer_types import build_consensus
from aggregation.errors import HromadaError
from exports.benchmark_items import BenchmarkTask
from exports.benchmark_items.answer_space import build_reply

MAJORITY = "majority"
CIRCULAR = "the gold was made of their own votes, so that people would be scored against themselves"
NO_ANSWERS = "nobody has answered an item that has gold"
UNREPEATABLE = frozenset({"date", "total_evaluation_time_seconds"})
"""What differs between two runs of the same; the rest of the harness's own facts (host, commit) is never asked for."""

_FUNCTION = re.compile(r"<function (\w+) at 0x[0-9a-f]+>")
"""A function of a task as the harness writes it, with its place in memory."""

Recording = dict[str, dict[str, str | None]]
"""The stored answers of somebody, by task and item; None for a skip."""


@dataclass(frozen=True, kw_only=True)
class TaskPeople:
    """How people answered the items of a task that they are scored on.

    `n_ties` are items without a majority, `n_unanswered` those that were only skipped: both are left out of its replay.
    `reason` says why nobody is replayed, else it is empty.
    """

    n_annotators: int = 0
    n_answers: int = 0
    n_skips: int = 0
    n_items: int = 0
    n_ties: int = 0
    n_unanswered: int = 0
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class ReplayedPeople:
    """The files of the replay, by path in their folder, and the version of the harness that made them."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    version: str = ""


class _IndexList(list[int]):
    """Indices of items; the harness asks for every item whether it is among them."""

    def __init__(self, indices: Sequence[int]) -> None:
        super().__init__(indices)
        self._known = frozenset(indices)

    def __contains__(self, index: object) -> bool:
        return index in self._known


def has_harness() -> bool:
    """Whether the extra `harness` is installed."""
    return util.find_spec("lm_eval") is not None


def get_harness_version() -> str:
    """The version of the harness that is installed, empty without one."""
    return metadata.version("lm_eval") if has_harness() else ""


def list_recordings(tasks: Sequence[BenchmarkTask]) -> tuple[dict[str, Recording], dict[str, TaskPeople]]:
    """What each person, and the majority, said to the items of the tasks; and the counts of it by task.

    They are the votes and skips on which baselines rest: the first so many of each item, on gold that others made.
    """
    recordings: dict[str, Recording] = defaultdict(dict)
    people: dict[str, TaskPeople] = {}
    for task in tasks:
        data = task.data.keep_first_places()
        gold = dict(zip(data.items["item_id"], data.list_scoring_gold().notna(), strict=True))
        items = {doc["item_id"] for doc in task.docs if gold[doc["item_id"]]}
        answers, skips = (
            frame.loc[frame["item_id"].isin(items), ["item_id", "annotator", "response"]]
            for frame in (data.list_counted_answers(), data.list_counted_skips())
        )
        if answers.empty:
            people[task.name] = TaskPeople(reason=NO_ANSWERS if items else CIRCULAR)
            continue
        rows = pd.concat([answers, skips]).sort_values(["annotator", "item_id"], kind="stable")
        for item, annotator, response in rows.itertuples(index=False):
            recordings[annotator].setdefault(task.name, {})[item] = response
        labels = build_consensus(data.build_answers(), method="majority", ties="drop").labels
        labels = labels.loc[labels.index.isin(items)]
        said = labels["label"].dropna().sort_index()
        recordings[MAJORITY][task.name] = dict(zip(map(str, said.index), said, strict=True))
        people[task.name] = TaskPeople(
            n_annotators=rows["annotator"].nunique(),
            n_answers=len(answers),
            n_skips=len(skips),
            n_items=rows["item_id"].nunique(),
            n_ties=int(labels["label"].isna().sum()),
            n_unanswered=rows["item_id"].nunique() - len(labels),
        )
    return dict(sorted(recordings.items())), people


def list_samples(tasks: Sequence[BenchmarkTask], recording: Recording) -> dict[str, list[int]]:
    """The indices of the items that somebody answered, by task: what the harness takes as `--samples`."""
    return {
        task.name: sorted(map(task.positions.__getitem__, recording[task.name]))
        for task in tasks
        if recording.get(task.name)
    }


def replay_people(
    task_files: Mapping[str, str | bytes],
    tasks: Sequence[BenchmarkTask],
    recordings: Mapping[str, Recording],
    *,
    group: str | None = None,
) -> ReplayedPeople:
    """Let the harness score the recordings on the tasks of a folder with these files; what differs by run is left out.

    The majority is scored in the `group` too, where it answered items of each of its tasks. Raises HromadaError where
    the harness writes no result.
    """
    files: dict[str, bytes] = {}
    with (
        tempfile.TemporaryDirectory(prefix="hromada-build-") as name,
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        folder = Path(name)
        for path, content in task_files.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(content.encode() if isinstance(content, str) else content)
        loaded = _load_tasks(folder, [task.name for task in tasks], group)
        results = folder / "results"
        for person, recording in recordings.items():
            if not list_samples(tasks, recording):
                continue
            _replay_person(person, recording, tasks, loaded, results)
            files |= dict(_read_results(results, f"human-{person}"))
    return ReplayedPeople(files=dict(sorted(files.items())), version=metadata.version("lm_eval"))


def _load_tasks(folder: Path, names: Sequence[str], group: str | None) -> Any:
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(folder), include_defaults=False)
    loaded: Any = manager.load([group] if group is not None else list(names))
    return loaded


def _build_model(person: str, recording: Recording, tasks: Sequence[BenchmarkTask]) -> Any:
    """A model that says what the person said; an item that they were not asked raises KeyError."""
    from lm_eval.api.model import LM

    kinds = {task.name: task.data.kind for task in tasks}

    def reply(request: Any) -> Any:
        stored = recording[request.task_name][request.doc["item_id"]]
        return build_reply(kinds[request.task_name], stored, request.doc)

    class ReplayedPerson(LM):  # type: ignore[misc]  # the harness has no types
        """One person, or the majority."""

        def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
            return [(0.0, True) if request.idx == reply(request) else (-math.inf, False) for request in requests]

        def generate_until(self, requests: list[Any]) -> list[str]:
            return [reply(request) for request in requests]

        def loglikelihood_rolling(self, requests: list[Any]) -> list[float]:
            raise NotImplementedError(f"{person} was asked no such question: {len(requests)}")

    return ReplayedPerson()


def _replay_person(
    person: str, recording: Recording, tasks: Sequence[BenchmarkTask], loaded: Any, folder: Path
) -> None:
    from lm_eval import evaluator
    from lm_eval.loggers import EvaluationTracker

    indices = list_samples(tasks, recording)
    chosen = {name: task for name, task in loaded["tasks"].items() if indices.get(name)}
    is_whole = person == MAJORITY and len(chosen) == len(loaded["tasks"])
    name = f"human-{person}"
    facts = {"model": name, "kind": "human_baseline", "person": person}
    tracker = EvaluationTracker(output_path=str(folder))
    tracker.general_config_tracker.log_experiment_args(
        model_source="human",
        model_args=facts,
        system_instruction=None,
        chat_template=None,
        fewshot_as_multiturn=False,
    )
    found: Any = evaluator.evaluate(
        lm=_build_model(person, recording, tasks),
        task_dict={"tasks": chosen, "groups": loaded["groups"] if is_whole else {}, "group_map": {}},
        samples={task: _IndexList(numbers) for task, numbers in indices.items()},
        bootstrap_iters=0,
    )
    samples = found.pop("samples")
    found["config"] = {"model": f"human:{person}", "model_args": facts, "limit": None, "bootstrap_iters": 0}
    found["lm_eval_version"] = metadata.version("lm_eval")
    tracker.save_results_aggregated(results=found, samples=samples)
    for task, rows in samples.items():
        tracker.save_results_samples(task_name=task, samples=rows)


def _read_results(folder: Path, name: str) -> Iterator[tuple[str, bytes]]:
    """The result files of one person, under names without a date."""
    written = sorted((folder / name).glob("results_*.json"))
    if len(written) != 1:
        raise HromadaError(
            f"The harness wrote no result for {name}.",
            remedy="Install the version that hromada's extra `harness` names.",
        )
    text = _FUNCTION.sub(r"<function \1>", written[0].read_text("utf-8"))
    content = json.loads(text)
    kept = {key: value for key, value in content.items() if key not in UNREPEATABLE}
    for config in kept["configs"].values():
        config["metadata"]["config_source"] = Path(config["metadata"]["config_source"]).name
    yield f"{name}/results_replay.json", (json.dumps(kept, ensure_ascii=False, indent=2) + "\n").encode()
    for file in sorted((folder / name).glob("samples_*.jsonl")):
        task = file.name.removeprefix("samples_").rpartition("_")[0]
        yield f"{name}/samples_{task}_replay.jsonl", file.read_bytes()
