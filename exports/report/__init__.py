"""The report: one HTML page with all scores and agreement, which needs no other file."""

from exports.report.page import render_report

__all__ = ["render_report"]
