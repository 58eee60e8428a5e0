"""Reads the items of a campaign from a file: maps columns and checks values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from aggregation import spelling
from annotation import input_files
from annotation.campaigns import project_file
from annotation.campaigns.questions.question_base import find_occurrences
from annotation.campaigns.sections.sources import TableKeys, TruthSection
from annotation.campaigns.stimulus import Extent, Piece
from annotation.errors import BadInput, ErrorCollector, Where
from annotation.input_files import parse_printed_list
from annotation.loading import tables
from annotation.loading.drafts import ItemDraft, get_cell, name_group, parse_list, parse_options
from annotation.loading.items.picture_reader import PictureFile, PictureReader
from annotation.loading.tables import delimited, json_rows


def read_label_studio_tasks(path: Path) -> Iterator[input_files.FileRow]:
    """Read Label Studio tasks, one row per task with the fields of its `data`; annotations are skipped.

    The task's `id`, by which votes know it unless told otherwise, is a field too where `data` has none of that name.
    """
    for row in json_rows.read_json_objects(path):
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
    for row in json_rows.read_json_objects(path, under="instances"):
        for key in ("question", ANSWER_KEY):
            if key not in row.values:
                raise BadInput(
                    f"The instance has no {key!r}.",
                    where=row.where(key),
                    remedy="Is this an LMES file? Leave `format` out if it is not.",
                )
        values = json_rows.flatten_object(row.values, row=row)
        answer = values.get(ANSWER_KEY)
        yield input_files.FileRow(
            path, row.line, values | ({ANSWER_KEY: TRUTH_VALUE_LABELS[answer]} if isinstance(answer, bool) else {})
        )


def read_ua_cbt_json(path: Path) -> Iterator[input_files.FileRow]:
    """Read the items of all stories of a .json; the line of an item is that of its story."""
    for line, story in json_rows.read_json_elements(path, under="tasks"):
        for number, item in enumerate(story if isinstance(story, list) else [story], start=1):
            row = input_files.FileRow(path, line, item if isinstance(item, dict) else {})
            if not row.values:
                raise BadInput(
                    "This item is not a JSON object.",
                    where=row.where(f"element {number}"),
                    remedy="Write [[{…}, …], …].",
                )
            yield input_files.FileRow(path, line, json_rows.flatten_object(row.values, row=row))


def read_ua_cbt_csv(path: Path) -> Iterator[input_files.FileRow]:
    """Read the items of a .csv."""
    for row in delimited.read_delimited(path):
        values = {name: parse_printed_list(text) for name, text in row.values.items()}
        yield input_files.FileRow(path, row.line, values)


Reader = Callable[[Path], Iterator[input_files.FileRow]]

READERS_BY_FORMAT: Mapping[str, Mapping[str, Reader]] = {
    "lmes": {".json": read_lmes},
    "ua-cbt": {
        ".json": read_ua_cbt_json,
        ".jsonl": json_rows.read_json_lines,
        ".csv": read_ua_cbt_csv,
    },
    "label-studio": {".json": read_label_studio_tasks},
}


def read_rows(path: Path, section: project_file.ItemsSection | TruthSection) -> Iterator[input_files.FileRow]:
    """Read the rows of a file of items or of gold; raises BadInput for an ending that its `format` does not have."""
    if section.format is None:
        return tables.read_rows(path, section)
    for key in TableKeys.model_fields:
        if getattr(section, key) is not None:
            problem = f"A file of the format {section.format} has no `{key}`."
            raise BadInput(problem, where=Where(file=path), remedy="Take it out.")
    readers = READERS_BY_FORMAT[section.format]
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
    questions = campaign.definition.all_questions
    first = questions[0].name
    needed = {f"items.{key}": columns for key, columns in section.required_columns.items()}
    needed["questions.field"] = tuple(column for question in questions for column in question.required_columns())
    for question in questions:
        if question.option_columns:
            needed |= {"items.options": (), "question.sides": question.option_columns}
        if question.system_columns:
            needed["question.systems"] = question.system_columns
    if campaign.definition.lineage is not None:  # both are optional: files of pools may be without them
        handed_on = {"lineage": section.lineage or LINEAGE_COLUMN, "group": section.group or GROUP_COLUMN}
        section = section.model_copy(update=handed_on)
    parts = section.shown_columns
    gold_columns = ({first: section.gold} if section.gold is not None else {}) | section.golds
    pictures = PictureReader(path, project_folder=campaign.path.parent)
    drafts: dict[str, ItemDraft] = {}
    checked: Iterable[str] = ()
    errors = ErrorCollector()
    with errors:
        for row in read_rows(path, section):
            if row.values.keys() != checked:  # most files have the same columns in every row
                input_files.require_columns(needed, row)
                checked = row.values.keys()
            with errors:
                draft = _build_draft(
                    section,
                    row,
                    project=campaign.name,
                    parts=parts,
                    first=first,
                    gold_columns=gold_columns,
                    pictures=pictures,
                )
                earlier = drafts.setdefault(spelling.build_key(draft.external_id), draft)
                if earlier is not draft:
                    raise BadInput(
                        f"Duplicate id {spelling.quote_word(draft.external_id)}, first used on line"
                        f" {earlier.origin.line}.",
                        where=row.where(section.id),
                        remedy="Give each item its own id.",
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
    pictures: PictureReader,
) -> ItemDraft:
    external_id = get_cell(row, section.id).strip()
    if not external_id:
        raise BadInput("The item has no id.", where=row.where(section.id), remedy="Give it one that never changes.")
    shown_pictures = {part.field: pictures.read_cell(row, part.field) for part in parts if part.is_picture}
    pieces = tuple([_build_piece(part, row, shown_pictures.get(part.field)) for part in parts])
    golds = {question: text for question, column in gold_columns.items() if (text := get_cell(row, column).strip())}
    return ItemDraft(
        external_id=external_id,
        group=name_group(
            _get_optional(row, section.group) if section.group is not None else None, project=project, item=external_id
        ),
        data=dict(row.values),
        shown=tuple([piece.text for piece in pieces]),
        options=parse_options(row, section.options) if section.options else None,
        gold=golds.get(first),
        origin=row,
        pieces=pieces,
        golds=golds,
        accepted=parse_list(row, section.accepted) if section.accepted is not None else (),
        explanation=_get_optional(row, section.explanation) if section.explanation is not None else None,
        revision=_parse_revision(row, section.revision) if section.revision is not None else 1,
        stratum=_get_optional(row, section.stratum) if section.stratum is not None else None,
        tags=_parse_tags(row, section.tags) if section.tags is not None else (),
        lineage=_parse_lineage(row, section.lineage) if section.lineage is not None else None,
        pictures={one.name: one.path for one in shown_pictures.values() if one is not None},
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
            f"Invalid revision {text[:20]!r}.",
            where=row.where(column),
            remedy="Use whole numbers from 1.",
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


def _build_piece(part: project_file.ShownColumn, row: input_files.FileRow, picture: PictureFile | None) -> Piece:
    if part.is_picture:
        return Piece(part.field, "", title=part.title, step=part.step, image=picture and picture.name)
    text = get_cell(row, part.field)
    gap: Extent | None = None
    if part.gap is not None and text.strip():
        positions = find_occurrences(part.gap, text)
        if len(positions) != 1:
            raise BadInput(
                f"The gap {part.gap!r} occurs {len(positions)} times in the text.",
                where=row.where(part.field),
                remedy="It must occur exactly once.",
            )
        gap = (positions[0], positions[0] + len(part.gap))
    marks: tuple[Extent, ...] = ()
    if part.mark:
        marks = tuple([_locate_mark(text, row, column) for column in part.mark if get_cell(row, column).strip()])
    return Piece(
        field=part.field,
        text=text,
        title=part.title,
        fold=part.fold,
        gap=gap,
        marks=marks,
        step=part.step,
        markdown=part.as_ == "markdown",
    )


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
        f"{written[:40]!r} cannot be highlighted: it occurs {len(positions)} times in the text.",
        where=row.where(column),
        remedy="Use words that occur once, or [start, end] offsets.",
    )


def _is_whole_word(text: str, start: int, end: int) -> bool:
    """Whether no letter or digit touches this part of the text."""
    return not (text[max(0, start - 1) : start].isalnum() or text[end : end + 1].isalnum())
