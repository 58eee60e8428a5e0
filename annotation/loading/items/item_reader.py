"""Reads the items of a campaign from a file: maps columns and checks values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aggregation import spelling
from annotation import input_files
from annotation.campaigns import project_file
from annotation.campaigns.questions.question_base import find_occurrences
from annotation.campaigns.stimulus import Extent, Piece
from annotation.errors import BadInput, ErrorCollector, Where
from annotation.loading.drafts import ItemDraft, get_cell, name_group, parse_list, parse_options
from annotation.loading.items import formats

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
        for row in formats.read_rows(path, form=section.format, under=section.path):
            if row.values.keys() != checked:  # most files have the same columns in every row
                input_files.require_columns(needed, row)
                checked = row.values.keys()
            with errors:
                draft = _build_draft(
                    section, row, project=campaign.name, parts=parts, first=first, gold_columns=gold_columns
                )
                known = drafts.setdefault(spelling.build_key(draft.external_id), draft)
                if known is not draft:
                    raise BadInput(
                        f"The id {spelling.quote_word(draft.external_id)} stands twice, first on line"
                        f" {known.origin.line}.",
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
    for found in (whole_words, positions):
        if len(found) == 1:
            return found[0], found[0] + len(written)
    raise BadInput(
        f"{written[:40]!r} cannot be highlighted: it stands {len(positions)} times in the text.",
        where=row.where(column),
        remedy="Write words that stand there once, or the offsets as [start, end].",
    )


def _is_whole_word(text: str, start: int, end: int) -> bool:
    """Whether no letter or digit touches this part of the text."""
    return not (text[max(0, start - 1) : start].isalnum() or text[end : end + 1].isalnum())
