"""Votes laid against gold, and the marks of answers, majorities and refits when people and items are drawn again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from aggregation import dawid_skene
from aggregation.bootstrap import Sparse, group_codes
from aggregation.consensus.labels import TIED
from aggregation.errors import HromadaError
from aggregation.schema import Codes, Floats, Votes


@dataclass(frozen=True, kw_only=True, eq=False)
class Scored:
    """The votes and skips on items that have gold, one row each, sorted; a skip has no answer and is never right.

    `items`, `people` are the codes of each row's item and person, `voted` tells votes from skips, `right` is 1 where a
    vote equals gold; `names` are the people, sorted; `gold` has index item, sorted, those of the rows alone; `groups`
    is the code of each item's group; `classes` are the declared labels, None where options differ from item to item.
    """

    frame: pd.DataFrame
    items: Codes
    people: Codes
    voted: NDArray[np.bool_]
    right: Floats
    names: NDArray[np.object_]
    gold: pd.Series[str]
    groups: Codes
    n_groups: int
    classes: tuple[str, ...] | None

    @property
    def clusters(self) -> str:
        """What is resampled of the items."""
        return "items" if self.n_groups == len(self.gold) else "groups of items"

    def skipped(self) -> Sparse:
        """The number of each person's skips on each item: items × people."""
        skips = ~self.voted
        return _counted(self.items[skips], self.people[skips], shape=(len(self.gold), len(self.names)))


@dataclass(frozen=True, kw_only=True)
class Scorer:
    """The marks of drawn people on drawn items.

    `marks` takes how often each person (people × draws) and each item (items × draws) is drawn and gives, a row a
    draw, the right answers, the gold and the answers of each class, and the total (`scoring.Marks` in that order);
    where items share no classes each block has one column, for all answers. `people` and `groups` are what is drawn;
    `width` counts the numbers a draw that it makes on the way.
    """

    marks: Callable[[Floats, Floats], Floats]
    people: int
    groups: Codes
    n_groups: int
    width: int


def lay_against_gold(votes: Votes, skips: pd.DataFrame | None = None) -> Scored:
    """Keep the votes and the skips (columns item, annotator) on items with gold.

    Raises HromadaError where there is no gold, or no vote on it.
    """
    gold = votes.items["gold"].dropna()
    if gold.empty:
        raise HromadaError("No item has gold to score people against.", remedy="Declare gold or a truth file.")
    frame = votes.frame.loc[votes.frame["item"].isin(gold.index)]
    if frame.empty:
        raise HromadaError(
            "Nobody answered an item that has gold.", remedy="Collect answers on those items, or declare more gold."
        )
    if skips is not None and not skips.empty:
        passed = skips.loc[skips["item"].isin(gold.index), ["item", "annotator"]]
        frame = pd.concat([frame, passed.assign(answer=None).astype(object)])
    frame = frame.sort_values(["item", "annotator", "answer"], kind="stable", ignore_index=True)
    people, names = pd.factorize(frame["annotator"], sort=True)
    items, ids = pd.factorize(frame["item"], sort=True)
    truth = gold.reindex(ids)
    groups, n_groups = group_codes(votes.items["group"].reindex(ids).to_numpy(dtype=object))
    right = (frame["answer"].to_numpy() == truth.to_numpy()[items]).astype(np.float64)
    return Scored(
        frame=frame,
        items=items,
        people=people,
        voted=frame["answer"].notna().to_numpy(),
        right=right,
        names=np.asarray(names, dtype=object),
        gold=truth,
        groups=groups,
        n_groups=n_groups,
        classes=votes.classes,
    )


def single_answers(scored: Scored) -> Scorer:
    """Every answer is marked, and every skip as a wrong one."""
    if scored.classes is None:
        return _two_sided(scored, plurality=False)
    return _by_class(scored, plurality=False)


def majorities(scored: Scored) -> Scorer:
    """The one answer that has more votes than each other is marked; a tie names no class, so it is wrong.

    Items that no drawn person answered do not count; those that the drawn people only skipped are wrong.
    """
    if scored.classes is None:
        return _two_sided(scored, plurality=True)
    return _by_class(scored, plurality=True)


def refits(votes: Votes, scored: Scored) -> Scorer:
    """Dawid-Skene is fitted anew to the drawn people's votes on all drawn items, and marked on those that have gold.

    The sparse fit, with crowd-kit's stop; a tie of posteriors is wrong, and so is what was only skipped.
    """
    coded, classes = votes.coded(), np.array(votes.classes, dtype=object)
    table = dawid_skene.table(coded)
    order = np.array([coded.labels.index(name) for name in classes])
    ids, names = _joined(coded.item_ids, scored.gold.index), _joined(coded.annotator_ids, scored.names)
    place, met = ids.get_indexer(scored.gold.index), names.get_indexer(pd.Index(scored.names))
    groups, n_groups = group_codes(votes.items["group"].reindex(ids).to_numpy(dtype=object))
    gold, skipped = _one_hot(scored), scored.skipped()
    n_items, n_people = len(coded.item_ids), len(coded.annotator_ids)
    unvoted = np.zeros(len(ids) - n_items)

    def one(people: Floats, items: Floats) -> Floats:
        drawn = dawid_skene.Weights(annotators=people[:n_people], items=items[:n_items])
        fit = dawid_skene.fit(table, weights=drawn)
        answered = np.concatenate([fit.answered, unvoted])[place] > 0
        posteriors = np.vstack([fit.posteriors, np.zeros((len(unvoted), len(order)))])[place][:, order].T * answered
        passed = np.asarray(skipped @ people[met], dtype=np.float64) > 0
        counted = np.where(answered | passed, items[place], 0.0)
        return _summed(
            _leading(posteriors)[:, :, None], gold, weights=counted[:, None], marked=np.ones((len(place), 1))
        )

    def marks(drawn: Floats, weights: Floats) -> Floats:
        return np.concatenate([one(drawn[:, draw], weights[:, draw]) for draw in range(drawn.shape[1])])

    return Scorer(marks=marks, people=len(names), groups=groups, n_groups=n_groups, width=len(ids))


def _by_class(scored: Scored, *, plurality: bool) -> Scorer:
    classes = scored.classes or ()
    n_items, n_people, n_classes = len(scored.gold), len(scored.names), len(classes)
    votes = scored.voted
    answers = pd.Index(classes).get_indexer(pd.Index(scored.frame["answer"].to_numpy()[votes]))
    places = answers * n_items + scored.items[votes]
    given = _counted(places, scored.people[votes], shape=(n_classes * n_items, n_people))
    gold, skipped = _one_hot(scored), scored.skipped()

    def marks(drawn: Floats, weights: Floats) -> Floats:
        counts = np.asarray(given @ drawn, dtype=np.float64).reshape(n_classes, n_items, -1)
        answered = counts.sum(axis=0) + np.asarray(skipped @ drawn, dtype=np.float64)
        if plurality:
            return _summed(_leading(counts), gold, weights=weights, marked=(answered > 0).astype(np.float64))
        return _summed(counts, gold, weights=weights, marked=answered)

    return Scorer(
        marks=marks, people=n_people, groups=scored.groups, n_groups=scored.n_groups, width=n_classes * n_items
    )


def _two_sided(scored: Scored, *, plurality: bool) -> Scorer:
    """Votes for gold, and votes for each other answer of an item, are counted apart: items share no classes."""
    n_items, n_people = len(scored.gold), len(scored.names)
    is_gold, is_other = scored.right == 1, scored.voted & (scored.right == 0)
    pairs = scored.frame.loc[is_other].groupby(["item", "answer"], sort=True).ngroup().to_numpy(dtype=np.intp)
    n_pairs = int(pairs.max(initial=-1)) + 1
    item_of_pair = np.zeros(n_pairs, dtype=np.intp)
    item_of_pair[pairs] = scored.items[is_other]
    divided, starts = np.unique(item_of_pair, return_index=True)
    for_gold = _counted(scored.items[is_gold], scored.people[is_gold], shape=(n_items, n_people))
    for_other = _counted(pairs, scored.people[is_other], shape=(n_pairs, n_people))
    skipped = scored.skipped()
    together = np.maximum if plurality else np.add

    def marks(drawn: Floats, weights: Floats) -> Floats:
        gold = np.asarray(for_gold @ drawn, dtype=np.float64)
        other = np.zeros_like(gold)
        if n_pairs:
            other[divided] = together.reduceat(np.asarray(for_other @ drawn), starts, axis=0)
        right, most = gold, gold + other + np.asarray(skipped @ drawn, dtype=np.float64)
        if plurality:
            right, most = (gold > other).astype(np.float64), (most > 0).astype(np.float64)
        total = np.einsum("ib,ib->b", most, weights)
        return np.column_stack([np.einsum("ib,ib->b", right, weights), total, total, total])

    return Scorer(
        marks=marks, people=n_people, groups=scored.groups, n_groups=scored.n_groups, width=max(n_items, n_pairs)
    )


def _summed(said: Floats, gold: Floats, *, weights: Floats, marked: Floats) -> Floats:
    """Marks of answers `said` (classes × items × draws) against one-hot `gold` (classes × items).

    `marked` counts the answers of each item (items × draws), those that name no class among them.
    """
    weighed = said * weights
    right = np.einsum("ci,cib->bc", gold, weighed)
    counted = marked * weights
    return np.hstack([right, (gold @ counted).T, weighed.sum(axis=1).T, counted.sum(axis=0)[:, None]])


def _leading(scores: Floats) -> Floats:
    """1 for the class (first axis) that leads alone, else 0; nothing leads where all scores are zero."""
    best = scores.max(axis=0)
    top = (scores >= best - TIED) & (best > 0)
    return np.asarray(top & (top.sum(axis=0) == 1), dtype=np.float64)


def _one_hot(scored: Scored) -> Floats:
    """classes × items: 1 at the class that is gold."""
    codes = pd.Index(scored.classes or ()).get_indexer(pd.Index(scored.gold))
    return np.asarray(codes[None, :] == np.arange(len(scored.classes or ()))[:, None], dtype=np.float64)


def _joined(known: NDArray[np.object_], more: pd.Index[str] | NDArray[np.object_]) -> pd.Index[str]:
    """The known names in their order, then those that skips alone bring in."""
    first = pd.Index(known, dtype=object)
    return first.append(pd.Index(more, dtype=object).difference(first))


def _counted(rows: Codes, people: Codes, *, shape: tuple[int, int]) -> Sparse:
    """How often each person stands in each row: rows × people."""
    return sparse.csr_array((np.ones(len(rows)), (rows, people)), shape=shape)
