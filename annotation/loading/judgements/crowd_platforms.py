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
    rows = [row._replace(values=_unpack(row)) for row in tables.read_rows(path, section)]
    boxes = _group_boxes(rows)
    columns = (name for name in (rows[0].values if rows else ()) if name.startswith(ANSWER))
    answers = tuple(dict.fromkeys(_get_question(name) if name in boxes else name for name in columns))
    for row in rows:
        ticked = {question: _list_ticked(question, row) for question in map(_get_question, boxes)}
        status = get_cell(row, STATUS).strip()
        yield ToolRow(
            row._replace(values={**row.values, **ticked}),
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
    column has answers if another one has its gold (`mood` and `mood_gold`), and it varies within a unit.
    """
    rows = list(tables.read_rows(path, section))
    if rows and HIT in rows[0].values and UNIT not in rows[0].values:
        yield from read_batch(path, section)
        return
    answers = _list_answers(rows)
    asked = {*answers, *section.answers.values()} | ({section.answer} if section.answer is not None else set())
    for row in rows:
        lists = {name: found for name in asked if (found := _read_list(row.values.get(name))) is not None}
        is_golden = get_cell(row, GOLDEN).strip().casefold() == "true"
        golds = {name: get_cell(row, f"{name}{GOLD}").strip() for name in answers if is_golden}
        yield ToolRow(
            row._replace(values={**row.values, **lists}),
            answers=answers,
            exclusion=TAINTED_JUDGEMENT if get_cell(row, TAINTED).strip().casefold() == "true" else None,
            seconds=_measure(get_cell(row, STARTED), get_cell(row, ENDED)),
            golden={name: text for name, text in golds.items() if text},
        )


def _list_answers(rows: Sequence[FileRow]) -> tuple[str, ...]:
    """The columns with gold beside them; of several those whose values differ within a unit, if there are any."""
    names = [name for name in (rows[0].values if rows else ()) if f"{name}{GOLD}" in rows[0].values]
    varying: set[str] = set()
    firsts: dict[str, FileRow] = {}
    for row in rows if len(names) > 1 else ():
        first = firsts.setdefault(get_cell(row, UNIT), row)
        varying.update(name for name in names if first.values.get(name) != row.values.get(name))
    return tuple(name for name in names if name in varying) or tuple(names)


def _read_list(value: Any) -> list[str] | None:
    """The boxes that were ticked, which a form writes as a JSON list of texts; None for any other cell."""
    if not isinstance(value, str) or not value.startswith("["):
        return None
    elements = [element for _, element in json_text.parse_list(value) or ()]
    return elements if elements and all(isinstance(element, str) for element in elements) else None


def _measure(started: str, ended: str) -> float | None:
    """The seconds between two times, whose month is first; None where one is missing."""
    first, last = (parse_time(text.strip(), day_first=False) for text in (started, ended))
    return None if first is None or last is None else (last - first).total_seconds()
