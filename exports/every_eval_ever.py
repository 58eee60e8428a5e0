"""Scores of people and models on a benchmark as records of Every Eval Ever, a shared format of results (schema 0.3.0).

A model, people's single answers and their majority have a record each: one JSON file with all scores, and beside it one
of JSON Lines with what was said to each item and how it was scored. Paths are those of its data store.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exports.benchmark_items import task_functions
from exports.benchmark_items.readers import READERS_VERSION
from exports.benchmark_items.task_functions import Doc
from exports.lm_eval.results import HarnessResults, Row
from exports.lm_eval.task_files import ERRORS

SCHEMA_VERSION = "0.3.0"
SINGLE_ANSWERS, MAJORITY = "human/single-answers", "human/majority"
SIMULATED = "SIMULATED-"
"""Stands before both where no person answered."""
PEOPLE, MAJORITY_MODEL = "human-", "human-majority"
"""How `exports.lm_eval` names the models that say what people said."""
NO_DEVELOPER = "no-developer-named"
CANONICAL_IDS = {name: name.replace("_", "-") for name in ("accuracy", "exact_match", "f1", "wer", "cer")}
"""The metrics that its registry knows, by our names; others are called after hromada."""
INTERVAL = "two-way variance of people and items, t (hromada baseline)"

METHODS = {"reply": f"hromada readers {READERS_VERSION}", "likelihoods": "the most likely option"}
"""How an answer was found."""

Record = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class _Benchmark:
    """What a build says of itself; `names` are its tasks by those of the harness, `docs` its open items by task."""

    manifest: Mapping[str, Any]
    names: Mapping[str, str]
    docs: Mapping[str, Mapping[str, Doc]]

    def get_task(self, task: str) -> Mapping[str, Any]:
        """What the manifest says of a task of the harness."""
        found: Mapping[str, Any] = self.manifest["tasks"][self.names[task]]
        return found


def build_records(build: Path, results: HarnessResults, *, now: int) -> dict[str, str]:
    """The files of all records by path: `data/BENCHMARK/DEVELOPER/MODEL/UUID.json`, and `UUID_samples.jsonl`.

    `results` were read on the benchmark in the folder `build`; `now` is the time in seconds since 1970. Of hidden gold
    there are scores and no items.
    """
    benchmark = _read_benchmark(build)
    by_model: dict[str, list[Row]] = {}
    for row in results.answers:
        by_model.setdefault(_name_model(row["model"]), []).append(row)
    scores: dict[str, list[Row]] = {}
    for row in (*results.scores, *_score_single_answers(benchmark, by_model.get(SINGLE_ANSWERS, []))):
        if row["task"] in benchmark.names and row["value"] is not None and not _is_person(row["model"]):
            scores.setdefault(_name_model(row["model"]), []).append(row)
    files: dict[str, str] = {}
    for model, own in scores.items():
        run = results.runs.get(own[0]["model"])
        facts = {} if run is None else run.content
        record = _build_record(benchmark, model, own, facts, now=now)
        samples = list(_list_samples(benchmark, record, by_model.get(model, [])))
        files |= _format_files(benchmark, record, samples)
    return files


def _read_benchmark(build: Path) -> _Benchmark:
    manifest = json.loads((build / "manifest.json").read_text("utf-8"))
    names = {form["task"]: name for name, task in manifest["tasks"].items() for form in task["forms"].values()}
    docs = {
        name: {
            doc["item_id"]: doc
            for doc in task_functions.read_rows(build / "hugging_face" / name / "test.jsonl")
            if doc["gold"] is not None
        }
        for name in manifest["tasks"]
    }
    return _Benchmark(manifest=manifest, names=names, docs=docs)


def _is_person(model: str) -> bool:
    """Whether a model of the harness is one person, whose answers belong to the single ones."""
    return model.startswith(PEOPLE) and model != MAJORITY_MODEL


def _name_model(model: str) -> str:
    """The id of a model of the harness, or of the people that it stands for."""
    if model == MAJORITY_MODEL:
        return MAJORITY
    return SINGLE_ANSWERS if _is_person(model) else model


def _score_single_answers(benchmark: _Benchmark, answers: Sequence[Row]) -> Iterator[Row]:
    """The scores of all people's answers together, in the first metric of each task."""
    by_task: dict[str, list[float]] = {}
    for row in answers:
        if row["score"] is not None:
            by_task.setdefault(row["task"], []).append(row["score"])
    for task, scores in by_task.items():
        metric = benchmark.get_task(task)["metrics"][0]
        value = task_functions.compute_mean(scores)
        yield {"model": SINGLE_ANSWERS, "task": task, "metric": metric, "value": value, "n_items": len(scores)}


def _build_record(
    benchmark: _Benchmark, model: str, scores: Sequence[Row], run: Mapping[str, Any], *, now: int
) -> Record:
    manifest = benchmark.manifest
    is_human = model in (SINGLE_ANSWERS, MAJORITY)
    date = run.get("date")
    details = {"deployment_type": "unknown", "model_availability": "unknown"}
    identity = {"name": model, "id": model} | ({"developer": model.partition("/")[0]} if "/" in model else {})
    if is_human:
        stamp = SIMULATED if manifest["simulated"] else ""
        identity = {"name": f"{stamp}people: {model.partition('/')[2]}", "id": f"{stamp}{model}", "developer": "people"}
        details["kind"] = "people"
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{manifest['name']}/{identity['id']}/{now}",
        **({} if date is None else {"evaluation_timestamp": str(int(float(date)))}),
        "retrieved_timestamp": str(now),
        "source_metadata": {
            "source_name": manifest["title"],
            "source_type": "evaluation_run",
            "source_organization_name": "not stated",
            "evaluator_relationship": "other",
            "additional_details": {"benchmark": manifest["name"], "canary": manifest["canary"]},
        },
        "eval_library": {
            "name": "lm_eval",
            "version": str(run.get("lm_eval_version") or manifest["versions"].get("lm_eval") or "unknown"),
            "additional_details": {"hromada": manifest["versions"]["hromada"], "readers": READERS_VERSION},
        },
        "model_info": {**identity, "additional_details": details},
        "evaluation_results": [_build_result(benchmark, model, row) for row in scores],
    }


def _build_result(benchmark: _Benchmark, model: str, score: Row) -> Record:
    """One metric of one task; of people's first metric also its interval, as the manifest has it."""
    task = benchmark.get_task(score["task"])
    metric = score["metric"].partition(",")[0]
    human = task.get("human", {}).get({SINGLE_ANSWERS: "individual", MAJORITY: "majority"}.get(model, ""), {})
    uncertainty: Record = {} if score["n_items"] is None else {"num_samples": score["n_items"]}
    if metric == human.get("metric") and None not in (human.get("ci_low"), human.get("ci_high")):
        uncertainty["confidence_interval"] = {
            "lower": human["ci_low"],
            "upper": human["ci_high"],
            "confidence_level": 0.95,
            "method": INTERVAL,
        }
    return {
        "evaluation_result_id": f"{score['task']}/{metric}",
        "evaluation_name": score["task"],
        "source_data": {
            "dataset_name": task["dataset"],
            "source_type": "other",
            "additional_details": {"n_items": str(task["n_items"]), "canary": benchmark.manifest["canary"]},
        },
        "metric_config": _describe_metric(metric, task),
        "score_details": {"score": score["value"], **({"uncertainty": uncertainty} if uncertainty else {})},
    }


def _describe_metric(metric: str, task: Mapping[str, Any]) -> Record:
    """What is known of a metric by its name: whether less is better, and its bounds."""
    return {
        "evaluation_description": f"{metric} on “{task['question']}”",
        "metric_id": CANONICAL_IDS.get(metric, f"hromada.{metric}"),
        "metric_name": metric,
        "metric_unit": "proportion",
        "lower_is_better": metric in ERRORS,
        "score_type": "continuous",
        "min_score": -1.0 if metric == "mcc" else 0.0,
        "max_score": "Infinity" if metric in ERRORS else 1.0,
    }


def _list_samples(benchmark: _Benchmark, record: Record, answers: Sequence[Row]) -> Iterator[Record]:
    """What was said to each item with open gold; an answer that chooses none, or cannot be read, is empty."""
    for row in answers:
        task = benchmark.get_task(row["task"])
        doc = benchmark.docs[benchmark.names[row["task"]]].get(row["item_id"])
        if doc is None or row["score"] is None:
            continue
        raw, said = task_functions.build_prompt(doc), _tell_reply(doc, row)
        reference = [str(doc["answer"]), *(doc.get("accepted") or ())]
        hashed = json.dumps({"raw": raw, "reference": reference}, sort_keys=True)
        kept = {name: doc.get(name) for name in ("group", "stimulus_sha256", "p_correct", "difficulty", "canary")}
        person = {"annotator": row["model"].removeprefix(PEOPLE)} if _is_person(row["model"]) else {}
        yield {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": record["evaluation_id"],
            "model_id": record["model_info"]["id"],
            "evaluation_name": row["task"],
            "evaluation_result_id": f"{row['task']}/{task['metrics'][0]}",
            "sample_id": row["item_id"],
            "sample_hash": hashlib.sha256(hashed.encode()).hexdigest(),
            "interaction_type": "single_turn",
            "input": {"raw": raw, "reference": reference, "choices": doc.get("options") or None},
            "output": {"raw": [said]},
            "answer_attribution": [
                {
                    "turn_idx": 0,
                    "source": "output.raw",
                    "extracted_value": row["answer"] or "",
                    "extraction_method": METHODS["reply" if row["reply"] is not None else "likelihoods"],
                    "is_terminal": True,
                }
            ],
            "evaluation": {"score": row["score"], "is_correct": row["score"] == 1.0},
            "metadata": {name: str(value) for name, value in (kept | person).items() if value is not None},
        }


def _tell_reply(doc: Doc, row: Row) -> str:
    """The reply as it was written, or of likelihoods the name of the chosen option; empty where nothing was chosen."""
    if row["reply"] is None and row["answer"] in (doc.get("labels") or ()):
        return str(task_functions.list_names(doc)[doc["labels"].index(row["answer"])])
    return str(row["reply"] or "")


def _format_files(benchmark: _Benchmark, record: Record, samples: Sequence[Record]) -> dict[str, str]:
    """The two files of a record, named by a UUID that follows from its scores: the same are not filed twice."""
    lines = "".join(f"{json.dumps(sample, ensure_ascii=False)}\n" for sample in samples)
    model, told = record["model_info"]["id"], json.dumps(record["evaluation_results"], sort_keys=True)
    digest = hashlib.sha256(f"{benchmark.manifest['canary']} {model} {told}".encode()).digest()
    developer, slash, name = model.partition("/")
    if not developer or not slash:  # a file of this machine, or a name alone
        developer, name = NO_DEVELOPER, model.strip("/")
    parts = (benchmark.manifest["name"], developer, name)
    stem = f"data/{'/'.join(map(_clean_part, parts))}/{uuid.UUID(bytes=digest[:16], version=4)}"
    files = {}
    if samples:
        files[f"{stem}_samples.jsonl"] = lines
        record = record | {
            "detailed_evaluation_results": {
                "format": "jsonl",
                "file_path": f"{stem}_samples.jsonl",
                "hash_algorithm": "sha256",
                "checksum": hashlib.sha256(lines.encode()).hexdigest(),
                "total_rows": len(samples),
            }
        }
    return {f"{stem}.json": json.dumps(record, ensure_ascii=False, indent=2) + "\n", **files}


def _clean_part(part: str) -> str:
    """A part of a path as the data store names it: without slashes and signs that some systems forbid."""
    return re.sub(r'[<>:"/\\|?*\x00-\x1f]', "_", part).rstrip(". ") or "_"
