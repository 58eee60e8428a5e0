"""Some hundred damaged tables; `benchmarks/fuzz_tables.py` tries 20,000."""

from __future__ import annotations

import pytest
from _fuzzing import fuzz


@pytest.mark.slow
def test_a_damaged_table_is_read_whole_or_refused_and_nothing_is_stored() -> None:
    """Items and votes, long and wide, in every kind of file; any error that is not ours goes through."""
    counts = fuzz(400, seed=7)
    assert counts["read"] > 31  # the sound ones
    assert sum(counts.values()) == 400
