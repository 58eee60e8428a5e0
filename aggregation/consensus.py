"""The result of a consensus method: one label per item with what is recorded about it, and its accuracy.

Ties are shared, in every metric and every command: where a consensus has no single winner, a score is what is expected
of a fair draw among the tied answers, so that each of m of them counts 1/m. Beside it is the value in which a tie is
wrong. Another rule (`TieRule`) is asked for by name.

The consensus of every answer type is this result. How it is computed is in the package of the type:
`labels.consensus`, `multilabel.consensus`, `spans.consensus`, `texts.consensus`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from aggregation.gold_comparison import ScoredAnswers
from aggregation.panel_variance import Contributions

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
    where it decides what is tied (see `aggregation.part_scores`).
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
