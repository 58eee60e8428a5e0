"""The result of scoring people against gold: units of judgement, their metrics and intervals over annotators and items.

Every answer type returns this result; its columns and metrics stand beside the type: `labels.scores`,
`multilabel.scores`, `spans.scores`, `texts.scores`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from aggregation.bootstrap import FEWEST_GROUPS, Resampling, percentile_interval, resample_crossed
from aggregation.consensus import Consensus
from aggregation.gold_comparison import ScoredAnswers, Scorer
from aggregation.intervals import Interval, wilson_interval
from aggregation.schema import Floats, divide_safely

UnitName = Literal["individual", "majority", "dawid_skene"]
Metric = Callable[[Floats], Floats]
"""Takes column sums of a scorer, one row per draw, and returns one number per draw; nan where it is undefined."""

NOTE_VALUE_ABOVE_INTERVAL = (
    "The value lies above its interval: a majority of redrawn people rests on fewer different people and ties more "
    "often. The Wilson interval takes the people as given."
)


@dataclass(frozen=True, kw_only=True)
class Score:
    """One metric: of `scoring.METRICS` for labels, of the `scores` module of their type for other answers.

    `low` and `high` are the interval that the unit's `ci_method` names.
    """

    metric: str
    value: float
    low: float | None
    high: float | None
    undefined_resamples: int


@dataclass(frozen=True, kw_only=True)
class Unit:
    """The scores of one unit of judgement: single answers, majorities, or Dawid-Skene labels.

    `total` counts answers and skips (individual) or items with gold that have one; a skip is wrong, and so is a tie,
    which is counted in `n_ties`. `scores` has the accuracy and, where the labels are classes, the other metrics.
    `ci_method` describes how the intervals were made, `note` what a reader must know about them. `wilson_low` and
    `wilson_high` are for the accuracy and treat all answers or items as independent, so they ignore that annotators
    and groups differ. `n_annotators` counts those whose votes were used; the last three are over annotators' own
    accuracies, for `individual` alone.
    """

    unit: UnitName
    total: int
    wrong: int
    scores: tuple[Score, ...]
    ci_method: str
    note: str
    wilson_low: float | None
    wilson_high: float | None
    n_items: int
    n_annotators: int
    n_ties: int
    ann_mean: float | None = None
    ann_min: float | None = None
    ann_max: float | None = None

    @property
    def primary(self) -> Score:
        """The score that `wrong` belongs to: the share of right answers or items (accuracy, or exact match)."""
        return self.scores[0]

    def __getitem__(self, metric: str) -> Score:
        """The score by that metric."""
        return {score.metric: score for score in self.scores}[metric]


@dataclass(frozen=True, kw_only=True, eq=False)
class Performance:
    """People's performance on the items that have gold.

    `refused` maps a unit that these answers do not allow to the reason. `annotators` has one row per annotator, index
    `annotator` sorted, with the columns n, right (answers), accuracy, wilson_low, wilson_high. `random` is one over
    the mean number of options of all items; `random_exact` the mean of one over the number of options of the items
    that are scored, which is what guessing would score; both are None where nothing is chosen from options. `n_items`
    counts all items, `n_items_scored` those with gold and votes. `dawid_skene` are the labels by which the unit of that
    name was scored.
    """

    units: tuple[Unit, ...]
    refused: Mapping[str, str]
    annotators: pd.DataFrame
    random: float | None
    random_exact: float | None
    n_items: int
    n_items_with_gold: int
    n_items_scored: int
    n_resamples: int
    seed: int
    confidence_level: float
    classes_are_positions: bool
    dawid_skene: Consensus | None

    def __getitem__(self, unit: str) -> Unit:
        """The unit of that name."""
        return {str(row.unit): row for row in self.units}[unit]


def build_column_mean(column: int) -> Metric:
    """The mean of a column over answers, whose number is the last column."""
    return lambda sums: divide_safely(sums[:, column], sums[:, -1])


def score_unit(
    unit: UnitName,
    sums: Floats,
    *,
    scorer: Scorer,
    scored: ScoredAnswers,
    metrics: Mapping[str, Metric],
    right: int,
    total: int,
    resampling: Resampling,
) -> Unit:
    """A unit of judgement from the column sums of its answers (1 × columns), the metrics in their order.

    `right` of `total` answers or items are right. Intervals resample annotators and groups of items with `scorer`.
    """
    resampled = None
    if scored.n_groups >= FEWEST_GROUPS:
        resampled = resample_crossed(
            scorer.sum_columns,
            n_annotators=scorer.n_annotators,
            groups=scorer.groups,
            width=scorer.width,
            n_resamples=resampling.n_resamples,
            rng=resampling.rng(),
            progress=resampling.progress,
        )
    scores = tuple(
        _compute_score(name, metric, sums, resampled, confidence_level=resampling.confidence_level)
        for name, metric in metrics.items()
    )
    method, note = _describe_interval(scored, scorer, resampling=resampling)
    if scores[0].high is not None and scores[0].high < scores[0].value:
        note = f"{note} {NOTE_VALUE_ABOVE_INTERVAL}".strip()
    wilson = wilson_interval(right, total, confidence_level=resampling.confidence_level)
    return Unit(
        unit=unit,
        total=total,
        wrong=total - right,
        scores=scores,
        ci_method=method,
        note=note,
        wilson_low=wilson.low,
        wilson_high=wilson.high,
        n_items=len(scored.gold),
        n_annotators=len(scored.annotator_ids),
        n_ties=0,
    )


def add_annotator_range(unit: Unit, annotators: pd.DataFrame) -> Unit:
    """The individual unit with the mean, least and largest accuracy of the annotators (see `score_annotators`)."""
    accuracy = annotators["accuracy"]
    return replace(unit, ann_mean=float(accuracy.mean()), ann_min=float(accuracy.min()), ann_max=float(accuracy.max()))


def score_annotators(scored: ScoredAnswers, *, confidence_level: float) -> pd.DataFrame:
    """One row per annotator: n, right, accuracy, wilson_low, wilson_high (see `Performance.annotators`)."""
    n = np.bincount(scored.annotators)
    right = np.bincount(scored.annotators, weights=scored.right).astype(np.int64)
    intervals = [
        wilson_interval(int(r), int(t), confidence_level=confidence_level) for r, t in zip(right, n, strict=True)
    ]
    return pd.DataFrame(
        {
            "n": n,
            "right": right,
            "accuracy": right / n,
            "wilson_low": [interval.low for interval in intervals],
            "wilson_high": [interval.high for interval in intervals],
        },
        index=pd.Index(scored.annotator_ids, name="annotator"),
    ).sort_index()


def _compute_score(
    name: str, metric: Metric, sums: Floats, resampled: Floats | None, *, confidence_level: float
) -> Score:
    interval = Interval(low=None, high=None)
    if resampled is not None:
        interval = percentile_interval(metric(resampled), confidence_level=confidence_level)
    return Score(
        metric=name,
        value=float(metric(sums)[0]),
        low=interval.low,
        high=interval.high,
        undefined_resamples=interval.undefined,
    )


def _describe_interval(scored: ScoredAnswers, scorer: Scorer, *, resampling: Resampling) -> tuple[str, str]:
    """The name of the interval's method, and what a reader must know about it."""
    if scored.n_groups < FEWEST_GROUPS:
        few = f"{scored.n_groups} {scored.item_units} are fewer than the {FEWEST_GROUPS} to resample"
        return "none", f"No interval: {few}."
    method = (
        f"crossed bootstrap, {resampling.n_resamples} draws over people and {scored.item_units}, seed {resampling.seed}"
    )
    if scorer.n_annotators < FEWEST_GROUPS:
        return method, f"Between-person variation is not estimable from {scorer.n_annotators} people."
    return method, ""
