"""Any number of boxes against gold: scorers of single answers and of the majority of each box, and their metrics."""

from __future__ import annotations

import json

import numpy as np

from aggregation.answers import Answers
from aggregation.gold_comparison import ScoredAnswers, Scorer
from aggregation.part_scores import Part, PartType, build_part_scorers, build_whole_layer
from aggregation.performance import Metric, build_column_mean
from aggregation.schema import Floats, divide_safely


def build_box_scorers(answers: Answers, scored: ScoredAnswers) -> tuple[Scorer, Scorer]:
    """The scorers of single answers and of the majority of each box; for the columns see `aggregation.part_scores`."""
    part_type = PartType(
        parse=_parse_boxes,
        build_layers=lambda answered, gold: (build_whole_layer(answered, gold),),
        boxes=answers.boxes or (),
    )
    return build_part_scorers(scored, part_type)


def list_box_metrics(answers: Answers) -> dict[str, Metric]:
    """The metrics by name: exact match, F1 over all boxes (`f1a`), mean F1 of answers (`f1m`), F1 of each box."""
    metrics: dict[str, Metric] = {
        "exact_match": build_column_mean(0),
        "f1a": _build_pooled_f1(2),
        "f1m": build_column_mean(1),
    }
    for number, box in enumerate(answers.boxes or ()):
        metrics[f"f1 {box}"] = _build_pooled_f1(5 + 3 * number)
    return metrics


def _parse_boxes(stored: str) -> tuple[Part, ...]:
    return tuple((box,) for box in json.loads(stored))


def _build_pooled_f1(start: int) -> Metric:
    """F1 from three columns, right, gold and answered; 0 where nothing is right, as for labels."""

    def metric(sums: Floats) -> Floats:
        total = sums[:, start + 1] + sums[:, start + 2]
        has_answers = sums[:, -1] > 0
        return np.where(has_answers, np.nan_to_num(divide_safely(2 * sums[:, start], total)), np.nan)

    return metric
