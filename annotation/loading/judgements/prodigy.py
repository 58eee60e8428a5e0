"""Reads what Prodigy's `db-out` writes: one object per answer, with `answer` accept, reject or ignore."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation.campaigns.sections.sources import VotesSection
from annotation.errors import BadInput
from annotation.loading import tables
from annotation.loading.judgements.tool_rows import UNKNOWN_PERSON, ToolRow
from annotation.vocabulary import REJECTED_BY_ANNOTATOR, SKIPPED

DECISION = "answer"
_ANSWERS_BY_VIEW = {
    "choice": "accept",
    "ner_manual": "spans",
    "spans_manual": "spans",
    "text_input": "user_input",
}
"""The field with the answer by Prodigy's interface; in all others people accept or reject what they are shown."""
_PEOPLE = ("_annotator_id", "_session_id")
ANNOTATOR = "annotator"


def read_prodigy(path: Path, section: VotesSection) -> Iterator[ToolRow]:
    """Read one row per answer; raises BadInput for a row without a decision.

    An ignored example is a skip. Of a question with an answer of its own, so is a rejected one, with another reason.
    """
    rows = list(tables.read_rows(path, section))
    answers = tuple(dict.fromkeys(_find_answer(row.values) for row in rows))
    asked = (section.answer,) if section.answer is not None else tuple(section.answers.values()) or answers
    person = next((name for name in _PEOPLE if any(row.values.get(name) for row in rows)), None)
    for row in rows:
        decision = row.values.get(DECISION)
        if decision not in ("accept", "reject", "ignore"):
            raise BadInput(
                "The row is neither accepted, rejected nor ignored.",
                where=row.where(DECISION),
                remedy="Export the data set with `prodigy db-out`.",
            )
        exclusion = SKIPPED if decision == "ignore" else None
        if decision == "reject" and DECISION not in asked:
            exclusion = REJECTED_BY_ANNOTATOR
        values = _flatten(row.values, asked=asked)
        values[ANNOTATOR] = UNKNOWN_PERSON if person is None else row.values.get(person)
        yield ToolRow(row._replace(values=values), answers=answers, exclusion=exclusion)


def _find_answer(values: Mapping[str, Any]) -> str:
    """The field with the answer of a row; older exports name no interface."""
    view = values.get("_view_id")
    if isinstance(view, str) and view != "blocks":
        return _ANSWERS_BY_VIEW.get(view, DECISION)
    if isinstance(values.get("accept"), list):
        return "accept"
    if "label" not in values and "tokens" in values and isinstance(values.get("spans"), list):
        return "spans"
    return "user_input" if "user_input" in values else DECISION


def _flatten(values: Mapping[str, Any], *, asked: Sequence[str]) -> dict[str, Any]:
    """The fields without the words of the text; those of `meta` as columns `meta_…`."""
    kept = {name: value for name, value in values.items() if name != "tokens" or name in asked}
    meta = values.get("meta")
    if isinstance(meta, Mapping):
        kept |= {f"meta_{name}": value for name, value in meta.items()} | kept
    return kept
