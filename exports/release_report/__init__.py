"""The chapters of a release's report: how people worked, what they read, where they failed, and models beside them."""

from __future__ import annotations

from exports.release_report.campaign_measures import (
    build_confidence_chapter,
    build_flow_chapter,
    build_model_chapter,
    build_plan_chapter,
    build_sensitivity_chapter,
    build_text_chapter,
    build_time_chapter,
)
from exports.release_report.hard_items import build_hard_item_chapter, build_lint_chapter
from exports.release_state import ReleaseState
from exports.report.page import Chapter

__all__ = ["build_chapters"]


def build_chapters(state: ReleaseState) -> tuple[Chapter, ...]:
    """Build the chapters in their order, without those that have nothing to show."""
    chapters = (
        build_model_chapter(state),
        build_flow_chapter(state),
        build_plan_chapter(state),
        build_time_chapter(state),
        build_confidence_chapter(state),
        build_sensitivity_chapter(state),
        build_hard_item_chapter(state),
        build_lint_chapter(state),
        build_text_chapter(state),
    )
    return tuple(chapter for chapter in chapters if not chapter.is_empty)
