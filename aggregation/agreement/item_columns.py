"""Numbers per item that add up to a coefficient, and what each person adds to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd
from scipy import sparse

from aggregation.intervals.panel import FEWEST_PEOPLE
from aggregation.intervals.resampling import (
    FEWEST_GROUPS,
    Resampling,
    Sparse,
    encode_groups,
    resample_groups,
    split_resamples,
)
from aggregation.schema import Codes, Floats, count_codes

RELATIVE_STEP = 1e-5  # of the central differences by which a gradient is taken

Statistic = Callable[[Floats], Floats]
"""Takes column sums (draws × columns) and returns one value per draw, nan where it is undefined."""


@dataclass(frozen=True, kw_only=True)
class TwoWayVariance:
    """The variance of a coefficient: V_items with G - 1 degrees of freedom, V_people with A - 1, and V_cell.

    Without people, whose V_people and V_cell are 0, there are no degrees of freedom of theirs.
    """

    items: float
    people: float
    cells: float
    items_df: int
    people_df: int

    @property
    def total(self) -> float:
        """The variance for new people and new items: V_items + max(0, V_people - V_cell)."""
        return self.items + max(0.0, self.people - self.cells)

    @property
    def total_df(self) -> float:
        """Satterthwaite's degrees of freedom, in which V_people counts whole, as its error does not fall by V_cell.

        They are no fewer than those of the people or of the items, whichever are fewer, as with variances that add up.
        """
        spread = self.items**2 / self.items_df + self.people**2 / max(self.people_df, 1)
        return max(self.total**2 / spread if spread else 0.0, min(self.items_df, max(self.people_df, 1)))


class SummedItems(Protocol):
    """What a coefficient and its intervals are made of, wherever the numbers of items are: here or on an engine.

    `n_groups` counts the groups of items, and `is_grouped` says that some have several. `resampled_units` is their
    number with their name: "5 items", or "1 group of items". `counts` are the numbers of items, votes and annotators
    that are published. `n_people` counts those who share an item with somebody, None where it is not known.
    """

    @property
    def n_groups(self) -> int: ...
    @property
    def counts(self) -> tuple[int, int, int]: ...
    @property
    def n_people(self) -> int | None: ...
    @property
    def is_grouped(self) -> bool: ...
    @property
    def resampled_units(self) -> str: ...

    def compute(self, statistic: Statistic) -> float:
        """A statistic of the column sums over all items, nan where it is undefined."""
        ...

    def estimate_variance(self, statistic: Statistic) -> TwoWayVariance:
        """The two-way clustered variance of a statistic of the column sums."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class PeopleLosses:
    """What the columns of an item lose if one of the people who answered it is left out.

    `losses` has a row for each different loss. Each cell, an item with a person who answered it, has the code of its
    loss, of its item (the row of the item's columns) and of the person. `n_people` counts those who share an item with
    somebody.
    """

    losses: Floats | Sparse
    loss: Codes
    items: Codes
    people: Codes
    n_people: int


@dataclass(frozen=True, kw_only=True, eq=False)
class ItemColumns:
    """One row of numbers per item, made to be summed over items, and the group of each item.

    `columns` is items × columns; `groups` is the code of each item's group. `counts` are the numbers of items, votes
    and annotators that are published with a coefficient of these items. `losses` are known where people's part of the
    variance is asked for.
    """

    columns: Floats | Sparse
    groups: Codes
    n_groups: int
    counts: tuple[int, int, int]
    losses: PeopleLosses | None = None

    @property
    def is_grouped(self) -> bool:
        """Whether some items share a group."""
        return self.n_groups != len(self.groups)

    @property
    def resampled_units(self) -> str:
        """The number of units that are resampled, with their name: "5 items", or "1 group of items"."""
        return name_units(self.n_groups, is_grouped=self.is_grouped)

    @property
    def n_people(self) -> int | None:
        """How many people share an item with somebody; None where it is not known."""
        return None if self.losses is None else self.losses.n_people

    def compute(self, statistic: Statistic) -> float:
        """A statistic of the column sums over all items; nan where it is undefined or there are no items.

        `statistic` takes column sums (draws × columns) and returns one number per draw.
        """
        if not len(self.groups):
            return float("nan")
        sums = np.atleast_2d(np.asarray(self.columns.sum(axis=0), dtype=np.float64))
        return float(statistic(sums)[0])

    def estimate_variance(self, statistic: Statistic) -> TwoWayVariance:
        """The two-way clustered variance of a coefficient: items (or their groups), and what people add to it.

        V_items = G/(G-1) · Σ_g (Σ_i c_i · g)², c the centred columns of items and g the gradient of the coefficient.
        V_people = (A-1)/A · Σ_j (θ_-j - mean)², θ_-j the coefficient without person j (a jackknife). V_cell is the same
        sum over each person's groups of items, taken as linear. Where the coefficient is undefined without a person,
        V_people is taken as linear too.
        """
        sums = np.asarray(self.columns.sum(axis=0), dtype=np.float64).ravel()
        gradient = differentiate(statistic, sums)
        n_groups = self.n_groups
        of_groups = count_codes(self.groups, size=n_groups, weights=np.asarray(self.columns @ gradient))
        items = n_groups / (n_groups - 1) * float(((of_groups - of_groups.mean()) ** 2).sum())
        people = cells = 0.0
        n_people = 0
        losses = self.losses
        if losses is not None and losses.n_people >= FEWEST_PEOPLE:
            names, codes = np.unique(losses.people, return_inverse=True)
            n_people = len(names)
            effects = np.asarray(losses.losses @ gradient)[losses.loss]
            effects = effects - effects.mean()
            lost = sparse.csr_array(
                (np.ones(len(codes)), (codes, losses.loss)), shape=(n_people, losses.losses.shape[0])
            )
            without = _compute_without(statistic, sums, sparse.csr_array(lost @ losses.losses))
            of_people = without - without.mean()
            if np.isnan(of_people).any():
                of_people = count_codes(codes, size=n_people, weights=effects)
            _, cell = np.unique(self.groups[losses.items] * n_people + codes, return_inverse=True)
            of_cells = np.bincount(cell, weights=effects)
            factor = (n_people - 1) / n_people
            people, cells = factor * float((of_people**2).sum()), factor * float((of_cells**2).sum())
        return TwoWayVariance(items=items, people=people, cells=cells, items_df=n_groups - 1, people_df=n_people - 1)

    def resample(self, resampling: Resampling, *, statistic: Statistic | None = None) -> Floats | None:
        """The column sums, or a statistic of the column sums, in resamples of whole groups of items.

        Returns draws × columns, or draws × numbers of the statistic; None with fewer than FEWEST_GROUPS groups.
        """
        if self.n_groups < FEWEST_GROUPS:
            return None
        return resample_groups(
            self.columns,
            groups=self.groups,
            n_resamples=resampling.n_resamples,
            rng=resampling.rng(),
            statistic=statistic or (lambda sums: sums),
            progress=resampling.progress,
        )


def name_units(number: int, *, is_grouped: bool) -> str:
    """Items, or groups of items, with their number."""
    name = "groups of items" if is_grouped else "items"
    return "1 " + name.replace("s", "", 1) if number == 1 else f"{number} {name}"


def build_item_columns(
    columns: Floats | Sparse,
    *,
    groups: pd.Series[str],
    n_votes: int,
    n_annotators: int,
    losses: PeopleLosses | None = None,
) -> ItemColumns:
    """The columns with their items' groups; `groups` has the name of each item's group, in the order of the rows."""
    codes, n_groups = encode_groups(groups.to_numpy(dtype=object))
    counts = (len(codes), n_votes, n_annotators)
    return ItemColumns(columns=columns, groups=codes, n_groups=n_groups, counts=counts, losses=losses)


def _compute_without(statistic: Statistic, sums: Floats, lost: sparse.csr_array) -> Floats:
    """The coefficient without each person, whose losses are the rows of `lost`."""
    chunks, start = [], 0
    for size in split_resamples(lost.shape[0], width=len(sums)):
        chunks.append(statistic(sums - lost[start : start + size].toarray()))
        start += size
    return np.concatenate(chunks)


def differentiate(statistic: Statistic, sums: Floats) -> Floats:
    """The derivative of a coefficient by each column sum, by central differences; 0 for a column that is all zero."""
    moved, start = np.flatnonzero(sums), 0
    gradient = np.zeros(len(sums))
    for size in split_resamples(len(moved), width=len(sums)):
        part = moved[start : start + size]
        start += size
        steps = RELATIVE_STEP * np.abs(sums[part])
        nudges = np.zeros((size, len(sums)))
        nudges[np.arange(size), part] = steps
        gradient[part] = (statistic(sums + nudges) - statistic(sums - nudges)) / (2 * steps)
    return gradient
