"""Items of a campaign from its items file: mapped, checked, refused with the row's place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from annotation import files
from annotation.campaigns import project
from annotation.campaigns.questions.base import places
from annotation.campaigns.stimulus import Extent, Piece
from annotation.errors import BadInput, Where
from annotation.loading import items
from annotation.loading.drafts import ItemDraft, cell, listed, options

LINEAGE = "lineage"
"""The column in which `hromada derive` writes where an item comes from."""


def read(campaign: project.Campaign, section: project.ItemsSection) -> tuple[ItemDraft, ...]:
    """All items in file order; raises BadInput at the first that cannot be used."""
    path = campaign.path(section.file)
    first = campaign.definition.asked[0].name
    asked_of = tuple(column for question in campaign.definition.asked for column in question.required_columns())
    needed = {f"items.{key}": columns for key, columns in section.columns.items()} | {"questions.field": asked_of}
    if campaign.definition.lineage is not None and section.lineage is None:
        section = section.model_copy(update={"lineage": LINEAGE})  # files of pools may come from elsewhere, without it
    parts = section.parts
    drafts: dict[str, ItemDraft] = {}
    for row in items.rows(path, form=section.format, under=section.path):
        for key, columns in needed.items():
            files.need(columns, row, key=key)
        draft = _draft(section, row, parts=parts, first=first)
        if draft.external_id in drafts:
            known = drafts[draft.external_id].origin.line
            raise BadInput(
                f"The id {draft.external_id!r} stands twice, first on line {known}.",
                where=row.where(section.id),
                remedy="Give every item an id of its own.",
            )
        drafts[draft.external_id] = draft
    if not drafts:
        raise BadInput("The file has a header but no items.", where=Where(file=path), remedy="Is it the right one?")
    return tuple(drafts.values())


def _draft(section: project.ItemsSection, row: files.Row, *, parts: Sequence[project.Part], first: str) -> ItemDraft:
    external_id = cell(row, section.id).strip()
    if not external_id:
        raise BadInput("The item has no id.", where=row.where(section.id), remedy="Give it one that never changes.")
    pieces = tuple(_piece(part, row) for part in parts)
    golds = dict(_golds(section, row, first=first))
    return ItemDraft(
        external_id=external_id,
        group=_optional(row, section.group) or external_id,
        data=dict(row.values),
        shown=tuple(piece.text for piece in pieces),
        options=options(row, section.options) if section.options else None,
        gold=golds.get(first),
        origin=row,
        pieces=pieces,
        golds=golds,
        accepted=listed(row, section.accepted) if section.accepted else (),
        explanation=_optional(row, section.explanation),
        revision=_revision(section, row),
        stratum=_optional(row, section.stratum),
        tags=tuple(dict.fromkeys(tag for column in section.tags or () for tag in listed(row, column))),
        lineage=_lineage(section, row),
    )


def _optional(row: files.Row, column: str | None) -> str | None:
    return (cell(row, column).strip() or None) if column is not None else None


def _golds(section: project.ItemsSection, row: files.Row, *, first: str) -> Iterator[tuple[str, str]]:
    named = ({first: section.gold} if section.gold else {}) | section.golds
    for question, column in named.items():
        if text := cell(row, column).strip():
            yield question, text


def _revision(section: project.ItemsSection, row: files.Row) -> int:
    text = _optional(row, section.revision)
    if text is None:
        return 1
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0 and len(text) < 10):
        raise BadInput(
            f"The revision {text[:20]!r} is no number from 1 on.",
            where=row.where(section.revision),
            remedy="Count the item's changes: 1, 2, 3, …",
        )
    return int(text)


def _lineage(section: project.ItemsSection, row: files.Row) -> dict[str, Any] | None:
    text = _optional(row, section.lineage)
    if text is None:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BadInput(
            "The lineage is not a JSON object.",
            where=row.where(section.lineage),
            remedy="Leave the column as `hromada derive` wrote it.",
        )
    return found


def _piece(part: project.Part, row: files.Row) -> Piece:
    text = cell(row, part.field)
    gap: Extent | None = None
    if part.gap is not None and text.strip():
        found = places(part.gap, text)
        if len(found) != 1:
            raise BadInput(
                f"The gap {part.gap!r} stands {len(found)} times in the text.",
                where=row.where(part.field),
                remedy="It has to stand there once.",
            )
        gap = (found[0], found[0] + len(part.gap))
    marks = tuple(_mark(text, row, column) for column in part.mark if cell(row, column).strip())
    return Piece(field=part.field, text=text, title=part.title, fold=part.fold, gap=gap, marks=marks, step=part.step)


def _mark(text: str, row: files.Row, column: str) -> Extent:
    """A highlighted part: its words, which stand once in the text, or the JSON list [start, end]."""
    written = cell(row, column).strip()
    try:
        found = json.loads(written) if written.startswith("[") else None
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, list) and len(found) == 2 and all(type(one) is int for one in found):
        start, end = found
        if 0 <= start < end <= len(text):
            return start, end
    stands = places(written, text)
    if len(stands) == 1:
        return stands[0], stands[0] + len(written)
    raise BadInput(
        f"{written[:40]!r} cannot be highlighted: it stands {len(stands)} times in the text.",
        where=row.where(column),
        remedy="Write words that stand there once, or the offsets as [start, end].",
    )
