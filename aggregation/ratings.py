"""Votes on a scale as numbers: the points of a scale, who gave which, to what."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from aggregation.intervals.panel import Contributions
from aggregation.intervals.resampling import encode_groups
from aggregation.scales import LEVELS_WITH_MEANS, read_point
from aggregation.schema import Codes, Floats, MeasurementLevel, Votes, count_codes, order_annotators


def read_points(names: Sequence[str]) -> Floats | None:
    """The numbers that all points of a scale are; None if one of them is a word."""
    numbers = [read_point(name) for name in names]
    return None if any(number is None for number in numbers) else np.array(numbers, dtype=np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Ratings:
    """The votes of a scale, sorted by item and annotator.

    `items`, `annotators` and `places` are the codes of each vote's item, annotator and point; `item_ids` are sorted,
    `annotator_ids` have the order of `schema.order_annotators`, `names` are the points from lowest to highest and
    `points` their numbers: from `interval` on those that they are, on an ordinal scale too if all of them are numbers,
    else their ranks from 0 (`is_numeric` is false). `groups` is the code of each item's group, `systems` the name of
    the system that wrote what the item shows, empty if none is known.
    """

    items: Codes
    annotators: Codes
    places: Codes
    item_ids: NDArray[np.object_]
    annotator_ids: NDArray[np.object_]
    groups: Codes
    n_groups: int
    names: tuple[str, ...]
    points: Floats
    is_numeric: bool
    level: MeasurementLevel
    systems: tuple[str, ...]

    @property
    def has_means(self) -> bool:
        """Whether the level of measurement allows means."""
        return self.level in LEVELS_WITH_MEANS

    @property
    def values(self) -> Floats:
        """The number of each vote."""
        return np.asarray(self.points[self.places])

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest point."""
        return float(self.points[0]), float(self.points[-1])

    @cached_property
    def system_names(self) -> tuple[str, ...]:
        """The systems that have votes, by name."""
        return tuple(sorted({self.systems[item] for item in np.unique(self.items)} - {""}))

    @cached_property
    def by_item(self) -> tuple[Floats, ...]:
        """The numbers of each item's votes, sorted."""
        order = np.lexsort((self.values, self.items))
        ends = np.cumsum(np.bincount(self.items, minlength=len(self.item_ids)))
        return tuple(np.split(self.values[order], ends[:-1])) if len(self.item_ids) else ()

    def is_connected(self) -> bool:
        """Whether any two people are linked by a chain of items that both rated."""
        n_items, n_people = len(self.item_ids), len(self.annotator_ids)
        edges = sparse.coo_array(
            (np.ones(len(self.items)), (self.items, n_items + self.annotators)), shape=(n_items + n_people,) * 2
        )
        return int(connected_components(edges, directed=False)[0]) == 1

    def tabulate(self) -> Floats | None:
        """items × people, if everybody rated every item once; else None."""
        shape = len(self.item_ids), len(self.annotator_ids)
        cells = self.items * shape[1] + self.annotators
        if len(cells) != shape[0] * shape[1] or len(np.unique(cells)) != len(cells):
            return None
        table = np.empty(shape[0] * shape[1])
        table[cells] = self.values
        return table.reshape(shape)

    def sum_votes(self, weights: Floats, *, keep: NDArray[np.bool_] | None = None) -> Contributions:
        """What the votes contribute: each adds the row of `weights` (points × columns) of its point.

        `keep` are the votes that count; items and people without one of them do not count either.
        """
        kept = np.ones(len(self.items), dtype=bool) if keep is None else keep
        return sum_changes(
            weights, self.places[kept], items=self.items[kept], people=self.annotators[kept], groups=self.groups
        )


def sum_changes(changes: Floats, change: Codes, *, items: Codes, people: Codes, groups: Codes) -> Contributions:
    """The contributions of single votes: each adds the row `change` of `changes` to its item's sums.

    `groups` is the code of the group of every item; items and people without a vote are left out.
    """
    own_items, item = np.unique(items, return_inverse=True)
    own_people, person = np.unique(people, return_inverse=True)
    own_groups, group = np.unique(groups[own_items], return_inverse=True)
    columns = np.zeros((len(own_items), changes.shape[1]))
    np.add.at(columns, item, changes[change])
    return Contributions(
        columns=columns,
        groups=group,
        n_groups=len(own_groups),
        changes=changes,
        change=change,
        items=item,
        people=person,
        n_people=len(own_people),
        people_factor=len(own_people) / max(len(own_people) - 1, 1),
        cell_factor=1.0,
        n_independent=len(items),
    )


def read_ratings(votes: Votes, systems: Mapping[str, Sequence[str]] | None = None) -> Ratings | None:
    """The votes as numbers; None if they have no order (`nominal`). `systems` are by item those that wrote it."""
    if votes.classes is None or votes.measurement_level == "nominal":
        return None
    frame = votes.frame.sort_values(["item", "annotator", "answer"], kind="stable", ignore_index=True)
    items, item_ids = pd.factorize(frame["item"], sort=True)
    annotators, annotator_ids = order_annotators(frame)
    groups, n_groups = encode_groups(votes.items["group"].reindex(item_ids).to_numpy(dtype=object))
    numbers = read_points(votes.classes)
    return Ratings(
        items=items,
        annotators=annotators,
        places=pd.Index(votes.classes).get_indexer(pd.Index(frame["answer"])),
        item_ids=np.asarray(item_ids, dtype=object),
        annotator_ids=annotator_ids,
        groups=groups,
        n_groups=n_groups,
        names=votes.classes,
        points=np.arange(len(votes.classes), dtype=np.float64) if numbers is None else numbers,
        is_numeric=numbers is not None,
        level=votes.measurement_level,
        systems=tuple(" + ".join((systems or {}).get(str(item), ())) for item in item_ids),
    )


@dataclass(frozen=True, kw_only=True)
class Middle:
    """The middle of some votes: its number, its words, and whether it lies between two points (`tied`)."""

    value: float
    text: str
    tied: tuple[str, ...] = ()


def find_median(ratings: Ratings, values: Floats) -> Middle:
    """The median of sorted numbers of votes: of an even number that differ in the middle the mean of both, marked.

    Points that are words have no mean: then the median is named by both.
    """
    low, high = float(values[(len(values) - 1) // 2]), float(values[len(values) // 2])
    names = {float(point): name for point, name in zip(ratings.points, ratings.names, strict=True)}
    if low == high:
        return Middle(value=low, text=names[low])
    middle = (low + high) / 2
    text = write_point(middle) if ratings.is_numeric else f"{names[low]} – {names[high]}"
    return Middle(value=middle, text=text, tied=(names[low], names[high]))


def write_point(number: float) -> str:
    """A number as a point is written: at most four decimals, none that are 0."""
    return f"{round(number, 4) + 0.0:g}" if math.isfinite(number) else ""


def count_points(ratings: Ratings, keep: NDArray[np.bool_]) -> Floats:
    """How many votes each point has."""
    return count_codes(ratings.places[keep], size=len(ratings.names))
