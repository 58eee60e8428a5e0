"""The same answers counted otherwise: what a score is beside the primary one, wherever that can differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from exports.inputs import EXPOSED, DataSet

PRIMARY = "all"
SKIPS_EXCLUDED = "skips excluded"
FIRST_ANSWERS = "first answers"
EXPOSED_ONLY = "exposed only"
WITHOUT_INSIDERS = "without insiders"
EXCLUSIONS_KEPT = "exclusions kept"
INSTRUCTIONS = "instructions "
MEANINGS: Mapping[str, str] = {
    SKIPS_EXCLUDED: "without the skips, which the primary score counts as wrong",
    FIRST_ANSWERS: "the first answers, before any undo",
    EXPOSED_ONLY: "only answers of people who had met the group before, which no other score counts",
    WITHOUT_INSIDERS: "without the authors of the campaign and their colleagues",
    EXCLUSIONS_KEPT: "with the answers that quality rules excluded",
    INSTRUCTIONS: "only answers under that version of the instructions",
}
UNDONE = "undone"


def subsets(data: DataSet) -> dict[str, DataSet]:
    """The data set otherwise counted, by the name of the way.

    Only ways that change which answers count, or what they say.
    """
    counted = data.reasons().isna()
    made = {
        SKIPS_EXCLUDED: _kept(data, counted & data.responses["response"].notna()),
        FIRST_ANSWERS: _first_answers(data, counted),
        EXPOSED_ONLY: _exposed(data),
        WITHOUT_INSIDERS: _kept(data, counted & ~data.responses["insider"].eq(other=True)),
        EXCLUSIONS_KEPT: _exclusions_kept(data),
        **_versions(data, counted),
    }
    before = _content(data)
    nobody = {EXPOSED_ONLY} if made[EXPOSED_ONLY].responses.empty else set()
    return {name: other for name, other in made.items() if name not in nobody and not _content(other).equals(before)}


def meaning(name: str) -> str:
    """What a subset holds, in words."""
    return MEANINGS[INSTRUCTIONS if name.startswith(INSTRUCTIONS) else name]


def _kept(data: DataSet, rows: pd.Series[bool]) -> DataSet:
    return replace(data, responses=data.responses.loc[rows])


def _first_answers(data: DataSet, counted: pd.Series[bool]) -> DataSet:
    """Each answer as it was first given; one that was undone and skipped at first is a skip."""
    rows = data.responses
    undone = rows["revision"].notna() & (rows["revision"] != 0)
    skips = rows["skip_reason"].mask(undone & rows["first_response"].isna(), UNDONE)
    first = rows.assign(
        response=rows["response"].mask(undone, rows["first_response"]),
        excluded_reason=rows["excluded_reason"].mask(undone, rows["first_excluded_reason"]),
        skip_reason=skips,
    )
    return replace(data, responses=first.loc[counted | undone])


def _exposed(data: DataSet) -> DataSet:
    rows = data.responses.loc[data.reasons() == EXPOSED]
    return replace(data, responses=rows.assign(exposed=False))


def _exclusions_kept(data: DataSet) -> DataSet:
    """What quality rules excluded counts again, where it is an answer that could count."""
    rows = data.responses
    possible = rows["response"].notna() if data.classes is None else rows["response"].isin(data.classes)
    again = rows["by_rule"].eq(other=True) & (possible | rows["skip_reason"].notna())
    return replace(data, responses=rows.assign(excluded_reason=rows["excluded_reason"].mask(again, None)))


def _versions(data: DataSet, counted: pd.Series[bool]) -> dict[str, DataSet]:
    """One a version of the instructions, where the answers that count saw several."""
    versions = data.responses["instruction_sha256"]
    known = sorted(versions[counted].dropna().unique())
    if len(known) < 2:
        return {}
    return {f"{INSTRUCTIONS}{version[:12]}": _kept(data, counted & (versions == version)) for version in known}


def _content(data: DataSet) -> pd.DataFrame:
    """Which answers count, and what they say."""
    rows = data.responses.loc[data.reasons().isna(), ["item_id", "annotator", "response"]]
    return rows.astype(object).fillna("")
