"""The pages of the live dashboard: what a page is made of, and its HTML, style and script."""

from __future__ import annotations

from exports.dashboard.page import (
    Figure,
    HourBars,
    LiveRow,
    LiveSection,
    LiveTable,
    NavLink,
    ProgressBar,
    list_assets,
    render_frame,
    render_login,
    render_section,
)

__all__ = [
    "Figure",
    "HourBars",
    "LiveRow",
    "LiveSection",
    "LiveTable",
    "NavLink",
    "ProgressBar",
    "list_assets",
    "render_frame",
    "render_login",
    "render_section",
]
