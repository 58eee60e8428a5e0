"""The numbers of each data set, computed once by aggregation and used by every published file and page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from aggregation.agreement.people import (
    SelfAgreement,
    compute_agreement_with_others,
    compute_self_agreement,
    estimate_mean_posterior,
)
from aggregation.agreement.table import AgreementTable, Basis, Coefficient
from aggregation.answer_types import build_consensus, compute_agreement, score_answers
from aggregation.answers import Answers
from aggregation.comparison.gold_review import CeilingEstimate
from aggregation.consensus.consensus import Consensus, TieRule
from aggregation.consensus.methods import Method, build_label_consensus
from aggregation.errors import HromadaError, Refused
from aggregation.intervals.resampling import Progress
from aggregation.schema import Votes
from aggregation.scores.labels import count_consensus, count_single_answers
from aggregation.scores.performance import Performance, Score, Unit, UnitName
from aggregation.scores.trivial_baselines import TrivialBaseline
from exports import annotator_quality
from exports.adjudicated_gold import estimate_gold_ceiling
from exports.inputs import DataSet
from exports.order_effects import PeopleEffects, measure_people
from exports.score_variants import POOLED, VARIANT_UNITS, build_variants, exceeds_half_width, score_option_items

NO_VOTES = "No answer counts: nobody has answered, or every answer is excluded."
CIRCULAR = (
    "The gold was made of this project's own votes, so people would be scored against themselves; "
    "annotators.csv has `agreement_with_others` in place of scores."
)
UNITS: tuple[UnitName, ...] = ("individual", "majority", "dawid_skene")


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions:
    """How the numbers are computed.

    `method` and `ties` make the consensus, `anchors` lets the method use declared gold as known. `agreement_resamples`
    is a number of bootstrap draws; `confidence_level` is the share that intervals cover, 0 to 1.
    """

    method: Method
    ties: TieRule
    seed: int
    agreement_resamples: int
    confidence_level: float
    anchors: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class DataSetResult:
    """One data set and its numbers.

    `consensus` gives the labels of gold.csv; `fallback` says why it is not the requested method, else it is empty.
    `dawid_skene` is the fit that the baseline of that name uses, None where it is refused, and `iaa` its mean
    posterior, which publications call "Dawid–Skene IAA" (inter-annotator agreement). `performance` is None where
    `no_performance` gives the reason. All of these are None for a data set without votes that count. `variants` are
    the scores of the score variants (`exports.score_variants`) by name, `missing_variants` the reasons why some
    have none.

    `performance` and `variants` rest on the first votes of each item where an overlap was planned and some items have
    more; then `pooled` are the scores of all votes. `confusions` are the confusion matrices of the units of
    `performance`, where labels are classes. `with_others` (see `compute_agreement_with_others`) is there for data sets
    with circular gold, which have no scores against it. `people` is there where `performance` is. `trivial` are the
    baselines that need no understanding, where something is chosen from options and gold is known.
    """

    data: DataSet
    votes: Votes
    consensus: Consensus | None = None
    fallback: str = ""
    dawid_skene: Consensus | None = None
    iaa: Coefficient | None = None
    agreement: AgreementTable | None = None
    performance: Performance | None = None
    no_performance: str = ""
    self_agreement: SelfAgreement | None = None
    pooled: Performance | None = None
    confusions: Mapping[UnitName, pd.DataFrame] = field(default_factory=dict)
    with_others: pd.DataFrame | None = None
    variants: Mapping[str, Performance] = field(default_factory=dict)
    missing_variants: Mapping[str, str] = field(default_factory=dict)
    ceiling: CeilingEstimate | None = None
    people: PeopleEffects | None = None
    trivial: tuple[TrivialBaseline, ...] = ()

    @property
    def headline_agreement(self) -> Coefficient | None:
        """The one coefficient of agreement to report, with or without a value; None where nothing was measured."""
        rows = () if self.agreement is None else self.agreement.headline
        return next((row for row in rows if row.name == self.data.headline_coefficient and not row.of), None)

    def exceeds_half_width(self, unit: Unit, score: Score) -> bool | None:
        """Whether the score of a variant is far from the primary one (`score_variants.exceeds_half_width`)."""
        return None if self.performance is None else exceeds_half_width(self.performance, unit, score)

    def list_bases(self) -> list[tuple[Basis, Performance]]:
        """The scores with the votes on which they rest (see `AgreementTable`): those to report, then all pooled."""
        if self.performance is None:
            return []
        bases: list[tuple[Basis, Performance]] = [
            ("pooled" if self.data.overlap is None else "first", self.performance)
        ]
        return bases if self.pooled is None else [*bases, ("pooled", self.pooled)]

    def list_variants(self) -> dict[str, Performance]:
        """The scores that are published beside the primary ones, by name, sorted; all votes pooled among them."""
        pooled = {} if self.pooled is None else {POOLED: self.pooled}
        return dict(sorted({**self.variants, **pooled}.items()))

    @property
    def missing_units(self) -> dict[str, str]:
        """The baseline units without a row, with the reason."""
        if self.performance is None:
            return dict.fromkeys(UNITS, self.no_performance)
        return {str(unit): str(reason) for unit, reason in self.performance.refused.items()}


def compute_results(
    data_sets: Sequence[DataSet], *, options: ReleaseOptions, progress: Progress | None = None
) -> tuple[DataSetResult, ...]:
    """Aggregate every data set, sorted by name; `progress` is called with the share of all work that is done.

    Raises HromadaError where two data sets have one name, or votes that aggregation refuses.
    """
    ordered = sorted(data_sets, key=lambda data: data.name)
    names = [data.name for data in ordered]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise HromadaError(f"Two data sets are called {repeated[0]!r}.", remedy="Give each its own name.")
    return tuple(
        _compute_result(data, options=options, progress=_split_progress(progress, number, of=len(ordered)))
        for number, data in enumerate(ordered)
    )


def _compute_result(data: DataSet, *, options: ReleaseOptions, progress: Progress | None) -> DataSetResult:
    answers = data.build_answers()
    votes = answers.votes
    self_agreement = compute_self_agreement(
        annotator_quality.list_repeats(data),
        has_classes=data.classes is not None,
        confidence_level=options.confidence_level,
    )
    scored_data = data.keep_first_places()
    variants = build_variants(scored_data) if data.list_scoring_gold().notna().any() else {}
    n_parts = 3 if variants else 2
    ceiling = estimate_gold_ceiling(data, confidence_level=options.confidence_level)
    result = DataSetResult(
        data=data,
        votes=votes,
        self_agreement=self_agreement,
        no_performance=NO_VOTES,
        ceiling=ceiling,
        trivial=score_option_items(data),
    )
    if votes.frame.empty:
        return _add_variants(result, variants, options, progress=progress)
    consensus, fallback = _compute_consensus(answers, options)
    measured_agreement = compute_agreement(
        answers,
        overlap=data.overlap,
        n_resamples=options.agreement_resamples,
        seed=options.seed,
        confidence_level=options.confidence_level,
        progress=_split_progress(progress, 0, of=n_parts),
    )
    part = _split_progress(progress, 1, of=n_parts)
    scores, no_performance = _compute_performance(scored_data, options, progress=part)
    pooled = None
    if scores is not None and scored_data is not data:
        pooled, _ = _compute_performance(data, options, progress=None)
    fit = _select_dawid_skene(votes, consensus, pooled or scores) if data.answer_type.is_label else None
    result = replace(
        result,
        consensus=consensus,
        fallback=fallback,
        dawid_skene=fit,
        iaa=None if fit is None else _compute_mean_posterior(fit, votes, options),
        agreement=measured_agreement,
        performance=scores,
        people=None if scores is None else measure_people(scored_data, confidence_level=options.confidence_level),
        no_performance=no_performance,
        pooled=pooled,
        confusions={} if scores is None else _count_confusions(scored_data, scores),
        with_others=compute_agreement_with_others(answers.normalise_votes()) if data.has_circular_gold else None,
    )
    return _add_variants(result, variants, options, progress=_split_progress(progress, 2, of=n_parts))


def _add_variants(
    result: DataSetResult, variants: Mapping[str, DataSet], options: ReleaseOptions, *, progress: Progress | None
) -> DataSetResult:
    """The result with the scores of its variants, and the reasons why some variants have none."""
    scored, missing = {}, {}
    for number, (name, variant) in enumerate(variants.items()):
        part = _split_progress(progress, number, of=len(variants))
        scores, reason = _compute_performance(variant, options, units=VARIANT_UNITS, progress=part)
        if scores is None:
            missing[name] = reason
        else:
            scored[name] = scores
    return replace(result, variants=scored, missing_variants=missing)


def _compute_consensus(answers: Answers, options: ReleaseOptions) -> tuple[Consensus, str]:
    """The consensus by the chosen method, or by the majority and the reason why the method does not fit."""
    try:
        consensus = build_consensus(
            answers, method=options.method, ties=options.ties, seed=options.seed, anchors=options.anchors
        )
    except Refused as refusal:
        consensus = build_consensus(answers, method="majority", ties=options.ties, seed=options.seed)
        return consensus, f"{refusal} The majority stands in its place."
    return consensus, ""


def _compute_performance(
    data: DataSet, options: ReleaseOptions, *, units: tuple[UnitName, ...] = UNITS, progress: Progress | None
) -> tuple[Performance | None, str]:
    if data.has_circular_gold and data.list_scoring_gold().isna().all():
        return None, CIRCULAR
    try:
        scores = score_answers(
            data.build_answers(),
            skips=data.build_skips(),
            confidence_level=options.confidence_level,
            units=units,
            progress=progress,
        )
    except HromadaError as error:
        return None, error.problem
    return scores, ""


def _select_dawid_skene(votes: Votes, consensus: Consensus, scores: Performance | None) -> Consensus | None:
    """The Dawid–Skene fit to publish: that of gold.csv, of the baseline, or a new one; None where it is refused."""
    if consensus.method == "dawid_skene":
        return consensus
    if scores is not None:
        return scores.dawid_skene
    try:
        return build_label_consensus(votes, method="dawid_skene", ties="drop")
    except Refused:
        return None


def _count_confusions(data: DataSet, scores: Performance) -> dict[UnitName, pd.DataFrame]:
    """The confusion matrices of the units that have a score, where labels are classes."""
    if data.classes is None:
        return {}
    votes, skips = data.build_votes(), data.build_skips()
    majority = build_label_consensus(votes, method="majority", ties="drop")
    matrices: dict[UnitName, pd.DataFrame] = {
        "individual": count_single_answers(votes, skips),
        "majority": count_consensus(majority, votes, skips),
    }
    if scores.dawid_skene is not None:
        matrices["dawid_skene"] = count_consensus(scores.dawid_skene, votes, skips)
    return matrices


def _compute_mean_posterior(fit: Consensus, votes: Votes, options: ReleaseOptions) -> Coefficient:
    return estimate_mean_posterior(
        fit,
        votes,
        n_resamples=options.agreement_resamples,
        seed=options.seed,
        confidence_level=options.confidence_level,
    )


def _split_progress(progress: Progress | None, number: int, *, of: int) -> Progress | None:
    """The progress callback of one of `of` equal parts of the work."""
    return None if progress is None else lambda share: progress((number + share) / of)
