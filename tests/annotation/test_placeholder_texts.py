"""Files in which a placeholder stands where a fact or a text should: refused with file, line, field and remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.campaigns import programme_file, project_file
from annotation.campaigns.sections.quality import DECLARED_FACTS
from annotation.errors import BadInput

PROJECT = """\
project: p
title: t
language: uk
instructions: Читайте.
question: {type: choice, text: "?", options: [так, ні]}
items: {file: items.csv, id: id, show: text}
overlap: 3
"""


def read_all(path: Path) -> None:
    """Read a project file and its texts, as `check` does."""
    project = project_file.read_project(path)
    project.check_text_files()
    project.read_instructions()


def refuse(folder: Path, more: str, *, replace: tuple[str, str] = ("", "")) -> list[str]:
    """What is said of a project with more lines, an error a line, without the folder."""
    (folder / "p.yaml").write_text(PROJECT.replace(*replace) + more, "utf-8")
    with pytest.raises(BadInput) as refusal:
        read_all(folder / "p.yaml")
    return [str(error).removeprefix(f"{folder}/") for error in refusal.value.all_found]


def test_every_placeholder_is_named_at_once_with_its_line_and_what_to_write(tmp_path: Path) -> None:
    """Seven facts, and the source of published scores."""
    texts = dict(zip(DECLARED_FACTS, ("-", "n/a", "x", "describe here", "TODO", "none?", "н/д"), strict=True))
    lines = "".join(f'  {name}: "{text}"\n' for name, text in texts.items())
    said = refuse(tmp_path, f"declared:\n{lines}published: {{source: tbd}}\n")
    assert said[0] == (
        "p.yaml:9:3, declared.recruitment: '-' is a placeholder. Write how people were found: volunteers of a chat,"
        " students of a course, a crowd platform, colleagues. If nobody knows, write `not known`."
    )
    for line, (found, (name, text)) in enumerate(zip(said, texts.items(), strict=False), start=9):
        assert found.startswith(f"p.yaml:{line}:3, declared.{name}: '{text}' is a placeholder. Write "), found
    assert said[7] == "p.yaml:16:13, published.source: 'tbd' is a placeholder. Write which paper has the scores."


@pytest.mark.parametrize(
    ("more", "replace", "said"),
    [
        ("", ("title: t", "title: …"), "p.yaml:2:1, title: '…' is a placeholder."),
        ("", ("Читайте.", "TODO"), "p.yaml:4:1, instructions: 'TODO' is a placeholder."),
        ("", ('text: "?"', 'text: "TODO: ask"'), "p.yaml:5:26, question.text: 'TODO: ask' is a placeholder."),
        ('benchmark: {instructions: "…"}\n', ("", ""), "p.yaml:8:13, benchmark.instructions: '…' is a placeholder."),
        ("content_warning: n/a\n", ("", ""), "p.yaml:8:1, content_warning: 'n/a' is a placeholder."),
        ("consent: {file: todo.md, version: 1}\n", ("", ""), "todo.md:1: 'TODO: write it' is a placeholder."),
        ("", ("instructions: Читайте.", "instructions_file: todo.md"), "todo.md:1: 'TODO: write it' is a pl"),
        (
            "declared: {pay: volunteers}\nreward: {pay: {per_hour: 12, currency: EUR}}\n",
            ("", ""),
            "p.yaml:8:12, declared.pay: 'volunteers' contradicts `reward.pay`, which promises 12 EUR an hour.",
        ),
    ],
)
def test_a_text_for_people_that_nobody_wrote_is_refused(
    tmp_path: Path, more: str, replace: tuple[str, str], said: str
) -> None:
    (tmp_path / "todo.md").write_text("TODO: write it\n", "utf-8")
    (found,) = refuse(tmp_path, more, replace=replace)
    assert found.startswith(said), found


def test_a_programme_is_invited_to_in_words(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(PROJECT, "utf-8")
    all_of_it = 'programme: all\ntitle: t\nlanguage: uk\ninvitation: "…"\nprojects: [{file: p.yaml}]\n'
    (tmp_path / "all.yaml").write_text(all_of_it, "utf-8")
    with pytest.raises(BadInput, match=r"all\.yaml:4:1, invitation: '…' is a placeholder\."):
        programme_file.read_programme(tmp_path / "all.yaml")


def test_short_answers_and_stored_placeholders_are_read(tmp_path: Path) -> None:
    """What is stored stays valid, and counts as not declared."""
    facts = "{recruitment: friends, pay: no, ethics: IRB 5, population: uk, ai_use: none, licence: not known}"
    (tmp_path / "p.yaml").write_text(f"{PROJECT}declared: {facts}\n", "utf-8")
    read = project_file.read_project(tmp_path / "p.yaml").definition
    assert not read.declared.missing
    stored = read.model_dump(mode="json")
    stored["declared"] |= {"ethics": "-", "pay": "n/a", "authors": "Ян"}
    declared = project_file.parse_definition(stored).declared
    assert declared.missing.keys() == {"ethics", "pay"}
    assert declared.stated.keys() == {"recruitment", "population", "ai_use", "licence", "authors"}
