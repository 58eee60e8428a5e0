"""A minute of 50 answers a second, over HTTP; `benchmarks/soak.py` does the same for half an hour."""

from __future__ import annotations

from pathlib import Path

import _soak
import pytest

MOST_GROWTH = 1.05


@pytest.mark.slow
@pytest.mark.process
async def test_a_minute_at_a_steady_rate_loses_nothing_and_fills_no_memory(tmp_path: Path) -> None:
    """Everything that was tapped is acknowledged and stored once, and the process stays as large as it was."""
    report = await _soak.soak(tmp_path, minutes=1)
    assert (report.lost, report.doubled) == (0, 0)
    assert report.answers > 0
    assert report.windows[-1].memory <= MOST_GROWTH * report.warm
