"""The result of scoring people against gold: units of judgement, their metrics and both intervals of each.

Every answer type returns this result; its columns and metrics stand beside the type: `scores.labels`,
`answer_types.boxes`, `answer_types.span`, `answer_types.text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from aggregation.consensus.consensus import Consensus, TieRule, name_majority
from aggregation.findings import Finding, name_coverage
from aggregation.gold_comparison import ScoredAnswers
from aggregation.intervals.panel import NO_INTERVALS, Contributions, Form, Metric, PanelIntervals, estimate_intervals
from aggregation.intervals.shares import share_interval
from aggregation.schema import Codes
from aggregation.scores.graded_answers import GradedOptions, build_share_metric, sum_fresh_majorities
from aggregation.scores.variance_components import VarianceComponents, estimate_components

UnitName = Literal["individual", "majority", "dawid_skene"]

FEW_PEOPLE = 10  # below this many a fresh panel is hardly known, and a warning says so
SPAMMERS = 0.1  # the share of spammers that is named beside an interval: without any among few people it is too high
WELL_COVERED_PEOPLE = 20  # from this many on intervals for a fresh panel cover .90-.99 (benchmarks/score_coverage.py)
FEWEST_OF_EXTREMES = 20  # answers of a person whose share of right ones can be the least or largest
REASON_UNDEFINED = Finding("undefined")


@dataclass(frozen=True, kw_only=True)
class Score:
    """One metric: of `scoring.METRICS` for labels, of the `scores` module of their type for other answers.

    `value` shares ties, or follows the rule that was asked for (`Performance.ties`); `value_ties_wrong` counts each tie
    as no answer, and is None where nothing ties.
    `ci_low`, `ci_high`, the standard error `se` and its degrees of freedom `df` are for a fresh panel (new people and
    items), `item_only_low` and `item_only_high` for this panel (new items). The former hold the latter: with few items
    the variance of both can have so many more degrees of freedom than that of items that its interval would be
    narrower. `ci_method` names how they were made; `reason` says why the value or an interval is missing, or why no
    variance went into it.
    """

    metric: str
    value: float | None
    ci_low: float | None
    ci_high: float | None
    se: float | None
    item_only_low: float | None
    item_only_high: float | None
    ci_method: str
    reason: str
    value_ties_wrong: float | None = None
    df: float | None = None

    def clip(self, low: float, high: float) -> Score:
        """The score with the ends of its intervals inside the values that it can have."""

        def limit(end: float | None) -> float | None:
            return None if end is None else min(high, max(low, end))

        return replace(
            self,
            ci_low=limit(self.ci_low),
            ci_high=limit(self.ci_high),
            item_only_low=limit(self.item_only_low),
            item_only_high=limit(self.item_only_high),
        )


@dataclass(frozen=True, kw_only=True)
class Unit:
    """The scores of one unit of judgement: single answers, majorities, Dawid-Skene labels, majorities of k people.

    `total` counts answers and skips (individual) or items with gold that have one; a skip is wrong. `wrong` counts the
    wrong ones without a tie, beside the `n_ties` tied ones; both are None for a majority of k people, which is a mean
    over draws of k, some of which can tie. `fewest_votes` and `most_votes` are those of an item, for the majority
    alone. `scores` has the accuracy and, where the labels are classes, the other metrics. `warnings` say what makes the
    numbers doubtful.
    `independent_low` and `independent_high` are for the accuracy and treat all answers or items as independent, so they
    ignore that annotators and groups differ. `n_annotators` counts those whose votes were used; the rest is over
    annotators' own accuracies, for `individual` alone: mean, quartiles, and the extremes of those with
    FEWEST_OF_EXTREMES answers. So are the variance `components` of right answers, None where the answers do not tell
    them apart.
    """

    unit: str
    total: int
    wrong: int | None
    scores: tuple[Score, ...]
    warnings: tuple[str, ...]
    independent_low: float | None
    independent_high: float | None
    n_items: int
    n_annotators: int
    n_ties: int | None
    ann_mean: float | None = None
    ann_q1: float | None = None
    ann_median: float | None = None
    ann_q3: float | None = None
    ann_min: float | None = None
    ann_max: float | None = None
    fewest_votes: int | None = None
    most_votes: int | None = None
    components: VarianceComponents | None = None

    @property
    def title(self) -> str:
        """The name of the unit with the number of votes of a majority: `majority of 2–5`."""
        return self.unit if self.unit != "majority" else name_majority(self.fewest_votes, self.most_votes)

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
    `annotator` sorted, with the columns n, right (answers), accuracy, independent_low, independent_high. `random` is
    one over the mean number of options of all items; `random_exact` the mean of one over the number of options of the
    items that are scored, which is what guessing would score; both are None where nothing is chosen from options.
    `n_items` counts all items. `dawid_skene` are the labels by which the unit of that name was scored.
    `fresh_majorities` are the units `majority of k` for odd k, where few people answered every item. `ties` is the rule
    by which tied items are scored.
    """

    units: tuple[Unit, ...]
    refused: Mapping[str, str]
    annotators: pd.DataFrame
    random: float | None
    random_exact: float | None
    n_items: int
    confidence_level: float
    classes_are_positions: bool
    dawid_skene: Consensus | None
    fresh_majorities: tuple[Unit, ...] = ()
    ties: TieRule = "shared"

    def __getitem__(self, unit: str) -> Unit:
        """The unit of that name."""
        return {row.unit: row for row in (*self.units, *self.fresh_majorities)}[unit]

    @property
    def has_ties(self) -> bool:
        """Whether any unit has a tie, so that its values with ties wrong are other ones."""
        return any(row.primary.value_ties_wrong is not None for row in (*self.units, *self.fresh_majorities))

    def has_unit(self, unit: str) -> bool:
        """Whether there is a unit of that name."""
        return unit in {row.unit for row in (*self.units, *self.fresh_majorities)}


def score_unit(
    unit: str,
    contributions: Contributions,
    *,
    scored: ScoredAnswers,
    metrics: Mapping[str, Metric],
    confidence_level: float,
    n_annotators: int,
    warnings: tuple[str, ...] = (),
) -> Unit:
    """A unit of judgement from what its items contribute, the metrics in their order (the share of right ones first).

    The last column is the number of answers or items.
    """
    methods = describe_methods(
        unit, scored.annotators, n_annotators=n_annotators, n_groups=scored.n_groups, n_items=len(scored.gold)
    )
    ties_wrong = contributions.count_ties_wrong()
    share = next(iter(metrics.values()))
    scores = tuple(
        build_score(
            name,
            NO_INTERVALS
            if unit == "majority" and not metric.covers_majority
            else estimate_intervals(metric, contributions, confidence_level=confidence_level, share=share),
            value=float(metric.compute(contributions.sums)[0]),
            ties_wrong=None if ties_wrong is None else float(metric.compute(ties_wrong.sums)[0]),
            methods=methods,
        )
        for name, metric in metrics.items()
    )
    total = round(float(contributions.columns[:, -1].sum()))
    right = (scores[0].value or 0.0) * total
    untied_right = right if ties_wrong is None else (scores[0].value_ties_wrong or 0.0) * total
    independent = share_interval(round(right, 9), total, confidence_level=confidence_level)
    votes = np.bincount(scored.items[scored.voted]) if unit == "majority" else np.zeros(0, dtype=np.intp)
    votes = votes[votes > 0]
    return Unit(
        unit=unit,
        total=total,
        wrong=total - contributions.n_ties - round(untied_right),
        scores=scores,
        warnings=(*warn_of_few_people(unit, scored.annotators, n_annotators=n_annotators), *warnings),
        independent_low=independent.low,
        independent_high=independent.high,
        n_items=len(scored.gold),
        n_annotators=n_annotators,
        n_ties=contributions.n_ties,
        fewest_votes=int(votes.min()) if len(votes) else None,
        most_votes=int(votes.max()) if len(votes) else None,
        components=estimate_components(scored) if unit == "individual" else None,
    )


def score_fresh_majorities(options: GradedOptions, *, metric: str, confidence_level: float) -> tuple[Unit, ...]:
    """The units `majority of k`: the expected share of items that the majority of k fresh people gets right."""
    units = (
        score_unit(
            f"majority of {size}",
            contributions,
            scored=options.scored,
            metrics={metric: build_share_metric()},
            confidence_level=confidence_level,
            n_annotators=contributions.n_people,
        )
        for size, contributions in sum_fresh_majorities(options).items()
    )
    return tuple(replace(unit, wrong=None, n_ties=None, independent_low=None, independent_high=None) for unit in units)


def add_annotator_range(unit: Unit, annotators: pd.DataFrame) -> Unit:
    """The individual unit with mean, quartiles and extremes of the annotators' accuracies (see `Unit`)."""
    accuracy = annotators["accuracy"]
    low, middle, high = accuracy.quantile([0.25, 0.5, 0.75]).tolist()
    measured = accuracy.loc[annotators["n"] >= FEWEST_OF_EXTREMES]
    return replace(
        unit,
        ann_mean=float(accuracy.mean()),
        ann_q1=low,
        ann_median=middle,
        ann_q3=high,
        ann_min=None if measured.empty else float(measured.min()),
        ann_max=None if measured.empty else float(measured.max()),
    )


def score_annotators(scored: ScoredAnswers, *, confidence_level: float) -> pd.DataFrame:
    """One row per annotator: n, right, accuracy, independent_low, independent_high (see `Performance.annotators`)."""
    n = np.bincount(scored.annotators)
    right = np.bincount(scored.annotators, weights=scored.right).astype(np.int64)
    intervals = [
        share_interval(int(r), int(t), confidence_level=confidence_level) for r, t in zip(right, n, strict=True)
    ]
    return pd.DataFrame(
        {
            "n": n,
            "right": right,
            "accuracy": right / n,
            "independent_low": [interval.low for interval in intervals],
            "independent_high": [interval.high for interval in intervals],
        },
        index=pd.Index(scored.annotator_ids, name="annotator"),
    ).sort_index()


def build_score(
    name: str,
    intervals: PanelIntervals,
    *,
    value: float,
    methods: Mapping[Form, str],
    ties_wrong: float | None = None,
) -> Score:
    """A score of its intervals and the ways in which they can be made, by form (see `describe_methods`)."""
    has_interval = intervals.this_panel.low is not None
    fresh = intervals.fresh_panel.widen(intervals.this_panel)
    return Score(
        metric=name,
        value=None if np.isnan(value) else value,
        ci_low=fresh.low,
        ci_high=fresh.high,
        se=intervals.se,
        item_only_low=intervals.this_panel.low,
        item_only_high=intervals.this_panel.high,
        ci_method=methods[intervals.form if has_interval else "none"],
        reason=REASON_UNDEFINED if np.isnan(value) else intervals.reason,
        value_ties_wrong=None if ties_wrong is None or np.isnan(ties_wrong) else ties_wrong,
        df=None if intervals.se is None or intervals.variance is None else intervals.variance.total_df,
    )


def describe_methods(
    unit: str, annotators: Codes, *, n_annotators: int, n_groups: int, n_items: int
) -> dict[Form, str]:
    """How the intervals of a unit are made, by their form; how often those for a fresh panel cover in simulation.

    `annotators` has the code of who gave each answer, `n_annotators` are those whose votes are used.
    """
    made = Finding("refitted" if unit == "dawid_skene" else "by-people")
    is_unequal = _count_dominating_people(annotators, n_annotators=n_annotators) is not None
    coverage = _describe_coverage(n_annotators)
    if is_unequal:
        coverage = Finding("covered-unequal", share=name_coverage(".84-.92"))
    if unit == "dawid_skene" and is_unequal:
        coverage = Finding("not-simulated")
    units, m = "items" if n_groups == n_items else "groups", n_groups
    two_way = partial(Finding, f"two-way-{units}", n=n_annotators, made=made, m=m)
    return {
        "two-way": two_way(coverage=coverage),
        "people-zero": two_way(coverage=Finding("people-alike", coverage=coverage)),
        "items": Finding(f"variance-{units}", n=m),
        "share": Finding(f"share-{units}", n=m),
        "carried": Finding(f"carried-{units}", n=m),
        "none": "none",
    }


def _describe_coverage(n_annotators: int) -> Finding:
    """How often an interval for a fresh panel covers, and what a tenth of spammers, of whom it may know none, does."""
    share, least = (".90-.99", 0.90) if n_annotators >= WELL_COVERED_PEOPLE else (".88-.99", 0.88)
    some_spammer = 1 - (1 - SPAMMERS) ** n_annotators
    if some_spammer >= least:
        return Finding("covered", share=name_coverage(share))
    return Finding(
        "covered-few", share=name_coverage(share), least=name_coverage(f"{some_spammer:.2f}".removeprefix("0"))
    )


def warn_of_few_people(unit: str, annotators: Codes, *, n_annotators: int) -> tuple[str, ...]:
    """A warning where people are few, or where few of them gave most of the answers."""
    if n_annotators < FEW_PEOPLE:
        if n_annotators == 1:
            return (Finding("one-person", least=FEW_PEOPLE),)
        return (Finding("few-people", n=n_annotators, least=FEW_PEOPLE),)
    dominating = _count_dominating_people(annotators, n_annotators=n_annotators)
    if dominating is None:
        return ()
    return (Finding("unequal-shares-fitted" if unit == "dawid_skene" else "unequal-shares", n=dominating),)


def _count_dominating_people(annotators: Codes, *, n_annotators: int) -> int | None:
    """How many people vary the score where few of many gave most answers; None elsewhere.

    It is the whole number of people with equal shares who would vary it as much, (Σm²)²/Σm⁴ of their answers m. Few
    are fewer than FEW_PEOPLE and than half of all: any panel with unequal shares has fewer than people, as ten people
    of 30 or 31 answers have 9.99. In 300 to 400 simulated campaigns each the interval for a fresh panel covered
    .92-.96 with 7 to 10 of 10 to 12 people, and .86-.87 with 4 of 12 and 7 of 100.
    """
    squares = np.bincount(annotators).astype(np.float64) ** 2
    n_equal = round(float(squares.sum() ** 2 / (squares**2).sum()))
    return n_equal if n_annotators >= FEW_PEOPLE > n_equal and 2 * n_equal < n_annotators else None
