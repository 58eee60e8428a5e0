"""The numbers of each data set, each computed once, when a command, a file or a page first shows it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Literal, TypeVar, get_args

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
from aggregation.comparison.order_effects import find_position_preferences
from aggregation.comparison.panels import PanelDifference
from aggregation.consensus.consensus import SHARED, Consensus, TieChoice, TieRule
from aggregation.consensus.dawid_skene import StopRule
from aggregation.consensus.methods import Method, build_label_consensus
from aggregation.errors import HromadaError, Refused
from aggregation.findings import Finding, join_findings
from aggregation.intervals.resampling import Progress
from aggregation.preferences.results import PreferenceResults
from aggregation.schema import Votes
from aggregation.scores.labels import count_consensus, count_single_answers
from aggregation.scores.performance import Performance, Score, Unit, UnitName
from aggregation.scores.points import score_points
from aggregation.scores.trivial_baselines import TrivialBaseline
from exports import annotator_quality
from exports.adjudicated_gold import estimate_gold_ceiling
from exports.inputs import DataSet
from exports.opinion_tables import ScaleResult, measure_scale
from exports.order_effects import PeopleEffects, measure_people
from exports.panels import compare_data_panels
from exports.preferences import read_preferences
from exports.score_variants import (
    ON_SAMPLE,
    POOLED,
    VARIANT_UNITS,
    build_variants,
    exceeds_half_width,
    score_option_items,
)

NO_VOTES = Finding("no-answers")
CIRCULAR = Finding("circular-gold")
UNITS: tuple[UnitName, ...] = ("individual", "majority", "dawid_skene")
ENSEMBLES: tuple[UnitName, ...] = ("majority", "dawid_skene")
"""The units that are made of several votes of an item."""
ON_SAMPLE_ALONE = Finding("on-sample-alone")
LongPart = Literal["agreement", "scores", "variants"]
"""What takes long of a result, and tells its progress."""
Key = TypeVar("Key")
Number = TypeVar("Number")


@dataclass(frozen=True, kw_only=True)
class ResultOptions:
    """How the numbers are computed.

    `method`, `ties` and `stop` make the consensus, `anchors` lets the method use declared gold as known; `tie_choice`
    says how ties are scored, `units` what is scored. `agreement_resamples` is a number of bootstrap draws;
    `confidence_level` is the share that intervals cover, 0 to 1.
    """

    method: Method = "majority"
    ties: TieRule = "drop"
    seed: int = 0
    agreement_resamples: int = 1000
    confidence_level: float = 0.95
    anchors: bool = False
    stop: StopRule = "crowdkit"
    tie_choice: TieChoice = SHARED
    units: tuple[UnitName, ...] = UNITS


@dataclass(frozen=True, kw_only=True, eq=False)
class DataSetResult:
    """One data set and its numbers, each of which is computed when it is first asked for, and kept.

    `progress` has callbacks for some of the parts that take long, called with the share of the part that is done.
    Numbers that need votes are None for a data set without votes that count.
    """

    data: DataSet
    options: ResultOptions = ResultOptions()
    progress: Mapping[LongPart, Progress] = field(default_factory=dict)

    @property
    def answers(self) -> Answers:
        """The votes that count, with what aggregating and scoring them needs."""
        return self.data.build_answers()

    @property
    def votes(self) -> Votes:
        """The votes that count; raises HromadaError where they contradict the items."""
        return self.answers.votes

    @property
    def scored(self) -> DataSet:
        """The data set on which scores rest: the first votes of each item where an overlap was planned."""
        return self.data.keep_first_places()

    @property
    def has_votes(self) -> bool:
        """Whether any vote counts."""
        return not self.votes.frame.empty

    @cached_property
    def _requested_consensus(self) -> Consensus | Refused:
        options = self.options
        try:
            return build_consensus(
                self.answers,
                method=options.method,
                ties=options.ties,
                seed=options.seed,
                anchors=options.anchors,
                stop=options.stop,
            )
        except Refused as refusal:
            return refusal.with_traceback(None)

    def require_consensus(self) -> Consensus:
        """The consensus by the requested method; raises HromadaError without votes, Refused where it does not fit."""
        return _require(self._requested_consensus)

    @cached_property
    def consensus(self) -> Consensus | None:
        """The labels of gold.csv: by the requested method, or by the majority where that does not fit."""
        if not self.has_votes:
            return None
        if isinstance(self._requested_consensus, Consensus):
            return self._requested_consensus
        return build_consensus(self.answers, method="majority", ties=self.options.ties, seed=self.options.seed)

    @property
    def fallback(self) -> str:
        """Why `consensus` is not by the requested method; else empty."""
        refusal = self._requested_consensus if self.has_votes else None
        if not isinstance(refusal, Refused):
            return ""
        return join_findings(refusal.problem, refusal.remedy, Finding("fallback"))

    @cached_property
    def sample(self) -> DataSetResult | None:
        """The numbers of the overlap sample alone; None where all items are to get as many answers."""
        if self.data.sample is None:
            return None
        own: dict[LongPart, Progress] = {
            part: progress for part, progress in self.progress.items() if part == "agreement"
        }
        return DataSetResult(data=self.data.keep_sample(), options=self.options, progress=own)

    @cached_property
    def agreement(self) -> AgreementTable | None:
        """The coefficients of agreement with their intervals, on the overlap sample where there is one."""
        if not self.has_votes:
            return None
        if self.sample is not None and self.data.sample is not None:
            table = self.sample.agreement
            return None if table is None else table.mark_sample(self.data.sample.words)
        return compute_agreement(
            self.answers,
            overlap=self.data.overlap,
            n_resamples=self.options.agreement_resamples,
            seed=self.options.seed,
            confidence_level=self.options.confidence_level,
            progress=self.progress.get("agreement"),
        )

    @cached_property
    def dawid_skene(self) -> Consensus | None:
        """The Dawid-Skene fit to publish: that of `consensus`, of the scores, or a new one; None if it is refused."""
        if not self.data.answer_type.is_label or self.consensus is None:
            return None
        if self.consensus.method == "dawid_skene":
            return self.consensus
        scores = self.pooled or self.performance
        if scores is not None and self.data.sample is None:
            return scores.dawid_skene
        try:
            return build_label_consensus(self.votes, method="dawid_skene", ties="drop")
        except Refused:
            return None

    @cached_property
    def iaa(self) -> Coefficient | None:
        """The mean posterior of `dawid_skene`: "Dawid-Skene IAA" (inter-annotator agreement) in publications.

        On an overlap sample it is that of a fit of the sample: on one vote a posterior says how good the person is.
        """
        if self.sample is not None and self.data.sample is not None:
            row = self.sample.iaa if self.sample.has_votes else None
            return None if row is None else replace(row, basis="sample", how=f"{row.how}; {self.data.sample.words}")
        if self.dawid_skene is None:
            return None
        return estimate_mean_posterior(
            self.dawid_skene,
            self.votes,
            n_resamples=self.options.agreement_resamples,
            seed=self.options.seed,
            confidence_level=self.options.confidence_level,
        )

    @cached_property
    def _scores(self) -> Performance | HromadaError:
        if not self.has_votes:
            return HromadaError(NO_VOTES)
        return self._score(self.scored, units=self.options.units, progress=self.progress.get("scores"))

    def _score(
        self, data: DataSet, *, units: Collection[UnitName] = UNITS, progress: Progress | None = None
    ) -> Performance | HromadaError:
        """The scores of a data set, or why it has none."""
        if data.has_circular_gold_alone:
            return HromadaError(CIRCULAR)
        try:
            return score_answers(
                data.build_answers(),
                skips=data.build_skips(),
                confidence_level=self.options.confidence_level,
                units=units,
                tie_choice=self.options.tie_choice,
                progress=progress,
            )
        except HromadaError as error:
            return error.with_traceback(None)

    def require_scores(self) -> Performance:
        """The scores; raises the HromadaError that says why there are none."""
        return _require(self._scores)

    @cached_property
    def performance(self) -> Performance | None:
        """The scores to report, on `scored`; None for the reason `no_performance`."""
        return None if isinstance(self._scores, HromadaError) else self._scores

    @cached_property
    def no_performance(self) -> str:
        """Why there are no scores; empty where there are."""
        return self._scores.problem if isinstance(self._scores, HromadaError) else ""

    @cached_property
    def pooled(self) -> Performance | None:
        """The scores of all votes, where some items have more than were planned; None with an overlap sample."""
        if self.performance is None or self.scored is self.data or self.data.sample is not None:
            return None
        scores = self._score(self.data)
        return None if isinstance(scores, HromadaError) else scores

    @cached_property
    def scale(self) -> ScaleResult | None:
        """What the points of a scale say of texts, systems and people; None for other answers, and without votes."""
        if not self.has_votes:
            return None
        return measure_scale(self.scored, confidence_level=self.options.confidence_level)

    @cached_property
    def point_units(self) -> tuple[Unit, ...]:
        """The points of a scale against gold points, as single ratings, means and medians; none without such gold."""
        if self.scale is None or self.data.has_circular_gold_alone:
            return ()
        try:
            return score_points(self.scored.build_votes(), confidence_level=self.options.confidence_level)
        except HromadaError:
            return ()

    @cached_property
    def confusions(self) -> Mapping[UnitName, pd.DataFrame]:
        """The confusion matrices of the units of `performance`, where labels are classes."""
        return {} if self.performance is None else _count_confusions(self.scored, self.performance)

    @cached_property
    def people(self) -> PeopleEffects | None:
        """The best person, and scores as people go on; None without scores."""
        if self.performance is None:
            return None
        return measure_people(self.scored, confidence_level=self.options.confidence_level)

    @cached_property
    def with_others(self) -> pd.DataFrame | None:
        """How far each annotator agrees with the others (`compute_agreement_with_others`), where gold is circular."""
        if not self.has_votes or not self.data.has_circular_gold:
            return None
        return compute_agreement_with_others(self.answers.normalise_votes())

    @cached_property
    def self_agreement(self) -> SelfAgreement | None:
        """How far annotators agree with themselves on repeated items."""
        return compute_self_agreement(
            annotator_quality.list_repeats(self.data),
            has_classes=self.data.classes is not None,
            confidence_level=self.options.confidence_level,
        )

    @cached_property
    def ceiling(self) -> CeilingEstimate | None:
        """What a gold review says of the gold."""
        return estimate_gold_ceiling(self.data, confidence_level=self.options.confidence_level)

    @cached_property
    def trivial(self) -> tuple[TrivialBaseline, ...]:
        """The baselines that need no understanding, where something is chosen from options and gold is known."""
        return score_option_items(self.data)

    @cached_property
    def preferences(self) -> pd.DataFrame | None:
        """Who prefers a place among the options (`find_position_preferences`); None where places are not known."""
        return None if self.data.places is None else find_position_preferences(self.data.places)

    @cached_property
    def preference(self) -> PreferenceResults | None:
        """Which systems people prefer, on `scored`; None where no texts are compared, and without votes."""
        return read_preferences(self.scored, confidence_level=self.options.confidence_level)

    @cached_property
    def _scored_variants(self) -> Mapping[str, Performance | HromadaError]:
        if self.data.list_scoring_gold().isna().all():
            return {}
        built = build_variants(self.scored)
        units = VARIANT_UNITS if not self._has_single_votes else ("individual",)
        progress = divide_progress(self.progress.get("variants"), tuple(built))
        scored = {name: self._score(variant, units=units, progress=progress[name]) for name, variant in built.items()}
        if not built and "variants" in self.progress:
            self.progress["variants"](1.0)
        return scored

    @cached_property
    def variants(self) -> Mapping[str, Performance]:
        """The scores of the score variants (`exports.score_variants`) by name, of those that have any."""
        return {name: scores for name, scores in self._scored_variants.items() if isinstance(scores, Performance)}

    @cached_property
    def missing_variants(self) -> Mapping[str, str]:
        """The reasons why some score variants have no scores."""
        scored = self._scored_variants.items()
        return {name: error.problem for name, error in scored if isinstance(error, HromadaError)}

    @property
    def headline_agreement(self) -> Coefficient | None:
        """The one coefficient of agreement to report, with or without a value; None where nothing was measured."""
        rows = () if self.agreement is None else self.agreement.headline
        return next((row for row in rows if row.name == self.data.headline_coefficient and not row.of), None)

    @cached_property
    def panels(self) -> Mapping[str, DataSetResult]:
        """The numbers of each panel with people, by its name, in the order of the project file."""
        return {
            name: DataSetResult(data=self.data.keep_panel(name), options=self.options)
            for name, panel in self.data.panels.items()
            if panel.people
        }

    @cached_property
    def panel_differences(self) -> tuple[PanelDifference, ...]:
        """The differences between each two panels, over the items that both answered."""
        return compare_data_panels(self.data, confidence_level=self.options.confidence_level)

    def exceeds_half_width(self, unit: Unit, score: Score) -> bool | None:
        """Whether the score of a variant is far from the primary one (`score_variants.exceeds_half_width`)."""
        return None if self.performance is None else exceeds_half_width(self.performance, unit, score)

    @property
    def reported(self) -> Performance | None:
        """The scores with the units to report: where only a sample has several votes an item, single answers alone."""
        if self.performance is None or not self._has_single_votes:
            return self.performance
        units = tuple(unit for unit in self.performance.units if unit.unit == "individual")
        return replace(self.performance, units=units, refused=dict.fromkeys(ENSEMBLES, ON_SAMPLE_ALONE))

    @property
    def _has_single_votes(self) -> bool:
        """Whether the items outside an overlap sample have one vote each, of which no majority can be made."""
        return self.data.sample is not None and self.data.overlap == 1

    @property
    def majority(self) -> Unit | None:
        """The unit of the majority to report: that of the overlap sample if other items have one vote each."""
        scores = self.sample.performance if self.sample is not None and self._has_single_votes else self.performance
        return scores["majority"] if scores is not None and scores.has_unit("majority") else None

    def list_bases(self) -> list[tuple[Basis, Performance]]:
        """The scores with the votes on which they rest (see `AgreementTable`): those to report, then the others.

        These are those of all votes pooled, or of the overlap sample.
        """
        if self.reported is None:
            return []
        bases: list[tuple[Basis, Performance]] = [("pooled" if self.data.overlap is None else "first", self.reported)]
        if self.sample is not None and self.sample.performance is not None:
            return [*bases, ("sample", self.sample.performance)]
        return bases if self.pooled is None else [*bases, ("pooled", self.pooled)]

    def list_variants(self) -> dict[str, Performance]:
        """The scores that are published beside the primary ones, by name, sorted; all votes pooled among them."""
        pooled: dict[str, Performance] = {} if self.pooled is None else {POOLED: self.pooled}
        if self.sample is not None and self.sample.performance is not None:
            pooled = {ON_SAMPLE: self.sample.performance}
        return dict(sorted({**self.variants, **pooled}.items()))

    @property
    def missing_units(self) -> dict[str, str]:
        """The baseline units without a row, with the reason."""
        if self.reported is None:
            return dict.fromkeys(UNITS, self.no_performance)
        return {str(unit): reason for unit, reason in self.reported.refused.items()}


def compute_results(
    data_sets: Sequence[DataSet], *, options: ResultOptions, progress: Progress | None = None
) -> tuple[DataSetResult, ...]:
    """The results of the data sets, sorted by name; `progress` is called with the share of all long parts that is done.

    Raises HromadaError where two data sets have one name.
    """
    ordered = sorted(data_sets, key=lambda data: data.name)
    names = [data.name for data in ordered]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise HromadaError(f"Two data sets are called {repeated[0]!r}.", remedy="Give each its own name.")
    parts: tuple[LongPart, ...] = get_args(LongPart)
    return tuple(
        DataSetResult(data=data, options=options, progress=divide_progress(own, parts))
        for data, own in zip(ordered, divide_progress(progress, names).values(), strict=True)
    )


def divide_progress(progress: Progress | None, parts: Sequence[Key]) -> dict[Key, Progress]:
    """A callback for each part of equal work, in whatever order they are done."""
    done = dict.fromkeys(parts, 0.0)

    def report(part: Key, share: float) -> None:
        done[part] = share
        if progress is not None:
            progress(sum(done.values()) / len(done))

    return {part: partial(report, part) for part in parts}


def _require(found: Number | HromadaError) -> Number:
    if isinstance(found, HromadaError):
        raise found
    return found


def _count_confusions(data: DataSet, scores: Performance) -> dict[UnitName, pd.DataFrame]:
    """The confusion matrices of the units that have a score, where labels are classes."""
    if data.counted_classes is None:
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
