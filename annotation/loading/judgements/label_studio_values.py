"""Parses the values of Label Studio's controls: a text, a list, or a list under the control's `value_key`."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation import input_files
from annotation.campaigns.project_file import VotesSection
from annotation.errors import BadInput, Where
from annotation.label_studio_controls import CONTROLS_BY_VALUE, foreign_values, span_control
from annotation.loading import json_text, tables
from annotation.loading.drafts import format_value
from annotation.loading.judgements.other_tools import RawVote, get_annotator, get_item_key
from annotation.vocabulary import SEVERAL_TEXTS, Exclusion


def read_votes(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Read one vote per row."""
    return read_flat_rows(tables.read_rows(path, section), section)


def read_flat_rows(found: Iterable[input_files.FileRow], section: VotesSection) -> Iterator[RawVote]:
    """Read one vote per flat row of CSV or JSON_MIN; columns that the section does not name are Label Studio's."""
    rows = _sort_annotations(found)
    if rows and _is_own(rows[0]):
        yield from _read_own_votes(rows, section)
        return
    columns, annotator = section.item or ("id",), section.annotator or "annotator"
    for number, row in enumerate(rows):
        if number == 0:
            input_files.require_columns({"votes.item": columns, "votes.annotator": [annotator]}, row)
            if section.answers and row.file.suffix.lower() != ".json":
                require_control(tuple(section.answers.values()), tuple(row.values), path=row.file)
        controls = _list_controls(section, row)
        fields = [value for name, value in row.values.items() if name not in (*ADDED_COLUMNS, *controls)]
        answers = {name: parse_control(row.values.get(name), originals=fields, row=row, name=name) for name in controls}
        yield RawVote(
            key=get_item_key(row, columns),
            annotator=get_annotator(row, annotator),
            answer=answers[controls[0]].text,
            row=add_answers(row, answers) if section.answers else row,
            exclusion=find_exclusion(answers.values()),
            seconds=parse_lead_time(row.values.get("lead_time"), row=row),
        )


def _sort_annotations(found: Iterable[input_files.FileRow]) -> list[input_files.FileRow]:
    """The rows, those of a task in the order of their creation, as JSON has them: flat exports begin with the last."""
    rows: list[input_files.FileRow] = []
    for task, some in itertools.groupby(found, key=lambda row: format_value(row.values.get("id"))):
        of_task = list(some)
        if task:
            of_task.sort(key=lambda row: format_value(row.values.get("created_at")))
        rows += of_task
    return [name_annotation(row) if row.file.suffix.lower() == ".json" else row for row in rows]


def name_annotation(row: input_files.FileRow) -> input_files.FileRow:
    """Return the row with its task and annotation as its place: an export may be one line."""
    numbers = {"task": row.values.get("id"), "annotation": row.values.get("annotation_id")}
    named = (f"{word} {format_value(number)}" for word, number in numbers.items() if number is not None)
    return row._replace(place=", ".join(named))


def _is_own(row: input_files.FileRow) -> bool:
    """Whether `hromada label-studio push` made the task of a flat row."""
    return {ASSIGNMENT_KEY, ITEM_KEY} <= row.values.keys()


def _read_own_votes(rows: Sequence[input_files.FileRow], section: VotesSection) -> Iterator[RawVote]:
    """Read one vote per task and person, the latest, with the values of all columns as regions of their controls."""
    latest = {(get_item_key(row, (ASSIGNMENT_KEY,)), get_annotator(row, _get_person(section))): row for row in rows}
    for (_, annotator), row in latest.items():
        values = {name: _decode_cell(value, path=row.file) for name, value in row.values.items()}
        yield RawVote(
            key=get_item_key(row, section.item or (ITEM_KEY,)),
            annotator=annotator,
            answer="",
            row=row,
            seconds=parse_lead_time(row.values.get("lead_time"), row=row),
            result=tuple(_list_regions({name: values[name] for name in values.keys() - {*ADDED_COLUMNS}})),
            second_pass=bool(format_value(row.values.get(SECOND_PASS_KEY))),
            is_flat=True,
        )


def _list_regions(values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The regions from which a flat row was made: a text stands for one choice or text, a number for itself."""
    for name, value in sorted(values.items()):
        for region in value if isinstance(value, list) else [value]:
            if isinstance(region, Mapping):
                yield {"from_name": name, "value": region}
            elif isinstance(region, str) and region:
                yield {"from_name": name, "value": {"choices": [region], "text": [region]}}
            elif isinstance(region, int | float):
                yield {"from_name": name, "value": {"number": region}}


def _get_person(section: VotesSection) -> str:
    return section.annotator or "annotator"


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


ASSIGNMENT_KEY = "hromada"
"""The data key of our assignment id, since Label Studio has ids of its own only."""
ITEM_KEY = "item"
"""The data key of the item's id."""
SECOND_PASS_KEY = "second"  # noqa: S105  # no password, a pass over the items
"""The data key of the HTML of the second pass: first answers, right answers, the explanation."""

ADDED_COLUMNS = ("id", "annotator", "annotation_id", "lead_time", "created_at", "updated_at")
"""The columns that Label Studio adds to task data; they replace fields of the same name, as in its CSV."""


@dataclass(frozen=True, kw_only=True)
class ControlAnswer:
    """The answer as one text; `exclusion` says why it does not count, None where it does."""

    text: str
    exclusion: Exclusion | None = None


def parse_control(value: Any, *, originals: Iterable[object], row: input_files.FileRow, name: str) -> ControlAnswer:
    """Parse the answer of one control; raises BadInput for a region that is an answer to no question.

    Several choices become a JSON list, and marked parts of a text a JSON list of {start, end, text}, with the `label`
    of each part that has a class; a part with several classes is one part for each. A region that is stored twice
    counts once. Of several texts of a text area, those equal to a field of the task are its initial content and are
    ignored; if several are left, the answer is ambiguous and excluded.
    """
    decoded = _decode_cell(value, path=row.file)
    spans = _list_spans(decoded)
    if spans:
        return ControlAnswer(text=json.dumps(spans, ensure_ascii=False))
    _refuse_foreign(decoded, row=row, name=name)
    holds_several, found = _unwrap(decoded)
    texts = list(dict.fromkeys(found))
    if holds_several:
        return ControlAnswer(
            text=texts[0] if len(texts) == 1 else json.dumps(texts, ensure_ascii=False) if texts else ""
        )
    if len(texts) < 2:
        return ControlAnswer(text=texts[0] if texts else "")
    filled = {original.strip() for original in originals if isinstance(original, str)}
    written = [text for text in texts if text.strip() not in filled]
    if len(written) == 1:
        return ControlAnswer(text=written[0])
    if not written:
        return ControlAnswer(text=texts[0])
    return ControlAnswer(text=json.dumps(found, ensure_ascii=False), exclusion=SEVERAL_TEXTS)


def _refuse_foreign(value: Any, *, row: input_files.FileRow, name: str) -> None:
    """Raise BadInput for a region of a control that marks pictures, sounds or pages, or that is asked about regions."""
    for region in value if isinstance(value, list) else [value]:
        if _is_about_region(region):
            raise BadInput(
                f"The control {name!r} is answered for each marked part, and questions are about the whole item.",
                where=row.where(name),
                remedy="Name another control as `votes.answer`.",
            )
        foreign = sorted(set(region) & _FOREIGN_KEYS) if isinstance(region, Mapping) else []
        if foreign:
            raise BadInput(
                f"The control {name!r} has a region of the type {foreign[0]}, which answers no question.",
                where=row.where(name),
                remedy="Name a control of choices, ratings, numbers, texts or parts of a text as `votes.answer`.",
            )


def _is_about_region(region: Any) -> bool:
    """Whether a control with `perRegion` wrote the region: it has a place and an answer."""
    if span_control.read_place(region) is None:
        return False
    return isinstance(region.get("text"), list) or bool({"choices", *foreign_values.READERS} & region.keys())


_FOREIGN_KEYS = frozenset({
    "rectanglelabels", "polygonlabels", "ellipselabels", "keypointlabels", "brushlabels", "timeserieslabels",
    "videorectangle", "timelinelabels", "rle", "points",
})  # fmt: skip


def find_exclusion(answers: Iterable[ControlAnswer]) -> Exclusion | None:
    """The first exclusion of the answers, None where all count."""
    return next((answer.exclusion for answer in answers if answer.exclusion is not None), None)


def add_answers(row: input_files.FileRow, answers: Mapping[str, ControlAnswer]) -> input_files.FileRow:
    """Return the row with the answer of every control as a column."""
    return row._replace(values={**row.values, **{name: answer.text for name, answer in answers.items()}})


def require_control(controls: Collection[str], known: Collection[str], *, path: Path) -> None:
    """Raise BadInput unless one of the controls is in the file; Label Studio omits unused ones."""
    if not set(controls) & set(known):
        raise BadInput(
            f"None of the controls {', '.join(controls)} is in the file.",
            where=Where(file=path, field="votes.answers"),
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
    spans: list[dict[str, object]] = []
    for region in regions:
        place = span_control.read_place(region)
        text = span_control.read_text(region) if place is not None else None
        if place is None or text is None or _is_about_region(region):
            return []
        span = {"start": place[0], "end": place[1], "text": text}
        spans += [span | ({"label": label} if label else {}) for label in span_control.read_classes(region) or [""]]
    return [span for number, span in enumerate(spans) if span not in spans[:number]]


def _unwrap_result(value: Mapping[str, Any]) -> tuple[bool, list[str]] | None:
    """The texts under the key of a control, and whether several are one answer; None where no control wrote them."""
    for key, control in CONTROLS_BY_VALUE.items():
        if (texts := control.read_value(value.get(key))) is not None:
            return control.holds_several, texts
    for key, read in foreign_values.READERS.items():
        if (texts := read(value.get(key))) is not None:
            return key in foreign_values.SEVERAL, texts
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
            f"{str(value)[:40]!r} is not a number of seconds.",
            where=row.where("lead_time"),
            remedy="Leave it empty if it is not known.",
        )
    return seconds
