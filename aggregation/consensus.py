"""The result of aggregating votes: one label per item with everything that is recorded about it, and its accuracy.

Every answer type returns this result; how it is computed stands beside the type: `labels.consensus`,
`multilabel.consensus`, `spans.consensus`, `texts.consensus`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pandas as pd

Ties = Literal["first", "alphabetical", "random", "shared", "drop"]

TIE_TOLERANCE = (
    1e-9  # shares of the same count are exactly equal; posteriors carry rounding and crowd-kit's floor, 1e-10
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Consensus:
    """The labels that a method made of the votes, and everything that is recorded with them.

    `labels` has one row per item with votes, index `item` sorted, with the columns
      label       the text, None where a tie was left open (`shared`, `drop`)
      confidence  the label's share of the votes (majority, rover), of the weighted votes (wawa, gold_majority), or its
                  posterior (the others); of each tied label
      tie         whether several labels are equal at the top
      tied        those labels, sorted; empty without a tie
      n_votes     how many votes the item has.
    `posteriors` is items × classes in declared order (shares for the majorities), None where items share no classes.
    `marginals` maps each class to its estimated prior; `iterations` counts the steps of the estimation; `converged`
    says that the change in the last step was below the tolerance. `skills` has the index annotator, sorted: the weight
    or skill that the method used for each annotator. All four are None for methods that have none. `n_anchors` counts
    the items whose label was given to the method as known.
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
        """The labels with the columns method (the provenance) and warning, so that both go with every label."""
        return self.labels.astype(object).assign(method=self.provenance, warning=" ".join(self.warnings))


@dataclass(frozen=True, kw_only=True)
class Accuracy:
    """How many of `total` items (with gold and votes) are right; a share of an item where ties are `shared`."""

    right: float
    total: int

    @property
    def value(self) -> float | None:
        """The share right, None without items."""
        return self.right / self.total if self.total else None
