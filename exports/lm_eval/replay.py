"""People replayed through the lm-evaluation-harness: each annotator, and the majority, as a model with result files.

The majority answers every item that people answered. The harness knows no shared answers, so a task with ties is
replayed several times: as often as the least common multiple of the numbers tied says, and each of m tied answers is
the answer in 1/m of the runs. Means over the runs, and their pooled confusion matrix, are then those of `hromada
baseline`.

The harness (the extra `harness`) is imported here alone, and loads the tasks as anybody would: from their folder.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata, util
from pathlib import Path
from typing import Any

import pandas as pd

from aggregation.answer_types import build_consensus
from aggregation.errors import HromadaError
from exports.benchmark_items import BenchmarkTask

MAJORITY = "majority"
CIRCULAR = "the gold was made of their own votes, so that people would be scored against themselves"
NO_ANSWERS = "nobody has answered an item that has gold"
UNREPEATABLE = frozenset({"date", "total_evaluation_time_seconds"})
"""What differs between two runs of the same; the rest of the harness's own facts (host, commit) is never asked for."""

_FUNCTION = re.compile(r"<function (\w+) at 0x[0-9a-f]+>")
"""A function of a task as the harness writes it, with its place in memory."""

Said = dict[str, str | None]
"""Stored answers by item; None for a skip."""
Recording = dict[str, Said]
"""The stored answers of somebody, by task."""
MOST_RUNS = 60
"""More runs are not made of a task; each tied answer then has its share to within one run."""


@dataclass(frozen=True, kw_only=True)
class TaskPeople:
    """How people answered the items of a task that they are scored on.

    `n_ties` are items on which the majority is tied, so that its replay has `n_runs` runs; `n_unanswered` those that
    were only skipped, which are wrong. `are_shares_exact` is false where more runs than MOST_RUNS would be needed.
    `reason` says why nobody is replayed, else it is empty.
    """

    n_annotators: int = 0
    n_answers: int = 0
    n_skips: int = 0
    n_items: int = 0
    n_ties: int = 0
    n_unanswered: int = 0
    n_runs: int = 1
    are_shares_exact: bool = True
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


def list_recordings(tasks: Sequence[BenchmarkTask]) -> tuple[dict[str, list[Recording]], dict[str, TaskPeople]]:
    """What each person, and the majority, said to the items of the tasks, by run; and the counts of it by task.

    They are the votes and skips on which baselines rest: the first so many of each item, on gold that others made.
    Only the majority has several runs, of the tasks on which it is tied.
    """
    recordings: dict[str, list[Recording]] = defaultdict(lambda: [{}])
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
            recordings[annotator][0].setdefault(task.name, {})[item] = response
        consensus = build_consensus(data.build_answers(), method="majority", ties="drop")
        tied = {item: answers for item, answers in consensus.list_tied_answers().items() if item in items}
        labels = consensus.labels["label"].reindex(sorted(set(rows["item_id"])))  # None: only skipped
        said = {str(item): label if isinstance(label, str) else None for item, label in labels.items()}
        runs = share_ties(said, tied)
        recordings[MAJORITY] += [{} for _ in runs[len(recordings[MAJORITY]) :]]
        for recording, of_run in zip(recordings[MAJORITY], runs, strict=False):
            recording[task.name] = of_run
        people[task.name] = TaskPeople(
            n_annotators=rows["annotator"].nunique(),
            n_answers=len(answers),
            n_skips=len(skips),
            n_items=rows["item_id"].nunique(),
            n_ties=len(tied),
            n_unanswered=int(labels.isna().sum()) - len(tied),
            n_runs=len(runs),
            are_shares_exact=count_runs(tied) <= MOST_RUNS,
        )
    return dict(sorted(recordings.items())), people


def count_runs(tied: Mapping[str, Sequence[str]]) -> int:
    """In how many runs every tied answer has exactly its share; an answer that is tied twice has twice the share."""
    numbers = []
    for answers in tied.values():
        counts = Counter(answers).values()
        numbers.append(sum(counts) // math.gcd(*counts))
    return math.lcm(*numbers)


def share_ties(labels: Said, tied: Mapping[str, Sequence[str]]) -> list[Said]:
    """The answers of each run of a majority: its labels, and on a tied item each answer in its share of the runs."""
    n_runs = min(count_runs(tied), MOST_RUNS)
    ordered = {item: sorted(answers) for item, answers in tied.items()}
    return [
        labels | {item: answers[run * len(answers) // n_runs] for item, answers in ordered.items()}
        for run in range(n_runs)
    ]


def list_samples(tasks: Sequence[BenchmarkTask], recording: Recording) -> dict[str, list[int]]:
    """The indices of the items that somebody answered, by task: what the harness takes as `--samples`."""
    return {
        form.task: sorted(map(task.positions.__getitem__, recording[task.name]))
        for task in tasks
        if recording.get(task.name)
        for form in task.forms
    }


def replay_people(
    task_files: Mapping[str, str | bytes],
    tasks: Sequence[BenchmarkTask],
    recordings: Mapping[str, Sequence[Recording]],
    *,
    groups: Sequence[str] = (),
) -> ReplayedPeople:
    """Let the harness score the recordings on the tasks of a folder with these files; what differs by run is left out.

    The majority is scored in the `groups` too, where it answered items of each of their tasks. Raises HromadaError
    where the harness writes no result.
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
        loaded = _load_tasks(folder, [form.task for task in tasks for form in task.forms], groups)
        for person, runs in recordings.items():
            for number, recording in enumerate(runs, start=1):
                if list_samples(tasks, recording):
                    facts = _describe_person(person, runs, tasks, number=number)
                    results = folder / f"results-{number}"
                    _replay_person(facts, recording, tasks, loaded, results)
                    files |= dict(_read_results(results, f"human-{person}", number=number))
    return ReplayedPeople(files=dict(sorted(files.items())), version=metadata.version("lm_eval"))


def _load_tasks(folder: Path, names: Sequence[str], groups: Sequence[str]) -> Any:
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(folder), include_defaults=False)
    tasks: dict[str, Any] = {}
    found: dict[str, Any] = {}
    for group in groups:  # one by one, since the harness loads no two that share a task
        loaded: Any = manager.load([group])
        tasks, found = {**loaded["tasks"], **tasks}, {**found, **loaded["groups"]}
    others = [name for name in names if name not in tasks]
    tasks |= manager.load(others)["tasks"] if others else {}
    for task in tasks.values():  # every person's run reads all rows again, and Arrow decodes them each time
        task.dataset = {split: list(rows) for split, rows in task.dataset.items()}
        if task.config.doc_to_image is not None:  # what people said is known; the harness would encode every picture
            task.config.doc_to_image, task.MULTIMODAL = None, False
    return {"tasks": tasks, "groups": found}


def _build_model(person: str, recording: Recording, tasks: Sequence[BenchmarkTask]) -> Any:
    """A model that says what the person said; an item that they were not asked raises KeyError."""
    from lm_eval.api.model import LM

    asked = {form.task: task for task in tasks for form in task.forms}

    def find_stored(request: Any) -> tuple[BenchmarkTask, str | None]:
        task = asked[request.task_name]
        return task, recording[task.name][request.doc["item_id"]]

    def is_chosen(request: Any) -> bool:
        task, stored = find_stored(request)
        option = task.space.find_option(stored, request.doc)
        return option is not None and request.idx % len(request.doc["options"]) == option

    def reply(request: Any) -> str:
        task, stored = find_stored(request)
        return task.space.build_reply(stored, request.doc)

    class ReplayedPerson(LM):  # type: ignore[misc]  # the harness has no types
        """One person, or the majority."""

        def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
            return [(0.0, True) if is_chosen(request) else (-math.inf, False) for request in requests]

        def generate_until(self, requests: list[Any]) -> list[str]:
            return [reply(request) for request in requests]

        def loglikelihood_rolling(self, requests: list[Any]) -> list[float]:
            raise NotImplementedError(f"{person} was asked no such question: {len(requests)}")

    return ReplayedPerson()


def _describe_person(
    person: str, runs: Sequence[Recording], tasks: Sequence[BenchmarkTask], *, number: int
) -> dict[str, Any]:
    """What a result file says of the person; of the majority also which run it is, and how many each task has."""
    facts: dict[str, Any] = {"model": f"human-{person}", "kind": "human_baseline", "person": person}
    if person != MAJORITY:
        return facts
    n_runs = Counter(form.task for recording in runs for task in tasks if task.name in recording for form in task.forms)
    return facts | {"run": number, "runs": dict(sorted(n_runs.items()))}


def _replay_person(
    facts: Mapping[str, Any], recording: Recording, tasks: Sequence[BenchmarkTask], loaded: Any, folder: Path
) -> None:
    from lm_eval import evaluator
    from lm_eval.loggers import EvaluationTracker

    indices = list_samples(tasks, recording)
    chosen = {name: task for name, task in loaded["tasks"].items() if indices.get(name)}
    person = str(facts["person"])
    is_whole = person == MAJORITY and len(chosen) == len(loaded["tasks"])
    tracker = EvaluationTracker(output_path=str(folder))
    tracker.general_config_tracker.log_experiment_args(
        model_source="human",
        model_args=dict(facts),
        system_instruction=None,
        chat_template=None,
        fewshot_as_multiturn=False,
    )
    evaluation: Any = evaluator.evaluate(
        lm=_build_model(person, recording, tasks),
        task_dict={"tasks": chosen, "groups": loaded["groups"] if is_whole else {}, "group_map": {}},
        samples={task: _IndexList(numbers) for task, numbers in indices.items()},
        bootstrap_iters=0,
    )
    samples = evaluation.pop("samples")
    evaluation["config"] = {"model": f"human:{person}", "model_args": dict(facts), "limit": None, "bootstrap_iters": 0}
    evaluation["lm_eval_version"] = metadata.version("lm_eval")
    tracker.save_results_aggregated(results=evaluation, samples=samples)
    for task, rows in samples.items():
        tracker.save_results_samples(task_name=task, samples=rows)


def _read_results(folder: Path, name: str, *, number: int) -> Iterator[tuple[str, bytes]]:
    """The result files of one run of a person, under names without a date; the second run has a 2, and so on."""
    end = "replay" if number == 1 else f"replay-{number}"
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
    yield f"{name}/results_{end}.json", (json.dumps(kept, ensure_ascii=False, indent=2) + "\n").encode()
    for file in sorted((folder / name).glob("samples_*.jsonl")):
        task = file.name.removeprefix("samples_").rpartition("_")[0]
        yield f"{name}/samples_{task}_{end}.jsonl", file.read_bytes()
