"""The commands of the how-to pages run as they are written."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from tests.house.page_runner import PageReader

if TYPE_CHECKING:
    from pathlib import Path


def test_a_benchmark_is_built_run_and_read_as_the_page_says(tmp_path: Path) -> None:
    """The demo, the harness's dummy model without a network, and both rows beside each other."""
    said = PageReader(tmp_path, env={"HF_HUB_OFFLINE": "1"}).read("docs/how-to/build-a-benchmark.md").said
    rows = re.findall(r"accuracy\s+(dummy|human-majority)\s+([01]\.\d{4})\s+(\d+)\s+(\w{8})", said)
    people = [row for row in rows if row[0] == "human-majority"]
    models = [row for row in rows if row[0] == "dummy"]
    assert len(people) == len(models) == 2
    assert {row[2:] for row in people} == {row[2:] for row in models}
    with (tmp_path / "tables/answers.csv").open(encoding="utf-8", newline="") as file:
        answered = {row["model"] for row in csv.DictReader(file)}
    assert {"dummy", "human-majority"} < answered
