"""A project of Markdown on the command line: what cannot be drawn is named, and models get the source."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from _markdown import TEXT, write_project

if TYPE_CHECKING:
    from _command import Hromada


def test_a_project_of_markdown_lives(hromada: Hromada) -> None:
    """Checked, loaded, started; the built benchmark has the text as it is written."""
    file = write_project(hromada.folder / "sums", texts=(TEXT, "Two: $x$"))
    checked = hromada("check", str(file))
    assert checked.code == 0
    said = " ".join(checked.out.split())
    assert "items.jsonl:1, text: People see the formula $\\foo{y}$ as it is written: hromada cannot draw it." in said
    assert said.count("People see") == 1
    assert hromada("load", str(file)).code == 0
    assert hromada("start", "sums").code == 0
    assert "nothing changed" in hromada("load", str(file)).out
    assert hromada("database", "check").code == 0
    assert hromada("build", "sums", "out").code == 0
    files = (hromada.folder / "out").rglob("*.jsonl")
    rows = [json.loads(line) for path in files for line in path.read_text("utf-8").splitlines()]
    assert TEXT.strip() in {str(value).strip() for row in rows for value in row.values()}
