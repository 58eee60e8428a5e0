"""The units of systemd are valid, harden every service, and start what there is."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNITS = ROOT / "docker/systemd"
NAMES = ("hromada-bot.service", "hromada-webhook@8080.service", "hromada-backup.service", "hromada-backup.timer")
INSTALLED = "/opt/hromada/.venv/bin/hromada"
EXPOSURE = 12
"""The most that `systemd-analyze security` may count, in tenths; an ordinary service has 96."""


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units, as for a machine where a program that is here is hromada."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not here: install systemd")
    shutil.copytree(UNITS, tmp_path / "units")
    for file in (tmp_path / "units").glob("*.service"):
        file.write_text(file.read_text("utf-8").replace(INSTALLED, "/bin/true"), "utf-8")
    return tmp_path / "units"


def analyze(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """What systemd says of units in a folder."""
    return subprocess.run(["systemd-analyze", *words], cwd=folder, capture_output=True, text=True, check=False)


def test_systemd_takes_the_units_without_a_warning(units: Path) -> None:
    told = analyze(units, "verify", *(f"./{name}" for name in NAMES))
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["hromada-bot.service", "hromada-webhook@.service", "hromada-backup.service"])
def test_a_service_can_do_little_beyond_its_folders(units: Path, name: str) -> None:
    told = analyze(units, "security", "--offline=yes", f"--threshold={EXPOSURE}", f"./{name}")
    assert told.returncode == 0, told.stdout[-300:]


def test_the_units_call_commands_that_there_are() -> None:
    """With options that they have; the page that installs them copies each file."""
    calls = [
        line.partition(INSTALLED)[2].split()
        for file in sorted(UNITS.glob("*.service"))
        for line in re.findall(r"^ExecStart=(.*)", file.read_text("utf-8"), re.MULTILINE)
    ]
    assert calls == [
        ["database", "backup", "--every", "day", "--keep", "14", "$OPTIONS"],
        ["bot"],
        ["bot", "--webhook"],
    ]
    page = (ROOT / "docs/how-to/run-a-bot-for-months.md").read_text("utf-8")
    assert "/opt/hromada/docker/systemd" in page
    for file in UNITS.glob("*.*r*"):
        assert file.name in page, file.name
    typed = re.findall(r"^# (.*)", page.partition("```console\n")[2].partition("```")[0], re.MULTILINE)
    assert len(typed) == 10
    loaded = next(line.rpartition(" /opt/hromada/")[2] for line in typed if line.startswith("hromada load"))
    project = (ROOT / loaded).read_text("utf-8")
    assert re.search(rf"^project: {re.escape(typed[7].rpartition(' ')[2])}$", project, re.MULTILINE)
