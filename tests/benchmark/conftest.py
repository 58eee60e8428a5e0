"""A database of campaigns for one test; what builds and answers them is shared with the benchmarks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from _built_benchmarks import Campaigns, open_campaigns


@pytest.fixture
def campaigns(tmp_path: Path) -> Iterator[Campaigns]:
    """An empty database."""
    with open_campaigns(tmp_path) as made:
        yield made
