"""Groups shared out among people over several projects, before the first item is served."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.campaigns import project as project_files
from annotation.errors import BadInput, Conflict, Where
from annotation.store import journal, overlap_counts
from annotation.store.models import Allotment, AllottedPerson, AllottedProject, Item, Project
from annotation.vocabulary import Event, ProjectStatus
from annotation.workflow.allocation import group_partition


@dataclass(frozen=True, kw_only=True)
class Share:
    """What an allotment gives a project: groups that it shares, the people each of them gets, and what is missing."""

    project: str
    groups: int
    people: int
    short: int
    missing: int


def allot(session: Session, *, projects: Sequence[Project], people: int, seed: int, now: datetime) -> tuple[Share, ...]:
    """Share out the groups of projects that are not started; an earlier allotment of theirs is replaced.

    Raises BadInput for fewer than two projects or people, Conflict where one is started already.
    """
    ids = [project.id or 0 for project in projects]
    if len(set(ids)) < 2 or people < 2:
        raise BadInput(
            "There is nothing to share out.", where=Where(field="people"), remedy="Name two projects, and --people."
        )
    _refuse_started(projects)
    _forget(session, ids)
    demands = _demands(session, projects)
    made = Allotment(
        slots=list(group_partition.apportion(demands, people=people)), people=people, seed=seed, created_at=now
    )
    session.add(made)
    session.flush()
    session.add_all(AllottedProject(project_id=one, allotment_id=made.id or 0) for one in ids)
    session.flush()
    found = group_partition.bins(group_partition.shared(demands), size=len(made.slots), seed=seed)
    _store(session, ids, found)
    shares = _shares(projects, demands, made, found)
    told = [{"project": one.project, "groups": one.groups, "short": one.short} for one in shares]
    data = {"people": people, "seed": seed, "slots": made.slots, "projects": told}
    for one in ids:
        journal.record(session, Event.GROUPS_ALLOTTED, now=now, project_id=one, data=data)
    return shares


def bins(session: Session, *, annotator_id: int, project_id: int) -> tuple[int, ...] | None:
    """The bins of the groups that a person may meet in a project; None where there is no allotment to keep to.

    A project that lists all the others under `exposure.exceptions` keeps to none. A person gets her own bin at her
    first item, one of those with the fewest people.
    """
    allotted = session.get(AllottedProject, project_id)
    if allotted is None or _excepted(session, project_id, allotted.allotment_id):
        return None
    made = session.get_one(Allotment, allotted.allotment_id)
    person = session.get(AllottedPerson, (made.id, annotator_id))
    if person is None:
        chosen = select(AllottedPerson.bin, func.count()).where(AllottedPerson.allotment_id == made.id)
        counts = dict(session.exec(chosen.group_by(col(AllottedPerson.bin))).all())
        mine = group_partition.next_bin(counts, size=len(made.slots))
        person = AllottedPerson(allotment_id=made.id or 0, annotator_id=annotator_id, bin=mine)
        session.add(person)
        session.flush()
    return group_partition.allowed(made.slots, project=project_id, person=person.bin)


def shares(session: Session, *, project_id: int) -> tuple[Share, ...]:
    """What the allotment of a project gives it and the others as their items are now; nothing where there is none."""
    allotted = session.get(AllottedProject, project_id)
    if allotted is None:
        return ()
    made = session.get_one(Allotment, allotted.allotment_id)
    chosen = select(Project).join(AllottedProject).where(AllottedProject.allotment_id == made.id)
    projects = session.exec(chosen.order_by(col(Project.id))).all()
    demands = _demands(session, projects)
    known = select(Item.group_id, Item.bin).where(col(Item.project_id).in_([one.id for one in projects]))
    placed = session.exec(known.where(col(Item.bin).is_not(None)).distinct()).all()
    return _shares(projects, demands, made, {group: one for group, one in placed if one is not None})


def excepted(session: Session, *, project_id: int) -> bool:
    """Whether the project lists all the others of its allotment under `exposure.exceptions`."""
    allotted = session.get(AllottedProject, project_id)
    return allotted is not None and _excepted(session, project_id, allotted.allotment_id)


def include(session: Session, project: Project) -> None:
    """Give a bin to the items that came into an allotted project after its groups were shared out."""
    allotted = session.get(AllottedProject, project.id)
    if allotted is None:
        return
    made = session.get_one(Allotment, allotted.allotment_id)
    together = select(AllottedProject.project_id).where(AllottedProject.allotment_id == made.id)
    ids = list(session.exec(together))
    bare = select(Item.group_id).where(Item.project_id == project.id, col(Item.bin).is_(None))
    fresh = sorted(set(session.exec(bare.where(col(Item.pool).in_(overlap_counts.PLACED)))))
    mates = select(Item.group_id, func.max(Item.bin), func.count(func.distinct(col(Item.project_id)))).where(
        col(Item.project_id).in_(ids), col(Item.pool).in_(overlap_counts.PLACED)
    )
    found: dict[str, int] = {}
    for group, known, projects in session.exec(mates.group_by(col(Item.group_id))):
        if group in fresh:
            late = group_partition.late_bin(group, size=len(made.slots), seed=made.seed)
            kept = group_partition.EVERYBODY if known is None else known
            found[group] = late if kept == group_partition.EVERYBODY and projects > 1 else kept
    _place(session, ids, found)


def _refuse_started(projects: Sequence[Project]) -> None:
    started = [project.name for project in projects if project.status is not ProjectStatus.LOADED]
    if started:
        raise Conflict(
            f"{', '.join(started)} is started: groups are shared out before the first item is served.",
            where=Where(field="projects"),
            remedy="Allot projects that are loaded and not started.",
        )


def _forget(session: Session, ids: Sequence[int]) -> None:
    """Take the projects out of earlier allotments, and with them the projects that they were shared with."""
    chosen = select(AllottedProject.allotment_id).where(col(AllottedProject.project_id).in_(ids)).distinct()
    for old in session.exec(chosen).all():
        members = select(Project).join(AllottedProject).where(AllottedProject.allotment_id == old)
        _refuse_started(session.exec(members.order_by(col(Project.id))).all())
        connection = session.connection()
        theirs = sa.select(col(AllottedProject.project_id)).where(col(AllottedProject.allotment_id) == old)
        connection.execute(sa.update(Item).where(col(Item.project_id).in_(theirs)).values(bin=None))
        connection.execute(sa.delete(AllottedProject).where(col(AllottedProject.allotment_id) == old))
        connection.execute(sa.delete(AllottedPerson).where(col(AllottedPerson.allotment_id) == old))
        connection.execute(sa.delete(Allotment).where(col(Allotment.id) == old))
    session.expire_all()


def _demands(session: Session, projects: Sequence[Project]) -> list[group_partition.Demand]:
    placed = {project.id: _groups(session, project, placed=True) for project in projects}
    shown = {project.id: frozenset(_groups(session, project, placed=False)) for project in projects}
    found = []
    for project in projects:
        baseline = project_files.definition_of(project.definition).kind == "baseline"
        overlap = project.overlap_max or project.overlap or 0
        needs = {group: overlap * (items if baseline else 1) for group, items in placed[project.id].items()}
        others = frozenset(group for one, groups in shown.items() if one != project.id for group in groups)
        lost = others & needs.keys() if baseline else frozenset()
        found.append(group_partition.Demand(project=project.id or 0, needs=needs, lost=lost))
    return found


def _groups(session: Session, project: Project, *, placed: bool) -> dict[str, int]:
    """How many items each group has in the pools that have places, or in those that everybody meets."""
    chosen = select(Item.group_id, func.count()).where(Item.project_id == project.id)
    pools = col(Item.pool).in_(overlap_counts.PLACED)
    return dict(session.exec(chosen.where(pools if placed else ~pools).group_by(col(Item.group_id))).all())


def _shares(
    projects: Sequence[Project], demands: Sequence[group_partition.Demand], made: Allotment, found: dict[str, int]
) -> tuple[Share, ...]:
    short = {one.project: one for one in group_partition.shortages(demands, made.slots, found, people=made.people)}
    both = group_partition.shared(demands)
    return tuple(
        Share(
            project=project.name,
            groups=len(both & demand.needs.keys()),
            people=made.slots.count(demand.project) * made.people // len(made.slots),
            short=short[demand.project].groups if demand.project in short else 0,
            missing=short[demand.project].missing if demand.project in short else 0,
        )
        for project, demand in zip(projects, demands, strict=True)
    )


def _store(session: Session, ids: Sequence[int], found: dict[str, int]) -> None:
    mine = sa.update(Item).where(col(Item.project_id).in_(ids), col(Item.pool).in_(overlap_counts.PLACED))
    session.connection().execute(mine.values(bin=group_partition.EVERYBODY))
    _place(session, ids, found)


def _place(session: Session, ids: Sequence[int], found: dict[str, int]) -> None:
    rows = [{"group": group, "to": one, "project": project} for group, one in found.items() for project in ids]
    if rows:
        placed = sa.update(Item).where(
            col(Item.group_id) == sa.bindparam("group"),
            col(Item.project_id) == sa.bindparam("project"),
            sa.or_(*(col(Item.pool) == pool for pool in overlap_counts.PLACED)),
        )
        session.connection().execute(placed.values(bin=sa.bindparam("to")), rows)
    session.expire_all()


def _excepted(session: Session, project_id: int, allotment_id: int) -> bool:
    project = session.get_one(Project, project_id)
    exposure = project_files.definition_of(project.definition).exposure
    chosen = select(Project.name).join(AllottedProject).where(AllottedProject.allotment_id == allotment_id)
    others = set(session.exec(chosen)) - {project.name}
    return exposure is not None and others <= set(exposure.exceptions)
