"""The rows of the report about panels: the figures of each, and what two panels differ by; panels.csv has all."""

from __future__ import annotations

from aggregation.comparison.panels import SAME_CONSENSUS
from aggregation.findings import split_findings
from exports.pages.display_text import (
    COEFFICIENT_NAMES,
    MINUS,
    NO_VALUE,
    NUMBER_COEFFICIENTS,
    UNIT_NAMES,
    format_coefficient,
    format_coefficient_interval,
    format_points,
)
from exports.pages.localization import localize_number, show_finding, translate
from exports.pages.scaffold import TableRow
from exports.panel_tables import MEASURE_NAMES, PanelRow, list_headline_differences, list_headline_rows
from exports.results import DataSetResult


def build_panel_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """The share right of each unit of each panel, and its headline coefficient of agreement."""
    return tuple(map(_build_row, list_headline_rows(result)))


def build_panel_difference_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """Both values, the difference and its intervals, of scores, the headline coefficient, and the consensus."""
    return tuple(map(_build_difference_row, list_headline_differences(result)))


def _build_row(row: PanelRow) -> TableRow:
    metric = row.get("metric")
    name = UNIT_NAMES.get(row.get("unit") or "") or COEFFICIENT_NAMES.get(metric or "")
    head = row["panel"] if name is None else f"{row['panel']}: {translate(name)}"
    counts = (row.get(count) for count in ("n_items", "n_answers", "n_people"))
    return TableRow(
        head=head,
        cells=(
            format_coefficient(metric or "", row.get("value")),
            format_coefficient_interval(metric or "", row.get("ci_low"), row.get("ci_high")),
            format_coefficient_interval(metric or "", row.get("item_only_low"), row.get("item_only_high")),
            *(NO_VALUE if count is None else str(count) for count in counts),
        ),
        notes=_list_notes(row),
    )


def _list_notes(row: PanelRow) -> tuple[str, ...]:
    return tuple(map(show_finding, split_findings(row.get("reason") or "")))


def _build_difference_row(row: PanelRow) -> TableRow:
    metric = row["metric"]
    is_share = metric == SAME_CONSENSUS
    return TableRow(
        head=f"{row['panel']} {MINUS} {row['other']}: {translate(MEASURE_NAMES[metric])}",
        cells=(
            format_coefficient(metric, row["value"]),
            format_coefficient(metric, row["other_value"]),
            format_coefficient("", row["difference"]) if is_share else _format_difference(metric, row["difference"]),
            _format_interval(row, "ci_low", "ci_high"),
            _format_interval(row, "item_only_low", "item_only_high"),
            str(row["n_items"]),
            str(row["n_people"]),
        ),
        notes=_list_notes(row),
    )


def _format_interval(row: PanelRow, low: str, high: str) -> str:
    if row["metric"] == SAME_CONSENSUS:
        return format_coefficient_interval("", row[low], row[high])
    ends = [_format_difference(row["metric"], row[name]) for name in (low, high)]
    return NO_VALUE if None in (row[low], row[high]) else translate("{low} to {high}", low=ends[0], high=ends[1])


def _format_difference(metric: str, value: float | None) -> str:
    """A difference of numbers as +0.12, of shares in points as +12.0."""
    if metric not in NUMBER_COEFFICIENTS or value is None:
        return format_points(value)
    return localize_number(f"{value:+z.2f}".replace("-", MINUS))
