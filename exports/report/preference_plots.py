"""The plots of compared texts: wins, ties and losses of each pair, win rates with intervals, and strengths."""

from __future__ import annotations

from collections.abc import Sequence

from aggregation.preferences.results import PreferenceResults
from aggregation.preferences.turned_pairs import TurnedPair, list_clearest
from aggregation.preferences.win_rates import EVEN, Estimate
from exports.pages.display_text import format_count, format_number, format_percent, shorten_text
from exports.pages.localization import mark_text, translate
from exports.pages.svg import (
    PANEL_WIDTH,
    AxisScale,
    Colour,
    SvgDrawing,
    draw_axis,
    draw_heading,
    format_stamp,
)
from exports.report.plots import THICK, THIN

MOST_BARS = 24
"""Pairs that a plot shows, the clearest ones."""
WINS, TIES, LOSSES = mark_text("wins"), mark_text("ties"), mark_text("losses")
_TOP, _STEP, _BAR = 76, 40, 13
_COLOURS: tuple[Colour, ...] = ("accent", "rule", "second")
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def draw_preference_panels(found: PreferenceResults, *, name: str, level: str, simulated: bool) -> tuple[str, ...]:
    """The panels of a data set: bars of counts, win rates, and the strengths of three systems or more."""
    pairs = list_clearest(found.pairs)[:MOST_BARS]
    panels = [
        _draw_counts(pairs, name=name, simulated=simulated),
        _draw_rates(pairs, name=name, level=level, simulated=simulated),
    ]
    ranked = [row for row in found.bradley_terry.systems if row.strength.value is not None]
    if len(ranked) > 2:
        rows = [(row.system, row.strength) for row in ranked]
        panels.append(_draw_strengths(rows, name=name, level=level, simulated=simulated))
    return tuple(panels)


def _draw_counts(pairs: Sequence[TurnedPair], *, name: str, simulated: bool) -> str:
    """Stacked bars, each of one length: wins of the first system, ties, wins of the second."""
    drawing = SvgDrawing(width=PANEL_WIDTH, height=_TOP + _STEP * len(pairs))
    title = translate("Who was preferred")
    draw_heading(drawing, title, shorten_text(name, max_length=40), simulated=simulated)
    x = 0.0
    for word, colour in zip((WINS, TIES, LOSSES), _COLOURS, strict=True):
        drawing.bar(start=(x, 42), end=(x + 14, 50), colour=colour)
        drawing.text(translate(word), at=(x + 19, 50), colour="muted", size=10.5)
        x += 92
    for number, pair in enumerate(pairs):
        y, n = _TOP + _STEP * number, sum(pair.counts)
        drawing.text(shorten_text(pair.name, max_length=34), at=(0, y))
        shown = f"{' · '.join(map(str, pair.counts))}"
        drawing.text(shown, at=(PANEL_WIDTH, y), anchor="right", colour="muted")
        start = 0.0
        for count, colour in zip(pair.counts, _COLOURS, strict=True):
            end = start + PANEL_WIDTH * count / n
            if count:
                drawing.bar(start=(start, y + 7), end=(end, y + 7 + _BAR), colour=colour)
            start = end
        drawing.line(start=(PANEL_WIDTH / 2, y + 5), end=(PANEL_WIDTH / 2, y + 21), colour="ink", width=1)
    told = "; ".join(
        translate(
            "{pair}: {wins} wins, {ties} ties, {losses} losses",
            pair=pair.name, wins=pair.counts[0], ties=pair.counts[1], losses=pair.counts[2],
        )
        for pair in pairs
    )  # fmt: skip
    return drawing.to_svg(label=f"{format_stamp(simulated=simulated)}{title}, {name}: {told}.")


def _draw_rates(pairs: Sequence[TurnedPair], *, name: str, level: str, simulated: bool) -> str:
    """A dot for each win rate, a thin line for new people and a thick one for these, and a line at one half."""
    title = translate("Win rate")
    rows = [
        (pair.name, format_percent(pair.value), pair.value, (pair.fresh, pair.these), sum(pair.counts))
        for pair in pairs
    ]
    bottom = _TOP + _STEP * len(rows)
    drawing = SvgDrawing(width=PANEL_WIDTH, height=bottom + 24)
    scale = AxisScale(left=6, right=PANEL_WIDTH - 14)
    draw_heading(drawing, title, shorten_text(name, max_length=40), simulated=simulated)
    _draw_legend(drawing, level)
    draw_axis(drawing, scale, ticks=TICKS, top=_TOP - 14, bottom=bottom, percents=True)
    middle = scale.x(EVEN)
    drawing.line(start=(middle, _TOP - 14), end=(middle, bottom), colour="second", width=1.3, dashes=(2.0, 2.0))
    for number, (pair_name, shown, value, intervals, n) in enumerate(rows):
        y = _TOP + _STEP * number
        drawing.text(shorten_text(pair_name, max_length=30), at=(scale.left, y))
        drawing.text(f"{shown} · {n}", at=(PANEL_WIDTH, y), anchor="right", colour="muted")
        _draw_estimate(drawing, scale, value, intervals, y=y + 11)
    told = "; ".join(f"{pair_name} {shown}" for pair_name, shown, *_ in rows)
    return drawing.to_svg(label=f"{format_stamp(simulated=simulated)}{title}, {name}: {told}.")


def _draw_strengths(rows: Sequence[tuple[str, Estimate]], *, name: str, level: str, simulated: bool) -> str:
    """A dot for each strength with its intervals, and a line at the mean of all systems, which is 0."""
    title = translate("Strength (Bradley–Terry)")
    ends = [
        end for _, one in rows for end in (one.ci_low, one.ci_high, one.item_only_low, one.item_only_high, one.value)
    ]
    reach = max(abs(end) for end in ends if end is not None) * 1.05 or 1.0
    step = next(size for size in (0.1, 0.25, 0.5, 1, 2, 5, 10, 100) if reach / size <= 3.5)
    most = int(reach / step) * step
    ticks = [tick * step for tick in range(-round(most / step), round(most / step) + 1)]
    bottom = _TOP + _STEP * len(rows)
    drawing = SvgDrawing(width=PANEL_WIDTH, height=bottom + 24)
    scale = AxisScale(left=6, right=PANEL_WIDTH - 14, low=-reach, high=reach)
    draw_heading(drawing, title, shorten_text(name, max_length=40), simulated=simulated)
    _draw_legend(drawing, level)
    draw_axis(drawing, scale, ticks=ticks, top=_TOP - 14, bottom=bottom, percents=False)
    drawing.line(start=(scale.x(0), _TOP - 14), end=(scale.x(0), bottom), colour="second", width=1.3, dashes=(2.0, 2.0))
    for number, (system, one) in enumerate(rows):
        y = _TOP + _STEP * number
        drawing.text(shorten_text(system, max_length=34), at=(scale.left, y))
        drawing.text(format_number(one.value), at=(PANEL_WIDTH, y), anchor="right", colour="muted")
        intervals = ((one.ci_low, one.ci_high), (one.item_only_low, one.item_only_high))
        _draw_estimate(drawing, scale, one.value or 0.0, intervals, y=y + 11)
    told = "; ".join(f"{system} {format_number(one.value)}" for system, one in rows)
    systems = format_count(len(rows), "system")
    return drawing.to_svg(label=f"{format_stamp(simulated=simulated)}{title}, {name}, {systems}: {told}.")


def _draw_legend(drawing: SvgDrawing, level: str) -> None:
    drawing.text(translate("{level}, new items:", level=level), at=(0, 48), colour="muted", size=10.5)
    for number, (word, width) in enumerate(((translate("new people"), THIN), (translate("these people"), THICK))):
        x = 124 + 104 * number
        drawing.line(start=(x, 44), end=(x + 16, 44), colour="accent", width=width)
        drawing.text(word, at=(x + 21, 48), colour="muted", size=10.5)


def _draw_estimate(
    drawing: SvgDrawing,
    scale: AxisScale,
    value: float,
    intervals: Sequence[tuple[float | None, float | None]],
    *,
    y: float,
) -> None:
    """The interval for new people as a thin line, that for these people as a thick one upon it, and the value."""
    for (low, high), width in zip(intervals, (THIN, THICK), strict=True):
        if low is not None and high is not None:
            drawing.line(start=(scale.x(low), y), end=(scale.x(high), y), colour="accent", width=width)
    drawing.dot(at=(scale.x(value), y), colour="accent", size=9)
