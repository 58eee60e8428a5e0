"""Items of a campaign from its items file: mapped, checked, refused with the row's place."""

from __future__ import annotations

from annotation import files
from annotation.campaigns import project
from annotation.errors import BadInput, Where
from annotation.loading import items
from annotation.loading.drafts import ItemDraft, cell, options


def read(campaign: project.Campaign, section: project.ItemsSection) -> tuple[ItemDraft, ...]:
    """All items in file order; raises BadInput at the first that cannot be used."""
    path = campaign.path(section.file)
    drafts: dict[str, ItemDraft] = {}
    for row in items.rows(path, form=section.format, under=section.path):
        _need_columns(section, row)
        draft = _draft(section, row)
        if draft.external_id in drafts:
            first = drafts[draft.external_id].origin.line
            raise BadInput(
                f"The id {draft.external_id!r} stands twice, first on line {first}.",
                where=row.where(section.id),
                remedy="Give every item an id of its own.",
            )
        drafts[draft.external_id] = draft
    if not drafts:
        raise BadInput("The file has a header but no items.", where=Where(file=path), remedy="Is it the right one?")
    return tuple(drafts.values())


def _need_columns(section: project.ItemsSection, row: files.Row) -> None:
    files.need([section.id], row, key="items.id")
    files.need(section.show, row, key="items.show")
    files.need(section.options or (), row, key="items.options")
    files.need([section.gold] if section.gold else [], row, key="items.gold")
    files.need([section.group] if section.group else [], row, key="items.group")


def _draft(section: project.ItemsSection, row: files.Row) -> ItemDraft:
    external_id = cell(row, section.id).strip()
    if not external_id:
        raise BadInput("The item has no id.", where=row.where(section.id), remedy="Give it one that never changes.")
    shown = tuple(cell(row, column) for column in section.show)
    return ItemDraft(
        external_id=external_id,
        group=(cell(row, section.group).strip() if section.group else "") or external_id,
        data=dict(row.values),
        shown=shown,
        options=options(row, section.options) if section.options else None,
        gold=(cell(row, section.gold).strip() if section.gold else "") or None,
        origin=row,
    )
