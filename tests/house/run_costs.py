"""What the tests of a run cost, from the file that the run left: `make test` asks this when all of them have ended."""

from __future__ import annotations

import json
import os
from pathlib import Path

from _test_meter import RUN_COSTS

LIMIT = 5.0
NOISE = 1.25
"""The same test cost 4.28 in one run and 5.14 in another: one measurement fails above the limit and this."""
TIER_LIMIT = 800.0
"""At the pace of `_test_meter`; with some 270 for collecting, shared things and servers, 9.5 minutes on two cores."""


def test_no_test_of_the_fast_tier_costs_more_than_its_limit() -> None:
    """A dearer one is made cheaper, or marked `slow`; CONTRIBUTING says how."""
    costs = json.loads(Path(os.environ[RUN_COSTS]).read_text("utf-8"))
    assert {name: cost for name, cost in costs.items() if cost > LIMIT * NOISE} == {}
    assert sum(costs.values()) < TIER_LIMIT
