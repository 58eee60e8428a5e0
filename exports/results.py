"""What aggregation makes of each data set, computed once and kept for every file and page that tells of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from aggregation.agreement import (
    Agreement,
    Coefficient,
    SelfAgreement,
    mean_posterior,
    self_agreement,
)
from aggregation.bootstrap import Progress
from aggregation.consensus import Consensus, Method, Ties, consensus
from aggregation.errors import HromadaError, Refused
from aggregation.kinds import Answers, agreement_of, consensus_of, performance_of
from aggregation.performance import Name, Performance, Score, Unit
from aggregation.schema import Votes
from exports import conduct
from exports.inputs import DataSet
from exports.subsets import subsets

NO_VOTES = "No answer counts: nobody has answered, or every answer is excluded."
UNITS: tuple[Name, ...] = ("individual", "majority", "dawid_skene")
OF_SUBSETS: tuple[Name, ...] = ("individual", "majority")  # a fit for each would take many times as long


@dataclass(frozen=True, kw_only=True)
class Choices:
    """How to compute; `level` is the share that an interval covers, resamples count draws."""

    method: Method
    ties: Ties
    seed: int
    agreement_resamples: int
    performance_resamples: int
    level: float
    anchors: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """One data set and its numbers.

    `consensus` makes the labels of gold.csv; `fallback` says why it is not the method that was asked for, else it is
    empty. `dawid_skene` is the fit behind the baseline of that name, None where it is refused, and `iaa` its mean
    posterior. `performance` is None where `no_performance` says
    why. All of these are None for a data set without retained votes. `subsets` are the scores of the same answers
    otherwise counted (`exports.subsets`), `no_subsets` the reasons why one has none.
    """

    data: DataSet
    votes: Votes
    consensus: Consensus | None = None
    fallback: str = ""
    dawid_skene: Consensus | None = None
    iaa: Coefficient | None = None
    agreement: Agreement | None = None
    performance: Performance | None = None
    no_performance: str = ""
    oneself: SelfAgreement | None = None
    subsets: Mapping[str, Performance] = field(default_factory=dict)
    no_subsets: Mapping[str, str] = field(default_factory=dict)

    def beyond(self, unit: Unit, score: Score) -> bool | None:
        """Whether a subset's score is further from the primary one than half the width of the primary interval.

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


def measured(data_sets: Sequence[DataSet], *, choices: Choices, progress: Progress | None = None) -> tuple[Result, ...]:
    """Aggregate every data set, sorted by name; `progress` hears the share of all work that is done.

    Raises HromadaError where two data sets have one name, or votes that aggregation refuses.
    """
    ordered = sorted(data_sets, key=lambda data: data.name)
    names = [data.name for data in ordered]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise HromadaError(f"Two data sets are called {twice[0]!r}.", remedy="Give each its own name.")
    return tuple(
        _measured(data, choices=choices, progress=_part(progress, number, of=len(ordered)))
        for number, data in enumerate(ordered)
    )


def _measured(data: DataSet, *, choices: Choices, progress: Progress | None) -> Result:
    answers = data.answers()
    votes = answers.votes
    oneself = self_agreement(conduct.repeats(data), closed=data.classes is not None, level=choices.level)
    others = subsets(data) if data.items["gold"].notna().any() else {}
    n_parts = 3 if others else 2
    result = Result(data=data, votes=votes, oneself=oneself, no_performance=NO_VOTES)
    if votes.frame.empty:
        return _otherwise(result, others, choices, progress=progress)
    labels, fallback = _consensus(answers, choices)
    measured_agreement = agreement_of(
        answers,
        overlap=data.overlap,
        resamples=choices.agreement_resamples,
        seed=choices.seed,
        level=choices.level,
        progress=_part(progress, 0, of=n_parts),
    )
    scores, no_performance = _performance(data, choices, progress=_part(progress, 1, of=n_parts))
    fitted = _dawid_skene(votes, labels, scores) if data.kind == "label" else None
    result = replace(
        result,
        consensus=labels,
        fallback=fallback,
        dawid_skene=fitted,
        iaa=None if fitted is None else _iaa(fitted, votes, choices),
        agreement=measured_agreement,
        performance=scores,
        no_performance=no_performance,
    )
    return _otherwise(result, others, choices, progress=_part(progress, 2, of=n_parts))


def _otherwise(result: Result, others: Mapping[str, DataSet], choices: Choices, *, progress: Progress | None) -> Result:
    """The result with the scores of the answers otherwise counted, or the reasons why there are none."""
    found, missing = {}, {}
    for number, (name, other) in enumerate(others.items()):
        part = _part(progress, number, of=len(others))
        made, reason = _performance(other, choices, units=OF_SUBSETS, progress=part)
        if made is None:
            missing[name] = reason
        else:
            found[name] = made
    return replace(result, subsets=found, no_subsets=missing)


def _consensus(answers: Answers, choices: Choices) -> tuple[Consensus, str]:
    """The labels by the chosen method, or by the majority with the reason why the method does not fit these votes."""
    try:
        labels = consensus_of(
            answers, method=choices.method, ties=choices.ties, seed=choices.seed, anchors=choices.anchors
        )
    except Refused as refusal:
        labels = consensus_of(answers, method="majority", ties=choices.ties, seed=choices.seed)
        return labels, f"{refusal} The majority stands in its place."
    return labels, ""


def _performance(
    data: DataSet, choices: Choices, *, units: tuple[Name, ...] = UNITS, progress: Progress | None
) -> tuple[Performance | None, str]:
    try:
        scores = performance_of(
            data.answers(),
            skips=data.skips(),
            resamples=choices.performance_resamples,
            seed=choices.seed,
            level=choices.level,
            units=units,
            progress=progress,
        )
    except HromadaError as error:
        return None, error.problem
    return scores, ""


def _dawid_skene(votes: Votes, labels: Consensus, scores: Performance | None) -> Consensus | None:
    """The fit whose iterations and convergence are to be told: that of gold.csv, or that of the baseline."""
    if labels.method == "dawid_skene":
        return labels
    if scores is not None:
        return scores.dawid_skene
    try:
        return consensus(votes, method="dawid_skene", ties="drop")
    except Refused:
        return None


def _iaa(fitted: Consensus, votes: Votes, choices: Choices) -> Coefficient:
    return mean_posterior(fitted, votes, resamples=choices.agreement_resamples, seed=choices.seed, level=choices.level)


def _part(progress: Progress | None, number: int, *, of: int) -> Progress | None:
    """The progress of one of several equal parts of the work."""
    return None if progress is None else lambda share: progress((number + share) / of)
