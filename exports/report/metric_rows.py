"""The rows of the report's tables of metrics, of closed labels and of all other answers, and of score variants."""

from __future__ import annotations

from exports.pages.display_text import (
    FAR_FROM_PRIMARY,
    METRIC_NAMES,
    NO_VALUE,
    UNIT_NAMES,
    capitalize_first,
    format_percent,
    format_percent_interval,
    format_score,
    get_metric_name,
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
            head=translate(UNIT_NAMES[unit.unit]),
            cells=tuple(format_score(score) for score in unit.scores),
            remark=" ".join(
                f"{translate(METRIC_NAMES[score.metric])}: {translate_reason(score.reason)}"
                for score in unit.scores
                if score.reason
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
            head=f"{translate(UNIT_NAMES[unit.unit])}: {translate(get_metric_name(score.metric, result.data))}",
            cells=(format_score(score),),
            remark=translate_reason(score.reason),
        )
        for unit in units
        for score in unit.scores
    )


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
