"""Panels of people who answered the same items: the measures of two of them, their difference, and their consensus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from aggregation.answer_types import build_consensus
from aggregation.answers import Answers
from aggregation.comparison.projects import (
    MeasureDifference,
    ProjectAnswers,
    drop_nan,
    list_measures,
    subtract_measures,
)
from aggregation.consensus.consensus import Consensus
from aggregation.findings import Finding
from aggregation.intervals.paired_measures import ItemMeasure, build_item_measure, fix_answers
from aggregation.intervals.panel import FEWEST_PEOPLE, PanelIntervals, estimate_intervals
from aggregation.intervals.resampling import encode_groups
from aggregation.schema import Floats
from aggregation.scores.graded_answers import build_column_mean

LabelShares = Mapping[str, Mapping[str, float]]
LEFT_OUT = ("vote_share", "posterior", "mean_seconds", "median_seconds", "skips")
"""The measures of `comparison.projects` that are no score and no agreement."""
SAME_CONSENSUS = "same_consensus"
"""The measure of a pair of panels: the share of the items of both on which their majorities say the same."""
METHOD_CODES = {"two-way": "paired-two-way", "people-zero": "paired-people-zero"}
"""The findings that say how the intervals of a difference were made, where people vary it."""


@dataclass(frozen=True, kw_only=True)
class PanelDifference(MeasureDifference):
    """A measure of two panels over the items that both have answers for, with the names of both.

    `measure` is `accuracy` (of single answers), `majority_accuracy`, a coefficient of agreement of the people of each
    panel, or SAME_CONSENSUS, which has no `first` and `second`, and is the `difference`.
    """

    panel: str
    other: str


def compare_panels(
    panels: Mapping[str, ProjectAnswers], *, confidence_level: float = 0.95
) -> tuple[PanelDifference, ...]:
    """Compare each two panels by their scores, their agreement, and their consensus.

    `panels` are the answers of each panel by its name; all are over the same items. A measure is compared over the
    items for which both panels have what it needs: a vote and gold, two votes, or a vote.
    """
    return tuple(
        difference
        for (one, first), (two, second) in combinations(panels.items(), 2)
        for difference in _compare_pair(one, two, first, second, confidence_level)
    )


def _compare_pair(
    one: str, two: str, first: ProjectAnswers, second: ProjectAnswers, confidence_level: float
) -> Iterator[PanelDifference]:
    for name, (basis, measure) in list_measures(first.answers).items():
        if name in LEFT_OUT:
            continue
        items = pd.Index(sorted(first.list_items(basis) & second.list_items(basis)))
        if items.empty:
            row = MeasureDifference(measure=name, reason=Finding("no-common-items"))
        else:
            row = _compare_measure(name, (first, second), measure, items, confidence_level)
        yield PanelDifference(panel=one, other=two, **vars(row))
    yield _compare_consensus(one, two, first, second, confidence_level)


def _compare_measure(
    name: str,
    panels: Sequence[ProjectAnswers],
    measure: Callable[[ProjectAnswers], ItemMeasure],
    items: pd.Index[str],
    confidence_level: float,
) -> MeasureDifference:
    row, intervals, n_groups = subtract_measures(name, panels, measure, items=items, confidence_level=confidence_level)
    if intervals is None:
        return row
    method = METHOD_CODES.get(intervals.form, "paired-items")
    return replace(
        row,
        ci_method=_describe_method(intervals, method, n_people=row.n_people, n_groups=n_groups),
        reason=Finding("undefined-in-one") if row.difference is None else _explain(intervals),
    )


def _compare_consensus(
    one: str, two: str, first: ProjectAnswers, second: ProjectAnswers, confidence_level: float
) -> PanelDifference:
    """The share of common items on which the majorities are the same; a tie counts as a fair draw among the tied."""
    row = PanelDifference(panel=one, other=two, measure=SAME_CONSENSUS)
    items = pd.Index(sorted(first.list_items("votes") & second.list_items("votes")))
    if items.empty:
        return replace(row, reason=Finding("no-common-items"))
    kept = [panel.keep_items(items) for panel in (first, second)]
    labels = [build_consensus(panel.answers, method="majority", ties="shared") for panel in kept]
    same = _count_same(kept[0].answers, *map(_share_labels, labels), items=items)
    mean = build_column_mean(0, "share")
    measure = fix_answers(
        build_item_measure(
            pd.DataFrame({"item": items, "annotator": ""}, dtype=object),
            changes=np.column_stack([same, np.ones(len(items))]),
            compute=mean.compute,
        )
    )
    groups, n_groups = encode_groups(kept[0].answers.votes.items["group"].reindex(items).to_numpy(dtype=object))
    contributions = replace(measure.contributions, groups=groups, n_groups=n_groups, fewest_people=1)
    intervals = estimate_intervals(mean, contributions, confidence_level=confidence_level)
    people = {name for panel in kept for name in panel.answers.votes.frame["annotator"]}
    return replace(
        row,
        difference=drop_nan(measure.value),
        item_only_low=intervals.this_panel.low,
        item_only_high=intervals.this_panel.high,
        ci_method=_describe_method(intervals, "paired-share", n_people=len(people), n_groups=n_groups),
        n_items=len(items),
        n_answers=sum(len(panel.answers.votes.frame) for panel in kept),
        n_people=len(people),
        reason=Finding("consensus-of-these"),
    )


def _count_same(answers: Answers, first: LabelShares, second: LabelShares, *, items: pd.Index[str]) -> Floats:
    """Of each item the chance that both consensuses are the same, a fair draw made among tied labels."""
    return np.array(
        [
            sum(
                share * other_share
                for label, share in first[item].items()
                for other, other_share in second[item].items()
                if label == other or answers.is_right(item, label, other)
            )
            for item in items
        ],
        dtype=np.float64,
    )


def _share_labels(consensus: Consensus) -> LabelShares:
    """Of each item the labels of its consensus, each with the chance that a fair draw takes it."""
    tied = consensus.list_tied_answers()
    return {
        str(item): {name: count / len(tied[item]) for name, count in Counter(tied[item]).items()}
        if item in tied
        else {label: 1.0}
        for item, label in consensus.labels["label"].items()
    }


def _describe_method(intervals: PanelIntervals, method: str, *, n_people: int, n_groups: int) -> str:
    return "none" if intervals.this_panel.low is None else Finding(method, people=n_people, groups=n_groups)


def _explain(intervals: PanelIntervals) -> str:
    """Why there is no interval for new people."""
    return Finding("few-people-in-one", least=FEWEST_PEOPLE) if intervals.form == "items" else intervals.reason
