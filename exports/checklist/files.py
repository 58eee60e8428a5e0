"""The checklist as files: report_checklist.json for machines, checklist.md for people."""

from __future__ import annotations

from dataclasses import asdict

from exports import writers
from exports.checklist.gate import CheckedLine, Checklist
from exports.release_state import ReleaseState


def build_checklist_files(checklist: Checklist, state: ReleaseState) -> dict[str, str]:
    """Build both files: file name → content."""
    return {
        "report_checklist.json": writers.format_json([asdict(line) for line in checklist.lines]),
        "checklist.md": _format_markdown(checklist, state),
    }


def _format_markdown(checklist: Checklist, state: ReleaseState) -> str:
    head = f"# What a report must state: {state.facts.title}\n\nStatus: {checklist.status}.\n\n"
    table = "| line | status | if unmet | must state | evidence |\n|---|---|---|---|---|\n"
    return head + table + "".join(map(_format_row, checklist.lines))


def _format_row(line: CheckedLine) -> str:
    remedy = f" → {line.remedy}" if line.remedy else ""
    cells = (line.id, line.status, line.level, line.must_state, line.evidence + remedy)
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |\n"
