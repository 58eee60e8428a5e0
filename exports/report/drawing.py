"""A small canvas over matplotlib that draws in CSS pixels and gives SVG to stand inside a page."""

from __future__ import annotations

import html
import io
import re
import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Colour = Literal["ink", "muted", "rule", "accent", "second", "watermark"]
Anchor = Literal["left", "center", "right"]

# matplotlib needs fixed colours, a page in light and dark needs variables: these stand for them until the SVG is made.
STAND_INS: Mapping[Colour, str] = MappingProxyType(
    {
        "ink": "#1a1a01",
        "muted": "#1a1a02",
        "rule": "#1a1a03",
        "accent": "#1a1a04",
        "second": "#1a1a05",
        "watermark": "#1a1a06",
    }
)
NO_METADATA = MappingProxyType({"Date": None, "Creator": None, "Format": None, "Type": None})
POINTS = 72  # matplotlib's SVG counts 72 units an inch; a unit here is a CSS pixel


class Drawing:
    """A picture of `width` × `height` pixels; x grows to the right, y downwards."""

    def __init__(self, *, width: int, height: int) -> None:
        from matplotlib.figure import Figure  # slow to import

        self.width, self.height = width, height
        self._figure: Figure = Figure(figsize=(width / POINTS, height / POINTS), dpi=POINTS)
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
            color=STAND_INS[colour],
            linewidth=width,
            linestyle=style,
            solid_capstyle="round",
            clip_on=False,
        )

    def dot(self, *, at: tuple[float, float], colour: Colour, size: float = 7) -> None:
        """A filled circle of `size` pixels across."""
        self._axes.plot(
            [at[0]], [at[1]], marker="o", markersize=size, markeredgewidth=0, color=STAND_INS[colour], clip_on=False
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
        """One line of text on the baseline `at`, taken literally."""
        self._axes.text(
            at[0],
            at[1],
            text,
            color=STAND_INS[colour],
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
            color=STAND_INS["watermark"],
            fontsize=size,
            ha="center",
            va="center",
            weight="bold",
            rotation=12,
            zorder=0,
            parse_math=False,
        )

    def svg(self, *, prefix: str, label: str) -> str:
        """The picture as an element for HTML; `prefix` keeps its ids apart from other pictures', `label` tells it."""
        import matplotlib as mpl  # slow to import

        file = io.StringIO()
        # With a random salt the ids, and so the bytes, would change from run to run.
        fixed = mpl.rc_context({"svg.hashsalt": "hromada", "svg.fonttype": "none"})
        with fixed, warnings.catch_warnings():
            # The browser brings the letters; matplotlib only measures them, with a font that lacks some.
            warnings.filterwarnings("ignore", message=r"Glyph \d+ ")
            self._figure.savefig(file, format="svg", transparent=True, metadata=dict(NO_METADATA))
        opening = (
            f'<svg role="img" aria-label="{html.escape(label)}" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}">\n<title>{html.escape(label)}</title>'
        )
        return opening + _embedded(file.getvalue(), prefix=prefix)


def _embedded(document: str, *, prefix: str) -> str:
    """The content of matplotlib's SVG document: no addresses, own ids, colours as variables, the page's fonts."""
    body = document[document.index("<g ") :]
    body = re.sub(r'\bid="', f'id="{prefix}-', body)
    body = re.sub(r'xlink:href="#', f'href="#{prefix}-', body)
    body = body.replace("url(#", f"url(#{prefix}-")
    body = re.sub(r"font-family: [^;\"]*;? ?", "", body)
    body = re.sub(r"font: ((?:bold )?[\d.]+px) [^;\"]*", r"font-size: \1", body).replace(
        "font-size: bold ", "font-weight: bold; font-size: "
    )
    for name, stand_in in STAND_INS.items():
        body = re.sub(rf"((?:fill|stroke): ){stand_in}", rf"\1var(--{name})", body)
    return body.strip()
