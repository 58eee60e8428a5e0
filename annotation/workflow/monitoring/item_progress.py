"""The items of a project one by one: answers, time, reports, and the votes where they may be seen."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlmodel import Session, col, func, select

from annotation.store import judgements
from annotation.store.models import Assignment, Item, Judgement, Project, Report
from annotation.vocabulary import Pool

PAGE_SIZE = 50
"""How many items a page lists."""


@dataclass(frozen=True, kw_only=True)
class ItemTally:
    """One main item: `done` of its `needed` answers are there; `seconds` is the median time of an answer.

    `reports` counts open reports, `skips` skipped answers, `votes` the answers that count by their text; they are empty
    where they are not to be seen.
    """

    item_id: str
    status: str
    done: int
    needed: int
    seconds: float | None
    skips: int
    reports: int
    votes: Mapping[str, int] = field(default_factory=dict)


def list_item_progress(
    session: Session, project: Project, *, after: str = "", with_votes: bool, size: int = PAGE_SIZE
) -> list[ItemTally]:
    """The main items whose ids come after `after`, in the order of their ids, at most `size`."""
    page = session.exec(
        select(Item)
        .where(Item.project_id == project.id, Item.pool == Pool.MAIN, col(Item.external_id) > after)
        .order_by(col(Item.external_id))
        .limit(size)
    ).all()
    return measure_items(session, page, with_votes=with_votes)


def list_reported_items(session: Session, project: Project, *, with_votes: bool) -> list[ItemTally]:
    """The main items with open reports, those with the most first, at most PAGE_SIZE."""
    number = func.count()
    reported = (
        select(Item.id)
        .join(Report, col(Report.item_id) == col(Item.id))
        .where(Item.project_id == project.id, Item.pool == Pool.MAIN, col(Report.resolved_at).is_(None))
        .group_by(col(Item.id), col(Item.external_id))
        .order_by(number.desc(), col(Item.external_id))
        .limit(PAGE_SIZE)
    )
    ids = list(session.exec(reported).all())
    items = {item.id: item for item in session.exec(select(Item).where(col(Item.id).in_(ids)))}
    return measure_items(session, [items[item_id] for item_id in ids], with_votes=with_votes)


def measure_items(session: Session, items: Sequence[Item], *, with_votes: bool) -> list[ItemTally]:
    """The counts of these items, in their order."""
    ids = [item.id for item in items]
    seconds: dict[int, list[float]] = defaultdict(list)
    skips: Counter[int] = Counter()
    votes: dict[int, Counter[str]] = defaultdict(Counter)
    answers = (
        select(Assignment.item_id, judgements.build_known_seconds(), Judgement.skip_reason, Judgement.response)
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            col(Assignment.item_id).in_(ids),
            judgements.build_final_revision_condition(),
            judgements.build_counting_condition(),
        )
    )
    for item_id, taken, skip_reason, response in session.exec(answers):
        if skip_reason is not None:
            skips[item_id] += 1
            continue
        if taken is not None:
            seconds[item_id].append(taken)
        if with_votes:
            votes[item_id][response] += 1
    reports = dict(
        session.exec(
            select(Report.item_id, func.count())
            .where(col(Report.item_id).in_(ids), col(Report.resolved_at).is_(None))
            .group_by(col(Report.item_id))
        ).all()
    )
    return [
        ItemTally(
            item_id=item.external_id,
            status=item.status.value,
            done=item.n_done,
            needed=item.free + item.held + item.n_live,
            seconds=statistics.median(seconds[item.id or 0]) if seconds[item.id or 0] else None,
            skips=skips[item.id or 0],
            reports=reports.get(item.id or 0, 0),
            votes=dict(sorted(votes[item.id or 0].items(), key=lambda vote: (-vote[1], vote[0]))),
        )
        for item in items
    ]
