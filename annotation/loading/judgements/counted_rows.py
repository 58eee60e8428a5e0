"""Which rows of votes count: `votes.where` and `votes.status`; the others are kept with the reason."""

from __future__ import annotations

from aggregation import spelling
from aggregation.findings import Finding
from annotation.campaigns.sections.sources import VotesSection
from annotation.input_files import FileRow
from annotation.loading.drafts import find_unmet, get_cell
from annotation.loading.judgements.other_tools import judge_status
from annotation.vocabulary import Exclusion, ExclusionKind


def find_exclusion(row: FileRow, section: VotesSection) -> Exclusion | None:
    """Return why the vote of a row does not count, or None if `where` and `status` have nothing against it."""
    unmet = find_unmet(section.conditions, row.values)
    if unmet is not None:
        return Exclusion(ExclusionKind.LEFT_OUT, Finding("left-out", column=unmet))  # its value may be personal
    if section.status is None:
        return None
    status = get_cell(row, section.status.column).strip()
    return None if spelling.find_name(status, section.status.counts) is not None else judge_status(status)
