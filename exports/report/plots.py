"""The report's two plots, each a row of small panels: score per annotator, and agreement by data set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from aggregation.agreement import Coefficient
from aggregation.performance import Performance
from exports.report.drawing import Drawing
from exports.report.words import COEFFICIENTS, CORRECTED, MEANINGS, PLOTTED, coefficient, counted, percent, shortened
from exports.results import Result

WIDTH = 328  # a phone of 360 pixels, less its margins
NAMED = 30  # people in a panel that still have their names beside their lines
SIMULATED = "SIMULATED"


class Scale(NamedTuple):
    """Pixels of the values `low` and `high` on the horizontal axis."""

    left: float
    right: float
    low: float = 0.0
    high: float = 1.0

    def x(self, value: float) -> float:
        """The pixel of a value."""
        return self.left + (value - self.low) / (self.high - self.low) * (self.right - self.left)


class Rows(NamedTuple):
    """How the people of a panel are laid out, in pixels."""

    top: float
    step: float
    dot: float
    line: float
    named: bool


def score_panels(results: Sequence[Result], *, level: float) -> list[str]:
    """One SVG a data set that has scores, in the order of `results`."""
    return [
        _score_panel(result, result.performance, prefix=f"score-{number}", level=level)
        for number, result in enumerate(results)
        if result.performance is not None
    ]


def agreement_panels(results: Sequence[Result]) -> list[str]:
    """One SVG a coefficient, with one row a data set for which it was asked."""
    panels = []
    for number, name in enumerate(PLOTTED):
        rows = [
            (result, row)
            for result in results
            if result.agreement is not None
            for row in result.agreement.headline
            if row.name == name and not row.of
        ]
        if rows:
            panels.append(_agreement_panel(name, rows, prefix=f"agreement-{number}"))
    return panels


def _score_panel(result: Result, scores: Performance, *, prefix: str, level: float) -> str:
    people = scores.annotators.sort_values("accuracy", ascending=False, kind="stable")
    rows = _rows(len(people), top=78)
    bottom = rows.top + rows.step * len(people)
    drawing = Drawing(width=WIDTH, height=round(bottom + 24))
    scale = Scale(left=92 if rows.named else 10, right=WIDTH - (52 if rows.named else 14))
    _heading(drawing, result.data.name, f"{counted(len(people), 'annotator')}, {100 * level:g} % Wilson", result=result)
    _axis(drawing, scale, ticks=(0, 0.25, 0.5, 0.75, 1), top=rows.top - 2, bottom=bottom, percents=True)
    _references(drawing, scale, scores, top=rows.top, bottom=bottom)
    shares = people[["accuracy", "wilson_low", "wilson_high"]].to_numpy(dtype=float)
    for number, (name, (value, low, high)) in enumerate(zip(people.index, shares, strict=True)):
        y = rows.top + rows.step * (number + 0.5)
        drawing.line(start=(scale.x(low), y), end=(scale.x(high), y), colour="accent", width=rows.line)
        drawing.dot(at=(scale.x(value), y), colour="accent", size=rows.dot)
        if rows.named:
            drawing.text(shortened(str(name).removeprefix("SIMULATED-"), letters=12), at=(0, y + 4))
            drawing.text(percent(value), at=(WIDTH, y + 4), anchor="right", colour="muted")
    return drawing.svg(prefix=prefix, label=_told_scores(result, scores))


def _rows(people: int, *, top: float) -> Rows:
    """Many people get thin unnamed rows, so that 500 of them still fit a screen."""
    if people <= NAMED:
        return Rows(top=top, step=21, dot=7, line=1.6, named=True)
    step = min(6.0, 460 / people)
    return Rows(top=top, step=step, dot=min(3.6, step + 1), line=min(1.2, step * 0.6), named=False)


def _references(drawing: Drawing, scale: Scale, scores: Performance, *, top: float, bottom: float) -> None:
    """The majority and the random guess, each labelled on a line of its own, so that they never collide."""
    majority = scores["majority"].primary.value
    for value, name, colour, y, dashes in (
        (majority, "majority", "second", top - 24, None),
        (scores.random, "random", "muted", top - 10, (2.0, 2.0)),
    ):
        if value is None:
            continue
        x = scale.x(value)
        drawing.line(start=(x, y + 3), end=(x, bottom), colour=colour, width=1.3, dashes=dashes)  # type: ignore[arg-type]
        anchor = "right" if x > WIDTH / 2 else "left"
        said = f"{name} {percent(value)}"
        aside = -5 if anchor == "right" else 5
        drawing.text(said, at=(x + aside, y + 4), colour=colour, size=10.5, anchor=anchor)  # type: ignore[arg-type]


def _agreement_panel(name: str, rows: Sequence[tuple[Result, Coefficient]], *, prefix: str) -> str:
    top, step = 56, 38
    bottom = top + step * len(rows)
    drawing = Drawing(width=WIDTH, height=bottom + 24)
    lowest = min([0.0, *(row.low for _, row in rows if row.low is not None)])
    low = math.floor(4 * lowest) / 4
    scale = Scale(left=6, right=WIDTH - 14, low=low)
    simulated = [result for result, _ in rows if result.data.simulated]
    _heading(drawing, COEFFICIENTS[name], MEANINGS[name], result=simulated[0] if simulated else rows[0][0])
    ticks = [tick / 4 for tick in range(round(low * 4), 5)]
    _axis(drawing, scale, ticks=ticks, top=top, bottom=bottom, percents=name not in CORRECTED)
    for number, (result, row) in enumerate(rows):
        _agreement_row(drawing, scale, result, row, y=top + step * number + 17)
    return drawing.svg(prefix=prefix, label=_told_agreement(name, rows))


def _agreement_row(drawing: Drawing, scale: Scale, result: Result, row: Coefficient, *, y: float) -> None:
    drawing.text(shortened(result.data.name, letters=34), at=(scale.left, y))
    if row.value is None:
        drawing.text("no value: see the table", at=(scale.left, y + 14), colour="muted", size=10.5)
        return
    drawing.text(coefficient(row.name, row.value), at=(WIDTH, y), anchor="right", colour="muted")
    if row.low is not None and row.high is not None:
        start, end = (scale.x(row.low), y + 11), (scale.x(row.high), y + 11)
        drawing.line(start=start, end=end, colour="accent", width=1.6)
    drawing.dot(at=(scale.x(row.value), y + 11), colour="accent")


def _heading(drawing: Drawing, title: str, subtitle: str, *, result: Result) -> None:
    drawing.text(shortened(title, letters=30), at=(0, 14), bold=True, size=13)
    drawing.text(subtitle, at=(0, 31), colour="muted", size=11)
    if result.data.simulated:
        drawing.text(SIMULATED, at=(WIDTH, 14), anchor="right", colour="second", size=10.5, bold=True)
        drawing.watermark(SIMULATED, at=(WIDTH / 2, (drawing.height + 30) / 2), size=38)


def _axis(drawing: Drawing, scale: Scale, *, ticks: Sequence[float], top: float, bottom: float, percents: bool) -> None:
    for tick in ticks:
        x = scale.x(tick)
        drawing.line(start=(x, top), end=(x, bottom), colour="rule", width=1)
        said = f"{100 * tick:.0f}" + (" %" if tick == ticks[-1] else "") if percents else f"{tick:g}".replace("-", "−")
        drawing.text(said, at=(x, bottom + 16), colour="muted", size=10.5, anchor="center")


def _told_scores(result: Result, scores: Performance) -> str:
    """The panel in words, for those who do not see it."""
    accuracy, majority = scores.annotators["accuracy"], scores["majority"].primary.value
    return (
        f"{_stamp(result)}{result.data.name}: scores of {counted(len(accuracy), 'annotator')}, "
        f"from {percent(accuracy.min())} to {percent(accuracy.max())}; majority {percent(majority)}"
        f"{'' if scores.random is None else f', random {percent(scores.random)}'}."
    )


def _told_agreement(name: str, rows: Sequence[tuple[Result, Coefficient]]) -> str:
    said = [
        f"{_stamp(result)}{result.data.name} {'no value' if row.value is None else coefficient(name, row.value)}"
        for result, row in rows
    ]
    return f"{COEFFICIENTS[name]} by data set: {'; '.join(said)}."


def _stamp(result: Result) -> str:
    return f"{SIMULATED}, " if result.data.simulated else ""
