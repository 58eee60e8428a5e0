"""The commands of the how-to pages run as they are written."""

from __future__ import annotations

import csv
import os
import re
import shlex
import subprocess
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(sysconfig.get_path("scripts"))


def list_commands(page: str) -> list[str]:
    """The lines of the page's shell blocks."""
    text = (ROOT / "docs/how-to" / page).read_text("utf-8")
    return [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]


def test_a_benchmark_is_built_run_and_read_as_the_page_says(tmp_path: Path) -> None:
    """The demo, the harness's dummy model without a network, and both rows beside each other."""
    env = {"PATH": f"{SCRIPTS}:{os.environ['PATH']}", "HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "COLUMNS": "160"}
    folder, said = tmp_path, ""
    for command in list_commands("build-a-benchmark.md"):
        words = shlex.split(command)
        if words[0] == "cd":
            folder = (folder / words[1]).resolve()
            continue
        ran = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, (command, ran.stdout, ran.stderr)
        said += ran.stdout
    rows = re.findall(r"accuracy\s+(dummy|human-majority)\s+([01]\.\d{4})\s+(\d+)\s+(\w{8})", said)
    people = [row for row in rows if row[0] == "human-majority"]
    models = [row for row in rows if row[0] == "dummy"]
    assert len(people) == len(models) == 2
    assert {row[2:] for row in people} == {row[2:] for row in models}
    with (tmp_path / "tables/answers.csv").open(encoding="utf-8", newline="") as file:
        answered = {row["model"] for row in csv.DictReader(file)}
    assert {"dummy", "human-majority"} < answered
