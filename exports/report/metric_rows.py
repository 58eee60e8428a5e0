"""The rows of the report's tables of metrics, of closed labels and of all other answers, and of score variants."""

from __future__ import annotations

from collections.abc import Sequence

from aggregation.performance import Score
from exports.pages.display_text import (
    FAR_FROM_PRIMARY,
    METRIC_NAMES,
    NO_VALUE,
    capitalize_first,
    format_percent,
    format_percent_interval,
    format_score,
    format_ties_wrong,
    get_metric_name,
    get_unit_name,
)
from exports.pages.reasons import translate_reason
from exports.pages.scaffold import TableRow
from exports.pages.translation import translate
from exports.results import DataSetResult
from exports.score_variants import describe_variant


def build_metric_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """All metrics of every unit, for labels that are classes; the accuracy alone stands in the baselines."""
    scores = result.performance
    units = () if scores is None or result.data.kind != "label" else scores.units
    return tuple(
        TableRow(
            head=get_unit_name(unit),
            cells=tuple(format_score(score) for score in unit.scores),
            remark=" ".join(
                [
                    *(
                        f"{translate(METRIC_NAMES[score.metric])}: {translate_reason(score.reason)}"
                        for score in unit.scores
                        if score.reason
                    ),
                    *_describe_ties_wrong([(translate(METRIC_NAMES[one.metric]), one) for one in unit.scores]),
                ]
            ),
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
            head=f"{get_unit_name(unit)}: {translate(get_metric_name(score.metric, result.data))}",
            cells=(format_score(score),),
            remark=" ".join(filter(None, [translate_reason(score.reason), *_describe_ties_wrong([("", score)])])),
        )
        for unit in units
        for score in unit.scores
    )


def _describe_ties_wrong(named: Sequence[tuple[str, Score]]) -> list[str]:
    """The values of metrics if every tie counts as wrong; nothing without a tie."""
    values = [
        f"{name} {format_ties_wrong(score)}".strip() for name, score in named if score.value_ties_wrong is not None
    ]
    return [translate("With ties wrong: {values}.", values=", ".join(values))] if values else []


def build_variant_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """The accuracy of every score variant, then the variants that have none, with the reason."""
    rows = []
    for name, scores in result.list_variants().items():
        cells = [NO_VALUE, NO_VALUE]
        far = False
        for column, unit in enumerate(scores.units[:2]):
            score = unit.primary
            cells[column] = f"{format_percent(score.value)} [{format_percent_interval(score.ci_low, score.ci_high)}]"
            far = far or bool(result.exceeds_half_width(unit, score))
        remark = f"{capitalize_first(translate_reason(describe_variant(name)))}."
        remark += f" {translate(FAR_FROM_PRIMARY)}" if far else ""
        rows.append(
            TableRow(
                head=capitalize_first(translate_reason(name)),
                cells=(*cells, str(scores["individual"].total)),
                remark=remark,
            )
        )
    rows += [
        TableRow(head=capitalize_first(translate_reason(name)), cells=(NO_VALUE,) * 3, remark=translate_reason(reason))
        for name, reason in sorted(result.missing_variants.items())
    ]
    return tuple(rows)
