"""What stops a threat is tested: the page of threats names tests that are there, and Git keeps nothing secret."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/explanation/threats.md"
SECTIONS = (
    "A stranger", "A cheating annotator", "A curious annotator", "A stolen laptop", "A Label Studio user",
    "A hostile item text", "A hostile project file", "A hostile update",
)  # fmt: skip


def read_lines() -> dict[str, list[str]]:
    """The lines of the table of each section, without its head."""
    sections = PAGE.read_text("utf-8").split("\n## ")[1:]
    return {
        text.partition("\n")[0]: [line for line in text.splitlines() if line.startswith("|")][2:] for text in sections
    }


def test_each_threat_has_lines_and_each_line_a_test_that_is_there() -> None:
    """By name, wherever it is."""
    found = {
        name
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)\(", file.read_text("utf-8"), re.MULTILINE)
    }
    lines = read_lines()
    assert tuple(lines) == SECTIONS
    assert all(lines.values())
    for line in [line for section in lines.values() for line in section]:
        named = re.findall(r"`(test_\w+)`", line.split("|")[3])
        assert named, line
        assert set(named) <= found, line


@pytest.mark.parametrize(
    "name",
    [".env", "hromada.db", "hromada.db-wal", "hromada.db-shm", "hromada.key", "monday.backup", "monday.backup.json",
     "hromada-20261127T020000Z.backup.age", "hromada-20261127T020000Z.backup.age.json", "monday.db", "backups/x"],
)  # fmt: skip
def test_git_keeps_no_state(name: str) -> None:
    patterns = (ROOT / ".gitignore").read_text("utf-8").split()
    assert any(fnmatch(name, pattern.strip("/") + ("/*" if pattern.endswith("/") else "")) for pattern in patterns)
