"""The report: one HTML page that stands alone."""

from exports.report.document import page

__all__ = ["page"]
