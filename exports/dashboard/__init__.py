"""The pages of the live dashboard: what a page is made of, and its HTML, style and script."""

from __future__ import annotations

from exports.dashboard.page import NavLink, list_assets, render_frame, render_login, render_section
from exports.dashboard.sections import Figure, HourBars, LiveRow, LiveSection, LiveTable, ProgressBar

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
