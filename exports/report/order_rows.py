"""The report's scores as people go on, as rows and panels, and its sentences about the best person."""

from __future__ import annotations

from collections.abc import Sequence

from exports.order_effects import PLACE, OrderPart, PeopleEffects
from exports.pages.axis import AxisScale, draw_axis
from exports.pages.display_text import (
    NO_VALUE,
    capitalize_first,
    format_count,
    format_percent,
    format_percent_interval,
    format_points,
    shorten_text,
)
from exports.pages.reasons import translate_reason
from exports.pages.scaffold import TableRow
from exports.pages.svg import PANEL_WIDTH, SvgDrawing, draw_heading, format_stamp
from exports.pages.translation import mark_text, translate
from exports.results import DataSetResult

TOP, STEP = 56, 24
NO_SLOPE = mark_text("No slope")


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
    return translate(
        "the best of {people} people has {value} of {n} answers right. Chosen on one half of the items and scored on"
        " the other, the best has {held_out}; the rest comes of choosing.",
        people=best.people,
        value=format_percent(best.value),
        n=best.n,
        held_out=format_percent(best.held_out),
    )


def build_order_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """The parts of a session and the sessions, and what ten answers change."""
    if result.people is None or not result.people.parts:
        return ()
    rows = [
        TableRow(
            head=capitalize_first(f"{translate_reason(one.kind)} {translate_reason(one.part)}"),
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
    head = translate("Ten answers further") if slope.value is not None else translate(NO_SLOPE)
    interval = _format_interval(slope.low, slope.high)
    cells = (format_points(slope.value), interval, NO_VALUE, str(slope.n), str(slope.n_people))
    return (*rows, TableRow(head=head, cells=cells, remark=translate_reason(slope.reason)))


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
        drawing.text(translate_reason(one.part), at=(0, y + 4))
        drawing.text(format_percent(score.value), at=(PANEL_WIDTH, y + 4), anchor="right", colour="muted")
        if score.value is not None:
            drawing.dot(at=(scale.x(score.value), y), colour="accent")
    shares = "; ".join(f"{translate_reason(one.part)} {format_percent(one.unit.primary.value)}" for one in parts)
    label = translate(
        "{name}: share right by place in the session: {shares}. {slope}.",
        name=result.data.name,
        shares=shares,
        slope=subtitle,
    )
    return drawing.to_svg(prefix=prefix, label=format_stamp(simulated=result.data.simulated) + label)


def _describe_slope(people: PeopleEffects) -> str:
    slope = people.slope
    if slope.value is None:
        return f"{translate(NO_SLOPE)}: {format_count(slope.n_people, 'person')}"
    value, interval = format_points(slope.value), _format_interval(slope.low, slope.high)
    return translate("10 answers on: {value} [{interval}] points", value=value, interval=interval)


def _format_interval(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return NO_VALUE
    return translate("{low}, {high}", low=format_points(low), high=format_points(high))
