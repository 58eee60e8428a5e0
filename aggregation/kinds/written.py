"""Texts against gold when people and items are drawn again: every text, and the plurality of equal ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import sparse

from aggregation.bootstrap import Sparse
from aggregation.consensus.labels import TIED
from aggregation.kinds.answers import Answers
from aggregation.kinds.grades import graded
from aggregation.schema import COLUMNS, Codes, Floats
from aggregation.scored import Scored, Scorer

Marks = Callable[[Floats, Floats], Floats]

NOTHING = {"text": (0.0, 0.0), "edit": (0.0, 1.0, 1.0, 0.0)}
"""The grades of nothing said: no share right, and all that is right has still to be written."""


def of_texts(answers: Answers, scored: Scored) -> tuple[Scorer, Scorer]:
    """The scorers of single texts and of pluralities; their marks are the sums of `graded` and the number."""
    texts = _texts(answers, scored)
    return _scorer(_single(texts, scored), texts, scored), _scorer(_plurality(texts, scored), texts, scored)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Texts:
    """The different texts of each item (`Answers.merged`), sorted by item.

    `item` is that of each, `grades` are its own (texts × columns), `given` says how often each person wrote it (texts ×
    people), `nothing` has the grades of nothing said.
    """

    item: Codes
    grades: Floats
    given: Sparse
    nothing: Floats


def _texts(answers: Answers, scored: Scored) -> _Texts:
    voted = scored.frame.loc[scored.voted, list(COLUMNS)]
    votes = answers.with_votes(replace(answers.votes, frame=voted)).merged()
    frame = pd.DataFrame(
        {
            "item": scored.items[scored.voted],
            "person": scored.people[scored.voted],
            "text": votes.frame["answer"].to_numpy(dtype=object),
        }
    )
    text = frame.groupby(["item", "text"], sort=True).ngroup().to_numpy(dtype=np.intp)
    unique = frame.assign(number=text).drop_duplicates("number").sort_values("number")
    ids = scored.gold.index.to_numpy(dtype=object)
    grades = [
        (*graded(answers, str(ids[item]), one, scored.gold.iloc[item]), 1.0)
        for item, one in zip(unique["item"], unique["text"], strict=True)
    ]
    nothing = np.array([*NOTHING[answers.kind], 1.0])
    given = sparse.csr_array(
        (np.ones(len(text)), (text, frame["person"].to_numpy())), shape=(len(unique), len(scored.names))
    )
    return _Texts(
        item=unique["item"].to_numpy(dtype=np.intp),
        grades=np.array(grades, dtype=np.float64).reshape(len(unique), len(nothing)),
        given=given,
        nothing=nothing,
    )


def _single(texts: _Texts, scored: Scored) -> Marks:
    skipped = scored.skipped()

    def marks(drawn: Floats, weights: Floats) -> Floats:
        counted = np.asarray(texts.given @ drawn) * weights[texts.item]
        passed = (np.asarray(skipped @ drawn) * weights).sum(axis=0)
        return np.asarray(counted.T @ texts.grades + passed[:, None] * texts.nothing)

    return marks


def _plurality(texts: _Texts, scored: Scored) -> Marks:
    skipped, n_items = scored.skipped(), len(scored.gold)
    answered, starts = np.unique(texts.item, return_index=True)

    def marks(drawn: Floats, weights: Floats) -> Floats:
        counts = np.asarray(texts.given @ drawn, dtype=np.float64)
        most, alone = np.zeros((n_items, drawn.shape[1])), np.zeros((n_items, drawn.shape[1]))
        most[answered] = np.maximum.reduceat(counts, starts, axis=0)
        top = (counts >= most[texts.item] - TIED) & (counts > 0)
        alone[answered] = np.add.reduceat(top.astype(np.float64), starts, axis=0)
        leads = top & (alone[texts.item] == 1)
        asked = (most + np.asarray(skipped @ drawn)) > 0
        silent = (weights * (asked & (alone != 1))).sum(axis=0)
        return np.asarray((leads * weights[texts.item]).T @ texts.grades + silent[:, None] * texts.nothing)

    return marks


def _scorer(marks: Marks, texts: _Texts, scored: Scored) -> Scorer:
    return Scorer(
        marks=marks,
        people=len(scored.names),
        groups=scored.groups,
        n_groups=scored.n_groups,
        width=max(len(texts.item), len(scored.gold)),
    )
