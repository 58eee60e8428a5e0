"""Grades of answers that consist of parts (ticked boxes, spans of a text): single answers, and the majority of parts.

The columns are, per answer or item: exact match and F1 in each layer (whole parts, words, characters); for boxes also
precision and recall, and the numbers of right, gold and answered boxes, over all boxes together and for each declared
box; and the number of answers or items.
`answer_types.boxes` and `answer_types.span` say what the parts and layers are, and turn the columns into metrics.

The majority answer of an item has the parts that more than half of its votes have. If exactly half have a part, one
vote drawn at random decides all such parts at once: the columns are the mean over the answers that result from each
vote (`Consensus.tied_answers`). With spans, an empty answer needs a majority as well: if no span is chosen, and at
least half of the votes have one, the vote that is drawn is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aggregation.gold_comparison import ScoredAnswers, count_cells
from aggregation.intervals.panel import Contributions
from aggregation.intervals.resampling import Sparse
from aggregation.schema import Codes, Floats, count_codes, divide_safely
from aggregation.scores.graded_answers import build_answer_contributions, build_majority_contributions

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
    a row per declared box: which parts it is, and of which items it is gold.
    """

    item: Codes
    layers: tuple[_LayerArrays, ...]
    answers: Sparse
    empty: Floats
    boxes: tuple[tuple[Floats, Floats], ...]


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
                np.array([float(part == (box,)) for _, part in keys]),
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
    boxes = [(np.asarray(counts.answers @ of_box), gold[scored.items]) for of_box, gold in counts.boxes]
    return _join_columns(scored.right, layers, boxes, voted=scored.voted, is_pooled=is_pooled)


def _join_columns(
    exact: Floats,
    layers: Sequence[_LayerArrays],
    boxes: Sequence[tuple[Floats, Floats]],
    *,
    voted: NDArray[np.bool_],
    is_pooled: bool,
) -> Floats:
    """The columns of answers from their layers, and from whether each declared box is ticked and is gold."""
    columns = [exact]
    columns += [f1_of_counts(layer.right, gold=layer.gold, answered=layer.answered) * voted for layer in layers]
    if is_pooled:
        whole = layers[0]
        columns += [share_of_counts(whole.right, of=total) * voted for total in (whole.answered, whole.gold)]
        columns += [whole.right, whole.gold, whole.answered]
        for ticked, gold in boxes:
            columns += [ticked * gold, gold, ticked]
    return np.column_stack([*columns, np.ones(len(exact))])


def _sum_majorities(counts: _PartCounts, scored: ScoredAnswers, *, is_pooled: bool) -> Contributions:
    """The columns of the majority of each item, and what they lose without each vote."""
    n_items = len(scored.gold)
    rows = np.flatnonzero(scored.voted)
    tally = _Tally(
        given=np.asarray(counts.answers.sum(axis=0), dtype=np.float64).ravel(),
        totals=np.bincount(scored.items[rows], minlength=n_items).astype(np.float64),
        empty=count_codes(scored.items, size=n_items, weights=counts.empty),
    )
    has_skips = np.bincount(scored.items[~scored.voted], minlength=n_items) > 0
    unanswered = _grade_nothing(counts, n_items, is_pooled=is_pooled)
    columns = _grade_majorities(counts, scored, tally, rows, unanswered, is_pooled=is_pooled)
    changes = np.zeros((len(rows), columns.shape[1]))
    starts = np.flatnonzero(np.diff(scored.items[rows], prepend=-1))
    ranks = np.arange(len(rows)) - np.repeat(starts, np.diff(np.append(starts, len(rows))))
    for rank in range(int(ranks.max(initial=-1)) + 1):
        left_out = rows[ranks == rank]
        items = scored.items[left_out]
        fewer = tally.leave_out(counts, left_out, items)
        others = rows[np.isin(scored.items[rows], items) & (ranks != rank)]
        without = _grade_majorities(counts, scored, fewer, others, unanswered, is_pooled=is_pooled)
        without[(fewer.totals == 0) & ~has_skips] = 0.0
        changes[ranks == rank] = columns[items] - without[items]
    return build_majority_contributions(
        scored,
        columns=columns,
        changes=changes,
        change=np.arange(len(rows)),
        tied=_find_ties(counts, tally, is_pooled=is_pooled),
        unanswered=unanswered,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Tally:
    """The votes of each part (`given`), of each item (`totals`), and of each item for no part (`empty`)."""

    given: Floats
    totals: Floats
    empty: Floats

    def leave_out(self, counts: _PartCounts, rows: Codes, items: Codes) -> _Tally:
        """The tally without these votes, one of each of these items."""
        totals, empty = self.totals.copy(), self.empty.copy()
        totals[items] -= 1
        empty[items] -= counts.empty[rows]
        given = self.given - np.asarray(counts.answers[rows].sum(axis=0)).ravel()
        return _Tally(given=given, totals=totals, empty=empty)

    def list_chosen(self, item: Codes) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which parts, of these items, more than half of the votes have, and which exactly half."""
        half = self.totals[item] / 2
        return self.given > half, (self.given == half) & (half > 0)


def _find_ties(counts: _PartCounts, tally: _Tally, *, is_pooled: bool) -> NDArray[np.bool_]:
    """Items with a part that exactly half of their votes have, or, for spans, with no span and no empty majority."""
    chosen, tied = tally.list_chosen(counts.item)
    n_items = len(tally.totals)
    is_tied: NDArray[np.bool_] = np.bincount(counts.item[tied], minlength=n_items) > 0
    if is_pooled:
        return is_tied
    is_open = (np.bincount(counts.item[chosen], minlength=n_items) == 0) & (tally.empty <= tally.totals / 2)
    return np.asarray(is_tied | (is_open & (tally.totals > 0)))


def _grade_nothing(counts: _PartCounts, n_items: int, *, is_pooled: bool) -> Floats:
    """The columns of items without an answer."""
    nothing = np.zeros(n_items)
    layers = [_LayerArrays(answered=nothing, right=nothing, gold=layer.gold) for layer in counts.layers]
    boxes = [(nothing, gold) for _, gold in counts.boxes]
    return _join_columns(nothing, layers, boxes, voted=np.zeros(n_items, dtype=bool), is_pooled=is_pooled)


def _grade_majorities(
    counts: _PartCounts, scored: ScoredAnswers, tally: _Tally, rows: Codes, unanswered: Floats, *, is_pooled: bool
) -> Floats:
    """The columns of each item: the mean over the votes (`rows`) of the answer that each makes of the majority."""
    of = scored.items[rows]
    sums = np.zeros_like(unanswered)
    np.add.at(sums, of, _grade_settled(counts, of, rows, tally, is_pooled=is_pooled))
    n = np.bincount(of, minlength=len(sums))[:, None]
    return np.where(n > 0, sums / np.maximum(n, 1), unanswered)


def _grade_settled(counts: _PartCounts, of: Codes, rows: Codes, tally: _Tally, *, is_pooled: bool) -> Floats:
    """The columns of the majority of its item (`of`), for each vote that settles what is tied."""
    chosen, tied = tally.list_chosen(counts.item)
    own, n_items = counts.answers[rows], len(tally.totals)

    def settle(sizes: Floats) -> Floats:
        by_majority = count_codes(counts.item, size=n_items, weights=chosen * sizes)[of]
        return np.asarray(by_majority + np.asarray(own @ (tied * sizes)))

    takes_own = np.zeros(len(rows), dtype=bool)
    if not is_pooled:
        takes_own = (settle(np.ones(len(chosen))) == 0) & (tally.empty <= tally.totals / 2)[of]
    layers = [
        _LayerArrays(
            answered=np.where(takes_own, np.asarray(own @ layer.answered), settle(layer.answered)),
            right=np.where(takes_own, np.asarray(own @ layer.right), settle(layer.right)),
            gold=layer.gold[of],
        )
        for layer in counts.layers
    ]
    whole = layers[0]
    exact = ((whole.right == whole.gold) & (whole.answered == whole.gold)).astype(np.float64)
    boxes = [(settle(of_box), gold[of]) for of_box, gold in counts.boxes]
    return _join_columns(exact, layers, boxes, voted=np.ones(len(rows), dtype=bool), is_pooled=is_pooled)
