"""The report's scores as people go on, as rows and panels, and its sentences about the best person."""

from __future__ import annotations

from collections.abc import Sequence

from exports.order_effects import PLACE, OrderPart, PeopleEffects
from exports.pages.axis import AxisScale, draw_axis
from exports.pages.display_text import (
    MINUS,
    NO_VALUE,
    capitalize_first,
    format_percent,
    format_percent_interval,
    shorten_text,
)
from exports.pages.scaffold import TableRow
from exports.pages.svg import PANEL_WIDTH, SIMULATED, SvgDrawing, draw_heading
from exports.results import DataSetResult

TOP, STEP = 56, 24
NO_SLOPE = "No slope"


def list_best_people(results: Sequence[DataSetResult]) -> list[tuple[str, str]]:
    """The data set and a sentence about its best person, for those that have one."""
    return [
        (result.data.name, describe_best(result.people))
        for result in results
        if result.people is not None and result.people.best is not None
    ]


def describe_best(people: PeopleEffects) -> str:
    """The best person, and what choosing them adds, in words."""
    best = people.best
    if best is None:
        return ""
    return (
        f"the best of {best.people} people has {format_percent(best.value)} of {best.n} answers right. Chosen on one "
        f"half of the items and scored on the other, the best has {format_percent(best.held_out)}; the rest comes of "
        f"choosing."
    )


def build_order_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """The parts of a session and the sessions, and what ten answers change."""
    if result.people is None or not result.people.parts:
        return ()
    rows = [
        TableRow(
            head=capitalize_first(f"{one.kind} {one.part}"),
            cells=(
                format_percent(one.unit.primary.value),
                format_percent_interval(one.unit.primary.ci_low, one.unit.primary.ci_high),
                format_percent_interval(one.unit.primary.item_only_low, one.unit.primary.item_only_high),
                str(one.unit.total),
                str(one.unit.n_annotators),
            ),
        )
        for one in result.people.parts
    ]
    slope = result.people.slope
    head = "Ten answers further" if slope.value is not None else NO_SLOPE
    interval = _format_points(slope.low, slope.high)
    cells = (_format_point(slope.value), interval, NO_VALUE, str(slope.n), str(slope.n_people))
    return (*rows, TableRow(head=head, cells=cells, remark=slope.reason))


def draw_order_panels(results: Sequence[DataSetResult]) -> list[str]:
    """Draw one SVG for each data set whose sessions have several parts."""
    panels = []
    for number, result in enumerate(results):
        parts = [] if result.people is None else [one for one in result.people.parts if one.kind == PLACE]
        if result.people is not None and parts:
            panels.append(_draw_order_panel(result, result.people, parts, prefix=f"order-{number}"))
    return panels


def _draw_order_panel(result: DataSetResult, people: PeopleEffects, parts: Sequence[OrderPart], *, prefix: str) -> str:
    bottom = TOP + STEP * len(parts)
    drawing = SvgDrawing(width=PANEL_WIDTH, height=bottom + 24)
    scale = AxisScale(left=92, right=PANEL_WIDTH - 52)
    subtitle = _describe_slope(people)
    draw_heading(drawing, shorten_text(result.data.name, max_length=30), subtitle, simulated=result.data.simulated)
    draw_axis(drawing, scale, ticks=(0, 0.25, 0.5, 0.75, 1), top=TOP - 2, bottom=bottom, percents=True)
    for number, one in enumerate(parts):
        y, score = TOP + STEP * (number + 0.5), one.unit.primary
        low = score.item_only_low if score.ci_low is None else score.ci_low
        high = score.item_only_high if score.ci_high is None else score.ci_high
        if low is not None and high is not None:
            drawing.line(start=(scale.x(low), y), end=(scale.x(high), y), colour="accent", width=1.6)
        drawing.text(one.part, at=(0, y + 4))
        drawing.text(format_percent(score.value), at=(PANEL_WIDTH, y + 4), anchor="right", colour="muted")
        if score.value is not None:
            drawing.dot(at=(scale.x(score.value), y), colour="accent")
    stamp = f"{SIMULATED}, " if result.data.simulated else ""
    shares = "; ".join(f"{one.part} {format_percent(one.unit.primary.value)}" for one in parts)
    label = f"{stamp}{result.data.name}: share right by place in the session: {shares}. {subtitle}."
    return drawing.to_svg(prefix=prefix, label=label)


def _describe_slope(people: PeopleEffects) -> str:
    slope = people.slope
    if slope.value is None:
        return f"{NO_SLOPE}: {slope.n_people} people"
    return f"10 answers on: {_format_point(slope.value)} [{_format_points(slope.low, slope.high)}] points"


def _format_point(value: float | None) -> str:
    return NO_VALUE if value is None else f"{100 * value:+.1f}".replace("-", MINUS)


def _format_points(low: float | None, high: float | None) -> str:
    return NO_VALUE if low is None or high is None else f"{_format_point(low)}, {_format_point(high)}"
