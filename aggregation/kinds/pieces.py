"""Boxes and spans against gold when people and items are drawn again: every answer, and the majority of each piece."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from aggregation.bootstrap import Sparse
from aggregation.consensus.labels import TIED
from aggregation.kinds.answers import Answers
from aggregation.kinds.grades import Piece, f1, layers, pieces
from aggregation.schema import Codes, Floats
from aggregation.scored import Scored, Scorer


@dataclass(frozen=True, kw_only=True, eq=False)
class _Measured:
    """A layer (see `grades.Layer`) as numbers: `said` and `right` a piece, `gold` an item."""

    said: Floats
    right: Floats
    gold: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class _Pieces:
    """Every different piece that somebody said of an item, sorted by item; `of` is the item of each.

    `within` adds pieces up to items (items × pieces), `rows` says which pieces an answer has (answers × pieces),
    `given` how often each person said each (pieces × people); `votes` and `nothing` count each person's answers, and
    those without a piece (items × people). `boxes` has a row a box: which pieces are it, and of which items it is gold.
    """

    of: Codes
    layers: tuple[_Measured, ...]
    within: Sparse
    rows: Sparse
    given: Sparse
    votes: Sparse
    nothing: Sparse
    boxes: tuple[tuple[NDArray[np.intp], Floats], ...]
    pooled: bool


def of_pieces(answers: Answers, scored: Scored) -> tuple[Scorer, Scorer]:
    """The scorers of single answers and of majorities of each piece; for their marks see `grades.piece_metrics`."""
    known = _pieces(answers, scored)
    return _scorer(_single(known, scored), known, scored), _scorer(
        _majority(known, scored, marked=answers.kind == "span"), known, scored
    )


def _pieces(answers: Answers, scored: Scored) -> _Pieces:
    ids = [str(one) for one in scored.gold.index]
    said = [
        pieces(answers, one) if voted else () for one, voted in zip(scored.frame["answer"], scored.voted, strict=True)
    ]
    keys = sorted({(item, one) for item, several in zip(scored.items.tolist(), said, strict=True) for one in several})
    number = {key: place for place, key in enumerate(keys)}
    rows = [row for row, several in enumerate(said) for _ in several]
    columns = [number[scored.items[row], one] for row, several in enumerate(said) for one in several]
    of_item: dict[str, list[Piece]] = {item: [] for item in ids}
    for item, piece in keys:
        of_item[ids[item]].append(piece)
    golds = {item: str(gold) for item, gold in zip(ids, scored.gold, strict=True)}
    measured = tuple(
        _Measured(
            said=np.array([layer.said[ids[item], one] for item, one in keys], dtype=np.float64),
            right=np.array([layer.right[ids[item], one] for item, one in keys], dtype=np.float64),
            gold=np.array([layer.gold[item] for item in ids], dtype=np.float64),
        )
        for layer in layers(answers, of_item, golds)
    )
    of = np.array([item for item, _ in keys], dtype=np.intp)
    empty = scored.voted & np.array([not several for several in said], dtype=bool)
    people, n_items, n_people = scored.people, len(ids), len(scored.names)
    return _Pieces(
        of=of,
        layers=measured,
        within=_counted(of, np.arange(len(keys)), shape=(n_items, len(keys))),
        rows=_counted(rows, columns, shape=(len(said), len(keys))),
        given=_counted(columns, people[rows] if rows else [], shape=(len(keys), n_people)),
        votes=_counted(scored.items[scored.voted], people[scored.voted], shape=(n_items, n_people)),
        nothing=_counted(scored.items[empty], people[empty], shape=(n_items, n_people)),
        boxes=tuple(
            (
                np.array([place for place, (_, one) in enumerate(keys) if one == (box,)], dtype=np.intp),
                np.array([float((box,) in pieces(answers, golds[item])) for item in ids]),
            )
            for box in (answers.boxes or ())
        ),
        pooled=answers.kind == "boxes",
    )


def _single(known: _Pieces, scored: Scored) -> Callable[[Floats, Floats], Floats]:
    """The marks of every answer do not depend on who else is drawn: they are made once, and weighed."""
    rows = [
        _Measured(
            said=np.asarray(known.rows @ layer.said),
            right=np.asarray(known.rows @ layer.right),
            gold=layer.gold[scored.items],
        )
        for layer in known.layers
    ]
    exact = scored.right
    columns = [exact, *(f1(one.right, gold=one.gold, said=one.said) * scored.voted for one in rows)]
    if known.pooled:
        columns += [rows[0].right, rows[0].gold, rows[0].said]
        for places, gold in known.boxes:
            ticked = np.asarray(known.rows[:, places].sum(axis=1)).ravel() if len(places) else np.zeros(len(exact))
            columns += [ticked * gold[scored.items], gold[scored.items], ticked]
    grades = np.column_stack([*columns, np.ones(len(exact))])

    def marks(drawn: Floats, weights: Floats) -> Floats:
        counted = drawn[scored.people] * weights[scored.items]
        return np.asarray(counted.T @ grades)

    return marks


def _majority(known: _Pieces, scored: Scored, *, marked: bool) -> Callable[[Floats, Floats], Floats]:
    """Each piece that more than half of an item's drawn answers have; `marked`: nothing needs more than half too."""
    skipped = scored.skipped()

    def marks(drawn: Floats, weights: Floats) -> Floats:
        total = np.asarray(known.votes @ drawn, dtype=np.float64)
        counts, half = np.asarray(known.given @ drawn, dtype=np.float64), total[known.of] / 2
        held = counts > half + TIED
        tied = (np.abs(counts - half) <= TIED) & (half > 0)
        closed = (total > 0) & ~(np.asarray(known.within @ tied.astype(np.float64)) > 0)
        if marked:
            any_held = np.asarray(known.within @ held.astype(np.float64)) > 0
            closed &= any_held | (np.asarray(known.nothing @ drawn) > total / 2 + TIED)
        said = held & closed[known.of]
        counted = weights * ((total + np.asarray(skipped @ drawn)) > 0)
        return np.column_stack(_columns(known, said.astype(np.float64), closed, counted))

    return marks


def _columns(known: _Pieces, said: Floats, closed: NDArray[np.bool_], weights: Floats) -> list[Floats]:
    """The sums of `grades.piece_metrics` of what is said (pieces × draws) on weighed items (items × draws)."""
    sums = [_laid(known, layer, said) for layer in known.layers]
    right, gold, found = sums[0]
    exact = closed & (right == gold) & (found == gold)
    columns = [_over(exact, weights)]
    columns += [_over(f1(r, gold=g, said=s) * closed, weights) for r, g, s in sums]
    if known.pooled:
        columns += [_over(one, weights) for one in (right, gold, found)]
        for places, of_gold in known.boxes:
            ticked = said[places] * weights[known.of[places]]
            hits = ticked * of_gold[known.of[places], None]
            columns += [hits.sum(axis=0), of_gold @ weights, ticked.sum(axis=0)]
    return [*columns, weights.sum(axis=0)]


def _laid(known: _Pieces, layer: _Measured, said: Floats) -> tuple[Floats, Floats, Floats]:
    """Right, gold and said of each item: items × draws."""
    right = np.asarray(known.within @ (said * layer.right[:, None]), dtype=np.float64)
    found = np.asarray(known.within @ (said * layer.said[:, None]), dtype=np.float64)
    return right, np.broadcast_to(layer.gold[:, None], right.shape), found


def _over(column: Floats | NDArray[np.bool_], weights: Floats) -> Floats:
    return np.asarray((column * weights).sum(axis=0), dtype=np.float64)


def _counted(rows: object, columns: object, *, shape: tuple[int, int]) -> Sparse:
    places = (np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp))
    return sparse.csr_array((np.ones(len(places[0])), places), shape=shape)


def _scorer(marks: Callable[[Floats, Floats], Floats], known: _Pieces, scored: Scored) -> Scorer:
    return Scorer(
        marks=marks,
        people=len(scored.names),
        groups=scored.groups,
        n_groups=scored.n_groups,
        width=max(len(known.of), len(scored.frame), len(scored.gold)),
    )
