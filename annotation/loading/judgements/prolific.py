"""Reads what Prolific exports about the submissions of a study, beside a form in which people answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from aggregation import spelling
from annotation import input_files
from annotation.campaigns.sections.sources import TableKeys
from annotation.loading import tables
from annotation.loading.drafts import get_cell
from annotation.loading.judgements.other_tools import RawVote, get_annotator, judge_status
from annotation.vocabulary import NO_SUBMISSION, Exclusion

PERSON, STATUS = "Participant id", "Status"
APPROVED = "APPROVED"


def judge_votes(votes: Iterable[RawVote], submissions: Path) -> Iterator[RawVote]:
    """Yield the votes; one whose person has no approved submission does not count, with Prolific's status as reason.

    Of several submissions of a person an approved one counts. Raises BadInput for a file that is no such export.
    """
    exclusions = _read_exclusions(submissions)
    for vote in votes:
        found = exclusions.get(spelling.build_key(vote.annotator), NO_SUBMISSION) if vote.key else None
        yield vote if vote.exclusion is not None or found is None else vote._replace(exclusion=found)


def _read_exclusions(path: Path) -> dict[str, Exclusion | None]:
    """Why the votes of each participant do not count, None if they do."""
    exclusions: dict[str, Exclusion | None] = {}
    for number, row in enumerate(tables.read_rows(path, TableKeys())):
        if number == 0:
            input_files.require_columns({"votes.prolific": (PERSON, STATUS)}, row)
        person, status = spelling.build_key(get_annotator(row, PERSON)), get_cell(row, STATUS).strip()
        exclusion = None if status.upper() == APPROVED else judge_status(status)
        if exclusions.get(person, exclusion) is not None or exclusion is None:
            exclusions[person] = exclusion
    return exclusions
