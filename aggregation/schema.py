"""Votes as every function here takes them, checked once; crowd-kit's words (task, worker, label) end here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.errors import HromadaError

COLUMNS = ("item", "annotator", "answer")
ITEM_COLUMNS = ("group", "gold", "n_options")


@dataclass(frozen=True, kw_only=True)
class Votes:
    """The retained votes of one data set, and what is known of its items.

    `frame` has the text columns item, annotator, answer, one row a vote, in file order (the tie rule `first` reads
    that order); repeated rows of one person on one item all count. `items` has one row an item, seen or not, indexed
    by the item id, with the columns group (text), gold (text or None) and n_options (whole number, 2 or more).
    `classes` are the declared labels in their order; None says that the options differ from item to item and share
    no classes. `positions` says that the classes are positions of options that differ, because the authors counted so.
    """

    frame: pd.DataFrame
    items: pd.DataFrame
    classes: tuple[str, ...] | None
    positions: bool = False

    def crowdkit(self) -> pd.DataFrame:
        """The votes as task, worker, label, sorted by all three, so that the order of rows is no input."""
        renamed = self.frame.set_axis(["task", "worker", "label"], axis=1)
        return renamed.sort_values(["task", "worker", "label"], kind="stable", ignore_index=True)


def votes(frame: pd.DataFrame, *, items: pd.DataFrame, classes: Sequence[str] | None, positions: bool = False) -> Votes:
    """Check and freeze votes (`frame`: item, annotator, answer) with their items (index item; group, gold, n_options).

    Raises HromadaError for a missing column, an empty cell, an unknown item, an answer outside the classes, and for
    an item that is there twice, has no group or has fewer than two options.
    """
    missing = [name for name in COLUMNS if name not in frame.columns]
    if missing:
        raise HromadaError(f"The votes lack the column {missing[0]}.", remedy=f"They need {', '.join(COLUMNS)}.")
    plain = frame.loc[:, list(COLUMNS)].reset_index(drop=True)
    if plain.isna().to_numpy().any():
        raise HromadaError("A vote has an empty cell.", remedy="Leave out votes without an answer, with the reason.")
    plain = plain.astype(str).astype(object)
    known = _items(items)
    unknown = sorted(set(plain["item"]) - set(known.index))
    if unknown:
        raise HromadaError(f"A vote names the item {unknown[0]!r}, which is not among the items.")
    if classes is not None:
        foreign = sorted(set(plain["answer"]) - set(classes))
        if foreign:
            raise HromadaError(f"A vote says {foreign[0]!r}, which is not a declared label.")
    return Votes(frame=plain, items=known, classes=None if classes is None else tuple(classes), positions=positions)


def _items(items: pd.DataFrame) -> pd.DataFrame:
    """The items' own columns, sorted by id, checked."""
    missing = [name for name in ITEM_COLUMNS if name not in items.columns]
    if missing:
        raise HromadaError(f"The items lack the column {missing[0]}.", remedy=f"They need {', '.join(ITEM_COLUMNS)}.")
    known = items.loc[:, list(ITEM_COLUMNS)].sort_index()
    for wrong, problem in (
        (known.index.duplicated(), "is there twice"),
        (known["group"].isna().to_numpy(), "has no group"),
        (~(known["n_options"] >= 2).to_numpy(), "has fewer than two options"),
    ):
        if wrong.any():
            raise HromadaError(f"The item {known.index[wrong][0]!r} {problem}.")
    return known


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Votes counted per item and answer, items sorted.

    `table[i, c]` counts the votes for answer c on item i (items × answers, whole numbers); `answers` names the columns.
    Where options differ from item to item an answer is a column of its own for every text, so compare within rows only.
    """

    items: NDArray[np.object_]
    answers: tuple[str, ...]
    table: NDArray[np.int64]


def closed_counts(given: Votes) -> Counts:
    """Count closed votes into a dense table with one column a declared class, in declared order.

    Raises HromadaError where the options differ from item to item: there are no shared columns then.
    """
    if given.classes is None:
        raise HromadaError("Options that differ from item to item share no classes to count by.")
    items, rows = np.unique(given.frame["item"].to_numpy(dtype=object), return_inverse=True)
    columns = pd.Index(given.classes).get_indexer(pd.Index(given.frame["answer"]))
    table = np.zeros((len(items), len(given.classes)), dtype=np.int64)
    np.add.at(table, (rows, columns), 1)
    return Counts(items=items, answers=given.classes, table=table)
