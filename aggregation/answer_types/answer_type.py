"""What a type of answers provides: the names that reports need, and its consensus, agreement and scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import ClassVar, TypedDict, Unpack, get_args

import numpy as np
import pandas as pd

from aggregation.agreement.breakdowns import break_down_by_annotator
from aggregation.agreement.coefficients import CoefficientName
from aggregation.agreement.table import AgreementTable, Coefficient
from aggregation.agreement.two_way_variance import measure_agreement
from aggregation.answers import Answers, AnswerTypeName
from aggregation.consensus.consensus import Accuracy, Consensus, TieChoice, TieRule, settle_ties
from aggregation.consensus.dawid_skene import StopRule
from aggregation.consensus.methods import METHOD_NAMES, RANKING_METHODS, Method
from aggregation.errors import Refused
from aggregation.findings import Finding
from aggregation.gold_comparison import ScoredAnswers, compare_with_gold
from aggregation.intervals.paired_measures import ItemMeasure
from aggregation.intervals.panel import Contributions, Metric
from aggregation.intervals.resampling import Progress
from aggregation.schema import MeasurementLevel
from aggregation.scores.graded_answers import GradedOptions
from aggregation.scores.performance import (
    Performance,
    Unit,
    UnitName,
    add_annotator_range,
    score_annotators,
    score_fresh_majorities,
    score_unit,
)

METHODS = get_args(Method)
NAMED_METHODS = 3
"""How many methods a refusal names; of a type with more it names the majority alone."""


class ConsensusOptions(TypedDict):
    """How a consensus is made; see `consensus.methods`."""

    method: Method
    ties: TieRule
    seed: int
    anchors: bool
    stop: StopRule


class ResamplingOptions(TypedDict):
    """How intervals of agreement are made."""

    n_resamples: int
    seed: int
    confidence_level: float


class ScoringOptions(TypedDict):
    """What is scored, and how; see `score_answers`."""

    skips: pd.DataFrame | None
    confidence_level: float
    units: Collection[UnitName]
    tie_choice: TieChoice
    progress: Progress | None


class AnswerType(ABC):
    """A type of answers: one object, which knows nothing of a project.

    `questions` are the types of question that have such answers, as the project file names them. `methods` are those
    that make a consensus of them, and `why_no_dawid_skene` says why Dawid-Skene does not, empty where it does.
    `is_label` says that an answer is one label, so that labels can be counted in tables and matrices; `has_options`
    that it is chosen from options; `is_free_text` that it is a text of the annotator's own, `revises_text` that it is a
    new version of a text of the item, `marks_text` that it is parts of one, `compares_texts` that it says which of an
    item's texts is better.

    `headlines` name the coefficient to report, without classes and with them. `similarities` name the mean similarity
    of two answers in the same way; they are None where two answers are equal or not.
    """

    name: ClassVar[AnswerTypeName]
    plural: ClassVar[str]
    questions: ClassVar[tuple[str, ...]]
    methods: ClassVar[tuple[Method, ...]] = tuple(
        method for method in METHODS if method not in ("rover", "closest", "mean", "median", *RANKING_METHODS)
    )
    why_no_dawid_skene: ClassVar[str] = ""
    is_label: ClassVar[bool] = False
    has_options: ClassVar[bool] = False
    is_free_text: ClassVar[bool] = False
    revises_text: ClassVar[bool] = False
    marks_text: ClassVar[bool] = False
    compares_texts: ClassVar[bool] = False
    headlines: ClassVar[tuple[str, str]]
    similarities: ClassVar[tuple[str, str] | None] = None

    def list_parts(self, stored: str) -> tuple[str, ...]:
        """The texts of which a stored answer consists: itself, or each ticked box."""
        return (stored,)

    def refuse_method(self, method: Method) -> Refused:
        """Why a method is refused, with those that fit."""
        *others, last = self.methods if len(self.methods) <= NAMED_METHODS else self.methods[:1]
        fitting = Finding("use-either", method=", ".join(others), other=last) if others else Finding("use", method=last)
        return Refused(Finding("cannot-weigh", method=METHOD_NAMES[method], what=self.plural), remedy=fitting)

    @abstractmethod
    def build_consensus(self, answers: Answers, **options: Unpack[ConsensusOptions]) -> Consensus:
        """The consensus by one of `methods`, as `answer_types.build_consensus` returns it."""

    def compute_accuracy(self, answers: Answers, consensus: Consensus) -> Accuracy:
        """How many labels are right over the items with gold and votes; a shared tie counts its share of right ones."""
        gold = {str(item): str(answer) for item, answer in answers.votes.items["gold"].dropna().items()}
        labels = consensus.labels.loc[consensus.labels.index.isin(list(gold))]
        right = 0.0
        for item, label in labels["label"].items():
            right += isinstance(label, str) and answers.is_right(str(item), label, gold[str(item)])
        if consensus.ties == "shared":
            for item, tied in consensus.list_tied_answers().items():
                if item in gold:
                    right += sum(answers.is_right(item, answer, gold[item]) for answer in tied) / len(tied)
        return Accuracy(right=right, total=len(labels))

    def choose_headline(self, *, has_classes: bool, level: MeasurementLevel) -> str:
        """The name of the one coefficient of agreement to report.

        `has_classes` says that all items share the labels or boxes, or that marked parts have classes; `level` how
        labels are compared. Every page, table, paragraph and command takes the name from here: a nominal alpha of a
        scale calls a miss by one point as wrong as a miss by four.
        """
        return self.headlines[has_classes]

    def list_coefficients(
        self, answers: Answers, overlap: int | None, **options: Unpack[ResamplingOptions]
    ) -> tuple[Coefficient, ...]:
        """The coefficients on each item's first `overlap` votes, on all votes without it."""
        raise NotImplementedError(f"The type {self.name} has neither this nor a `compute_agreement` of its own.")

    def compute_agreement(
        self,
        answers: Answers,
        *,
        overlap: int | None,
        progress: Progress | None,
        **options: Unpack[ResamplingOptions],
    ) -> AgreementTable:
        """The coefficients on each item's first `overlap` votes, then on all votes pooled where there are more."""
        rows = self.list_coefficients(answers, overlap, **options)
        if overlap is not None and (answers.votes.frame["item"].value_counts() > overlap).any():
            if progress is not None:
                progress(0.5)
            rows += self.list_coefficients(answers, None, **options)
        if progress is not None:
            progress(1.0)
        return AgreementTable(rows=rows)

    def break_down(self, answers: Answers, by: str, *, n_resamples: int, seed: int) -> tuple[Coefficient, ...]:
        """Agreement by `annotator` (equal answers); raises Refused for any other breakdown, which needs labels."""
        if by == "annotator":
            return break_down_by_annotator(answers.normalise_votes(), n_resamples=n_resamples, seed=seed)
        raise Refused(f"Agreement by {by} needs labels that mean the same on every item.", remedy="Use --by annotator.")

    def list_pair_coefficients(self, answers: Answers) -> tuple[CoefficientName, ...]:
        """The coefficients besides percent agreement by which projects are compared: sums over pairs of votes."""
        return ()

    def measure_pairs(self, answers: Answers, coefficient: CoefficientName) -> ItemMeasure:
        """A coefficient that is made of pairs of votes, as a measure of items and people."""
        return measure_agreement(answers.normalise_votes(), coefficient)

    def build_similarity(self, answers: Answers) -> tuple[pd.DataFrame, Callable[..., float]]:  # it has none
        """The votes with a column `said`, and the similarity (0 to 1) of two values of it."""
        raise NotImplementedError(f"Two {self.plural} are equal or not.")

    def compare(self, answers: Answers, skips: pd.DataFrame | None) -> ScoredAnswers:
        """The answers on items with gold; an answer that is no label is right if it equals a right one, normalised."""
        scored = replace(compare_with_gold(answers.votes, skips), classes=None)
        rows = zip(scored.frame["item"], scored.frame["answer"], scored.voted, strict=True)
        right = [voted and answers.is_right(str(item), answer, scored.gold[item]) for item, answer, voted in rows]
        return replace(scored, right=np.array(right, dtype=np.float64))

    @abstractmethod
    def list_metrics(self, answers: Answers) -> dict[str, Metric]:
        """The metrics by name, the primary one (the share of right answers) first."""

    @abstractmethod
    def sum_contributions(
        self, answers: Answers, scored: ScoredAnswers
    ) -> tuple[Contributions, Contributions, GradedOptions | None]:
        """What single answers and majorities contribute to the metrics, and the graded options where there are any."""

    def sum_units(
        self, answers: Answers, scored: ScoredAnswers, tie_choice: TieChoice
    ) -> tuple[Contributions, Contributions, GradedOptions | None]:
        """As `sum_contributions`, with the ties of majorities settled by the rule."""
        individual, majority, options = self.sum_contributions(answers, scored)

        def grade(rows: pd.DataFrame, skips: pd.DataFrame) -> Contributions:
            labelled = answers.with_votes(replace(answers.votes, frame=rows))
            return self.sum_contributions(labelled, self.compare(labelled, skips))[0]

        def label_items() -> Consensus:
            return self.build_consensus(
                answers,
                method="majority",
                ties=tie_choice.ties,
                seed=tie_choice.seed,
                anchors=False,
                stop="crowdkit",
            )

        settled = settle_ties(majority, tie_choice, scored=scored, label_items=label_items, grade=grade)
        return individual, settled, options

    def score(self, answers: Answers, **options: Unpack[ScoringOptions]) -> Performance:
        """Score answers that are no labels against gold; the primary score is `exact_match`."""
        units, confidence_level, progress = options["units"], options["confidence_level"], options["progress"]
        scored = self.compare(answers, options["skips"])
        individual, majority, graded = self.sum_units(answers, scored, options["tie_choice"])
        metrics = self.list_metrics(answers)
        annotators = score_annotators(scored, confidence_level=confidence_level)
        build_unit = partial(score_unit, scored=scored, metrics=metrics, confidence_level=confidence_level)
        unit = build_unit("individual", individual, n_annotators=individual.n_people)
        scored_units: list[Unit] = [add_annotator_range(unit, annotators)]
        fresh: tuple[Unit, ...] = ()
        if "majority" in units:
            scored_units.append(build_unit("majority", majority, n_annotators=majority.n_people))
            if graded is not None:
                fresh = score_fresh_majorities(graded, metric="exact_match", confidence_level=confidence_level)
        if progress is not None:
            progress(1.0)
        refused = Finding("no-dawid-skene", what=self.why_no_dawid_skene)
        return Performance(
            units=tuple(scored_units),
            refused={"dawid_skene": refused} if "dawid_skene" in units else {},
            annotators=annotators,
            random=None,
            random_exact=None,
            n_items=len(answers.votes.items),
            confidence_level=confidence_level,
            classes_are_positions=False,
            dawid_skene=None,
            fresh_majorities=fresh,
            ties=options["tie_choice"].ties,
        )
