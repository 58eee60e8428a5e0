"""People scored by the harness have the scores of `hromada baseline`, for every kind of question and metric."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _built_benchmarks import Campaigns, open_campaigns, read_people, read_samples, run_harness
from _inspect import needs_inspect, run

from aggregation.answer_types import score_answers
from aggregation.scores.performance import Performance
from annotation.store import queries
from bot import release
from exports import lm_eval
from exports.benchmark import Benchmark
from exports.benchmark_items import task_functions
from exports.benchmark_items.forms import BESIDE, name_generation
from exports.inputs import DataSet

ITEMS, WORDS = 16, ("хата", "дорога", "річка", "поле", "вікно", "книга", "п'ять", "небо")
QUESTIONS = {
    "classes": "{type: choice, text: Яке?, options: [так, ні, 'не знаю, хто'], metrics: [accuracy, mcc]}",
    "own-options": "{type: choice, text: Яке слово?, shuffle: yes, abstain: не знаю}",
    "positions": "{type: choice, text: Яке слово?, labels: positions}",
    "scale": "{type: scale, text: Наскільки?, options: ['1', '2', '3', '4'], ends: [зовсім ні, цілком]}",
    "boxes": "{type: choices, text: 'Що тут є?', options: [рід, 'число, відмінок', час]}",
    "own-boxes": "{type: choices, text: Які слова?, least: 1}",
    "text": "{type: text, text: Яке слово?}",
    "number": "{type: text, text: Скільки?, normalise: number}",
    "edit": "{type: edit, text: Виправте., field: text}",
    "span": "{type: span, text: Де слово?, field: text, most: 2, none: немає}",
    "preference": "{type: preference, text: Що краще?, sides: [a, b], tie: Однаково, both_bad: Обидва погані}",
}
CHOICES = ("classes", "own-options", "positions", "scale", "preference")
TASKS = {name: name for name in QUESTIONS} | {name_generation(name): name for name in CHOICES}
"""The tasks of the harness, with the question that each asks: the choices are asked in two forms."""
PARTS = [*QUESTIONS][:3], [*QUESTIONS][3:6], [*QUESTIONS][6:8], [*QUESTIONS][8:]
"""Kinds that are built together: no test waits for all of them."""
PROJECT = """
project: {name}
title: Назва {name}
language: uk
kind: baseline
instructions: Уважно прочитайте.
question: {question}
items:
  {{file: {name}.jsonl, id: id, show: text, gold: gold, gold_origin: expert, group: group{more}, where: {{pool: main}}}}
overlap: 4
stages: {{training: {{pool: {{where: {{pool: training}}}}, number: 4}}}}
benchmark: {{instructions: {instructions}}}
declared: {{licence: CC BY-SA 4.0}}
"""


def build_item(name: str, number: int, rng: random.Random) -> dict[str, Any]:
    """An item of a kind of question; the first four are of the training."""
    words = rng.sample(WORDS, 4)
    text = f"{number}: {' '.join([*words, words[1]])}"
    start = text.rindex(words[1])
    later = [{"start": start, "end": start + len(words[1]), "text": words[1]}]
    golds: dict[str, Any] = {
        "classes": rng.choice(["так", "ні", "не знаю, хто"]),
        "own-options": words[number % 4],
        "positions": str(number % 4),
        "scale": str(1 + number % 4),
        "boxes": rng.sample(["рід", "число, відмінок", "час"], number % 3),
        "own-boxes": words[: 1 + number % 3],
        "text": f"{words[0]} {words[1]}",
        "number": f"{number},50",
        "edit": text.replace(words[0], f"{words[0]}, {words[0]}"),
        "span": [words[0], later, "немає"][number % 3],
        "preference": ("first", "second", "tie")[number % 3],
    }
    return {
        "id": f"{name}-{number:02}",
        "text": text,
        "a": words[0],
        "b": words[1],
        "options": words,
        "gold": golds[name],
        "accepted": [words[2]],
        "group": f"{name}-{number // 2}",
        "pool": "training" if number < 4 else "main",
    }


@dataclass(frozen=True)
class Built:
    """A programme of some kinds of questions, answered and built, and the result file of the harness's dummy model."""

    campaigns: Campaigns
    folder: Path
    benchmark: Benchmark
    dummy: dict[str, Any]
    people: dict[str, dict[str, Any]]

    def read_data(self, name: str) -> DataSet:
        """The data set of a project, as `hromada baseline` scores it."""
        with self.campaigns.db.reading() as session:
            return (
                release.ProjectInputs(view=session, project=queries.get_project(session, name))
                .read_data_set()
                .keep_first_places()
            )

    def list_people(self, task: str) -> dict[str, dict[str, Any]]:
        """The result files of those who answered a task."""
        return {person: content for person, content in self.people.items() if task in content["results"]}

    @property
    def questions(self) -> set[str]:
        """The questions that it asks."""
        return set(self.benchmark.manifest["tasks"])

    @property
    def has_choices(self) -> bool:
        """Whether a question has two forms."""
        return any(len(task["forms"]) > 1 for task in self.benchmark.manifest["tasks"].values())

    def add_other_reading(self, task: str, values: dict[str, float]) -> dict[str, float]:
        """The values with that of the other reading of the same answers, which for people is the same."""
        (metrics,) = (
            form["metrics"]
            for question in self.benchmark.manifest["tasks"].values()
            for form in question["forms"].values()
            if form["task"] == task
        )
        return values | {metric: values["accuracy"] for metric in metrics if metric in BESIDE.values()}


@pytest.fixture(scope="module")
def programmes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Built]]:
    """Gives the programme of which a kind of question is a part; it is built when it is asked for first."""
    made: dict[int, Built] = {}
    with ExitStack() as opened:

        def build(name: str) -> Built:
            (number,) = (number for number, part in enumerate(PARTS) if name in part)
            if number not in made:
                folder = tmp_path_factory.mktemp("kinds")
                made[number] = build_programme(opened.enter_context(open_campaigns(folder)), PARTS[number])
            return made[number]

        yield build


def build_programme(campaigns: Campaigns, kinds: Sequence[str]) -> Built:
    """A programme of these kinds of questions, answered by six people, who sometimes skip."""
    folder = campaigns.folder
    for name in kinds:
        rng = random.Random(name)  # noqa: S311
        lines = [json.dumps(build_item(name, number, rng), ensure_ascii=False) for number in range(ITEMS)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
        own = ", options: options" if name.startswith(("own", "positions")) else ""
        more = own + (", accepted: accepted" if name == "text" else "")
        file = folder / f"{name}.yaml"
        words = {"name": name, "question": QUESTIONS[name], "more": more}
        file.write_text(PROJECT.format(instructions="yes" if name == "number" else "no", **words), "utf-8")
        campaigns.answer([campaigns.load(file)], people=6, skill=0.7, skips=0.12, seed=3)
    campaigns.bundle("all-kinds", "uk")
    benchmark = campaigns.write("all-kinds", folder / "built")
    samples = folder / "built/samples.json"
    group = "all-kinds_forms" if set(kinds) & set(CHOICES) else "all-kinds"
    dummy = run_harness(folder / "built", folder / "out", [group], "--samples", samples)
    return Built(campaigns, folder / "built", benchmark, dummy, read_people(folder / "built"))


@pytest.fixture
def built(programmes: Callable[[str], Built], task: str) -> Built:
    """The programme of the kind that a test is about."""
    return programmes(TASKS[task])


def score(data: DataSet) -> Performance:
    """What `hromada baseline` computes."""
    return score_answers(data.build_answers(), skips=data.build_skips(), units=("individual", "majority"))


def list_values(performance: Performance, unit: str) -> dict[str, float]:
    """The metrics of a unit, nan where one is undefined; a box's without its comma, as the harness has it."""
    scores = {score.metric: score.value for score in performance[unit].scores}
    return add_strict({name.replace(",", " "): math.nan if value is None else value for name, value in scores.items()})


def add_strict(values: dict[str, Any]) -> dict[str, Any]:
    """The values with that of the strict reading, which for people is the same."""
    return values | {f"{name}_strict": value for name, value in values.items() if name == "exact_match"}


def list_harness_values(content: dict[str, Any], task: str) -> dict[str, float]:
    """The metrics in a result file."""
    values = content["results"][task].items()
    return {name.removesuffix(",none"): value for name, value in values if name.endswith(",none") and value != "N/A"}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.slow
def test_single_answers_have_the_scores_of_baseline(built: Built, task: str) -> None:
    """The grades in all people's sample files together give every metric of the individual unit."""
    people = built.list_people(task)
    samples = [
        sample
        for person in people
        if person != "human-majority"
        for sample in read_samples(built.folder / "results" / person, task)
    ]
    performance = score(built.read_data(TASKS[task]))
    expected = built.add_other_reading(task, list_values(performance, "individual"))
    assert len(samples) == performance["individual"].total
    assert any(
        math.isinf(float(one[0][0])) if isinstance(one[0], list) else one == [""]
        for one in (sample["filtered_resps"] for sample in samples)
    ), "somebody skipped"
    for metric, value in expected.items():
        if metric.endswith("_corpus"):
            continue  # over all answers together; a harness has a value for each answer
        pooled = task_functions.compute_pooled_f1 if metric.startswith("f1 ") else task_functions.compute_mean
        aggregate = task_functions.AGGREGATIONS.get(metric, pooled)
        assert aggregate([sample[metric] for sample in samples]) == pytest.approx(value, abs=1e-9, nan_ok=True), metric


@pytest.mark.parametrize("task", TASKS)
def test_each_person_has_the_score_of_baseline(built: Built, task: str) -> None:
    """The result file of a person has their share of right answers."""
    people = built.list_people(task)
    annotators = score(built.read_data(TASKS[task])).annotators
    assert {f"human-{annotator}" for annotator in annotators.index} | {"human-majority"} == people.keys()
    primary = built.benchmark.manifest["tasks"][TASKS[task]]["metrics"][0]
    for annotator, row in annotators.iterrows():
        content = people[f"human-{annotator}"]
        assert content["n-samples"][task]["effective"] == row["n"]
        assert list_harness_values(content, task)[primary] == pytest.approx(row["accuracy"], abs=1e-9)


@pytest.mark.parametrize("task", TASKS)
def test_the_majority_has_the_scores_of_baseline_with_its_ties_and_skips(built: Built, task: str) -> None:
    """Every metric, on every item that people answered or skipped; the runs of ties are pooled by `results`."""
    performance = score(built.read_data(TASKS[task]))
    whole, counts = performance["majority"], built.benchmark.manifest["tasks"][TASKS[task]]["people"]
    assert (counts["n_ties"], counts["n_items"]) == (whole.n_ties, whole.total)
    folder = built.folder / "results/human-majority"
    runs = [json.loads(file.read_text("utf-8")) for file in sorted(folder.glob("results_*.json"))]
    own = [run["config"]["model_args"] for run in runs if task in run["results"]]
    assert sorted(run["run"] for run in own) == list(range(1, counts["n_runs"] + 1))
    assert {run["runs"][task] for run in own} == {counts["n_runs"]}
    assert all(run["n-samples"][task]["effective"] == whole.total for run in runs if task in run["results"])
    values = list_values(performance, "majority")
    expected = built.add_other_reading(
        task, {metric: value for metric, value in values.items() if not metric.endswith("_corpus")}
    )
    read = lm_eval.read_results(built.folder, [folder])
    found = {row["metric"]: row["value"] for row in read.scores if row["task"] == task}
    assert found.keys() == expected.keys()
    for metric, value in expected.items():
        assert (math.nan if found[metric] is None else found[metric]) == pytest.approx(value, abs=1e-9, nan_ok=True), (
            metric
        )
    wrong = {
        score.metric.replace(",", " "): math.nan if score.value_ties_wrong is None else score.value_ties_wrong
        for score in whole.scores
        if not score.metric.endswith("_corpus")
    }
    wrong = built.add_other_reading(task, add_strict(wrong))
    assert {row["metric"]: row["value_ties_wrong"] for row in read.scores if row["task"] == task} == {
        metric: None if math.isnan(value) else pytest.approx(value, abs=1e-9) for metric, value in wrong.items()
    }
    assert not [row for row in read.differences if row["task"] == task and row["difference"] != "not in this run"]


@pytest.mark.parametrize("task", [part[0] for part in PARTS])
def test_some_majorities_are_tied_and_no_contested_item_is_taken_from_models(built: Built, task: str) -> None:
    """The simulated people of each programme tie; `--samples` names all items that they answered."""
    tasks = built.benchmark.manifest["tasks"]
    assert max(found["people"]["n_runs"] for found in tasks.values()) > 1
    samples = json.loads((built.folder / "samples.json").read_text("utf-8"))
    assert {name: len(numbers) for name, numbers in samples.items()} == {
        form["task"]: found["people"]["n_items"] for found in tasks.values() for form in found["forms"].values()
    }


@pytest.mark.parametrize("task", TASKS)
def test_a_model_on_the_same_items_has_the_same_hash(built: Built, task: str) -> None:
    """The dummy model, run on the items of the majority, was asked exactly what people were."""
    people = built.people["human-majority"]
    assert built.dummy["task_hashes"][task] == people["task_hashes"][task]
    assert built.dummy["n-shot"][task] == 3


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.slow
def test_hashes_are_known_before_the_harness_runs(built: Built, task: str) -> None:
    """prompts.csv has the hashes that the harness writes, also with examples before the item."""
    known = read_prompts(built)
    (model,) = {path.parent for path in (built.folder.parent / "out").rglob("samples_*")}
    samples = read_samples(model, task)
    assert samples
    for sample in samples:
        row = known[task, sample["doc"]["item_id"]]
        hashes = [sample[f"{part}_hash"] for part in ("doc", "prompt", "target")]
        assert hashes == [row[f"{part}_sha256"] for part in ("doc", "prompt", "target")]


@pytest.mark.parametrize("task", [part[0] for part in PARTS])
def test_the_programme_is_a_group_for_people_and_models(built: Built, task: str) -> None:
    """Its questions are asked by its name, and by generation alone; both forms are in a group that has no score."""
    tasks = built.benchmark.manifest["tasks"]
    forms = {name: [form["task"] for form in found["forms"].values()] for name, found in tasks.items()}
    people = built.people["human-majority"]
    assert set(people["group_subtasks"]["all-kinds"]) == set(tasks)
    if built.has_choices:
        assert set(people["group_subtasks"]["all-kinds_generation"]) == {names[-1] for names in forms.values()}
        assert set(built.dummy["group_subtasks"]["all-kinds_forms"]) == {name for own in forms.values() for name in own}
        assert built.dummy["results"]["all-kinds_forms"].keys() <= {"alias", "name", "sample_len", "sample_count"}


@pytest.mark.parametrize("name", QUESTIONS)
def test_people_in_the_form_of_inspect_have_the_scores_of_baseline(
    programmes: Callable[[str], Built], name: str
) -> None:
    """What `precomputed_scores()` takes: each item's mean over single answers, and the share of its majority."""
    built = programmes(name)
    (file,) = (path for path in built.folder.glob("inspect_ai/people/*.jsonl") if TASKS[path.stem] == name)
    records = task_functions.read_rows(file)
    assert all(record.keys() >= {"id", "value"} for record in records)
    numbers = [record["metadata"]["n_answers"] for record in records]
    single = [record["value"]["single_answers"] for record in records]
    performance = score(built.read_data(name))
    assert sum(numbers) == performance["individual"].total
    mean = sum(value * n for value, n in zip(single, numbers, strict=True)) / sum(numbers)
    assert mean == pytest.approx(performance["individual"].primary.value, abs=1e-9)
    rows = {row["item_id"]: row for row in task_functions.read_rows(built.folder / f"hugging_face/{name}/test.jsonl")}
    difficulties = [rows[record["id"]]["difficulty"] for record in records]
    assert difficulties == pytest.approx([1 - value for value in single], abs=1e-4)
    majority = task_functions.compute_mean([record["value"]["majority"] for record in records])
    assert majority == pytest.approx(performance["majority"].primary.value, abs=1e-9)


@pytest.mark.slow
@pytest.mark.process
@needs_inspect
def test_inspect_gives_people_the_scores_of_baseline(programmes: Callable[[str], Built], tmp_path: Path) -> None:
    """Its mock model says what people said, each run of tied majorities in an epoch; two people are enough here."""
    builds = [programmes(part[0]) for part in PARTS]
    script = Path(__file__).with_name("replay_in_inspect.py")
    told = json.loads(run(script, tmp_path / "logs", *(built.folder for built in builds), folder=tmp_path))
    for built in builds:
        tasks = told[built.folder.parent.name]
        assert tasks.keys() == {name_generation(name) if name in CHOICES else name for name in built.questions}
        for task, people in tasks.items():
            assert len(people) == 3
            check_majority(built, task, people.pop("human-majority"))
            annotators = score(built.read_data(TASKS[task])).annotators
            for person, found in people.items():
                own = annotators.loc[person.removeprefix("human-"), "accuracy"]
                assert found["values"]["grade"][found["headline"]] == pytest.approx(own, abs=1e-9)
                said = read_samples(built.folder / "results" / person, task)
                skipped = {one["doc"]["item_id"] for one in said if one["filtered_resps"] == [""]}
                assert found["unread"] == sorted(skipped)


def check_majority(built: Built, task: str, found: dict[str, Any]) -> None:
    """Every metric of the majority, people's scores beside it, and the prompt of the harness as what was sent."""
    performance = score(built.read_data(TASKS[task]))
    expected = built.add_other_reading(task, list_values(performance, "majority"))
    values = found["values"]["grade"]
    assert found["headline"] == next(iter(values)) == performance["majority"].primary.metric
    assert values.keys() - {"stderr"} == {metric for metric in expected if not metric.endswith("_corpus")}
    for metric in values.keys() - {"stderr"}:
        assert values[metric] == pytest.approx(expected[metric], abs=1e-9, nan_ok=True), (task, metric)
    for unit, name, metric in (
        ("individual", "single_answers", "mean_of_answers"),
        ("majority", "majority", "mean"),
    ):
        assert found["values"][name] == {metric: pytest.approx(performance[unit].primary.value, abs=1e-9)}, task
    hashes = {(task, item): hashlib.sha256(text.encode()).hexdigest() for item, text in found["inputs"].items()}
    assert hashes.items() <= {key: row["prompt_sha256"] for key, row in read_prompts(built).items()}.items()


def read_prompts(built: Built) -> dict[tuple[str, str], dict[str, str]]:
    """The rows of prompts.csv by task and item."""
    with (built.folder / "lm_eval/prompts.csv").open(encoding="utf-8", newline="") as file:
        return {(row["task"], row["item_id"]): row for row in csv.DictReader(file)}
