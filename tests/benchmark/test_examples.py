"""The published campaigns in `examples/` as benchmarks: built, run by the harness, loaded and validated."""

from __future__ import annotations

import csv
import json
import runpy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _built_benchmarks import EXAMPLES, Campaigns, offline, open_campaigns, read_people, run_harness
from _prompts import check_prompts

from exports.benchmark import Benchmark
from exports.benchmark_items import task_functions

PAGE = EXAMPLES.parent / "docs/reference/eval-ua-tion-prompts.md"
EVAL_UA_TION = (
    "lmes-cats-bin", "lmes-cats-mc", "lmes-low", "lmes-wis", "lmes-wordalpha", "lmes-wordlength", "ua-cbt",
    "up-titles-masked", "up-titles-unmasked",
)  # fmt: skip
IN_RUSSIAN = (
    "russian-superglue/muserc", "tape/multiq", "tape/ethics1", "rucola/baseline", "rucola/violation-categories",
    "ruatd/human-or-machine", "tape/chegeka",
)  # fmt: skip
PROGRAMMES = {
    "eval-ua-tion": ("uk", [f"eval-ua-tion/{name}" for name in EVAL_UA_TION]),
    "russian": ("ru", list(IN_RUSSIAN)),
}
TASKS = {
    "eval-ua-tion": {f"eval-ua-tion.{name}" for name in EVAL_UA_TION},
    "russian": {
        "russian-superglue.muserc", "tape.multiq", "tape.multiq__bridge", "tape.multiq__answer", "tape.ethics1",
        "tape.ethics1__law", "tape.ethics1__moral", "tape.ethics1__justice", "tape.ethics1__utility",
        "rucola.baseline", "rucola.violation-categories", "ruatd.human-or-machine", "tape.chegeka",
    },
}  # fmt: skip


@dataclass(frozen=True)
class Programme:
    """A programme of examples, answered, built and run by the dummy model."""

    name: str
    campaigns: Campaigns
    folder: Path
    benchmark: Benchmark
    dummy: dict[str, Any]


@pytest.fixture(scope="module", params=PROGRAMMES)
def programme(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programme]:
    """The examples of one language, with simulated answers: three an item, or one as Eval-UA-tion had it."""
    folder = tmp_path_factory.mktemp("examples")
    language, files = PROGRAMMES[request.param]
    with open_campaigns(folder) as campaigns:
        (folder / "files").symlink_to(EXAMPLES)
        for name in files:
            changes: dict[str, object] = {} if language == "uk" else {"overlap": 3}
            loaded = campaigns.load(folder / "files" / f"{name}.yaml", **changes)
            campaigns.answer([loaded], people=12, seed=1)
        campaigns.bundle(request.param, language)
        benchmark = campaigns.write(request.param, folder / "built")
        dummy = run_harness(folder / "built", folder / "out", [request.param])
        yield Programme(request.param, campaigns, folder / "built", benchmark, dummy)


def test_every_shape_is_a_task_that_the_harness_runs(programme: Programme) -> None:
    """The dummy model was asked every item of every task, and people's files are on those that they answered."""
    assert set(programme.dummy["configs"]) == set(programme.benchmark.manifest["tasks"]) == TASKS[programme.name]
    for name, task in programme.benchmark.manifest["tasks"].items():
        assert programme.dummy["n-samples"][name] == {"original": task["n_items"], "effective": task["n_items"]}
        assert set(task["metrics"]) <= {metric.partition(",")[0] for metric in programme.dummy["results"][name]}
        people = {
            person: content for person, content in read_people(programme.folder).items() if name in content["results"]
        }
        assert len(people) == (0 if task["people"]["reason"] else task["people"]["n_annotators"] + 1)
        if people and people["human-majority"]["n-samples"][name]["effective"] == task["n_items"]:
            assert people["human-majority"]["task_hashes"][name] == programme.dummy["task_hashes"][name]


def test_what_is_no_task_is_named_with_its_reason(programme: Programme) -> None:
    """MultiQ's remarks are none, and nobody is scored on Ethics, whose gold is what people answered."""
    tasks = programme.benchmark.manifest["tasks"]
    if programme.name == "russian":
        assert "remarks" in programme.benchmark.manifest["left_out"]["tape.multiq/comment"]
        assert "made of their own votes" in tasks["tape.ethics1__law"]["people"]["reason"]
        assert tasks["tape.multiq__answer"]["left_out"] == {"no gold and no consensus": 1}
    else:
        assert programme.benchmark.manifest["left_out"] == {}


@pytest.mark.slow
def test_a_second_build_has_the_same_bytes_and_no_trace_of_this_machine(programme: Programme) -> None:
    """Also of people's result files; and no file holds a path, a time of day or a name."""
    again = programme.campaigns.build(programme.name)
    assert again.files == programme.benchmark.files
    for path, content in programme.benchmark.files.items():
        data = content if isinstance(content, bytes) else content.encode()
        assert (programme.folder / path).read_bytes() == data
        assert b"/tmp/" not in data
        assert b'"date"' not in data
        assert b"total_evaluation_time" not in data


def test_examples_before_an_item_are_of_other_groups(programme: Programme) -> None:
    """No group is in the test and in the few-shot split."""
    for name, task in programme.benchmark.manifest["tasks"].items():
        folder = programme.folder / "hugging_face" / name
        groups = {
            file.stem: {json.loads(line)["group"] for line in file.read_text("utf-8").splitlines()}
            for file in folder.glob("*.jsonl")
        }
        assert not groups["test"] & groups.get("few_shot", set())
        assert ("few_shot" in groups) == (task["n_few_shot"] > 0)


def test_datasets_loads_every_configuration(programme: Programme, tmp_path: Path) -> None:
    """Without a network, with as many rows as the manifest says."""
    import datasets

    folder = str(programme.folder / "hugging_face")
    with offline(tmp_path):
        rows = {
            name: {split: data.num_rows for split, data in datasets.load_dataset(folder, name).items()}
            for name in datasets.get_dataset_config_names(folder)
        }
    tasks = programme.benchmark.manifest["tasks"]
    assert rows.keys() == tasks.keys() | {"human_responses"}
    for name, task in tasks.items():
        few_shot = {"few_shot": task["n_few_shot"]} if task["n_few_shot"] else {}
        assert rows[name] == {"test": task["n_items"], **few_shot}


def test_croissant_is_valid_and_every_record_set_loads(programme: Programme, tmp_path: Path) -> None:
    """What its command `validate` does says nothing of a wrong column, so that each record set is loaded too."""
    import mlcroissant

    file = programme.folder / "hugging_face/croissant.json"
    content = json.loads(file.read_text("utf-8"))
    assert {"rai:dataAnnotationPlatform", "rai:dataAnnotationProtocol", "rai:annotationsPerItem"} <= content.keys()
    with offline(tmp_path):
        data = mlcroissant.Dataset(jsonld=str(file))
        counts = {one["name"]: len(list(data.records(record_set=one["name"]))) for one in content["recordSet"]}
    tasks = programme.benchmark.manifest["tasks"]
    assert {f"{name}-test": task["n_items"] for name, task in tasks.items()}.items() <= counts.items()


def test_the_stimulus_is_the_one_that_people_read(programme: Programme) -> None:
    """The prompt begins with the stored text, whose hash is that of people's answers."""
    for name in programme.benchmark.manifest["tasks"]:
        with (programme.folder / "lm_eval/prompts.csv").open(encoding="utf-8", newline="") as file:
            hashes = {(row["task"], row["item_id"]): row["stimulus_sha256"] for row in csv.DictReader(file)}
        for doc in read_docs(programme, name):
            assert task_functions.build_prompt(doc).startswith(f"{doc['stimulus']}\n")
            assert doc["stimulus_sha256"] == hashes[name, doc["item_id"]]


def test_prompts_say_everything_once(programme: Programme) -> None:
    """All shapes are looked at in test_models.py."""
    for name, task in programme.benchmark.manifest["tasks"].items():
        check_prompts(read_docs(programme, name), task)


def test_the_page_of_published_prompts_is_that_of_this_build(programme: Programme) -> None:
    """Eval-UA-tion's prompts beside ours: python docs/reference/list_prompts.py."""
    if programme.name == "eval-ua-tion":
        page = runpy.run_path(str(PAGE.with_name("list_prompts.py")))
        assert page["write_page"](programme.benchmark) == PAGE.read_text("utf-8")


def read_docs(programme: Programme, task: str) -> list[dict[str, Any]]:
    """The test items of a task."""
    file = programme.folder / "hugging_face" / task / "test.jsonl"
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]
