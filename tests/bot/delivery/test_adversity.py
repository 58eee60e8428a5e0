"""Everything goes wrong at once, for 200 answers; `benchmarks/adversity.py` does the same for 10,000."""

from __future__ import annotations

import asyncio
from pathlib import Path

import _adversity
import pytest

ANSWERS = 200


@pytest.mark.slow
@pytest.mark.process
async def test_when_everything_goes_wrong_nothing_is_lost_doubled_or_stuck(
    postgresql_url: str, sqlite_url: str, tmp_path: Path
) -> None:
    """Every trouble of the database, the bots, their machine, their clocks and Telegram; no bot ends by itself."""
    folders = [tmp_path / name for name in ("server", "file")]
    for folder in folders:
        folder.mkdir()
    runs = [
        _adversity.run_adversity(url, folder, answers=ANSWERS)
        for url, folder in zip((postgresql_url, sqlite_url), folders, strict=True)
    ]
    for report in await asyncio.gather(*runs):
        assert report.shown >= ANSWERS
        assert report.judgements >= report.shown * 0.8  # the others are changed answers, shown again
        assert len(report.troubles) >= 12
        assert report.ended == 0
