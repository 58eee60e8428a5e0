"""What pilots are compared by: each measure of one pilot as a sum over items to which its people contribute.

A measure is made of what `panel_variance` takes, so that a difference of two pilots has the variance of one score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

import numpy as np
import pandas as pd

from aggregation.answer_types import TEXT_TYPES
from aggregation.answers import Answers, choose_headline_coefficient
from aggregation.labels.agreement.breakdown import list_vote_changes
from aggregation.labels.agreement.coefficients import CoefficientName, build_statistic
from aggregation.labels.agreement.vote_sums import sum_votes
from aggregation.labels.consensus import build_label_consensus
from aggregation.multilabel.votes import ITEM_BOX_SEPARATOR, build_pooled_box_votes
from aggregation.options import build_column_mean
from aggregation.paired_measures import ItemMeasure
from aggregation.panel_variance import Contributions
from aggregation.schema import Codes, Floats, count_codes
from aggregation.scored_units import sum_scored_units
from aggregation.spans.agreement import compute_set_f1, list_touched_words
from aggregation.spans.votes import read_span_votes
from aggregation.texts.agreement import build_chrf_measure

MEDIAN_BANDWIDTH = 0.648  # times n^(-1/5): Bofinger's (1975) at the median


@dataclass(frozen=True, kw_only=True, eq=False)
class PilotAnswers:
    """One pilot: its `answers`, and its `offers`, one row for each item that a person answered or skipped.

    `offers` has the columns item, annotator, skipped (whether they skipped, or said that they do not know), is_due
    (whether the skip is a wrong answer in scores) and seconds (nan where unknown).
    """

    name: str
    answers: Answers
    offers: pd.DataFrame

    def keep_items(self, items: pd.Index[str]) -> PilotAnswers:
        """The pilot on these items alone."""
        votes = self.answers.votes
        frame = votes.frame.loc[votes.frame["item"].isin(items)].reset_index(drop=True)
        kept = replace(votes, frame=frame, items=votes.items.loc[votes.items.index.isin(items)])
        offers = self.offers.loc[self.offers["item"].isin(items)].reset_index(drop=True)
        return replace(self, answers=self.answers.with_votes(kept), offers=offers)


def measure_agreement(pilot: PilotAnswers, coefficient: CoefficientName) -> ItemMeasure:
    """A coefficient of `labels.agreement` that is made of pairs of votes; of boxes, α counts every box."""
    votes = pilot.answers.normalise_votes()
    if pilot.answers.kind == "boxes" and coefficient.startswith("krippendorff"):
        votes = build_pooled_box_votes(pilot.answers)
    sums = sum_votes(votes)
    columns = sums.items.columns
    changes = list_vote_changes(votes, sums)
    names = [item.partition(ITEM_BOX_SEPARATOR)[0] for item in sorted(set(votes.frame["item"]))]
    of_items = pd.DataFrame({"item": names}, dtype=object)
    return _build_measure(
        votes.frame.assign(item=[item.partition(ITEM_BOX_SEPARATOR)[0] for item in votes.frame["item"]]),
        changes=changes,
        columns=_sum_rows(of_items, columns if isinstance(columns, np.ndarray) else columns.toarray()),
        compute=build_statistic(coefficient, votes, sums),
    )


def measure_similarity(pilot: PilotAnswers) -> ItemMeasure:
    """The mean over items of how similar each two answers are: chrF of texts, F1 of the words that spans touch."""
    if pilot.answers.kind == "span":
        votes = read_span_votes(pilot.answers)
        pairs = zip(votes.frame["spans"], votes.frame["item"], strict=True)
        said = [list_touched_words(spans, str(votes.items.loc[item, "text"])) for spans, item in pairs]
        similarity: Callable[..., float] = compute_set_f1
        frame = votes.frame.assign(said=pd.Series(said, dtype=object))
    else:
        frame = pilot.answers.normalise_votes().frame
        frame = frame.assign(said=frame["answer"])
        similarity = build_chrf_measure(set(frame["said"]))
    means = np.empty(len(frame))
    for places in frame.groupby("item").indices.values():
        of_item = [frame["said"].iloc[place] for place in places]
        table = np.array([[similarity(one, two) for two in of_item] for one in of_item])
        means[places] = (table.sum(axis=1) - np.diag(table)) / (len(places) - 1)
    weights = 1 / frame.groupby("item")["item"].transform("size").to_numpy(dtype=np.float64)
    shares = np.column_stack([means * weights, weights])
    return _build_measure(frame, changes=2 * shares, columns=_sum_rows(frame, shares), compute=_compute_mean)


def measure_vote_share(pilot: PilotAnswers) -> ItemMeasure:
    """The mean over items of the share of votes for the most frequent answer, which is taken for known."""
    frame = pilot.answers.normalise_votes().frame
    weights = 1 / frame.groupby("item")["item"].transform("size").to_numpy(dtype=np.float64)
    given = frame.groupby(["item", "answer"])["annotator"].transform("size")
    is_top = given == given.groupby(frame["item"]).transform("max")
    n_tied = (is_top / given).groupby(frame["item"]).transform("sum")
    shares = np.column_stack([(is_top / n_tied).to_numpy(dtype=np.float64) * weights, weights])
    return _build_measure(frame, changes=shares, columns=_sum_rows(frame, shares), compute=_compute_mean)


def measure_posterior(pilot: PilotAnswers) -> ItemMeasure:
    """The mean over items of the posterior of Dawid-Skene's label, which is taken for known: no people vary it."""
    labels = build_label_consensus(pilot.answers.votes, method="dawid_skene", ties="first").labels
    frame = pd.DataFrame({"item": labels.index, "annotator": "", "answer": ""}, dtype=object)
    shares = np.column_stack([labels["confidence"].to_numpy(dtype=np.float64), np.ones(len(labels))])
    measure = _build_measure(frame, changes=shares, columns=shares, compute=_compute_mean)
    return replace(measure, people=np.array([], dtype=object))


def measure_mean_seconds(pilot: PilotAnswers) -> ItemMeasure:
    """The mean seconds of an answer."""
    timed = _list_timed(pilot)
    return _measure_answers(timed, timed["seconds"].to_numpy(dtype=np.float64))


def measure_median_seconds(pilot: PilotAnswers) -> ItemMeasure:
    """The median seconds of an answer, as the mean of the median and its influence function, sign(s - median) / 2f.

    f, the density at the median, is 2h over the difference of the quantiles 1/2 ± h, with Bofinger's (1975) h.
    """
    timed = _list_timed(pilot)
    seconds = timed["seconds"].to_numpy(dtype=np.float64)
    half = min(0.49, MEDIAN_BANDWIDTH * len(seconds) ** -0.2)
    low, median, high = np.quantile(seconds, [0.5 - half, 0.5, 0.5 + half])
    influence = np.sign(seconds - median) * (high - low) / (4 * half)
    return _measure_answers(timed, median + influence - influence.mean())


def measure_skips(pilot: PilotAnswers) -> ItemMeasure:
    """The share of offered items that were skipped."""
    return _measure_answers(pilot.offers, pilot.offers["skipped"].to_numpy(dtype=np.float64))


def measure_accuracy(pilot: PilotAnswers, unit: Literal["individual", "majority"]) -> ItemMeasure:
    """The share of right answers of the `individual` or the `majority`, as `hromada baseline` scores them."""
    answers = pilot.answers
    if answers.kind == "label":
        answers = answers.with_votes(replace(answers.votes, classes=None))
    return sum_scored_units(answers, pilot.offers.loc[pilot.offers["is_due"], ["item", "annotator"]]).measure(unit)


def list_agreement_items(pilot: PilotAnswers) -> set[str]:
    """The items with two votes or more."""
    counts = pilot.answers.votes.frame["item"].value_counts()
    return set(counts.index[counts > 1])


def list_voted_items(pilot: PilotAnswers) -> set[str]:
    """The items with a vote."""
    return set(pilot.answers.votes.frame["item"])


def list_timed_items(pilot: PilotAnswers) -> set[str]:
    """The items with an answer of which it is known how long it took."""
    return set(_list_timed(pilot)["item"])


def list_offered_items(pilot: PilotAnswers) -> set[str]:
    """The items that somebody answered or skipped."""
    return set(pilot.offers["item"])


def list_scored_items(pilot: PilotAnswers) -> set[str]:
    """The items with gold and a vote."""
    gold = pilot.answers.votes.items["gold"]
    return list_voted_items(pilot) & set(gold.index[gold.notna()])


Measure = tuple[Callable[[PilotAnswers], set[str]], Callable[[PilotAnswers], ItemMeasure]]
"""The items that have the measure, and what computes it from a pilot that has just these."""


def list_measures(answers: Answers) -> Mapping[str, Measure]:
    """The measures that fit this type of answers, by name, in the order in which they are shown."""
    votes = answers.votes
    coefficients: list[CoefficientName] = ["percent_agreement"]
    if answers.kind == "boxes":
        coefficients.append("krippendorff_alpha_nominal")  # of every box: an alpha of sets is no sum over pairs
    elif answers.kind == "label":
        has_classes = votes.classes is not None
        coefficients.append(
            choose_headline_coefficient("label", has_classes=has_classes, level=votes.measurement_level)
        )
    measures: dict[str, Measure] = {name: (list_agreement_items, _fix_coefficient(name)) for name in coefficients}
    if answers.kind in TEXT_TYPES:
        measures["mean_chrf"] = (list_agreement_items, measure_similarity)
    elif answers.kind == "span":
        measures[answers.headline_coefficient] = (list_agreement_items, measure_similarity)
    measures["vote_share"] = (list_voted_items, measure_vote_share)
    if answers.kind == "label" and votes.classes is not None:
        measures["posterior"] = (list_voted_items, measure_posterior)
    measures |= {
        "mean_seconds": (list_timed_items, measure_mean_seconds),
        "median_seconds": (list_timed_items, measure_median_seconds),
        "skips": (list_offered_items, measure_skips),
        "accuracy": (list_scored_items, lambda pilot: measure_accuracy(pilot, "individual")),
        "majority_accuracy": (list_scored_items, lambda pilot: measure_accuracy(pilot, "majority")),
    }
    return MappingProxyType(measures)


def _fix_coefficient(name: CoefficientName) -> Callable[[PilotAnswers], ItemMeasure]:
    return lambda pilot: measure_agreement(pilot, name)


def _list_timed(pilot: PilotAnswers) -> pd.DataFrame:
    offers = pilot.offers
    return offers.loc[~offers["skipped"].to_numpy(dtype=bool) & offers["seconds"].notna()]


def _measure_answers(rows: pd.DataFrame, values: Floats) -> ItemMeasure:
    """The mean of a value over answers."""
    changes = np.column_stack([values, np.ones(len(values))])
    return _build_measure(rows, changes=changes, columns=_sum_rows(rows, changes), compute=_compute_mean)


_compute_mean = build_column_mean(0, "difference").compute


def _sum_rows(rows: pd.DataFrame, changes: Floats) -> Floats:
    """The sums of the changes over the rows of each item, items sorted."""
    items, names = pd.factorize(rows["item"], sort=True)
    return np.stack([count_codes(items, size=len(names), weights=one) for one in changes.T], axis=1)


def _build_measure(
    rows: pd.DataFrame, *, changes: Floats, columns: Floats, compute: Callable[[Floats], Floats]
) -> ItemMeasure:
    """A measure to which the people of the rows (item, annotator) contribute the changes; items are their own groups.

    Groups are set where two pilots are compared.
    """
    items, names = pd.factorize(rows["item"], sort=True)
    annotators, people = pd.factorize(rows["annotator"], sort=True)
    codes: Codes = np.asarray(items)
    return ItemMeasure(
        contributions=Contributions(
            columns=columns,
            groups=np.arange(len(names)),
            n_groups=len(names),
            changes=changes,
            change=np.arange(len(changes)),
            items=codes,
            people=np.asarray(annotators),
            n_people=len(people),
            people_factor=len(people) / max(len(people) - 1, 1),
            cell_factor=1.0,
            n_independent=len(rows),
        ),
        compute=compute,
        people=np.asarray(people, dtype=object),
    )
