"""The database as pandas frames: what a release is made of. Imports pandas; the bot's process never loads this."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pandas as pd
import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.store.models import Annotator, Assignment, Item, Judgement, Project
from annotation.vocabulary import Pool

SESSION_GAP = pd.Timedelta(minutes=30)
"""A longer pause begins a new session."""


def responses(session: Session, project: Project) -> pd.DataFrame:
    """One row an answer as it finally stands, in the order of assignment.

    Columns: item_id, item_revision, group, annotator, response, response_raw (text), option_order (indices of the
    options in the order shown, as a JSON list), position (1 for a person's first), session (1 for a person's first;
    a pause of 30 minutes begins another), seconds, instruction_sha256, stimulus_sha256, stage, is_control, is_repeat,
    revision, excluded_reason; unknown cells are None.
    """
    final = (
        select(Judgement.assignment_id, func.max(Judgement.revision).label("revision"))
        .group_by(col(Judgement.assignment_id))
        .subquery()
    )
    columns: list[Any] = [
        col(Item.external_id).label("item_id"),
        col(Assignment.item_revision),
        col(Item.group_id).label("group"),
        col(Annotator.pseudonym).label("annotator"),
        sa.func.nullif(col(Judgement.response), "").label("response"),
        col(Judgement.response_raw),
        col(Assignment.option_order),
        col(Assignment.position),
        col(Judgement.answered_at),
        col(Judgement.seconds),
        col(Assignment.instructions_sha256).label("instruction_sha256"),
        col(Assignment.stimulus_sha256),
        col(Assignment.stage),
        col(Assignment.is_control),
        col(Assignment.is_repeat),
        col(Judgement.revision),
        col(Judgement.excluded_reason),
    ]
    chosen = (
        sa.select(*columns)
        .select_from(Assignment)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .join(final, (final.c.assignment_id == Judgement.assignment_id) & (final.c.revision == Judgement.revision))
        .where(col(Item.project_id) == project.id)
        .order_by(col(Assignment.id))
    )
    result = session.execute(chosen)
    frame = pd.DataFrame.from_records(result.all(), columns=list(result.keys())).astype(object)
    frame["option_order"] = [None if order is None else json.dumps(order) for order in frame["option_order"]]
    frame["stage"] = [stage.value for stage in frame["stage"]]
    frame["session"] = _sessions(frame)
    known = frame.drop(columns="answered_at").astype(object)
    return known.mask(known.isna(), None)


def _sessions(frame: pd.DataFrame) -> Sequence[int | None]:
    """The number of the sitting in which each answer was given, None where its time is unknown."""
    times = pd.to_datetime(frame["answered_at"], utc=True)
    if times.isna().all():
        return [None] * len(frame)
    ordered = pd.DataFrame({"annotator": frame["annotator"], "time": times}).sort_values("time", kind="stable")
    pause = ordered.groupby("annotator", sort=False)["time"].diff()
    numbers = (pause.isna() | (pause > SESSION_GAP)).groupby(ordered["annotator"], sort=False).cumsum()
    return [
        None if pd.isna(time) else int(number) for time, number in zip(times, numbers.reindex(frame.index), strict=True)
    ]


def items(session: Session, project: Project) -> pd.DataFrame:
    """One row a main item, sorted by item_id: item_id, item_revision, group, gold, gold_origin, gold_version, options.

    `options` is the item's own list, None where the question's are fixed; gold columns are None where none is declared.
    """
    columns: list[Any] = [
        col(Item.external_id).label("item_id"),
        col(Item.revision).label("item_revision"),
        col(Item.group_id).label("group"),
        col(Item.gold),
        col(Item.gold_origin),
        col(Item.gold_version),
        col(Item.options),
    ]
    chosen = sa.select(*columns).where(col(Item.project_id) == project.id, col(Item.pool) == Pool.MAIN)
    chosen = chosen.order_by(col(Item.external_id))
    result = session.execute(chosen)
    frame = pd.DataFrame.from_records(result.all(), columns=list(result.keys())).astype(object)
    return frame.sort_values("item_id", ignore_index=True)


def simulated(session: Session, project: Project) -> bool:
    """Whether any answer of the project was given by a simulated annotator."""
    found = select(Annotator.id).join(Assignment).join(Item)
    return (
        session.exec(found.where(Item.project_id == project.id, col(Annotator.simulated)).limit(1)).first() is not None
    )
