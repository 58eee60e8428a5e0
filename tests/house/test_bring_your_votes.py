"""The page "How to bring your votes": its files and commands give the project files and the output that it shows."""

from __future__ import annotations

import csv
import io
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _tables import build_workbook

from annotation.campaigns import yaml_document
from tests.house.page_runner import BLOCK, ROOT

if TYPE_CHECKING:
    from _command import Hromada

INTRODUCTION, *CHAPTERS = (ROOT / "docs/how-to/bring-your-votes.md").read_text("utf-8").split("\n## ")
SHAPES = {chapter.partition("\n")[0]: chapter for chapter in CHAPTERS if "--from" in chapter}
Blocks = list[tuple[str, str, str]]


def type_chapter(hromada: Hromada, chapter: str) -> str:
    """Write the files of a chapter and type its commands; returns what they printed."""
    blocks: Blocks = BLOCK.findall(chapter)
    for name, language, block in blocks:
        path = hromada.folder / name
        if name.endswith(".xlsx"):
            rows = [[int(cell) if cell.isdigit() else cell for cell in row] for row in csv.reader(io.StringIO(block))]
            path.write_bytes(build_workbook({"Аркуш1": rows}))
        elif name and language != "yaml":
            path.write_text(block, "utf-8")
    return "".join(
        type_line(hromada, line) for _, language, block in blocks if language == "sh" for line in block.splitlines()
    )


def type_line(hromada: Hromada, line: str) -> str:
    """Type a command, which has to end well."""
    ran = hromada(*shlex.split(line, comments=True)[1:])
    assert ran.code == 0, (line, ran.err)
    return ran.out


def test_the_page_has_twelve_shapes() -> None:
    """As many as the page says."""
    assert len(SHAPES) == 12
    assert "Twelve shapes" in INTRODUCTION


@pytest.mark.parametrize("title", SHAPES)
def test_a_shape_gives_the_project_file_and_the_output_of_the_page(hromada: Hromada, title: str) -> None:
    """The shown file has the same keys as the written one, which also has comments."""
    said = [" ".join(line.split()) for line in type_chapter(hromada, SHAPES[title]).splitlines()]
    blocks: Blocks = BLOCK.findall(SHAPES[title])
    [(name, shown)] = [(name, block) for name, language, block in blocks if language == "yaml"]
    written = hromada.folder / name
    shown_data = yaml_document.parse_yaml(shown, file=Path("page.yaml")).data
    assert yaml_document.parse_yaml(written.read_text("utf-8"), file=written).data == shown_data
    printed = [block for name, language, block in blocks if language == "text" and not name]
    assert [line for block in printed for line in block.splitlines() if " ".join(line.split()) not in said] == []


@pytest.mark.slow
@pytest.mark.parametrize("title", SHAPES)
def test_the_commands_that_follow_end_well(hromada: Hromada, title: str) -> None:
    """Those that `hromada new` prints; for the first shape those of the introduction as well."""
    said = type_chapter(hromada, SHAPES[title])
    following = [line.strip() for line in said.splitlines() if line.strip().startswith("hromada ")]
    assert len(following) == 3
    if title == next(iter(SHAPES)):
        *_, (_, _, block) = BLOCK.findall(INTRODUCTION)
        following = block.splitlines()
    for line in following:
        type_line(hromada, line)
