"""The places of items where a random sample of them gets more answers (`overlap: {each, sample, of}`).

The sample is drawn when items are stored, and again at the first start, which freezes it. From then on an item is in
the sample if it has more places than the project's overlap; nothing else says so, and annotators see neither.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.campaigns import project_file
from annotation.loading import overlap_sample
from annotation.loading.overlap_sample import ItemInGroup, SampleSize
from annotation.store import overlap_counts
from annotation.store.models import Item, Project
from annotation.vocabulary import POOLS_WITH_OVERLAP, ItemStatus, Pool


class _StoredItem(NamedTuple):
    id: int
    name: str
    group: str
    stratum: str | None
    pool: Pool
    n_places: int

    @property
    def drawn_by(self) -> ItemInGroup:
        return self.name, self.group, self.stratum


def set_places(session: Session, project: Project, *, added: Collection[str] = ()) -> bool:
    """Draw the sample and set the places of items that nobody was assigned; False if the overlap has no sample.

    Before the start all items are drawn. After it only those of `added`, by external id: they join the sample of their
    group, and of new groups as many are drawn as the sample then lacks.
    """
    definition = project_file.parse_definition(project.definition)
    overlap = definition.sampled_overlap
    if overlap is None:
        return False
    items = _list_items(session, project)
    is_started, names = project.started_at is not None, set(added)
    main = [item for item in items if item.pool is Pool.MAIN]
    new = [item for item in items if not is_started or item.name in names]
    earlier = [item for item in main if is_started and item.name not in names]
    drawn = overlap_sample.draw_groups(
        [item.drawn_by for item in main],
        share=overlap.sample,
        seed=definition.seed,
        earlier={item.group for item in earlier},
        drawn={item.group for item in earlier if item.n_places > overlap.each},
    )
    _write_places(
        session,
        [
            {"row": item.id, "n": overlap.of if item.pool is Pool.PILOT or item.group in drawn else overlap.each}
            for item in new
        ],
    )
    others = (col(Item.project_id) == project.id, col(Item.pool).not_in(POOLS_WITH_OVERLAP))
    no_places = sa.update(Item).where(*others, (col(Item.free) > 0) | (col(Item.held) > 0))
    session.connection().execute(no_places.values(free=0, held=0))
    return True


def measure(session: Session, project: Project) -> SampleSize | None:
    """The size of the stored sample; None if all items get as many answers."""
    if project_file.parse_definition(project.definition).sampled_overlap is None:
        return None
    items = [item for item in _list_items(session, project) if item.pool is Pool.MAIN]
    sampled = [item for item in items if item.n_places > (project.overlap or 0)]
    return SampleSize(
        items=len(sampled),
        all_items=len(items),
        groups=len({item.group for item in sampled}),
        all_groups=len({item.group for item in items}),
    )


def describe_added(session: Session, project: Project) -> str:
    """The size of the sample after items were added, to stand behind a sentence; empty without a sample."""
    size = measure(session, project)
    return "" if size is None else f"; the overlap sample now has {size.items} of {size.all_items} items"


def build_frozen_sample(session: Session, project: Project) -> dict[str, Any]:
    """The part of the frozen record about the sample; empty without one."""
    definition = project_file.parse_definition(project.definition)
    overlap = definition.sampled_overlap
    if overlap is None:
        return {}
    items = [item for item in _list_items(session, project) if item.pool is Pool.MAIN]
    drawn = {item.group for item in items if item.n_places > overlap.each}
    frame = overlap_sample.describe_frame(overlap, [item.drawn_by for item in items], drawn, seed=definition.seed)
    return {"overlap_sample": dict(frame)}


def _list_items(session: Session, project: Project) -> list[_StoredItem]:
    """The items of the pools with places."""
    columns = sa.select(
        col(Item.id), col(Item.external_id), col(Item.group_id), col(Item.stratum), col(Item.pool),
        overlap_counts.N_PLACES,
    )  # fmt: skip
    of_project = (col(Item.project_id) == project.id, col(Item.pool).in_(POOLS_WITH_OVERLAP))
    rows = session.connection().execute(columns.where(*of_project))
    return [_StoredItem(row[0] or 0, row[1], row[2], row[3], Pool(row[4]), row[5]) for row in rows]


def _write_places(session: Session, rows: list[dict[str, int]]) -> None:
    """Give items ("row") their number of places ("n"); those of a paused item are held."""
    if not rows:
        return
    is_open: sa.ColumnElement[bool] = col(Item.status) == ItemStatus.OPEN
    n_free: sa.ColumnElement[int] = sa.bindparam("n", type_=sa.Integer) - col(Item.n_live)
    update = sa.update(Item).where(col(Item.id) == sa.bindparam("row"))
    session.connection().execute(
        update.values(free=sa.case((is_open, n_free), else_=0), held=sa.case((is_open, 0), else_=n_free)), rows
    )
