"""Two data sets over the same items compared, as tables, with the items that are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from typing import Any

import pandas as pd

from aggregation.comparison.projects import MeasureDifference, ProjectAnswers, ProjectComparison
from exports import writers
from exports.inputs import DataSet
from exports.rounding import round_row

SKIP_KINDS = ("skipped", "abstained")
"""The kinds of exclusion of those who did not say anything of an item that was theirs."""
ITEM_COLUMNS = ("item_id", "compared", "missing_in", "text_differs", "gold_differs")


def split_by_surface(data: DataSet) -> list[DataSet]:
    """A data set for each surface that answers came from, named after both; none if all came from one surface.

    Only the first votes of each item are split (see `DataSet.keep_first_places`). The items of a part are those that
    have an answer there.
    """
    first = data.keep_first_places()
    surfaces = first.responses["surface"]
    answered = first.list_counted_answers()
    parts = []
    for surface in sorted(answered["surface"].dropna().unique()):
        items = set(answered.loc[answered["surface"] == surface, "item_id"])
        hashes = {item: sha256 for item, sha256 in data.text_hashes.items() if item in items}
        rows = first.responses.loc[surfaces == surface]
        parts.append(replace(first, name=f"{data.name} ({surface})", responses=rows, text_hashes=hashes))
    return parts if len(parts) > 1 else []


def list_difference_rows(comparison: ProjectComparison) -> list[dict[str, Any]]:
    """The differences with the columns of pilot_differences.csv, numbers rounded."""
    return [round_row(asdict(row)) for row in comparison.differences]


def build_comparison_files(comparison: ProjectComparison, items: pd.DataFrame) -> dict[str, str]:
    """The tables as CSV: pilot_differences.csv, pilot_items.csv."""
    columns = [field.name for field in fields(MeasureDifference)]
    return {
        "pilot_differences.csv": writers.format_rows(list_difference_rows(comparison), columns),
        "pilot_items.csv": writers.format_csv(items),
    }


def build_project_answers(data: DataSet) -> ProjectAnswers:
    """The answers of a data set, with the first votes of each item (see `DataSet.keep_first_places`).

    Offered is every item that somebody answered or skipped in the main stage.
    """
    first = data.keep_first_places()
    rows, kinds = first.responses, first.exclusion_kinds()
    is_due = kinds.isna() & rows["response"].isna()
    is_skipped = is_due | kinds.isin(SKIP_KINDS)
    offers = pd.DataFrame(
        {
            "item": rows["item_id"],
            "annotator": rows["annotator"],
            "skipped": is_skipped,
            "is_due": is_due,
            "seconds": pd.to_numeric(rows["seconds"]),
        }
    ).loc[kinds.isna() | is_skipped]
    is_listed = offers["item"].isin(first.items["item_id"])
    return ProjectAnswers(
        name=data.name, answers=first.build_answers(), offers=offers.loc[is_listed].reset_index(drop=True)
    )


def match_items(data_sets: Sequence[DataSet]) -> pd.DataFrame:
    """The items of two data sets, matched by id and sorted, with the columns ITEM_COLUMNS.

    `missing_in` names the data set that lacks the item, which is then not compared. `text_differs` and `gold_differs`
    say that both have it with another text, by its hash in `DataSet.text_hashes`, or with other gold.
    """
    golds = [dict(zip(data.items["item_id"], data.items["gold"], strict=True)) for data in data_sets]
    rows = []
    for item in sorted(set().union(*(data.text_hashes for data in data_sets))):
        missing = [data.name for data in data_sets if item not in data.text_hashes]
        texts = {data.text_hashes[item] for data in data_sets if item in data.text_hashes}
        gold = {own[item] for own in golds if own.get(item) is not None}
        rows.append((item, not missing, missing[0] if missing else None, len(texts) > 1, len(gold) > 1))
    return pd.DataFrame(rows, columns=list(ITEM_COLUMNS), dtype=object)
