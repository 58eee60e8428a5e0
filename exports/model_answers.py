"""Answers of models to the items of a data set, from JSON Lines or from the files of the lm-evaluation-harness."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aggregation import spelling
from aggregation.comparison.model_differences import PublishedScore
from aggregation.comparison.soft_labels import Distribution
from aggregation.errors import HromadaError, Where
from aggregation.findings import Finding
from aggregation.judges.side_bias import NO_SWAPS, SwapCounts
from exports.benchmark_items.answer_spaces import SPACES_BY_TYPE
from exports.benchmark_items.forms import GENERATION, name_generation
from exports.benchmark_items.rows import name_task
from exports.inputs import DataSet
from exports.lm_eval import HarnessRun, find_results, read_run, read_samples
from exports.model_distributions import KEY, choose_likeliest, find_written, read_distribution
from exports.model_orders import AnswersByOrder
from exports.vote_distributions import list_offered

PEOPLE = "human:"
"""How the model of a replay of people begins: they are compared with, and are no model."""
ROW_KEYS = frozenset({"item_id", "answer", "stimulus_sha256", "order", KEY})
"""The keys of a row of plain answers that are read."""
MOST_KEYS = 5
"""How many others a note names."""


@dataclass(frozen=True, kw_only=True)
class ReadAnswers:
    """What a model answered: by item the answer as answers are stored (None where none can be read), and the hash of
    what it was shown (None where it is not said). `n_unreadable` counts answers of another form or label.
    `distributions` has the probability of each option, of the items whose rows have them. `swaps` counts the items that
    were answered in several orders of the compared texts; other answers in another order make a tie.
    """

    name: str
    file: Path
    answers: Mapping[str, str | None]
    stimuli: Mapping[str, str | None]
    n_unreadable: int = 0
    distributions: Mapping[str, Distribution] = field(default_factory=dict)
    swaps: SwapCounts = NO_SWAPS


@dataclass(frozen=True, kw_only=True)
class ReadModels:
    """Models with answers to single items, scores of which only the value is known, and notes on what was left out."""

    models: tuple[ReadAnswers, ...] = ()
    published: tuple[PublishedScore, ...] = ()
    notes: tuple[str, ...] = field(default=())


def read_models(paths: Sequence[Path], data: DataSet) -> ReadModels:
    """Read the answers of models to the items of a data set, in the order of the paths.

    A folder holds result files of the harness; of each model the latest run of each task of the data set counts, and
    one without samples is a published score. A closed question has a task by likelihood and one by generation, whose
    models are named so. A file holds samples of the harness, or rows with `item_id`, `answer` and
    perhaps `stimulus_sha256`; it is named after the file. A row can have a `distribution`, the probability of each
    option by its label; without `answer` the likeliest option is the answer then. Where texts are compared a row can
    have the `order` in which it showed them, and an item a row for each order. Other keys are named in the notes.

    Raises HromadaError for files that cannot be read, and for folders without results of the task.
    """
    models: list[ReadAnswers] = []
    published: list[PublishedScore] = []
    notes: list[str] = []
    for path in paths:
        if path.is_dir():
            _read_folder(path, data, models, published, notes)
        else:
            models.append(_read_file(path, data, notes))
    return ReadModels(models=tuple(models), published=tuple(published), notes=tuple(notes))


def read_models_by_data_set(paths: Sequence[Path], data_sets: Sequence[DataSet]) -> dict[str, ReadModels]:
    """Read the answers of models to several data sets, by the name of the data set; only those with answers are in it.

    Folders of the harness may have results of several tasks; a file can only be of the one data set there is. Raises
    HromadaError as `read_models` does, and for a file beside several data sets.
    """
    if len(data_sets) == 1:
        return {data_sets[0].name: read_models(paths, data_sets[0])} if paths else {}
    for path in paths:
        if not path.is_dir():
            raise HromadaError(
                "It is not said of which data set these answers are.",
                remedy="Name folders of the harness's results, which name their tasks.",
                where=Where(file=path),
            )
    folders: dict[str, list[Path]] = {}
    for path in paths:
        tasks = _list_model_tasks(path)
        matching = [data.name for data in data_sets if not tasks.isdisjoint(_name_tasks(data))]
        if not matching:
            names = ", ".join(name for data in data_sets for name in _name_tasks(data))
            raise HromadaError(
                "No model has results of any of these tasks here.",
                remedy=f"Run models on: {names}.",
                where=Where(file=path),
            )
        for name in matching:
            folders.setdefault(name, []).append(path)
    return {data.name: read_models(folders[data.name], data) for data in data_sets if data.name in folders}


def _name_tasks(data: DataSet) -> dict[str, str]:
    """The harness's tasks of a data set, with what is added to the name of a model that took it."""
    name = name_task(data.name)
    has_two = SPACES_BY_TYPE[data.kind].chooses
    return {name: "", **({name_generation(name): f" ({GENERATION})"} if has_two else {})}


def _list_model_tasks(folder: Path) -> set[str]:
    """The tasks of which a folder of the harness has results of models."""
    runs = (read_run(file) for file in find_results(folder))
    return {
        task
        for run in runs
        if not str(run.content["config"].get("model")).startswith(PEOPLE)
        for task in run.content["results"]
    }


def _read_date(run: HarnessRun) -> float:
    """When a run was made, in seconds; 0 where it does not say."""
    date = run.content.get("date")
    return float(date) if isinstance(date, int | float) else 0.0


def _read_folder(
    folder: Path, data: DataSet, models: list[ReadAnswers], published: list[PublishedScore], notes: list[str]
) -> None:
    names = _name_tasks(data)
    runs = [read_run(file) for file in find_results(folder)]
    tasks = sorted({name for run in runs for name in run.content["results"]})
    latest: dict[tuple[str, str], HarnessRun] = {}
    for run in sorted(runs, key=lambda run: (_read_date(run), run.model, str(run.file))):
        if not str(run.content["config"].get("model")).startswith(PEOPLE):
            latest |= {(run.model, task): run for task in names if task in run.content["results"]}
    n_older = sum(task in run.content["results"] for run in runs for task in names) - len(latest)
    if not latest:
        raise HromadaError(
            f"There is no model's result of the task {' or '.join(names)}.",
            remedy="Its runs are those of people: run a model."
            if not names.keys().isdisjoint(tasks)
            else f"It has: {', '.join(tasks)}."
            if tasks
            else "Run the harness on the task of this project.",
            where=Where(file=folder),
        )
    if n_older:
        notes.append(f"{folder}: {n_older} older runs, or runs of people, are left out.")
    for (model, task), run in sorted(latest.items()):
        name = model + names[task]
        if task in run.samples:
            models.append(_read_samples(name, run.samples[task], data))
        else:
            published.append(_read_score(name, run, task, data))


def _read_score(name: str, run: HarnessRun, task: str, data: DataSet) -> PublishedScore:
    metric = SPACES_BY_TYPE[data.kind].primary
    value = run.content["results"][task].get(f"{metric},none")
    n_items = (run.content.get("n-samples") or {}).get(task, {}).get("effective")
    if not isinstance(value, int | float) or not isinstance(n_items, int) or n_items < 1 or not 0 <= value <= 1:
        raise HromadaError(
            f"The result of {task} has neither samples nor a value of {metric}.",
            remedy="Run the harness again with --log_samples.",
            where=Where(file=run.file),
        )
    return PublishedScore(name=name, value=float(value), n_items=n_items)


def _read_file(file: Path, data: DataSet, notes: list[str]) -> ReadAnswers:
    """A file of samples, or of plain answers: its first line tells."""
    try:
        with file.open(encoding="utf-8", errors="surrogateescape") as lines:
            first = next((line for line in lines if line.strip()), "")
    except OSError as failure:
        raise HromadaError(
            f"The answers cannot be read ({type(failure).__name__}).",
            remedy="Name a file of JSON Lines, or a folder of the harness's results.",
            where=Where(file=file),
        ) from None
    if '"filtered_resps"' in first:
        return _read_samples(file.parent.name or file.stem, file, data)
    return _read_plain(file, data, notes)


def _read_samples(name: str, file: Path, data: DataSet) -> ReadAnswers:
    answers: dict[str, str | None] = {}
    stimuli: dict[str, str | None] = {}
    items = _index_items(data)
    for number, sample in enumerate(read_samples(file), start=1):
        doc = sample["doc"]
        item = doc.get("item_id")
        if not isinstance(item, str):
            raise HromadaError(
                "This sample is of no item of a benchmark that hromada built.",
                remedy="Run the tasks that `hromada build` writes.",
                where=Where(file=file, line=number, field="doc"),
            )
        item = items.get(spelling.build_key(item), item)
        if item not in answers:  # another filter of the same reply
            answers[item] = SPACES_BY_TYPE[data.kind].read_reply(doc, sample["filtered_resps"])
            stimuli[item] = doc.get("stimulus_sha256")
    return ReadAnswers(
        name=name,
        file=file,
        answers=answers,
        stimuli=stimuli,
        n_unreadable=sum(answer is None for answer in answers.values()),
    )


def _read_plain(file: Path, data: DataSet, notes: list[str]) -> ReadAnswers:
    answers: dict[str, str | None] = {}
    stimuli: dict[str, str | None] = {}
    unread: dict[str, None] = {}
    n_unreadable, items = 0, _index_items(data)
    distributions: dict[str, Distribution] = {}
    orders = AnswersByOrder(data)
    offered = list_offered(data) if data.answer_type.is_label else None
    golds, space = dict(zip(data.items["item_id"], data.items["gold"], strict=True)), SPACES_BY_TYPE[data.kind]
    for number, row in _list_rows(file):
        unread.update(dict.fromkeys(name for name in row if name not in ROW_KEYS))
        item = row["item_id"]
        where = Where(file=file, line=number, field="item_id")
        if not isinstance(item, str) or not item:
            raise HromadaError("The id of an item is a text.", remedy="Write it as the project has it.", where=where)
        item = items.get(spelling.build_key(item), item)
        order = orders.read_order(row.get("order"), item, where)
        if item in answers and (order is None or item not in orders):
            raise HromadaError(
                f"{spelling.quote_word(item)} is answered twice.", remedy="Keep one answer to each item.", where=where
            )
        answer, written = row.get("answer"), find_written(row, is_label=offered is not None)
        if written is not None:
            if offered is None:
                raise HromadaError(
                    "Answers to this question have no distribution.",
                    remedy="Leave it out: only one of several options has.",
                    where=replace(where, field=KEY),
                )
            distributions[item] = orders.average(
                item, read_distribution(written, offered.get(item), where), distributions.get(item)
            )
            if answer is None or answer is written:
                answer = choose_likeliest(read_distribution(written, offered.get(item), where))
        read = space.read_answer(answer, item, data, gold=golds.get(item))
        answers[item] = read if order is None else orders.add(item, order, read)
        stimuli[item] = row.get("stimulus_sha256")
        n_unreadable += read is None and answer is not None
    if n_unreadable and n_unreadable == len(answers):
        raise HromadaError(
            f"None of the {n_unreadable} answers can be read as an answer to the question.",
            remedy="Write them as the project stores answers: labels, boxes or parts of a text.",
            where=Where(file=file),
        )
    if unread:
        notes.append(Finding("unread-keys", model=file.stem, names=", ".join(sorted(unread)[:MOST_KEYS])))
    return ReadAnswers(
        name=file.stem,
        file=file,
        answers=answers,
        stimuli=stimuli,
        n_unreadable=n_unreadable,
        distributions=distributions,
        swaps=orders.count_swaps(),
    )


def _index_items(data: DataSet) -> dict[str, str]:
    """The ids of the data set's items by the key under which they are compared."""
    return spelling.index_names(map(str, data.items["item_id"]))


def _list_rows(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows with their lines; raises HromadaError for one that is no object with `item_id`, and `answer` or KEY."""
    with file.open(encoding="utf-8-sig", errors="surrogateescape") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                line.encode("utf-8")  # bytes that are no UTF-8 fail here, where the line is known
                row = json.loads(line)
            except ValueError:
                raise HromadaError(
                    "This line is not JSON.",
                    remedy='Write one object a line: {"item_id": …, "answer": …}.',
                    where=Where(file=file, line=number),
                ) from None
            missing = [name for name in ("item_id", "answer") if not isinstance(row, dict) or name not in row]
            if isinstance(row, dict) and row.get(KEY) is not None:
                missing = [name for name in missing if name != "answer"]
            if missing:
                raise HromadaError(
                    f"This line lacks {missing[0]}.",
                    remedy='Write one object a line: {"item_id": …, "answer": …}; null where there is no answer.',
                    where=Where(file=file, line=number, field=missing[0]),
                )
            yield number, row
