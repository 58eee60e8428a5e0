"""Parses the values of Label Studio's controls: a text, a list, or a list under the control's `value_key`."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation import input_files
from annotation.campaigns.project_file import VotesSection
from annotation.errors import BadInput
from annotation.label_studio_controls import CONTROLS_BY_VALUE
from annotation.label_studio_controls.span_control import read_classes
from annotation.loading import json_text, tables
from annotation.loading.judgements.other_tools import RawVote, get_annotator, get_item_key
from annotation.vocabulary import SEVERAL_TEXTS, Exclusion


def read_votes(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Read one vote per row."""
    return read_flat_rows(tables.read_rows(path, section), section)


def read_flat_rows(rows: Iterable[input_files.FileRow], section: VotesSection) -> Iterator[RawVote]:
    """Read one vote per flat row of CSV or JSON_MIN; columns that the section does not name are Label Studio's."""
    columns, annotator = section.item or ("id",), section.annotator or "annotator"
    for number, row in enumerate(rows):
        if number == 0:
            input_files.require_columns({"votes.item": columns, "votes.annotator": [annotator]}, row)
            if section.answers and row.file.suffix.lower() != ".json":
                require_control(tuple(section.answers.values()), tuple(row.values), row=row)
        controls = _list_controls(section, row)
        fields = [value for name, value in row.values.items() if name not in (*ADDED_COLUMNS, *controls)]
        answers = {name: parse_control(row.values.get(name), originals=fields, path=row.file) for name in controls}
        yield RawVote(
            key=get_item_key(row, columns),
            annotator=get_annotator(row, annotator),
            answer=answers[controls[0]].text,
            row=add_answers(row, answers) if section.answers else row,
            exclusion=find_exclusion(answers.values()),
            seconds=parse_lead_time(row.values.get("lead_time"), row=row),
        )


def _list_controls(section: VotesSection, first: input_files.FileRow) -> tuple[str, ...]:
    """The columns of the answers; the file itself does not tell controls from fields."""
    if section.answers:
        return tuple(section.answers.values())
    if section.answer is None:
        raise BadInput(
            "Which control holds the answer?",
            where=first.where("votes.answer"),
            remedy=f"Name it as `votes.answer`. The file has: {input_files.format_columns(first.values)}.",
        )
    if first.file.suffix.lower() != ".json":
        input_files.require_columns({"votes.answer": [section.answer]}, first)
    return (section.answer,)


ADDED_COLUMNS = ("id", "annotator", "annotation_id", "lead_time", "created_at", "updated_at")
"""The columns that Label Studio adds to task data; they replace fields of the same name, as in its CSV."""


@dataclass(frozen=True, kw_only=True)
class ControlAnswer:
    """The answer as one text; `exclusion` says why it does not count, None where it does."""

    text: str
    exclusion: Exclusion | None = None


def parse_control(value: Any, *, originals: Iterable[object], path: Path) -> ControlAnswer:
    """Parse the answer of one control.

    Several choices become a JSON list, and marked parts of a text a JSON list of {start, end, text}, with the `label`
    of each part that has a class; a part with several classes is one part for each. Of several texts
    of a text area, those equal to a field of the task are its initial content and are ignored; if several are left, the
    answer is ambiguous and excluded.
    """
    decoded = _decode_cell(value, path=path)
    spans = _list_spans(decoded)
    if spans:
        return ControlAnswer(text=json.dumps(spans, ensure_ascii=False))
    holds_several, texts = _unwrap(decoded)
    if holds_several:
        return ControlAnswer(
            text=texts[0] if len(texts) == 1 else json.dumps(texts, ensure_ascii=False) if texts else ""
        )
    if len(set(texts)) < 2:
        return ControlAnswer(text=texts[0] if texts else "")
    filled = {original.strip() for original in originals if isinstance(original, str)}
    written = list(dict.fromkeys(text for text in texts if text.strip() not in filled))
    if len(written) == 1:
        return ControlAnswer(text=written[0])
    if not written:
        return ControlAnswer(text=texts[0])
    return ControlAnswer(text=json.dumps(texts, ensure_ascii=False), exclusion=SEVERAL_TEXTS)


def find_exclusion(answers: Iterable[ControlAnswer]) -> Exclusion | None:
    """The first exclusion of the answers, None where all count."""
    return next((answer.exclusion for answer in answers if answer.exclusion is not None), None)


def add_answers(row: input_files.FileRow, answers: Mapping[str, ControlAnswer]) -> input_files.FileRow:
    """Return the row with the answer of every control as a column."""
    return input_files.FileRow(
        row.file, row.line, {**row.values, **{name: answer.text for name, answer in answers.items()}}
    )


def require_control(controls: Collection[str], known: Collection[str], *, row: input_files.FileRow) -> None:
    """Raise BadInput unless one of the controls is in the file; Label Studio omits unused ones."""
    if not set(controls) & set(known):
        raise BadInput(
            f"None of the controls {', '.join(controls)} is in the file.",
            where=row.where("votes.answers"),
            remedy=f"It has: {input_files.format_columns(known)}.",
        )


def _decode_cell(value: Any, *, path: Path) -> Any:
    """Decode a CSV cell with the JSON of a control; any other text is returned unchanged."""
    if not isinstance(value, str) or not value.startswith(("{", "[")):
        return value
    try:
        decoded = json_text.parse_json(value, path=path, remedy="")
    except BadInput:
        return value
    return decoded if _is_control_value(decoded) else value


def _is_control_value(value: Any) -> bool:
    if isinstance(value, Mapping):
        return _unwrap_result(value) is not None
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(element, str) or _is_control_value(element) for element in value)
    )


def _list_spans(value: Any) -> list[dict[str, object]]:
    """The marked parts of a text, of one region or several; empty where the value is none."""
    regions = value if isinstance(value, list) else [value]
    spans = [_read_span(region) for region in regions]
    if any(span is None for span in spans):
        return []
    return [
        span | {"label": label} if label else span
        for region, span in zip(regions, spans, strict=True)
        if span is not None
        for label in read_classes(region) or [""]
    ]


def _read_span(region: Any) -> dict[str, object] | None:
    """A marked part with its place; Label Studio writes its line breaks as `\\n`."""
    if not isinstance(region, Mapping) or not isinstance(region.get("text"), str):
        return None
    offsets = region.get("globalOffsets")
    offsets = offsets if isinstance(offsets, Mapping) else region
    start, end = offsets.get("start"), offsets.get("end")
    if type(start) is not int or type(end) is not int:
        return None
    return {"start": start, "end": end, "text": region["text"].replace("\\n", "\n")}


def _unwrap_result(value: Mapping[str, Any]) -> tuple[bool, list[str]] | None:
    """The texts under the key of a control, and whether several are one answer; None where no control wrote them."""
    for key, control in CONTROLS_BY_VALUE.items():
        if (texts := control.read_value(value.get(key))) is not None:
            return control.holds_several, texts
    return None


def _unwrap(value: Any) -> tuple[bool, list[str]]:
    """All texts of a value in order, and whether several are one answer."""
    if value is None:
        return False, []
    if isinstance(value, Mapping) and (found := _unwrap_result(value)) is not None:
        return found
    if isinstance(value, list):
        parts = [_unwrap(element) for element in value]
        return any(several for several, _ in parts), [text for _, texts in parts for text in texts]
    return False, [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)]


def parse_lead_time(value: Any, *, row: input_files.FileRow) -> float | None:
    """Parse `lead_time` as seconds, None where it is empty; raises BadInput for what is no finite number.

    A number below zero is returned: it is stored as unknown, since a clock was set, and stops no import.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        seconds = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        seconds = math.nan
    if not math.isfinite(seconds):
        raise BadInput(
            f"{str(value)[:40]!r} is no number of seconds.",
            where=row.where("lead_time"),
            remedy="Leave it empty if it is not known.",
        )
    return seconds
