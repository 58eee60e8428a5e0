"""One answer per item and who gave it, and the rules that settle ties."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.gold_comparison import ScoredAnswers
from aggregation.intervals.panel import Contributions
from aggregation.schema import Floats, Votes

CONSENSUS = "consensus"
"""The name under which a label of a consensus is graded as a single answer."""


@dataclass(frozen=True, kw_only=True)
class TieChoice:
    """The rule by which ties are scored, and the seed of `random`."""

    ties: TieRule = "shared"
    seed: int = 0


SHARED = TieChoice()

Grade = Callable[[pd.DataFrame, pd.DataFrame], Contributions]
"""What single answers contribute: of answers (item, annotator, answer) and skips (item, annotator)."""


def settle_ties(
    contributions: Contributions,
    choice: TieChoice,
    *,
    scored: ScoredAnswers,
    label_items: Callable[[], Consensus],
    grade: Grade,
) -> Contributions:
    """The contributions with every tied item graded by the label that the rule takes.

    What votes change stays that of shared ties: a rule that picks a side has no expectation over votes.
    """
    if choice.ties == "shared" or contributions.tied is None or contributions.ties_wrong is None:
        return contributions
    if choice.ties == "drop":
        return replace(contributions, columns=contributions.ties_wrong)
    labels = label_items().labels["label"].reindex(scored.gold.index)
    rows = pd.DataFrame({"item": labels.index, "annotator": CONSENSUS, "answer": labels.to_numpy()}, dtype=object)
    is_given = rows["answer"].notna()
    columns = grade(rows.loc[is_given].reset_index(drop=True), rows.loc[~is_given, ["item", "annotator"]]).columns
    return replace(contributions, columns=np.where(contributions.tied[:, None], columns, contributions.columns))


TieRule = Literal["first", "alphabetical", "random", "shared", "drop"]
"""How one of several tied labels is chosen; `labels.consensus.methods.build_label_consensus` explains each rule."""

# Labels whose scores differ by less are tied. Shares of equal counts are exactly equal, but posteriors carry rounding
# errors and crowd-kit's floor of 1e-10.
TIE_TOLERANCE = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class Consensus:
    """The labels that a consensus method made of the votes, and everything that is recorded with them.

    `method` and `version` name the method and its implementation, `ties` is the tie rule, and `seed` the seed of the
    tie rule `random`. `labels` has one row per item with votes, index `item` sorted, with the columns
      label       the text, None where a tie was left open (`shared`, `drop`)
      confidence  the label's share of the votes (majority, rover), of the weighted votes (wawa, gold_majority), or its
                  posterior (the other methods); in a tie, that of each of the tied labels
      tie         whether several labels have the highest score
      tied        the labels that have it, sorted; empty without a tie
      n_votes     how many votes the item has.
    `posteriors` is items × classes in declared order (shares for the majorities), None where items share no classes.
    `marginals` maps each class to its estimated prior; `iterations` counts the steps of the estimation; `converged`
    says whether the change in the last step was below the tolerance. `skills` has the index annotator, sorted: the
    weight or skill that the method used for each annotator. `marginals`, `iterations`, `converged` and `skills` are
    None for methods that do not estimate them. `n_anchors` counts the items whose gold was given to the method as
    known. `settled` is there for answers that consist of parts: by tied item the answer that each of its votes makes
    where it decides what is tied (see `aggregation.scores.part_scores`).
    """

    method: str
    version: str
    ties: TieRule
    seed: int
    labels: pd.DataFrame
    posteriors: pd.DataFrame | None = None
    marginals: Mapping[str, float] | None = None
    iterations: int | None = None
    converged: bool | None = None
    skills: pd.Series[float] | None = None
    n_anchors: int = 0
    warnings: tuple[str, ...] = ()
    settled: Mapping[str, tuple[str, ...]] | None = None

    def list_tied_answers(self) -> dict[str, tuple[str, ...]]:
        """The answers among which a fair draw is made, by tied item; one that is there twice has twice the chance."""
        if self.settled is not None:
            return dict(self.settled)
        tied = self.labels.loc[self.labels["tie"].astype(bool), "tied"]
        return {str(item): tuple(answers) for item, answers in tied.items()}

    def open_ties(self) -> Consensus:
        """The same labels with every tie left open, which counts as wrong."""
        labels = self.labels.assign(
            label=self.labels["label"].astype(object).mask(self.labels["tie"].astype(bool), None)
        )
        return replace(self, ties="drop", labels=labels)

    @property
    def provenance(self) -> str:
        """How the labels were made, in one phrase that is published with each of them."""
        parts = [f"{self.method} ({self.version})"]
        if self.iterations is not None:
            parts += [f"{self.iterations} iterations", "converged" if self.converged else "not converged"]
        if self.n_anchors:
            parts.append(f"{self.n_anchors} gold anchors")
        seed = f" (seed {self.seed})" if self.ties == "random" else ""
        return ", ".join([*parts, f"ties: {self.ties}{seed}"])

    def to_published(self) -> pd.DataFrame:
        """`labels` with two more columns for publication: method (the provenance) and warning (all warnings joined)."""
        return self.labels.astype(object).assign(method=self.provenance, warning=" ".join(self.warnings))


@dataclass(frozen=True, kw_only=True)
class Accuracy:
    """How many of the `total` items that have gold and votes got the right label.

    `right` need not be whole: under the tie rule `shared` a tied item counts a share.
    """

    right: float
    total: int

    @property
    def value(self) -> float | None:
        """The share of items with the right label, None without items."""
        return self.right / self.total if self.total else None


def name_majority(fewest: int | None, most: int | None) -> str:
    """The name of a majority with its number of votes: `majority of 3`, or `majority of 2–5` where items differ."""
    if fewest is None or most is None:
        return "majority"
    return f"majority of {fewest}" if fewest == most else f"majority of {fewest}–{most}"


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


def settle_label_ties(result: MethodScores, *, votes: Votes, method: str, ties: TieRule, seed: int) -> Consensus:
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
    declared = gold.dropna()
    voted = consensus.labels.loc[consensus.labels.index.isin(declared.index)]
    truth = declared.reindex(voted.index)
    right = float((voted["label"] == truth).sum())
    if consensus.ties == "shared":
        open_ties = voted.loc[voted["tie"], "tied"]
        right += sum(1 / len(tied) for item, tied in open_ties.items() if truth.loc[item] in tied)
    return Accuracy(right=right, total=len(voted))
