"""Offers: what an annotator can still get in each project and programme, or why they get nothing there.

The items are counted by the conditions of the item queue. Where a project has hidden items (control items and repeats),
the number is that of the countdown, so that it does not tell them from main ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.store import item_queue
from annotation.store.models import Assignment, Item
from annotation.vocabulary import AssignmentStatus, Pool, Stage, Surface, UnassignedReason
from annotation.workflow.assignments import annotator_context, countdown, leases, next_item, own_progress
from annotation.workflow.assignments.annotator_context import AnnotatorContext, AnnotatorTransaction
from annotation.workflow.assignments.own_progress import OwnProgress, ProgressState
from annotation.workflow.participations import NothingAssigned


class Refusal(StrEnum):
    """Why an annotator gets nothing in a project; of several projects of a programme the first of these is told.

    LATER ends without anybody's action. TAKEN: no item has a free place. ANSWERED: they had all there are for them.
    MET: the others are of groups that they met elsewhere. OTHERS: the rest is for other people, by a group allocation
    or by panels.
    """

    LATER = "later"
    PAUSED = "paused"
    FAILED = "failed"
    STOPPED = "stopped"
    QUOTA = "quota"
    LABEL_STUDIO = "label-studio"
    ANSWERED = "answered"
    MET = "met"
    OTHERS = "others"
    TAKEN = "taken"
    NOT_INVITED = "not-invited"
    LEFT = "left"
    CLOSED = "closed"


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What an annotator can get in a project, or in a programme as a whole.

    `key` is the `ProjectChoice.key`. `left` is how many items they can get, None for very many; it is 0 where there is
    a `refusal`, which ends at `until`, if that is known.
    """

    key: int
    title: str
    left: int | None = 0
    refusal: Refusal | None = None
    until: datetime | None = None


_REFUSALS = {
    UnassignedReason.NOT_ADMITTED: Refusal.NOT_INVITED,
    UnassignedReason.NOT_RUNNING: Refusal.PAUSED,
    UnassignedReason.SUSPENDED: Refusal.STOPPED,
    UnassignedReason.PAUSED: Refusal.STOPPED,
    UnassignedReason.EXCLUDED: Refusal.STOPPED,
    UnassignedReason.FAILED: Refusal.FAILED,
    UnassignedReason.COOL_DOWN: Refusal.LATER,
    UnassignedReason.WITHDRAWN: Refusal.LEFT,
    UnassignedReason.CAP: Refusal.QUOTA,
    UnassignedReason.QUOTA: Refusal.QUOTA,
}
_NOT_RUNNING = {ProgressState.PAUSED: Refusal.PAUSED, ProgressState.CLOSED: Refusal.CLOSED}
_MANY = item_queue.MOST_COUNTED


def list_offers(transaction: AnnotatorTransaction, *, now: datetime) -> tuple[Offer, ...]:
    """An offer for each project and programme that is open to the annotator, then for those they joined that are not.

    Nothing is changed: what the annotator would be given in a project that they have not entered is tried and undone.
    """
    eligibility = next_item.get_eligibility(transaction, now=now)
    listed = own_progress.list_own_progress(transaction, now=now)
    measured = _measure_projects(
        transaction, [one.project for one in eligibility.open_projects if not one.is_full], listed, now=now
    )
    parts: dict[int, list[Offer]] = {}
    for member in eligibility.open_projects:
        key = member.project if member.programme is None else -member.programme
        offer = measured.get(member.project, Offer(key=key, title="", refusal=Refusal.QUOTA))
        parts.setdefault(key, []).append(replace(offer, key=key, title=member.title))
    for progress in listed:
        if (refusal := _NOT_RUNNING.get(progress.state)) is not None:
            title = progress.programme or progress.title
            parts.setdefault(progress.key, []).append(Offer(key=progress.key, title=title, refusal=refusal))
    return tuple(map(_combine, parts.values()))


def _combine(offers: Sequence[Offer]) -> Offer:
    """The offer of a programme: all that its projects have, or the first reason why they have nothing."""
    given = [offer for offer in offers if offer.refusal is None]
    if given:
        counts = [offer.left for offer in given]
        left = None if None in counts else sum(count or 0 for count in counts)
        return replace(given[0], left=None if left is None or left > _MANY else left)
    order = list(Refusal)
    return min(
        offers, key=lambda offer: (order.index(offer.refusal or Refusal.LATER), offer.until is None, offer.until)
    )


def _measure_projects(
    transaction: AnnotatorTransaction, project_ids: Sequence[int], listed: Sequence[OwnProgress], *, now: datetime
) -> Mapping[int, Offer]:
    """The offers of running projects by id; the entry into a project, and what follows from it, is undone."""
    session, progress_by_id = transaction.session, {progress.project_id: progress for progress in listed}
    savepoint = session.begin_nested()
    try:
        leases.expire_leases(session, now=now, except_annotator_id=transaction.annotator_id)
        trial = annotator_context.lock_annotator(session, transaction.annotator_id)
        return {
            project_id: _measure_project(trial, project_id, progress_by_id.get(project_id), now=now)
            for project_id in project_ids
        }
    finally:
        savepoint.rollback()
        session.expire_all()


def _measure_project(
    transaction: AnnotatorTransaction, project_id: int, progress: OwnProgress | None, *, now: datetime
) -> Offer:
    offer = Offer(key=project_id, title="")
    session, context = transaction.session, annotator_context.load_context(transaction, project_id=project_id, now=now)
    if isinstance(context, NothingAssigned):
        return replace(offer, refusal=_REFUSALS[context.reason])
    obstacle = next_item.find_project_obstacle(session, context, now=now)
    if obstacle is None or obstacle.reason not in _REFUSALS:  # what they can agree to keeps nobody from the items
        obstacle = next_item.find_cap(context, now=now)
    if obstacle is not None:
        refusal = _REFUSALS[obstacle.reason] if obstacle.until is None else Refusal.LATER
        return replace(offer, refusal=refusal, until=obstacle.until)
    live = _count_live(session, context, Surface.TELEGRAM)
    left = _count_items(session, context, progress)
    if not left and not live and next_item.find_due_repeat(session, context, now=now) is None:
        return replace(offer, refusal=_explain_nothing(session, context))
    return replace(offer, left=_limit(context, left + live, progress))


def _count_items(session: Session, context: AnnotatorContext, progress: OwnProgress | None) -> int:
    """How many items of the pilot and the main stage the annotator can get now, up to `_MANY` + 1."""
    pilot = context.definition.stages.pilot
    left = item_queue.count_items(session, next_item.build_queue_query(session, context, Pool.MAIN))
    if pilot is None or context.participation.stage is Stage.MAIN:
        return left
    items = item_queue.count_items(session, next_item.build_queue_query(session, context, Pool.PILOT))
    done = progress.done if progress is not None and context.participation.stage is Stage.PILOT else 0
    return left + (items if pilot.number is None else min(items, max(0, pilot.number - done)))


def _limit(context: AnnotatorContext, left: int, progress: OwnProgress | None) -> int | None:
    """The number that is told: no more than caps and quotas allow, and that of the countdown where items are hidden."""
    if countdown.has_hidden_items(context.definition) and progress is not None and progress.preparing is None:
        return None if progress.total is None else max(1, progress.total - progress.done)
    limits = countdown.list_own_limits(context, Stage.MAIN)
    left = min([left, *(max(1, limit - context.participation.answered) for limit in limits)])
    return None if left > _MANY else left


def _count_live(session: Session, context: AnnotatorContext, surface: Surface) -> int:
    live = select(sa.func.count()).where(
        Assignment.annotator_id == context.annotator_id,
        Assignment.project_id == context.project_id,
        Assignment.status == AssignmentStatus.LIVE,
        Assignment.surface == surface,
    )
    return session.exec(live).one()


def _explain_nothing(session: Session, context: AnnotatorContext) -> Refusal:
    """Why no item of the project is left for the annotator."""
    if _count_live(session, context, Surface.LABEL_STUDIO):
        return Refusal.LABEL_STUDIO
    query = next_item.build_queue_query(session, context, Pool.MAIN)
    open_items = select(Item.id).where(
        Item.project_id == context.project_id, Item.pool == Pool.MAIN, col(Item.free) > 0
    )
    if session.exec(open_items.limit(1)).first() is None:
        return Refusal.TAKEN
    if item_queue.count_items(session, replace(query, blind=False)):
        return Refusal.MET
    return (
        Refusal.OTHERS if item_queue.count_items(session, replace(query, bins=None, quota=None)) else Refusal.ANSWERED
    )
