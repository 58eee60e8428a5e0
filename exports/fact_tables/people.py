"""Tables about people: who came and stayed, who qualified, what they said about themselves, and how long they took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from exports.facts import ProjectFacts
from exports.number_formats import format_fixed
from exports.release_state import ReleaseState

ATTRITION_COLUMNS = ("project", "step", "n", "note")
QUALIFICATION_COLUMNS = ("project", "rule", "n_items", "tried", "passed", "failed", "fixed_before")
DEMOGRAPHIC_COLUMNS = ("project", "field", "question", "value", "n", "suppressed")
TIME_COLUMNS = ("dataset", "annotator", "n", "median", "q1", "q3", "fast_share")
FAST = 0.25
"""An answer in less than this share of the data set's median time is fast."""


NO_INVITATIONS = "no invitations were made out"
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
        yield {
            "project": project.name,
            "rule": stage.rule,
            "n_items": stage.n_items,
            "tried": stage.n_tried,
            "passed": stage.n_passed,
            "failed": stage.n_failed,
            "fixed_before": stage.fixed_before,
        }


def list_demographics(project: ProjectFacts) -> Iterator[Mapping[str, object]]:
    """What contributing people said of themselves and attested; a suppressed cell has no number."""
    for one in (*project.profile, *project.attested):
        yield {
            "project": project.name,
            "field": one.field,
            "question": one.question,
            "value": one.value,
            "n": one.n,
            "suppressed": one.n is None,
        }


def list_times(state: ReleaseState) -> Iterator[Mapping[str, object]]:
    """Seconds of the answers that count: of all people of a data set, then of each, where any are known."""
    for result in state.tables.results:
        counted = result.data.list_counted_answers()
        known = counted.loc[counted["seconds"].notna(), ["annotator", "seconds"]].astype({"seconds": float})
        if known.empty:
            continue
        limit = FAST * float(known["seconds"].median())
        yield {"dataset": result.data.name} | _describe_times(known["seconds"], limit)
        for annotator, own in known.groupby("annotator")["seconds"]:
            yield {"dataset": result.data.name, "annotator": annotator} | _describe_times(own, limit)


def _describe_times(seconds: pd.Series[float], limit: float) -> dict[str, object]:
    return {
        "n": len(seconds),
        "median": format_fixed(float(seconds.median()), 2),
        "q1": format_fixed(float(seconds.quantile(0.25)), 2),
        "q3": format_fixed(float(seconds.quantile(0.75)), 2),
        "fast_share": format_fixed(float((seconds < limit).mean()), 4),
    }
