"""Votes that were imported before: a corrected or longer file holds them again, and they are not stored twice."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.input_files import FileRow
from annotation.loading.drafts import VoteDraft
from annotation.store.models import Assignment, Judgement, Project
from annotation.vocabulary import ExclusionKind, RepeatPolicy, Surface

ItemVote = tuple[int, int, VoteDraft]
"""Database ids of the item and of the annotator, and the vote."""

_GIVEN_LATER = {
    ExclusionKind.REPEAT,
    ExclusionKind.EARLIER,
    ExclusionKind.RULE,
    ExclusionKind.ORGANISER,
    ExclusionKind.WITHDRAWN,
}
"""Exclusions that a vote does not bring from its file: without them it would count."""


@dataclass(frozen=True, kw_only=True)
class SortedVotes:
    """The votes of a file: `new` ones in file order, and the number that was imported before.

    `differing` are the rows of new votes of an annotator on an item whose imported vote, which would count, is another.
    """

    new: tuple[ItemVote, ...]
    n_known: int
    differing: tuple[FileRow, ...]


@dataclass
class _StoredVotes:
    """The contents of the stored votes of an annotator on an item; `current` is the last that would count."""

    contents: Counter[Hashable] = field(default_factory=Counter)
    current: Hashable = None

    def take_current(self, vote: VoteDraft) -> bool:
        """Take the current vote; whether it is the same as this one."""
        return _get_content(vote) == self.current and self.take(vote)

    def take(self, vote: VoteDraft) -> bool:
        """Take a stored vote that is the same as this one; whether there is one that was not taken yet."""
        content = _get_content(vote)
        if not self.contents[content]:
            return False
        self.contents[content] -= 1
        return True


def sort_votes(session: Session, project: Project, votes: Sequence[ItemVote], *, policy: RepeatPolicy) -> SortedVotes:
    """Sort the votes of a file into new ones and those that were imported into the project before.

    A vote was imported before where one with the same content by the same annotator on the same item is stored. Where
    the last vote counts, the last one of the file is new unless it is the stored one that counts: somebody may have
    returned to an earlier answer. Where all count, each row is a vote of its own, and all are new.
    """
    stored = _list_stored_votes(session, project)
    voted = {pair for pair, found in stored.items() if found.current is not None}
    if policy is RepeatPolicy.ALL:
        known = set[int]()
    else:
        last = _find_last_votes(votes) if policy is RepeatPolicy.LAST else {}
        known = {index for pair, index in last.items() if pair in stored and stored[pair].take_current(votes[index][2])}
        known |= {
            index
            for index, (item, annotator, vote) in enumerate(votes)
            if (item, annotator) in stored
            and index != last.get((item, annotator))
            and stored[item, annotator].take(vote)
        }
    new = [row for index, row in enumerate(votes) if index not in known]
    return SortedVotes(
        new=tuple(new),
        n_known=len(known),
        differing=tuple(
            vote.origin for item, annotator, vote in new if vote.exclusion is None and (item, annotator) in voted
        ),
    )


def _find_last_votes(votes: Sequence[ItemVote]) -> dict[tuple[int, int], int]:
    """The index of the last vote that would count, by item and annotator."""
    return {(item, annotator): index for index, (item, annotator, vote) in enumerate(votes) if vote.exclusion is None}


def _list_stored_votes(session: Session, project: Project) -> Mapping[tuple[int, int], _StoredVotes]:
    """The imported votes of the project as they came, by item and annotator."""
    columns = (
        col(Assignment.item_id), col(Assignment.annotator_id), col(Judgement.response), col(Judgement.answers),
        col(Judgement.skip_reason), col(Judgement.seconds), col(Judgement.excluded_kind),
    )  # fmt: skip
    query = (
        sa.select(*columns)
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(col(Assignment.project_id) == project.id, col(Assignment.surface) == Surface.IMPORT)
        .where(col(Judgement.revision) == 0, col(Assignment.occasion) >= 0)
        .order_by(col(Assignment.item_id), col(Assignment.annotator_id), col(Assignment.occasion))
    )
    stored: dict[tuple[int, int], _StoredVotes] = defaultdict(_StoredVotes)
    for item, annotator, response, answers, skip_reason, seconds, kind in session.connection().execute(query):
        own_kind = None if kind in _GIVEN_LATER else kind
        content = _build_content(response, answers, skip_reason, seconds, own_kind)
        found = stored[item, annotator]
        found.contents[content] += 1
        if own_kind is None and kind != ExclusionKind.REPEAT:
            found.current = content
    return dict(stored)


def _get_content(vote: VoteDraft) -> Hashable:
    kind = None if vote.exclusion is None else vote.exclusion.kind
    return _build_content(vote.response, vote.answers, vote.skip_reason, vote.seconds, kind)


def _build_content(
    response: str | None,
    answers: Mapping[str, str] | None,
    skip_reason: str | None,
    seconds: float | None,
    kind: ExclusionKind | None,
) -> Hashable:
    """What makes two votes the same: the answers, how long they took, and why the file says that they do not count."""
    return response or "", tuple(sorted((answers or {}).items())), skip_reason, seconds, kind
