"""Decisions on items and on answers, taken back or not, and what a review says of the gold: three published files."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from exports.adjudicated_gold import judge_declared_gold
from exports.gold_ceiling import build_ceiling_table
from exports.inputs import DataSet
from exports.writers import format_csv

ADJUDICATION_COLUMNS = (
    "dataset", "item_id", "item_revision", "number", "decision", "labels", "version", "declared_gold", "declared_right",
    "adjudicator", "decided_on", "comment", "holds", "reasons", "stratum",
)  # fmt: skip
REVIEW_COLUMNS = (
    "dataset", "item_id", "annotator", "revision", "number", "decision", "reason", "reviewer", "reviewed_on",
    "gold_shown", "holds",
)  # fmt: skip


def build_adjudication_table(data: DataSet) -> pd.DataFrame:
    """One row per decision, with the columns ADJUDICATION_COLUMNS, sorted by item and number.

    `declared_gold` is the gold of the item file; `declared_right` says of the decision that holds whether it is right.
    """
    golds = dict(zip(data.items["item_id"], data.items["gold"], strict=True))
    verdicts = judge_declared_gold(data)
    rows = data.adjudications
    right = [verdicts.get(item) if held else None for item, held in zip(rows["item_id"], rows["holds"], strict=True)]
    table = rows.assign(
        dataset=data.name,
        declared_gold=pd.Series([golds.get(item) for item in rows["item_id"]], index=rows.index, dtype=object),
        declared_right=pd.Series(right, index=rows.index, dtype=object),
    )
    return table.loc[:, list(ADJUDICATION_COLUMNS)]


def build_review_table(data: DataSet) -> pd.DataFrame:
    """One row per decision, with the columns REVIEW_COLUMNS, sorted by item, annotator and number."""
    return data.reviews.assign(dataset=data.name).loc[:, list(REVIEW_COLUMNS)]


def build_review_files(data_sets: Sequence[DataSet]) -> dict[str, str]:
    """The files by name, each with the decisions on all data sets; those without any decision are left out."""
    ordered = sorted(data_sets, key=lambda data: data.name)
    tables = {
        "adjudications.csv": [build_adjudication_table(data) for data in ordered if not data.adjudications.empty],
        "gold_review.csv": [build_ceiling_table(data) for data in ordered if data.gold_strata],
        "reviews.csv": [build_review_table(data) for data in ordered if not data.reviews.empty],
    }
    return {
        name: format_csv(pd.concat(frames, ignore_index=True).astype(object))
        for name, frames in tables.items()
        if frames
    }
