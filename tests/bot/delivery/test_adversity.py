"""Everything goes wrong at once, for 500 answers; `benchmarks/adversity.py` does the same for 10,000."""

from __future__ import annotations

from pathlib import Path

import _adversity
import pytest

ANSWERS = 500


@pytest.mark.slow
@pytest.mark.process
async def test_when_everything_goes_wrong_nothing_is_lost_doubled_or_stuck(postgresql_url: str, tmp_path: Path) -> None:
    """Stopped backends, swallowed bytes, killed bots, 429s and 500s, and a fast clock in one of two bots."""
    report = await _adversity.run_adversity(postgresql_url, tmp_path, answers=ANSWERS)
    assert report.shown >= ANSWERS
    assert report.judgements >= ANSWERS * 0.8  # the others are changed answers, shown again
    assert sum(report.troubles.values()) > 3
