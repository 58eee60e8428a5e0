"""The tables of a paper about panels: the figures of each, and what two panels differ by."""

from __future__ import annotations

from collections.abc import Iterator

from aggregation.agreement.two_populations import NEW_PEOPLE, THESE_PEOPLE
from aggregation.comparison.panels import SAME_CONSENSUS
from aggregation.findings import split_findings
from exports.pages.display_text import COEFFICIENT_NAMES, MINUS, UNIT_NAMES, capitalize_first
from exports.panel_tables import MEASURE_NAMES, PanelRow, list_headline_differences, list_headline_rows
from exports.paper.formats import NO_VALUE, Footnotes, PaperTable
from exports.paper.result_tables import (
    format_ends,
    format_interval,
    format_points,
    format_points_interval,
    format_share,
)
from exports.release_state import ReleaseState

INTERVALS = (capitalize_first(NEW_PEOPLE), capitalize_first(THESE_PEOPLE))
PANEL_HEADS = ("Data set", "Panel", "Measure", "Value", *INTERVALS, "Items", "Answers", "People")
DIFFERENCE_HEADS = ("Data set", "Panels", "Measure", "First", "Second", "Difference", *INTERVALS, "Items", "People")


def build_panel_tables(state: ReleaseState, *, stamp: str = "") -> Iterator[PaperTable]:
    """The table of panels and that of differences between them; none where no project has panels."""
    mark = f"{stamp}. " if stamp else ""
    notes = Footnotes()
    rows = tuple(
        (result.data.name, *_describe_row(row, notes)) for result in state.results for row in list_headline_rows(result)
    )
    if rows:
        yield PaperTable(
            name="panels",
            of=state.facts.name,
            caption=f"{mark}Panels of people in {state.facts.name}: the share of right answers in percent, and the"
            f" agreement of the people of each panel; 95 % intervals for {NEW_PEOPLE} like those of the panel, and for"
            f" {THESE_PEOPLE}.",
            heads=PANEL_HEADS,
            titles=("{0}", "{1}"),
            wide=2,
            rows=rows,
            notes=notes.notes,
        )
    notes = Footnotes()
    rows = tuple(
        (result.data.name, *_describe_difference(row, notes))
        for result in state.results
        for row in list_headline_differences(result)
    )
    if rows:
        yield PaperTable(
            name="panel_differences",
            of=state.facts.name,
            caption=f"{mark}What two panels differ by in {state.facts.name} on the items that both answered: the first"
            f" less the second, of shares in points; 95 % intervals for {NEW_PEOPLE}, and for {THESE_PEOPLE}. Items"
            " with the same majority are a share in percent, not a difference; a tie is shared among its labels.",
            heads=DIFFERENCE_HEADS,
            titles=("{0}", "{1}", "{2}"),
            rows=rows,
            notes=notes.notes,
        )


def _describe_row(row: PanelRow, notes: Footnotes) -> tuple[str, ...]:
    name = UNIT_NAMES.get(row.get("unit") or "") or COEFFICIENT_NAMES.get(row.get("metric") or "")
    reason, value = row.get("reason") or "", row.get("value")
    is_score = row["kind"] == "score"
    format_ = format_interval if is_score else format_ends
    return (
        row["panel"],
        name or NO_VALUE,
        _explain(notes, format_share(value) if is_score else _format_coefficient(value), reason),
        _explain(notes, format_(row.get("ci_low"), row.get("ci_high")), reason),
        _explain(notes, format_(row.get("item_only_low"), row.get("item_only_high")), reason),
        *(NO_VALUE if row.get(count) is None else str(row[count]) for count in ("n_items", "n_answers", "n_people")),
    )


def _describe_difference(row: PanelRow, notes: Footnotes) -> tuple[str, ...]:
    metric, reason = row["metric"], row["reason"] or ""
    is_coefficient = metric not in ("accuracy", "majority_accuracy", SAME_CONSENSUS)
    show = _format_coefficient if is_coefficient else format_share
    changed, ends = (
        (_format_change, _format_changes)
        if is_coefficient
        else (format_share, format_interval)
        if metric == SAME_CONSENSUS
        else (format_points, format_points_interval)
    )
    return (
        f"{row['panel']} {MINUS} {row['other']}",
        MEASURE_NAMES[metric],
        show(row["value"]),
        show(row["other_value"]),
        _explain(notes, changed(row["difference"]), reason),
        _explain(notes, ends(row["ci_low"], row["ci_high"]), reason),
        _explain(notes, ends(row["item_only_low"], row["item_only_high"]), reason),
        str(row["n_items"]),
        str(row["n_people"]),
    )


def _explain(notes: Footnotes, cell: str, reason: str) -> str:
    """A cell with a mark for each sentence of the reason where it has no value."""
    return cell + "".join(map(notes.mark, split_findings(reason))) if cell == NO_VALUE else cell


def _format_coefficient(value: float | None) -> str:
    return NO_VALUE if value is None else f"{value:z.3f}"


def _format_change(value: float | None) -> str:
    return NO_VALUE if value is None else f"{value:+z.3f}".replace("-", MINUS)


def _format_changes(low: float | None, high: float | None) -> str:
    return NO_VALUE if low is None or high is None else f"{_format_change(low)} to {_format_change(high)}"
