"""Two projects that ask the same question: five measures of each, and their difference."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from aggregation.agreement.coefficients import CoefficientName
from aggregation.answer_types import ANSWER_TYPES
from aggregation.answers import Answers
from aggregation.comparison.scored_units import ScoredUnit, sum_scored_units
from aggregation.consensus.methods import build_label_consensus
from aggregation.errors import HromadaError, Refused
from aggregation.findings import join_findings
from aggregation.intervals.paired_measures import ItemMeasure, build_item_measure, join_measures, sum_items
from aggregation.intervals.panel import PanelIntervals, estimate_intervals
from aggregation.intervals.resampling import encode_groups
from aggregation.schema import Floats
from aggregation.scores.graded_answers import build_column_mean
from aggregation.scores.performance import FEW_PEOPLE

MEDIAN_BANDWIDTH = 0.648  # times n^(-1/5): Bofinger's (1975) at the median
Basis = Literal["pairs", "votes", "timed", "offers", "scored"]
"""What an item needs to have a measure: two votes, a vote, seconds, an answer or a skip, gold and a vote."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ProjectAnswers:
    """One project: its `answers`, and its `offers`, one row for each item that a person answered or skipped.

    `offers` has the columns item, annotator, skipped (whether they skipped, or said that they do not know), is_due
    (whether the skip is a wrong answer in scores) and seconds (nan where unknown).
    """

    name: str
    answers: Answers
    offers: pd.DataFrame

    @property
    def timed(self) -> pd.DataFrame:
        """The offers that were answered in a known time."""
        return self.offers.loc[~self.offers["skipped"].to_numpy(dtype=bool) & self.offers["seconds"].notna()]

    def keep_items(self, items: pd.Index[str]) -> ProjectAnswers:
        """The project with these items only."""
        votes = self.answers.votes
        frame = votes.frame.loc[votes.frame["item"].isin(items)].reset_index(drop=True)
        kept = replace(votes, frame=frame, items=votes.items.loc[votes.items.index.isin(items)])
        offers = self.offers.loc[self.offers["item"].isin(items)].reset_index(drop=True)
        return replace(self, answers=self.answers.with_votes(kept), offers=offers)

    def list_items(self, basis: Basis) -> set[str]:
        """The items that have this."""
        votes = self.answers.votes
        items = {"offers": self.offers, "timed": self.timed}.get(basis, votes.frame)["item"]
        if basis == "pairs":
            items = items[items.duplicated()]
        elif basis == "scored":
            items = items[items.isin(votes.items.index[votes.items["gold"].notna()])]
        return set(items)


def measure_coefficient(project: ProjectAnswers, coefficient: CoefficientName) -> ItemMeasure:
    """A coefficient of `agreement.coefficients` that is made of pairs of votes; of boxes, α counts every box."""
    return ANSWER_TYPES[project.answers.kind].measure_pairs(project.answers, coefficient)


def measure_similarity(project: ProjectAnswers) -> ItemMeasure:
    """The mean over items of how similar each two answers are: chrF of texts, F1 of the words that spans touch."""
    frame, similarity = ANSWER_TYPES[project.answers.kind].build_similarity(project.answers)
    means = np.empty(len(frame))
    for places in frame.groupby("item").indices.values():
        of_item = [frame["said"].iloc[place] for place in places]
        table = np.array([[similarity(first, second) for second in of_item] for first in of_item])
        means[places] = (table.sum(axis=1) - np.diag(table)) / (len(places) - 1)
    return _measure_item_mean(frame, means, votes_of_change=2)


def measure_vote_share(project: ProjectAnswers) -> ItemMeasure:
    """The mean over items of the share of votes for the most frequent answer, which is taken for known."""
    frame = project.answers.normalise_votes().frame
    given = frame.groupby(["item", "answer"])["annotator"].transform("size")
    is_top = given == given.groupby(frame["item"]).transform("max")
    n_tied = (is_top / given).groupby(frame["item"]).transform("sum")
    return _measure_item_mean(frame, (is_top / n_tied).to_numpy(dtype=np.float64))


def measure_posterior(project: ProjectAnswers) -> ItemMeasure:
    """The mean over items of the posterior of Dawid-Skene's label, which is taken for known: no people vary it."""
    labels = build_label_consensus(project.answers.votes, method="dawid_skene", ties="first").labels
    frame = pd.DataFrame({"item": labels.index, "annotator": ""}, dtype=object)
    measure = _measure_item_mean(frame, labels["confidence"].to_numpy(dtype=np.float64))
    return replace(measure, people=np.array([], dtype=object))


def measure_mean_seconds(project: ProjectAnswers) -> ItemMeasure:
    """The mean seconds of an answer."""
    return _measure_mean(project.timed, project.timed["seconds"].to_numpy(dtype=np.float64))


def measure_median_seconds(project: ProjectAnswers) -> ItemMeasure:
    """The median seconds of an answer, as the mean of the median and its influence function, sign(s - median) / 2f.

    f, the density at the median, is 2h over the difference of the quantiles 1/2 ± h, with Bofinger's (1975) h.
    """
    seconds = project.timed["seconds"].to_numpy(dtype=np.float64)
    half = min(0.49, MEDIAN_BANDWIDTH * len(seconds) ** -0.2)
    low, median, high = np.quantile(seconds, [0.5 - half, 0.5, 0.5 + half])
    influence = np.sign(seconds - median) * (high - low) / (4 * half)
    return _measure_mean(project.timed, median + influence - influence.mean())


def measure_skips(project: ProjectAnswers) -> ItemMeasure:
    """The share of offered items that were skipped."""
    return _measure_mean(project.offers, project.offers["skipped"].to_numpy(dtype=np.float64))


def measure_accuracy(project: ProjectAnswers, unit: ScoredUnit) -> ItemMeasure:
    """The share of right answers of the `individual` or the `majority`, as `hromada baseline` scores them."""
    answers = project.answers.with_votes(replace(project.answers.votes, classes=None))
    return sum_scored_units(answers, project.offers.loc[project.offers["is_due"], ["item", "annotator"]]).measure(unit)


def list_measures(answers: Answers) -> Mapping[str, tuple[Basis, Callable[[ProjectAnswers], ItemMeasure]]]:
    """The measures that fit this type of answers by name, in the order in which they are shown.

    Each has what its items need, and what computes it from a project that has just these items.
    """
    answer_type = ANSWER_TYPES[answers.kind]
    similarities = answer_type.similarities
    coefficients: tuple[CoefficientName, ...] = ("percent_agreement", *answer_type.list_pair_coefficients(answers))
    return {
        **{name: ("pairs", partial(measure_coefficient, coefficient=name)) for name in coefficients},
        **({} if similarities is None else {similarities[answers.has_classes]: ("pairs", measure_similarity)}),
        "vote_share": ("votes", measure_vote_share),
        **({} if answers.votes.classes is None else {"posterior": ("votes", measure_posterior)}),
        "mean_seconds": ("timed", measure_mean_seconds),
        "median_seconds": ("timed", measure_median_seconds),
        "skips": ("offers", measure_skips),
        "accuracy": ("scored", partial(measure_accuracy, unit="individual")),
        "majority_accuracy": ("scored", partial(measure_accuracy, unit="majority")),
    }


def _measure_item_mean(votes: pd.DataFrame, values: Floats, *, votes_of_change: int = 1) -> ItemMeasure:
    """The mean over items of the means of a value over their votes; a pair's value belongs to two votes."""
    weights = 1 / votes.groupby("item")["item"].transform("size").to_numpy(dtype=np.float64)
    return _measure_mean(votes, values, weights=weights, votes_of_change=votes_of_change)


def _measure_mean(
    rows: pd.DataFrame, values: Floats, *, weights: Floats | None = None, votes_of_change: int = 1
) -> ItemMeasure:
    """The mean of a value over rows."""
    weights = np.ones(len(values)) if weights is None else weights
    shares = np.column_stack([values * weights, weights])
    compute = build_column_mean(0, "difference").compute
    columns = sum_items(rows["item"], shares)
    return build_item_measure(rows, changes=votes_of_change * shares, columns=columns, compute=compute)


REASON_NO_ITEMS = "No item has it in both projects."
REASON_POSTERIOR = "No interval for a fresh panel: posteriors are taken for known, and people are in their model."
METHODS = {
    "two-way": "two-way jackknife of the paired difference: {people} people, {items}",
    "people-zero": "two-way jackknife of the paired difference: {people} people, who differ no more than by chance,"
    " {items}",
    "items": "variance of the paired difference of {items}",
    "none": "none",
}


@dataclass(frozen=True, kw_only=True)
class MeasureDifference:
    """A measure of the `first` project or panel, of the `second`, and the `difference`, the first less the second.

    `ci_low`, `ci_high` and the standard error `se` are for a fresh panel (new people and items), `item_only_low` and
    `item_only_high` for these people on new items. The values with ties wrong count the ties of a majority as wrong;
    they are None if nothing ties. `n_answers` and `n_people` count those of both, `n_common_people` the people who took
    part in both. `reason` says why a value or an interval is missing.
    """

    measure: str
    first: float | None = None
    second: float | None = None
    difference: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    se: float | None = None
    item_only_low: float | None = None
    item_only_high: float | None = None
    first_ties_wrong: float | None = None
    second_ties_wrong: float | None = None
    n_items: int = 0
    n_answers: int = 0
    n_people: int = 0
    n_common_people: int = 0
    ci_method: str = "none"
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class ProjectComparison:
    """Two projects over the items that both have: differences in the order of `list_measures`, and what is doubtful."""

    differences: tuple[MeasureDifference, ...]
    warnings: tuple[str, ...]
    confidence_level: float

    def find_difference(self, measure: str) -> MeasureDifference:
        """The difference in that measure."""
        return {row.measure: row for row in self.differences}[measure]


def compare_projects(
    first: ProjectAnswers, second: ProjectAnswers, *, confidence_level: float = 0.95, only: Collection[str] = ()
) -> ProjectComparison:
    """Compare two projects by all measures that fit their type of answers, or by `only` those named.

    Groups of items are those of the first project. Raises HromadaError for two projects of one name, for answers of
    different types, and if no item is in both.
    """
    if first.name == second.name:
        raise HromadaError(f"{first.name!r} is named twice.", remedy="Name two projects.")
    if first.answers.kind != second.answers.kind:
        raise HromadaError(
            f"Answers to {first.name!r} are of the type {first.answers.kind!r}, to {second.name!r} of the type"
            f" {second.answers.kind!r}.",
            remedy="Compare questions of one type; --question names them.",
        )
    common = first.answers.votes.items.index.intersection(second.answers.votes.items.index)
    if common.empty:
        raise HromadaError("No item is in both projects.", remedy="Give the same items the same ids.")
    projects = [project.keep_items(common) for project in (first, second)]
    measures, other = (list_measures(project.answers) for project in projects)
    names = [name for name in measures if name in other and name in (only or measures)]
    return ProjectComparison(
        differences=tuple(_compare(name, projects, *measures[name], confidence_level) for name in names),
        warnings=tuple(_list_warnings(projects)),
        confidence_level=confidence_level,
    )


def _compare(
    name: str,
    projects: Sequence[ProjectAnswers],
    basis: Basis,
    measure: Callable[[ProjectAnswers], ItemMeasure],
    confidence_level: float,
) -> MeasureDifference:
    """The measure on the items that have its basis in both projects, or the reason why there is none."""
    items = pd.Index(sorted(set.intersection(*(project.list_items(basis) for project in projects))))
    if items.empty:
        return MeasureDifference(measure=name, reason=REASON_NO_ITEMS)
    row, intervals, n_groups = subtract_measures(
        name, projects, measure, items=items, confidence_level=confidence_level
    )
    if intervals is None:
        return row
    method = METHODS["none" if intervals.this_panel.low is None else intervals.form]
    units = "items" if n_groups == len(items) else "groups of items"
    return replace(
        row,
        ci_method=method.format(people=row.n_people, items=f"{n_groups} {units}"),
        reason=_explain_interval(row, intervals),
    )


def subtract_measures(
    name: str,
    projects: Sequence[ProjectAnswers],
    measure: Callable[[ProjectAnswers], ItemMeasure],
    *,
    items: pd.Index[str],
    confidence_level: float,
) -> tuple[MeasureDifference, PanelIntervals | None, int]:
    """The difference of a measure of two projects on these items, its intervals, and the number of groups of items.

    Groups are those of the first project. `ci_method` and the reason for a missing interval are left to the caller. The
    intervals are None if the measure is refused; then `reason` says why.
    """
    try:
        first, second = (measure(project.keep_items(items)) for project in projects)
    except Refused as refusal:
        return MeasureDifference(measure=name, reason=join_findings(refusal.problem, refusal.remedy)), None, 0
    groups = projects[0].answers.votes.items["group"].reindex(items).to_numpy(dtype=object)
    joined, metric = join_measures(first, second, groups=encode_groups(groups)[0])
    intervals = estimate_intervals(metric, joined, confidence_level=confidence_level)
    row = MeasureDifference(
        measure=name,
        first=drop_nan(first.value),
        second=drop_nan(second.value),
        difference=drop_nan(float(metric.compute(joined.sums)[0])),
        ci_low=intervals.fresh_panel.low,
        ci_high=intervals.fresh_panel.high,
        se=intervals.se,
        item_only_low=intervals.this_panel.low,
        item_only_high=intervals.this_panel.high,
        first_ties_wrong=None if joined.tied is None else first.value_ties_wrong,
        second_ties_wrong=None if joined.tied is None else second.value_ties_wrong,
        n_items=len(items),
        n_answers=len(joined.items),
        n_people=joined.n_people,
        n_common_people=len(np.intersect1d(first.people, second.people)),
    )
    return row, intervals, joined.n_groups


def drop_nan(value: float) -> float | None:
    """None for an undefined value."""
    return None if np.isnan(value) else value


def _explain_interval(row: MeasureDifference, intervals: PanelIntervals) -> str:
    if row.difference is None:
        return "Undefined in one of both: nothing varies."
    return REASON_POSTERIOR if intervals.form == "items" and row.measure == "posterior" else intervals.reason


def _list_warnings(projects: Sequence[ProjectAnswers]) -> Iterator[str]:
    """What makes a comparison doubtful: few people, and numbers of votes that differ."""
    votes = {}
    for project in projects:
        frame = project.answers.votes.frame
        n_people = frame["annotator"].nunique()
        votes[project.name] = len(frame) / max(frame["item"].nunique(), 1)
        if n_people < FEW_PEOPLE:
            yield f"{project.name}: {n_people} people are few; what others would do is hardly known from them."
    if max(votes.values()) - min(votes.values()) > 0.1:
        numbers = ", ".join(f"{name} {number:.1f}" for name, number in votes.items())
        yield f"Votes an item differ ({numbers}): with more votes the vote share is lower by itself."
