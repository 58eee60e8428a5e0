"""A campaign as the database has it, in the form in which files are checked."""

from __future__ import annotations

from pathlib import Path

from sqlmodel import Session, col, select

from annotation import files
from annotation.campaigns import project as project_files
from annotation.campaigns.questions import Choice
from annotation.campaigns.stimulus import Piece
from annotation.loading.campaign import Contents
from annotation.loading.drafts import ItemDraft, as_text
from annotation.store.models import Item, Project


def contents(session: Session, project: Project) -> tuple[project_files.Campaign, Contents]:
    """The campaign with its items and questions; items stand in the order of the file."""
    definition = project_files.definition_of(project.definition)
    campaign = project_files.Campaign(file=Path(project.source), definition=definition)
    items = session.exec(select(Item).where(Item.project_id == project.id).order_by(col(Item.rank)))
    drafts = tuple(_draft(item, campaign) for item in items)
    most = max(len(item.options or ()) for item in drafts)
    questions = tuple(one.counted(most) if isinstance(one, Choice) else one for one in definition.asked)
    return campaign, Contents(items=drafts, questions=questions)


def _draft(item: Item, campaign: project_files.Campaign) -> ItemDraft:
    shown = pieces(item, campaign.definition)
    first = campaign.definition.asked[0].name
    golds = dict(item.golds) if item.golds else {} if item.gold is None else {first: item.gold}
    return ItemDraft(
        external_id=item.external_id,
        group=item.group_id,
        data=item.data,
        shown=tuple(piece.text for piece in shown),
        options=None if item.options is None else tuple(item.options),
        gold=item.gold,
        origin=files.Row(file=campaign.file, line=item.rank + 1, values=item.data),
        pieces=shown,
        golds=golds,
        accepted=tuple(item.accepted or ()),
        explanation=item.explanation,
        revision=item.revision,
        stratum=item.stratum,
        tags=tuple(item.tags or ()),
        lineage=item.lineage,
        pool=item.pool,
    )


def pieces(item: Item, definition: project_files.ProjectFile) -> tuple[Piece, ...]:
    """What is shown: stored where it is more than text, else the shown columns."""
    if item.pieces is not None:
        return tuple(_piece(stored) for stored in item.pieces)
    if not isinstance(definition.items, project_files.ItemsSection):
        return (Piece(field="shown", text=item.stimulus),)
    fields = [part.field for part in definition.items.parts]
    return tuple(Piece(field=field, text=as_text(item.data.get(field))) for field in fields)


def _piece(stored: dict[str, object]) -> Piece:
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
    )
