"""Votes on a Spark of this machine. `make test-spark` names this file, as no other environment has Spark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from _relations import POOLS, compare_agreement, compare_fits, compare_pool

from aggregation.errors import HromadaError
from aggregation.relations import engines

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
MASTER = "local[2]"
VOTES = pd.DataFrame(
    [
        (f"item; {item}", f"p{person}", "yes" if (item + person) % 3 else "no")
        for item in range(9)
        for person in range(5)
    ],
    columns=["item", "annotator", "answer"],
)


@pytest.fixture(scope="module")
def engine() -> Iterator[Any]:
    """A Spark with two workers, whose Java compiles once: most of what it does here, it does a few times only."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        with engines.open_spark(master=MASTER, memory="2GB") as spark:
            yield spark


def test_few_votes_equal_those_in_memory(engine: Any) -> None:
    """Labels, skills and agreement, to 1e-9."""
    compare_fits(engine, VOTES, stops=["crowdkit", "converged"], limit=2)
    compare_agreement(engine, VOTES)


@pytest.mark.parametrize("name", ["part[1]", "a*b", "{x}", "one?"])
def test_a_name_is_no_pattern(engine: Any, tmp_path: Path, name: str) -> None:
    """A Parquet file is read whose name looks like a pattern for others; a CSV file is refused with its name."""
    VOTES.to_parquet(tmp_path / f"{name}.parquet")
    VOTES.to_csv(tmp_path / f"{name}.csv", index=False)
    table = engines.read_files(engine, [tmp_path / f"{name}.parquet"], "parquet")
    assert table.count().execute() == len(VOTES)
    with pytest.raises(HromadaError, match="Rename the file") as refusal:
        engines.read_files(engine, [tmp_path / f"{name}.csv"], "csv")
    assert f"{name}.csv" in str(refusal.value)


@pytest.mark.parametrize("name", POOLS)
def test_every_pool_equals_that_in_memory(engine: Any, shared: Path, name: str) -> None:
    """Labels, skills and agreement, to 1e-9."""
    compare_pool(engine, shared, name, limit=3)
