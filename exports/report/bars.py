"""A panel of horizontal bars with their counts, for pages that count things."""

from __future__ import annotations

from collections.abc import Sequence

from exports.report.drawing import Drawing
from exports.report.words import shortened

WIDTH = 328  # a phone of 360 pixels, less its margins
SIMULATED = "SIMULATED"
_TOP, _STEP, _THICK = 58, 36, 9


def bars(
    rows: Sequence[tuple[str, int, str]], *, title: str, subtitle: str, prefix: str, simulated: bool = False
) -> str:
    """One bar a row (name, count, what is said at its end) as SVG; names stand above their bars, so they can be long.

    `prefix` keeps the ids apart from other pictures'. Where the data is simulated the panel says so.
    """
    drawing = Drawing(width=WIDTH, height=_TOP + _STEP * max(1, len(rows)))
    drawing.text(shortened(title, letters=36), at=(0, 14), bold=True, size=13)
    drawing.text(shortened(subtitle, letters=56), at=(0, 31), colour="muted", size=11)
    if simulated:
        drawing.text(SIMULATED, at=(WIDTH, 14), anchor="right", colour="second", size=10.5, bold=True)
        drawing.watermark(SIMULATED, at=(WIDTH / 2, (drawing.height + 30) / 2), size=38)
    most = max((count for _, count, _ in rows), default=0)
    for number, (name, count, said) in enumerate(rows):
        y = _TOP + _STEP * number
        drawing.text(shortened(name, letters=42), at=(0, y))
        drawing.text(said, at=(WIDTH, y), anchor="right", colour="muted")
        drawing.line(start=(2, y + 11), end=(WIDTH - 2, y + 11), colour="rule", width=1)
        if count:
            end = max(5.0, (WIDTH - 4) * count / most)
            drawing.line(start=(4, y + 11), end=(end, y + 11), colour="accent", width=_THICK)
    told = "; ".join(f"{name}: {said}" for name, _, said in rows)
    return drawing.svg(prefix=prefix, label=f"{'SIMULATED, ' * simulated}{title}, {subtitle}: {told or 'nothing'}.")
