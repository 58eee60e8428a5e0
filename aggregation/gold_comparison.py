"""Answers compared with gold, as codes of items, people and groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from aggregation.errors import HromadaError
from aggregation.intervals.resampling import Sparse, encode_groups
from aggregation.schema import Codes, Floats, Votes, order_annotators


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredAnswers:
    """The votes and skips on items that have gold, one row each, sorted; a skip has no answer and is never right.

    `items` and `annotators` are the codes of each row's item and annotator, `voted` tells votes from skips, `right` is
    1 where a vote equals gold; `annotator_ids` have the order of `schema.order_annotators`; `gold` has the index item,
    sorted, with the items of the rows alone; `groups` is the code of each item's group; `classes` are the declared
    labels, None where options differ from item to item.
    """

    frame: pd.DataFrame
    items: Codes
    annotators: Codes
    voted: NDArray[np.bool_]
    right: Floats
    annotator_ids: NDArray[np.object_]
    gold: pd.Series[str]
    groups: Codes
    n_groups: int
    classes: tuple[str, ...] | None

    @property
    def item_units(self) -> str:
        """The name of what varies of the items: items, or groups of items."""
        return "items" if self.n_groups == len(self.gold) else "groups of items"


def compare_with_gold(votes: Votes, skips: pd.DataFrame | None = None) -> ScoredAnswers:
    """Keep the votes and the skips (columns item, annotator) on items with gold, and compare the votes with it.

    Raises HromadaError where there is no gold, or no vote on an item that has it; of somebody who gave no vote at all
    (a model whose every answer is unreadable) the skips are compared.
    """
    gold = votes.items["gold"].dropna()
    if gold.empty:
        raise HromadaError("No item has gold to score people against.", remedy="Declare gold or a truth file.")
    frame = votes.frame.loc[votes.frame["item"].isin(gold.index)]
    is_all_skipped = votes.frame.empty and skips is not None and skips["item"].isin(gold.index).any()
    if frame.empty and not is_all_skipped:
        raise HromadaError(
            "Nobody answered an item that has gold.", remedy="Collect answers on those items, or declare more gold."
        )
    if skips is not None and not skips.empty:
        due_skips = skips.loc[skips["item"].isin(gold.index), ["item", "annotator"]]
        frame = pd.concat([frame, due_skips.assign(answer=None).astype(object)])
    frame = frame.sort_values(["item", "annotator", "answer"], kind="stable", ignore_index=True)
    ids = pd.Index(order_annotators(votes.frame)[1])
    ids = ids.append(pd.Index(order_annotators(frame)[1]).difference(ids, sort=False))  # those who skipped everything
    annotator_ids = ids[ids.isin(frame["annotator"])]
    annotators = annotator_ids.get_indexer(pd.Index(frame["annotator"]))
    items, item_ids = pd.factorize(frame["item"], sort=True)
    truth = gold.reindex(item_ids)
    groups, n_groups = encode_groups(votes.items["group"].reindex(item_ids).to_numpy(dtype=object))
    right = (frame["answer"].to_numpy() == truth.to_numpy()[items]).astype(np.float64)
    return ScoredAnswers(
        frame=frame,
        items=items,
        annotators=annotators,
        voted=frame["answer"].notna().to_numpy(),
        right=right,
        annotator_ids=np.asarray(annotator_ids, dtype=object),
        gold=truth,
        groups=groups,
        n_groups=n_groups,
        classes=votes.classes,
    )


def count_cells(rows: ArrayLike, columns: ArrayLike, *, shape: tuple[int, int]) -> Sparse:
    """How often each (row, column) pair of codes occurs: rows × columns."""
    places = (np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp))
    return sparse.csr_array((np.ones(len(places[0])), places), shape=shape)
