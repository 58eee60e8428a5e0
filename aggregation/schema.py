"""Votes in the form that every function of the package takes, checked once, and their conversion for crowd-kit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.errors import HromadaError
from aggregation.scales import read_point

MeasurementLevel = Literal["nominal", "ordinal", "interval", "ratio"]
Codes = NDArray[np.intp]
Floats = NDArray[np.float64]

VOTE_COLUMNS = ("item", "annotator", "answer")
ITEM_COLUMNS = ("group", "gold", "n_options")


def count_codes(codes: Codes, *, size: int, weights: Floats | None = None) -> Floats:
    """How often each code below `size` occurs, or the sum of its weights."""
    return np.bincount(codes, weights=weights, minlength=size).astype(np.float64)


def divide_safely(top: Floats, bottom: Floats, *, above: float = 0.0) -> Floats:
    """top / bottom, nan where the bottom is not greater than `above`."""
    shape = np.broadcast_shapes(top.shape, bottom.shape)
    result: Floats = np.full(shape, np.nan)
    np.divide(top, bottom, out=result, where=bottom > above)
    return result


def find_different_rows(table: Floats) -> tuple[Floats, Codes]:
    """The different rows of a table, and which of them each row is; many times as fast as `np.unique` over an axis."""
    place = np.zeros(len(table), dtype=np.intp)
    for column in table.T:
        codes, values = pd.factorize(column, use_na_sentinel=False)
        place, _ = pd.factorize(place * len(values) + codes)
    _, first = np.unique(place, return_index=True)
    return table[first], place


@dataclass(frozen=True, kw_only=True)
class Votes:
    """The votes of one data set that count, and what is known about its items.

    `frame` has the text columns item, annotator, answer, one row per vote, in the order of assignment (the tie rule
    `first` and `first_votes` read that order); repeated votes of one annotator on one item all count. `items` has one
    row per item, answered or not, indexed by the item id, with the columns group (text), gold (text or None) and
    n_options (how many labels a vote on the item can have, 2 or more). `classes` are the declared labels in their
    order; None says that the options differ from item to item and share no classes. `classes_are_positions` says that
    the classes are positions of options that differ, because the authors of the data set counted so.
    `measurement_level` is nominal, ordinal, interval or ratio: the order of the classes is a rank from `ordinal` on,
    and from `interval` on their names are numbers (0 or more for `ratio`).
    """

    frame: pd.DataFrame
    items: pd.DataFrame
    classes: tuple[str, ...] | None
    classes_are_positions: bool = False
    measurement_level: MeasurementLevel = "nominal"

    def encode(self) -> CodedVotes:
        """The votes as codes of items and answers, each sorted, and of annotators, ordered by their votes."""
        items, item_ids = pd.factorize(self.frame["item"], sort=True)
        annotators, annotator_ids = order_annotators(self.frame)
        if self.classes is None:
            answers, different = pd.factorize(self.frame["answer"], sort=True)
            labels = tuple(str(label) for label in different)
        else:
            labels = tuple(sorted(self.classes))
            answers = pd.Index(labels).get_indexer(pd.Index(self.frame["answer"]))
        return CodedVotes(
            items=items,
            annotators=annotators,
            answers=answers,
            item_ids=np.asarray(item_ids, dtype=object),
            annotator_ids=np.asarray(annotator_ids, dtype=object),
            labels=labels,
        )

    def first_votes(self, number: int) -> Votes:
        """The first `number` votes of each item in the order of assignment; items with fewer keep what they have."""
        return replace(self, frame=self.frame.loc[self.frame.groupby("item").cumcount() < number])

    def values(self) -> Floats:
        """The value of each class in declared order: its rank up to `ordinal`, its own number from `interval` on."""
        classes = self.classes or ()
        if self.measurement_level in ("nominal", "ordinal"):
            return np.arange(len(classes), dtype=np.float64)
        return np.array([read_point(name) for name in classes], dtype=np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class CodedVotes:
    """Votes as codes: three codes per vote, in the order of the frame; a code is a place among the ids or labels.

    `item_ids` are sorted; `annotator_ids` have the order of `order_annotators`, which no name changes. `labels` are the
    declared classes sorted, or all answers that occur where there are no classes.
    """

    items: Codes
    annotators: Codes
    answers: Codes
    item_ids: NDArray[np.object_]
    annotator_ids: NDArray[np.object_]
    labels: tuple[str, ...]

    def sort_votes(self) -> CodedVotes:
        """The votes sorted by item, annotator and answer, so that row order does not even change the rounding."""
        order = np.lexsort((self.answers, self.annotators, self.items))
        items, annotators, answers = self.items[order], self.annotators[order], self.answers[order]
        return replace(self, items=items, annotators=annotators, answers=answers)

    def to_crowdkit(self) -> pd.DataFrame:
        """The codes in crowd-kit's columns task, worker, label, sorted by all three so that row order has no influence.

        Codes, not names: crowd-kit breaks on labels called `task` or `worker`, and is slow on texts.
        """
        votes = self.sort_votes()
        return pd.DataFrame({"task": votes.items, "worker": votes.annotators, "label": votes.answers})


def order_annotators(frame: pd.DataFrame) -> tuple[Codes, NDArray[np.object_]]:
    """Number the annotators of votes (columns item, annotator, answer) by what they answered: codes, and ids by code.

    The order is that of a hash of each annotator's votes; names only part annotators who gave the same votes. Names are
    pseudonyms that another database makes otherwise, so an order of names would give the same votes other resamples
    and other rounding errors there.
    """
    codes, names = pd.factorize(frame["annotator"], sort=True)
    vote_hashes = [_hash_texts(frame[column]) * factor for column, factor in zip(("item", "answer"), _ODD, strict=True)]
    mixed = vote_hashes[0] ^ vote_hashes[1]
    mixed = (mixed ^ (mixed >> np.uint64(33))) * _ODD[1]
    sums = np.zeros(len(names), dtype=np.uint64)
    np.add.at(sums, codes, mixed ^ (mixed >> np.uint64(29)))
    order = np.argsort(sums, kind="stable")
    ranks = np.empty(len(names), dtype=np.intp)
    ranks[order] = np.arange(len(names))
    return ranks[codes], np.asarray(names, dtype=object)[order]


_ODD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))  # odd factors, which mix the bits of a hash


def _hash_texts(column: pd.Series[str]) -> NDArray[np.uint64]:
    """A hash of each text, the same on every machine; a missing text counts as empty."""
    codes, texts = pd.factorize(column.fillna(""))
    return pd.util.hash_array(np.asarray(texts, dtype=object), categorize=False)[codes]


def check_votes(
    frame: pd.DataFrame,
    *,
    items: pd.DataFrame,
    classes: Sequence[str] | None,
    classes_are_positions: bool = False,
    measurement_level: MeasurementLevel = "nominal",
) -> Votes:
    """Check and freeze votes (`frame`: item, annotator, answer) with their items (index item; group, gold, n_options).

    Raises HromadaError for a missing column, an empty cell, an unknown item, an answer outside the classes, classes
    that have no values at the `measurement_level`, and for an item that occurs twice, has no group or has fewer than
    two options.
    """
    checked = check_rows(frame, VOTE_COLUMNS).astype(str).astype(object)
    checked_items = check_items(items)
    check_item_ids(checked, checked_items)
    if classes is not None:
        undeclared = sorted(set(checked["answer"]) - set(classes))
        if undeclared:
            raise HromadaError(f"A vote says {undeclared[0]!r}, which is not a declared label.")
    _check_measurement_level(classes, measurement_level)
    declared = None if classes is None else tuple(classes)
    return Votes(
        frame=checked,
        items=checked_items,
        classes=declared,
        classes_are_positions=classes_are_positions,
        measurement_level=measurement_level,
    )


def check_rows(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """The named columns with the rows numbered anew; raises HromadaError for a missing column or an empty cell."""
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise HromadaError(f"The votes lack the column {missing[0]}.", remedy=f"They need {', '.join(columns)}.")
    rows = frame.loc[:, list(columns)].reset_index(drop=True)
    if rows.isna().to_numpy().any():
        raise HromadaError("A vote has an empty cell.", remedy="Leave out votes without an answer, with the reason.")
    return rows


def check_item_ids(frame: pd.DataFrame, items: pd.DataFrame) -> None:
    """Raise HromadaError where a row names an item that is not among the items."""
    unknown = sorted(set(frame["item"]) - set(items.index))
    if unknown:
        raise HromadaError(f"A vote names the item {unknown[0]!r}, which is not among the items.")


def check_items(items: pd.DataFrame, columns: Sequence[str] = ITEM_COLUMNS) -> pd.DataFrame:
    """The named columns of the items, sorted by id; raises HromadaError as `check_votes` does."""
    missing = [name for name in columns if name not in items.columns]
    if missing:
        raise HromadaError(f"The items lack the column {missing[0]}.", remedy=f"They need {', '.join(columns)}.")
    chosen = items.loc[:, list(columns)].sort_index()
    problems = [(chosen.index.duplicated(), "is there twice"), (chosen["group"].isna().to_numpy(), "has no group")]
    if "n_options" in columns:
        problems.append((~(chosen["n_options"] >= 2).to_numpy(), "has fewer than two options"))
    for wrong, problem in problems:
        if wrong.any():
            raise HromadaError(f"The item {chosen.index[wrong][0]!r} {problem}.")
    return chosen


def _check_measurement_level(classes: Sequence[str] | None, measurement_level: MeasurementLevel) -> None:
    """Raise HromadaError where the classes have no values at that level of measurement."""
    if measurement_level not in get_args(MeasurementLevel):
        raise HromadaError(
            f"There is no level {measurement_level!r}.", remedy=f"Use one of {', '.join(get_args(MeasurementLevel))}."
        )
    if measurement_level == "nominal":
        return
    if classes is None:
        raise HromadaError(
            f"Options that differ from item to item have no {measurement_level} level.",
            remedy="Declare the labels, or nominal.",
        )
    if measurement_level == "ordinal":
        return
    for name in classes:
        number = read_point(name)
        if number is None:
            raise HromadaError(
                f"The label {name!r} is not a number, as the {measurement_level} level needs.", remedy="Use ordinal."
            )
        if measurement_level == "ratio" and number < 0:
            raise HromadaError(f"The label {name!r} is below zero, which has no ratio.", remedy="Use interval.")


@dataclass(frozen=True, kw_only=True)
class AnswerCounts:
    """The number of votes per item and answer, items sorted.

    `table[i, c]` counts the votes for answer c on item i (items × answers, whole numbers); `answers` names the columns.
    """

    items: NDArray[np.object_]
    answers: tuple[str, ...]
    table: NDArray[np.int64]


def count_answers(votes: Votes) -> AnswerCounts:
    """Count the votes into a dense table with one column per declared class, in declared order.

    Raises HromadaError where the options differ from item to item: there are no shared columns then.
    """
    if votes.classes is None:
        raise HromadaError("Options that differ from item to item share no classes to count by.")
    rows, items = pd.factorize(votes.frame["item"], sort=True)
    columns = pd.Index(votes.classes).get_indexer(pd.Index(votes.frame["answer"]))
    width = len(votes.classes)
    table = np.bincount(rows * width + columns, minlength=len(items) * width).reshape(len(items), width)
    return AnswerCounts(items=np.asarray(items, dtype=object), answers=votes.classes, table=table.astype(np.int64))
