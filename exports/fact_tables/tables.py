"""The tables of facts, one CSV file each; every file is there, with its header alone where there is nothing to tell."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from exports import writers
from exports.facts import ProjectFacts
from exports.inputs import DataSet
from exports.release_state import ReleaseState
from exports.results import DataSetResult
from exports.rounding import format_fixed

TEXT_COLUMNS = ("project", "kind", "scope", "version", "sha256", "file", "n_people", "n_answers")
SHOWN_DIGITS = 12
"""How many characters of a sha256 name a file."""
IN_TABLES = ("texts", "training_items", "lint", "frames", "profile", "attested", "declared_meanings")
"""Facts that files of their own hold."""


def build_text_files(state: ReleaseState) -> dict[str, str]:
    """Build the texts, their index, the training and facts.json: path → content."""
    files: dict[str, str] = {}
    rows = []
    for project in state.facts.projects:
        for text in project.texts:
            path = f"texts/{project.name}/{text.kind}-{text.sha256[:SHOWN_DIGITS]}.txt"
            files[path] = text.text
            rows.append({"project": project.name, "file": path} | asdict(text))
        if project.training_items:
            files[f"texts/{project.name}/training.jsonl"] = "".join(_list_training(project))
    index = pd.DataFrame(rows, columns=list(TEXT_COLUMNS), dtype=object)
    return files | {"texts/texts.csv": writers.format_csv(index), "facts.json": _format_facts(state)}


def _list_training(project: ProjectFacts) -> Iterator[str]:
    for item in project.training_items:
        yield json.dumps(asdict(item), ensure_ascii=False) + "\n"


def _format_facts(state: ReleaseState) -> str:
    facts = asdict(state.facts)
    facts["projects"] = {project.name: _describe_project(project) for project in state.facts.projects}
    return writers.format_json(facts)


def _describe_project(project: ProjectFacts) -> dict[str, Any]:
    """All facts but those in tables; with what each declared one should state, and null where it is empty."""
    stated = project.stated
    declared = {
        name: {"value": stated.get(name), "should_state": meaning}
        for name, meaning in project.declared_meanings.items()
    }
    facts = {name: value for name, value in asdict(project).items() if name not in IN_TABLES}
    return facts | {"declared": declared}


EXCLUSION_COLUMNS = ("dataset", "step", "kind", "reason", "by_rule", "post_hoc", "n_answers", "n_annotators", "n_items")
PER_ITEM_COLUMNS = ("dataset", "n_answers", "n_items")
_KEYS = ["excluded_kind", "excluded_reason", "by_rule", "post_hoc"]


def list_exclusions(state: ReleaseState) -> Iterator[Mapping[str, object]]:
    """The flow of the answers of each data set, as rows of exclusions.csv.

    `step` is `all`, then `excluded` (a row each kind and reason), `skipped` (skips that fill a place) and `counted`:
    excluded, skipped and counted answers add up to all. Rows of the step `removed` name the reasons for which people
    were excluded, failed or left, with how many of them did.
    """
    for result in state.tables.results:
        data = result.data
        yield _count("all", data, data.responses)
        yield from _list_excluded(data)
        yield _count("skipped", data, data.list_counted_skips())
        yield _count("counted", data, data.list_counted_answers())
        reasons = pd.Series(list(data.removed_annotators.values()), dtype=object)
        for reason, number in sorted(reasons.value_counts().items(), key=lambda counted: str(counted[0])):
            yield {"dataset": data.name, "step": "removed", "reason": reason, "n_annotators": int(number)}


def _list_excluded(data: DataSet) -> Iterator[Mapping[str, object]]:
    """A row for each kind and reason, of rules apart from others, and of those changed after the start."""
    out = data.list_excluded_responses()
    cells = zip(*(out[name].tolist() for name in _KEYS), strict=True)
    keys = pd.Series(
        [json.dumps([str(kind), str(why), rule is True, later is True]) for kind, why, rule, later in cells]
    )
    for key in sorted(set(keys)):
        kind, why, rule, later = json.loads(key)
        named = {"kind": kind, "reason": why, "by_rule": rule, "post_hoc": later}
        yield _count("excluded", data, out.loc[(keys == key).to_numpy()]) | named


def _count(step: str, data: DataSet, rows: pd.DataFrame) -> dict[str, object]:
    return {
        "dataset": data.name,
        "step": step,
        "n_answers": len(rows),
        "n_annotators": rows["annotator"].nunique(),
        "n_items": rows["item_id"].nunique(),
    }


def count_answers_per_item(state: ReleaseState) -> Iterator[Mapping[str, object]]:
    """How many items have how many answers and skips that count, as rows of answers_per_item.csv."""
    for result in state.tables.results:
        data = result.data
        per_item = data.count_places()
        for n_answers, n_items in sorted(per_item.value_counts().items()):
            yield {"dataset": data.name, "n_answers": n_answers, "n_items": int(n_items)}


ATTRITION_COLUMNS = ("project", "step", "n", "note")
QUALIFICATION_COLUMNS = ("project", "rule", "n_items", "tried", "passed", "failed", "fixed_before")
DEMOGRAPHIC_COLUMNS = ("project", "field", "question", "value", "n", "suppressed")
TIME_COLUMNS = ("dataset", "annotator", "n", "median", "q1", "q3", "fast_share")
FAST = 0.25
"""An answer in less than this share of the data set's median time is fast."""


NO_INVITATIONS = "no invitations were made out"
NO_FRIENDS = "no friends were invited"
NO_CONSENT = "no consent is asked for"
NO_QUALIFICATION = "there is no qualification"
ELSEWHERE = "people answered elsewhere"
CONTRIBUTED = "annotators with an answer that counts; some of them may have stopped before the end"


def list_attrition(state: ReleaseState) -> Iterator[Mapping[str, object]]:
    """How many were invited, agreed, qualified, started, finished, and gave answers that count (to any question).

    `n` is empty where that is not known, and `note` says why.
    """
    for project in state.facts.projects:
        yield from _list_steps(project)
        counted = [result.data.list_counted_answers()["annotator"] for result in state.list_results(project)]
        people = {str(annotator) for column in counted for annotator in column}
        yield {"project": project.name, "step": "contributed", "n": len(people), "note": CONTRIBUTED}


def _list_steps(project: ProjectFacts) -> Iterator[Mapping[str, object]]:
    passed = None if project.qualification is None else project.qualification.n_passed
    steps = {
        "invited": (project.invited, NO_INVITATIONS),
        "invited by friends": (project.invited_by_friends, NO_FRIENDS),
        "consented": (project.consented, NO_CONSENT),
        "qualified": (passed, NO_QUALIFICATION),
        "started": (project.started, None),
        "finished": (project.finished, None),
    }
    for step, (number, reason) in steps.items():
        note = ELSEWHERE if project.imported else reason
        yield {"project": project.name, "step": step, "n": number, "note": note if number is None else None}


def list_qualification(project: ProjectFacts) -> Iterator[Mapping[str, object]]:
    """The qualification of a project that has one."""
    stage = project.qualification
    if stage is not None:
        counts = {"tried": stage.n_tried, "passed": stage.n_passed, "failed": stage.n_failed}
        yield {"project": project.name} | asdict(stage) | counts


def list_demographics(project: ProjectFacts) -> Iterator[Mapping[str, object]]:
    """What contributing people said of themselves and attested; a suppressed cell has no number."""
    for cell in (*project.profile, *project.attested):
        yield {"project": project.name, **asdict(cell), "suppressed": cell.n is None}


def list_times(state: ReleaseState) -> Iterator[Mapping[str, object]]:
    """Seconds of the answers that count: of all people of a data set, then of each, where any are known."""
    for result in state.tables.results:
        counted = result.data.list_counted_answers()
        timed = counted.loc[counted["seconds"].notna(), ["annotator", "seconds"]].astype({"seconds": float})
        if timed.empty:
            continue
        limit = FAST * float(timed["seconds"].median())
        yield {"dataset": result.data.name} | _describe_times(timed["seconds"], limit)
        for annotator, own in timed.groupby("annotator")["seconds"]:
            yield {"dataset": result.data.name, "annotator": annotator} | _describe_times(own, limit)


def _describe_times(seconds: pd.Series[float], limit: float) -> dict[str, object]:
    return {
        "n": len(seconds),
        "median": format_fixed(float(seconds.median()), 2),
        "q1": format_fixed(float(seconds.quantile(0.25)), 2),
        "q3": format_fixed(float(seconds.quantile(0.75)), 2),
        "fast_share": format_fixed(float((seconds < limit).mean()), 4),
    }


Row = Mapping[str, object]

LINT_COLUMNS = ("project", "rule", "severity", "message", "items", "remedy")
PLAN_COLUMNS = (
    "dataset", "planned_items", "planned_overlap", "planned_half_width", "planned_share_right", "items",
    "answered_items", "answers_min", "answers_median", "answers_max", "half_width", "item_only_half_width",
    "planned_in_words", "differs",
)  # fmt: skip
SAMPLING_COLUMNS = ("project", "pool", "method", "seed", "sha256", "stratum", "drawn", "candidates")


def build_fact_files(state: ReleaseState) -> dict[str, str]:
    """Build the tables of facts: file name → CSV."""
    tables: Mapping[str, tuple[Sequence[str], Iterator[Row]]] = {
        "exclusions.csv": (EXCLUSION_COLUMNS, list_exclusions(state)),
        "answers_per_item.csv": (PER_ITEM_COLUMNS, count_answers_per_item(state)),
        "attrition.csv": (ATTRITION_COLUMNS, list_attrition(state)),
        "qualification.csv": (QUALIFICATION_COLUMNS, _walk_projects(state, list_qualification)),
        "demographics.csv": (DEMOGRAPHIC_COLUMNS, _walk_projects(state, list_demographics)),
        "time.csv": (TIME_COLUMNS, list_times(state)),
        "lint.csv": (LINT_COLUMNS, _walk_projects(state, _list_lint)),
        "plan_achieved.csv": (PLAN_COLUMNS, _list_plans(state)),
        "sampling.csv": (SAMPLING_COLUMNS, _walk_projects(state, _list_samples)),
    }
    return {
        name: writers.format_csv(pd.DataFrame(list(rows), columns=list(columns), dtype=object))
        for name, (columns, rows) in tables.items()
    }


def _walk_projects(state: ReleaseState, list_rows: Callable[[ProjectFacts], Iterator[Row]]) -> Iterator[Row]:
    for project in state.facts.projects:
        yield from list_rows(project)


def _list_lint(project: ProjectFacts) -> Iterator[Row]:
    for finding in project.lint:
        items = json.dumps(list(finding.items), ensure_ascii=False)
        yield {"project": project.name} | asdict(finding) | {"items": items}


def _list_samples(project: ProjectFacts) -> Iterator[Row]:
    for frame in project.frames:
        sample = {"project": project.name} | asdict(frame)
        yield sample | {"drawn": frame.n_drawn, "candidates": frame.n_candidates}
        for stratum, (drawn, candidates) in sorted(frame.strata.items()):
            yield sample | {"stratum": stratum, "drawn": drawn, "candidates": candidates}


def _list_plans(state: ReleaseState) -> Iterator[Row]:
    for project in state.facts.projects:
        for result in state.list_results(project):
            achieved = _describe_achieved(result)
            shortfalls = (*_list_shortfalls(project, achieved), *_list_sample_shortfalls(result.data))
            differs = "; ".join(shortfalls) or None
            yield {"dataset": result.data.name} | _describe_plan(project) | achieved | {"differs": differs}


def _describe_plan(project: ProjectFacts) -> dict[str, object]:
    plan = project.plan
    if plan is None:
        return {"planned_overlap": project.overlap}
    return {
        "planned_items": plan.n_items,
        "planned_overlap": plan.overlap,
        "planned_half_width": format_fixed(plan.half_width, 4),
        "planned_share_right": format_fixed(plan.share, 2),
        "planned_in_words": plan.words,
    }


def _describe_achieved(result: DataSetResult) -> dict[str, object]:
    data = result.data
    per_item = data.count_places()
    score = None if result.performance is None else result.performance["individual"].primary
    return {
        "items": len(data.items),
        "answered_items": int((per_item > 0).sum()),
        "answers_min": int(per_item.min()) if len(per_item) else None,
        "answers_median": float(per_item.median()) if len(per_item) else None,
        "answers_max": int(per_item.max()) if len(per_item) else None,
        "half_width": None if score is None else _format_half(score.ci_low, score.ci_high),
        "item_only_half_width": None if score is None else _format_half(score.item_only_low, score.item_only_high),
    }


def _list_sample_shortfalls(data: DataSet) -> Iterator[str]:
    if data.sample is not None:
        places = data.keep_sample().count_places()
        short = int((places < data.sample.of).sum())
        if short:
            yield f"{short} items of the overlap sample have fewer than {data.sample.of} answers"


def _list_shortfalls(project: ProjectFacts, achieved: Mapping[str, Any]) -> Iterator[str]:
    """In what the answers fall short of the plan, in words; nothing where nothing was planned."""
    plan = project.plan
    if plan is None:
        return
    if achieved["answered_items"] < plan.n_items:
        yield f"{achieved['answered_items']} items answered, {plan.n_items} planned"
    least = achieved["answers_min"]
    if least is not None and least < plan.overlap:
        yield f"some items have {least} answers, {plan.overlap} planned"
    planned = format_fixed(plan.half_width, 4)
    if planned is not None and achieved["half_width"] is None:
        yield f"no half-width, {planned} planned"
    elif planned is not None and float(achieved["half_width"]) > float(planned):
        yield f"half-width {achieved['half_width']}, {planned} planned"


def _format_half(low: float | None, high: float | None) -> str | None:
    return None if low is None or high is None else format_fixed((high - low) / 2, 4)
