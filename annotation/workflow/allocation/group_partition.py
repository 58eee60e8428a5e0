"""Partition of groups of items over several projects, so that no annotator meets a group in two of them. Pure.

Annotators and groups have bins; `slots[(annotator's bin + group's bin) % m]` names the project in which an annotator
may meet a group. So the annotators of every group are split among the projects in the proportion of the slots.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

MAX_SLOTS = 60
"""The most bins, which are listed in the query for every next item; with more annotators, some share a bin."""

UNRESTRICTED = -1
"""The bin of groups that are in one project only: every annotator may meet them."""


@dataclass(frozen=True, kw_only=True)
class GroupDemand:
    """What a project needs: for each of its groups, how many annotators who do not meet it in another of the projects.

    `unavailable` are groups that another of the projects shows to everybody, so that nobody is left for this one.
    """

    project: int
    needs: Mapping[str, int]
    unavailable: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class GroupShortage:
    """How many groups of a project get too few annotators, and how many judgements are missing in all."""

    project: int
    groups: int
    missing_judgements: int


def find_shared_groups(demands: Sequence[GroupDemand]) -> frozenset[str]:
    """The groups that are in more than one project."""
    counts = Counter(group for demand in demands for group in demand.needs)
    return frozenset(group for group, count in counts.items() if count > 1)


def apportion_slots(demands: Sequence[GroupDemand], *, annotators: int) -> tuple[int, ...]:
    """The slots, as one project id each: every slot goes to the project where it gains most judgements, spare ones to
    the project with the least to spare.

    Each further slot of a project gains no more than the one before, so this greedy choice is optimal.
    """
    size = min(annotators, MAX_SLOTS)
    shared_groups = find_shared_groups(demands)
    wanted = {
        demand.project: Counter(need for group, need in demand.needs.items() if group in shared_groups)
        for demand in demands
    }
    slot_counts = dict.fromkeys(wanted, 0)
    for _ in range(size):
        best = max(
            slot_counts,
            key=lambda project: (*_compute_gain(wanted[project], slot_counts[project], annotators / size), -project),
        )
        slot_counts[best] += 1
    return _spread_slots(slot_counts, size)


def _compute_gain(needs: Mapping[int, int], slots: int, annotators_per_slot: float) -> tuple[float, float]:
    """How many judgements one more slot gains, and the largest need divided by the slots after it."""
    reached, reached_with_one_more = slots * annotators_per_slot, (slots + 1) * annotators_per_slot
    gain = sum(
        number * (max(0.0, need - reached) - max(0.0, need - reached_with_one_more)) for need, number in needs.items()
    )
    return gain, max(needs, default=0) / (slots + 1)


def _spread_slots(slot_counts: Mapping[int, int], size: int) -> tuple[int, ...]:
    """The slots with those of each project spread evenly, since bins are filled one after another."""
    positions = [
        ((index + 0.5) * size / number, project) for project, number in slot_counts.items() for index in range(number)
    ]
    return tuple(project for _, project in sorted(positions))


def assign_bins(groups: Iterable[str], *, size: int, seed: int) -> dict[str, int]:
    """A random bin for every group, with bins of equal size as far as possible; the same for the same seed."""
    ordered = sorted(groups, key=lambda group: (_hash_group(seed, group), group))
    return {group: index % size for index, group in enumerate(ordered)}


def compute_late_bin(group: str, *, size: int, seed: int) -> int:
    """The bin of a group that was added after the groups were allocated."""
    return int.from_bytes(_hash_group(seed, group)[:8], "big") % size


def _hash_group(seed: int, group: str) -> bytes:
    return hashlib.sha256(f"{seed}\x1f{group}".encode()).digest()


def list_allowed_bins(slots: Sequence[int], *, project: int, annotator_bin: int) -> tuple[int, ...]:
    """The bins of the groups that an annotator of this bin may meet in the project."""
    size = len(slots)
    return (
        UNRESTRICTED,
        *(group_bin for group_bin in range(size) if slots[(annotator_bin + group_bin) % size] == project),
    )


def choose_bin(counts: Mapping[int, int], *, size: int) -> int:
    """The bin of the next annotator: the first of those with the fewest annotators."""
    return min(range(size), key=lambda bin_: (counts.get(bin_, 0), bin_))


def find_shortages(
    demands: Sequence[GroupDemand], slots: Sequence[int], group_bins: Mapping[str, int], *, annotators: int
) -> tuple[GroupShortage, ...]:
    """The projects in which groups get too few of the `annotators`, in the order of the demands."""
    size = len(slots)
    bin_sizes = [annotators // size + (bin_ < annotators % size) for bin_ in range(size)]
    shortages = []
    for demand in demands:
        reachable = [
            sum(
                bin_sizes[annotator_bin]
                for annotator_bin in range(size)
                if slots[(annotator_bin + group) % size] == demand.project
            )
            for group in range(size)
        ]
        missing = [
            need - _count_annotators(group, demand, group_bins, reachable, annotators)
            for group, need in demand.needs.items()
            if need > _count_annotators(group, demand, group_bins, reachable, annotators)
        ]
        if missing:
            shortages.append(
                GroupShortage(project=demand.project, groups=len(missing), missing_judgements=sum(missing))
            )
    return tuple(shortages)


def _count_annotators(
    group: str, demand: GroupDemand, group_bins: Mapping[str, int], reachable: Sequence[int], annotators: int
) -> int:
    if group in demand.unavailable:
        return 0
    bin_ = group_bins.get(group, UNRESTRICTED)
    return annotators if bin_ == UNRESTRICTED else reachable[bin_]
