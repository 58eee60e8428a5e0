"""Some damaged files of every reader; `benchmarks/fuzz_readers.py` tries 20,000."""

from __future__ import annotations

import pytest
from _fuzzing import fuzz


@pytest.mark.slow
def test_a_damaged_file_is_read_or_refused_and_nothing_is_stored() -> None:
    """Tables and exports of every tool, sound at first; no error that is not ours, no row."""
    outcome = fuzz(400, seed=7)
    assert set(outcome.counts) == {"read", "refused"}
    assert outcome.counts.total() == 400
    assert outcome.counts["refused"] > 100
    assert not outcome.leaks
    assert not outcome.rows_left
