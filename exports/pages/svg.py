"""SVG pictures for HTML pages: a drawing over matplotlib with CSS pixels as its unit, and panels of bars."""

from __future__ import annotations

import html
import io
import re
import warnings
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from exports.pages.display_text import MINUS, shorten_text
from exports.pages.localization import localize_number, mark_text, translate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Anchor = Literal["left", "center", "right"]
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

# matplotlib needs fixed colours, a page in light and dark needs CSS variables: each colour here marks a variable.
PLACEHOLDER_COLOURS: Mapping[Colour, str] = MappingProxyType(
    {
        "ink": "#1a1a01",
        "muted": "#1a1a02",
        "rule": "#1a1a03",
        "accent": "#1a1a04",
        "second": "#1a1a05",
        "watermark": "#1a1a06",
    }
)
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
NO_METADATA = MappingProxyType({"Date": None, "Creator": None, "Format": None, "Type": None})
UNITS_PER_INCH = 72  # of matplotlib's SVG; a unit here is a CSS pixel
PANEL_WIDTH = 328  # a phone of 360 pixels, less its margins
SIMULATED = mark_text("SIMULATED")
_BARS_TOP, _BAR_STEP, _BAR_WIDTH = 58, 36, 9  # where the bars begin, from bar to bar, how thick a bar is


class SvgDrawing:
    """A picture of `width` × `height` pixels; x grows to the right, y downwards."""

    def __init__(self, *, width: int, height: int) -> None:
        from matplotlib.figure import Figure  # slow to import

        self.width, self.height = width, height
        self._figure: Figure = Figure(figsize=(width / UNITS_PER_INCH, height / UNITS_PER_INCH), dpi=UNITS_PER_INCH)
        self._axes: Axes = self._figure.add_axes((0, 0, 1, 1))
        self._axes.set(xlim=(0, width), ylim=(height, 0), autoscale_on=False)
        self._axes.set_axis_off()

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
        style: str | tuple[int, tuple[float, float]] = "solid" if dashes is None else (0, dashes)
        self._axes.plot(
            [start[0], end[0]],
            [start[1], end[1]],
            color=PLACEHOLDER_COLOURS[colour],
            linewidth=width,
            linestyle=style,
            solid_capstyle="round",
            clip_on=False,
        )

    def bar(self, *, start: tuple[float, float], end: tuple[float, float], colour: Colour, opacity: float = 1) -> None:
        """A filled rectangle between two corners."""
        self._axes.fill_between(
            [start[0], end[0]],
            start[1],
            end[1],
            color=PLACEHOLDER_COLOURS[colour],
            alpha=opacity,
            linewidth=0,
            clip_on=False,
        )

    def dot(self, *, at: tuple[float, float], colour: Colour, size: float = 7) -> None:
        """A filled circle with a diameter of `size` pixels."""
        self._axes.plot(
            [at[0]],
            [at[1]],
            marker="o",
            markersize=size,
            markeredgewidth=0,
            color=PLACEHOLDER_COLOURS[colour],
            clip_on=False,
        )

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
        self._axes.text(
            at[0],
            at[1],
            text,
            color=PLACEHOLDER_COLOURS[colour],
            fontsize=size,
            ha=anchor,
            va="baseline",
            weight="bold" if bold else "normal",
            parse_math=False,
        )

    def watermark(self, text: str, *, at: tuple[float, float], size: float) -> None:
        """Large text centred on `at`, slanted, behind everything else."""
        self._axes.text(
            *at,
            text,
            color=PLACEHOLDER_COLOURS["watermark"],
            fontsize=size,
            ha="center",
            va="center",
            weight="bold",
            rotation=12,
            zorder=0,
            parse_math=False,
        )

    def to_svg(self, *, prefix: str, label: str) -> str:
        """The picture as an HTML element.

        `prefix` keeps its ids apart from those of other pictures; `label` describes it in words.
        """
        import matplotlib as mpl  # slow to import

        file = io.StringIO()
        # With a random salt the ids, and so the bytes, would change from run to run.
        fixed = mpl.rc_context({"svg.hashsalt": "hromada", "svg.fonttype": "none"})
        with fixed, warnings.catch_warnings():
            # The browser draws the letters; matplotlib only measures them, with a font that lacks some.
            warnings.filterwarnings("ignore", message=r"Glyph \d+ ")
            self._figure.savefig(file, format="svg", transparent=True, metadata=dict(NO_METADATA))
        opening = (
            f'<svg role="img" aria-label="{html.escape(label)}" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}">\n<title>{html.escape(label)}</title>'
        )
        return opening + _extract_svg_body(file.getvalue(), prefix=prefix)


def _extract_svg_body(document: str, *, prefix: str) -> str:
    """The body of matplotlib's SVG document, without addresses, its ids prefixed, its colours as CSS variables."""
    body = document[document.index("<g ") :]
    body = re.sub(r'\bid="', f'id="{prefix}-', body)
    body = re.sub(r'xlink:href="#', f'href="#{prefix}-', body)
    body = body.replace("url(#", f"url(#{prefix}-")
    body = re.sub(r"font-family: [^;\"]*;? ?", "", body)
    body = re.sub(r"font: ((?:bold )?[\d.]+px) [^;\"]*", r"font-size: \1", body).replace(
        "font-size: bold ", "font-weight: bold; font-size: "
    )
    for name, placeholder in PLACEHOLDER_COLOURS.items():
        body = re.sub(rf"((?:fill|stroke): ){placeholder}", rf"\1var(--{name})", body)
    return body.strip()


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


def draw_bars(
    bars: Sequence[tuple[str, int, str]], *, title: str, subtitle: str, prefix: str, simulated: bool = False
) -> str:
    """Draw a panel of horizontal bars as SVG: one a tuple (name, count, text at the bar's end).

    A name stands above its bar, so that it can be long. `prefix` keeps the ids apart from those of other pictures.
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
    return drawing.to_svg(prefix=prefix, label=f"{format_stamp(simulated=simulated)}{title}, {subtitle}: {content}.")
