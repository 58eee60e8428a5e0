"""The report: one HTML page with all scores and agreement, which needs no other file, in every language."""

from exports.report.page import build_report_pages, render_report

__all__ = ["build_report_pages", "render_report"]
