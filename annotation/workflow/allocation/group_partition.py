"""Partition of shared item groups: computes in which project an annotator may meet a group, never in two. Pure.

There are m bins, numbered from 0, and a list of m slots, each of which holds a project id. Every annotator and every
group has a bin, and the annotator may meet the group in the project `slots[(annotator's bin + group's bin) % m]`. So
the annotators of every group are split among the projects in the proportion of their slots.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

MAX_SLOTS = 60
"""The most slots and bins. The query for every next item lists bins; with more annotators, several share a bin."""

UNRESTRICTED_BIN = -1
"""The bin of groups that are in one project only, which every annotator may meet."""


@dataclass(frozen=True, kw_only=True)
class GroupDemand:
    """What a project (its database id) needs: by group, how many annotators who do not meet it in another project.

    `unavailable` are groups that another project shows to all annotators, so that no annotator is left for this one.
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
    """The slots: a project id for each, as many as there are annotators, at most MAX_SLOTS.

    One slot after the other goes to the project where it gains the most judgements; where no project gains any, to the
    project with the largest need for each of its slots. Each further slot of a project gains no more than the slot
    before, so this greedy choice is optimal.
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
    """How many judgements a project gains by one more slot, and its largest need divided by the slots it has then.

    `need_counts` is how many groups of the project have each need, `n_slots` how many slots the project has.
    """
    reached, reached_with_one_more = n_slots * annotators_per_slot, (n_slots + 1) * annotators_per_slot
    gain = sum(
        n_groups * (max(0.0, need - reached) - max(0.0, need - reached_with_one_more))
        for need, n_groups in need_counts.items()
    )
    return gain, max(need_counts, default=0) / (n_slots + 1)


def _spread_slots(slot_counts: Mapping[int, int]) -> tuple[int, ...]:
    """The list of slots; the slots of each project are spread evenly, since bins are filled one after another."""
    n_slots = sum(slot_counts.values())
    positions = [
        ((index + 0.5) * n_slots / count, project) for project, count in slot_counts.items() for index in range(count)
    ]
    return tuple(project for _, project in sorted(positions))


def assign_bins(groups: Iterable[str], *, size: int, seed: int) -> dict[str, int]:
    """A random bin for every group, out of `size` bins of equally many groups; the same seed gives the same bins."""
    ordered = sorted(groups, key=lambda group: (_hash_group(seed, group), group))
    return {group: index % size for index, group in enumerate(ordered)}


def compute_late_bin(group: str, *, size: int, seed: int) -> int:
    """The bin, out of `size` bins, of a group that was added after the groups were allocated."""
    return int.from_bytes(_hash_group(seed, group)[:8], "big") % size


def _hash_group(seed: int, group: str) -> bytes:
    return hashlib.sha256(f"{seed}\x1f{group}".encode()).digest()


def list_allowed_bins(slots: Sequence[int], *, project: int, annotator_bin: int) -> tuple[int, ...]:
    """The bins of the groups that an annotator with the bin `annotator_bin` may meet in the project (its id)."""
    n_bins = len(slots)
    return (
        UNRESTRICTED_BIN,
        *(group_bin for group_bin in range(n_bins) if slots[(annotator_bin + group_bin) % n_bins] == project),
    )


def choose_bin(counts: Mapping[int, int], *, size: int) -> int:
    """The bin of the next annotator: the first, out of `size` bins, of those with the fewest annotators.

    `counts` is how many annotators each bin has; empty bins may be left out.
    """
    return min(range(size), key=lambda bin_: (counts.get(bin_, 0), bin_))


def find_shortages(
    demands: Sequence[GroupDemand], slots: Sequence[int], group_bins: Mapping[str, int], *, annotators: int
) -> tuple[GroupShortage, ...]:
    """The shortages of projects in which groups get too few annotators, in the order of the demands.

    `group_bins` are bins by group (a group without one is unrestricted), `annotators` is how many will take part.
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
    """How many annotators may meet a group in the project of the demand.

    `annotators_by_bin` is how many may meet a group of each bin there, `annotators` how many take part in all.
    """
    if group in demand.unavailable:
        return 0
    bin_ = group_bins.get(group, UNRESTRICTED_BIN)
    return annotators if bin_ == UNRESTRICTED_BIN else annotators_by_bin[bin_]
