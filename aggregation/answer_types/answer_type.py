"""Consensus, accuracy, agreement and scores of answers of any type: each function calls the package of the type."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import get_args

import numpy as np
import pandas as pd

from aggregation.agreement.breakdowns import break_down_by_annotator
from aggregation.agreement.coefficients import compute_label_agreement
from aggregation.agreement.table import AgreementTable, Coefficient
from aggregation.answer_types import text as text_consensus
from aggregation.answer_types.boxes import (
    build_box_consensus,
    compute_box_agreement,
    compute_multilabel_agreement,
    list_box_metrics,
    read_selections,
    sum_boxes,
)
from aggregation.answer_types.span import (
    build_span_consensus,
    compute_span_agreement,
    list_span_metrics,
    read_span_votes,
    sum_spans,
)
from aggregation.answer_types.text import compute_text_agreement, grade_texts, list_text_metrics
from aggregation.answers import Answers, AnswerType
from aggregation.consensus.consensus import (
    SHARED,
    Accuracy,
    Consensus,
    TieChoice,
    TieRule,
    compute_label_accuracy,
    settle_ties,
)
from aggregation.consensus.dawid_skene import StopRule
from aggregation.consensus.methods import METHOD_NAMES, Method, build_label_consensus, derive_anchors_and_skills
from aggregation.errors import HromadaError, Refused
from aggregation.gold_comparison import ScoredAnswers, compare_with_gold
from aggregation.intervals.panel import Contributions, Metric
from aggregation.intervals.resampling import Progress
from aggregation.scores.graded_answers import GradedOptions, sum_pluralities, sum_single_answers
from aggregation.scores.labels import score_labels
from aggregation.scores.performance import (
    Performance,
    Unit,
    UnitName,
    add_annotator_range,
    score_annotators,
    score_fresh_majorities,
    score_unit,
)

TEXT_TYPES: tuple[AnswerType, ...] = ("text", "edit")
METHODS_BY_TYPE: Mapping[AnswerType, tuple[Method, ...]] = MappingProxyType(
    {"text": text_consensus.TEXT_METHODS, "edit": text_consensus.TEXT_METHODS, "span": ("majority",)}
)
TYPE_PLURALS: Mapping[AnswerType, str] = MappingProxyType(
    {"label": "labels", "boxes": "boxes", "text": "texts", "edit": "corrected texts", "span": "parts of a text"}
)
REASON_NO_DAWID_SKENE = "Dawid-Skene needs one label an item; {what}: use the majority."
DAWID_SKENE_OBSTACLES: Mapping[AnswerType, str] = MappingProxyType(
    {
        "boxes": "boxes are judged each by itself (`hromada aggregate --method dawid_skene` labels them so)",
        "text": "texts are no labels that items share",
        "edit": "texts are no labels that items share",
        "span": "parts of a text are no labels that items share",
    }
)


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
    if answers.votes.frame.empty:
        raise HromadaError("There are no votes to make a consensus of.", remedy="Collect or import answers first.")
    methods = METHODS_BY_TYPE.get(answers.kind)
    if method not in (methods or (method,)):
        raise _build_method_refusal(method, answers.kind, methods or ())
    if methods is None and method in ("rover", "closest"):
        raise _build_method_refusal(method, answers.kind, ("majority",))
    if answers.kind == "boxes":
        return build_box_consensus(answers, method=method, ties=ties, seed=seed, anchors=anchors, stop=stop)
    if answers.kind == "span":
        return build_span_consensus(answers, ties=ties, seed=seed)
    if answers.kind in TEXT_TYPES:
        return text_consensus.build_text_consensus(answers, method=method, ties=ties, seed=seed)
    known, skills = derive_anchors_and_skills(answers.votes, method=method, anchors=anchors)
    return build_label_consensus(
        answers.votes, method=method, ties=ties, seed=seed, anchors=known, skills=skills, stop=stop
    )


def compute_accuracy(answers: Answers, consensus: Consensus) -> Accuracy:
    """How many labels are right over the items with gold and votes; a shared tie counts its share of right answers."""
    known = answers.votes.items["gold"].dropna()
    if answers.kind == "label":
        return compute_label_accuracy(consensus, known)
    gold = {str(item): str(answer) for item, answer in known.items()}
    labels = consensus.labels.loc[consensus.labels.index.isin(list(gold))]
    right = 0.0
    for item, label in labels["label"].items():
        right += isinstance(label, str) and answers.is_right(str(item), label, gold[str(item)])
    if consensus.ties == "shared":
        for item, tied in consensus.list_tied_answers().items():
            if item in gold:
                right += sum(answers.is_right(item, answer, gold[item]) for answer in tied) / len(tied)
    return Accuracy(right=right, total=len(labels))


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

    Labels: `agreement.coefficients`. Boxes: `compute_multilabel_agreement`. Texts and spans: HOW of
    `answer_types.text` and `answer_types.span`.
    """
    if answers.kind == "label":
        return compute_label_agreement(
            answers.votes,
            overlap=overlap,
            n_resamples=n_resamples,
            seed=seed,
            confidence_level=confidence_level,
            progress=progress,
        )
    rows = _compute_rows(answers, overlap, n_resamples=n_resamples, seed=seed, confidence_level=confidence_level)
    if overlap is not None and (answers.votes.frame["item"].value_counts() > overlap).any():
        if progress is not None:
            progress(0.5)
        rows += _compute_rows(answers, None, n_resamples=n_resamples, seed=seed, confidence_level=confidence_level)
    if progress is not None:
        progress(1.0)
    return AgreementTable(rows=rows)


def break_down_agreement(
    answers: Answers, by: str, *, n_resamples: int = 1000, seed: int = 0
) -> tuple[Coefficient, ...]:
    """Agreement of answers that are no labels by `label` (boxes alone: each box) or `annotator` (equal answers).

    Raises Refused for any other breakdown, which needs labels.
    """
    if by == "annotator":
        return break_down_by_annotator(answers.normalise_votes(), n_resamples=n_resamples, seed=seed)
    if by == "label" and answers.kind == "boxes" and answers.boxes is not None:
        return compute_box_agreement(read_selections(answers), n_resamples=n_resamples, seed=seed)
    raise Refused(f"Agreement by {by} needs labels that mean the same on every item.", remedy="Use --by annotator.")


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

    The primary score of other types is `exact_match`; their other metrics stand in the `scores` module of the type. The
    majority is the consensus by that name; an item that it leaves open has the mean of its tied answers' grades, or
    those of the rule `tie_choice`. `skips` (columns item, annotator) are unanswered. There is no chance level.

    Raises HromadaError where no item has gold, or nobody answered one that has.
    """
    if answers.kind == "label":
        return score_labels(
            answers.votes,
            skips=skips,
            confidence_level=confidence_level,
            units=units,
            tie_choice=tie_choice,
            progress=progress,
        )
    scored = compare_answers(answers, skips)
    individual, majority, options = sum_contributions(answers, scored, tie_choice)
    metrics = list_metrics(answers)
    annotators = score_annotators(scored, confidence_level=confidence_level)
    build_unit = partial(score_unit, scored=scored, metrics=metrics, confidence_level=confidence_level)
    unit = build_unit("individual", individual, n_annotators=individual.n_people)
    scored_units: list[Unit] = [add_annotator_range(unit, annotators)]
    fresh: tuple[Unit, ...] = ()
    if "majority" in units:
        scored_units.append(build_unit("majority", majority, n_annotators=majority.n_people))
        if options is not None:
            fresh = score_fresh_majorities(options, metric="exact_match", confidence_level=confidence_level)
    if progress is not None:
        progress(1.0)
    refused = (
        {"dawid_skene": REASON_NO_DAWID_SKENE.format(what=DAWID_SKENE_OBSTACLES[answers.kind])}
        if "dawid_skene" in units
        else {}
    )
    return Performance(
        units=tuple(scored_units),
        refused=refused,
        annotators=annotators,
        random=None,
        random_exact=None,
        n_items=len(answers.votes.items),
        confidence_level=confidence_level,
        classes_are_positions=False,
        dawid_skene=None,
        fresh_majorities=fresh,
        ties=tie_choice.ties,
    )


def _build_method_refusal(method: Method, answer_type: AnswerType, methods: Sequence[Method]) -> Refused:
    """Why a method is refused for an answer type, with the methods that fit."""
    fitting = " or ".join([", ".join(methods[:-1]), methods[-1]] if methods[1:] else methods)
    return Refused(f"{METHOD_NAMES[method]} cannot weigh {TYPE_PLURALS[answer_type]}.", remedy=f"Use {fitting}.")


def _compute_rows(
    answers: Answers, overlap: int | None, *, n_resamples: int, seed: int, confidence_level: float
) -> tuple[Coefficient, ...]:
    if answers.kind == "boxes":
        return compute_multilabel_agreement(
            answers, overlap=overlap, n_resamples=n_resamples, seed=seed, confidence_level=confidence_level
        )
    if answers.kind == "span":
        votes = read_span_votes(answers)
        return compute_span_agreement(
            votes, overlap=overlap, n_resamples=n_resamples, seed=seed, confidence_level=confidence_level
        )
    return compute_text_agreement(
        answers.votes,
        rule=answers.rule or "exact",
        overlap=overlap,
        n_resamples=n_resamples,
        seed=seed,
        confidence_level=confidence_level,
    )


def compare_answers(answers: Answers, skips: pd.DataFrame | None) -> ScoredAnswers:
    """The answers on items that have gold; an answer that is no label is right if it equals a right one, normalised."""
    if answers.kind == "label":
        return compare_with_gold(answers.votes, skips)
    scored = replace(compare_with_gold(answers.votes, skips), classes=None)
    rows = zip(scored.frame["item"], scored.frame["answer"], scored.voted, strict=True)
    right = [voted and answers.is_right(str(item), answer, scored.gold[item]) for item, answer, voted in rows]
    return replace(scored, right=np.array(right, dtype=np.float64))


def sum_contributions(
    answers: Answers, scored: ScoredAnswers, tie_choice: TieChoice = SHARED
) -> tuple[Contributions, Contributions, GradedOptions | None]:
    """What single answers and majorities contribute, and the graded options of texts, which alone have options."""
    options = None
    if answers.kind in TEXT_TYPES:
        options = grade_texts(answers, scored)
        individual, majority = sum_single_answers(options), sum_pluralities(options)
    else:
        individual, majority = (sum_boxes if answers.kind == "boxes" else sum_spans)(answers, scored)

    def grade(rows: pd.DataFrame, skips: pd.DataFrame) -> Contributions:
        labelled = answers.with_votes(replace(answers.votes, frame=rows))
        return sum_contributions(labelled, compare_answers(labelled, skips))[0]

    majority = settle_ties(
        majority,
        tie_choice,
        scored=scored,
        label_items=lambda: build_consensus(answers, method="majority", ties=tie_choice.ties, seed=tie_choice.seed),
        grade=grade,
    )
    return individual, majority, options


def list_metrics(answers: Answers) -> dict[str, Metric]:
    """The metrics of answers that are no labels, by name, the primary one first."""
    if answers.kind in TEXT_TYPES:
        return list_text_metrics(answers)
    return (
        list_box_metrics(answers)
        if answers.kind == "boxes"
        else list_span_metrics(has_classes=answers.span_classes is not None)
    )
