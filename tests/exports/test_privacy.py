"""Counts of few people are not published, nor can they be told by subtraction."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from exports.privacy import MIN_CELL, suppress_small_cells


def test_small_cells_and_a_neighbour_are_suppressed() -> None:
    assert suppress_small_cells([5, 4]) == [5, 4]
    assert suppress_small_cells([5, 1, 4]) == [5, None, None]
    assert suppress_small_cells([9, 2, 2]) == [9, None, None]
    assert suppress_small_cells([9, 1, 1]) == [None, None, None]
    assert suppress_small_cells([0, 3, 2]) == [0, None, None]
    assert suppress_small_cells([2]) == [None]
    assert suppress_small_cells([]) == []


@given(st.lists(st.integers(0, 12), max_size=8))
def test_nobody_can_be_told_from_the_total(counts: list[int]) -> None:
    """No cell of one or two people is shown; what is hidden is none, or two cells or more of three people or more,
    unless there is no other cell that could hide them.
    """
    shown = suppress_small_cells(counts)
    hidden = [count for count, cell in zip(counts, shown, strict=True) if cell is None]
    assert all(cell is None or cell == 0 or cell >= MIN_CELL for cell in shown)
    assert all(cell in (None, count) for cell, count in zip(shown, counts, strict=True))
    if hidden:
        everything = all(cell in (None, 0) for cell in shown)
        assert everything or (len(hidden) > 1 and sum(hidden) >= MIN_CELL)
    else:
        assert not any(0 < count < MIN_CELL for count in counts)
