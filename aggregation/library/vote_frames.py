"""Frames as other tools make them, read as votes: which column is what, one spelling, and the values as they came."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation import spelling
from aggregation.answers import Answers
from aggregation.errors import HromadaError, Where
from aggregation.scales import read_point
from aggregation.schema import MeasurementLevel, check_votes

NAMES: Mapping[str, str] = {"item": "task", "annotator": "worker", "answer": "label"}
"""crowd-kit's names of the columns, by ours."""
GOLD = "gold"
"""The column with the right label of each item."""
Repeats = Literal["first", "last", "all"]
"""Which of several votes of one annotator on one item count."""
GoldLabels: TypeAlias = "pd.Series[Any] | Mapping[Any, Any]"
"""The right label by item, as crowd-kit's `true_label`."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FrameVotes:
    """The votes of a frame, checked, with the values that items and labels have in the frame.

    `columns` are the frame's names of item, annotator and answer. `item_values` and `label_values` have the values as
    they came, by the text under which they are compared. `notes` say what was left out or looks doubtful.
    """

    answers: Answers
    columns: Mapping[str, Any]
    item_values: Mapping[str, Any]
    label_values: Mapping[str, Any]
    notes: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels as texts, in their order."""
        return self.answers.votes.classes or ()


@dataclass(frozen=True, kw_only=True, eq=False)
class _Column:
    """A column as texts in one spelling (None for an empty cell), and its first value of each text."""

    name: Any
    texts: NDArray[np.object_]
    values: dict[str, Any]


def name_columns(columns: Iterable[Any]) -> dict[str, Any]:
    """Which column of a table is item, annotator and answer: ours, or crowd-kit's task, worker and label.

    Of a table that has both, those count of which all three are there. Raises HromadaError if one is missing, or two
    could be meant.
    """
    listed = [*columns]
    whole = [names for names in (tuple(NAMES), tuple(NAMES.values())) if all(name in listed for name in names)]
    if len(whole) == 1:
        return dict(zip(NAMES, whole[0], strict=True))
    chosen = {}
    for ours, other in NAMES.items():
        found = [name for name in (ours, other) if name in listed]
        if not found:
            raise HromadaError(
                f"The votes have no column {ours!r}, nor {other!r}.",
                remedy=f"Rename columns (there are {', '.join(map(str, listed))}); melt one with a column a person.",
            )
        if len(found) > 1:
            raise HromadaError(
                f"The votes have both {ours!r} and {other!r}.", remedy="Drop the column that is not meant."
            )
        chosen[ours] = found[0]
    return chosen


def read_frame(
    frame: Any,
    *,
    labels: Sequence[Any] | None = None,
    level: MeasurementLevel = "nominal",
    group: Any = None,
    repeats: Repeats = "first",
    gold: GoldLabels | None = None,
    needs_gold: bool = False,
) -> FrameVotes:
    """Read a frame with one vote per row; levels of its index with the name of a column count as columns.

    Texts are compared in Unicode's form NFC without blanks around them, and whole numbers without a decimal point, so
    that 1.0 is the label 1. `labels` are all labels people could choose, in their order; without it they are the
    categories of a categorical column, else those that occur. `group` names the column with the group of each item.
    Gold is read only if it is needed: `gold`, or the column of that name.

    Raises HromadaError for a frame that cannot be read; it names the column.
    """
    if not isinstance(frame, pd.DataFrame):
        raise HromadaError(f"Votes cannot be a {type(frame).__name__}.", remedy="Give a pandas frame.")
    if repeats not in get_args(Repeats):
        raise HromadaError(f"There are no repeats {repeats!r}.", remedy="Use first, last or all.")
    known = {*NAMES, *NAMES.values(), GOLD, group}
    indexed = [name for name in frame.index.names if name is not None and name in known]
    frame = frame.reset_index(level=indexed) if indexed else frame
    columns = name_columns(frame.columns)
    read = {role: _read_filled(frame, name) for role, name in columns.items()}
    if frame.empty:
        raise HromadaError("There are no votes.", remedy="Give a frame that has rows.")
    truth = _read_gold(frame, read["item"], gold) if needs_gold else _NO_GOLD
    answer, dtype = read["answer"], frame[columns["answer"]].dtype
    declared, is_ordered = _list_labels(answer, truth, labels=labels, dtype=dtype)
    if level != "nominal" and not is_ordered:
        raise HromadaError(
            f"The labels in the column {answer.name!r} have no order.",
            remedy="Give labels=[…] from the lowest to the highest, or an ordered categorical.",
        )
    _check_labels(answer, truth, tuple(declared), needs_gold=needs_gold)
    texts = pd.DataFrame({role: column.texts for role, column in read.items()}, dtype=object)
    is_repeated = texts.duplicated(["item", "annotator"], keep="last" if repeats == "last" else "first")
    items = _build_items(frame, read["item"], truth, group=group, n_options=len(declared))
    try:
        votes = check_votes(
            texts if repeats == "all" else texts.loc[~is_repeated],
            items=items,
            classes=tuple(declared),
            measurement_level=level,
        )
    except HromadaError as error:
        where = Where(field=f"the column {answer.name!r}")
        raise HromadaError(error.problem, remedy=error.remedy, where=where) from error
    return FrameVotes(
        answers=Answers(kind="label", votes=votes),
        columns=columns,
        item_values={**truth.items, **read["item"].values},
        label_values=declared,
        notes=tuple(_list_notes(read, declared, n_repeated=int(is_repeated.sum()), repeats=repeats)),
    )


def spell_values(values: pd.Series[Any], *, name: Any) -> tuple[NDArray[np.object_], dict[str, Any]]:
    """The values as texts in one spelling, None for an empty one, and the first value of each text.

    Raises HromadaError, which names the column, if a value is a list or another container.
    """
    try:
        codes, different = pd.factorize(values)
    except TypeError as error:
        kind = next((type(value).__name__ for value in values if not np.isscalar(value) and value is not None), "list")
        raise HromadaError(
            f"The column {name!r} has a {kind} in a cell.", remedy="Give one value per cell, with one vote per row."
        ) from error
    texts: list[str | None] = []
    first: dict[str, Any] = {}
    for value in different:
        is_whole = isinstance(value, (float, np.floating)) and value.is_integer()
        plain = int(value) if is_whole else value
        text = spelling.build_key(str(plain))
        texts.append(text or None)
        if text:
            first.setdefault(text, plain)
    return np.array([*texts, None], dtype=object)[codes], first


@dataclass(frozen=True, kw_only=True, eq=False)
class _Gold:
    """The right label by item, both as texts; the values of items and labels by text; and what gold is called."""

    by_item: Mapping[str, str]
    items: Mapping[str, Any]
    labels: Mapping[str, Any]
    name: str = f"the column {GOLD!r}"


_NO_GOLD = _Gold(by_item={}, items={}, labels={})


def _read_column(frame: pd.DataFrame, name: Any) -> _Column:
    if name not in frame.columns:
        raise HromadaError(
            f"The votes have no column {name!r}.", remedy=f"There are {', '.join(map(str, frame.columns))}."
        )
    column: Any = frame[name]
    if isinstance(column, pd.DataFrame):
        raise HromadaError(f"The votes have two columns {name!r}.", remedy="Rename or drop one of them.")
    texts, values = spell_values(column, name=name)
    return _Column(name=name, texts=texts, values=values)


def _read_filled(frame: pd.DataFrame, name: Any) -> _Column:
    """A column without empty cells."""
    column = _read_column(frame, name)
    is_empty = pd.isna(column.texts)
    if is_empty.any():
        count, first = int(is_empty.sum()), frame.index[is_empty][0]
        number = "an empty cell" if count == 1 else f"{count} empty cells"
        raise HromadaError(
            f"The column {name!r} has {number}, first in row {first}.",
            remedy="Leave out votes without an answer." if name in ("answer", "label") else "Fill or drop these rows.",
        )
    return column


def _read_gold(frame: pd.DataFrame, item: _Column, gold: GoldLabels | None) -> _Gold:
    """The gold that was given, or the column of that name; raises HromadaError if there is none or it contradicts."""
    if gold is None:
        if GOLD not in frame.columns:
            raise HromadaError(
                f"The votes have no column {GOLD!r}.", remedy="Add it, or give gold=SERIES with the item as its index."
            )
        column = _read_column(frame, GOLD)
        texts, values, name = column.texts, column.values, _NO_GOLD.name
        items, item_values = item.texts, item.values
    elif isinstance(gold, (pd.Series, Mapping)):
        given, name = pd.Series(gold, dtype=None if isinstance(gold, pd.Series) else object), "gold"
        texts, values = spell_values(given, name=name)
        items, item_values = spell_values(given.index.to_series(), name="the index of gold")
    else:
        raise HromadaError(
            f"Gold cannot be a {type(gold).__name__}.", remedy="Give a Series or a dictionary of labels by item."
        )
    pairs = pd.DataFrame({"item": items, GOLD: texts}).dropna().drop_duplicates()
    if pairs.empty:
        raise HromadaError(f"There is no label in {name}.", remedy="Give the right label of some items.")
    twice = pairs.loc[pairs["item"].duplicated(), "item"]
    if len(twice):
        raise HromadaError(
            f"The item {twice.iloc[0]!r} has two labels in {name}.", remedy="Give each item one right label."
        )
    if not pairs["item"].isin(list(item.values)).any():
        told = [spelling.list_words(words, most=3) for words in (pairs["item"], item.values)]
        raise HromadaError(
            f"Gold has the items {told[0]}, and the column {item.name!r} has {told[1]}.",
            remedy="Give gold with the same items as its index.",
        )
    return _Gold(
        by_item=dict(zip(pairs["item"], pairs[GOLD], strict=True)), items=item_values, labels=values, name=name
    )


def _list_labels(
    answer: _Column, truth: _Gold, *, labels: Sequence[Any] | None, dtype: Any
) -> tuple[dict[str, Any], bool]:
    """The values of the labels by text, in their order, and whether the order means something."""
    if labels is None and isinstance(dtype, pd.CategoricalDtype):
        _, values = spell_values(dtype.categories.to_series(), name=answer.name)
        is_numeric = all(read_point(text) is not None for text in values)
        return values, bool(dtype.ordered) or is_numeric
    if labels is not None:
        if isinstance(labels, str) or not len(labels):
            raise HromadaError("The labels are not a list of labels.", remedy="Give labels=['yes', 'no'].")
        texts, values = spell_values(pd.Series([*labels], dtype=object), name="labels")
        if len(values) < len(texts):
            raise HromadaError("Two of the labels are equal, or one is empty.", remedy="Give each label once.")
        return values, True
    values = {**truth.labels, **answer.values}
    points = {text: read_point(text) for text in values}
    numbers = {text: point for text, point in points.items() if point is not None}
    if len(numbers) == len(values):
        return {text: values[text] for text in sorted(values, key=lambda text: (numbers[text], text))}, True
    return {text: values[text] for text in sorted(values)}, False


def _check_labels(answer: _Column, truth: _Gold, declared: Sequence[str], *, needs_gold: bool) -> None:
    """Raise HromadaError for an answer or gold that is not among the labels, or if gold has other labels altogether."""
    for name, values in ((f"The column {answer.name!r}", answer.values), (truth.name.capitalize(), truth.labels)):
        unknown = sorted(set(values) - set(declared))
        if unknown:
            raise HromadaError(
                f"{name} has {spelling.quote_word(unknown[0], beside=declared)}, which is not among the labels.",
                remedy=f"Write it as one of {spelling.list_words(declared, beside=unknown)}, or add it to the labels.",
            )
    if needs_gold and not set(truth.labels) & set(answer.values):
        told = [spelling.list_words(sorted(values)) for values in (answer.values, truth.labels)]
        raise HromadaError(
            f"The column {answer.name!r} has {told[0]}, and {truth.name} has {told[1]}.",
            remedy="Write both with the same labels.",
        )


def _build_items(frame: pd.DataFrame, item: _Column, truth: _Gold, *, group: Any, n_options: int) -> pd.DataFrame:
    """One row per item that has a vote or gold; raises HromadaError if an item has two groups."""
    ids = [*item.values, *(one for one in truth.by_item if one not in item.values)]
    groups = {one: one for one in ids}
    if group is not None:
        column = _read_column(frame, group)
        pairs = pd.DataFrame({"item": item.texts, "group": column.texts}).dropna().drop_duplicates()
        twice = pairs.loc[pairs["item"].duplicated(), "item"]
        if len(twice):
            raise HromadaError(
                f"The item {twice.iloc[0]!r} has two groups in the column {group!r}.",
                remedy="Give each item one group.",
            )
        groups |= dict(zip(pairs["item"], pairs["group"], strict=True))
    rows = {
        "group": [groups[one] for one in ids],
        GOLD: pd.Series([truth.by_item.get(one) for one in ids], dtype=object),
        "n_options": max(2, n_options),
    }
    return pd.DataFrame(rows).set_axis(pd.Index(ids, dtype=object), axis=0)


def _list_notes(
    read: Mapping[str, _Column], declared: Mapping[str, Any], *, n_repeated: int, repeats: Repeats
) -> Iterable[str]:
    if n_repeated and repeats != "all":
        votes = spelling.count_noun(n_repeated, "repeated vote")
        yield f"{votes} left out: the {repeats} vote of an annotator on an item counts."
    unused = [text for text in declared if text not in read["answer"].values]
    if unused:
        yield f"Nobody chose {spelling.list_words(unused)}. AC1, AC2 and guessing count it as an option."
    yield from spelling.describe_lookalikes("labels", declared)
    yield from spelling.describe_lookalikes("annotators", read["annotator"].values)
