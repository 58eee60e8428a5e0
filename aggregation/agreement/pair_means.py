"""The mean over items of the mean over each two answers of how similar they are, or how far apart."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from aggregation.agreement.item_columns import PeopleLosses, build_item_columns
from aggregation.agreement.table import Coefficient, Definition, estimate_statistic
from aggregation.intervals.resampling import Resampling
from aggregation.schema import Floats

Measure = Callable[[Any, Any], float]
"""Takes two different answers and returns how similar they are."""


def estimate_pair_mean(
    definition: Definition,
    frame: pd.DataFrame,
    build_measure: Callable[[Sequence[Any]], Measure],
    resampling: Resampling,
    *,
    groups: pd.Series[str],
) -> Coefficient:
    """The coefficient of the answers `said` (columns item, annotator, said) to items with two answers or more.

    `build_measure` takes the different answers to an item, sorted if they are texts. Two equal answers have the value
    1, of errors 0. `groups` has the index item.
    """
    equal = 0.0 if definition.scale == "errors" else 1.0
    values: list[float] = []
    losses: list[tuple[float, float]] = []
    loss_items: list[int] = []
    people: list[int] = []
    codes, names = pd.factorize(frame["annotator"], sort=True)
    items = []
    for item, rows in frame.assign(person=codes).groupby("item", sort=True):
        value, of_people, without = _leave_people_out(rows, build_measure, equal=equal)
        loss_items += [len(values)] * len(of_people)
        people += of_people
        losses += [(1.0, value) if np.isnan(rest) else (0.0, value - rest) for rest in without]
        values.append(value)
        items.append(str(item))
    item_columns = build_item_columns(
        np.column_stack([np.ones(len(values)), np.array(values, dtype=np.float64)]),
        groups=groups.reindex(items),
        n_votes=len(frame),
        n_annotators=len(names),
        losses=PeopleLosses(
            losses=np.array(losses, dtype=np.float64).reshape(len(losses), 2),
            loss=np.arange(len(losses)),
            items=np.array(loss_items, dtype=np.intp),
            people=np.array(people, dtype=np.intp),
            n_people=len(names),
        ),
    )
    return estimate_statistic(definition, _compute_mean, item_columns, confidence_level=resampling.confidence_level)


def _compute_mean(sums: Floats) -> Floats:
    return np.asarray(sums[:, 1] / sums[:, 0])


def _leave_people_out(
    rows: pd.DataFrame, build_measure: Callable[[Sequence[Any]], Measure], *, equal: float
) -> tuple[float, list[int], list[float]]:
    """The mean of an item, the people who answered it, and the mean without each of them, nan where no pair is left."""
    said: dict[Hashable, int] = {}
    places = [said.setdefault(answer, len(said)) for answer in _sort_texts(rows["said"])]
    counts = np.bincount(places, minlength=len(said)).astype(np.float64)
    table = np.full((len(said), len(said)), equal)
    measure = build_measure(list(said))
    for (one, first), (two, second) in combinations(enumerate(said), 2):
        table[one, two] = table[two, one] = measure(first, second)
    to_all = table @ counts
    whole = float(counts @ to_all)
    given_by: dict[int, list[int]] = {}
    for person, answer in zip(rows["person"], rows["said"], strict=True):
        given_by.setdefault(int(person), []).append(said[answer])
    without = []
    for _, given in sorted(given_by.items()):
        rest = whole - 2 * float(to_all[given].sum()) + float(table[np.ix_(given, given)].sum())
        without.append(_average(rest, len(rows) - len(given), equal=equal))
    return _average(whole, len(rows), equal=equal), sorted(given_by), without


def _sort_texts(answers: pd.Series[Any]) -> list[Any]:
    """The answers; texts sorted, so that the order of votes does not even change the rounding."""
    listed = list(answers)
    return sorted(listed) if all(isinstance(answer, str) for answer in listed) else listed


def _average(total: float, n: int, *, equal: float) -> float:
    """The mean over pairs of different votes, of the sum over all ordered pairs, each vote paired with itself too."""
    return (total - n * equal) / (n * (n - 1)) if n >= 2 else float("nan")
