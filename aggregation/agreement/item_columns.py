"""Numbers per item that add up to a coefficient, and what each person adds to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from aggregation.intervals.resampling import FEWEST_GROUPS, Resampling, Sparse, encode_groups, resample_groups
from aggregation.schema import Codes, Floats

Statistic = Callable[[Floats], Floats]
"""Takes column sums (draws × columns) and returns one value per draw, nan where it is undefined."""


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
    def resampled_units(self) -> str:
        """The number of units that are resampled, with their name: "5 items", or "1 group of items"."""
        name = "items" if self.n_groups == len(self.groups) else "groups of items"
        return "1 " + name.replace("s", "", 1) if self.n_groups == 1 else f"{self.n_groups} {name}"

    def count_people(self) -> int:
        """How many people share an item with somebody; 0 where it is not known."""
        return 0 if self.losses is None else self.losses.n_people

    def compute(self, statistic: Statistic) -> float:
        """A statistic of the column sums over all items; nan where it is undefined or there are no items.

        `statistic` takes column sums (draws × columns) and returns one number per draw.
        """
        if not len(self.groups):
            return float("nan")
        sums = np.atleast_2d(np.asarray(self.columns.sum(axis=0), dtype=np.float64))
        return float(statistic(sums)[0])

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
