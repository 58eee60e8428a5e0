"""What single answers and majorities of any answer type contribute to every metric of the type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from aggregation.answer_types import ANSWER_TYPES
from aggregation.answers import Answers
from aggregation.consensus.consensus import SHARED, TieChoice
from aggregation.gold_comparison import ScoredAnswers
from aggregation.intervals.paired_measures import ItemMeasure
from aggregation.intervals.panel import Contributions, Metric

ScoredUnit = Literal["individual", "majority"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredUnits:
    """Answers compared with gold, as single answers and as majorities; `metrics` has the primary one first."""

    scored: ScoredAnswers
    individual: Contributions
    majority: Contributions
    metrics: Mapping[str, Metric]

    @property
    def primary(self) -> str:
        """The name of the primary metric: the share of right answers."""
        return next(iter(self.metrics))

    def measure(self, unit: ScoredUnit, metric: str | None = None) -> ItemMeasure:
        """A metric (the primary one by default) of a unit, with its people."""
        people = self.scored.annotator_ids
        if unit == "majority":
            people = people[np.unique(self.scored.annotators[self.scored.voted])]
        contributions = self.individual if unit == "individual" else self.majority
        return ItemMeasure(
            contributions=contributions, compute=self.metrics[metric or self.primary].compute, people=people
        )


def sum_scored_units(answers: Answers, skips: pd.DataFrame | None, *, tie_choice: TieChoice = SHARED) -> ScoredUnits:
    """Compare answers and skips (columns item, annotator) with gold, and sum both units, as `hromada baseline` does.

    Raises HromadaError where no item has gold, or nobody answered one that has.
    """
    answer_type = ANSWER_TYPES[answers.kind]
    scored = answer_type.compare(answers, skips)
    individual, majority, _ = answer_type.sum_units(answers, scored, tie_choice)
    metrics = answer_type.list_metrics(answers)
    return ScoredUnits(scored=scored, individual=individual, majority=majority, metrics=metrics)
