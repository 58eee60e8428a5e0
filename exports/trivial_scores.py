"""What needs no understanding: trivial baselines of a data set, and their file, trivial_baselines.csv.

`hromada baseline` shows them too; both call `score_option_items`.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from aggregation.trivial_baselines import TrivialBaseline, score_trivial_baselines
from exports.inputs import DataSet
from exports.number_formats import format_fixed

TRIVIAL_COLUMNS = ("dataset", "baseline", "answer", "metric", "value", "n_items", "n_torn", "reason")


def score_option_items(data: DataSet) -> tuple[TrivialBaseline, ...]:
    """Score every trivial baseline on the items on which people are scored; none without options or without gold."""
    return score_trivial_baselines(data.option_items, classes=data.classes) if data.option_items else ()


def build_trivial_table(data: DataSet, baselines: Sequence[TrivialBaseline]) -> pd.DataFrame:
    """One row for each baseline and metric with the columns TRIVIAL_COLUMNS, or one for a baseline that has none.

    An undefined value is empty. `n_torn` counts the items on which a baseline takes one of several options by lot.
    """
    rows = []
    for one in baselines:
        row = {
            "dataset": data.name,
            "baseline": one.name,
            "answer": one.answer or None,
            "n_items": len(data.option_items),
            "n_torn": None if one.reason else one.n_torn,
            "reason": one.reason or None,
        }
        scores: list[tuple[str | None, float | None]] = [*one.scores.items()] or [(None, None)]
        rows += [row | {"metric": metric, "value": format_fixed(value, 4)} for metric, value in scores]
    return pd.DataFrame(rows, columns=list(TRIVIAL_COLUMNS), dtype=object)
