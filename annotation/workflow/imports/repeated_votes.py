"""Repeated votes: several imported votes of one annotator on one item, of which one counts by the repeat policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from aggregation.findings import Finding
from annotation.loading.drafts import VoteDraft
from annotation.store import judgements, table_base
from annotation.store.models import Assignment, Item, Judgement, Project
from annotation.vocabulary import Exclusion, ExclusionKind, RepeatPolicy

FIRST_COUNTS = Exclusion(ExclusionKind.REPEAT, Finding("first-counts"))
"""The exclusion of a vote that repeats an earlier one."""
LAST_COUNTS = Exclusion(ExclusionKind.REPEAT, Finding("last-counts"))
"""The exclusion of a vote that a later one replaces."""

ItemAnnotator = tuple[int, int]
"""Database ids of an item and of an annotator."""

NumberedVote = tuple[int, int, int, VoteDraft]
"""Item id, annotator id, occasion (0 for the annotator's first vote on the item, then 1, 2 …), and the vote."""


def settle_repeats(
    session: Session, project: Project, votes: Sequence[tuple[int, int, VoteDraft]], *, policy: RepeatPolicy
) -> tuple[int, list[NumberedVote]]:
    """Number the votes of each annotator on each item, and exclude the repeats that the policy does not count.

    `votes` are (item id, annotator id, vote). Returns how many votes repeat an earlier one, and all votes with their
    occasion. Only a vote that would count can repeat another vote; an excluded one (an empty answer, an answer to a
    control task) does not.
    """
    next_occasions = _count_pairs(session, project)
    pairs_with_vote = set(_count_pairs(session, project, counting=True))
    last_indexes = {
        (item, annotator): index for index, (item, annotator, vote) in enumerate(votes) if vote.exclusion is None
    }
    if policy is RepeatPolicy.LAST:
        _exclude_earlier(session, [pair for pair in last_indexes if pair in pairs_with_vote])
    n_repeats, settled = 0, []
    for index, (item, annotator, vote) in enumerate(votes):
        pair, exclusion = (item, annotator), vote.exclusion
        if exclusion is None:
            is_repeat = pair in pairs_with_vote
            n_repeats += is_repeat
            exclusion = _find_exclusion(policy, is_repeat=is_repeat, is_last=index == last_indexes[pair])
            pairs_with_vote.add(pair)
        settled_vote = vote if exclusion is vote.exclusion else vote._replace(exclusion=exclusion)
        occasion = next_occasions.get(pair, 0)
        settled.append((item, annotator, occasion, settled_vote))
        next_occasions[pair] = occasion + 1
    return n_repeats, settled


def _find_exclusion(policy: RepeatPolicy, *, is_repeat: bool, is_last: bool) -> Exclusion | None:
    """Why a vote that repeats another, or is repeated, does not count; None where it counts."""
    if policy is RepeatPolicy.FIRST and is_repeat:
        return FIRST_COUNTS
    return LAST_COUNTS if policy is RepeatPolicy.LAST and not is_last else None


def _count_pairs(session: Session, project: Project, *, counting: bool = False) -> dict[ItemAnnotator, int]:
    """The number of stored answers by annotator and item of the project; with `counting` only those that count."""
    pairs = select(Assignment.item_id, Assignment.annotator_id, func.count()).join(Item)
    if counting:
        pairs = pairs.join(Judgement).where(judgements.build_counting_condition())
    grouped = pairs.where(Item.project_id == project.id).group_by(col(Assignment.item_id), col(Assignment.annotator_id))
    return {(item, annotator): times for item, annotator, times in session.exec(grouped).all()}


def _exclude_earlier(session: Session, pairs: Sequence[ItemAnnotator]) -> None:
    """Exclude the stored answers of the pairs, which votes of the new file repeat, and release their overlap places."""
    for item, annotator in pairs:
        of_pair = select(Assignment.id).where(Assignment.item_id == item, Assignment.annotator_id == annotator)
        excluded = session.connection().execute(
            sa.update(Judgement)
            .where(col(Judgement.assignment_id).in_(of_pair), judgements.build_stored_kind_condition(None))
            .values(table_base.list_exclusion_values(LAST_COUNTS))
        )
        session.connection().execute(
            sa.update(Assignment).where(col(Assignment.id).in_(of_pair)).values(holds_place=False)
        )
        add_answer_counts(session, {item: -excluded.rowcount})


def add_answer_counts(session: Session, n_answers: Mapping[int, int]) -> None:
    """Add to the counts of live and done places of items; `n_answers` holds, by item id, how many answers are added."""
    of_item = sa.update(Item).where(col(Item.id) == sa.bindparam("item"))
    if n_answers:
        session.connection().execute(
            of_item.values(n_live=Item.n_live + sa.bindparam("n"), n_done=Item.n_done + sa.bindparam("n")),
            [{"item": item, "n": n} for item, n in n_answers.items()],
        )
