"""Any number of boxes against gold: single answers, the majority of each box, and their metrics."""

from __future__ import annotations

import json

import numpy as np

from aggregation.answers import Answers
from aggregation.gold_comparison import ScoredAnswers
from aggregation.options import build_column_mean, build_share_metric
from aggregation.panel_variance import Contributions, Metric
from aggregation.part_scores import Part, PartType, build_whole_layer, sum_parts
from aggregation.schema import Floats, divide_safely


def sum_boxes(answers: Answers, scored: ScoredAnswers) -> tuple[Contributions, Contributions]:
    """What single answers and the majority of each box contribute; for the columns see `aggregation.part_scores`."""
    part_type = PartType(
        parse=_parse_boxes,
        build_layers=lambda answered, gold: (build_whole_layer(answered, gold),),
        boxes=answers.boxes or (),
    )
    return sum_parts(scored, part_type)


def list_box_metrics(answers: Answers) -> dict[str, Metric]:
    """The metrics by name: exact match, F1 over all boxes (`f1a`), mean F1 of answers (`f1m`), F1 of each box.

    `f1m_of_averages` is the other reading of F1m, by the script of Russian SuperGLUE (and of MultiRC before it): the
    harmonic mean of the mean precision and the mean recall of answers, 1 each where nothing is ticked or nothing gold.
    """
    metrics: dict[str, Metric] = {
        "exact_match": build_share_metric(),
        "f1a": _build_pooled_f1(4),
        "f1m": build_column_mean(1, "fraction"),
        "f1m_of_averages": Metric(compute=_compute_f1_of_averages, scale="fraction"),
    }
    for number, box in enumerate(answers.boxes or ()):
        metrics[f"f1 {box}"] = _build_pooled_f1(7 + 3 * number)
    return metrics


def _parse_boxes(stored: str) -> tuple[Part, ...]:
    return tuple((box,) for box in json.loads(stored))


def _compute_f1_of_averages(sums: Floats) -> Floats:
    """2PR / (P + R) of the mean precision and recall; 0 where no answer has anything right."""
    precision, recall = sums[:, 2], sums[:, 3]
    f1 = divide_safely(2 * precision * recall, (precision + recall) * sums[:, -1])
    return np.where(precision + recall > 0, f1, 0.0)


def _build_pooled_f1(start: int) -> Metric:
    """F1 from three columns, right, gold and answered; undefined where nothing is gold and nothing was ticked."""

    def compute(sums: Floats) -> Floats:
        return divide_safely(2 * sums[:, start], sums[:, start + 1] + sums[:, start + 2])

    return Metric(compute=compute, scale="fraction")
