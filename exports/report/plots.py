"""The report's two plots, each a row of small panels: score per annotator, and agreement by data set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from aggregation.agreement.table import Coefficient
from aggregation.scores.performance import Performance
from exports.pages.display_text import (
    COEFFICIENT_MEANINGS,
    COEFFICIENT_NAMES,
    NUMBER_COEFFICIENTS,
    SHARES_BESIDE_HEADLINE,
    format_coefficient,
    format_count,
    format_level,
    format_percent,
    shorten_text,
)
from exports.pages.localization import mark_text, translate
from exports.pages.svg import PANEL_WIDTH, AxisScale, SvgDrawing, draw_axis, draw_heading, format_stamp
from exports.results import DataSetResult

MAJORITY, RANDOM = mark_text("majority {value}"), mark_text("random {value}")
"""The labels of the lines across a panel of scores."""
NEW_PEOPLE_LINE, THESE_PEOPLE_LINE = mark_text("new people"), mark_text("these people")
THIN, THICK = 1.2, 3.6
"""The width of lines for new people, which are longer, and for these people."""
MAX_NAMED_ROWS = 30
"""With more annotators than this, a panel shows no names beside the lines."""


class RowLayout(NamedTuple):
    """How the rows of annotators are laid out in a panel, in pixels: where they begin, the height of a row, the sizes.

    `named` says whether each row shows the annotator's name and score.
    """

    top: float
    step: float
    dot_size: float
    line_width: float
    named: bool


def draw_score_panels(results: Sequence[DataSetResult], *, confidence_level: float) -> list[str]:
    """Draw one SVG for each data set that has scores, in the order of `results`."""
    return [
        _draw_score_panel(result, result.performance, confidence_level=confidence_level)
        for result in results
        if result.performance is not None
    ]


def draw_agreement_panels(results: Sequence[DataSetResult], *, confidence_level: float) -> list[str]:
    """Draw one SVG for each share and each headline coefficient, with a row for each data set that has a value of it.

    Of each data set the alpha of its own level alone is drawn, never one of a lower level.
    """
    panels = []
    for name in COEFFICIENT_NAMES:
        rows = [
            (result, row)
            for result in results
            if result.agreement is not None and name in (result.data.headline_coefficient, *SHARES_BESIDE_HEADLINE)
            for row in result.agreement.headline
            if row.name == name and not row.of and row.value is not None
        ]
        if rows:
            level = format_level(confidence_level)
            panels.append(_draw_agreement_panel(name, rows, level=level))
    return panels


def _draw_score_panel(result: DataSetResult, scores: Performance, *, confidence_level: float) -> str:
    annotators = scores.annotators.sort_values("accuracy", ascending=False, kind="stable")
    rows = _get_row_layout(len(annotators), top=78)
    bottom = rows.top + rows.step * len(annotators)
    drawing = SvgDrawing(width=PANEL_WIDTH, height=round(bottom + 24))
    scale = AxisScale(left=92 if rows.named else 10, right=PANEL_WIDTH - (52 if rows.named else 14))
    subtitle = translate(
        "{annotators}; {level}, one person and new items",
        annotators=format_count(len(annotators), "annotator"),
        level=format_level(confidence_level),
    )
    draw_heading(drawing, shorten_text(result.data.name, max_length=30), subtitle, simulated=result.data.simulated)
    draw_axis(drawing, scale, ticks=(0, 0.25, 0.5, 0.75, 1), top=rows.top - 2, bottom=bottom, percents=True)
    _draw_references(drawing, scale, scores, top=rows.top, bottom=bottom)
    shares = annotators[["accuracy", "independent_low", "independent_high"]].to_numpy(dtype=float)
    for number, (name, (value, low, high)) in enumerate(zip(annotators.index, shares, strict=True)):
        y = rows.top + rows.step * (number + 0.5)
        drawing.line(start=(scale.x(low), y), end=(scale.x(high), y), colour="accent", width=rows.line_width)
        drawing.dot(at=(scale.x(value), y), colour="accent", size=rows.dot_size)
        if rows.named:
            drawing.text(shorten_text(str(name).removeprefix("SIMULATED-"), max_length=12), at=(0, y + 4))
            drawing.text(format_percent(value), at=(PANEL_WIDTH, y + 4), anchor="right", colour="muted")
    return drawing.to_svg(label=_describe_scores(result, scores))


def _get_row_layout(n_annotators: int, *, top: float) -> RowLayout:
    """The layout for this number of annotators; many get thin rows without names, so that 500 still fit a screen."""
    if n_annotators <= MAX_NAMED_ROWS:
        return RowLayout(top=top, step=21, dot_size=7, line_width=1.6, named=True)
    step = min(6.0, 460 / n_annotators)
    dot_size, line_width = min(3.6, step + 1), min(1.2, step * 0.6)
    return RowLayout(top=top, step=step, dot_size=dot_size, line_width=line_width, named=False)


def _draw_references(drawing: SvgDrawing, scale: AxisScale, scores: Performance, *, top: float, bottom: float) -> None:
    """Draw the lines of the majority and the random guess, with labels in separate rows, so that they never overlap."""
    majority = scores["majority"].primary.value
    for value, name, colour, y, dashes in (
        (majority, MAJORITY, "second", top - 24, None),
        (scores.random_exact, RANDOM, "muted", top - 10, (2.0, 2.0)),
    ):
        if value is None:
            continue
        x = scale.x(value)
        drawing.line(start=(x, y + 3), end=(x, bottom), colour=colour, width=1.3, dashes=dashes)  # type: ignore[arg-type]
        anchor = "right" if x > PANEL_WIDTH / 2 else "left"
        label = translate(name, value=format_percent(value))
        offset = -5 if anchor == "right" else 5
        drawing.text(label, at=(x + offset, y + 4), colour=colour, size=10.5, anchor=anchor)  # type: ignore[arg-type]


def _draw_agreement_panel(name: str, rows: Sequence[tuple[DataSetResult, Coefficient]], *, level: str) -> str:
    top, step = 72, 38
    bottom = top + step * len(rows)
    drawing = SvgDrawing(width=PANEL_WIDTH, height=bottom + 24)
    ends = [end for _, row in rows for end in (row.low, row.new_people_low) if end is not None]
    low = math.floor(4 * min([0.0, *ends])) / 4
    scale = AxisScale(left=6, right=PANEL_WIDTH - 14, low=low)
    title = shorten_text(translate(COEFFICIENT_NAMES[name]), max_length=30)
    simulated = any(result.data.simulated for result, _ in rows)
    draw_heading(drawing, title, translate(COEFFICIENT_MEANINGS[name]), simulated=simulated)
    if ends:
        _draw_legend(drawing, level, has_new=any(row.new_people_low is not None for _, row in rows))
    ticks = [tick / 4 for tick in range(round(low * 4), 5)]
    draw_axis(drawing, scale, ticks=ticks, top=top, bottom=bottom, percents=name not in NUMBER_COEFFICIENTS)
    for number, (result, row) in enumerate(rows):
        _draw_agreement_row(drawing, scale, result, row, y=top + step * number + 17)
    return drawing.to_svg(label=_describe_agreement(name, rows))


def _draw_agreement_row(
    drawing: SvgDrawing, scale: AxisScale, result: DataSetResult, row: Coefficient, *, y: float
) -> None:
    """The value as a dot, the interval for new people as a thin line, that for these people as a thick one upon it."""
    drawing.text(shorten_text(result.data.name, max_length=34), at=(scale.left, y))
    drawing.text(format_coefficient(row.name, row.value), at=(PANEL_WIDTH, y), anchor="right", colour="muted")
    for low, high, width in ((row.new_people_low, row.new_people_high, THIN), (row.low, row.high, THICK)):
        if low is not None and high is not None:
            drawing.line(start=(scale.x(low), y + 11), end=(scale.x(high), y + 11), colour="accent", width=width)
    if row.value is not None:
        drawing.dot(at=(scale.x(row.value), y + 11), colour="accent", size=9)


def _draw_legend(drawing: SvgDrawing, level: str, *, has_new: bool) -> None:
    """What the lines of a panel of agreement are: the level, and for whom each is."""
    y = 48
    drawing.text(translate("{level}, new items:", level=level), at=(0, y), colour="muted", size=10.5)
    kinds = [(NEW_PEOPLE_LINE, THIN)] if has_new else []
    for number, (name, width) in enumerate([*kinds, (THESE_PEOPLE_LINE, THICK)]):
        x = 124 + 104 * number
        drawing.line(start=(x, y - 4), end=(x + 16, y - 4), colour="accent", width=width)
        drawing.text(translate(name), at=(x + 21, y), colour="muted", size=10.5)


def _describe_scores(result: DataSetResult, scores: Performance) -> str:
    """The panel in words, for screen readers."""
    accuracy, majority = scores.annotators["accuracy"], scores["majority"].primary.value
    lines = [translate(MAJORITY, value=format_percent(majority))]
    if scores.random_exact is not None:
        lines.append(translate(RANDOM, value=format_percent(scores.random_exact)))
    words = translate(
        "{name}: scores of {annotators}, from {low} to {high}; {lines}.",
        name=result.data.name,
        annotators=format_count(len(accuracy), "annotator"),
        low=format_percent(accuracy.min()),
        high=format_percent(accuracy.max()),
        lines=", ".join(lines),
    )
    return format_stamp(simulated=result.data.simulated) + words


def _describe_agreement(name: str, rows: Sequence[tuple[DataSetResult, Coefficient]]) -> str:
    values = [
        f"{format_stamp(simulated=result.data.simulated)}{result.data.name} {format_coefficient(name, row.value)}"
        for result, row in rows
    ]
    return translate("{name} by data set: {values}.", name=translate(COEFFICIENT_NAMES[name]), values="; ".join(values))
