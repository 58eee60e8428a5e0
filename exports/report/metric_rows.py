"""The rows of the report's tables of metrics, of closed labels and of all other answers."""

from __future__ import annotations

from exports.pages.display_text import METRIC_NAMES, UNIT_NAMES, format_score, get_metric_name
from exports.pages.scaffold import TableRow
from exports.results import DataSetResult


def build_metric_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """All metrics of every unit, for labels that are classes; the accuracy alone stands in the baselines."""
    scores = result.performance
    units = () if scores is None or result.data.kind != "label" else scores.units
    return tuple(
        TableRow(
            head=UNIT_NAMES[unit.unit],
            cells=tuple(format_score(score) for score in unit.scores),
            remark=" ".join(f"{METRIC_NAMES[score.metric]}: {score.reason}" for score in unit.scores if score.reason),
        )
        for unit in units
        if len(unit.scores) > 1
    )


def build_other_metric_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """One row for each unit and metric of answers that are not labels: boxes, texts, spans."""
    scores = result.performance
    units = () if scores is None or result.data.kind == "label" else scores.units
    return tuple(
        TableRow(
            head=f"{UNIT_NAMES[unit.unit]}: {get_metric_name(score.metric)}",
            cells=(format_score(score),),
            remark=score.reason,
        )
        for unit in units
        for score in unit.scores
    )
