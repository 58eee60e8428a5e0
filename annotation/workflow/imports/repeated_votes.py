"""Repeated votes of one annotator on one item: which of them counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.loading.drafts import VoteDraft
from annotation.store.models import Assignment, Item, Judgement, Project
from annotation.vocabulary import RepeatPolicy

LAST_COUNTS = "repeat, the last counts"
"""The exclusion reason of a vote that a later one replaces."""

ItemAnnotator = tuple[int, int]
"""Item id and annotator id."""

NumberedVote = tuple[int, int, int, VoteDraft]
"""Item id, annotator id, occasion, vote."""


def settle_repeats(
    session: Session, project: Project, votes: Sequence[tuple[int, int, VoteDraft]], *, policy: RepeatPolicy
) -> tuple[int, list[NumberedVote]]:
    """Number the occasions of votes and exclude the repeats that the policy does not count.

    `votes` are (item id, annotator id, vote). Returns how many votes repeat an earlier one, and all votes with their
    occasion. Only votes that would count can repeat each other: empty answers and control tasks do not.
    """
    occasions = Counter(_count_pairs(session, project))
    counting = set(_count_pairs(session, project, counting=True))
    last = {(item, annotator): index for index, (item, annotator, vote) in enumerate(votes) if vote.excluded is None}
    if policy is RepeatPolicy.LAST:
        _exclude_earlier(session, [pair for pair in last if pair in counting])
    repeats, settled = 0, []
    for index, (item, annotator, vote) in enumerate(votes):
        pair, reason = (item, annotator), vote.excluded
        if reason is None:
            repeats += pair in counting
            reason = _get_exclusion(policy, is_repeat=pair in counting, is_last=index == last[pair])
            counting.add(pair)
        settled.append(
            (item, annotator, occasions[pair], vote if reason == vote.excluded else replace(vote, excluded=reason))
        )
        occasions[pair] += 1
    return repeats, settled


def _get_exclusion(policy: RepeatPolicy, *, is_repeat: bool, is_last: bool) -> str | None:
    """Why a vote that repeats another, or is repeated, does not count."""
    if policy is RepeatPolicy.FIRST and is_repeat:
        return "repeat, the first counts"
    return LAST_COUNTS if policy is RepeatPolicy.LAST and not is_last else None


def _count_pairs(session: Session, project: Project, *, counting: bool = False) -> dict[ItemAnnotator, int]:
    """How many stored answers each annotator has for each item of the project: all, or those that count."""
    pairs = select(Assignment.item_id, Assignment.annotator_id, func.count()).join(Item)
    if counting:
        pairs = pairs.join(Judgement).where(col(Judgement.excluded_reason).is_(None))
    grouped = pairs.where(Item.project_id == project.id).group_by(col(Assignment.item_id), col(Assignment.annotator_id))
    return {(item, annotator): times for item, annotator, times in session.exec(grouped).all()}


def _exclude_earlier(session: Session, pairs: Sequence[ItemAnnotator]) -> None:
    """Exclude the stored answers that this file repeats, and release their places."""
    for item, annotator in pairs:
        of_pair = select(Assignment.id).where(Assignment.item_id == item, Assignment.annotator_id == annotator)
        excluded = session.connection().execute(
            sa.update(Judgement)
            .where(col(Judgement.assignment_id).in_(of_pair), col(Judgement.excluded_reason).is_(None))
            .values(excluded_reason=LAST_COUNTS)
        )
        session.connection().execute(
            sa.update(Assignment).where(col(Assignment.id).in_(of_pair)).values(holds_place=False)
        )
        add_answer_counts(session, {item: -excluded.rowcount})


def add_answer_counts(session: Session, answers: Mapping[int, int]) -> None:
    """Add these numbers to the counts of answers of items, by item id."""
    of_item = sa.update(Item).where(col(Item.id) == sa.bindparam("item"))
    if answers:
        session.connection().execute(
            of_item.values(n_live=Item.n_live + sa.bindparam("n"), n_done=Item.n_done + sa.bindparam("n")),
            [{"item": item, "n": n} for item, n in answers.items()],
        )
