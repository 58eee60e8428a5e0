"""Campaigns read back from the database: a project and its items in the form in which their files were read."""

from __future__ import annotations

from pathlib import Path

from sqlmodel import Session, col, select

from annotation import input_files
from annotation.campaigns import project_file
from annotation.campaigns.stimulus import Piece
from annotation.loading.campaign import CampaignContents
from annotation.loading.drafts import ItemDraft, format_value
from annotation.store.models import Item, ItemRow, Project


def read_campaign(session: Session, project: Project) -> tuple[project_file.CheckedProject, CampaignContents]:
    """The campaign of a stored project, and its contents: the questions, and the items in the order of the file."""
    definition = project_file.parse_definition(project.definition)
    campaign = project_file.CheckedProject(path=Path(project.source), definition=definition)
    items = session.exec(select(Item).where(Item.project_id == project.id).order_by(col(Item.rank)))
    drafts = tuple(_build_draft(item, campaign) for item in items)
    max_options = max((len(item.options or ()) for item in drafts), default=0)
    questions = tuple(question.with_positions(max_options) for question in definition.all_questions)
    return campaign, CampaignContents(items=drafts, questions=questions)


def _build_draft(item: Item, campaign: project_file.CheckedProject) -> ItemDraft:
    pieces = get_pieces(item, campaign.definition)
    first_question = campaign.definition.all_questions[0].name
    golds = dict(item.golds) if item.golds else {} if item.gold is None else {first_question: item.gold}
    return ItemDraft(
        external_id=item.external_id,
        group=item.group_id,
        data=item.data,
        shown=tuple(piece.text for piece in pieces),
        options=None if item.options is None else tuple(item.options),
        gold=item.gold,
        origin=input_files.FileRow(file=campaign.path, line=item.rank + 1, values=item.data),
        pieces=pieces,
        golds=golds,
        accepted=tuple(item.accepted or ()),
        explanation=item.explanation,
        revision=item.revision,
        stratum=item.stratum,
        tags=tuple(item.tags or ()),
        lineage=item.lineage,
        pool=item.pool,
    )


def get_pieces(item: ItemRow, definition: project_file.ProjectFile) -> tuple[Piece, ...]:
    """The pieces of an item that annotators are shown: those stored, or, for an item of plain text, its columns."""
    if item.pieces is not None:
        return tuple(_build_piece(stored) for stored in item.pieces)
    if not isinstance(definition.items, project_file.ItemsSection):
        return (Piece(field="shown", text=item.stimulus),)
    fields = [part.field for part in definition.items.shown_columns]
    return tuple(Piece(field=field, text=format_value(item.data.get(field))) for field in fields)


def _build_piece(stored: dict[str, object]) -> Piece:
    marks = stored["marks"]
    gap = stored["gap"]
    return Piece(
        field=str(stored["field"]),
        text=str(stored["text"]),
        title=None if stored["title"] is None else str(stored["title"]),
        fold=bool(stored["fold"]),
        gap=(gap[0], gap[1]) if isinstance(gap, list) else None,
        marks=tuple((start, end) for start, end in marks) if isinstance(marks, list) else (),
        step=int(str(stored["step"])),
        image=None if stored.get("image") is None else str(stored["image"]),
        markdown=bool(stored.get("markdown")),
    )
