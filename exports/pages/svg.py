"""SVG pictures for HTML pages: a drawing with CSS pixels as its unit, and panels of bars."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from exports.pages.display_text import MINUS, shorten_text
from exports.pages.localization import localize_number, mark_text, translate

Anchor = Literal["left", "center", "right"]
ANCHORS: Mapping[Anchor, str] = MappingProxyType({"left": "start", "center": "middle", "right": "end"})
Layer = Literal["watermark", "bars", "lines", "texts"]
LAYERS: Sequence[Layer] = ("watermark", "bars", "lines", "texts")
"""What a picture is made of, from behind to the front."""
LABEL_ROOM = 18  # half of a label with the sign, in pixels
SHORT_LABEL = 2  # letters that need no such room


class AxisScale(NamedTuple):
    """Pixels of the values `low` and `high` on the horizontal axis."""

    left: float
    right: float
    low: float = 0.0
    high: float = 1.0

    def x(self, value: float) -> float:
        """The pixel of a value."""
        return self.left + (value - self.low) / (self.high - self.low) * (self.right - self.left)


def draw_axis(
    drawing: SvgDrawing, scale: AxisScale, *, ticks: Sequence[float], top: float, bottom: float, percents: bool
) -> None:
    """Draw a line and a label for each tick; with `percents` values are shares, and the last label has the sign."""
    for tick in ticks:
        x = scale.x(tick)
        drawing.line(start=(x, top), end=(x, bottom), colour="rule", width=1)
        percent = f"{round(100 * tick, 1):g}" + (" %" if tick == ticks[-1] else "")
        label = localize_number(percent if percents else f"{tick:g}".replace("-", MINUS))
        at: float = x
        anchor: Anchor = "center"
        if x + LABEL_ROOM > drawing.width:
            at, anchor = drawing.width, "right"
        elif x < LABEL_ROOM and len(label) > SHORT_LABEL:
            at, anchor = 0.0, "left"
        drawing.text(label, at=(at, bottom + 16), colour="muted", size=10.5, anchor=anchor)


Colour = Literal["ink", "muted", "rule", "accent", "second", "watermark"]

FILE_COLOURS: Mapping[Colour, str] = MappingProxyType(
    {
        "ink": "#1b1b1b",
        "muted": "#5f5f5f",
        "rule": "#d9d9d9",
        "accent": "#0b6e6e",
        "second": "#b4520a",
        "watermark": "#ededed",
    }
)
"""The colours of a picture that is a file of its own, on white."""
PANEL_WIDTH = 328  # a phone of 360 pixels, less its margins
SIMULATED = mark_text("SIMULATED")
_BARS_TOP, _BAR_STEP, _BAR_WIDTH = 58, 36, 9  # where the bars begin, from bar to bar, how thick a bar is


class SvgDrawing:
    """A picture of `width` × `height` pixels; x grows to the right, y downwards.

    Colours are the variables of the page's style sheet, so that a picture is light or dark as its page is.
    """

    def __init__(self, *, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._layers: dict[Layer, list[str]] = {layer: [] for layer in LAYERS}

    def line(
        self,
        *,
        start: tuple[float, float],
        end: tuple[float, float],
        colour: Colour,
        width: float = 1,
        dashes: tuple[float, float] | None = None,
    ) -> None:
        """A straight line; `dashes` are the lengths of stroke and gap in widths of the line."""
        ends = _write_attributes(x1=start[0], y1=start[1], x2=end[0], y2=end[1])
        style = f"stroke: var(--{colour}); stroke-width: {_round(width)}"
        if dashes is None:
            style += "; stroke-linecap: round"
        else:
            style += f"; stroke-dasharray: {_round(dashes[0] * width)},{_round(dashes[1] * width)}"
        self._layers["lines"].append(f'<line {ends} style="{style}"/>')

    def bar(self, *, start: tuple[float, float], end: tuple[float, float], colour: Colour, opacity: float = 1) -> None:
        """A filled rectangle between two corners."""
        (left, right), (top, bottom) = sorted((start[0], end[0])), sorted((start[1], end[1]))
        box = _write_attributes(x=left, y=top, width=right - left, height=bottom - top)
        style = f"fill: var(--{colour})" + (f"; opacity: {_round(opacity)}" if opacity < 1 else "")
        self._layers["bars"].append(f'<rect {box} style="{style}"/>')

    def dot(self, *, at: tuple[float, float], colour: Colour, size: float = 7) -> None:
        """A filled circle with a diameter of `size` pixels."""
        place = _write_attributes(cx=at[0], cy=at[1], r=size / 2)
        self._layers["lines"].append(f'<circle {place} style="fill: var(--{colour})"/>')

    def text(
        self,
        text: str,
        *,
        at: tuple[float, float],
        colour: Colour = "ink",
        size: float = 11.5,
        anchor: Anchor = "left",
        bold: bool = False,
    ) -> None:
        """One line of text with its baseline at `at`; nothing in the text is markup."""
        style = _style_text(colour=colour, size=size, anchor=anchor, bold=bold)
        place = _write_attributes(x=at[0], y=at[1])
        self._layers["texts"].append(f'<text {place} style="{style}">{html.escape(text)}</text>')

    def watermark(self, text: str, *, at: tuple[float, float], size: float) -> None:
        """Large text centred on `at`, slanted, behind everything else."""
        style = _style_text(colour="watermark", size=size, anchor="center", bold=True) + "; dominant-baseline: central"
        place = f'{_write_attributes(x=at[0], y=at[1])} transform="rotate(-12 {_round(at[0])} {_round(at[1])})"'
        self._layers["watermark"].append(f'<text {place} style="{style}">{html.escape(text)}</text>')

    def to_svg(self, *, label: str) -> str:
        """The picture as an HTML element; `label` describes it in words."""
        opening = (
            f'<svg role="img" aria-label="{html.escape(label)}" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}">\n<title>{html.escape(label)}</title>'
        )
        return "\n".join([opening, *(element for layer in LAYERS for element in self._layers[layer]), "</svg>"])


def _write_attributes(**places: float) -> str:
    return " ".join(f'{name}="{_round(place)}"' for name, place in places.items())


def _round(number: float) -> str:
    return f"{round(number, 2) + 0:g}"  # no "-0"


def _style_text(*, colour: Colour, size: float, anchor: Anchor, bold: bool) -> str:
    weight = "; font-weight: bold" if bold else ""
    return f"fill: var(--{colour}); font-size: {_round(size)}px; text-anchor: {ANCHORS[anchor]}{weight}"


def build_svg_file(element: str) -> str:
    """A picture of `SvgDrawing.to_svg` as a file of its own: with its namespace, fixed colours and a white ground."""
    for name, colour in FILE_COLOURS.items():
        element = element.replace(f"var(--{name})", colour)
    opening, _, rest = element.partition(">\n")
    ground = '<rect width="100%" height="100%" fill="#ffffff"/>'
    svg = opening.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" ', 1)
    return f"{svg}>\n{ground}\n{rest}\n"


def draw_heading(drawing: SvgDrawing, title: str, subtitle: str, *, simulated: bool) -> None:
    """Draw the title and subtitle at the top of a panel, and the stamp SIMULATED where its data is simulated."""
    drawing.text(title, at=(0, 14), bold=True, size=13)
    drawing.text(subtitle, at=(0, 31), colour="muted", size=11)
    if simulated:
        drawing.text(translate(SIMULATED), at=(PANEL_WIDTH, 14), anchor="right", colour="second", size=10.5, bold=True)
        drawing.watermark(translate(SIMULATED), at=(PANEL_WIDTH / 2, (drawing.height + 30) / 2), size=38)


def format_stamp(*, simulated: bool) -> str:
    """What a picture of simulated data is described as, before anything else; empty for others."""
    return f"{translate(SIMULATED)}, " if simulated else ""


def draw_bars(bars: Sequence[tuple[str, int, str]], *, title: str, subtitle: str, simulated: bool = False) -> str:
    """Draw a panel of horizontal bars as SVG: one a tuple (name, count, text at the bar's end).

    A name is above its bar, so that it can be long.
    """
    drawing = SvgDrawing(width=PANEL_WIDTH, height=_BARS_TOP + _BAR_STEP * max(1, len(bars)))
    draw_heading(
        drawing, shorten_text(title, max_length=36), shorten_text(subtitle, max_length=56), simulated=simulated
    )
    largest = max((count for _, count, _ in bars), default=0)
    for number, (name, count, text) in enumerate(bars):
        y = _BARS_TOP + _BAR_STEP * number
        drawing.text(shorten_text(name, max_length=42), at=(0, y))
        drawing.text(text, at=(PANEL_WIDTH, y), anchor="right", colour="muted")
        drawing.line(start=(2, y + 11), end=(PANEL_WIDTH - 2, y + 11), colour="rule", width=1)
        if count:
            end = max(5.0, (PANEL_WIDTH - 4) * count / largest)
            drawing.line(start=(4, y + 11), end=(end, y + 11), colour="accent", width=_BAR_WIDTH)
    content = "; ".join(f"{name}: {text}" for name, _, text in bars)
    content = content or translate("nothing")
    return drawing.to_svg(label=f"{format_stamp(simulated=simulated)}{title}, {subtitle}: {content}.")
