"""Reads the tables of crowdsourcing platforms: batches of Mechanical Turk, and jobs of Figure Eight for CrowdTruth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation.campaigns.sections.sources import VotesSection
from annotation.input_files import FileRow
from annotation.loading import json_text, tables
from annotation.loading.drafts import get_cell
from annotation.loading.judgements.other_tools import judge_status
from annotation.loading.judgements.tool_rows import ToolRow, list_objects
from annotation.loading.judgements.vote_times import parse_time
from annotation.vocabulary import TAINTED_JUDGEMENT

HIT, WORKER, STATUS, SECONDS = "HITId", "WorkerId", "AssignmentStatus", "WorkTimeInSeconds"
APPROVED = "Approved"
INPUT, ANSWER = "Input.", "Answer."
TASK_ANSWERS = "Answer.taskAnswers"
_TICKED, _UNTICKED = frozenset({"true", "on"}), frozenset({"false", ""})


def read_batch(path: Path, section: VotesSection) -> Iterator[ToolRow]:
    """Read one row per assignment of a batch; only approved ones count.

    Options of one question are a column each (`Answer.mood.sad`) with true or false: together they are `Answer.mood`.
    """
    rows = [FileRow(row.file, row.line, _unpack(row)) for row in tables.read_rows(path, section)]
    boxes = _group_boxes(rows)
    columns = (name for name in (rows[0].values if rows else ()) if name.startswith(ANSWER))
    answers = tuple(dict.fromkeys(_get_question(name) if name in boxes else name for name in columns))
    for row in rows:
        ticked = {question: _list_ticked(question, row) for question in map(_get_question, boxes)}
        status = get_cell(row, STATUS).strip()
        yield ToolRow(
            FileRow(row.file, row.line, {**row.values, **ticked}),
            answers=answers,
            exclusion=judge_status(status) if STATUS in row.values and status != APPROVED else None,
            seconds=_parse_seconds(get_cell(row, SECONDS)),
        )


def _unpack(row: FileRow) -> dict[str, Any]:
    """The row with a column for each answer of a crowd form, which writes all of them as JSON."""
    values = dict(row.values)
    written = get_cell(row, TASK_ANSWERS).strip()
    if written.startswith("["):
        remedy = "Download the results of the batch again."
        forms = json_text.parse_json(written, path=row.file, line=row.line, remedy=remedy)
        del values[TASK_ANSWERS]
        for form in list_objects(forms, row, TASK_ANSWERS):
            values |= {f"{ANSWER}{name}": value for name, value in _flatten(form)}
    return values


def _flatten(form: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in form.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _group_boxes(rows: Sequence[FileRow]) -> frozenset[str]:
    """The columns that are boxes: those of a question whose columns only have true and false, and some true."""
    values: dict[str, set[str]] = {}
    for row in rows:
        for name, value in row.values.items():
            if name.startswith(ANSWER) and name.count(".") > 1:
                values.setdefault(name, set()).add(str(value).strip().casefold())
    by_question: dict[str, list[str]] = {}
    for name in values:
        by_question.setdefault(_get_question(name), []).append(name)
    boxes: set[str] = set()
    for columns in by_question.values():
        found = set().union(*(values[name] for name in columns))
        if found & _TICKED and found <= _TICKED | _UNTICKED:
            boxes.update(columns)
    return frozenset(boxes)


def _get_question(column: str) -> str:
    return column.rpartition(".")[0]


def _list_ticked(question: str, row: FileRow) -> list[str]:
    columns = (name for name in row.values if _get_question(name) == question)
    return [name.rpartition(".")[2] for name in columns if str(row.values[name]).strip().casefold() in _TICKED]


def _parse_seconds(text: str) -> float | None:
    stripped = text.strip()
    return float(stripped) if stripped.isascii() and stripped.isdigit() and len(stripped) < 10 else None


UNIT, F8_WORKER, TAINTED, GOLDEN = "_unit_id", "_worker_id", "_tainted", "_golden"
GOLD = "_gold"
STARTED, ENDED = "_started_at", "_created_at"


def read_job(path: Path, section: VotesSection) -> Iterator[ToolRow]:
    """Read one row per judgement of a full report of Figure Eight, or per assignment of a batch of Mechanical Turk.

    CrowdTruth reads both. Judgements of people who failed the test questions are tainted, which is a rejection. A
    column has answers if another one has its gold (`mood` and `mood_gold`).
    """
    answers: tuple[str, ...] | None = None
    for row in tables.read_rows(path, section):
        if answers is None and HIT in row.values and UNIT not in row.values:
            yield from read_batch(path, section)
            return
        if answers is None:
            answers = tuple(name for name in row.values if f"{name}{GOLD}" in row.values)
        yield ToolRow(
            row,
            answers=answers,
            exclusion=TAINTED_JUDGEMENT if get_cell(row, TAINTED).strip().casefold() == "true" else None,
            seconds=_measure(get_cell(row, STARTED), get_cell(row, ENDED)),
            golden={name: text for name in answers if (text := get_cell(row, f"{name}{GOLD}").strip())}
            if get_cell(row, GOLDEN).strip().casefold() == "true"
            else {},
        )


def _measure(started: str, ended: str) -> float | None:
    """The seconds between two times, whose month is first; None where one is missing."""
    first, last = (parse_time(text.strip(), day_first=False) for text in (started, ended))
    return None if first is None or last is None else (last - first).total_seconds()
