"""Allocation of the item groups that several projects share: which annotators may meet a group in which project.

An allocation is made before its projects start. It has a list of slots, and a slot is the id of a project. Every shared
group and every annotator gets a bin, which is an index into this list. An annotator may meet a shared group only in the
project of the slot (annotator's bin + group's bin) modulo the number of slots (`list_allowed_bins`).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.campaigns import project_file
from annotation.errors import BadInput, Conflict, Where
from annotation.store import journal, overlap_counts
from annotation.store.models import AllocatedAnnotator, AllocatedProject, GroupAllocation, Item, Project
from annotation.vocabulary import POOLS_WITH_OVERLAP, Event, ProjectStatus

MAX_SLOTS = 60
"""The largest number of slots, and so of bins, since the query for every next item lists bins.

With more annotators than this, several annotators share a bin.
"""

UNRESTRICTED_BIN = -1
"""The bin of groups that only one project has. Every annotator may meet them."""


@dataclass(frozen=True, kw_only=True)
class GroupDemand:
    """How many annotators a project needs for each of its groups; `project` is its database id.

    `unavailable` has the groups that another project shows to all annotators. No annotator is left for them here.
    """

    project: int
    needs: Mapping[str, int]
    unavailable: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class GroupShortage:
    """How many groups of a project get too few annotators, and how many judgements they lack in all."""

    project: int
    groups: int
    missing_judgements: int


def find_shared_groups(demands: Sequence[GroupDemand]) -> frozenset[str]:
    """The groups that are in more than one project."""
    counts = Counter(group for demand in demands for group in demand.needs)
    return frozenset(group for group, count in counts.items() if count > 1)


def apportion_slots(demands: Sequence[GroupDemand], *, annotators: int) -> tuple[int, ...]:
    """Return the slots: project ids, as many as there are annotators, but at most MAX_SLOTS.

    Each slot in turn goes to the project that gains the most judgements by it. If several projects gain the same, it
    goes to the one whose largest need, divided by its number of slots with this one, is highest, and then to the lowest
    id. A project never gains more by a slot than by the one before, so this leaves the fewest judgements missing.
    """
    n_slots = min(annotators, MAX_SLOTS)
    shared_groups = find_shared_groups(demands)
    need_counts = {
        demand.project: Counter(need for group, need in demand.needs.items() if group in shared_groups)
        for demand in demands
    }
    slot_counts = dict.fromkeys(need_counts, 0)
    for _ in range(n_slots):
        best = max(
            slot_counts,
            key=lambda project: (
                *_compute_gain(need_counts[project], slot_counts[project], annotators / n_slots),
                -project,
            ),
        )
        slot_counts[best] += 1
    return _spread_slots(slot_counts)


def _compute_gain(need_counts: Mapping[int, int], n_slots: int, annotators_per_slot: float) -> tuple[float, float]:
    """Return how many judgements a project gains by one more slot, and its largest need per slot with that one.

    `need_counts` has the number of the project's groups by need. `n_slots` is the number of slots that it has so far.
    """
    reached, reached_with_one_more = n_slots * annotators_per_slot, (n_slots + 1) * annotators_per_slot
    gain = sum(
        n_groups * (max(0.0, need - reached) - max(0.0, need - reached_with_one_more))
        for need, n_groups in need_counts.items()
    )
    return gain, max(need_counts, default=0) / (n_slots + 1)


def _spread_slots(slot_counts: Mapping[int, int]) -> tuple[int, ...]:
    """Return the list of slots with the slots of each project spread evenly.

    The first annotators get the first bins. Next to each other, the slots of a project would all come early or late.
    """
    n_slots = sum(slot_counts.values())
    positions = [
        ((index + 0.5) * n_slots / count, project) for project, count in slot_counts.items() for index in range(count)
    ]
    return tuple(project for _, project in sorted(positions))


def assign_bins(groups: Iterable[str], *, size: int, seed: int) -> dict[str, int]:
    """Return a random bin for every group, out of `size` bins. The same seed gives the same bins.

    The numbers of groups in two bins differ by at most one.
    """
    ordered = sorted(groups, key=lambda group: (_hash_group(seed, group), group))
    return {group: index % size for index, group in enumerate(ordered)}


def compute_late_bin(group: str, *, size: int, seed: int) -> int:
    """Return the bin, out of `size` bins, of a group that became shared after the groups were allocated."""
    return int.from_bytes(_hash_group(seed, group)[:8], "big") % size


def _hash_group(seed: int, group: str) -> bytes:
    return hashlib.sha256(f"{seed}\x1f{group}".encode()).digest()


def list_allowed_bins(slots: Sequence[int], *, project: int, annotator_bin: int) -> tuple[int, ...]:
    """Return the bins of the groups that an annotator of the bin `annotator_bin` may meet in the project (its id)."""
    n_bins = len(slots)
    return (
        UNRESTRICTED_BIN,
        *(group_bin for group_bin in range(n_bins) if slots[(annotator_bin + group_bin) % n_bins] == project),
    )


def choose_bin(counts: Mapping[int, int], *, size: int) -> int:
    """Return the bin of the next annotator: the first of the `size` bins that has the fewest annotators.

    `counts` has the number of annotators by bin. It can omit empty bins.
    """
    return min(range(size), key=lambda bin_: (counts.get(bin_, 0), bin_))


def find_shortages(
    demands: Sequence[GroupDemand], slots: Sequence[int], group_bins: Mapping[str, int], *, annotators: int
) -> tuple[GroupShortage, ...]:
    """Return a shortage for each project in which groups get too few annotators, in the order of the demands.

    `group_bins` has bins by group, and a group without one is unrestricted. `annotators` is how many will take part.
    """
    n_bins = len(slots)
    bin_sizes = [annotators // n_bins + (bin_ < annotators % n_bins) for bin_ in range(n_bins)]
    shortages = []
    for demand in demands:
        annotators_by_bin = [
            sum(
                bin_sizes[annotator_bin]
                for annotator_bin in range(n_bins)
                if slots[(annotator_bin + group_bin) % n_bins] == demand.project
            )
            for group_bin in range(n_bins)
        ]
        missing = [
            need - _count_annotators(group, demand, group_bins, annotators_by_bin, annotators)
            for group, need in demand.needs.items()
            if need > _count_annotators(group, demand, group_bins, annotators_by_bin, annotators)
        ]
        if missing:
            shortages.append(
                GroupShortage(project=demand.project, groups=len(missing), missing_judgements=sum(missing))
            )
    return tuple(shortages)


def _count_annotators(
    group: str, demand: GroupDemand, group_bins: Mapping[str, int], annotators_by_bin: Sequence[int], annotators: int
) -> int:
    """Return how many annotators may meet a group in the project of the demand.

    `annotators_by_bin` has how many may meet a group of each bin in this project. `annotators` is how many take part.
    """
    if group in demand.unavailable:
        return 0
    bin_ = group_bins.get(group, UNRESTRICTED_BIN)
    return annotators if bin_ == UNRESTRICTED_BIN else annotators_by_bin[bin_]


@dataclass(frozen=True, kw_only=True)
class ProjectShare:
    """What a project gets by an allocation.

    `shared_groups` counts the project's groups that another project of the allocation also has. `annotators_per_group`
    is how many annotators may meet such a group on average, rounded down; it ignores that nobody is left for a group
    that another project shows to all annotators. `short_groups` counts the groups with too few annotators.
    `missing_judgements` is how many judgements these groups lack together.
    """

    project: str
    shared_groups: int
    annotators_per_group: int
    short_groups: int
    missing_judgements: int


def allocate_groups(
    session: Session, *, projects: Sequence[Project], annotators: int, seed: int, now: datetime
) -> tuple[ProjectShare, ...]:
    """Allocate the groups of projects that have not started to this many annotators; return each project's share.

    This deletes earlier allocations of these projects, also for the other projects in them. Raises BadInput for fewer
    than two projects or annotators, and Conflict if one of the projects, or of those in an earlier allocation, has
    started.
    """
    ids = [project.id or 0 for project in projects]
    if len(set(ids)) < 2 or annotators < 2:
        raise BadInput(
            "Allocation needs at least two projects and two annotators.",
            where=Where(field="people"),
            remedy="Name two projects, and give --people 2 or more.",
        )
    _refuse_started(projects)
    _delete_allocations(session, ids)
    demands = _collect_demands(session, projects)
    allocation = GroupAllocation(
        slots=list(apportion_slots(demands, annotators=annotators)),
        people=annotators,
        seed=seed,
        created_at=now,
    )
    session.add(allocation)
    session.flush()
    session.add_all(AllocatedProject(project_id=project_id, allocation_id=allocation.id or 0) for project_id in ids)
    session.flush()
    group_bins = assign_bins(find_shared_groups(demands), size=len(allocation.slots), seed=seed)
    items_with_overlap = sa.update(Item).where(col(Item.project_id).in_(ids), col(Item.pool).in_(POOLS_WITH_OVERLAP))
    session.connection().execute(items_with_overlap.values(bin=UNRESTRICTED_BIN))
    _update_bins(session, ids, group_bins)
    shares = _build_shares(projects, demands, allocation, group_bins)
    entries = [
        {"project": share.project, "groups": share.shared_groups, "short": share.short_groups} for share in shares
    ]
    data = {"people": annotators, "seed": seed, "slots": allocation.slots, "projects": entries}
    for project_id in ids:
        journal.record_event(session, Event.GROUPS_ALLOCATED, now=now, project_id=project_id, data=data)
    return shares


def assign_allowed_bins(session: Session, *, annotator_id: int, project_id: int) -> tuple[int, ...] | None:
    """Return the bins of the groups that an annotator may meet in a project, or None if no allocation restricts it.

    An annotator without a bin gets one here, and it is stored: the first of the bins with the fewest annotators. A
    project that lists all other projects of its allocation under `exposure.exceptions` is not restricted.
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
        own_bin = choose_bin(counts, size=len(allocation.slots))
        allocated_annotator = AllocatedAnnotator(
            allocation_id=allocation.id or 0, annotator_id=annotator_id, bin=own_bin
        )
        session.add(allocated_annotator)
        session.flush()
    return list_allowed_bins(allocation.slots, project=project_id, annotator_bin=allocated_annotator.bin)


def list_shares(session: Session, *, project_id: int) -> tuple[ProjectShare, ...]:
    """Return the shares of all projects in the allocation of this project, for the items that are stored now.

    Empty if the project is in no allocation.
    """
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
    """Whether the project is in an allocation, and lists all others in it under `exposure.exceptions`."""
    allocated_project = session.get(AllocatedProject, project_id)
    return allocated_project is not None and _excepts_all_others(session, project_id, allocated_project.allocation_id)


def add_late_items(session: Session, project: Project) -> None:
    """Give bins to the groups of items that were added to a project after its groups were allocated.

    A group keeps the bin that it has. If its items are now in several projects, but it was not shared before, it gets a
    bin computed from its id; this also restricts its items that other projects of the allocation had already.
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
            late_bin = compute_late_bin(group, size=len(allocation.slots), seed=allocation.seed)
            old_bin = UNRESTRICTED_BIN if stored_bin is None else stored_bin
            assigned[group] = late_bin if old_bin == UNRESTRICTED_BIN and projects > 1 else old_bin
    _update_bins(session, ids, assigned)


def _refuse_started(projects: Sequence[Project]) -> None:
    started = [project.name for project in projects if project.status is not ProjectStatus.LOADED]
    if started:
        raise Conflict(
            f"Groups cannot be allocated after the start. Started: {', '.join(started)}.",
            where=Where(field="projects"),
            remedy="Allocate projects before they start, together with all projects of an earlier allocation.",
        )


def _delete_allocations(session: Session, ids: Sequence[int]) -> None:
    """Delete the earlier allocations that contain one of the projects, also for the other projects in them.

    Raises Conflict if any project in such an allocation has started.
    """
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


def _collect_demands(session: Session, projects: Sequence[Project]) -> list[GroupDemand]:
    """Return how many annotators each group of each project needs: the overlap, in a baseline for each of its items.

    In a baseline an annotator meets a group once, so every further item of a group needs further annotators.
    """
    shown_to_all = {project.id: _list_shown_groups(session, project) for project in projects}
    demands = []
    for project in projects:
        definition = project_file.parse_definition(project.definition)
        is_baseline, needs = definition.kind == "baseline", _count_needs(session, project, definition)
        shown_elsewhere = frozenset(
            group for project_id, groups in shown_to_all.items() if project_id != project.id for group in groups
        )
        unavailable = shown_elsewhere & needs.keys() if is_baseline else frozenset()
        demands.append(GroupDemand(project=project.id or 0, needs=needs, unavailable=unavailable))
    return demands


def _count_needs(session: Session, project: Project, definition: project_file.ProjectFile) -> dict[str, int]:
    """Return how many annotators each group with an overlap needs; an item of the overlap sample needs more of them."""
    most = sa.literal(project.overlap_max or project.overlap or 0)
    n_answers = most if definition.sampled_overlap is None else overlap_counts.N_PLACES
    n_people = func.sum(n_answers) if definition.kind == "baseline" else func.max(n_answers)
    groups = select(Item.group_id, n_people).where(Item.project_id == project.id)
    return dict(session.exec(groups.where(col(Item.pool).in_(POOLS_WITH_OVERLAP)).group_by(col(Item.group_id))).all())


def _list_shown_groups(session: Session, project: Project) -> frozenset[str]:
    """Return the groups of the pools that all annotators meet: training, qualification and control items."""
    groups = select(Item.group_id).where(Item.project_id == project.id, col(Item.pool).not_in(POOLS_WITH_OVERLAP))
    return frozenset(session.exec(groups.distinct()).all())


def _build_shares(
    projects: Sequence[Project],
    demands: Sequence[GroupDemand],
    allocation: GroupAllocation,
    group_bins: dict[str, int],
) -> tuple[ProjectShare, ...]:
    """Return the share of each project. `demands` are in the order of `projects`; `group_bins` has bins by group."""
    shortages = {
        shortage.project: shortage
        for shortage in find_shortages(demands, allocation.slots, group_bins, annotators=allocation.people)
    }
    shared = find_shared_groups(demands)
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
    """Whether the project lists all other projects of the allocation under `exposure.exceptions`."""
    project = session.get_one(Project, project_id)
    exposure = project_file.parse_definition(project.definition).exposure
    names = select(Project.name).join(AllocatedProject).where(AllocatedProject.allocation_id == allocation_id)
    others = set(session.exec(names)) - {project.name}
    return exposure is not None and others <= set(exposure.exceptions)
