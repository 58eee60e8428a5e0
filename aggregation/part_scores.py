"""Scorers of answers that consist of parts, boxes or spans: single answers, and the majority of each part.

The columns are, per answer or item: exact match, F1 in each layer, then for boxes the right, gold and answered boxes
of all boxes together and of each declared box, and the number of answers or items. `multilabel.scores` and
`spans.scores` say what the parts and layers are, and turn the columns into metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aggregation.bootstrap import Sparse
from aggregation.consensus import TIE_TOLERANCE
from aggregation.gold_comparison import ScoredAnswers, Scorer, SumColumns, build_scorer, count_cells
from aggregation.schema import Codes, Floats, divide_safely

Part = tuple[str, ...] | tuple[int, int]
"""A box, or the ends of a span."""
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

    `within` adds parts up to items (items × parts), `answers` says which parts an answer has (answers × parts), `given`
    counts each annotator's answers with a part (parts × annotators); `votes` and `empty` count each annotator's
    answers, and those without any part (items × annotators). `boxes` has a row per declared box: the places of its
    parts, and of which items it is gold.
    """

    item: Codes
    layers: tuple[_LayerArrays, ...]
    within: Sparse
    answers: Sparse
    given: Sparse
    votes: Sparse
    empty: Sparse
    boxes: tuple[tuple[NDArray[np.intp], Floats], ...]


def build_part_scorers(scored: ScoredAnswers, part_type: PartType) -> tuple[Scorer, Scorer]:
    """The scorers of single answers and of the majority of each part."""
    counts = _count_parts(scored, part_type)
    is_pooled = part_type.boxes is not None
    width = max(len(counts.item), len(scored.frame), len(scored.gold))
    individual = _build_individual_sums(counts, scored, is_pooled=is_pooled)
    majority = _build_majority_sums(counts, scored, is_pooled=is_pooled)
    return build_scorer(individual, scored, width=width), build_scorer(majority, scored, width=width)


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
    item_of_part = np.array([item for item, _ in keys], dtype=np.intp)
    is_empty = scored.voted & np.array([not parts for parts in parts_of_rows], dtype=bool)
    annotators, n_items, n_annotators = scored.annotators, len(ids), len(scored.annotator_ids)
    return _PartCounts(
        item=item_of_part,
        layers=layers,
        within=count_cells(item_of_part, np.arange(len(keys)), shape=(n_items, len(keys))),
        answers=count_cells(rows, columns, shape=(len(parts_of_rows), len(keys))),
        given=count_cells(columns, annotators[rows] if rows else [], shape=(len(keys), n_annotators)),
        votes=count_cells(scored.items[scored.voted], annotators[scored.voted], shape=(n_items, n_annotators)),
        empty=count_cells(scored.items[is_empty], annotators[is_empty], shape=(n_items, n_annotators)),
        boxes=tuple(
            (
                np.array([place for place, (_, part) in enumerate(keys) if part == (box,)], dtype=np.intp),
                np.array([float((box,) in gold[item]) for item in ids]),
            )
            for box in (part_type.boxes or ())
        ),
    )


def _build_individual_sums(counts: _PartCounts, scored: ScoredAnswers, *, is_pooled: bool) -> SumColumns:
    """The columns of an answer do not depend on who else is drawn: they are computed once and weighted per draw."""
    layers = [
        _LayerArrays(
            answered=np.asarray(counts.answers @ layer.answered),
            right=np.asarray(counts.answers @ layer.right),
            gold=layer.gold[scored.items],
        )
        for layer in counts.layers
    ]
    exact = scored.right
    f1 = [f1_of_counts(layer.right, gold=layer.gold, answered=layer.answered) * scored.voted for layer in layers]
    columns = [exact, *f1]
    if is_pooled:
        columns += [layers[0].right, layers[0].gold, layers[0].answered]
        for places, box_gold in counts.boxes:
            ticked = np.zeros(len(exact))
            if len(places):
                ticked = np.asarray(counts.answers[:, places].sum(axis=1)).ravel()
            columns += [ticked * box_gold[scored.items], box_gold[scored.items], ticked]
    table = np.column_stack([*columns, np.ones(len(exact))])

    def sum_columns(annotators: Floats, items: Floats) -> Floats:
        weights = annotators[scored.annotators] * items[scored.items]
        return np.asarray(weights.T @ table)

    return sum_columns


def _build_majority_sums(counts: _PartCounts, scored: ScoredAnswers, *, is_pooled: bool) -> SumColumns:
    """The columns of the parts that more than half of an item's drawn answers have.

    Spans need a majority for the empty answer too; an item without any majority, or with a tie, stays open.
    """
    skips = scored.count_skips()

    def sum_columns(annotators: Floats, items: Floats) -> Floats:
        total = np.asarray(counts.votes @ annotators, dtype=np.float64)
        votes, half = np.asarray(counts.given @ annotators, dtype=np.float64), total[counts.item] / 2
        has_majority = votes > half + TIE_TOLERANCE
        is_tied = (np.abs(votes - half) <= TIE_TOLERANCE) & (half > 0)
        is_closed = (total > 0) & ~(np.asarray(counts.within @ is_tied.astype(np.float64)) > 0)
        if not is_pooled:
            any_part = np.asarray(counts.within @ has_majority.astype(np.float64)) > 0
            is_closed &= any_part | (np.asarray(counts.empty @ annotators) > total / 2 + TIE_TOLERANCE)
        chosen = has_majority & is_closed[counts.item]
        weights = items * ((total + np.asarray(skips @ annotators)) > 0)
        return np.column_stack(
            _sum_item_columns(counts, chosen.astype(np.float64), is_closed, weights, is_pooled=is_pooled)
        )

    return sum_columns


def _sum_item_columns(
    counts: _PartCounts, chosen: Floats, is_closed: NDArray[np.bool_], weights: Floats, *, is_pooled: bool
) -> list[Floats]:
    """The sums of the columns for the chosen parts (parts × draws) of weighted items (items × draws)."""
    layers = [_sum_layer(counts, layer, chosen) for layer in counts.layers]
    right, gold, answered = layers[0]
    exact = is_closed & (right == gold) & (answered == gold)
    columns = [_sum_weighted(exact, weights)]
    columns += [_sum_weighted(f1_of_counts(r, gold=g, answered=a) * is_closed, weights) for r, g, a in layers]
    if is_pooled:
        columns += [_sum_weighted(column, weights) for column in (right, gold, answered)]
        for places, box_gold in counts.boxes:
            ticked = chosen[places] * weights[counts.item[places]]
            right_ticks = ticked * box_gold[counts.item[places], None]
            columns += [right_ticks.sum(axis=0), box_gold @ weights, ticked.sum(axis=0)]
    return [*columns, weights.sum(axis=0)]


def _sum_layer(counts: _PartCounts, layer: _LayerArrays, chosen: Floats) -> tuple[Floats, Floats, Floats]:
    """The right, gold and answered size of each item in a layer: items × draws."""
    right = np.asarray(counts.within @ (chosen * layer.right[:, None]), dtype=np.float64)
    answered = np.asarray(counts.within @ (chosen * layer.answered[:, None]), dtype=np.float64)
    return right, np.broadcast_to(layer.gold[:, None], right.shape), answered


def _sum_weighted(column: Floats | NDArray[np.bool_], weights: Floats) -> Floats:
    return np.asarray((column * weights).sum(axis=0), dtype=np.float64)
