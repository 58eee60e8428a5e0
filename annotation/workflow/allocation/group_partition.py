"""Groups shared out among people over several projects, so that nobody meets a group in two of them. Pure.

People and groups have bins; `slots[(person's bin + group's bin) % m]` names the project in which that person may meet
that group. A group's people are thus split among the projects as the slots are, whatever its bin.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

MOST_SLOTS = 60
"""Bins are listed in a query at every item; with more people than this, some share a bin."""

EVERYBODY = -1
"""The bin of groups that stand in one project only: everybody may meet them there."""


@dataclass(frozen=True, kw_only=True)
class Demand:
    """What a project needs: for each of its groups, how many people who have not met it in another of the projects.

    `lost` are groups that another of the projects shows to everybody, of whom none is left for this one.
    """

    project: int
    needs: Mapping[str, int]
    lost: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Shortage:
    """So many groups of a project get too few people, and so many judgements are missing in all."""

    project: int
    groups: int
    missing: int


def shared(demands: Sequence[Demand]) -> frozenset[str]:
    """The groups that stand in more than one project."""
    counts = Counter(group for demand in demands for group in demand.needs)
    return frozenset(group for group, times in counts.items() if times > 1)


def apportion(demands: Sequence[Demand], *, people: int) -> tuple[int, ...]:
    """The slots: each goes where it still closes most of what is missing; spare ones where there is least to spare.

    What is missing falls more slowly with every slot, so that this greedy choice leaves as little missing as any.
    """
    size = min(people, MOST_SLOTS)
    both = shared(demands)
    wanted = {one.project: Counter(need for group, need in one.needs.items() if group in both) for one in demands}
    given = dict.fromkeys(wanted, 0)
    for _ in range(size):
        best = max(given, key=lambda project: (*_gain(wanted[project], given[project], people / size), -project))
        given[best] += 1
    return _spread(given, size)


def _gain(needs: Mapping[int, int], given: int, each: float) -> tuple[float, float]:
    """How many judgements one more slot brings; and how much is wanted for every slot that is there."""
    now, then = given * each, (given + 1) * each
    brings = sum(number * (max(0.0, need - now) - max(0.0, need - then)) for need, number in needs.items())
    return brings, max(needs, default=0) / (given + 1)


def _spread(given: Mapping[int, int], size: int) -> tuple[int, ...]:
    """The slots of each project spread evenly, so that bins which people fill one after another serve all alike."""
    places = [((turn + 0.5) * size / number, project) for project, number in given.items() for turn in range(number)]
    return tuple(project for _, project in sorted(places))


def bins(groups: Iterable[str], *, size: int, seed: int) -> dict[str, int]:
    """A random bin for every group, as many in each as can be; the same for the same seed."""
    ordered = sorted(groups, key=lambda group: (_lot(seed, group), group))
    return {group: place % size for place, group in enumerate(ordered)}


def late_bin(group: str, *, size: int, seed: int) -> int:
    """The bin of a group that came after the groups were shared out."""
    return int.from_bytes(_lot(seed, group)[:8], "big") % size


def _lot(seed: int, group: str) -> bytes:
    return hashlib.sha256(f"{seed}\x1f{group}".encode()).digest()


def allowed(slots: Sequence[int], *, project: int, person: int) -> tuple[int, ...]:
    """The bins of the groups that a person of this bin may meet in the project."""
    size = len(slots)
    return (EVERYBODY, *(group for group in range(size) if slots[(person + group) % size] == project))


def next_bin(counts: Mapping[int, int], *, size: int) -> int:
    """The bin of the next person: the first of those with the fewest people."""
    return min(range(size), key=lambda one: (counts.get(one, 0), one))


def shortages(
    demands: Sequence[Demand], slots: Sequence[int], group_bins: Mapping[str, int], *, people: int
) -> tuple[Shortage, ...]:
    """The projects in which groups get too few of so many people, in the order of the demands."""
    size = len(slots)
    crowd = [people // size + (one < people % size) for one in range(size)]
    found = []
    for demand in demands:
        reach = [
            sum(crowd[person] for person in range(size) if slots[(person + group) % size] == demand.project)
            for group in range(size)
        ]
        missing = [
            need - _people(group, demand, group_bins, reach, people)
            for group, need in demand.needs.items()
            if need > _people(group, demand, group_bins, reach, people)
        ]
        if missing:
            found.append(Shortage(project=demand.project, groups=len(missing), missing=sum(missing)))
    return tuple(found)


def _people(group: str, demand: Demand, group_bins: Mapping[str, int], reach: Sequence[int], people: int) -> int:
    if group in demand.lost:
        return 0
    own = group_bins.get(group, EVERYBODY)
    return people if own == EVERYBODY else reach[own]
