"""The horizontal axis of a panel: the pixels of its values, and its ticks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from exports.pages.display_text import MINUS
from exports.pages.svg import SvgDrawing
from exports.pages.translation import localize_number

LABEL_ROOM = 18  # half of a label with the sign, in pixels


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
        is_at_edge = x + LABEL_ROOM > drawing.width
        if is_at_edge:
            drawing.text(label, at=(drawing.width, bottom + 16), colour="muted", size=10.5, anchor="right")
        else:
            drawing.text(label, at=(x, bottom + 16), colour="muted", size=10.5, anchor="center")
