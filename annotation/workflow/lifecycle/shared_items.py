"""Items whose ids other projects have too, without a shared group: are they the same texts, or do only ids coincide?

Exposure goes by groups. Without a `group` column an item is a group of its own project, so that people who met it can
get the item with the same id in another project.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlmodel import Session, col, select

from aggregation import spelling
from annotation.campaigns import project_file, stimulus
from annotation.loading.campaign import CampaignContents
from annotation.loading.drafts import has_own_group
from annotation.store.models import Item, Project

IDS_NAMED = 5
"""How many ids a sentence names."""
ITEMS_PER_QUERY = 500
"""How many texts are read in one query; a statement may have a limited number of parameters."""


class ComparedItem(NamedTuple):
    """An item of a project; `text` is what is shown of it, with the names of its pictures.

    `is_named` says whether a file names its group.
    """

    external_id: str
    group: str
    text: str
    is_named: bool


@dataclass(frozen=True, kw_only=True)
class SharedItems:
    """How many items of a project (`of`) have an id that another project has too, in another group.

    `same_texts` are the ids of those that show the same text there and have no named group, in the order of the file.
    """

    project: str
    number: int
    of: int
    same_texts: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """A sentence about the ids."""
        return (
            f"{self.number} of {self.of} ids are also in {self.project}, without a shared group. Name `group:` in both"
            " files if they are the same texts."
        )

    @property
    def obstacle(self) -> str:
        """A sentence about the texts; empty where none is the same."""
        if not self.same_texts:
            return ""
        named = spelling.list_words(self.same_texts[:IDS_NAMED])
        more = f" and {len(self.same_texts) - IDS_NAMED} more" if len(self.same_texts) > IDS_NAMED else ""
        count = "1 item has" if len(self.same_texts) == 1 else f"{len(self.same_texts)} items have"
        return f"{count} the id and the text of an item of {self.project!r}, and no group: {named}{more}."

    @property
    def remedy(self) -> str:
        """What to do about the texts."""
        return (
            f"Name a column as `items.group` here and in {self.project}, so that nobody answers them twice; or list"
            f" {self.project} under `exposure.exceptions`."
        )


def compare_items(project: str, own: Sequence[ComparedItem], other: Iterable[ComparedItem]) -> SharedItems | None:
    """Compare the items of a project with those of the other one named `project`; None if no id is in both. Pure."""
    others = {spelling.build_key(item.external_id): item for item in other}
    pairs = [(item, others.get(spelling.build_key(item.external_id))) for item in own]
    shared = [(item, there) for item, there in pairs if there is not None and there.group != item.group]
    if not shared:
        return None
    return SharedItems(
        project=project,
        number=len(shared),
        of=len(own),
        same_texts=tuple(
            item.external_id
            for item, there in shared
            if not item.is_named and spelling.build_key(item.text) == spelling.build_key(there.text)
        ),
    )


def build_compared_items(campaign: project_file.CheckedProject, contents: CampaignContents) -> list[ComparedItem]:
    """The items of a file as they are compared."""
    return [
        ComparedItem(
            external_id=item.external_id,
            group=item.group,
            text="\n".join([stimulus.render_pieces(item.pieces), *(one.image for one in item.pieces if one.image)]),
            is_named=not has_own_group(item, project=campaign.name),
        )
        for item in contents.items
    ]


def list_shared_items(
    session: Session,
    campaign: project_file.CheckedProject,
    own: Sequence[ComparedItem],
    *,
    without: Collection[str] = (),
) -> Iterator[SharedItems]:
    """Yield what the items of a project share with each other loaded project but those `without`.

    A project that the file lists under `exposure.exceptions` is left out, and so is a project that asks nobody.
    """
    exposure = campaign.definition.exposure
    left_out = {campaign.name, *without, *(exposure.exceptions if exposure else ())}
    if campaign.definition.overlap is None:
        return
    names = {spelling.build_key(item.external_id): item.group for item in own}
    for project_id, name in session.exec(select(Project.id, Project.name).order_by(col(Project.id))).all():
        if name not in left_out:
            shared = compare_items(name, own, _read_shared(session, project_id or 0, names))
            if shared is not None:
                yield shared


def _read_shared(session: Session, project_id: int, names: Mapping[str, str]) -> list[ComparedItem]:
    """The items of a stored project whose id is one of these, in another group than the one beside it."""
    keys = select(Item.id, Item.external_id, Item.group_id).where(Item.project_id == project_id)
    items = {
        item_id or 0: (external_id, group)
        for item_id, external_id, group in session.exec(keys).all()
        if names.get(spelling.build_key(external_id), group) != group
    }
    texts: dict[int, str] = {}
    ids = list(items)
    for start in range(0, len(ids), ITEMS_PER_QUERY):
        some = select(Item.id, Item.stimulus, Item.pieces).where(col(Item.id).in_(ids[start : start + ITEMS_PER_QUERY]))
        for item_id, text, pieces in session.exec(some).all():
            texts[item_id or 0] = "\n".join([text, *stimulus.list_images(pieces or ())])
    return [ComparedItem(name, group, texts[item_id], True) for item_id, (name, group) in items.items()]
