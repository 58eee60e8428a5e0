"""Grades of answers that consist of parts, boxes or spans: single answers, and the majority of each part.

The columns are, per answer or item: exact match, F1 in each layer, then for boxes their precision and recall, and the
right, gold and answered boxes of all boxes together and of each declared box; what ties added to the exact matches, and
the number of answers or items. A tied part is half chosen, so that every metric but the exact match has about its
expected value. `multilabel.scores` and `spans.scores` say what the parts and layers are, and turn the columns into
metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aggregation.bootstrap import Sparse
from aggregation.gold_comparison import ScoredAnswers, count_cells
from aggregation.options import build_answer_contributions, build_majority_contributions
from aggregation.panel_variance import Contributions
from aggregation.schema import Codes, Floats, count_codes, divide_safely

Part = tuple[str, ...] | tuple[int, int, str]
"""A box, or the ends of a span with its class, which is empty without classes."""
PartsByItem = Mapping[str, Sequence[Part]]


@dataclass(frozen=True, kw_only=True)
class Layer:
    """One way to measure parts (boxes; spans; words or characters of spans).

    `answered` is the size of each answered part and `right` how much of it is gold, by item and part; `gold` is the
    size of each item's gold.
    """

    answered: Mapping[tuple[str, Part], float]
    right: Mapping[tuple[str, Part], float]
    gold: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class PartType:
    """What the parts of an answer are.

    `parse` reads the parts of a stored answer; `build_layers` takes the answered parts and the gold parts by item.
    `boxes` are the declared boxes (none where they differ from item to item), None where parts are spans.
    """

    parse: Callable[[str], Sequence[Part]]
    build_layers: Callable[[PartsByItem, PartsByItem], tuple[Layer, ...]]
    boxes: tuple[str, ...] | None


@dataclass(frozen=True, kw_only=True, eq=False)
class _LayerArrays:
    """A layer as arrays: `answered` and `right` have a number per part (or answer), `gold` per item (or answer)."""

    answered: Floats
    right: Floats
    gold: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class _PartCounts:
    """Every different part that occurs in the answers to an item, sorted by item; `item` is the item of each.

    `answers` says which parts an answer has (answers × parts); `empty` is 1 for an answer without any part. `boxes` has
    a row per declared box: the places of its parts, and of which items it is gold.
    """

    item: Codes
    layers: tuple[_LayerArrays, ...]
    answers: Sparse
    empty: Floats
    boxes: tuple[tuple[NDArray[np.intp], Floats], ...]


def sum_parts(scored: ScoredAnswers, part_type: PartType) -> tuple[Contributions, Contributions]:
    """What single answers contribute, and what the majority of each part does."""
    counts = _count_parts(scored, part_type)
    is_pooled = part_type.boxes is not None
    table = _grade_answers(counts, scored, is_pooled=is_pooled)
    individual = build_answer_contributions(
        scored, changes=table, change=np.arange(len(table)), n_items=len(scored.gold)
    )
    return individual, _sum_majorities(counts, scored, is_pooled=is_pooled)


def build_whole_layer(answered: PartsByItem, gold: PartsByItem) -> Layer:
    """The layer in which each part has size one and is right as a whole or not at all."""
    return Layer(
        answered={(item, part): 1.0 for item, parts in answered.items() for part in parts},
        right={(item, part): float(part in gold[item]) for item, parts in answered.items() for part in parts},
        gold={item: float(len(parts)) for item, parts in gold.items()},
    )


def f1_of_counts(right: Floats, *, gold: Floats, answered: Floats) -> Floats:
    """2 right / (gold + answered), elementwise; 1 where both are empty."""
    total = np.asarray(gold + answered, dtype=np.float64)
    return np.where(total > 0, divide_safely(np.asarray(2 * right, dtype=np.float64), total), 1.0)


def share_of_counts(right: Floats, *, of: Floats) -> Floats:
    """Precision or recall: right / of, elementwise; 1 where nothing was answered, or nothing is gold."""
    return np.where(of > 0, divide_safely(np.asarray(right, dtype=np.float64), np.asarray(of, dtype=np.float64)), 1.0)


def _count_parts(scored: ScoredAnswers, part_type: PartType) -> _PartCounts:
    ids = [str(item) for item in scored.gold.index]
    parts_of_rows = [
        part_type.parse(answer) if voted else ()
        for answer, voted in zip(scored.frame["answer"], scored.voted, strict=True)
    ]
    keys = sorted(
        {(item, part) for item, parts in zip(scored.items.tolist(), parts_of_rows, strict=True) for part in parts}
    )
    number = {key: place for place, key in enumerate(keys)}
    rows = [row for row, parts in enumerate(parts_of_rows) for _ in parts]
    columns = [number[scored.items[row], part] for row, parts in enumerate(parts_of_rows) for part in parts]
    answered: dict[str, list[Part]] = {item: [] for item in ids}
    for item, part in keys:
        answered[ids[item]].append(part)
    gold = {item: part_type.parse(str(stored)) for item, stored in zip(ids, scored.gold, strict=True)}
    layers = tuple(
        _LayerArrays(
            answered=np.array([layer.answered[ids[item], part] for item, part in keys], dtype=np.float64),
            right=np.array([layer.right[ids[item], part] for item, part in keys], dtype=np.float64),
            gold=np.array([layer.gold[item] for item in ids], dtype=np.float64),
        )
        for layer in part_type.build_layers(answered, gold)
    )
    is_empty = scored.voted & np.array([not parts for parts in parts_of_rows], dtype=bool)
    return _PartCounts(
        item=np.array([item for item, _ in keys], dtype=np.intp),
        layers=layers,
        answers=count_cells(rows, columns, shape=(len(parts_of_rows), len(keys))),
        empty=is_empty.astype(np.float64),
        boxes=tuple(
            (
                np.array([place for place, (_, part) in enumerate(keys) if part == (box,)], dtype=np.intp),
                np.array([float((box,) in gold[item]) for item in ids]),
            )
            for box in (part_type.boxes or ())
        ),
    )


def _grade_answers(counts: _PartCounts, scored: ScoredAnswers, *, is_pooled: bool) -> Floats:
    """The columns of each answer; a skip has said nothing."""
    layers = [
        _LayerArrays(
            answered=np.asarray(counts.answers @ layer.answered),
            right=np.asarray(counts.answers @ layer.right),
            gold=layer.gold[scored.items],
        )
        for layer in counts.layers
    ]
    columns = [scored.right]
    columns += [f1_of_counts(layer.right, gold=layer.gold, answered=layer.answered) * scored.voted for layer in layers]
    if is_pooled:
        boxes = layers[0]
        columns += [share_of_counts(boxes.right, of=total) * scored.voted for total in (boxes.answered, boxes.gold)]
        columns += [boxes.right, boxes.gold, boxes.answered]
        for places, box_gold in counts.boxes:
            ticked = (
                np.asarray(counts.answers[:, places].sum(axis=1)).ravel() if len(places) else np.zeros(len(columns[0]))
            )
            columns += [ticked * box_gold[scored.items], box_gold[scored.items], ticked]
    return np.column_stack([*columns, np.zeros(len(columns[0])), np.ones(len(columns[0]))])


def _sum_majorities(counts: _PartCounts, scored: ScoredAnswers, *, is_pooled: bool) -> Contributions:
    """The columns of the parts that more than half of an item's answers have, and without each of these answers.

    Spans need a majority for the empty answer too; an item without any majority stays open.
    """
    n_items = len(scored.gold)
    rows = np.flatnonzero(scored.voted)
    given = np.asarray(counts.answers.sum(axis=0), dtype=np.float64).ravel()
    totals = np.bincount(scored.items[rows], minlength=n_items).astype(np.float64)
    empty = count_codes(scored.items, size=n_items, weights=counts.empty)
    has_skips = np.bincount(scored.items[~scored.voted], minlength=n_items) > 0
    columns = _grade_majorities(counts, given, totals, empty, is_pooled=is_pooled)
    with_answers = columns.copy()
    with_answers[:, -2] = 0.0  # a tie counts half, as in `options.sum_pluralities`
    changes = np.zeros((len(rows), columns.shape[1]))
    starts = np.flatnonzero(np.diff(scored.items[rows], prepend=-1))
    ranks = np.arange(len(rows)) - np.repeat(starts, np.diff(np.append(starts, len(rows))))
    for rank in range(int(ranks.max(initial=-1)) + 1):
        places = np.flatnonzero(ranks == rank)
        left_out = rows[places]
        items = scored.items[left_out]
        fewer, fewer_empty = totals.copy(), empty.copy()
        fewer[items] -= 1
        fewer_empty[items] -= counts.empty[left_out]
        fewer_given = given - np.asarray(counts.answers[left_out].sum(axis=0)).ravel()
        without = _grade_majorities(counts, fewer_given, fewer, fewer_empty, is_pooled=is_pooled)
        without[:, -2] = 0.0
        without[(fewer == 0) & ~has_skips] = 0.0
        changes[places] = with_answers[items] - without[items]
    return build_majority_contributions(scored, columns=columns, changes=changes, change=np.arange(len(rows)))


def _grade_majorities(counts: _PartCounts, given: Floats, totals: Floats, empty: Floats, *, is_pooled: bool) -> Floats:
    """The columns of each item for parts with `given` votes of the `totals` of their items; a tied part counts half."""
    n_items, item, half = len(totals), counts.item, totals[counts.item] / 2
    is_tied = (given == half) & (half > 0)
    shares = (given > half) + is_tied / 2

    def add_up(numbers: Floats) -> Floats:
        return count_codes(item, size=n_items, weights=numbers)

    has_tie = add_up(is_tied.astype(np.float64)) > 0
    is_closed = totals > 0
    if not is_pooled:
        is_closed &= (add_up(shares) > 0) | (empty > totals / 2)
    shares = shares * is_closed[item]
    layers = [(add_up(shares * each.right), each.gold, add_up(shares * each.answered)) for each in counts.layers]
    is_gold = counts.layers[0].right
    exact = (add_up(is_gold) == counts.layers[0].gold) & is_closed
    chances = np.ones(n_items)
    np.multiply.at(chances, item, np.where(is_gold > 0, shares, 1 - shares))
    columns = [
        exact * chances,
        *(f1_of_counts(right, gold=gold, answered=said) * is_closed for right, gold, said in layers),
    ]
    if is_pooled:
        box_right, boxes_gold, boxes_answered = layers[0]
        columns += [share_of_counts(box_right, of=total) * is_closed for total in (boxes_answered, boxes_gold)]
        columns += list(layers[0])
        for places, box_gold in counts.boxes:
            ticked = np.bincount(item[places], weights=shares[places], minlength=n_items)
            columns += [ticked * box_gold, box_gold, ticked]
    return np.column_stack([*columns, exact * chances * has_tie, np.ones(n_items)])
