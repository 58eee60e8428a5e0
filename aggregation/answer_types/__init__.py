"""What each answer type does: its consensus, agreement and scores, behind one table of types."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import get_args

import pandas as pd

from aggregation.agreement.table import AgreementTable
from aggregation.answer_types.answer_type import AnswerType
from aggregation.answer_types.boxes import BoxesType
from aggregation.answer_types.label import LabelType
from aggregation.answer_types.preference import PreferenceType
from aggregation.answer_types.span import SpanType
from aggregation.answer_types.text import EditType, TextType
from aggregation.answers import Answers, AnswerTypeName
from aggregation.consensus.consensus import SHARED, Consensus, TieChoice, TieRule
from aggregation.consensus.dawid_skene import StopRule
from aggregation.consensus.methods import Method
from aggregation.errors import HromadaError
from aggregation.intervals.resampling import Progress
from aggregation.scores.performance import Performance, UnitName

ANSWER_TYPES: Mapping[AnswerTypeName, AnswerType] = MappingProxyType(
    {
        answer_type.name: answer_type
        for answer_type in (LabelType(), BoxesType(), TextType(), EditType(), SpanType(), PreferenceType())
    }
)
TYPES_BY_QUESTION: Mapping[str, AnswerType] = MappingProxyType(
    {question: answer_type for answer_type in ANSWER_TYPES.values() for question in answer_type.questions}
)
"""The type of answers by the type of the question, as the project file names it."""


def build_consensus(
    answers: Answers,
    *,
    method: Method,
    ties: TieRule,
    seed: int = 0,
    anchors: bool = False,
    stop: StopRule = "crowdkit",
) -> Consensus:
    """The consensus on answers of any type; with `anchors` the method takes declared gold as known.

    Labels: `consensus.methods`. Boxes: each by itself. Texts: the plurality of equal texts, the text closest to all
    others (`closest`), or ROVER. Spans: those that more than half of an item's answers mark.

    Raises HromadaError for no votes, and Refused for a method that the answers do not allow, with those that fit.
    """
    answer_type = ANSWER_TYPES[answers.kind]
    if answers.votes.frame.empty:
        raise HromadaError("There are no votes to make a consensus of.", remedy="Collect or import answers first.")
    if method not in answer_type.methods:
        raise answer_type.refuse_method(method)
    return answer_type.build_consensus(answers, method=method, ties=ties, seed=seed, anchors=anchors, stop=stop)


def compute_agreement(
    answers: Answers,
    *,
    overlap: int | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    confidence_level: float = 0.95,
    progress: Progress | None = None,
) -> AgreementTable:
    """The coefficients that fit the answer type: on each item's first `overlap` votes, then on all votes pooled.

    Labels: `agreement.coefficients`. Boxes: `compute_multilabel_agreement`. Texts and spans: DESCRIPTIONS of
    `answer_types.text` and `answer_types.span`.
    """
    return ANSWER_TYPES[answers.kind].compute_agreement(
        answers,
        overlap=overlap,
        n_resamples=n_resamples,
        seed=seed,
        confidence_level=confidence_level,
        progress=progress,
    )


def score_answers(
    answers: Answers,
    *,
    skips: pd.DataFrame | None = None,
    confidence_level: float = 0.95,
    units: Collection[UnitName] = get_args(UnitName),
    tie_choice: TieChoice = SHARED,
    progress: Progress | None = None,
) -> Performance:
    """Score answers of any type against gold, as `scores.labels` scores labels.

    The primary score of other types is `exact_match`; their other metrics are in the module of the type. The majority
    is the consensus by that name; an item that it leaves open has the mean of its tied answers' grades, or those of the
    rule `tie_choice`. `skips` (columns item, annotator) are unanswered. There is no chance level.

    Raises HromadaError where no item has gold, or nobody answered one that has.
    """
    return ANSWER_TYPES[answers.kind].score(
        answers,
        skips=skips,
        confidence_level=confidence_level,
        units=units,
        tie_choice=tie_choice,
        progress=progress,
    )
