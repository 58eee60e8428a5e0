"""The rows of the report about panels: the figures of each, and what two panels differ by."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aggregation.comparison.panels import SAME_CONSENSUS
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
from exports.pages.localization import localize_number, mark_text, show_finding, translate
from exports.pages.scaffold import TableRow
from exports.panel_tables import PanelRow, RowKind, list_differences, list_panel_rows
from exports.results import DataSetResult

KINDS: tuple[RowKind, ...] = ("score", "agreement")
"""What the report shows of each panel; panels.csv has everything."""
MEASURE_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "accuracy": mark_text("Single answers"),
        "majority_accuracy": mark_text("Majority"),
        SAME_CONSENSUS: mark_text("Items with the same majority"),
        **COEFFICIENT_NAMES,
    }
)


def build_panel_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """The share right of each unit of each panel, and its headline coefficient of agreement."""
    rows = [row for kind in KINDS for row in list_panel_rows(result, kind, primary_only=True)]
    headline = result.data.headline_coefficient
    shown = [row for row in rows if row["kind"] == "score" or (row.get("metric") == headline and not row["unit"])]
    order = list(result.data.panels)
    return tuple(_build_row(row) for row in sorted(shown, key=lambda row: order.index(row["panel"])))


def build_panel_difference_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """Both values, the difference and its intervals, of scores, the headline coefficient, and the consensus."""
    kinds: tuple[RowKind, ...] = (*KINDS, "consensus")
    rows = [row for kind in kinds for row in list_differences(result, kind)]
    shown = ("accuracy", "majority_accuracy", SAME_CONSENSUS, result.data.headline_coefficient)
    return tuple(_build_difference_row(row) for row in rows if row["metric"] in shown)


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
        remark=show_finding(row.get("reason") or ""),
    )


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
        remark=show_finding(row["reason"] or ""),
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
