"""The numbers of each data set, computed once by aggregation and used by every published file and page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from aggregation.agreement import AgreementTable, Coefficient
from aggregation.answer_types import build_consensus, compute_agreement, score_answers
from aggregation.answers import Answers
from aggregation.bootstrap import Progress
from aggregation.consensus import Consensus, TieRule
from aggregation.errors import HromadaError, Refused
from aggregation.labels.agreement import (
    SelfAgreement,
    compute_self_agreement,
    estimate_mean_posterior,
)
from aggregation.labels.consensus import Method, build_label_consensus
from aggregation.performance import Performance, Score, Unit, UnitName
from aggregation.schema import Votes
from exports import annotator_quality
from exports.inputs import DataSet
from exports.score_variants import build_variants

NO_VOTES = "No answer counts: nobody has answered, or every answer is excluded."
UNITS: tuple[UnitName, ...] = ("individual", "majority", "dawid_skene")
VARIANT_UNITS: tuple[UnitName, ...] = ("individual", "majority")  # a fit for each would take many times as long


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions:
    """How the numbers are computed; `level` is the share that intervals cover, the resamples are counts of draws."""

    method: Method
    ties: TieRule
    seed: int
    agreement_resamples: int
    performance_resamples: int
    level: float
    anchors: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class DataSetResult:
    """One data set and its numbers.

    `consensus` gives the labels of gold.csv; `fallback` says why it is not the requested method, else it is empty.
    `dawid_skene` is the fit behind the baseline of that name, None where it is refused, and `iaa` its mean posterior.
    `performance` is None where `no_performance` says why. All of these are None for a data set without retained votes.
    `variants` are the scores of the score variants (`exports.score_variants`) by name, `missing_variants` the reasons
    why one has none.
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
    variants: Mapping[str, Performance] = field(default_factory=dict)
    missing_variants: Mapping[str, str] = field(default_factory=dict)

    def exceeds_half_width(self, unit: Unit, score: Score) -> bool | None:
        """Whether the score of a variant is further from the primary one than half the width of the primary interval.

        None where there is no such interval.
        """
        if self.performance is None:
            return None
        primary = self.performance[unit.unit][score.metric]
        if primary.low is None or primary.high is None:
            return None
        return abs(score.value - primary.value) > (primary.high - primary.low) / 2

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
    answers = data.answers()
    votes = answers.votes
    self_agreement = compute_self_agreement(
        annotator_quality.list_repeats(data), closed=data.classes is not None, confidence_level=options.level
    )
    variants = build_variants(data) if data.items["gold"].notna().any() else {}
    n_parts = 3 if variants else 2
    result = DataSetResult(data=data, votes=votes, self_agreement=self_agreement, no_performance=NO_VOTES)
    if votes.frame.empty:
        return _add_variants(result, variants, options, progress=progress)
    labels, fallback = _compute_consensus(answers, options)
    measured_agreement = compute_agreement(
        answers,
        overlap=data.overlap,
        n_resamples=options.agreement_resamples,
        seed=options.seed,
        confidence_level=options.level,
        progress=_split_progress(progress, 0, of=n_parts),
    )
    scores, no_performance = _compute_performance(data, options, progress=_split_progress(progress, 1, of=n_parts))
    fit = _select_dawid_skene(votes, labels, scores) if data.kind == "label" else None
    result = replace(
        result,
        consensus=labels,
        fallback=fallback,
        dawid_skene=fit,
        iaa=None if fit is None else _compute_mean_posterior(fit, votes, options),
        agreement=measured_agreement,
        performance=scores,
        no_performance=no_performance,
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
        labels = build_consensus(
            answers, method=options.method, ties=options.ties, seed=options.seed, anchors=options.anchors
        )
    except Refused as refusal:
        labels = build_consensus(answers, method="majority", ties=options.ties, seed=options.seed)
        return labels, f"{refusal} The majority stands in its place."
    return labels, ""


def _compute_performance(
    data: DataSet, options: ReleaseOptions, *, units: tuple[UnitName, ...] = UNITS, progress: Progress | None
) -> tuple[Performance | None, str]:
    try:
        scores = score_answers(
            data.answers(),
            skips=data.skips(),
            n_resamples=options.performance_resamples,
            seed=options.seed,
            confidence_level=options.level,
            units=units,
            progress=progress,
        )
    except HromadaError as error:
        return None, error.problem
    return scores, ""


def _select_dawid_skene(votes: Votes, labels: Consensus, scores: Performance | None) -> Consensus | None:
    """The fit to publish: that of gold.csv, else that of the baseline, else a new one; None where it is refused."""
    if labels.method == "dawid_skene":
        return labels
    if scores is not None:
        return scores.dawid_skene
    try:
        return build_label_consensus(votes, method="dawid_skene", ties="drop")
    except Refused:
        return None


def _compute_mean_posterior(fit: Consensus, votes: Votes, options: ReleaseOptions) -> Coefficient:
    return estimate_mean_posterior(
        fit, votes, n_resamples=options.agreement_resamples, seed=options.seed, confidence_level=options.level
    )


def _split_progress(progress: Progress | None, number: int, *, of: int) -> Progress | None:
    """The progress callback of one of `of` equal parts of the work."""
    return None if progress is None else lambda share: progress((number + share) / of)
