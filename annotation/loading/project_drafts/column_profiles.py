"""What the columns of a table hold: how many values, how long, and whether they are numbers or times."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from aggregation import spelling
from annotation.input_files import FileRow
from annotation.loading.drafts import get_cell
from annotation.loading.judgements import vote_times
from annotation.loading.project_drafts.column_names import Role, find_role
from annotation.loading.project_drafts.ordered_words import order_labels

MAX_LABEL = 60
"""The longest label in characters."""
MAX_LABELS = 20
"""The most labels of one question."""
_WHOLE = re.compile(r"-?\d{1,9}(?:\.0+)?")
_ADDRESS = re.compile(r"[^\s@,;]+@[^\s@,;]+\.[^\s@,;]+")
_TELEPHONE = re.compile(r"\+\d[\d ()-]{6,18}")
_CLOCK = re.compile(r"\d[:.]\d\d|T\d\d")


@dataclass(frozen=True, kw_only=True)
class ColumnProfile:
    """A column: its name, its cells in the order of the rows in the one spelling of names, and its usual role."""

    name: str
    cells: tuple[str, ...]
    role: Role | None

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each value occurs, without empty cells."""
        return Counter(filter(None, self.cells))

    @property
    def n_filled(self) -> int:
        """The number of cells that are not empty."""
        return self.counts.total()

    @property
    def n_values(self) -> int:
        """The number of different values."""
        return len(self.counts)

    @property
    def is_unique(self) -> bool:
        """Whether every row has a value of its own."""
        return 0 < self.n_values == len(self.cells)

    @cached_property
    def mean_length(self) -> float:
        """The mean length of a cell in characters, without empty ones; 0 if all are."""
        return sum(len(value) * times for value, times in self.counts.items()) / max(1, self.n_filled)

    @cached_property
    def are_whole_numbers(self) -> bool:
        """Whether all values are whole numbers, written as 1 or 1.0."""
        return bool(self.counts) and all(_WHOLE.fullmatch(value) for value in self.counts)

    @cached_property
    def are_times(self) -> bool:
        """Whether all values are times of a day; numbers are not taken for the days of Excel."""
        return bool(self.counts) and all(
            _CLOCK.search(value) is not None
            and any(vote_times.parse_time(value, day_first=is_first) is not None for is_first in (True, False))
            for value in self.counts
        )

    @cached_property
    def are_labels(self) -> bool:
        """Whether the values could be labels or points of a scale: short ones, and not too many."""
        if not self.counts or self.are_times or self.n_values > MAX_LABELS:
            return False
        if self.are_whole_numbers:
            return all(abs(float(value)) <= 100 for value in self.counts)
        return all(len(value) <= MAX_LABEL and "\n" not in value and "@" not in value for value in self.counts)

    def describe(self) -> str:
        """Return its number of values in words."""
        return f"{self.n_values} value{'s' * (self.n_values != 1)}"


def profile_columns(rows: Sequence[FileRow]) -> dict[str, ColumnProfile]:
    """Return the profile of every column that any of the rows has, by name; a row without the column has it empty."""
    names = dict.fromkeys(name for row in rows for name in row.values)
    cells = {name: tuple([spelling.build_key(get_cell(row, name)) for row in rows]) for name in names}
    return {
        name: ColumnProfile(name=name, cells=some, role=find_role(name) or _find_contacts(some))
        for name, some in cells.items()
    }


def _find_contacts(cells: Sequence[str]) -> Role | None:
    """What a column of e-mail addresses or telephone numbers holds, whatever its name: never answers."""
    filled = [cell for cell in cells if cell]
    if filled and all(_ADDRESS.fullmatch(cell) for cell in filled):
        return Role.ANNOTATOR
    return Role.PROFILE if filled and all(_TELEPHONE.fullmatch(cell) for cell in filled) else None


def depends_on(column: ColumnProfile, keys: Sequence[str]) -> bool:
    """Whether all rows with the same key have the same value of the column; empty cells do not count."""
    seen: dict[str, str] = {}
    for key, value in zip(keys, column.cells, strict=True):
        if value and seen.setdefault(key, value) != value:
            return False
    return True


def group_alike(columns: Mapping[str, ColumnProfile]) -> list[list[ColumnProfile]]:
    """Return groups of columns with labels in common, the largest first; those with long texts are one group.

    Whole numbers are alike if their ranges overlap: two people seldom give the same numbers to three items.
    """
    groups: list[list[ColumnProfile]] = []
    for column in columns.values():
        mine = [group for group in groups if any(_are_alike(column, other) for other in group)]
        groups = [group for group in groups if group not in mine]
        groups.append([*(one for group in mine for one in group), column])
    places = {name: place for place, name in enumerate(columns)}
    groups = [sorted(group, key=lambda one: places[one.name]) for group in groups]
    return sorted(groups, key=lambda group: (-len(group), places[group[0].name]))


def _are_alike(one: ColumnProfile, other: ColumnProfile) -> bool:
    if not (one.are_labels and other.are_labels):
        return bool(one.counts and other.counts) and not one.are_labels and not other.are_labels
    if one.are_whole_numbers != other.are_whole_numbers:
        return False
    if one.are_whole_numbers:
        lows, highs = ([pick(map(float, side.counts)) for side in (one, other)] for pick in (min, max))
        return max(lows) <= min(highs)
    labels = one.counts.keys() | other.counts.keys()
    return len(labels) < one.n_values + other.n_values or order_labels(labels) is not None
