"""Corrections as a data set: pairs of texts with their differences, the numbers over them, and a page to read."""

from __future__ import annotations

from collections.abc import Sequence

from exports import writers
from exports.corrections.correction import STORY_COLUMNS
from exports.corrections.page import render_corrections
from exports.corrections.summary import serialize_summary, summarize_corrections
from exports.joint_answers import JointAnswers
from exports.pages.scaffold import build_pages

__all__ = ["STORY_COLUMNS", "build_correction_files"]


def build_correction_files(projects: Sequence[JointAnswers], *, seed: int = 0) -> dict[str, str | bytes]:
    """Build stories.csv, .jsonl, .parquet, .json, and .html in every language: file name → content.

    Without any question of the type `edit` there are no files.
    """
    summaries = summarize_corrections(projects, seed=seed)
    if not summaries:
        return {}
    by_data_set: dict[str, dict[str, object]] = {}
    for summary in summaries:
        by_data_set.setdefault(summary.data.name, {})[summary.question.name] = serialize_summary(summary)
    rows = [correction.row for summary in summaries for correction in summary.corrections]
    return {
        **writers.build_files("stories", rows, STORY_COLUMNS),
        "stories.json": writers.format_json(by_data_set),
        **build_pages("stories", lambda: render_corrections(summaries, seed=seed)),
    }
