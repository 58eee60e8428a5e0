"""The release checklist: forty lines, each checked from the data, and the gate that they make."""

from exports.checklist.gate import LINES, CheckedLine, Checklist, Line, build_checklist_files, check_release

__all__ = ["LINES", "CheckedLine", "Checklist", "Line", "build_checklist_files", "check_release"]
