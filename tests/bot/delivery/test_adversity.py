"""Everything goes wrong at once, for 300 answers; `benchmarks/adversity.py` does the same for 10,000."""

from __future__ import annotations

from pathlib import Path

import _adversity
import pytest

ANSWERS = 300


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("kind", ["postgresql", "sqlite"])
async def test_when_everything_goes_wrong_nothing_is_lost_doubled_or_stuck(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Every trouble of the database, the bots, their machine, their clocks and Telegram; no bot ends by itself."""
    url = request.getfixturevalue(f"{kind}_url")
    report = await _adversity.run_adversity(url, tmp_path, answers=ANSWERS)
    assert report.shown >= ANSWERS
    assert report.judgements >= report.shown * 0.8  # the others are changed answers, shown again
    assert len(report.troubles) >= 12
    assert report.ended == 0
