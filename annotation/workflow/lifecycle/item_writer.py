"""Projects and their items written into the database: new ones, and what a plan changes of those that are there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.campaigns import project as project_files
from annotation.loading import campaign as campaigns
from annotation.store import overlap_counts
from annotation.store.models import Assignment, Item, Project, Reopened
from annotation.vocabulary import ItemStatus, Pool
from annotation.workflow.lifecycle import change_plan, row_builder

BATCH = 5_000

Progress = Callable[[float], None]
"""Called with the share that is done, from 0 to 1."""

Rows = Mapping[str, dict[str, Any]]
"""Items as they are stored, by external id."""


def rows_of(
    session: Session, known: Project, campaign: project_files.Campaign, contents: campaigns.Contents
) -> dict[str, dict[str, Any]]:
    """The items of a file as they would be stored; those that were fixed keep the revision that counted it."""
    revisions = dict(session.exec(select(Item.external_id, Item.revision).where(Item.project_id == known.id)).all())
    rows = row_builder.rows_of(campaign, contents)
    for name, row in rows.items():
        row["revision"] = max(row["revision"], revisions.get(name, 1))
    return rows


def plan(session: Session, known: Project, campaign: project_files.Campaign, rows: Rows) -> change_plan.Plan:
    """What would change of a project that is there."""
    items = session.exec(select(Item).where(Item.project_id == known.id).order_by(col(Item.rank)))
    handed = select(Assignment.item_id).join(Item).where(Item.project_id == known.id).distinct()
    met = set(session.exec(handed))
    keys = next(iter(rows.values()))
    stored = {
        item.external_id: change_plan.Stored(
            id=item.id or 0, met=item.id in met, row={key: getattr(item, key) for key in keys}
        )
        for item in items
    }
    before = project_files.definition_of(known.definition)
    return change_plan.plan(before, campaign.definition, stored, rows, started=known.started_at is not None)


def add(
    session: Session, *, columns: Mapping[str, Any], rows: Rows, now: datetime, progress: Progress | None
) -> Project:
    """A new project with its items, each with its places and its turn in a random order."""
    project = Project(**columns, created_at=now)
    session.add(project)
    session.flush()
    rings = row_builder.rings(_pools(rows), seed=_seed(project), after={})
    _insert(session, project, [row | {"ring": rings[name]} for name, row in rows.items()], progress=progress)
    return project


def change(
    session: Session,
    known: Project,
    changes: change_plan.Plan,
    *,
    rows: Rows,
    columns: Mapping[str, Any],
    now: datetime,
    progress: Progress | None,
) -> None:
    """Do what a plan says. Before the start places and order are dealt anew; after it, new items count on behind."""
    for name, value in columns.items():
        setattr(known, name, value)
    session.add(known)
    session.flush()
    ids, pools = _stored(session, known)
    _remove(session, [ids[name] for name in changes.removed])
    kept = [{"row": ids[name]} | rows[name] | {"bin": None} for name in sorted(changes.changed)]
    if kept:
        session.connection().execute(sa.update(Item).where(col(Item.id) == sa.bindparam("row")), kept)
    _renumber(session, [{"row": ids[name], "to": rows[name]["rank"]} for name in changes.moved], column="rank")
    started = known.started_at is not None
    after = _last(session, known) if started else {}
    dealt = [name for name, row in rows.items() if not started or pools.get(name) is not row["pool"]]
    rings = row_builder.rings(_pools({name: rows[name] for name in dealt}), seed=_seed(known), after=after)
    added = [rows[name] | {"ring": rings[name]} for name in changes.added]
    _insert(session, known, added, progress=progress)
    _renumber(session, [{"row": ids[name], "to": rings[name]} for name in dealt if name in ids], column="ring")
    settle(session, known)
    if started:
        overlap_counts.announce_from(session, project_id=known.id or 0, after=after, now=now)
    session.expire_all()


def settle(session: Session, project: Project) -> None:
    """Give the open items of a project the places that their pool and overlap give; after the start, those nobody met.

    Imported answers fill places too.
    """
    overlap = project.overlap or 0
    due = sa.case(
        (col(Item.pool).not_in(overlap_counts.PLACED), 0),
        (col(Item.n_live) >= overlap, 0),
        else_=overlap - col(Item.n_live),
    )
    chosen = sa.update(Item).where(col(Item.project_id) == project.id, col(Item.status) == ItemStatus.OPEN)
    if project.started_at is not None:
        chosen = chosen.where(~sa.exists().where(col(Assignment.item_id) == Item.id))
    session.connection().execute(chosen.values(free=due))


def _stored(session: Session, project: Project) -> tuple[dict[str, int], dict[str, Pool]]:
    """The database ids and the pools of the items, by external id."""
    chosen = select(Item.external_id, Item.id, Item.pool).where(Item.project_id == project.id)
    found = session.exec(chosen).all()
    return {name: one or 0 for name, one, _ in found}, {name: Pool(pool) for name, _, pool in found}


def _renumber(session: Session, rows: Sequence[dict[str, Any]], *, column: str) -> None:
    if rows:
        numbered = sa.update(Item).where(col(Item.id) == sa.bindparam("row")).values({column: sa.bindparam("to")})
        session.connection().execute(numbered, rows)


def _pools(rows: Rows) -> Iterable[tuple[str, Pool]]:
    return ((name, row["pool"]) for name, row in rows.items())


def _seed(project: Project) -> int:
    return project_files.definition_of(project.definition).seed


def _last(session: Session, project: Project) -> dict[Pool, int]:
    """The next number in the order of each pool."""
    chosen = select(Item.pool, func.max(Item.ring)).where(Item.project_id == project.id).group_by(col(Item.pool))
    return {Pool(pool): last + 1 for pool, last in session.exec(chosen)}


def _remove(session: Session, ids: Sequence[int]) -> None:
    """Remove items that nobody has met."""
    gone = [{"row": one} for one in ids]
    if gone:
        connection = session.connection()
        connection.execute(sa.delete(Reopened).where(col(Reopened.item_id) == sa.bindparam("row")), gone)
        connection.execute(sa.delete(Item).where(col(Item.id) == sa.bindparam("row")), gone)


def _insert(session: Session, project: Project, rows: Sequence[dict[str, Any]], *, progress: Progress | None) -> None:
    whole = {"project_id": project.id, "n_live": 0, "n_done": 0}
    for start in range(0, len(rows), BATCH):
        batch = [
            row | whole | {"free": row_builder.places(row["pool"], project.overlap)}
            for row in rows[start : start + BATCH]
        ]
        session.connection().execute(sa.insert(Item), batch)
        if progress is not None:
            progress(min(1.0, (start + BATCH) / len(rows)))
