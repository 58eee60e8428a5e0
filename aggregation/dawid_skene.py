"""Dawid-Skene on sparse matrices, for what crowd-kit cannot serve: refits for intervals, and millions of votes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np
from scipy import sparse

from aggregation.schema import Coded, Codes, Floats

Stop = Literal["crowdkit", "converged"]
Sparse = sparse.csr_array[np.float64, tuple[int, int]]

ITERATIONS = 100  # crowd-kit's own limits
TOLERANCE = 1e-5
FLOOR = 1e-10
SETTLED = 1e-8  # `converged` stops when no posterior moves by more
LONGEST = 20_000  # and gives up after so many steps
ABSENT = -1e9  # the log of the prior of a label that is no candidate; its posterior is exactly zero
VERSION = "hromada sparse Dawid-Skene 1"


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """Votes laid out for any number of fits.

    The pairs are the (annotator, label) pairs that occur, in order: `received` counts their votes on each item (items ×
    pairs), `given` is its transpose, a view that walks the items in order. `annotator` and `label` name each pair by
    code; `starts` are the places where an annotator's pairs begin.
    """

    received: Sparse
    given: sparse.csc_array[np.float64]
    annotator: Codes
    label: Codes
    starts: Codes
    n_labels: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """What the EM algorithm found, items and labels in the order of their codes.

    `posteriors` is items × labels, rows sum to one; `priors` one share a label; `change` the gain of crowd-kit's bound
    in the last step, per vote (inf after a single one); `moved` the largest change of a posterior in that step.
    `converged` says that what was to become small did: the gain, in either direction, or the movement. `answered`
    counts each item's votes, weighed as its annotators were drawn.
    """

    posteriors: Floats
    priors: Floats
    iterations: int
    change: float
    moved: float
    converged: bool
    answered: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Weights:
    """How often each annotator and each item is drawn: a resample without copying a vote."""

    annotators: Floats
    items: Floats


def table(coded: Coded) -> Table:
    """Lay the votes out; repeated votes of one person on an item are counted, so that the order of rows is no input."""
    n_labels = len(coded.labels)
    codes, pair = np.unique(coded.annotators * n_labels + coded.answers, return_inverse=True)
    shape = (len(coded.item_ids), len(codes))
    places = (coded.items.astype(np.int32), pair.astype(np.int32))  # half the memory to walk through
    received = sparse.csr_array((np.ones(len(pair)), places), shape=shape)
    received.sum_duplicates()
    annotator, label = codes // n_labels, codes % n_labels
    starts = np.flatnonzero(np.diff(annotator, prepend=-1))
    return Table(
        received=received, given=received.T, annotator=annotator, label=label, starts=starts, n_labels=n_labels
    )


def fit(
    votes: Table,
    *,
    stop: Stop = "crowdkit",
    anchors: Codes | None = None,
    weights: Weights | None = None,
    iterations: int | None = None,
) -> Fit:
    """Dawid and Skene (1979), doi:10.2307/2346806, from the majority, with crowd-kit's floors.

    `stop` crowdkit ends on the first step that gains less than TOLERANCE a vote in crowd-kit's bound, so also when the
    bound falls, or after ITERATIONS; `converged` when no posterior moves by SETTLED. `anchors` has the code of the
    known label of each item, -1 for none: its posterior stays there. `weights` fits a resample: an annotator or item
    drawn twice counts as two copies would, and items that no drawn annotator answered, or that were not drawn, do not
    count.
    """
    steps = _Steps(votes, anchors=anchors, weights=weights)
    limit = iterations if iterations is not None else ITERATIONS if stop == "crowdkit" else LONGEST
    posteriors = steps.majority()
    priors, errors, _ = steps.maximise(posteriors)
    bound, change, moved, done, ended = -np.inf, np.inf, np.inf, 0, False
    while not ended and done < limit:
        before, done = posteriors, done + 1
        posteriors = steps.expect(priors, errors)
        priors, errors, weighed = steps.maximise(posteriors)
        if stop == "converged":
            moved = float(np.abs(posteriors - before).max(initial=0.0))
            ended = moved < SETTLED
        else:
            risen = steps.bound(posteriors, priors=priors, errors=errors, weighed=weighed)
            bound, change = risen, risen - bound
            ended = change < TOLERANCE
    converged = moved < SETTLED if stop == "converged" else abs(change) < TOLERANCE
    return Fit(
        posteriors=posteriors,
        priors=priors,
        iterations=done,
        change=float(change),
        moved=moved,
        converged=converged,
        answered=steps.received,
    )


class _Steps:
    """The steps of the EM algorithm on one table of votes."""

    def __init__(self, votes: Table, *, anchors: Codes | None, weights: Weights | None) -> None:
        self.votes = votes
        n_items = votes.given.shape[1]
        self.people = None if weights is None else weights.annotators[votes.annotator][:, None]
        counted = np.ones(len(votes.annotator)) if self.people is None else self.people[:, 0]
        self.received = np.asarray(votes.received @ counted, dtype=np.float64)
        drawn = np.ones(n_items) if weights is None else weights.items
        self.items = np.where(self.received > 0, drawn, 0.0)
        met = None if weights is None else np.asarray(votes.given @ self.items, dtype=np.float64) * counted
        self.unmet = None if met is None else np.flatnonzero(met == 0)  # pairs that the resample does not have
        self.all_once = weights is None and bool((self.received > 0).all())
        known = np.full(n_items, -1) if anchors is None else anchors
        self.anchored = np.flatnonzero(known >= 0)
        self.truth = known[self.anchored]
        self.room = np.empty((2, n_items, votes.n_labels))  # used again in every step: fresh memory is slow memory
        self.absent = np.zeros(votes.n_labels, dtype=bool)  # labels that nobody gave are no candidates, as in crowd-kit

    def majority(self) -> Floats:
        """Shares of votes; nothing where no drawn annotator answered."""
        chosen = np.zeros((len(self.votes.label), self.votes.n_labels))
        chosen[np.arange(len(self.votes.label)), self.votes.label] = 1.0
        if self.people is not None:
            chosen *= self.people
        counts = np.asarray(self.votes.received @ chosen, dtype=np.float64)
        self.absent = self.items @ counts == 0
        return self._held(np.divide(counts, self.received[:, None], out=counts, where=self.received[:, None] > 0))

    def expect(self, priors: Floats, errors: Floats) -> Floats:
        """The posterior of each item's label, from the priors and the annotators' errors (pairs × labels)."""
        logs = np.log2(errors)
        if self.people is not None:
            logs *= self.people
        scores = np.asarray(self.votes.received @ logs, dtype=np.float64)
        columns = scores.T  # one label after the other: numpy is slow along short rows
        before = np.where(self.absent, ABSENT, np.log2(np.maximum(priors, FLOOR)))
        for column, prior in zip(columns, before, strict=True):
            np.add(column, prior, out=column)
        top = reduce(np.maximum, columns)
        for column in columns:
            np.subtract(column, top, out=column)
        np.exp2(scores, out=scores)
        total = reduce(np.add, columns)
        for column in columns:
            np.divide(column, total, out=column)
        return self._held(scores)

    def maximise(self, posteriors: Floats) -> tuple[Floats, Floats, Floats]:
        """Priors, errors (pairs × labels, each annotator's pairs sum to one for each true label), and their counts."""
        weighed = posteriors if self.all_once else posteriors * self.items[:, None]
        priors = self.items @ posteriors / max(self.items.sum(), FLOOR)
        counts = np.asarray(self.votes.given @ weighed, dtype=np.float64)
        errors = np.maximum(counts, FLOOR)
        if self.unmet is not None:
            errors[self.unmet] = 0.0
        sums = np.add.reduceat(errors, self.votes.starts, axis=0)
        widths = np.diff(np.append(self.votes.starts, len(errors)))
        errors /= np.repeat(np.maximum(sums, FLOOR), widths, axis=0)
        if self.unmet is not None:
            errors[self.unmet] = 1.0  # says nothing of the items on which it occurs
        return priors, errors, counts

    def bound(self, posteriors: Floats, *, priors: Floats, errors: Floats, weighed: Floats) -> float:
        """crowd-kit's `_evidence_lower_bound` per vote: it adds the log prior once a vote, so it is no true bound."""
        logs = np.log(errors)
        if self.people is not None:
            logs *= self.people
        of_votes = self.received * self.items
        joint = np.einsum("pc,pc->", weighed, logs) + of_votes @ posteriors @ np.log(np.maximum(priors, FLOOR))
        np.maximum(posteriors, FLOOR, out=self.room[0])
        np.log(self.room[0], out=self.room[1])
        self.room[1] *= self.room[0]
        entropy = -(self.items @ self.room[1]).sum()
        return float((joint + entropy) / max(of_votes.sum(), FLOOR))

    def _held(self, posteriors: Floats) -> Floats:
        posteriors[self.anchored] = 0.0
        posteriors[self.anchored, self.truth] = 1.0
        return posteriors
