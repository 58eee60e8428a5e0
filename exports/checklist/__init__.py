"""The release checklist: forty lines, each checked from the data, and the gate that they make."""

from exports.checklist.files import build_checklist_files
from exports.checklist.gate import CheckedLine, Checklist, check_release
from exports.checklist.lines import LINES, Line

__all__ = ["LINES", "CheckedLine", "Checklist", "Line", "build_checklist_files", "check_release"]
