"""Panels of people who answered the same items: the measures of two of them, their difference, and their consensus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from aggregation.answer_types import build_consensus
from aggregation.answers import Answers
from aggregation.comparison.projects import ProjectAnswers, list_measures
from aggregation.consensus.consensus import Consensus
from aggregation.errors import Refused
from aggregation.findings import Finding, join_findings
from aggregation.intervals.paired_measures import ItemMeasure, build_item_measure, fix_answers, join_measures
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
class PanelDifference:
    """A measure of two panels over the items that both have answers for, and the difference, the first less the second.

    `measure` is `accuracy` (of single answers), `majority_accuracy`, a coefficient of agreement of the people of each
    panel, or SAME_CONSENSUS, which has no `first` and `second` and stands in `difference`. `ci_low`, `ci_high` and the
    standard error `se` are for new people and new items, `item_only_low` and `item_only_high` for these people and new
    items. `n_answers` and `n_people` are those of both panels on these items. `reason` says why a value or an interval
    is missing.
    """

    panel: str
    other: str
    measure: str
    first: float | None = None
    second: float | None = None
    difference: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    se: float | None = None
    item_only_low: float | None = None
    item_only_high: float | None = None
    n_items: int = 0
    n_answers: int = 0
    n_people: int = 0
    ci_method: str = "none"
    reason: str = ""


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
        row = PanelDifference(panel=one, other=two, measure=name)
        if items.empty:
            yield replace(row, reason=Finding("no-common-items"))
            continue
        yield _compare_measure(row, first.keep_items(items), second.keep_items(items), measure, confidence_level)
    yield _compare_consensus(one, two, first, second, confidence_level)


def _compare_measure(
    row: PanelDifference,
    first: ProjectAnswers,
    second: ProjectAnswers,
    measure: Callable[[ProjectAnswers], ItemMeasure],
    confidence_level: float,
) -> PanelDifference:
    """The row with both values and their difference, over the items that both panels have."""
    try:
        measured, other = measure(first), measure(second)
    except Refused as refusal:
        return replace(row, reason=join_findings(refusal.problem, refusal.remedy))
    items = sorted(first.answers.votes.items.index)
    groups = encode_groups(first.answers.votes.items["group"].reindex(items).to_numpy(dtype=object))[0]
    joined, metric = join_measures(measured, other, groups=groups)
    difference = float(metric.compute(joined.sums)[0])
    intervals = estimate_intervals(metric, joined, confidence_level=confidence_level)
    is_undefined = Finding("undefined-in-one") if np.isnan(difference) else ""
    return replace(
        row,
        first=_drop_nan(measured.value),
        second=_drop_nan(other.value),
        difference=_drop_nan(difference),
        **_list_intervals(
            intervals,
            method=METHOD_CODES.get(intervals.form, "paired-items"),
            n_people=joined.n_people,
            n_groups=joined.n_groups,
        ),
        n_items=len(items),
        n_answers=len(joined.items),
        n_people=joined.n_people,
        reason=is_undefined or _explain(intervals),
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
    these = _list_intervals(intervals, method="paired-share", n_people=len(people), n_groups=n_groups)
    return replace(
        row,
        difference=_drop_nan(measure.value),
        **these | {"ci_low": None, "ci_high": None, "se": None},
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


def _list_intervals(intervals: PanelIntervals, *, method: str, n_people: int, n_groups: int) -> dict[str, Any]:
    """The fields of a difference that tell its intervals and how they were made."""
    has_none = intervals.this_panel.low is None
    return {
        "ci_low": intervals.fresh_panel.low,
        "ci_high": intervals.fresh_panel.high,
        "se": intervals.se,
        "item_only_low": intervals.this_panel.low,
        "item_only_high": intervals.this_panel.high,
        "ci_method": "none" if has_none else Finding(method, people=n_people, groups=n_groups),
    }


def _explain(intervals: PanelIntervals) -> str:
    """Why there is no interval for new people."""
    return Finding("few-people-in-one", least=FEWEST_PEOPLE) if intervals.form == "items" else intervals.reason


def _drop_nan(value: float) -> float | None:
    return None if np.isnan(value) else value
