"""Two measures of the same items, and their difference with the two-way variance of one score.

An item, and a person who took part in both, enters once with what both say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.intervals.panel import Contributions, Metric
from aggregation.schema import Codes, Floats, count_codes


@dataclass(frozen=True, kw_only=True, eq=False)
class ItemMeasure:
    """A measure of a project, of people or of a model: what items and people add to sums, and how it is computed.

    The rows of the contributions are the items, sorted by id; `people` has the name of each code of a person.
    """

    contributions: Contributions
    compute: Callable[[Floats], Floats]
    people: NDArray[np.object_]

    @property
    def value(self) -> float:
        """The measure itself; nan where it is undefined."""
        return float(self.compute(self.contributions.sums)[0])

    @property
    def value_ties_wrong(self) -> float:
        """The measure with each tie counted as no answer."""
        return float(self.compute((self.contributions.count_ties_wrong() or self.contributions).sums)[0])


def build_item_measure(
    rows: pd.DataFrame, *, changes: Floats, columns: Floats | None = None, compute: Callable[[Floats], Floats]
) -> ItemMeasure:
    """A measure to which each row (item, annotator) adds its changes; items are their own groups until it is joined.

    `columns` are those of the items, sorted, where they are not the sums of the changes.
    """
    items, names = pd.factorize(rows["item"], sort=True)
    annotators, people = pd.factorize(rows["annotator"], sort=True)
    codes: Codes = np.asarray(items)
    return ItemMeasure(
        contributions=Contributions(
            columns=sum_items(rows["item"], changes) if columns is None else columns,
            groups=np.arange(len(names)),
            n_groups=len(names),
            changes=changes,
            change=np.arange(len(changes)),
            items=codes,
            people=np.asarray(annotators),
            n_people=len(people),
            people_factor=len(people) / max(len(people) - 1, 1),
            cell_factor=1.0,
            n_independent=len(rows),
        ),
        compute=compute,
        people=np.asarray(people, dtype=object),
    )


def sum_items(items: pd.Series[str], values: Floats) -> Floats:
    """The sums of the values (rows × columns) over the rows of each item, items sorted."""
    codes, names = pd.factorize(items, sort=True)
    return np.stack([count_codes(codes, size=len(names), weights=column) for column in values.T], axis=1)


def join_measures(one: ItemMeasure, two: ItemMeasure, *, groups: Codes) -> tuple[Contributions, Metric]:
    """Both measures of the same items side by side, and their difference as a metric of the sums of both.

    A person of both projects has one code. What votes add is taken from its mean in their own project, as
    `estimate_variance` does it for one score. With fewer than `fewest_people` in either there is none of people; a
    model (`fix_answers`) has none, and needs none. An item on which either has a tie has one.
    """
    first, second = one.contributions, two.contributions
    people = pd.Index(one.people).union(pd.Index(two.people))
    width = first.columns.shape[1]
    is_known = all(len(each.people) >= each.contributions.fewest_people for each in (one, two))
    parts = [_center_changes(part) for part in (first, second)]
    changes = np.zeros((len(parts[0]) + len(parts[1]), width + second.columns.shape[1]))
    changes[: len(parts[0]), :width], changes[len(parts[0]) :, width:] = parts
    codes = [
        people.get_indexer(pd.Index(measure.people))[measure.contributions.people]
        if len(measure.people)
        else np.zeros(len(measure.contributions.people), dtype=np.intp)
        for measure in (one, two)
    ]
    joined = Contributions(
        columns=np.hstack([first.columns, second.columns]),
        groups=groups,
        n_groups=int(groups.max()) + 1,
        changes=changes,
        change=np.concatenate([first.change, second.change + len(parts[0])]),
        items=np.concatenate([first.items, second.items]),
        people=np.concatenate(codes),
        n_people=len(people),
        people_factor=max(first.people_factor, second.people_factor),
        cell_factor=1.0,
        n_independent=len(first.columns),
        fewest_people=max(first.fewest_people, second.fewest_people),
        is_refitted=first.is_refitted or second.is_refitted,
        is_short=not is_known,
        **_join_ties(first, second),
    )

    def subtract_values(sums: Floats) -> Floats:
        return np.asarray(one.compute(sums[:, :width]) - two.compute(sums[:, width:]))

    return joined, Metric(compute=subtract_values, scale="difference")


def fix_answers(measure: ItemMeasure) -> ItemMeasure:
    """The measure of a model: its answers vary with the items alone, as it would say the same again."""
    codes = np.zeros(0, dtype=np.intp)
    contributions = replace(
        measure.contributions,
        changes=np.zeros((0, measure.contributions.columns.shape[1])),
        change=codes,
        items=codes,
        people=codes,
        n_people=0,
        people_factor=1.0,
        fewest_people=0,
    )
    return replace(measure, contributions=contributions, people=np.array([], dtype=object))


def select_items(contributions: Contributions, kept: NDArray[np.bool_]) -> Contributions:
    """The contributions of these items alone, with the people who answered any of them.

    `kept` has a truth value for each item. For votes that are left out one at a time (not for refits).
    """
    places = np.cumsum(kept) - 1
    groups, n_groups = _number_codes(contributions.groups[kept])
    rows = kept[contributions.items]
    people, n_people = _number_codes(contributions.people[rows])
    return replace(
        contributions,
        columns=contributions.columns[kept],
        groups=groups,
        n_groups=n_groups,
        change=contributions.change[rows],
        items=places[contributions.items[rows]],
        people=people,
        n_people=n_people,
        people_factor=n_people / max(n_people - 1, 1),
        n_independent=int(rows.sum() if contributions.n_independent == len(contributions.change) else kept.sum()),
        **_select_ties(contributions, kept),
    )


def _join_ties(first: Contributions, second: Contributions) -> dict[str, Any]:
    """The fields of ties on either side; None where there are none."""
    parts = [part.count_ties_wrong() or part for part in (first, second)]
    tied = [part.tied for part in (first, second) if part.tied is not None]
    if not tied:
        return {"tied": None, "ties_wrong": None}
    return {"tied": np.any(tied, axis=0), "ties_wrong": np.hstack([part.columns for part in parts])}


def _select_ties(contributions: Contributions, kept: NDArray[np.bool_]) -> dict[str, Any]:
    """The fields of ties on these items; None where none of them has a tie."""
    tied, columns = contributions.tied, contributions.ties_wrong
    if tied is None or columns is None or not tied[kept].any():
        return {"tied": None, "ties_wrong": None}
    return {"tied": tied[kept], "ties_wrong": columns[kept]}


def _number_codes(codes: Codes) -> tuple[Codes, int]:
    different, numbered = np.unique(codes, return_inverse=True)
    return numbered, len(different)


def _center_changes(part: Contributions) -> Floats:
    """What votes add, from its mean over the votes."""
    return part.changes - part.changes[part.change].mean(axis=0) if len(part.change) else part.changes
