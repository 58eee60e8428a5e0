"""Labels with all that has to be recorded with them, and how a tie becomes one label or none."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.schema import Floats, Votes

Ties = Literal["first", "alphabetical", "random", "shared", "drop"]

TIED = 1e-9  # shares of the same count are equal to the bit; posteriors carry rounding and crowd-kit's floor of 1e-10


@dataclass(frozen=True, kw_only=True, eq=False)
class Consensus:
    """What a method made of the votes, and all that has to be recorded with it.

    `labels` has one row a voted item, index `item` sorted, with the columns
      label       the text, None where a tie was left open (`shared`, `drop`)
      confidence  the label's share of the votes (majority, rover), of the weighted votes (wawa, gold_majority), or its
                  posterior (the others); of each tied label
      tie         whether several labels stand equal at the top
      tied        those labels, sorted; empty without a tie
      n_votes     how many votes the item has.
    `posteriors` is items × classes in declared order (shares for the majorities), None where items share no classes.
    `marginals` maps each class to its estimated prior; `iterations` counts the steps of the estimation; `converged`
    says that what its last step moved was below the tolerance. `skills` has the index annotator, sorted: what the
    method took each person's votes for. All four are None for methods that have none. `n_anchors` counts the items
    whose label was given to the method as known.
    """

    method: str
    version: str
    ties: Ties
    seed: int
    labels: pd.DataFrame
    posteriors: pd.DataFrame | None = None
    marginals: Mapping[str, float] | None = None
    iterations: int | None = None
    converged: bool | None = None
    skills: pd.Series[float] | None = None
    n_anchors: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def made(self) -> str:
        """How the labels were made, in one phrase that travels with each of them."""
        said = [f"{self.method} ({self.version})"]
        if self.iterations is not None:
            said += [f"{self.iterations} iterations", "converged" if self.converged else "not converged"]
        if self.n_anchors:
            said.append(f"{self.n_anchors} gold anchors")
        drawn = f" (seed {self.seed})" if self.ties == "random" else ""
        return ", ".join([*said, f"ties: {self.ties}{drawn}"])

    def published(self) -> pd.DataFrame:
        """The labels with the columns method (`made`) and warning, so that both travel with every label."""
        return self.labels.astype(object).assign(method=self.made, warning=" ".join(self.warnings))


@dataclass(frozen=True, kw_only=True)
class Accuracy:
    """How many of `total` items (with gold and votes) are right; a share of an item where ties are `shared`."""

    right: float
    total: int

    @property
    def value(self) -> float | None:
        """The share right, None without items."""
        return self.right / self.total if self.total else None


def accuracy(consensus: Consensus, gold: pd.Series[str]) -> Accuracy:
    """Score the labels against `gold` (index item; text or None) over the items that have gold and votes.

    A tie under `shared` counts its expected value, one over the number of tied labels if gold is among them; under
    `drop` it counts nothing and stays in the total.
    """
    known = gold.dropna()
    judged = consensus.labels.loc[consensus.labels.index.isin(known.index)]
    truth = known.reindex(judged.index)
    right = float((judged["label"] == truth).sum())
    if consensus.ties == "shared":
        open_ties = judged.loc[judged["tie"], "tied"]
        right += sum(1 / len(tied) for item, tied in open_ties.items() if truth.loc[item] in tied)
    return Accuracy(right=right, total=len(judged))


@dataclass(frozen=True, kw_only=True, eq=False)
class Scores:
    """What a method says of each item, items sorted, and what its estimation says of itself.

    `scores[i, c]` stands for the label `names[i, c]` (None: no such label) and decides; `confidence[i, c]` is told,
    where it is another number. `shared` says that the columns are the declared classes in their order.
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
    def told(self) -> Floats:
        """The numbers that are published."""
        return self.scores if self.confidence is None else self.confidence


def settled(found: Scores, *, votes: Votes, method: str, ties: Ties, seed: int) -> Consensus:
    """One label an item from the scores, ties by the rule."""
    posteriors = None
    if found.shared:
        index, columns = pd.Index(found.items, name="item"), pd.Index(votes.classes or (), name="label")
        posteriors = pd.DataFrame(found.told, index=index, columns=columns)
    return Consensus(
        method=method,
        version=found.version,
        ties=ties,
        seed=seed,
        labels=_labels(found, votes=votes, ties=ties, seed=seed),
        posteriors=posteriors,
        marginals=found.marginals,
        iterations=found.iterations,
        converged=found.converged,
        skills=found.skills,
        n_anchors=found.n_anchors,
        warnings=found.warnings,
    )


def _labels(found: Scores, *, votes: Votes, ties: Ties, seed: int) -> pd.DataFrame:
    best = found.scores.max(axis=1)
    top = found.scores >= best[:, None] - TIED
    tie = top.sum(axis=1) > 1
    chosen = (np.arange(len(found.items)), found.scores.argmax(axis=1))
    label = found.names[chosen].copy()
    tied = np.empty(len(found.items), dtype=object)
    tied[:] = [()] * len(tied)
    for row in np.flatnonzero(tie):
        tied[row] = tuple(sorted(found.names[row, top[row]]))
    open_ties = {str(found.items[row]): tied[row] for row in np.flatnonzero(tie)}
    chosen_labels = _settle(open_ties, frame=votes.frame, ties=ties, seed=seed)
    label[tie] = np.array([chosen_labels[item] for item in open_ties], dtype=object)
    columns = {"label": label, "confidence": found.told[chosen], "tie": tie, "tied": tied}
    labels = pd.DataFrame(columns, index=pd.Index(found.items, name="item"))
    return labels.assign(n_votes=votes.frame["item"].value_counts().reindex(labels.index))


def _settle(
    open_ties: Mapping[str, tuple[str, ...]], *, frame: pd.DataFrame, ties: Ties, seed: int
) -> dict[str, str | None]:
    """The label of each tied item under the rule; `open_ties` maps an item to its tied labels, sorted."""
    if ties in ("shared", "drop"):
        return dict.fromkeys(open_ties)
    settled: dict[str, str | None] = {item: tied[0] for item, tied in open_ties.items()}
    if ties == "random":
        settled = {item: tied[_drawn(item, seed=seed) % len(tied)] for item, tied in open_ties.items()}
    if ties == "first":
        for item, answer in frame.loc[frame["item"].isin(open_ties), ["item", "answer"]][::-1].itertuples(index=False):
            if answer in open_ties[item]:
                settled[item] = answer
    return settled


def _drawn(item: str, *, seed: int) -> int:
    """A number from the item's id and the seed alone: no other item, and no order of rows, can change the draw."""
    return int.from_bytes(hashlib.sha256(f"{seed}\n{item}".encode()).digest(), "big")
