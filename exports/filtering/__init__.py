"""Filtering as a data set: which items were kept, and why the others were not."""

from __future__ import annotations

from collections.abc import Sequence

from exports import writers
from exports.filtering.filtered_items import FILTERED_COLUMNS, REASON_COLUMNS, filter_data_sets, serialize_filtering
from exports.filtering.page import render_filtering
from exports.joint_answers import JointAnswers
from exports.pages.scaffold import build_pages

__all__ = ["FILTERED_COLUMNS", "REASON_COLUMNS", "build_filtering_files"]


def build_filtering_files(projects: Sequence[JointAnswers], *, seed: int = 0) -> dict[str, str | bytes]:
    """Build items.csv, .jsonl, .parquet, .json, removal_reasons.csv, and items.html in every language: name → content.

    Projects without a filtering rule are left out; without any rule there are no files.
    """
    filtered = filter_data_sets(projects, seed=seed)
    if not filtered:
        return {}
    items = [item.row(data_set.data.name) for data_set in filtered for item in data_set.items]
    reasons = [reason.row(data_set.data.name) for data_set in filtered for reason in data_set.reasons]
    return {
        **writers.build_files("items", items, FILTERED_COLUMNS),
        "removal_reasons.csv": writers.build_csv(reasons, REASON_COLUMNS),
        "items.json": writers.format_json({data_set.data.name: serialize_filtering(data_set) for data_set in filtered}),
        **build_pages("items", lambda: render_filtering(filtered)),
    }
