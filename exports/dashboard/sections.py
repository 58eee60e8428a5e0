"""What a page of the dashboard is made of: sections with figures, bars and tables, all of them texts to be shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure with its name, and a note below it, empty where there is none."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class ProgressBar:
    """How many of how many are done; `text` says it in words."""

    done: int
    needed: int
    text: str

    @property
    def percent(self) -> int:
        """The share done in whole percent; 100 only where all is done."""
        return min(100, 100 * self.done // self.needed) if self.needed else 0


@dataclass(frozen=True, kw_only=True)
class HourBars:
    """The number of answers in each of the last hours, the oldest first; `text` says it in words."""

    counts: tuple[int, ...]
    text: str

    @property
    def bars(self) -> tuple[tuple[int, float, float], ...]:
        """Of each hour the place of its bar, and where it begins and how high it is, on a ground 40 high."""
        most = max(self.counts, default=0) or 1
        heights = [round(38 * count / most, 1) for count in self.counts]
        return tuple((place * 10, round(40 - height, 1), height) for place, height in enumerate(heights))


@dataclass(frozen=True, kw_only=True)
class LiveRow:
    """A row of a table: its heading with the address it leads to, its cells, and a remark below it.

    `href` and `remark` are empty where there are none.
    """

    head: str
    cells: tuple[str, ...] = ()
    href: str = ""
    remark: str = ""


@dataclass(frozen=True, kw_only=True)
class LiveTable:
    """A table; `nothing` stands in its place where it has no rows, `more` leads to further rows (text, address)."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[LiveRow, ...]
    nothing: str = ""
    more: tuple[str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class LiveSection:
    """A section of a page, which is replaced as a whole when any of it changes; `id` is unique on the page.

    `how` says how its numbers are made, `notices` are sentences to be noticed, `at` is when it was counted, None for
    what is the same at any time. `href` is where its title leads. An alert is read out by screen readers when it comes.
    """

    id: str
    title: str
    how: str = ""
    notices: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    progress: ProgressBar | None = None
    hours: HourBars | None = None
    tables: tuple[LiveTable, ...] = ()
    at: datetime | None = None
    at_text: str = ""
    href: str = ""
    is_alert: bool = False
