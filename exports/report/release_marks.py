"""What a release adds to its report: the stamp on the page, and the gate with the evidence of each line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from exports.pages.scaffold import TableRow
from exports.pages.translation import translate
from exports.report.chapters import Chapter


class CheckedRow(NamedTuple):
    """A line of the release checklist: its id, what must be stated, status, level, and evidence."""

    id: str
    must_state: str
    status: str
    level: str
    evidence: str


@dataclass(frozen=True, kw_only=True)
class ReleaseMarks:
    """The stamp (SIMULATED, SECONDARY, DRAFT, or empty), the status of the gate, its lines, warnings, and chapters."""

    stamp: str = ""
    status: str = ""
    lines: tuple[CheckedRow, ...] = ()
    warnings: tuple[str, ...] = ()
    chapters: tuple[Chapter, ...] = ()

    @property
    def is_draft(self) -> bool:
        """Whether the release is a draft, which no gate has passed."""
        return "DRAFT" in self.stamp

    @property
    def is_secondary(self) -> bool:
        """Whether some lines are not evidenced, because people worked elsewhere."""
        return "SECONDARY" in self.stamp

    @property
    def rows(self) -> tuple[TableRow, ...]:
        """The rows of the table of the gate."""
        return tuple(
            TableRow(
                head=line.id,
                cells=(translate(line.status), translate(line.level)),
                remark=f"{line.must_state}. {line.evidence}",
            )
            for line in self.lines
        )
