"""A project file from somebody else that names files of the machine: no command reads them unasked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """\
project: words
title: Words
language: en
instructions: Read.
question: {type: choice, text: Which?, options: [x, y]}
items: {file: items.csv, id: id, show: text}
overlap: 1
consent:
  file: /etc/passwd
  version: 1
"""
REFUSAL = (
    "hromada: got/project.yaml:9:3, consent.file: The file '/etc/passwd' is outside the folder of"
    " this file and outside the current folder: copy it beside this file, or add --allow-outside if you trust who wrote"
    " it."
)


@pytest.fixture
def got(hromada: Hromada) -> Path:
    """The folder of the project."""
    folder = hromada.folder / "got"
    folder.mkdir()
    (folder / "project.yaml").write_text(PROJECT, "utf-8")
    (folder / "items.csv").write_text("id,text\n1,one\n2,two\n", "utf-8")
    return folder


@pytest.mark.parametrize(
    "command", [("check",), ("load",), ("load", "--plan"), ("simulate", "--overlap", "1", "--people", "2"), ("try",)]
)
def test_no_command_reads_a_file_outside(hromada: Hromada, got: Path, command: tuple[str, ...]) -> None:
    """Each ends with the place and the remedy, and stores nothing."""
    assert got.is_dir()
    ran = hromada(*command, "got/project.yaml")
    assert (ran.code, ran.out, ran.err.strip()) == (2, "", REFUSAL)
    assert not (hromada.folder / "hromada.db").exists()


def test_it_is_read_where_it_is_allowed(hromada: Hromada, got: Path) -> None:
    """Check, load and simulate take the option; a loaded project is started and named by its file without it."""
    assert got.is_dir()
    assert hromada("check", "got/project.yaml", "--allow-outside").code == 0
    simulated = ("simulate", "got/project.yaml", "--overlap", "1", "--people", "2", "--allow-outside")
    assert hromada(*simulated).code == 0
    assert hromada("load", "got/project.yaml", "--allow-outside").code == 0
    assert hromada("start", "got/project.yaml").code == 0
    assert hromada("invite", "got/project.yaml").code == 0


@pytest.mark.parametrize(
    "command", [("check",), ("load",), ("load", "--plan"), ("simulate", "--overlap", "1", "--people", "2"), ("try",)]
)
@pytest.mark.parametrize("allowed", [(), ("--allow-outside",)])
def test_no_command_publishes_the_token(
    hromada: Hromada, got: Path, command: tuple[str, ...], allowed: tuple[str, ...]
) -> None:
    """The settings in the folder of the command are not read as instructions, though that folder is allowed."""
    hromada.write(".env", "HROMADA_TELEGRAM_TOKEN=12345:secret\n")
    text = PROJECT.replace("instructions: Read.", "instructions_file: ../.env").partition("consent:")[0]
    (got / "project.yaml").write_text(text, "utf-8")
    ran = hromada(*command, "got/project.yaml", *allowed)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "hromada: got/project.yaml:4:1, instructions_file: The file '../.env' has a name that begins with a dot, as"
        " files with settings and tokens have: name another file, or a copy without the dot if annotators may read"
        " it.\n"
    )
    assert not (hromada.folder / "hromada.db").exists()


def test_the_key_is_no_consent(hromada: Hromada, got: Path) -> None:
    """The key that the settings name, whatever its name is."""
    hromada.write("names.txt", "00" * 32)
    (got / "project.yaml").write_text(PROJECT.replace("/etc/passwd", "../names.txt"), "utf-8")
    assert hromada("check", "got/project.yaml").code == 0
    ran = hromada("check", "got/project.yaml", env={"HROMADA_KEY_FILE": "names.txt"})
    assert ran.code == 2
    assert "consent.file: The file '../names.txt' is the key of the pseudonyms (HROMADA_KEY_FILE)" in ran.err
