"""What single answers and majorities of any answer type contribute to every metric of the type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from aggregation.answer_types import ANSWER_TYPES
from aggregation.answers import Answers
from aggregation.consensus.consensus import SHARED, TieChoice
from aggregation.gold_comparison import ScoredAnswers
from aggregation.intervals.paired_measures import ItemMeasure
from aggregation.intervals.panel import Contributions, Metric
from aggregation.ratings import read_points
from aggregation.schema import Floats, Votes
from aggregation.scores.points import COLUMNS, SUM_METRICS

ScoredUnit = Literal["individual", "majority"]


_WIDTH = len(COLUMNS)


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


def add_point_metrics(units: ScoredUnits, votes: Votes) -> ScoredUnits:
    """The units of a scale with the metrics of points that are functions of column sums; others are left as they are.

    The tied points of an item share it, as its labels do.
    """
    numbers = read_points(votes.classes or ()) if votes.measurement_level != "nominal" else None
    if numbers is None or not len(numbers):
        return units
    gold = numbers[pd.Index(votes.classes or ()).get_indexer(pd.Index(units.scored.gold))]

    def widen(own: Contributions) -> Contributions:
        items = np.zeros(len(own.changes), dtype=np.intp)
        items[own.change] = own.items
        wrong = own.ties_wrong
        return replace(
            own,
            columns=_join_points(own.columns, numbers, gold),
            changes=_join_points(own.changes, numbers, gold[items]),
            ties_wrong=None if wrong is None else _join_points(wrong, numbers, gold),
        )

    of_points = {name: _slice(metric, slice(_WIDTH)) for name, metric in SUM_METRICS.items()}
    of_labels = {name: _slice(metric, slice(_WIDTH, None)) for name, metric in units.metrics.items()}
    return replace(
        units,
        individual=widen(units.individual),
        majority=widen(units.majority),
        metrics={**of_labels, **of_points},
    )


def _join_points(labels: Floats, numbers: Floats, gold: Floats) -> Floats:
    """Rows of label columns (`scores.labels`), with COLUMNS of points before them."""
    answered = labels[:, 2 * len(numbers) : 3 * len(numbers)]
    n, y = answered.sum(axis=1), answered @ numbers
    errors = (answered * np.abs(numbers[None, :] - gold[:, None])).sum(axis=1)
    return np.column_stack([y, n * gold, answered @ numbers**2, n * gold**2, y * gold, errors, n, labels])


def _slice(metric: Metric, columns: slice) -> Metric:
    """The metric, of some of the columns."""
    compute, carry = metric.compute, metric.carry
    return replace(
        metric,
        compute=lambda sums: compute(sums[:, columns]),
        carry=None if carry is None else lambda rows, share, end: carry(rows[:, columns], share, end),
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
