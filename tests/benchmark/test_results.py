"""What is hidden stays hidden, what was run otherwise is named, and a build changes nothing but its own folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _built_benchmarks import Campaigns, open_campaigns
from _inspect import CHECKS, needs_inspect, run

from aggregation.errors import HromadaError
from exports import benchmark, every_eval_ever, lm_eval, writers
from exports.benchmark import Benchmark
from exports.benchmark_items import BuildOptions, build_tasks
from exports.lm_eval import replay, results

PROJECT = """
project: {name}
title: Слова
language: uk
kind: baseline
instructions: Уважно прочитайте.
question: {{type: choice, text: Яке слово довше?}}
items: {{file: items.jsonl, id: id, group: id, show: text, options: options, gold: gold, gold_origin: expert}}
overlap: 3
benchmark: {{hidden: {hidden}}}
declared: {{licence: CC BY-SA 4.0, population: студенти}}
"""
FORMS = ("open", "open_generation")
"""The tasks of the harness that ask the question."""


@dataclass(frozen=True)
class Built:
    """A project built openly, and the same with hidden gold."""

    campaigns: Campaigns
    folder: Path
    open: Benchmark
    hidden: Benchmark


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    """Twelve items, of which the first option is right, answered by four people."""
    folder = tmp_path_factory.mktemp("results")
    with open_campaigns(folder) as campaigns:
        rows = [
            {"id": f"i{number}", "text": f"Пара {number}", "options": [f"довге{number}", f"ок{number}"],
             "gold": f"довге{number}"}
            for number in range(12)
        ]  # fmt: skip
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        (folder / "items.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
        for name, hidden in (("open", "no"), ("secret", "yes")):
            file = folder / f"{name}.yaml"
            file.write_text(PROJECT.format(name=name, hidden=hidden), "utf-8")
            campaigns.answer([campaigns.load(file)], people=8, skill=0.8, seed=5)
        yield Built(
            campaigns, folder, *(campaigns.write(name, folder / f"{name}-built") for name in ("open", "secret"))
        )


def rewrite_samples(folder: Path, change: dict[str, Any], *, first: bool = True) -> None:
    """Change the first sample, or all, of every sample file."""
    for file in folder.glob("*/samples_*.jsonl"):
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        for row in rows[: 1 if first else None]:
            row |= {name: row["doc"] | value if name == "doc" else value for name, value in change.items()}
        file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def test_every_answer_of_people_is_read_with_its_score(built: Built) -> None:
    """One row an answer and form, with the stimulus that was read; nothing differs from the build."""
    read = lm_eval.read_results(built.folder / "open-built", [built.folder / "open-built/results"])
    people = built.open.manifest["tasks"]["open"]["people"]
    assert tuple(read.answers[0]) == lm_eval.ANSWER_COLUMNS
    by_form = [[row | {"task": "", "reply": ""} for row in read.answers if row["task"] == task] for task in FORMS]
    assert by_form[0] == by_form[1]
    assert len([row for row in by_form[0] if row["model"] != "human-majority"]) == people["n_answers"]
    by_item = {row["item_id"]: row for row in by_form[0] if row["model"] == "human-majority"}
    assert all(row["score"] == float(row["answer"].startswith("довге")) for row in by_item.values())
    assert {row["difference"] for row in read.differences} <= {results.NO_ITEM}
    values = {(row["task"], row["metric"]): row["value"] for row in read.scores if row["model"] == "human-majority"}
    metrics = zip((*FORMS, *FORMS), ("accuracy", "accuracy", "accuracy_norm", "accuracy_strict"), strict=True)
    assert values == dict.fromkeys(metrics, sum(row["score"] for row in by_item.values()) / len(by_item))


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"doc": {"stimulus": "Інша пара"}}, results.OTHER_ITEM),
        ({"doc": {"gold": "ок0"}}, results.OTHER_ITEM),
        ({"prompt_hash": "0" * 64}, results.OTHER_PROMPT),
    ],
)
def test_other_items_and_prompts_are_named(
    built: Built, tmp_path: Path, change: dict[str, Any], difference: str
) -> None:
    """Also where only the gold of an item is another one."""
    shutil.copytree(built.folder / "open-built/results", tmp_path / "results")
    whole = lm_eval.read_results(built.folder / "open-built", [tmp_path / "results"])
    rewrite_samples(tmp_path / "results", change)
    read = lm_eval.read_results(built.folder / "open-built", [tmp_path / "results"])
    found = [row for row in read.differences if row["difference"] == difference]
    assert len(found) == len(FORMS) * (built.open.manifest["tasks"]["open"]["people"]["n_annotators"] + 1)
    assert all((row["n_items"], row["items"].startswith("i")) == (1, True) for row in found)
    left_out = len(found) if difference == results.OTHER_ITEM else 0
    assert len(read.answers) == len(whole.answers) - left_out


def test_a_run_of_another_task_and_one_without_samples_are_named(built: Built, tmp_path: Path) -> None:
    """The one gives no rows, the other its scores alone."""
    folder = tmp_path / "model"
    shutil.copytree(built.folder / "open-built/results/human-majority", folder)
    for file in folder.glob("samples_*"):
        file.unlink()
    (file,) = folder.glob("results_*")
    content = json.loads(file.read_text("utf-8"))
    content["results"]["arc_easy"] = {"acc,none": 0.5}
    file.write_text(json.dumps(content), "utf-8")
    read = lm_eval.read_results(built.folder / "open-built", [tmp_path])
    assert [(row["task"], row["difference"]) for row in read.differences] == [
        *((task, results.NO_SAMPLES) for task in FORMS),
        ("arc_easy", results.OTHER_TASK),
    ]
    assert {row["task"] for row in read.scores} == {*FORMS}
    assert read.answers == []


def test_the_older_of_two_runs_is_left_out(built: Built, tmp_path: Path) -> None:
    """By the date in the file, whatever the folders are called."""
    for name, date in (("a", 2), ("b", 1)):
        shutil.copytree(built.folder / "open-built/results/human-majority", tmp_path / name)
        (file,) = (tmp_path / name).glob("results_*")
        file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | {"date": date}), "utf-8")
    once = lm_eval.read_results(built.folder / "open-built", [tmp_path / "a"])
    read = lm_eval.read_results(built.folder / "open-built", [tmp_path])
    assert (read.answers, read.scores) == (once.answers, once.scores)
    assert [row["difference"] for row in read.differences].count(results.OLDER_RUN) == len(FORMS)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("results_1.json", "{", "The result file cannot be read"),
        ("samples_open_1.jsonl", "{}\n", "This sample cannot be read"),
    ],
)
def test_a_damaged_file_is_named(built: Built, tmp_path: Path, name: str, text: str, said: str) -> None:
    """With its path, and the line of a sample."""
    folder = tmp_path / "model"
    shutil.copytree(built.folder / "open-built/results/human-majority", folder)
    for kind in ("results", "samples_open"):
        (file,) = folder.glob(f"{kind}_replay.*")
        file.rename(folder / f"{kind}_1{file.suffix}")
    (folder / name).write_text(text, "utf-8")
    with pytest.raises(HromadaError, match=said) as failure:
        lm_eval.read_results(built.folder / "open-built", [tmp_path])
    assert name in str(failure.value)


def test_a_folder_without_results_and_one_that_is_no_build_are_refused(built: Built, tmp_path: Path) -> None:
    """Each with what to name instead."""
    with pytest.raises(HromadaError, match="no result file"):
        lm_eval.read_results(built.folder / "open-built", [tmp_path])
    with pytest.raises(HromadaError, match="not a folder of `hromada build`"):
        lm_eval.read_results(tmp_path, [built.folder / "open-built/results"])


def test_hidden_gold_is_in_no_published_file(built: Built) -> None:
    """Neither the labels as gold nor what people answered, whose majority would tell them."""
    rows = [json.loads(line) for line in _read(built.hidden, "hugging_face/secret/test.jsonl").splitlines()]
    assert all(row["gold"] is row["answer"] is row["label"] is None for row in rows)
    assert not any("human" in path for path in built.hidden.files)
    assert built.hidden.manifest["tasks"]["secret"]["metrics"] == ["answered"]
    key = [json.loads(line) for line in _read(built.hidden, "gold.jsonl", key=True).splitlines()]
    assert [row["gold"] for row in key] == [f"довге{row['item_id'][1:]}" for row in key]
    assert {"human_responses.parquet", "results/human-majority/results_replay.json"} <= built.hidden.key_files.keys()


def test_who_has_the_key_scores_people_and_models(built: Built) -> None:
    """The scores of hidden gold are those that an open build has for the same answers."""
    build, key = built.folder / "secret-built", built.folder / "secret-built-key"
    without = lm_eval.read_results(build, [key / "results"])
    assert {row["metric"] for row in without.scores} == {"answered"}
    assert all(row["score"] is None for row in without.answers)
    read = lm_eval.read_results(build, [key / "results"], key=key)
    scores = {row["model"]: row["value"] for row in read.scores if row["metric"] == "accuracy"}
    for model, value in scores.items():
        given = [row["answer"] for row in read.answers if row["model"] == model]
        assert value == pytest.approx(sum(answer.startswith("довге") for answer in given) / len(given), abs=1e-9)
    assert len(scores) > 1


def build_records(build: Path, *folders: Path, key: Path | None = None) -> dict[str, str]:
    """The records of what was said to a build."""
    read = lm_eval.read_results(build, list(folders), key=key)
    return every_eval_ever.build_records(build, read, now=1_800_000_000)


def pretend_model(built: Built, folder: Path) -> Path:
    """A run of a model that answers as one person did."""
    person = next(
        path for path in sorted(built.folder.glob("open-built/results/human-*")) if "majority" not in path.name
    )
    shutil.copytree(person, folder / "run")
    (file,) = (folder / "run").glob("results_*.json")
    content = json.loads(file.read_text("utf-8"))
    content |= {"model_name": "acme/tiny-1b", "date": 1790000000.25}
    content["config"] |= {"model": "hf", "model_args": "pretrained=acme/tiny-1b"}
    file.write_text(json.dumps(content), "utf-8")
    return folder


def test_records_have_every_score_and_every_answer(built: Built, tmp_path: Path) -> None:
    """A record each for the model, single answers and the majority, whose lines give its score."""
    build = built.folder / "open-built"
    files = build_records(build, build / "results", pretend_model(built, tmp_path))
    assert files == build_records(build, build / "results", tmp_path)
    records = {record["model_info"]["id"]: record for record in read_records(files).values()}
    assert records.keys() == {"acme/tiny-1b", "SIMULATED-human/single-answers", "SIMULATED-human/majority"}
    assert records["acme/tiny-1b"]["evaluation_timestamp"] == "1790000000"
    people = built.open.manifest["tasks"]["open"]["people"]
    for name, rows in (("single-answers", people["n_answers"] + people["n_skips"]), ("majority", people["n_items"])):
        record = records[f"SIMULATED-human/{name}"]
        lines = files[record["detailed_evaluation_results"]["file_path"]].splitlines()
        samples = [json.loads(line) for line in lines]
        assert len(lines) == record["detailed_evaluation_results"]["total_rows"] == rows * len(FORMS)
        assert all(sample["metadata"]["canary"] == built.open.manifest["canary"] for sample in samples)
        for result in record["evaluation_results"]:
            own = [one for one in samples if one["evaluation_result_id"] == result["evaluation_result_id"]]
            if result["evaluation_result_id"].endswith("/accuracy"):
                mean = sum(one["evaluation"]["score"] for one in own) / len(own)
                assert result["score_details"]["score"] == pytest.approx(mean, abs=1e-9)
                assert {one["output"]["raw"][0] for one in own if one["evaluation"]["is_correct"]} <= {
                    sample["input"]["reference"][0] for sample in own
                }


def test_records_have_the_intervals_of_the_manifest(built: Built, tmp_path: Path) -> None:
    """People's first metric, in both forms of the question; no other metric, and no model."""
    build = shutil.copytree(built.folder / "open-built", tmp_path / "built")
    manifest = json.loads((build / "manifest.json").read_text("utf-8"))
    numbers = {"metric": "accuracy", "ci_low": 0.25, "ci_high": 0.75}
    manifest["tasks"]["open"]["human"] = {"individual": numbers, "majority": numbers | {"ci_low": None}}
    (build / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    files = build_records(build, build / "results", pretend_model(built, tmp_path / "runs"))
    intervals = {
        (record["model_info"]["id"], result["evaluation_result_id"]): (interval["lower"], interval["upper"])
        for record in read_records(files).values()
        for result in record["evaluation_results"]
        if (interval := result["score_details"]["uncertainty"].get("confidence_interval"))
    }
    assert intervals == {("SIMULATED-human/single-answers", f"{task}/accuracy"): (0.25, 0.75) for task in FORMS}


def test_records_of_hidden_gold_have_no_items(built: Built) -> None:
    """Who has the key may publish its scores; an item with its gold would give it away."""
    build, key = built.folder / "secret-built", built.folder / "secret-built-key"
    files = build_records(build, key / "results", key=key)
    assert {path.rpartition(".")[2] for path in files} == {"json"}
    assert "довге" not in "".join(files.values())
    assert all(record["evaluation_results"] for record in read_records(files).values())


@pytest.mark.slow
@pytest.mark.process
@needs_inspect
def test_records_pass_the_schemas_and_the_checks_of_every_eval_ever(built: Built, tmp_path: Path) -> None:
    """Those of its wheel, without a warning; a record that lacks a score does not pass."""
    build, folder = built.folder / "open-built", tmp_path / "records"
    files = build_records(build, build / "results", pretend_model(built, tmp_path / "runs"))
    writers.write_files(folder, files)
    script, env = Path(__file__).with_name("validate_records.py"), {"PYTHONPATH": str(CHECKS)}
    assert run(script, folder, folder=tmp_path, env=env).strip() == ""
    words = ("-m", "every_eval_ever", "validate", "--format", "json", str(folder / "data/*/*/*/*.json*"))
    reports = json.loads(run(*words, folder=tmp_path, env=env))
    assert len(reports) == len(files) == 6
    assert [report for report in reports if not report["valid"] or report["warnings"]] == []
    broken = next(folder.rglob("majority/*.json"))
    broken.write_text(broken.read_text("utf-8").replace('"score":', '"value":'), "utf-8")
    assert "'score' is a required property" in run(script, folder, folder=tmp_path, env=env)


@pytest.mark.slow
@pytest.mark.process
@needs_inspect
def test_who_has_the_key_scores_in_inspect_too(built: Built, tmp_path: Path) -> None:
    """With the gold and people's scores of the key, which are those that `results` tells."""
    build, key = built.folder / "secret-built", built.folder / "secret-built-key"
    script = Path(__file__).with_name("replay_in_inspect.py")
    (tasks,) = json.loads(run(script, tmp_path / "logs", build, folder=tmp_path)).values()
    read = lm_eval.read_results(build, [key / "results"], key=key)
    scores = {(row["task"], row["model"]): row["value"] for row in read.scores if row["metric"] == "accuracy"}
    ((task, people),) = tasks.items()
    for person, found in people.items():
        assert found["values"]["grade"]["accuracy"] == pytest.approx(scores[task, person], abs=1e-9)
    assert people["human-majority"]["values"]["majority"]["mean"] == scores[task, "human-majority"]


def read_records(files: Mapping[str, str]) -> dict[str, Any]:
    """The records, without the files of what was said to each item."""
    return {path: json.loads(text) for path, text in files.items() if path.endswith(".json")}


def test_a_second_build_takes_its_old_files_away_and_no_others(built: Built, tmp_path: Path) -> None:
    """Also from `../built`. A folder that holds anything else is refused, before anything is written."""
    (tmp_path / "here").mkdir()
    folder, key = tmp_path / "here" / ".." / "built", tmp_path / "key"
    benchmark.write_benchmark(built.hidden, folder, key)
    (folder / "mine.txt").write_text("мої нотатки", "utf-8")
    benchmark.write_benchmark(built.open, folder, tmp_path / "none")
    left = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
    assert left == built.open.files.keys() | {"mine.txt"}
    assert not (folder / "hugging_face/secret").exists()
    assert not (tmp_path / "none").exists()
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("!", "utf-8")
    with pytest.raises(HromadaError, match="not of an earlier build"):
        benchmark.write_benchmark(built.open, other, tmp_path / "none")
    assert [file.name for file in other.iterdir()] == ["thesis.txt"]


def test_without_the_harness_the_tasks_are_written_and_the_missing_replay_is_said(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All other files are the same."""
    monkeypatch.setattr(benchmark, "has_harness", lambda: False)
    without = built.campaigns.build("open")
    assert any("the extra `harness` is not installed" in note for note in without.notes)
    lost = {path for path in built.open.files if path.startswith("results/")} | {"manifest.json"}
    assert {path: content for path, content in built.open.files.items() if path not in lost} == {
        path: content for path, content in without.files.items() if path != "manifest.json"
    }


def test_a_person_who_was_not_asked_is_never_wrong_in_silence(built: Built) -> None:
    """Replayed on an item that they did not answer, the harness ends with the item's id."""
    recording: replay.Recording = {"open": {"i0": "довге0"}}
    tasks, _ = build_tasks(built.campaigns.read_source("open").tasks, options=BuildOptions(), canary="")
    model = replay._build_model("somebody", recording, tasks)
    for task, ask in zip(FORMS, (model.loglikelihood, model.generate_until), strict=True):
        with pytest.raises(KeyError, match="i1"):
            ask([type("Request", (), {"task_name": task, "doc": {"item_id": "i1"}})])


def _read(built: Benchmark, path: str, *, key: bool = False) -> str:
    content = (built.key_files if key else built.files)[path]
    return content if isinstance(content, str) else content.decode()
