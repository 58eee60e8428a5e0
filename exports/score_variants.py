"""Variants of a data set that count its answers otherwise; their scores are published beside the primary one.

A variant is a value of the column `subset` of human_baseline.csv.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd

from aggregation.findings import Finding, get_code
from aggregation.scores.performance import Performance, Score, Unit, UnitName
from aggregation.scores.trivial_baselines import TrivialBaseline, score_trivial_baselines
from exports.adjudicated_gold import apply_adjudicated_gold, has_judged_gold
from exports.inputs import EXPOSED, DataSet
from exports.rounding import format_fixed

TRIVIAL_COLUMNS = ("dataset", "baseline", "answer", "metric", "value", "n_items", "n_torn", "reason")


def score_option_items(data: DataSet) -> tuple[TrivialBaseline, ...]:
    """Score every trivial baseline on the items on which people are scored; none without options or without gold."""
    return score_trivial_baselines(data.option_items, classes=data.classes) if data.option_items else ()


def build_trivial_table(data: DataSet, baselines: Sequence[TrivialBaseline]) -> pd.DataFrame:
    """One row for each baseline and metric with the columns TRIVIAL_COLUMNS, or one for a baseline that has none.

    An undefined value is empty. `n_torn` counts the items on which a baseline takes one of several options by lot.
    """
    rows = []
    for baseline in baselines:
        row = {
            "dataset": data.name,
            "baseline": baseline.name,
            "answer": baseline.answer or None,
            "n_items": len(data.option_items),
            "n_torn": None if baseline.reason else baseline.n_torn,
            "reason": baseline.reason or None,
        }
        scores: list[tuple[str | None, float | None]] = [*baseline.scores.items()] or [(None, None)]
        rows += [row | {"metric": metric, "value": format_fixed(value, 4)} for metric, value in scores]
    return pd.DataFrame(rows, columns=list(TRIVIAL_COLUMNS), dtype=object)


PRIMARY = "all"
POOLED = Finding("pooled")
ON_SAMPLE = Finding("on-overlap-sample")
SKIPS_EXCLUDED = Finding("skips-excluded")
FIRST_ANSWERS = Finding("first-answers")
EXPOSED_ONLY = Finding("exposed-only")
WITHOUT_INSIDERS = Finding("without-insiders")
EXCLUSIONS_KEPT = Finding("exclusions-kept")
ADJUDICATED = Finding("adjudicated")
VARIANT_UNITS: tuple[UnitName, ...] = ("individual", "majority")
"""The units of which variants have scores; a Dawid–Skene fit for each variant would take too long."""
UNDONE = "undone"
"""The skip reason of a first answer that was a skip and was undone: the reason given then is not known."""


def build_variants(data: DataSet) -> dict[str, DataSet]:
    """Build the variants of a data set by name, without those in which the same answers count and say the same.

    The variant against adjudicated gold is there where adjudicators decided on declared gold, whatever they decided.
    """
    counted = data.exclusion_kinds().isna()
    variants = {
        SKIPS_EXCLUDED: _keep_rows(data, counted & data.responses["response"].notna()),
        FIRST_ANSWERS: _restore_first_answers(data, counted),
        EXPOSED_ONLY: _keep_exposed(data),
        WITHOUT_INSIDERS: _keep_rows(data, counted & ~data.responses["insider"].eq(other=True)),
        EXCLUSIONS_KEPT: restore_excluded(data),
        ADJUDICATED: apply_adjudicated_gold(data),
        **_split_by(data, counted, "instruction_sha256", name_instructions),
        **_split_by(data, counted, "surface", name_surface),
    }
    primary = _list_counted(data)
    empty = {EXPOSED_ONLY} if variants[EXPOSED_ONLY].responses.empty else set()
    return {
        name: variant
        for name, variant in variants.items()
        if name not in empty
        and (has_judged_gold(data) if name == ADJUDICATED else not _list_counted(variant).equals(primary))
    }


def describe_variant(name: str) -> str:
    """Which answers the variant with this name, a finding, counts."""
    return Finding(f"{get_code(name)}-means")


def name_instructions(version: str) -> Finding:
    """The name of the variant of answers under a version of the instructions, given by its sha256."""
    return Finding("instructions", version=version[:12])


def name_surface(surface: str) -> Finding:
    """The name of the variant of answers that were given on a surface."""
    return Finding("surface", surface=surface)


def exceeds_half_width(primary: Performance, unit: Unit, score: Score) -> bool | None:
    """Whether the score of a variant is further from the primary score than half the width of the primary interval.

    `unit` is the unit of the variant's score. The interval is that for a fresh panel, or for this one where there is no
    other. Returns None where there is no such primary score, or it has no interval.
    """
    if not primary.has_unit(unit.unit):
        return None
    own = primary[unit.unit][score.metric]
    low, high = own.ci_low, own.ci_high
    if low is None or high is None:
        low, high = own.item_only_low, own.item_only_high
    if low is None or high is None or own.value is None or score.value is None:
        return None
    return abs(score.value - own.value) > (high - low) / 2


def _keep_rows(data: DataSet, rows: pd.Series[bool]) -> DataSet:
    return replace(data, responses=data.responses.loc[rows])


def _restore_first_answers(data: DataSet, counted: pd.Series[bool]) -> DataSet:
    """Each answer as it was first given; an answer that was a skip at first and undone is a skip."""
    rows = data.responses
    undone = rows["revision"].notna() & (rows["revision"] != 0)
    skips = rows["skip_reason"].mask(undone & rows["first_response"].isna(), UNDONE)
    first = rows.assign(
        response=rows["response"].mask(undone, rows["first_response"]),
        excluded_kind=rows["excluded_kind"].mask(undone, rows["first_excluded_kind"]),
        skip_reason=skips,
    )
    return replace(data, responses=first.loc[counted | undone])


def _keep_exposed(data: DataSet) -> DataSet:
    """Only what is left out of the primary score because of exposure: here answers and skips count, blanks do not."""
    rows = data.responses
    given = rows["response"].notna() | rows["skip_reason"].notna()
    return replace(data, responses=rows.loc[(data.exclusion_kinds() == EXPOSED) & given].assign(excluded_kind=None))


def restore_excluded(data: DataSet) -> DataSet:
    """Answers that quality rules excluded count again, unless their assignment is no vote, or they are no class."""
    rows = data.responses
    possible = rows["response"].notna() if data.classes is None else rows["response"].isin(data.classes)
    restored = rows["by_rule"].eq(other=True) & (possible | rows["skip_reason"].notna())
    kinds = rows["excluded_kind"].mask(restored, rows["assignment_kind"])
    return replace(data, responses=rows.assign(excluded_kind=kinds))


def _split_by(
    data: DataSet, counted: pd.Series[bool], column: str, name_variant: Callable[[str], Finding]
) -> dict[str, DataSet]:
    """One variant for each value of the column, if counted answers have several."""
    values = data.responses[column]
    found = sorted(values[counted].dropna().unique())
    if len(found) < 2:
        return {}
    return {name_variant(value): _keep_rows(data, counted & (values == value)) for value in found}


def _list_counted(data: DataSet) -> pd.DataFrame:
    """The answers that count: item_id, annotator, response."""
    rows = data.responses.loc[data.exclusion_kinds().isna(), ["item_id", "annotator", "response"]]
    return rows.astype(object).fillna("")
