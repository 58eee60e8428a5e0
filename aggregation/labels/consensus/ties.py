"""The scores that a method gives each label of an item, and the choice of one label per item, ties by a named rule."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.consensus import TIE_TOLERANCE, Accuracy, Consensus, TieRule
from aggregation.schema import Floats, Votes


@dataclass(frozen=True, kw_only=True, eq=False)
class MethodScores:
    """The score of each label on each item, items sorted, and the details of the method's estimation.

    `scores[i, c]` belongs to the label `names[i, c]` (None: no such label) and decides; `confidence[i, c]` is published
    instead where a method has another number for that. `shared` says that the columns are the declared classes in
    their order.
    """

    items: NDArray[np.object_]
    names: NDArray[np.object_]
    scores: Floats
    version: str
    shared: bool
    confidence: Floats | None = None
    marginals: Mapping[str, float] | None = None
    iterations: int | None = None
    converged: bool | None = None
    skills: pd.Series[float] | None = None
    n_anchors: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def published(self) -> Floats:
        """The numbers that are published beside the labels."""
        return self.scores if self.confidence is None else self.confidence


def settle_ties(result: MethodScores, *, votes: Votes, method: str, ties: TieRule, seed: int) -> Consensus:
    """One label per item from the scores, ties settled by the rule (see `build_label_consensus`)."""
    posteriors = None
    if result.shared:
        index, columns = pd.Index(result.items, name="item"), pd.Index(votes.classes or (), name="label")
        posteriors = pd.DataFrame(result.published, index=index, columns=columns)
    return Consensus(
        method=method,
        version=result.version,
        ties=ties,
        seed=seed,
        labels=_select_labels(result, votes=votes, ties=ties, seed=seed),
        posteriors=posteriors,
        marginals=result.marginals,
        iterations=result.iterations,
        converged=result.converged,
        skills=result.skills,
        n_anchors=result.n_anchors,
        warnings=result.warnings,
    )


def _select_labels(result: MethodScores, *, votes: Votes, ties: TieRule, seed: int) -> pd.DataFrame:
    best = result.scores.max(axis=1)
    top = result.scores >= best[:, None] - TIE_TOLERANCE
    tie = top.sum(axis=1) > 1
    chosen = (np.arange(len(result.items)), result.scores.argmax(axis=1))
    label = result.names[chosen].copy()
    tied = np.empty(len(result.items), dtype=object)
    tied[:] = [()] * len(tied)
    for row in np.flatnonzero(tie):
        tied[row] = tuple(sorted(result.names[row, top[row]]))
    open_ties = {str(result.items[row]): tied[row] for row in np.flatnonzero(tie)}
    chosen_labels = _settle_open_ties(open_ties, frame=votes.frame, ties=ties, seed=seed)
    label[tie] = np.array([chosen_labels[item] for item in open_ties], dtype=object)
    columns = {"label": label, "confidence": result.published[chosen], "tie": tie, "tied": tied}
    labels = pd.DataFrame(columns, index=pd.Index(result.items, name="item"))
    return labels.assign(n_votes=votes.frame["item"].value_counts().reindex(labels.index))


def _settle_open_ties(
    open_ties: Mapping[str, tuple[str, ...]], *, frame: pd.DataFrame, ties: TieRule, seed: int
) -> dict[str, str | None]:
    """The label of each tied item under the rule, None where it stays open; `open_ties` has each item's tied labels."""
    settled = {item: choose_tied(tied, item=item, ties=ties, seed=seed) for item, tied in open_ties.items()}
    if ties == "first":
        rows = frame.loc[frame["item"].isin(open_ties), ["item", "answer"]][::-1]  # the first of an item is set last
        settled |= {item: answer for item, answer in rows.itertuples(index=False) if answer in open_ties[item]}
    return settled


def choose_tied(tied: Sequence[str], *, item: str, ties: TieRule, seed: int) -> str | None:
    """The tied answer that a rule takes, None where it stays open; `tied` are in the order by which `first` goes."""
    if ties in ("shared", "drop"):
        return None
    if ties == "random":
        return tied[_draw_number(item, seed=seed) % len(tied)]
    return min(tied) if ties == "alphabetical" else tied[0]


def _draw_number(item: str, *, seed: int) -> int:
    """A number from the item's id and the seed alone, so that no other item and no row order changes the draw."""
    return int.from_bytes(hashlib.sha256(f"{seed}\n{item}".encode()).digest(), "big")


def compute_label_accuracy(consensus: Consensus, gold: pd.Series[str]) -> Accuracy:
    """Score the labels against `gold` (index item; text or None) over the items that have gold and votes.

    A tie under `shared` counts one over the number of tied labels if gold is among them, its expected value; under
    `drop` it counts 0 and stays in the total.
    """
    known = gold.dropna()
    voted = consensus.labels.loc[consensus.labels.index.isin(known.index)]
    truth = known.reindex(voted.index)
    right = float((voted["label"] == truth).sum())
    if consensus.ties == "shared":
        open_ties = voted.loc[voted["tie"], "tied"]
        right += sum(1 / len(tied) for item, tied in open_ties.items() if truth.loc[item] in tied)
    return Accuracy(right=right, total=len(voted))
