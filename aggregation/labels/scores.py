"""Closed labels against gold: single answers, majorities and Dawid-Skene, with intervals over annotators and items."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
import pandas as pd

from aggregation import scoring
from aggregation.bootstrap import Progress, Resampling
from aggregation.consensus import Consensus
from aggregation.errors import Refused
from aggregation.gold_comparison import ScoredAnswers, Scorer, compare_with_gold
from aggregation.labels.consensus import Method, build_label_consensus
from aggregation.labels.scorers import build_individual_scorer, build_majority_scorer, build_refit_scorer
from aggregation.performance import (
    Metric,
    Performance,
    Unit,
    UnitName,
    add_annotator_range,
    score_annotators,
    score_unit,
)
from aggregation.schema import Floats, Votes

MAX_REFITTED_VOTES = 60_000_000  # votes in all refits of an interval, about a minute; more votes have fewer refits
FEWEST_REFITS = 200


def score_labels(
    votes: Votes,
    *,
    skips: pd.DataFrame | None = None,
    n_resamples: int = 2000,
    seed: int = 0,
    confidence_level: float = 0.95,
    units: Collection[UnitName] = get_args(UnitName),
    progress: Progress | None = None,
) -> Performance:
    """Score the votes against gold as single answers, as majorities and (closed labels) as Dawid-Skene labels.

    `skips` (columns item, annotator) are answers that were due and not given: wrong as single answers, no vote in a
    majority or a fit, where an item that was only skipped is wrong. Units other than the individual one can be left
    out. Annotators and groups of items are resampled independently; in each draw the plurality is computed again and
    Dawid-Skene fitted again to the drawn annotators' votes, and items without votes and skips are left out.

    Raises HromadaError where no item has gold, or nobody answered one that has.
    """
    scored = compare_with_gold(votes, skips)
    resampling = Resampling(n_resamples=n_resamples, seed=seed, confidence_level=confidence_level, progress=progress)
    n_parts = len(units) - (votes.classes is None and "dawid_skene" in units)
    parts = [replace(resampling, progress=resampling.part(part, of=n_parts)) for part in range(len(units))]
    annotators = score_annotators(scored, confidence_level=confidence_level)
    scored_units = [add_annotator_range(_score_individual(scored, resampling=parts[0]), annotators)]
    refused, fitted = {}, None
    if "majority" in units:
        labels = _build_open_consensus(votes, "majority")
        scorer = build_majority_scorer(scored)
        scored_units.append(_score_consensus("majority", labels, scored, scorer=scorer, resampling=parts[1]))
    if "dawid_skene" in units:
        try:
            fitted = _build_open_consensus(votes, "dawid_skene")
            scored_units.append(_score_refitted(fitted, votes, scored, resampling=parts[-1]))
        except Refused as refusal:
            refused["dawid_skene"] = str(refusal)
    return Performance(
        units=tuple(scored_units),
        refused=refused,
        annotators=annotators,
        random=1 / float(votes.items["n_options"].to_numpy(dtype=float).mean()),
        random_exact=_compute_random_accuracy(votes, scored),
        n_items=len(votes.items),
        n_items_with_gold=int(votes.items["gold"].notna().sum()),
        n_items_scored=len(scored.gold),
        n_resamples=n_resamples,
        seed=seed,
        confidence_level=confidence_level,
        classes_are_positions=votes.classes_are_positions,
        dawid_skene=fitted,
    )


def _build_open_consensus(votes: Votes, method: Method) -> Consensus:
    """The consensus of all votes, ties left open."""
    return build_label_consensus(votes, method=method, ties="drop")


def _compute_random_accuracy(votes: Votes, scored: ScoredAnswers) -> float:
    """The mean of one over the number of options of the items that are scored."""
    return float((1 / votes.items["n_options"].reindex(scored.gold.index).to_numpy(dtype=float)).mean())


def _score_individual(scored: ScoredAnswers, *, resampling: Resampling) -> Unit:
    gold = scored.gold.to_numpy()[scored.items].tolist()
    answers = scored.frame["answer"].tolist()
    scorer = build_individual_scorer(scored)
    return _score_label_unit(
        "individual", gold=gold, answers=answers, scored=scored, scorer=scorer, resampling=resampling
    )


def _score_refitted(fitted: Consensus, votes: Votes, scored: ScoredAnswers, *, resampling: Resampling) -> Unit:
    """The unit of Dawid-Skene labels, with fewer draws where there are many votes."""
    most = max(FEWEST_REFITS, MAX_REFITTED_VOTES // len(votes.frame))
    fewer = replace(resampling, n_resamples=min(resampling.n_resamples, most))
    scorer = build_refit_scorer(votes, scored)
    return _score_consensus("dawid_skene", fitted, scored, scorer=scorer, resampling=fewer)


def _score_consensus(
    name: UnitName, consensus: Consensus, scored: ScoredAnswers, *, scorer: Scorer, resampling: Resampling
) -> Unit:
    """A unit of one label per item: the consensus of all votes, on the items that have gold."""
    labels = consensus.labels.reindex(scored.gold.index)
    answers = [label if isinstance(label, str) else None for label in labels["label"]]
    gold = scored.gold.tolist()
    unit = _score_label_unit(name, gold=gold, answers=answers, scored=scored, scorer=scorer, resampling=resampling)
    n_ties = int(labels["tie"].eq(other=True).sum())  # an item that was only skipped has no label, and is no tie
    return replace(unit, n_ties=n_ties, n_annotators=scorer.n_annotators)


def _score_label_unit(
    unit: UnitName,
    *,
    gold: Sequence[str],
    answers: Sequence[str | None],
    scored: ScoredAnswers,
    scorer: Scorer,
    resampling: Resampling,
) -> Unit:
    counts = _count_labels(gold, answers, classes=scored.classes)
    names = list(scoring.METRICS) if scored.classes is not None else ["accuracy"]
    return score_unit(
        unit,
        np.array([[*counts.right, *counts.gold, *counts.answered, counts.total]]),
        scorer=scorer,
        scored=scored,
        metrics={name: _build_metric(scoring.METRICS[name]) for name in names},
        right=round(sum(counts.right)),
        total=len(gold),
        resampling=resampling,
    )


def _count_labels(
    gold: Sequence[str], answers: Sequence[str | None], *, classes: tuple[str, ...] | None
) -> scoring.LabelCounts:
    if classes is not None:
        return scoring.count_labels(gold, answers, classes=classes)
    right = ["right" if truth == answer else "wrong" for truth, answer in zip(gold, answers, strict=True)]
    return scoring.count_labels(["right"] * len(gold), right, classes=["right"])


def _build_metric(function: Callable[[scoring.LabelCounts], float]) -> Metric:
    """A metric of `scoring` as a function of column sums (see `labels.scorers`)."""

    def metric(sums: Floats) -> Floats:
        width = (sums.shape[1] - 1) // 3
        counts = (
            scoring.LabelCounts(
                right=row[:width], gold=row[width : 2 * width], answered=row[2 * width : -1], total=row[-1]
            )
            for row in map(tuple, sums.tolist())
        )
        return np.array([function(each) for each in counts])

    return metric
