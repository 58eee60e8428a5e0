"""Dawid-Skene on sparse matrices, for what crowd-kit is too slow for: refits for intervals, and millions of votes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np
from scipy import sparse

from aggregation.schema import CodedVotes, Codes, Floats

StopRule = Literal["crowdkit", "converged"]
Sparse = sparse.csr_array[np.float64, tuple[int, int]]

CROWDKIT_ITERATIONS = 100  # crowd-kit's own limits
CROWDKIT_TOLERANCE = 1e-5
CROWDKIT_FLOOR = 1e-10
CONVERGED_CHANGE = 1e-8  # the stop `converged` ends when no posterior moves by more
MAX_ITERATIONS = 20_000  # or after so many steps
LOG_DECIMALS = 10
"""To which logarithms are rounded in each step: else the rounding of sums, which follows the order of votes, would tip
votes that are in exact balance."""
ABSENT_LOG_PRIOR = -1e9  # the log of the prior of a label that is no candidate; its posterior is exactly zero
VERSION = "hromada sparse Dawid-Skene 1"


@dataclass(frozen=True, kw_only=True, eq=False)
class VoteTable:
    """Votes arranged for any number of fits.

    The pairs are the (annotator, label) pairs that occur, sorted: `received` counts their votes on each item (items ×
    pairs), `given` is its transpose (a view). `annotator` and `label` are the codes of each pair; `starts` are the
    places where an annotator's pairs begin.
    """

    received: Sparse
    given: sparse.csc_array[np.float64]
    annotator: Codes
    label: Codes
    starts: Codes
    n_labels: int


@dataclass(frozen=True, kw_only=True, eq=False)
class DawidSkeneFit:
    """The result of the EM algorithm, items and labels in the order of their codes.

    `posteriors` is items × labels, rows sum to one; `priors` has one share per label; `change` is the gain of
    crowd-kit's bound in the last step, per vote (inf after a single step); `moved` is the largest change of a posterior
    in that step. `converged` says that the last gain (in either direction) or movement, depending on the stop, was
    below the tolerance. `answered` counts each item's votes, weighted by how often their annotators were drawn.
    """

    posteriors: Floats
    priors: Floats
    iterations: int
    change: float
    moved: float
    converged: bool
    answered: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawWeights:
    """How often each annotator and each item is drawn: a resample that copies no votes."""

    annotators: Floats
    items: Floats


def build_table(coded: CodedVotes) -> VoteTable:
    """Arrange the votes; equal votes of one annotator on an item are counted, so row order has no influence."""
    n_labels = len(coded.labels)
    codes, pair = np.unique(coded.annotators * n_labels + coded.answers, return_inverse=True)
    shape = (len(coded.item_ids), len(codes))
    places = (coded.items.astype(np.int32), pair.astype(np.int32))  # half the memory to read
    received = sparse.csr_array((np.ones(len(pair)), places), shape=shape)
    received.sum_duplicates()
    annotator, label = codes // n_labels, codes % n_labels
    starts = np.flatnonzero(np.diff(annotator, prepend=-1))
    return VoteTable(
        received=received, given=received.T, annotator=annotator, label=label, starts=starts, n_labels=n_labels
    )


def fit_table(
    votes: VoteTable,
    *,
    stop: StopRule = "crowdkit",
    anchors: Codes | None = None,
    weights: DrawWeights | None = None,
    iterations: int | None = None,
) -> DawidSkeneFit:
    """Dawid and Skene (1979), doi:10.2307/2346806, from the majority, with crowd-kit's floors.

    `stop` crowdkit ends on the first step that raises crowd-kit's bound by less than CROWDKIT_TOLERANCE per vote, so
    also when the bound falls, or after CROWDKIT_ITERATIONS. `converged` ends when no posterior moves by
    CONVERGED_CHANGE, or after MAX_ITERATIONS. `anchors` has the code of each item's known label, -1 for none: these
    posteriors stay fixed. `weights` fits a resample: an annotator or item drawn twice counts like two copies. Items
    that were not drawn, or that no drawn annotator answered, do not count.
    """
    steps = _EMSteps(votes, anchors=anchors, weights=weights)
    limit = iterations if iterations is not None else CROWDKIT_ITERATIONS if stop == "crowdkit" else MAX_ITERATIONS
    posteriors = steps.majority()
    priors, errors, _ = steps.maximise(posteriors)
    bound, change, moved, done, ended = -np.inf, np.inf, np.inf, 0, False
    while not ended and done < limit:
        previous, done = posteriors, done + 1
        posteriors = steps.expect(priors, errors)
        priors, errors, counts = steps.maximise(posteriors)
        if stop == "converged":
            moved = float(np.abs(posteriors - previous).max(initial=0.0))
            ended = moved < CONVERGED_CHANGE
        else:
            new_bound = steps.bound(posteriors, priors=priors, errors=errors, counts=counts)
            bound, change = new_bound, new_bound - bound
            ended = change < CROWDKIT_TOLERANCE
    converged = moved < CONVERGED_CHANGE if stop == "converged" else abs(change) < CROWDKIT_TOLERANCE
    return DawidSkeneFit(
        posteriors=posteriors,
        priors=priors,
        iterations=done,
        change=float(change),
        moved=moved,
        converged=converged,
        answered=steps.received,
    )


class _EMSteps:
    """The steps of the EM algorithm on one table of votes."""

    def __init__(self, votes: VoteTable, *, anchors: Codes | None, weights: DrawWeights | None) -> None:
        self.votes = votes
        n_items = votes.given.shape[1]
        self.annotators = None if weights is None else weights.annotators[votes.annotator][:, None]
        counted = np.ones(len(votes.annotator)) if self.annotators is None else self.annotators[:, 0]
        self.received = np.asarray(votes.received @ counted, dtype=np.float64)
        drawn = np.ones(n_items) if weights is None else weights.items
        self.items = np.where(self.received > 0, drawn, 0.0)
        drawn_votes = None if weights is None else np.asarray(votes.given @ self.items, dtype=np.float64) * counted
        self.undrawn = (
            None if drawn_votes is None else np.flatnonzero(drawn_votes == 0)
        )  # pairs absent from the resample
        self.all_once = weights is None and bool((self.received > 0).all())
        anchor_codes = np.full(n_items, -1) if anchors is None else anchors
        self.anchored = np.flatnonzero(anchor_codes >= 0)
        self.truth = anchor_codes[self.anchored]
        self.buffers = np.empty((2, n_items, votes.n_labels))  # reused in every step: new memory is slow
        self.absent = np.zeros(votes.n_labels, dtype=bool)  # labels that nobody gave; no candidates, as in crowd-kit

    def majority(self) -> Floats:
        """The shares of votes; zeros where no drawn annotator answered."""
        chosen = np.zeros((len(self.votes.label), self.votes.n_labels))
        chosen[np.arange(len(self.votes.label)), self.votes.label] = 1.0
        if self.annotators is not None:
            chosen *= self.annotators
        counts = np.asarray(self.votes.received @ chosen, dtype=np.float64)
        self.absent = self.items @ counts == 0
        return self._fix_anchors(
            np.divide(counts, self.received[:, None], out=counts, where=self.received[:, None] > 0)
        )

    def expect(self, priors: Floats, errors: Floats) -> Floats:
        """The posterior of each item's label, from the priors and the annotators' errors (pairs × labels)."""
        logs = np.log2(errors)
        if self.annotators is not None:
            logs *= self.annotators
        scores = np.asarray(self.votes.received @ logs, dtype=np.float64)
        columns = scores.T  # label by label: numpy is slow along short rows
        log_priors = np.where(self.absent, ABSENT_LOG_PRIOR, np.log2(np.maximum(priors, CROWDKIT_FLOOR)))
        for column, prior in zip(columns, log_priors, strict=True):
            np.add(column, prior, out=column)
        top = reduce(np.maximum, columns)
        for column in columns:
            np.subtract(column, top, out=column)
        np.exp2(np.round(scores, LOG_DECIMALS, out=scores), out=scores)
        total = reduce(np.add, columns)
        for column in columns:
            np.divide(column, total, out=column)
        return self._fix_anchors(scores)

    def maximise(self, posteriors: Floats) -> tuple[Floats, Floats, Floats]:
        """Priors, errors (pairs × labels, each annotator's pairs sum to one for each true label), and their counts."""
        weighted = posteriors if self.all_once else posteriors * self.items[:, None]
        priors = self.items @ posteriors / max(self.items.sum(), CROWDKIT_FLOOR)
        counts = np.asarray(self.votes.given @ weighted, dtype=np.float64)
        errors = np.maximum(counts, CROWDKIT_FLOOR)
        if self.undrawn is not None:
            errors[self.undrawn] = 0.0
        sums = np.add.reduceat(errors, self.votes.starts, axis=0)
        widths = np.diff(np.append(self.votes.starts, len(errors)))
        errors /= np.repeat(np.maximum(sums, CROWDKIT_FLOOR), widths, axis=0)
        if self.undrawn is not None:
            errors[self.undrawn] = 1.0  # its logarithm is 0: no influence on the items
        return priors, errors, counts

    def bound(self, posteriors: Floats, *, priors: Floats, errors: Floats, counts: Floats) -> float:
        """crowd-kit's `_evidence_lower_bound` per vote: it adds the log prior once per vote, so it is no true bound."""
        logs = np.log(errors)
        if self.annotators is not None:
            logs *= self.annotators
        of_votes = self.received * self.items
        joint = np.einsum("pc,pc->", counts, logs) + of_votes @ posteriors @ np.log(np.maximum(priors, CROWDKIT_FLOOR))
        np.maximum(posteriors, CROWDKIT_FLOOR, out=self.buffers[0])
        np.log(self.buffers[0], out=self.buffers[1])
        self.buffers[1] *= self.buffers[0]
        entropy = -(self.items @ self.buffers[1]).sum()
        return float((joint + entropy) / max(of_votes.sum(), CROWDKIT_FLOOR))

    def _fix_anchors(self, posteriors: Floats) -> Floats:
        posteriors[self.anchored] = 0.0
        posteriors[self.anchored, self.truth] = 1.0
        return posteriors


def leave_annotators_out(votes: VoteTable, *, coded: CodedVotes, fit: DawidSkeneFit) -> Floats:
    """For each vote of `coded` the posterior of its item without its annotator's votes: votes × labels.

    `votes` is the table of `coded`, `fit` its fit. Priors and the others' errors stay those of the fit.
    """
    steps = _EMSteps(votes, anchors=None, weights=None)
    priors, errors, _ = steps.maximise(fit.posteriors)
    logs = np.log2(errors)
    given = fit.posteriors.any(axis=0)
    log_priors = np.where(given, np.log2(np.maximum(priors, CROWDKIT_FLOOR)), ABSENT_LOG_PRIOR)
    scores = np.asarray(votes.received @ logs, dtype=np.float64) + log_priors
    pairs = np.searchsorted(
        votes.annotator * votes.n_labels + votes.label, coded.annotators * votes.n_labels + coded.answers
    )
    cells = coded.items * len(coded.annotator_ids) + coded.annotators  # an annotator may have voted on an item twice
    _, cell = np.unique(cells, return_inverse=True)
    own = np.zeros((int(cell.max(initial=-1)) + 1, votes.n_labels))
    np.add.at(own, cell, logs[pairs])
    rest = scores[coded.items] - own[cell]
    rest = np.exp2(rest - rest.max(axis=1, keepdims=True))
    return np.asarray(rest / rest.sum(axis=1, keepdims=True))
