"""The formats of vote files; each module reads one format and knows its usual columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from annotation import input_files
from annotation.campaigns.project_file import VotesSection
from annotation.loading.judgements import (
    comparison_votes,
    counted_rows,
    label_studio_json,
    label_studio_values,
    other_tools,
    prolific,
    table_votes,
    tool_votes,
)
from annotation.loading.judgements.other_tools import RawVote
from annotation.loading.judgements.vote_times import sort_by_time


def read_raw_votes(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Read raw votes in file order, or in that of their time; raises BadInput with the place of the row.

    Votes of rows that `where` or `status` leave out have an exclusion.
    """
    votes = _read_format(path, section)
    if section.prolific is not None:
        votes = prolific.judge_votes(votes, Path(section.prolific))
    if section.where or section.status is not None:
        votes = _exclude_left_out(votes, section)
    return votes if section.time is None else iter(sort_by_time(votes, section.time))


def _exclude_left_out(votes: Iterable[RawVote], section: VotesSection) -> Iterator[RawVote]:
    checked: Iterable[str] = ()
    needed = {"votes.where": tuple(section.where)}
    needed |= {} if section.status is None else {"votes.status": (section.status.column,)}
    for vote in votes:
        if not vote.key:
            yield vote
            continue
        if vote.row.values.keys() != checked:  # most files have the same columns in every row
            input_files.require_columns(needed, vote.row)
            checked = vote.row.values.keys()
        yield vote._replace(exclusion=vote.exclusion or counted_rows.find_exclusion(vote.row, section))


def _read_format(path: Path, section: VotesSection) -> Iterator[RawVote]:
    match section.format:
        case "toloka":
            return other_tools.read_toloka_votes(path, section)
        case "crowd-kit" | "table":
            return table_votes.read_votes(path, section)
        case "comparisons" | "human-response-bot":
            reader = comparison_votes.read_votes if section.format == "comparisons" else other_tools.read_bot_votes
            return reader(path, section)
        case "label-studio":
            if path.suffix.lower() == ".json":
                return label_studio_json.read_votes(path, section)
            return label_studio_values.read_votes(path, section)
        case _:
            return tool_votes.read_votes(path, section)
