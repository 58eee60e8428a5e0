"""Votes of one person on one item, given more than once: which of them counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.loading.drafts import VoteDraft
from annotation.store.models import Assignment, Item, Judgement, Project
from annotation.vocabulary import Repeats

LATER = "repeat, the last counts"

Pair = tuple[int, int]
"""Item id and annotator id."""

Placed = tuple[int, int, int, VoteDraft]
"""Item id, annotator id, occasion, vote."""


def settle(
    session: Session, project: Project, placed: Sequence[tuple[int, int, VoteDraft]], *, policy: Repeats
) -> tuple[int, list[Placed]]:
    """Number the occasions and exclude the repeats that the policy does not count; how many votes repeat, and all.

    Only votes that would count can repeat each other: an empty answer or a control task takes nobody's place.
    """
    occasions = Counter(_pairs(session, project))
    counting = set(_pairs(session, project, counting=True))
    last = {(item, who): index for index, (item, who, vote) in enumerate(placed) if vote.excluded is None}
    if policy is Repeats.LAST:
        _retire(session, [pair for pair in last if pair in counting])
    repeats, settled = 0, []
    for index, (item, who, vote) in enumerate(placed):
        pair, reason = (item, who), vote.excluded
        if reason is None:
            repeats += pair in counting
            reason = _repeat(policy, again=pair in counting, final=index == last[pair])
            counting.add(pair)
        settled.append(
            (item, who, occasions[pair], vote if reason == vote.excluded else replace(vote, excluded=reason))
        )
        occasions[pair] += 1
    return repeats, settled


def _repeat(policy: Repeats, *, again: bool, final: bool) -> str | None:
    """Why a vote that repeats another, or is repeated, does not count."""
    if policy is Repeats.FIRST and again:
        return "repeat, the first counts"
    return LATER if policy is Repeats.LAST and not final else None


def _pairs(session: Session, project: Project, *, counting: bool = False) -> dict[Pair, int]:
    """How often each person answered each item of the project before, in answers that count or in all."""
    chosen = select(Assignment.item_id, Assignment.annotator_id, func.count()).join(Item)
    if counting:
        chosen = chosen.join(Judgement).where(col(Judgement.excluded_reason).is_(None))
    grouped = chosen.where(Item.project_id == project.id).group_by(
        col(Assignment.item_id), col(Assignment.annotator_id)
    )
    return {(item, annotator): times for item, annotator, times in session.exec(grouped).all()}


def _retire(session: Session, pairs: Sequence[Pair]) -> None:
    """Exclude the answers that a later file repeats; nothing is removed, and their places open again."""
    for item, annotator in pairs:
        mine = select(Assignment.id).where(Assignment.item_id == item, Assignment.annotator_id == annotator)
        retired = session.connection().execute(
            sa.update(Judgement)
            .where(col(Judgement.assignment_id).in_(mine), col(Judgement.excluded_reason).is_(None))
            .values(excluded_reason=LATER)
        )
        session.connection().execute(sa.update(Assignment).where(col(Assignment.id).in_(mine)).values(holds=False))
        count(session, {item: -retired.rowcount})


def count(session: Session, answers: Mapping[int, int]) -> None:
    """Add to the answers that items have, by item id."""
    counted = sa.update(Item).where(col(Item.id) == sa.bindparam("item"))
    if answers:
        session.connection().execute(
            counted.values(n_live=Item.n_live + sa.bindparam("n"), n_done=Item.n_done + sa.bindparam("n")),
            [{"item": item, "n": n} for item, n in answers.items()],
        )
