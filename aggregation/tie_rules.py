"""Scores of a consensus under another rule for ties than the shared one: a paper's first vote, or ties wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from aggregation.consensus import Consensus, TieRule
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
