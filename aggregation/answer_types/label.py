"""Questions whose answers are one label: an option of a choice, or a point of a scale."""

from __future__ import annotations

from typing import ClassVar, Unpack

import pandas as pd

from aggregation.agreement.breakdowns import break_down_by_label, break_down_over_time
from aggregation.agreement.coefficients import CoefficientName, choose_label_headline, compute_label_agreement
from aggregation.agreement.icc import list_icc_coefficients
from aggregation.agreement.people import estimate_class_confidence
from aggregation.agreement.table import AgreementTable, Coefficient
from aggregation.answer_types.answer_type import AnswerType, ConsensusOptions, ResamplingOptions, ScoringOptions
from aggregation.answers import Answers, AnswerTypeName
from aggregation.consensus.consensus import Accuracy, Consensus, compute_label_accuracy
from aggregation.consensus.methods import Method, build_label_consensus, derive_anchors_and_skills
from aggregation.errors import Refused
from aggregation.findings import Finding
from aggregation.gold_comparison import ScoredAnswers, compare_with_gold
from aggregation.intervals.panel import Contributions, Metric
from aggregation.intervals.resampling import Progress
from aggregation.ratings import read_ratings
from aggregation.schema import MeasurementLevel
from aggregation.scores.graded_answers import GradedOptions, sum_pluralities, sum_single_answers
from aggregation.scores.labels import grade_labels, list_label_metrics, score_labels
from aggregation.scores.performance import Performance


class LabelType(AnswerType):
    """One label. The work is done in `consensus.methods`, `agreement.coefficients` and `scores.labels`."""

    name: ClassVar[AnswerTypeName] = "label"
    plural = Finding("labels")
    methods: ClassVar[tuple[Method, ...]] = (*AnswerType.methods, "mean", "median")
    questions: ClassVar[tuple[str, ...]] = ("choice", "scale")
    is_label = True
    has_options = True

    def build_consensus(self, answers: Answers, **options: Unpack[ConsensusOptions]) -> Consensus:
        """By `consensus.methods`."""
        anchored, skills = derive_anchors_and_skills(
            answers.votes, method=options["method"], anchors=options["anchors"]
        )
        return build_label_consensus(
            answers.votes,
            method=options["method"],
            ties=options["ties"],
            seed=options["seed"],
            anchors=anchored,
            skills=skills,
            stop=options["stop"],
        )

    def compute_accuracy(self, answers: Answers, consensus: Consensus) -> Accuracy:
        """By `compute_label_accuracy`."""
        return compute_label_accuracy(consensus, answers.votes.items["gold"].dropna())

    def choose_headline(self, *, has_classes: bool, level: MeasurementLevel) -> str:
        """Alpha at the level of the labels, or, without classes, a coefficient that needs none."""
        return choose_label_headline(has_classes=has_classes, level=level)

    def compute_agreement(
        self, answers: Answers, *, overlap: int | None, progress: Progress | None, **options: Unpack[ResamplingOptions]
    ) -> AgreementTable:
        """By `agreement.coefficients`, and intraclass correlations (`agreement.icc`) of the points of a scale."""
        table = compute_label_agreement(answers.votes, overlap=overlap, progress=progress, **options)
        votes, basis = answers.votes, table.rows[0].basis
        ratings = read_ratings(votes if overlap is None else votes.first_votes(overlap))
        iccs = list_icc_coefficients(ratings, basis=basis, confidence_level=options["confidence_level"])
        first = table.headline
        return AgreementTable(rows=(*first, *iccs, *table.rows[len(first) :]))

    def break_down(self, answers: Answers, by: str, *, n_resamples: int, seed: int) -> tuple[Coefficient, ...]:
        """By `label`, `annotator`, `time` or `class`, the last for classes alone."""
        votes = answers.votes
        if by == "label":
            return break_down_by_label(votes, n_resamples=n_resamples, seed=seed)
        if by == "time":
            return break_down_over_time(votes, n_resamples=n_resamples, seed=seed)
        if by == "class":
            if votes.classes is None:
                raise Refused(
                    "The options differ from item to item and share no classes.", remedy="Use --by annotator."
                )
            majority = build_label_consensus(votes, method="majority", ties="drop").labels["label"]
            target = votes.items["gold"].combine_first(majority)
            return estimate_class_confidence(votes, target, n_resamples=n_resamples, seed=seed)
        return super().break_down(answers, by, n_resamples=n_resamples, seed=seed)

    def list_pair_coefficients(self, answers: Answers) -> tuple[CoefficientName, ...]:
        """The headline coefficient."""
        return (choose_label_headline(has_classes=answers.has_classes, level=answers.votes.measurement_level),)

    def compare(self, answers: Answers, skips: pd.DataFrame | None) -> ScoredAnswers:
        """A label is right where it is the gold."""
        return compare_with_gold(answers.votes, skips)

    def list_metrics(self, answers: Answers) -> dict[str, Metric]:
        """By `scores.labels`."""
        return list_label_metrics(has_classes=answers.votes.classes is not None)

    def sum_contributions(
        self,
        answers: Answers,
        scored: ScoredAnswers,
    ) -> tuple[Contributions, Contributions, GradedOptions | None]:
        """Of single labels, and of the most frequent one."""
        options = grade_labels(scored)
        return sum_single_answers(options), sum_pluralities(options), options

    def score(self, answers: Answers, **options: Unpack[ScoringOptions]) -> Performance:
        """By `scores.labels`, with chance levels and Dawid-Skene."""
        return score_labels(answers.votes, **options)
