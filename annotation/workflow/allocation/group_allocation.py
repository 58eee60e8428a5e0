"""Allocation of item groups that several projects share: which annotators may meet a group in which of the projects.

It is made before the first item is assigned. Every shared group and every annotator gets a bin (a number);
`group_partition` computes from both bins in which project the annotator may meet the group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.campaigns import project_file
from annotation.errors import BadInput, Conflict, Where
from annotation.store import journal
from annotation.store.models import AllocatedAnnotator, AllocatedProject, GroupAllocation, Item, Project
from annotation.vocabulary import POOLS_WITH_OVERLAP, Event, ProjectStatus
from annotation.workflow.allocation import group_partition


@dataclass(frozen=True, kw_only=True)
class ProjectShare:
    """What a project gets by an allocation.

    `shared_groups` counts its groups that other projects of the allocation have, too; `annotators_per_group` is how
    many annotators may meet each of them. `short_groups` counts groups with too few annotators, in which
    `missing_judgements` judgements are missing in all.
    """

    project: str
    shared_groups: int
    annotators_per_group: int
    short_groups: int
    missing_judgements: int


def allocate_groups(
    session: Session, *, projects: Sequence[Project], annotators: int, seed: int, now: datetime
) -> tuple[ProjectShare, ...]:
    """Allocate the groups of projects that are not started to a number of annotators; returns each project's share.

    Earlier allocations of the projects are deleted. Raises BadInput for fewer than two projects or annotators, Conflict
    where a project is started already.
    """
    ids = [project.id or 0 for project in projects]
    if len(set(ids)) < 2 or annotators < 2:
        raise BadInput(
            "There is nothing to share out.", where=Where(field="people"), remedy="Name two projects, and --people."
        )
    _refuse_started(projects)
    _delete_allocations(session, ids)
    demands = _collect_demands(session, projects)
    allocation = GroupAllocation(
        slots=list(group_partition.apportion_slots(demands, annotators=annotators)),
        people=annotators,
        seed=seed,
        created_at=now,
    )
    session.add(allocation)
    session.flush()
    session.add_all(AllocatedProject(project_id=project_id, allocation_id=allocation.id or 0) for project_id in ids)
    session.flush()
    group_bins = group_partition.assign_bins(
        group_partition.find_shared_groups(demands), size=len(allocation.slots), seed=seed
    )
    _write_bins(session, ids, group_bins)
    shares = _build_shares(projects, demands, allocation, group_bins)
    entries = [
        {"project": share.project, "groups": share.shared_groups, "short": share.short_groups} for share in shares
    ]
    data = {"people": annotators, "seed": seed, "slots": allocation.slots, "projects": entries}
    for project_id in ids:
        journal.record_event(session, Event.GROUPS_ALLOCATED, now=now, project_id=project_id, data=data)
    return shares


def get_allowed_bins(session: Session, *, annotator_id: int, project_id: int) -> tuple[int, ...] | None:
    """The bins of the groups that an annotator may meet in a project; None where no allocation restricts the project.

    A project that lists all the others under `exposure.exceptions` is not restricted. The bin of the annotator is
    chosen at their first item: a bin with the fewest annotators.
    """
    allocated_project = session.get(AllocatedProject, project_id)
    if allocated_project is None or _excepts_all_others(session, project_id, allocated_project.allocation_id):
        return None
    allocation = session.get_one(GroupAllocation, allocated_project.allocation_id)
    allocated_annotator = session.get(AllocatedAnnotator, (allocation.id, annotator_id))
    if allocated_annotator is None:
        bin_counts = select(AllocatedAnnotator.bin, func.count()).where(
            AllocatedAnnotator.allocation_id == allocation.id
        )
        counts = dict(session.exec(bin_counts.group_by(col(AllocatedAnnotator.bin))).all())
        own_bin = group_partition.choose_bin(counts, size=len(allocation.slots))
        allocated_annotator = AllocatedAnnotator(
            allocation_id=allocation.id or 0, annotator_id=annotator_id, bin=own_bin
        )
        session.add(allocated_annotator)
        session.flush()
    return group_partition.list_allowed_bins(
        allocation.slots, project=project_id, annotator_bin=allocated_annotator.bin
    )


def list_shares(session: Session, *, project_id: int) -> tuple[ProjectShare, ...]:
    """The shares of all projects in the allocation of a project, for the items now stored; empty without allocation."""
    allocated_project = session.get(AllocatedProject, project_id)
    if allocated_project is None:
        return ()
    allocation = session.get_one(GroupAllocation, allocated_project.allocation_id)
    in_allocation = select(Project).join(AllocatedProject).where(AllocatedProject.allocation_id == allocation.id)
    projects = session.exec(in_allocation.order_by(col(Project.id))).all()
    demands = _collect_demands(session, projects)
    stored_bins = select(Item.group_id, Item.bin).where(col(Item.project_id).in_([project.id for project in projects]))
    rows = session.exec(stored_bins.where(col(Item.bin).is_not(None)).distinct()).all()
    return _build_shares(projects, demands, allocation, {group: bin_ for group, bin_ in rows if bin_ is not None})


def is_exempt(session: Session, *, project_id: int) -> bool:
    """Whether the project lists all the others of its allocation under `exposure.exceptions`."""
    allocated_project = session.get(AllocatedProject, project_id)
    return allocated_project is not None and _excepts_all_others(session, project_id, allocated_project.allocation_id)


def add_late_items(session: Session, project: Project) -> None:
    """Give bins to items that were added to a project after its groups were allocated.

    An item gets the bin that its group has in the allocation; a group that is newly shared by several projects gets a
    bin computed from its id.
    """
    allocated_project = session.get(AllocatedProject, project.id)
    if allocated_project is None:
        return
    allocation = session.get_one(GroupAllocation, allocated_project.allocation_id)
    in_allocation = select(AllocatedProject.project_id).where(AllocatedProject.allocation_id == allocation.id)
    ids = list(session.exec(in_allocation))
    without_bin = select(Item.group_id).where(Item.project_id == project.id, col(Item.bin).is_(None))
    new_groups = sorted(set(session.exec(without_bin.where(col(Item.pool).in_(POOLS_WITH_OVERLAP)))))
    group_bins = select(Item.group_id, func.max(Item.bin), func.count(func.distinct(col(Item.project_id)))).where(
        col(Item.project_id).in_(ids), col(Item.pool).in_(POOLS_WITH_OVERLAP)
    )
    assigned: dict[str, int] = {}
    for group, stored_bin, projects in session.exec(group_bins.group_by(col(Item.group_id))):
        if group in new_groups:
            late_bin = group_partition.compute_late_bin(group, size=len(allocation.slots), seed=allocation.seed)
            old_bin = group_partition.UNRESTRICTED_BIN if stored_bin is None else stored_bin
            assigned[group] = late_bin if old_bin == group_partition.UNRESTRICTED_BIN and projects > 1 else old_bin
    _update_bins(session, ids, assigned)


def _refuse_started(projects: Sequence[Project]) -> None:
    started = [project.name for project in projects if project.status is not ProjectStatus.LOADED]
    if started:
        raise Conflict(
            f"{', '.join(started)} is started: groups are shared out before the first item is served.",
            where=Where(field="projects"),
            remedy="Allocate projects that are loaded and not started.",
        )


def _delete_allocations(session: Session, ids: Sequence[int]) -> None:
    """Delete the earlier allocations that contain one of the projects; raises Conflict where one is started already."""
    allocations = select(AllocatedProject.allocation_id).where(col(AllocatedProject.project_id).in_(ids)).distinct()
    for allocation_id in session.exec(allocations).all():
        members = select(Project).join(AllocatedProject).where(AllocatedProject.allocation_id == allocation_id)
        _refuse_started(session.exec(members.order_by(col(Project.id))).all())
        connection = session.connection()
        project_ids = sa.select(col(AllocatedProject.project_id)).where(
            col(AllocatedProject.allocation_id) == allocation_id
        )
        connection.execute(sa.update(Item).where(col(Item.project_id).in_(project_ids)).values(bin=None))
        connection.execute(sa.delete(AllocatedProject).where(col(AllocatedProject.allocation_id) == allocation_id))
        connection.execute(sa.delete(AllocatedAnnotator).where(col(AllocatedAnnotator.allocation_id) == allocation_id))
        connection.execute(sa.delete(GroupAllocation).where(col(GroupAllocation.id) == allocation_id))
    session.expire_all()


def _collect_demands(session: Session, projects: Sequence[Project]) -> list[group_partition.GroupDemand]:
    """How many annotators each group of each project needs: its overlap, in baselines multiplied by its items."""
    item_counts = {project.id: _count_items(session, project, with_places=True) for project in projects}
    shown_to_all = {project.id: frozenset(_count_items(session, project, with_places=False)) for project in projects}
    demands = []
    for project in projects:
        is_baseline = project_file.parse_definition(project.definition).kind == "baseline"
        overlap = project.overlap_max or project.overlap or 0
        needs = {group: overlap * (n_items if is_baseline else 1) for group, n_items in item_counts[project.id].items()}
        shown_elsewhere = frozenset(
            group for project_id, groups in shown_to_all.items() if project_id != project.id for group in groups
        )
        unavailable = shown_elsewhere & needs.keys() if is_baseline else frozenset()
        demands.append(group_partition.GroupDemand(project=project.id or 0, needs=needs, unavailable=unavailable))
    return demands


def _count_items(session: Session, project: Project, *, with_places: bool) -> dict[str, int]:
    """How many items each group has in the pools with overlap places, or else in the pools that everybody meets."""
    groups = select(Item.group_id, func.count()).where(Item.project_id == project.id)
    pools = col(Item.pool).in_(POOLS_WITH_OVERLAP)
    return dict(session.exec(groups.where(pools if with_places else ~pools).group_by(col(Item.group_id))).all())


def _build_shares(
    projects: Sequence[Project],
    demands: Sequence[group_partition.GroupDemand],
    allocation: GroupAllocation,
    group_bins: dict[str, int],
) -> tuple[ProjectShare, ...]:
    """The share of each project; `demands` are in the order of `projects`, `group_bins` are bins by group."""
    shortages = {
        shortage.project: shortage
        for shortage in group_partition.find_shortages(
            demands, allocation.slots, group_bins, annotators=allocation.people
        )
    }
    shared = group_partition.find_shared_groups(demands)
    return tuple(
        ProjectShare(
            project=project.name,
            shared_groups=len(shared & demand.needs.keys()),
            annotators_per_group=allocation.slots.count(demand.project) * allocation.people // len(allocation.slots),
            short_groups=shortages[demand.project].groups if demand.project in shortages else 0,
            missing_judgements=shortages[demand.project].missing_judgements if demand.project in shortages else 0,
        )
        for project, demand in zip(projects, demands, strict=True)
    )


def _write_bins(session: Session, ids: Sequence[int], group_bins: dict[str, int]) -> None:
    """Store the bins of a new allocation; items of groups without a bin get the unrestricted one."""
    items_with_places = sa.update(Item).where(col(Item.project_id).in_(ids), col(Item.pool).in_(POOLS_WITH_OVERLAP))
    session.connection().execute(items_with_places.values(bin=group_partition.UNRESTRICTED_BIN))
    _update_bins(session, ids, group_bins)


def _update_bins(session: Session, ids: Sequence[int], group_bins: dict[str, int]) -> None:
    rows = [{"group": group, "to": bin_, "project": project} for group, bin_ in group_bins.items() for project in ids]
    if rows:
        items_of_group = sa.update(Item).where(
            col(Item.group_id) == sa.bindparam("group"),
            col(Item.project_id) == sa.bindparam("project"),
            sa.or_(*(col(Item.pool) == pool for pool in POOLS_WITH_OVERLAP)),
        )
        session.connection().execute(items_of_group.values(bin=sa.bindparam("to")), rows)
    session.expire_all()


def _excepts_all_others(session: Session, project_id: int, allocation_id: int) -> bool:
    """Whether the project lists all the other projects of the allocation under `exposure.exceptions`."""
    project = session.get_one(Project, project_id)
    exposure = project_file.parse_definition(project.definition).exposure
    names = select(Project.name).join(AllocatedProject).where(AllocatedProject.allocation_id == allocation_id)
    others = set(session.exec(names)) - {project.name}
    return exposure is not None and others <= set(exposure.exceptions)
