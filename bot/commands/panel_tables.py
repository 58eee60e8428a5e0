"""What `baseline`, `agreement` and `aggregate` show of the panels of a project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bot.commands import terminal_output
from bot.commands.data_sets import format_title
from bot.commands.terminal_output import Cell, format_interval

if TYPE_CHECKING:
    from exports.panel_tables import PanelRow, RowKind
    from exports.results import DataSetResult

NEW, THESE = "new people, 95 %", "these people, 95 %"
EXPLANATION = "New people: others like them on new items. These people: the same on new items."
TITLES: dict[str, str] = {"score": "human performance", "agreement": "agreement", "consensus": "consensus"}
"""What a table of each kind of rows shows."""


def describe_panels(result: DataSetResult, kind: RowKind) -> dict[str, Any]:
    """The rows of this kind as JSON, and the differences in it; nothing where the project has no panels."""
    from exports import panel_tables

    return panel_tables.describe_panels(result, kind)


def print_panels(result: DataSetResult, kind: RowKind) -> None:
    """Print the rows of this kind of each panel, then the differences in it between each two panels."""
    from exports import panel_tables

    if not result.data.panels:
        return
    rows = panel_tables.list_panel_rows(result, kind, primary_only=True)
    columns = ("panel", "of", "metric", "value", NEW, THESE, "items", "answers", "people")
    shown: list[tuple[Cell, ...]] = [
        (
            *(row.get(name) for name in ("panel", "unit", "metric", "value")),
            *_format_intervals(row),
            *(row.get(name) for name in ("n_items", "n_answers", "n_people")),
        )
        for row in rows
    ]
    keys = ("panel", "unit") if kind == "score" else ("panel", "metric")
    notes = [EXPLANATION, *_list_notes(rows, keys), *_describe_extra(result)]
    terminal_output.print_table(format_title(result.data, f"{TITLES[kind]} of each panel"), columns, shown, notes=notes)
    differences = panel_tables.list_differences(result, kind)
    if differences:
        _print_differences(result, differences, f"{TITLES[kind]} between panels")


def _print_differences(result: DataSetResult, rows: Sequence[PanelRow], what: str) -> None:
    columns = ("measure", "first", "second", "difference", NEW, THESE, "items", "people")
    shown: list[tuple[Cell, ...]] = [
        (
            f"{row['metric']}: {row['panel']} − {row['other']}",
            *(row[name] for name in ("value", "other_value", "difference")),
            *_format_intervals(row),
            *(row[name] for name in ("n_items", "n_people")),
        )
        for row in rows
    ]
    notes = [
        "Over the items for which both panels have it. same_consensus is the share of them with the same majority.",
        *_list_notes(rows, ("metric",)),
    ]
    terminal_output.print_table(format_title(result.data, what), columns, shown, notes=notes)


def _format_intervals(row: PanelRow) -> tuple[str, str]:
    return (
        format_interval(row.get("ci_low"), row.get("ci_high")),
        format_interval(row.get("item_only_low"), row.get("item_only_high")),
    )


def _list_notes(rows: Sequence[PanelRow], keys: tuple[str, ...]) -> list[str]:
    """The sentences of the reasons, each once, after the rows that it is true of."""
    from aggregation.findings import split_findings

    named: dict[str, list[str]] = {}
    for row in rows:
        for sentence in split_findings(row.get("reason") or ""):
            named.setdefault(sentence, []).append(" ".join(str(row[key]) for key in keys if row.get(key)))
    return [f"{', '.join(dict.fromkeys(names))}: {sentence}" for sentence, names in named.items()]


def _describe_extra(result: DataSetResult) -> list[str]:
    """How many answers are of nobody in one panel."""
    from exports.panels import count_extra

    n_extra = count_extra(result.data)
    return [f"{n_extra} answers are extra, as their annotators are in no panel or in two."] if n_extra else []
