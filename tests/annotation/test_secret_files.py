"""Settings, keys, databases and backups that a project file names: refused whatever the key, the path or the link."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from annotation import input_files
from annotation.campaigns import programme_file, project_file
from annotation.errors import BadInput

PROJECT = """\
project: words
title: Words
language: en
overlap: 2
question: {type: choice, text: Which?, options: [x, y]}
items: {file: items.csv, id: id, show: text, gold: gold}
"""
VOTES = PROJECT.replace("overlap: 2\n", "lease: 2 h\n").replace(
    "items: {file: items.csv, id: id, show: text, gold: gold}", "items: from votes"
)
VOTED = "votes: {format: csv, file: votes.csv, item: text, annotator: who, answer: says}\n"
CASES = {
    "items.file": PROJECT.replace("items.csv", "SECRET"),
    "instructions_file": PROJECT + "instructions_file: SECRET\n",
    "consent.file": PROJECT + "consent:\n  file: SECRET\n  version: 1\n",
    "controls.pool.file": PROJECT + "controls: {pool: {file: SECRET}, rate: 10 %}\n",
    "stages.pilot.pool.file": PROJECT + "stages: {pilot: {pool: {file: SECRET}, number: 1}}\n",
    "stages.training.pool.file": PROJECT + "stages: {training: {pool: {file: SECRET}}}\n",
    "votes.file": VOTES + VOTED.replace("votes.csv", "SECRET"),
    "truth.file": VOTES + VOTED + "truth: {file: SECRET, item: text, gold: gold}\n",
    "quality.0.words": PROJECT.replace("type: choice, text: Which?, options: [x, y]", "type: text, text: Which?")
    + "quality:\n  - {rule: text, refuses: [words], words: SECRET, consequence: flag}\n",
}
"""A project file with the path of the secret file at each place that names a file."""
MANIFEST = '{\n  "kind": "sqlite",\n  "hromada": "0.1.0",\n  "made_at": "2026-01-01T00:00:00+00:00"}\n'
FILES: dict[str, str | bytes] = {
    ".env": "HROMADA_TELEGRAM_TOKEN=12345:secret\nHROMADA_KEY_FILE=keys/names.txt\n"
    "HROMADA_DATABASE_URL=sqlite:///data/state.txt\n",
    ".htpasswd": "ann:secret",
    "keys/names.txt": "00" * 32,
    "data/state.txt": "not yet a database",
    "data/state.txt-wal": "a log",
    "data/state.txt-journal": "a journal",
    "saved/old.txt": "of PostgreSQL, as text",
    "saved/old.txt.json": MANIFEST,
    "saved/copy.csv": b"SQLite format 3\0" + bytes(80),
    "saved/server.csv": b"PGDMP\x01\x0e",
    "saved/server.sql": "--\n-- PostgreSQL database dump\n--\n",
    "saved/night.csv": b"age-encryption.org/v1\n-> X25519 a\n",
}
REASONS = {
    ".env": "begins with a dot", ".htpasswd": "begins with a dot", "keys/names.txt": "is the key of the pseudonyms",
    "data/state.txt": "is the database", "data/state.txt-wal": "belongs to the database",
    "data/state.txt-journal": "belongs to the database", "saved/old.txt": "is a backup of the database",
    "saved/old.txt.json": "describes a backup", "saved/copy.csv": "is a database of SQLite",
    "saved/server.csv": "is a backup of PostgreSQL", "saved/server.sql": "is a backup of PostgreSQL",
    "saved/night.csv": "is an encrypted file",
}  # fmt: skip


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where the command runs, with all kinds of secret files, and a project's folder in it."""
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refuse(folder: Path, text: str, path: str | Path, *, allow_outside: bool = False) -> BadInput:
    """The refusal of a project file with this path where SECRET stands."""
    file = folder / "project.yaml"
    file.write_text(text.replace("SECRET", str(path)), "utf-8")
    with pytest.raises(BadInput) as refusal:
        project_file.read_project(file, allow_outside=allow_outside)
    return refusal.value


@pytest.mark.parametrize("field", CASES)
def test_every_key_refuses_a_secret_file(here: Path, field: str) -> None:
    """With the place, the file and the remedy; a way round it, `--allow-outside`, is none."""
    text = CASES[field]
    for allow_outside in (False, True):
        refusal = refuse(here / "project", text, "../.env", allow_outside=allow_outside)
        where = refusal.where
        assert where is not None
        assert where.field == field
        assert text.splitlines()[(where.line or 0) - 1].count("SECRET") == 1
        assert refusal.problem == (
            "The file '../.env' has a name that begins with a dot, as files with settings and tokens have:"
            " name another file, or a copy without the dot if annotators may read it."
        )


@pytest.mark.parametrize("name", REASONS)
def test_every_secret_file_is_refused_by_every_path(here: Path, name: str) -> None:
    """Straight, by a symbolic link, by a linked folder, by a hard link and by its full name; when it is read, too."""
    folder = here / "project"
    (folder / "link.txt").symlink_to(here / name)
    (folder / "linked").symlink_to((here / name).parent)
    paths: list[str | Path] = [f"../{name}", "link.txt", f"linked/{Path(name).name}", here / name]
    for path in paths:
        for allow_outside in (False, True):
            refusal = refuse(folder, CASES["instructions_file"], path, allow_outside=allow_outside)
            assert f"The file {str(path)!r} " in refusal.problem
            assert REASONS[name] in refusal.problem
        for read in (input_files.read_text, input_files.require_file, input_files.compute_sha256):
            with pytest.raises(BadInput, match=REASONS[name]):
                read(folder / path)


@pytest.mark.parametrize("name", [".env", "keys/names.txt", "data/state.txt"])
def test_a_hard_link_is_the_file(here: Path, name: str) -> None:
    """Another name of the same file."""
    (here / "project" / "rules.txt").hardlink_to(here / name)
    refusal = refuse(here / "project", CASES["instructions_file"], "rules.txt")
    assert "(HROMADA_" in refusal.problem or "holds the settings" in refusal.problem


def test_the_files_are_those_of_the_settings(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable of the environment goes before .env, and .env is read again once it was changed."""
    folder = here / "project"
    (folder / "items.txt").write_text("text", "utf-8")
    assert input_files.read_text(folder / "items.txt") == "text"
    monkeypatch.setenv("HROMADA_KEY_FILE", str(folder / "items.txt"))
    with pytest.raises(BadInput, match="HROMADA_KEY_FILE"):
        input_files.read_text(folder / "items.txt")
    assert input_files.read_text(here / "keys/names.txt")
    monkeypatch.delenv("HROMADA_KEY_FILE")
    (here / ".env").write_text("HROMADA_DATABASE_URL=sqlite:///project/items.txt?timeout=3\n", "utf-8")
    with pytest.raises(BadInput, match="HROMADA_DATABASE_URL"):
        input_files.read_text(folder / "items.txt")
    (here / ".env").write_text("HROMADA_DATABASE_URL=postgresql://ann@host/items.txt\n", "utf-8")
    assert input_files.read_text(folder / "items.txt") == "text"


def test_folders_and_links_with_a_dot_are_ordinary(here: Path) -> None:
    """What counts is the name of the file itself: git-annex and mounted volumes link into folders with a dot."""
    folder = here / "project"
    (folder / ".data").mkdir()
    (folder / ".data" / "items.csv").write_text("id,text,gold\n1,one,x\n", "utf-8")
    (folder / "items.csv").symlink_to(folder / ".data" / "items.csv")
    (folder / ".items.csv").symlink_to(folder / ".data" / "items.csv")
    for name in (".data/items.csv", "items.csv", ".items.csv"):
        (folder / "project.yaml").write_text(CASES["items.file"].replace("SECRET", name), "utf-8")
        assert project_file.read_project(folder / "project.yaml").name == "words"
        assert input_files.read_text(folder / name)


def test_a_file_with_a_dot_is_refused_before_it_is_there(here: Path) -> None:
    """Nobody learns by the message which of them exist."""
    (here / "project" / ".env").write_text("secret", "utf-8")
    there = refuse(here / "project", CASES["items.file"], ".env").problem
    assert there == refuse(here / "project", CASES["items.file"], ".netrc").problem.replace(".netrc", ".env")


def test_a_programme_refuses_them_too(here: Path) -> None:
    """As its consent, and as one of its projects."""
    programme = here / "project" / "programme.yaml"
    head = "programme: both\ntitle: Both\nlanguage: en\n"
    for text in (
        head + "consent: {file: ../.env, version: 1}\nprojects:\n  - file: project.yaml\n",
        head + "projects:\n  - file: ../.env\n",
    ):
        programme.write_text(text, "utf-8")
        with pytest.raises(BadInput, match="begins with a dot"):
            programme_file.read_programme(programme, allow_outside=True)


def test_a_stored_definition_reads_no_secret_file(here: Path) -> None:
    """What was loaded by an earlier release, or whose file became a link since, is refused when it is read."""
    folder = here / "project"
    (folder / "rules.txt").write_text("Read.", "utf-8")
    (folder / "project.yaml").write_text(CASES["instructions_file"].replace("SECRET", "rules.txt"), "utf-8")
    read = project_file.read_project(folder / "project.yaml")
    assert read.read_instructions() == "Read."
    (folder / "rules.txt").unlink()
    (folder / "rules.txt").symlink_to(here / ".env")
    with pytest.raises(BadInput, match="begins with a dot"):
        read.read_instructions()


def test_settings_that_cannot_be_read_are_named(here: Path) -> None:
    """The file of the settings, not the one that the project names."""
    shutil.copy(here / "saved/copy.csv", here / ".env")
    (here / ".env").write_bytes(b"HROMADA_KEY_FILE=\xff\n")
    (here / "project" / "rules.txt").write_text("Read.", "utf-8")
    refusal = refuse(here / "project", CASES["instructions_file"], "rules.txt")
    assert refusal.where is not None
    assert refusal.where.file == ".env"
