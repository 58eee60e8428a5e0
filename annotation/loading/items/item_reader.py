"""Reads the items of a campaign from a file: maps columns and checks values."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from aggregation import spelling
from annotation import input_files
from annotation.campaigns import project_file
from annotation.campaigns.questions.question_base import find_occurrences
from annotation.campaigns.stimulus import Extent, Piece
from annotation.errors import BadInput, ErrorCollector, Where
from annotation.input_files import parse_printed_list
from annotation.loading import json_text
from annotation.loading.drafts import ItemDraft, get_cell, name_group, parse_list, parse_options

JSON_REMEDY = "Write a list of objects: [{…}, {…}]."


def read_json_objects(path: Path, *, under: str | None = None) -> Iterator[input_files.FileRow]:
    """Read a JSON list of objects, one row per object; `under` is its path, keys joined by dots."""
    for number, (line, values) in enumerate(read_json_elements(path, under=under), start=1):
        if not isinstance(values, dict):
            place = Where(file=path, line=line, field=f"element {number}")
            raise BadInput("This item is not a JSON object.", where=place, remedy=JSON_REMEDY)
        yield input_files.FileRow(path, line, values)


def read_json_elements(path: Path, *, under: str | None = None) -> Iterator[tuple[int, Any]]:
    """Read the elements of a JSON list of any values, with the line on which each begins."""
    text = input_files.read_text(path)
    if under is None and (elements := json_text.parse_list(text)) is not None:
        yield from elements
        return
    keys = under.split(".") if under else []
    value = json_text.parse_json(text, path=path, remedy=JSON_REMEDY)
    for number, key in enumerate(keys):
        if not isinstance(value, dict) or key not in value:
            raise BadInput(
                f"There is no {'.'.join(keys[: number + 1])!r} in the file.",
                where=Where(file=path, line=1, field=under),
                remedy=f"It has: {', '.join(value)}." if isinstance(value, dict) and value else JSON_REMEDY,
            )
        value = value[key]
    if not isinstance(value, list):
        place = Where(file=path, line=1, column=None if under else 1, field=under)
        raise BadInput("The items are not a list.", where=place, remedy=_suggest_path(value) or JSON_REMEDY)
    yield from zip(json_text.find_element_lines(text, keys), value, strict=True)


def _suggest_path(value: Any) -> str | None:
    lists = [key for key, element in value.items() if isinstance(element, list)] if isinstance(value, dict) else []
    return f"Write `path: {lists[0]}`." if lists else None


def flatten_object(values: Mapping[str, Any], *, row: input_files.FileRow) -> dict[str, Any]:
    """Flatten nested objects into columns, keys joined by `_`; raises BadInput for two columns of one name."""
    columns: dict[str, Any] = {}
    for name, value in _list_columns(values, ()):
        if name in columns:
            raise BadInput(
                f"Two fields of the item would be the column {name!r}.",
                where=row.where(name),
                remedy="Rename one of them.",
            )
        columns[name] = value
    return columns


def _list_columns(values: Mapping[str, Any], above: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict) and value:
            yield from _list_columns(value, (*above, key))
        else:
            yield "_".join((*above, key)), value


def read_json_lines(path: Path) -> Iterator[input_files.FileRow]:
    """Read JSON Lines, one row per object; empty lines are skipped. Raises BadInput with the line."""
    for line, text in enumerate(input_files.read_text(path).split("\n"), start=1):
        if text.strip():
            yield input_files.FileRow(path, line, _parse_object(text, path=path, line=line))


def _parse_object(text: str, *, path: Path, line: int) -> dict[str, object]:
    values = json_text.parse_json(text, path=path, line=line, remedy="One object a line.")
    if not isinstance(values, dict):
        raise BadInput(
            "The line is not a JSON object.",
            where=Where(file=path, line=line, column=1),
            remedy="Write {…} on every line.",
        )
    return values


def read_label_studio_tasks(path: Path) -> Iterator[input_files.FileRow]:
    """Read Label Studio tasks, one row per task with the fields of its `data`; annotations are skipped.

    The task's `id`, by which votes know it unless told otherwise, is a field too where `data` has none of that name.
    """
    for row in read_json_objects(path):
        data = row.values.get("data")
        if not isinstance(data, dict) or not data:
            raise BadInput(
                "The task has no `data`.", where=row.where("data"), remedy='Write every task as {"data": {…}}.'
            )
        task_id = {"id": row.values["id"]} if "id" in row.values else {}
        yield input_files.FileRow(path, row.line, task_id | data)


ANSWER_KEY = "correctAnswer"
TRUTH_VALUE_LABELS = {True: "так", False: "ні"}


def read_lmes(path: Path) -> Iterator[input_files.FileRow]:
    """Read LMES tasks, one row per instance; raises BadInput for one without question or answer."""
    for row in read_json_objects(path, under="instances"):
        for key in ("question", ANSWER_KEY):
            if key not in row.values:
                raise BadInput(
                    f"The instance has no {key!r}.",
                    where=row.where(key),
                    remedy="Is this an LMES file? Leave `format` out if it is not.",
                )
        values = flatten_object(row.values, row=row)
        answer = values.get(ANSWER_KEY)
        yield input_files.FileRow(
            path, row.line, values | ({ANSWER_KEY: TRUTH_VALUE_LABELS[answer]} if isinstance(answer, bool) else {})
        )


def read_ua_cbt_json(path: Path) -> Iterator[input_files.FileRow]:
    """Read the items of all stories of a .json; the line of an item is that of its story."""
    for line, story in read_json_elements(path, under="tasks"):
        for number, item in enumerate(story if isinstance(story, list) else [story], start=1):
            row = input_files.FileRow(path, line, item if isinstance(item, dict) else {})
            if not row.values:
                raise BadInput(
                    "This item is not a JSON object.",
                    where=row.where(f"element {number}"),
                    remedy="Write [[{…}, …], …].",
                )
            yield input_files.FileRow(path, line, flatten_object(row.values, row=row))


def read_ua_cbt_csv(path: Path) -> Iterator[input_files.FileRow]:
    """Read the items of a .csv."""
    for row in input_files.read_delimited(path):
        values = {name: parse_printed_list(text) for name, text in row.values.items()}
        yield input_files.FileRow(path, row.line, values)


BATCH_ROWS = 4_096
REMEDY = "Save the file again, or convert it to .jsonl."


def read_parquet(path: Path) -> Iterator[input_files.FileRow]:
    """Read the rows; raises BadInput for other files, and for values other than text, numbers and lists."""
    import pyarrow
    from pyarrow import parquet

    input_files.require_file(path)
    number = 0
    try:
        with parquet.ParquetFile(path) as source:
            _check_names(source.schema_arrow.names, path)
            for batch in source.iter_batches(batch_size=BATCH_ROWS):
                for values in batch.to_pylist():
                    number += 1
                    yield input_files.FileRow(path, number, _convert_row(values, path=path, number=number))
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as failure:
        reason = str(failure).splitlines()[0] if str(failure) else type(failure).__name__
        raise BadInput(
            f"The Parquet file cannot be read: {reason.rstrip('.')[:200]}.",
            where=Where(file=path, line=number or None),
            remedy=REMEDY,
        ) from None


def _check_names(names: list[str], path: Path) -> None:
    for name in names:
        if "\0" in name:
            raise BadInput(
                "The name of a column has the character U+0000, which cannot be stored.",
                where=Where(file=path, field=name.replace("\0", "\\0")),
                remedy="Take it out.",
            )
        if names.count(name) > 1:
            raise BadInput(
                "Two columns have the same name.",
                where=Where(file=path, field=name or "(no name)"),
                remedy="Rename one.",
            )


def _convert_row(values: Mapping[str, Any], *, path: Path, number: int) -> dict[str, Any]:
    converted = {}
    for name, value in values.items():
        try:
            converted[name] = _convert_value(value)
        except BadInput as refusal:
            where = Where(file=path, line=number, field=name)
            raise BadInput(refusal.problem, where=where, remedy=refusal.remedy) from None
    return converted


def _check_storable(text: str) -> str:
    if "\0" in text:
        raise BadInput("The character U+0000 cannot be stored.", remedy="Take it out.")
    return text


def _convert_value(value: Any) -> Any:  # noqa: PLR0911  # one return for each type
    """Convert a value to JSON: times as ISO 8601, decimals as text, NaN and infinity as null.

    Raises BadInput, without the place, for a value that cannot be stored.
    """
    match value:
        case None | bool() | int():
            return value
        case str():
            return _check_storable(value)
        case float():
            return value if math.isfinite(value) else None
        case list() | tuple():
            return [_convert_value(element) for element in value]
        case dict():
            return {_check_storable(str(key)): _convert_value(element) for key, element in value.items()}
        case datetime() | date() | time():
            return value.isoformat()
        case Decimal() | timedelta():
            return str(value)
    raise BadInput("This column holds neither text nor numbers.", remedy="Leave pictures and other bytes out.")


Reader = Callable[[Path], Iterator[input_files.FileRow]]

READERS_BY_ENDING: Mapping[str, Reader] = {
    ".csv": input_files.read_delimited,
    ".tsv": input_files.read_delimited,
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".json": read_json_objects,
    ".parquet": read_parquet,
}
READERS_BY_FORMAT: Mapping[str, Mapping[str, Reader]] = {
    "lmes": {".json": read_lmes},
    "ua-cbt": {
        ".json": read_ua_cbt_json,
        ".jsonl": read_json_lines,
        ".csv": read_ua_cbt_csv,
    },
    "label-studio": {".json": read_label_studio_tasks},
}


def read_rows(path: Path, *, form: str | None = None, under: str | None = None) -> Iterator[input_files.FileRow]:
    """Read the rows of a file of items; raises BadInput for an unknown ending.

    `form` and `under` are `format` and `path` of the section `items` or `truth` in the project file.
    """
    if under is not None and (form is not None or path.suffix.lower() != ".json"):
        raise BadInput("Only a plain .json file has a path.", where=Where(file=path), remedy="Take `path` out.")
    if under is not None:
        return read_json_objects(path, under=under)
    readers = READERS_BY_FORMAT[form] if form is not None else READERS_BY_ENDING
    reader = readers.get(path.suffix.lower())
    if reader is None:
        *most, last = readers
        endings = f"{', '.join(most)} or {last}" if most else last
        raise BadInput(f"Items are read from {endings}.", where=Where(file=path), remedy="Convert the file.")
    return reader(path)


LINEAGE_COLUMN, GROUP_COLUMN = "lineage", "group"
"""The columns in which `hromada follow-up` writes the lineage of items, and the groups of the parent project."""


def read_items(campaign: project_file.CheckedProject, section: project_file.ItemsSection) -> tuple[ItemDraft, ...]:
    """Read all items in file order; raises BadInput with the places of all that are invalid."""
    path = campaign.resolve_path(section.file)
    first = campaign.definition.all_questions[0].name
    question_columns = tuple(
        column for question in campaign.definition.all_questions for column in question.required_columns()
    )
    needed = {f"items.{key}": columns for key, columns in section.required_columns.items()} | {
        "questions.field": question_columns
    }
    if campaign.definition.lineage is not None:  # both are optional: files of pools may be without them
        handed_on = {"lineage": section.lineage or LINEAGE_COLUMN, "group": section.group or GROUP_COLUMN}
        section = section.model_copy(update=handed_on)
    parts = section.shown_columns
    gold_columns = ({first: section.gold} if section.gold else {}) | section.golds
    drafts: dict[str, ItemDraft] = {}
    checked: Iterable[str] = ()
    errors = ErrorCollector()
    with errors:
        for row in read_rows(path, form=section.format, under=section.path):
            if row.values.keys() != checked:  # most files have the same columns in every row
                input_files.require_columns(needed, row)
                checked = row.values.keys()
            with errors:
                draft = _build_draft(
                    section, row, project=campaign.name, parts=parts, first=first, gold_columns=gold_columns
                )
                earlier = drafts.setdefault(spelling.build_key(draft.external_id), draft)
                if earlier is not draft:
                    raise BadInput(
                        f"The id {spelling.quote_word(draft.external_id)} stands twice, first on line"
                        f" {earlier.origin.line}.",
                        where=row.where(section.id),
                        remedy="Give every item an id of its own.",
                    )
    errors.refuse()
    if not drafts:
        raise BadInput("The file has a header but no items.", where=Where(file=path), remedy="Is it the right one?")
    return tuple(drafts.values())


def _build_draft(
    section: project_file.ItemsSection,
    row: input_files.FileRow,
    *,
    project: str,
    parts: Sequence[project_file.ShownColumn],
    first: str,
    gold_columns: Mapping[str, str],
) -> ItemDraft:
    external_id = get_cell(row, section.id).strip()
    if not external_id:
        raise BadInput("The item has no id.", where=row.where(section.id), remedy="Give it one that never changes.")
    pieces = tuple([_build_piece(part, row) for part in parts])
    golds = {question: text for question, column in gold_columns.items() if (text := get_cell(row, column).strip())}
    return ItemDraft(
        external_id=external_id,
        group=name_group(
            _get_optional(row, section.group) if section.group else None, project=project, item=external_id
        ),
        data=dict(row.values),
        shown=tuple([piece.text for piece in pieces]),
        options=parse_options(row, section.options) if section.options else None,
        gold=golds.get(first),
        origin=row,
        pieces=pieces,
        golds=golds,
        accepted=parse_list(row, section.accepted) if section.accepted else (),
        explanation=_get_optional(row, section.explanation) if section.explanation else None,
        revision=_parse_revision(row, section.revision) if section.revision else 1,
        stratum=_get_optional(row, section.stratum) if section.stratum else None,
        tags=_parse_tags(row, section.tags) if section.tags else (),
        lineage=_parse_lineage(row, section.lineage) if section.lineage else None,
    )


def _get_optional(row: input_files.FileRow, column: str) -> str | None:
    return get_cell(row, column).strip() or None


def _parse_tags(row: input_files.FileRow, columns: Sequence[str]) -> tuple[str, ...]:
    """The different tags of all columns, in their order."""
    return tuple(dict.fromkeys(tag for column in columns for tag in parse_list(row, column)))


def _parse_revision(row: input_files.FileRow, column: str) -> int:
    text = _get_optional(row, column)
    if text is None:
        return 1
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0 and len(text) < 10):
        raise BadInput(
            f"The revision {text[:20]!r} is no number from 1 on.",
            where=row.where(column),
            remedy="Count the item's changes: 1, 2, 3, …",
        )
    return int(text)


def _parse_lineage(row: input_files.FileRow, column: str) -> dict[str, Any] | None:
    text = _get_optional(row, column)
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise BadInput(
            "The lineage is not a JSON object.",
            where=row.where(column),
            remedy="Leave the column as `hromada follow-up` wrote it.",
        )
    return value


def _build_piece(part: project_file.ShownColumn, row: input_files.FileRow) -> Piece:
    text = get_cell(row, part.field)
    gap: Extent | None = None
    if part.gap is not None and text.strip():
        positions = find_occurrences(part.gap, text)
        if len(positions) != 1:
            raise BadInput(
                f"The gap {part.gap!r} stands {len(positions)} times in the text.",
                where=row.where(part.field),
                remedy="It has to stand there once.",
            )
        gap = (positions[0], positions[0] + len(part.gap))
    marks: tuple[Extent, ...] = ()
    if part.mark:
        marks = tuple([_locate_mark(text, row, column) for column in part.mark if get_cell(row, column).strip()])
    return Piece(field=part.field, text=text, title=part.title, fold=part.fold, gap=gap, marks=marks, step=part.step)


def _locate_mark(text: str, row: input_files.FileRow, column: str) -> Extent:
    """The range of a highlighted part: given as text that stands there once, as words or at all; or as [start, end]."""
    written = get_cell(row, column).strip()
    try:
        value = json.loads(written) if written.startswith("[") else None
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list) and len(value) == 2 and all(type(offset) is int for offset in value):
        start, end = value
        if 0 <= start < end <= len(text):
            return start, end
    positions = find_occurrences(written, text)
    whole_words = [start for start in positions if _is_whole_word(text, start, start + len(written))]
    for starts in (whole_words, positions):
        if len(starts) == 1:
            return starts[0], starts[0] + len(written)
    raise BadInput(
        f"{written[:40]!r} cannot be highlighted: it stands {len(positions)} times in the text.",
        where=row.where(column),
        remedy="Write words that stand there once, or the offsets as [start, end].",
    )


def _is_whole_word(text: str, start: int, end: int) -> bool:
    """Whether no letter or digit touches this part of the text."""
    return not (text[max(0, start - 1) : start].isalnum() or text[end : end + 1].isalnum())
