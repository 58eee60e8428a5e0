"""What the documents say is so."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from annotation import vocabulary
from annotation.campaigns import programme_file, project_file, validation_errors
from annotation.campaigns.sections import quality, stages
from annotation.settings import Settings
from bot.emulator.methods import METHODS
from exports import annotator_table, class_tables, corrections, filtering, inputs, item_tables, tables

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def blocks(language: str) -> list[str]:
    """The README's blocks of one language."""
    return [text for found, text in BLOCK.findall((ROOT / "README.md").read_text("utf-8")) if found == language]


def test_the_commands_of_the_readme_run_as_written(tmp_path: Path) -> None:
    """Its project file, votes and truth pasted into an empty folder, its commands typed one after another."""
    (tmp_path / "project.yaml").write_text(blocks("yaml")[0], "utf-8")
    for name, text in zip(("votes.csv", "truth.csv"), blocks("csv"), strict=True):
        (tmp_path / name).write_text(text, "utf-8")
    scripts = Path(sysconfig.get_path("scripts"))
    for line in blocks("sh")[1].splitlines():
        command = line.split("#")[0].strip().replace(".venv/bin/hromada", str(scripts / "hromada"))
        ran = subprocess.run(
            command.split(), cwd=tmp_path, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, (line, ran.stderr)
    assert (tmp_path / "export/report.html").exists()


@pytest.mark.parametrize("number", range(2))
def test_every_project_file_of_the_readme_is_one(tmp_path: Path, number: int) -> None:
    """The YAML that people will copy is accepted."""
    (tmp_path / "project.yaml").write_text(blocks("yaml")[number], "utf-8")
    assert project_file.read_project(tmp_path / "project.yaml").name


def test_every_setting_is_in_the_example_and_in_the_reference() -> None:
    """`.env.example` and the page about running list each setting with its default."""
    example = (ROOT / ".env.example").read_text("utf-8")
    reference = (ROOT / "docs/reference/running.md").read_text("utf-8")
    for name, field in Settings.model_fields.items():
        default = "" if field.default is None else str(field.default)
        default = default.lower() if isinstance(field.default, bool) else default
        assert f"\nHROMADA_{name.upper()}={default}\n" in example
        assert f"`HROMADA_{name.upper()}`" in reference
        assert (field.description or "").split(";")[0].rstrip(".") in example


def test_every_column_and_key_is_in_the_reference() -> None:
    """The pages about files name every published column, and every key of a project file."""
    published = (ROOT / "docs/reference/published-files.md").read_text("utf-8")
    released = {
        *inputs.RESPONSE_COLUMNS,
        *item_tables.GOLD_COLUMNS,
        *item_tables.HUMAN_ITEM_COLUMNS,
        *class_tables.CLASS_COLUMNS,
        *class_tables.CONFUSION_COLUMNS,
        *annotator_table.ANNOTATOR_COLUMNS,
        *tables.BASELINE_COLUMNS,
        *tables.SCORE_COLUMNS,
    }
    for column in released | {*corrections.STORY_COLUMNS, *filtering.FILTERED_COLUMNS, *filtering.REASON_COLUMNS}:
        assert f"`{column}`" in published
    assert all(f"`{kind}`" in published for kind in vocabulary.ExclusionKind)
    described = (ROOT / "docs/reference/project-file.md").read_text("utf-8")
    sections = validation_errors.list_sections(project_file.ProjectFile) | validation_errors.list_sections(
        programme_file.ProgrammeFile
    )
    sections -= {stages.PassMark, quality.Threshold}  # written as one text, `21 of 30` or `< 50 %`
    for section in sections:
        for key in section.model_fields:
            assert re.search(rf"[`{{ .]{key}[`:,.}}]", described), (section, key)
    assert "`question.labels`" in described


def test_every_method_of_the_local_telegram_is_in_the_reference() -> None:
    """The page about it lists what it knows, and nothing that it does not."""
    listed = re.search(r"## Methods\n(.*?)\n## ", (ROOT / "docs/reference/emulator.md").read_text("utf-8"), re.DOTALL)
    assert listed is not None
    assert {name.lower() for name in re.findall(r"`(\w+)`", listed[1])} == {*METHODS, "getupdates"}


def test_every_picture_in_the_documents_is_there_and_remade() -> None:
    """No page points at a missing picture, and each one that lies there is made by `make pictures`."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    named = {
        (page.parent / name).resolve()
        for page in pages
        for name in re.findall(r"\]\(([^)]+\.png)\)", page.read_text("utf-8"))
    }
    there = set((ROOT / "docs/pictures").resolve().glob("*.png"))
    assert named <= there
    made = {f"report-{width}.png" for width in (360, 1280)}
    made |= {f"chat-{scheme}-{width}.png" for scheme in ("light", "dark") for width in (360, 1280)}
    made |= {f"bot-{name}.png" for name in ("boxes", "item", "language", "problem", "task", "training")}
    desks = ("story-correction", "instance-filtering", "instance-filtering-second")
    made |= {f"{desk}-{width}.png" for desk in desks for width in (800, 1280)}
    assert {path.name for path in there} == made
