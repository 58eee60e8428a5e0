"""What keeps people from being recognised in published files: small cells of counts are suppressed."""

from __future__ import annotations

from collections.abc import Sequence

MIN_CELL = 3
"""Counts of fewer people than this are not published."""


def suppress_small_cells(counts: Sequence[int]) -> list[int | None]:
    """Counts of people in the cells of one question, None in place of those that would tell who is in them.

    Cells of 1 to MIN_CELL - 1 people are suppressed. Where those suppressed hold fewer than MIN_CELL people together,
    the total would tell them by subtraction, so the smallest other cells follow until they do not. Zeros stay.
    """
    hidden = {place for place, count in enumerate(counts) if 0 < count < MIN_CELL}
    others = sorted((count, place) for place, count in enumerate(counts) if count >= MIN_CELL)
    while hidden and others and (len(hidden) < 2 or sum(counts[place] for place in hidden) < MIN_CELL):
        hidden.add(others.pop(0)[1])
    return [None if place in hidden else count for place, count in enumerate(counts)]
