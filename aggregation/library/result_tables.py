"""How results look in a notebook and in a terminal: a table, sentences below it, and pictures of intervals."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from aggregation.agreement.two_populations import NEW_PEOPLE, THESE_PEOPLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDS = {
    "low": "these_people_low",
    "high": "these_people_high",
    "item_only_low": "these_people_low",
    "item_only_high": "these_people_high",
    "ci_low": "new_people_low",
    "ci_high": "new_people_high",
}
"""The columns of the ends of intervals, which name the population, by the keys of the commands' `--json`."""
INTERVALS = (f"95 %, {THESE_PEOPLE}", f"95 %, {NEW_PEOPLE}")
"""The heads of the columns of both intervals."""
MISSING = "–"


@dataclass(frozen=True, kw_only=True)
class DrawnInterval:
    """A value with the ends of its interval for these people and of that for new people, as a picture shows it."""

    name: str
    value: float | None
    these_people: tuple[float | None, float | None]
    new_people: tuple[float | None, float | None]


def build_frame(rows: Iterable[Any]) -> pd.DataFrame:
    """The rows (dataclasses) as a frame; the ends of intervals are numbers, and their columns name the population."""
    frame = pd.DataFrame([asdict(row) for row in rows]).rename(columns=ENDS)
    ends = [name for name in dict.fromkeys(ENDS.values()) if name in frame.columns]
    return frame.astype(dict.fromkeys([*ends, "value"], float))


def format_number(number: float | None) -> str:
    """A number with four decimals; a dash for None."""
    return MISSING if number is None else f"{number:.4f}"


def format_ends(low: float | None, high: float | None) -> str:
    """An interval; a dash without one."""
    return MISSING if low is None or high is None else f"{low:.4f} – {high:.4f}"


def format_text(columns: Sequence[str], rows: Sequence[Sequence[object]], notes: Iterable[str]) -> str:
    """A table and the sentences below it, for a terminal."""
    table = pd.DataFrame([*rows], columns=[*columns], dtype=object).to_string(index=False, float_format="{:.4f}".format)
    return "\n".join([table, *notes])


def format_html(columns: Sequence[str], rows: Sequence[Sequence[object]], notes: Iterable[str]) -> str:
    """A table and the sentences below it, for a notebook."""
    table = pd.DataFrame([*rows], columns=[*columns], dtype=object).to_html(
        index=False, border=0, float_format="{:.4f}".format
    )
    return table + "".join(f"\n<p>{html.escape(note)}</p>" for note in notes)


def group_reasons(reasons: Iterable[tuple[str, str]]) -> list[str]:
    """Each reason once, after the names that it is true of."""
    names: dict[str, list[str]] = {}
    for name, reason in reasons:
        if reason:
            names.setdefault(reason, []).append(name)
    return [f"{', '.join(dict.fromkeys(of))}: {reason}" for reason, of in names.items()]


def create_axes(ax: Axes | None, *, n_rows: int) -> Axes:
    """The axes that were given, or new ones with room for the rows."""
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt  # slow to import

    return plt.subplots(figsize=(7.0, 1.6 + 0.4 * n_rows), layout="constrained")[1]


def plot_intervals(drawn: Sequence[DrawnInterval], *, ax: Axes | None, label: str) -> Axes:
    """Draw values as points, with the interval for these people as a thick line and that for new people as a thin one.

    The first row is at the top. Returns the axes.
    """
    axes = create_axes(ax, n_rows=len(drawn))
    shown = [row for row in drawn if row.value is not None]
    places = range(len(shown))
    for place, row in zip(places, shown, strict=True):
        for (low, high), width, name in ((row.new_people, 1.2, NEW_PEOPLE), (row.these_people, 4.0, THESE_PEOPLE)):
            if low is not None and high is not None:
                known = axes.get_legend_handles_labels()[1]
                line = f"95 %, {name}"
                axes.hlines(place, low, high, lw=width, color="C0", label="" if line in known else line)
        axes.plot([row.value or 0.0], [place], "o", color="C1")
    axes.set_yticks([*places], [row.name for row in shown])
    axes.set(ylim=(len(shown) - 0.5, -0.5), xlabel=label)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), frameon=False)
    return axes
