"""People's votes beside the answers of a judge: how far each vote agrees with the judge, and with other people's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.intervals.panel import Contributions
from aggregation.intervals.resampling import encode_groups
from aggregation.schema import Codes, Floats, Votes, count_codes, order_annotators

FEWEST_PEOPLE = 3
"""With fewer people nothing is left to compare where one is left out, so there is no interval for new people."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedVotes:
    """The votes on items that the judge answered too, each person once an item, at least two people an item.

    `items` and `people` are codes, one a vote, `answers` is what it says and `values` its value: a point of a scale
    where `has_points`, else a code that is only equal or not. By item, `told` is the judge's answer, `judge` its value,
    and `groups` the group.
    """

    items: Codes
    people: Codes
    answers: NDArray[np.object_]
    values: Floats
    told: NDArray[np.object_]
    judge: Floats
    groups: Codes
    n_groups: int
    item_ids: NDArray[np.object_]
    person_ids: NDArray[np.object_]
    has_points: bool

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.item_ids)

    @cached_property
    def n_votes(self) -> Floats:
        """The number of votes of each item."""
        return count_codes(self.items, size=self.n_items)

    @cached_property
    def with_judge(self) -> Floats:
        """The agreement of each vote with the judge: 1 or 0, or minus the distance in points."""
        told = self.judge[self.items]
        return -np.abs(self.values - told) if self.has_points else (self.values == told).astype(np.float64)

    @cached_property
    def with_others(self) -> Floats:
        """The sum of the agreement of each vote with the other votes on its item."""
        if not self.has_points:
            _, _, counts, place = self.count_answers()
            return np.asarray(counts[place] - 1.0)
        order = np.lexsort((self.values, self.items))
        items, values = self.items[order], self.values[order]
        sizes = self.n_votes[items]
        starts = np.concatenate([[0.0], np.cumsum(self.n_votes)[:-1]]).astype(np.intp)[items]
        running = np.concatenate([[0.0], np.cumsum(values)])
        ranks = np.arange(len(items)) - starts + 1
        up_to = running[1:] - running[starts]
        totals = count_codes(self.items, size=self.n_items, weights=self.values)[items]
        distances = np.empty(len(items))
        distances[order] = (2 * ranks - sizes) * values - 2 * up_to + totals  # of the sorted votes of an item
        return -distances

    def count_answers(self) -> tuple[Codes, Floats, Floats, Codes]:
        """The different answers to each item: its code, the value, how many gave it, and which of them each vote is."""
        values, codes = np.unique(self.values, return_inverse=True)
        keys, place, counts = np.unique(self.items * len(values) + codes, return_inverse=True, return_counts=True)
        return keys // len(values), values[keys % len(values)], counts.astype(np.float64), place

    def sum_items(self, values: Floats) -> Floats:
        """The sum of a number of each vote over the votes of each item."""
        return count_codes(self.items, size=self.n_items, weights=values)

    def build_contributions(self, columns: Floats, changes: Floats, *, by_person: bool) -> Contributions:
        """The contributions of items' columns, and of what they change by where one vote is left out.

        `by_person`: a change is that of an item without the person, as in a jackknife, not what the vote adds to sums.
        Of what single answers add only the part of the answers that nobody gave is taken off V_people then. That is our
        own choice, made by simulation: with all of it taken off, .87 covered where all people answer all items and
        differ much; with nothing, 1.00 where each item has few of many people.
        """
        n = len(self.person_ids)
        factor, filled = n / max(n - 1, 1), len(self.items) / (self.n_items * n)
        return Contributions(
            columns=columns,
            groups=self.groups,
            n_groups=self.n_groups,
            changes=changes,
            change=np.arange(len(changes)),
            items=self.items,
            people=self.people,
            n_people=n,
            people_factor=1 / factor if by_person else factor,
            cell_factor=(1 - filled) / factor if by_person else 1.0,
            n_independent=len(self.items),
            fewest_people=FEWEST_PEOPLE,
        )


def join_judge(votes: Votes, judge: Mapping[str, str], *, fewest_votes: int = 2) -> JudgedVotes | None:
    """The votes on the items that the judge answered and that have this many people; None where there is none."""
    frame = votes.frame.drop_duplicates(["item", "annotator"])
    frame = frame.loc[frame["item"].isin(list(judge))]
    frame = frame.loc[frame.groupby("item")["annotator"].transform("size") >= fewest_votes]
    if frame.empty:
        return None
    items, item_ids = pd.factorize(frame["item"], sort=True)
    people, person_ids = order_annotators(frame)
    said = np.array([*frame["answer"], *(judge[str(item)] for item in item_ids)], dtype=object)
    codes, labels = pd.factorize(said, sort=True)
    numbers: Floats = codes.astype(np.float64)
    has_points = votes.measurement_level != "nominal" and votes.classes is not None
    if has_points and votes.classes is not None:
        points = dict(zip(votes.classes, votes.values(), strict=True))
        numbers = np.array([points[str(label)] for label in labels])[codes]
    groups, n_groups = encode_groups(votes.items["group"].reindex(item_ids).to_numpy(dtype=object))
    return JudgedVotes(
        items=items,
        people=people,
        answers=said[: len(frame)],
        values=numbers[: len(frame)],
        told=said[len(frame) :],
        judge=numbers[len(frame) :],
        groups=groups,
        n_groups=n_groups,
        item_ids=np.asarray(item_ids, dtype=object),
        person_ids=person_ids,
        has_points=has_points,
    )
