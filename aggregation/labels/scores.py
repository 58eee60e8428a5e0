"""Closed labels against gold: single answers, majorities and Dawid-Skene, for a fresh panel and for this one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import get_args

import numpy as np
import pandas as pd

from aggregation import scoring
from aggregation.bootstrap import Progress
from aggregation.errors import Refused
from aggregation.gold_comparison import ScoredAnswers, compare_with_gold
from aggregation.labels.consensus import Method, build_label_consensus
from aggregation.labels.refits import sum_refitted_labels
from aggregation.labels.scorers import grade_labels
from aggregation.options import GradedOptions, sum_pluralities, sum_single_answers
from aggregation.panel_variance import Contributions, Metric, Scale
from aggregation.performance import (
    Performance,
    Unit,
    UnitName,
    add_annotator_range,
    score_annotators,
    score_fresh_majorities,
    score_unit,
)
from aggregation.schema import Floats, Votes
from aggregation.tie_rules import SHARED, TieChoice, settle_ties

SCALES: Mapping[str, Scale] = MappingProxyType(
    {"accuracy": "share", "macro_f1": "fraction", "weighted_f1": "fraction", "mcc": "correlation"}
)


def score_labels(
    votes: Votes,
    *,
    skips: pd.DataFrame | None = None,
    confidence_level: float = 0.95,
    units: Collection[UnitName] = get_args(UnitName),
    tie_choice: TieChoice = SHARED,
    progress: Progress | None = None,
) -> Performance:
    """Score the votes against gold as single answers, as majorities and (closed labels) as Dawid-Skene labels.

    `skips` (columns item, annotator) are answers that were due and not given: wrong as single answers, no vote in a
    majority or a fit, where an item that was only skipped is wrong. Units other than the individual one can be left
    out. A tie is shared, so that every metric is that of the expected confusion matrix; `tie_choice` names another
    rule.

    Raises HromadaError where no item has gold, or nobody answered one that has.
    """
    scored = compare_with_gold(votes, skips)
    options = grade_labels(scored)
    annotators = score_annotators(scored, confidence_level=confidence_level)
    build_unit = partial(
        score_unit, scored=scored, metrics=list_label_metrics(scored), confidence_level=confidence_level
    )
    single = build_unit("individual", sum_single_answers(options), n_annotators=len(scored.annotator_ids))
    scored_units: list[Unit] = [add_annotator_range(single, annotators)]
    fresh: tuple[Unit, ...] = ()
    refused: dict[str, str] = {}
    fitted = None
    if "majority" in units:
        pluralities = sum_majority_labels(votes, options, tie_choice)
        scored_units.append(build_unit("majority", pluralities, n_annotators=pluralities.n_people))
        fresh = score_fresh_majorities(options, metric="accuracy", confidence_level=confidence_level)
    _report_progress(progress, 0.2)
    if "dawid_skene" in units:
        try:
            fitted = build_label_consensus(votes, method="dawid_skene", ties="drop")
            unit = build_unit(
                "dawid_skene",
                _settle(sum_refitted_labels(votes, scored), "dawid_skene", votes, scored, tie_choice),
                n_annotators=votes.frame["annotator"].nunique(),
                warnings=fitted.warnings,
            )
            scored_units.append(unit)
        except Refused as refusal:
            refused["dawid_skene"] = str(refusal)
    _report_progress(progress, 1.0)
    return Performance(
        units=tuple(scored_units),
        refused=refused,
        annotators=annotators,
        random=1 / float(votes.items["n_options"].to_numpy(dtype=float).mean()),
        random_exact=_compute_random_accuracy(votes, scored),
        n_items=len(votes.items),
        n_items_with_gold=int(votes.items["gold"].notna().sum()),
        n_items_scored=len(scored.gold),
        confidence_level=confidence_level,
        classes_are_positions=votes.classes_are_positions,
        dawid_skene=fitted,
        fresh_majorities=fresh,
        ties=tie_choice.ties,
    )


def sum_majority_labels(votes: Votes, options: GradedOptions, tie_choice: TieChoice) -> Contributions:
    """What the majority of each item contributes, ties settled by the rule."""
    return _settle(sum_pluralities(options), "majority", votes, options.scored, tie_choice)


def _settle(
    contributions: Contributions, method: Method, votes: Votes, scored: ScoredAnswers, tie_choice: TieChoice
) -> Contributions:
    def grade(rows: pd.DataFrame, skips: pd.DataFrame) -> Contributions:
        return sum_single_answers(grade_labels(compare_with_gold(replace(votes, frame=rows), skips)))

    return settle_ties(
        contributions,
        tie_choice,
        scored=scored,
        label_items=lambda: build_label_consensus(votes, method=method, ties=tie_choice.ties, seed=tie_choice.seed),
        grade=grade,
    )


def _compute_random_accuracy(votes: Votes, scored: ScoredAnswers) -> float:
    """The mean of one over the number of options of the items that are scored."""
    return float((1 / votes.items["n_options"].reindex(scored.gold.index).to_numpy(dtype=float)).mean())


def list_label_metrics(scored: ScoredAnswers) -> dict[str, Metric]:
    """The metrics of `scoring` by name; the accuracy alone where items share no classes."""
    names = list(scoring.METRICS) if scored.classes is not None else ["accuracy"]
    return {name: Metric(compute=_score_sums(scoring.METRICS[name]), scale=SCALES[name]) for name in names}


def _score_sums(function: Callable[[scoring.LabelCounts], float]) -> Callable[[Floats], Floats]:
    """A metric of `scoring` as a function of column sums (see `labels.scorers`)."""

    def compute(sums: Floats) -> Floats:
        width = sums.shape[1] // 3
        counts = (
            scoring.LabelCounts(
                right=row[:width],
                gold=row[width : 2 * width],
                answered=row[2 * width : -1],
                total=row[-1],
            )
            for row in map(tuple, sums.tolist())
        )
        return np.array([function(each) for each in counts])

    return compute


def _report_progress(progress: Progress | None, share: float) -> None:
    if progress is not None:
        progress(share)
