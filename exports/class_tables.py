"""class_scores.csv and confusion_matrix.csv: the classes of closed labels against gold, for each unit of judgement."""

from __future__ import annotations

import pandas as pd

from aggregation.scores.labels import compute_class_scores
from exports.results import DataSetResult
from exports.rounding import format_fixed

CLASS_COLUMNS = (
    "dataset", "unit", "class", "precision", "recall", "f1", "support", "answered", "classes_are_positions",
)  # fmt: skip
CONFUSION_COLUMNS = ("dataset", "unit", "gold", "answer", "n", "classes_are_positions")


def build_class_table(result: DataSetResult) -> pd.DataFrame:
    """One row for each unit and class with the columns CLASS_COLUMNS; shares are fractions, empty where undefined."""
    rows = [
        {
            "dataset": result.data.name,
            "unit": unit,
            "class": name,
            **{metric: format_fixed(scores[metric], 4) for metric in ("precision", "recall", "f1")},
            **{count: format_shared_count(scores[count]) for count in ("support", "answered")},
            "classes_are_positions": result.data.classes_are_positions,
        }
        for unit, confusion in result.confusions.items()
        for name, scores in compute_class_scores(confusion).to_dict("index").items()
    ]
    return pd.DataFrame(rows, columns=list(CLASS_COLUMNS))


def build_confusion_table(result: DataSetResult) -> pd.DataFrame:
    """One row for each unit and pair of gold and answer with the columns CONFUSION_COLUMNS, zeros included.

    `answer` is empty for what was skipped or has no label, a row that is left out where there is no such thing. A tie
    of labels counts a share for each of them, so that `n` need not be whole.
    """
    rows = [
        {
            "dataset": result.data.name,
            "unit": unit,
            "gold": gold,
            "answer": answer or None,
            "n": format_shared_count(n),
            "classes_are_positions": result.data.classes_are_positions,
        }
        for unit, confusion in result.confusions.items()
        for gold, counts in confusion.to_dict("index").items()
        for answer, n in counts.items()
        if answer or n
    ]
    return pd.DataFrame(rows, columns=list(CONFUSION_COLUMNS))


def format_shared_count(number: float) -> str:
    """Format a count that ties can make a fraction: whole numbers without decimals, others with four."""
    return str(round(number)) if abs(number - round(number)) < 1e-9 else f"{number:.4f}"
