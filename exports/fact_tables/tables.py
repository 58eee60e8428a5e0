"""The tables of facts, one CSV file each; every file is there, with its header alone where there is nothing to tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from exports import writers
from exports.fact_tables import flows, people
from exports.facts import ProjectFacts
from exports.number_formats import format_fixed
from exports.release_state import ReleaseState
from exports.results import DataSetResult

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
        "exclusions.csv": (flows.EXCLUSION_COLUMNS, flows.list_exclusions(state)),
        "answers_per_item.csv": (flows.PER_ITEM_COLUMNS, flows.count_answers_per_item(state)),
        "attrition.csv": (people.ATTRITION_COLUMNS, people.list_attrition(state)),
        "qualification.csv": (people.QUALIFICATION_COLUMNS, _walk_projects(state, people.list_qualification)),
        "demographics.csv": (people.DEMOGRAPHIC_COLUMNS, _walk_projects(state, people.list_demographics)),
        "time.csv": (people.TIME_COLUMNS, people.list_times(state)),
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
        yield {
            "project": project.name,
            "rule": finding.rule,
            "severity": finding.severity,
            "message": finding.message,
            "items": flows.write_list(finding.items),
            "remedy": finding.remedy,
        }


def _list_samples(project: ProjectFacts) -> Iterator[Row]:
    for frame in project.frames:
        known: dict[str, Any] = {
            "project": project.name,
            "pool": frame.pool,
            "method": frame.method,
            "seed": frame.seed,
            "sha256": frame.sha256,
        }
        yield known | {"drawn": frame.n_drawn, "candidates": frame.n_candidates}
        for stratum, (drawn, candidates) in sorted(frame.strata.items()):
            yield known | {"stratum": stratum, "drawn": drawn, "candidates": candidates}


def _list_plans(state: ReleaseState) -> Iterator[Row]:
    for project in state.facts.projects:
        for result in state.list_results(project):
            achieved = _describe_achieved(result)
            differs = "; ".join(_list_shortfalls(project, achieved)) or None
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
    counted = data.responses.loc[data.exclusion_kinds().isna(), "item_id"]
    per_item = counted.value_counts().reindex(data.items["item_id"], fill_value=0)
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
        yield f"no half width, {planned} planned"
    elif planned is not None and float(achieved["half_width"]) > float(planned):
        yield f"half width {achieved['half_width']}, {planned} planned"


def _format_half(low: float | None, high: float | None) -> str | None:
    return None if low is None or high is None else format_fixed((high - low) / 2, 4)
