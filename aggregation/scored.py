"""Votes laid against gold, and how answers and majorities score when the people behind them are drawn again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from aggregation.bootstrap import group_codes
from aggregation.errors import HromadaError
from aggregation.schema import Codes, Floats, Votes

Sparse = sparse.csr_array[np.float64, tuple[int, int]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Scored:
    """The votes on items that have gold, one row a vote, sorted.

    `items`, `people` are the codes of each vote's item and person, `right` is 1 where it equals gold; `names` are the
    people, sorted; `gold` has index item, sorted, voted items alone; `groups` is the code of each item's group.
    """

    frame: pd.DataFrame
    items: Codes
    people: Codes
    right: Floats
    names: NDArray[np.object_]
    gold: pd.Series[str]
    groups: Codes
    n_groups: int

    @property
    def clusters(self) -> str:
        """What is resampled of the items."""
        return "items" if self.n_groups == len(self.gold) else "groups of items"


@dataclass(frozen=True, kw_only=True)
class Scorer:
    """Scores drawn people: `points` takes how often each is drawn (people × draws) and gives points and their maximum.

    Both are items × draws; `width` is the longest column that it makes on the way.
    """

    points: Callable[[Floats], tuple[Floats, Floats]]
    width: int


def lay_against_gold(votes: Votes) -> Scored:
    """Keep the votes on items with gold; raises HromadaError where there is no gold, or no vote on it."""
    gold = votes.items["gold"].dropna()
    if gold.empty:
        raise HromadaError("No item has gold to score people against.", remedy="Declare gold or a truth file.")
    frame = votes.frame.loc[votes.frame["item"].isin(gold.index)]
    if frame.empty:
        raise HromadaError(
            "Nobody answered an item that has gold.", remedy="Collect answers on those items, or declare more gold."
        )
    frame = frame.sort_values(["item", "annotator", "answer"], kind="stable", ignore_index=True)
    names, people = np.unique(frame["annotator"].to_numpy(dtype=object), return_inverse=True)
    ids, items = np.unique(frame["item"].to_numpy(dtype=object), return_inverse=True)
    truth = gold.reindex(ids)
    groups, n_groups = group_codes(votes.items["group"].reindex(ids).to_numpy(dtype=object))
    right = (frame["answer"].to_numpy() == truth.to_numpy()[items]).astype(np.float64)
    return Scored(
        frame=frame,
        items=items,
        people=people,
        right=right,
        names=names,
        gold=truth,
        groups=groups,
        n_groups=n_groups,
    )


def single_answers(scored: Scored) -> Scorer:
    """A point for every right answer, of as many as there are answers."""
    n_items = len(scored.gold)
    shape = (n_items, len(scored.names))
    right = _votes_by(scored.items, scored.people, points=scored.right, shape=shape)
    given = _votes_by(scored.items, scored.people, points=np.ones(len(scored.items)), shape=shape)

    def points(drawn: Floats) -> tuple[Floats, Floats]:
        return _of_drawn(right, drawn), _of_drawn(given, drawn)

    return Scorer(points=points, width=n_items)


def plurality(scored: Scored) -> Scorer:
    """A point for every item on which gold has more votes than each other answer, so that a tie is wrong.

    Items that no drawn person answered have no point to win. Votes for gold, and votes for each other answer of an
    item, are counted apart.
    """
    n_items, n_people, is_gold = len(scored.gold), len(scored.names), scored.right == 1
    pairs = scored.frame.loc[~is_gold].groupby(["item", "answer"], sort=True).ngroup().to_numpy(dtype=np.intp)
    n_pairs = int(pairs.max(initial=-1)) + 1
    item_of_pair = np.zeros(n_pairs, dtype=np.intp)
    item_of_pair[pairs] = scored.items[~is_gold]
    divided, starts = np.unique(item_of_pair, return_index=True)
    ones = np.ones(len(scored.items))
    for_gold = _votes_by(scored.items[is_gold], scored.people[is_gold], points=ones[is_gold], shape=(n_items, n_people))
    for_other = _votes_by(pairs, scored.people[~is_gold], points=ones[~is_gold], shape=(n_pairs, n_people))

    def points(drawn: Floats) -> tuple[Floats, Floats]:
        gold = _of_drawn(for_gold, drawn)
        other = np.zeros_like(gold)
        if n_pairs:
            other[divided] = np.maximum.reduceat(_of_drawn(for_other, drawn), starts, axis=0)
        return (gold > other).astype(np.float64), ((gold > 0) | (other > 0)).astype(np.float64)

    return Scorer(points=points, width=max(n_items, n_pairs))


def _votes_by(rows: Codes, people: Codes, *, points: Floats, shape: tuple[int, int]) -> Sparse:
    """The points of each person's votes on each row, summed: rows × people."""
    return sparse.csr_array((points, (rows, people)), shape=shape)


def _of_drawn(votes: Sparse, drawn: Floats) -> Floats:
    return np.asarray(votes @ drawn, dtype=np.float64)
