"""Items as pandas frames and mappings, from which releases and benchmarks are made.

Imports pandas; the bot's process never loads this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns.stimulus import list_first_images
from annotation.loading.drafts import format_value
from annotation.store.frames import read_frame
from annotation.store.models import Item, Project
from annotation.vocabulary import GoldOrigin, ItemStatus, Pool


def read_items(session: Session, project: Project, *, later: str | None = None, pool: Pool = Pool.MAIN) -> pd.DataFrame:
    """One row per item of a pool, sorted by item_id: item_id, item_revision, group, gold, gold_origin, gold_version,
    circular, options, status, stimulus_sha256.

    `options` is the item's own list, None where the question's options are fixed; gold columns are None without gold.
    `circular` says that the gold was made of votes of this project: its origin is `votes`, and no earlier project
    handed the item on.
    The gold is that of the first question, or of the question named by `later`.
    """
    columns: list[Any] = [
        col(Item.external_id).label("item_id"),
        col(Item.revision).label("item_revision"),
        col(Item.group_id).label("group"),
        col(Item.gold),
        col(Item.gold_origin),
        col(Item.gold_version),
        col(Item.options),
        col(Item.status),
        col(Item.stimulus_sha256),
        col(Item.golds),
        col(Item.lineage),
    ]
    query = sa.select(*columns).where(col(Item.project_id) == project.id, col(Item.pool) == pool)
    frame = read_frame(session, query.order_by(col(Item.external_id)))
    frame["status"] = [str(ItemStatus(status)) for status in frame["status"]]
    if later is not None:
        golds = pd.Series(
            [(by_question or {}).get(later) for by_question in frame["golds"]], index=frame.index, dtype=object
        )
        for name in ("gold_origin", "gold_version"):
            pairs = zip(frame[name], golds, strict=True)
            frame[name] = pd.Series(
                [None if gold is None else value for value, gold in pairs], index=frame.index, dtype=object
            )
        frame["gold"] = golds
    of_votes = frame["gold"].notna() & (frame["gold_origin"] == GoldOrigin.VOTES.value)
    frame["circular"] = (of_votes & frame["lineage"].isna()).astype(object)
    return frame.drop(columns=["golds", "lineage"]).sort_values("item_id", ignore_index=True)


def read_item_contents(session: Session, project: Project) -> dict[str, tuple[str, dict[str, str]]]:
    """The text of the first step of each main item, and its text fields, by item_id, sorted."""
    query = select(Item.external_id, Item.stimulus, Item.data).where(
        Item.project_id == project.id, Item.pool == Pool.MAIN
    )
    return {
        item: (stimulus, {name: value for name, value in data.items() if isinstance(value, str)})
        for item, stimulus, data in sorted(session.exec(query), key=lambda row: row[0])
    }


def read_shown_items(
    session: Session,
    project: Project,
    pool: Pool,
    *,
    field: str | None = None,
    later: str | None = None,
    pictures: bool = False,
) -> pd.DataFrame:
    """What the items of a pool show: item_id, item_revision, group, stimulus, stimulus_sha256, options, gold, text,
    images.

    Main items are sorted by item_id, others in the order of their file. `text` is the content of `field`, None where no
    field is named. The gold is that of the first question, or of the question named by `later`. `images` has the names
    of the pictures in the stimulus, None without any; they are only read if the project shows `pictures`.
    """
    columns: list[Any] = [
        col(Item.external_id).label("item_id"),
        col(Item.revision).label("item_revision"),
        col(Item.group_id).label("group"),
        col(Item.stimulus),
        col(Item.stimulus_sha256),
        col(Item.options),
        col(Item.gold) if later is None else col(Item.golds).label("gold"),
        *([] if field is None else [col(Item.data).label("text")]),
        *([col(Item.pieces).label("images")] if pictures else []),
    ]
    query = sa.select(*columns).where(col(Item.project_id) == project.id, col(Item.pool) == pool)
    frame = read_frame(session, query.order_by(col(Item.rank)))
    if later is not None:
        frame["gold"] = pd.Series([(golds or {}).get(later) for golds in frame["gold"]], dtype=object)
    texts = [None] * len(frame) if field is None else [format_value(data.get(field)) for data in frame["text"]]
    shown = frame["images"] if pictures else [None] * len(frame)
    images = [list(list_first_images(pieces or ())) or None for pieces in shown]
    frame = frame.assign(
        text=pd.Series(texts, index=frame.index, dtype=object),
        images=pd.Series(images, index=frame.index, dtype=object),
    )
    return frame.sort_values("item_id", ignore_index=True) if pool is Pool.MAIN else frame


def read_item_parts(session: Session, project: Project) -> dict[str, dict[str, tuple[str, ...]]]:
    """The main items by `stratum` and by `tag`, each sorted; without the kinds that no item has."""
    query = select(Item.external_id, Item.stratum, Item.tags).where(
        Item.project_id == project.id, Item.pool == Pool.MAIN
    )
    parts: dict[str, dict[str, list[str]]] = {"stratum": {}, "tag": {}}
    for item, stratum, tags in sorted(session.exec(query), key=lambda row: row[0]):
        for kind, names in (("stratum", () if stratum is None else (stratum,)), ("tag", tags or ())):
            for name in names:
                parts[kind].setdefault(name, []).append(item)
    return {
        kind: {name: tuple(items) for name, items in sorted(by_name.items())}
        for kind, by_name in parts.items()
        if by_name
    }


def read_accepted_answers(session: Session, project: Project) -> dict[str, tuple[str, ...]]:
    """Further right answers to the first question, by item_id, of the items that have any."""
    query = select(Item.external_id, Item.accepted).where(Item.project_id == project.id)
    return {item: tuple(answers) for item, answers in session.exec(query) if answers}


def read_systems(session: Session, project: Project, columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The systems that wrote what each main item shows, by item_id, sorted: the content of these columns."""
    query = select(Item.external_id, Item.data).where(Item.project_id == project.id, Item.pool == Pool.MAIN)
    return {
        item: tuple(format_value(data.get(column)).strip() for column in columns)
        for item, data in sorted(session.exec(query), key=lambda row: row[0])
    }


def read_field_texts(session: Session, project: Project, field: str) -> dict[str, str]:
    """The content of a field of each item, by item_id: the text in which spans are marked."""
    query = select(Item.external_id, Item.data).where(Item.project_id == project.id)
    return {item: format_value(data.get(field)) for item, data in session.exec(query)}


def read_control_gold(session: Session, project: Project, *, later: str | None = None) -> dict[str, str]:
    """The gold of control items by item_id, sorted: of the first question, or of the one named by `later`."""
    columns = select(Item.external_id, Item.gold, Item.golds).order_by(col(Item.external_id))
    rows = session.exec(columns.where(Item.project_id == project.id, Item.pool == Pool.CONTROL))
    gold_by_item = {item: gold if later is None else (golds or {}).get(later) for item, gold, golds in rows}
    return {item: gold for item, gold in gold_by_item.items() if gold is not None}
