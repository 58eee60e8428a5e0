"""Which questions become tasks, what stands before an item, and what is listed as different from what people had."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from _built_benchmarks import Campaigns, read_samples, run_harness

from aggregation.errors import HromadaError
from annotation.campaigns import project_file
from annotation.errors import BadInput
from annotation.loading import campaign as loading
from annotation.vocabulary import Pool

PROJECT = """
project: cats
title: Коти
language: uk
instructions: Читайте {{уважно}}.
questions:
  - {{name: animal, type: choice, text: Який звір?, options: [кіт, пес]}}
  - {{name: size, type: choice, text: Великий?, options: [так, ні]}}
  - {{name: notable, type: choices, text: Позначка, options: [варте уваги], required: no}}
items: {{file: items.jsonl, id: id, show: text, golds: {{animal: animal, size: size}}, where: {{pool: main}}}}
overlap: 3
{more}
"""
TRAINING = "stages: {training: {pool: {where: {pool: training}}}}\n"


def write_project(folder: Path, more: str = "", *, sizes: bool = False) -> Path:
    """Four main items, four of a training and a file of two examples; only animals have gold, unless `sizes` have."""
    rows = [
        {"id": f"{pool}-{number}", "text": f"Звір {pool} {number}", "animal": "кіт" if number % 2 else "пес",
         "size": "так" if sizes else "", "pool": pool}
        for pool in ("main", "training", "few") for number in range(2 if pool == "few" else 4)
    ]  # fmt: skip
    for name, own in (("items", rows[:8]), ("few", rows[8:])):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in own), "utf-8")
    file = folder / "cats.yaml"
    file.write_text(PROJECT.format(more=more), "utf-8")
    return file


def build(campaigns: Campaigns, more: str = "", *, sizes: bool = False) -> Any:
    """The benchmark of the project, answered by six people."""
    campaigns.answer([campaigns.load(write_project(campaigns.folder, more, sizes=sizes))], people=6, seed=3)
    return campaigns.build("cats")


def list_ids(content: bytes | str) -> list[str]:
    """The ids of the rows of a file."""
    return [json.loads(line)["item_id"] for line in content.splitlines()]


def test_questions_without_gold_are_no_tasks(campaigns: Campaigns) -> None:
    """Neither a bookmark nor what nobody declared gold of; each is named with the key that makes it one."""
    built = build(campaigns)
    assert list(built.manifest["tasks"]) == ["cats"]
    assert set(built.manifest["left_out"]) == {"cats/size", "cats/notable"}
    assert all("`benchmark.questions`" in reason for reason in built.manifest["left_out"].values())


def test_named_questions_are_tasks(campaigns: Campaigns) -> None:
    """These and no others; what has no gold gets the consensus of its votes, and two of them are a group."""
    built = build(campaigns, "benchmark: {questions: [animal, size]}")
    assert list(built.manifest["tasks"]) == ["cats", "cats__size"]
    rows = [json.loads(line) for line in built.files["hugging_face/cats__size/test.jsonl"].splitlines()]
    assert {row["gold_source"] for row in rows} == {"votes"}
    assert built.manifest["left_out"] == {"cats/notable": "`benchmark.questions` does not name it"}
    group = built.files["lm_eval/cats_questions.yaml"]
    assert group.startswith('group: "cats_questions"\ntask:\n  - "cats"\n  - "cats__size"\n')
    assert "aggregate_metric_list" not in group
    assert "cats__size_generation" in built.files["lm_eval/cats_questions_generation.yaml"]


def test_nothing_to_ask_is_an_error(campaigns: Campaigns) -> None:
    """It names each reason once."""
    campaigns.answer([campaigns.load(write_project(campaigns.folder, "benchmark: {questions: [notable]}"))], people=3)
    source = campaigns.read_source("cats")
    assert [task.data.name for task in source.tasks] == ["cats/notable"]
    assert {one.reason for one in source.unfit} == {"`benchmark.questions` does not name it"}


@pytest.mark.parametrize(
    ("few_shot", "shown", "number"),
    [
        ("{pool: few.jsonl}", ["few-0", "few-1"], 2),
        pytest.param("{pool: {file: few.jsonl}, number: 1}", ["few-0", "few-1"], 1, marks=pytest.mark.slow),
        pytest.param(
            "{pool: training, number: 2}",
            [f"training-{number}" for number in range(4)],
            2,
            marks=pytest.mark.slow,
        ),
        pytest.param("{number: 4}", [f"training-{number}" for number in range(4)], 4, marks=pytest.mark.slow),
        pytest.param("{number: 0}", [], 0, marks=pytest.mark.slow),
    ],
)
def test_examples_are_of_the_pool_that_is_named(
    campaigns: Campaigns, few_shot: str, shown: list[str], number: int
) -> None:
    """In the order of their file, as many as are asked for or as there are; nobody is ever asked one of them."""
    built = build(campaigns, f"{TRAINING}benchmark: {{few_shot: {few_shot}}}")
    content = built.files.get("hugging_face/cats/few_shot.jsonl", b"")
    assert list_ids(content) == shown
    task = built.manifest["tasks"]["cats"]
    assert (task["num_few_shot"], task["n_items"]) == (number, 4)
    assert (f"Models read solved examples before each item: {number}." in task["differences"]) == (number > 0)
    (source,) = campaigns.read_source("cats").tasks
    assert not set(source.data.responses["item_id"]) & {"few-0", "few-1"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "told", "differs"),
    [
        ("yes", "Читайте {уважно}.", None),
        ("'Назвіть {{звіра}}.'", "Назвіть {{звіра}}.", "Models read other instructions than people."),
        ("no", "", "Models do not read the instructions."),
    ],
)
def test_instructions_stand_before_everything_else(
    campaigns: Campaigns, tmp_path: Path, words: str, told: str, differs: str | None
) -> None:
    """Once, before the examples, and braces are no template; prompts.csv has the hash of what the harness asked."""
    campaigns.answer(
        [campaigns.load(write_project(campaigns.folder, f"{TRAINING}benchmark: {{instructions: {words}}}"))], people=3
    )
    built = campaigns.write("cats", tmp_path / "built")
    listed = built.manifest["tasks"]["cats"]["differences"]
    assert [sentence for sentence in listed if "instructions" in sentence] == ([] if differs is None else [differs])
    card = str(built.files["hugging_face/README.md"])
    assert ("Models are shown these instructions before everything else." in card) == (words == "yes")
    assert (f"## What models read first\n\n> {told}\n" in card) == (words not in {"yes", "no"})
    run_harness(tmp_path / "built", tmp_path / "out", ["cats"])
    (folder,) = (path.parent for path in (tmp_path / "out").rglob("results_*.json"))
    samples = read_samples(folder, "cats")
    with (tmp_path / "built/lm_eval/prompts.csv").open(encoding="utf-8", newline="") as file:
        hashes = {row["item_id"]: row["prompt_sha256"] for row in csv.DictReader(file) if row["task"] == "cats"}
    for sample in samples:
        prompt = sample["arguments"]["gen_args_0"]["arg_0"]
        assert prompt.startswith(f"{told}\n\nЗвір" if told else "Звір")
        assert not told or prompt.count(told) == 1
        assert sample["prompt_hash"] == hashes[sample["doc"]["item_id"]]


MISTAKES = {
    "benchmark: {questions: [colour]}": "`benchmark.questions` speaks of a question 'colour' that is not asked",
    "benchmark: {few_shot: {number: 2}}": "There is no training to take examples from",
    "benchmark: {few_shot: {pool: training}}": "There is no training to take examples from",
    "benchmark: {few_shot: {number: -1}}": "benchmark.few_shot.number",
    "benchmark: {few_shot: {pool: {}}}": "Which items? Name a `file`, or say `where` or `sample`",
    "benchmark: {answer: word, shots: 3}": "shots",
}


@pytest.mark.parametrize("more", MISTAKES)
def test_a_mistake_is_named(tmp_path: Path, more: str) -> None:
    """With the file and the line."""
    file = write_project(tmp_path, more)
    with pytest.raises(BadInput) as refusal:
        project_file.read_project(file)
    assert MISTAKES[more] in str(refusal.value)
    assert "cats.yaml:12" in str(refusal.value)


def test_instructions_that_do_not_exist_are_named(tmp_path: Path) -> None:
    """Models cannot read what nobody wrote."""
    file = write_project(tmp_path, "benchmark: {instructions: yes}")
    file.write_text(file.read_text("utf-8").replace("instructions: Читайте {уважно}.\n", ""), "utf-8")
    with pytest.raises(BadInput, match="Models read the instructions of annotators, and there are none"):
        project_file.read_project(file)


def test_an_example_without_gold_or_of_a_main_group_is_named(tmp_path: Path) -> None:
    """With its place in the file of examples."""
    file = write_project(tmp_path, "benchmark: {few_shot: {pool: few.jsonl}}")
    examples = tmp_path / "few.jsonl"
    good = examples.read_text("utf-8")
    examples.write_text(good.replace('"animal": "\\u043f\\u0435\\u0441"', '"animal": ""'), "utf-8")
    with pytest.raises(BadInput, match=r"few\.jsonl:1.*The few-shot item has no gold"):
        loading.read_contents(project_file.read_project(file))
    examples.write_text(good.replace("few-0", "main-0"), "utf-8")
    with pytest.raises(BadInput, match="Items are in the few-shot pool and in the main pool: main-0"):
        loading.read_contents(project_file.read_project(file))


VOTES = """
project: cats
title: Cats
language: en
instructions: Look.
question: {type: choice, text: 'Which animal?', options: [cat, dog]}
items: from votes
votes: {file: votes.csv, item: text, annotator: who, answer: said}
truth: {file: truth.csv, item: text, gold: right}
benchmark: {instructions: yes, few_shot: {pool: few.csv, number: 1}}
"""


def test_imported_votes_may_have_examples(tmp_path: Path) -> None:
    """Their file has the columns of the votes, and the right answer in that of the truth."""
    (tmp_path / "cats.yaml").write_text(VOTES, "utf-8")
    (tmp_path / "votes.csv").write_text("text,who,said\nmeow,a,cat\nbark,a,dog\nmeow,b,cat\n", "utf-8")
    (tmp_path / "truth.csv").write_text("text,right\nmeow,cat\nbark,dog\n", "utf-8")
    (tmp_path / "few.csv").write_text("text,right\npurr,cat\n", "utf-8")
    campaign = project_file.read_project(tmp_path / "cats.yaml")
    items = loading.read_contents(campaign).items
    assert [(item.external_id, item.gold) for item in items if item.pool is Pool.FEW_SHOT] == [("purr", "cat")]
    assert len(items) == 3
    (tmp_path / "few.csv").write_text("text,right\nmeow,cat\n", "utf-8")
    with pytest.raises(HromadaError, match="in the few-shot pool and in the main pool: meow"):
        loading.read_contents(campaign)
