"""Project files that name files outside: refused with file, line, field and remedy, unless it is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

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
PROGRAMME = "programme: both\ntitle: Both\nlanguage: en\nprojects:\n  - file: project.yaml\n"
CASES = [
    (PROJECT.replace("items.csv", "OUTSIDE"), "items.file", 6),
    (PROJECT + "instructions_file: OUTSIDE\n", "instructions_file", 7),
    (PROJECT + "consent:\n  file: OUTSIDE\n  version: 1\n", "consent.file", 8),
    (PROJECT + "controls: {pool: {file: OUTSIDE}, rate: 10 %}\n", "controls.pool.file", 7),
    (PROJECT + "stages: {pilot: {pool: {file: OUTSIDE}, number: 1}}\n", "stages.pilot.pool.file", 7),
    (PROJECT + "stages: {training: {pool: {file: OUTSIDE}}}\n", "stages.training.pool.file", 7),
    (
        PROJECT + "stages: {qualification: {pool: {file: OUTSIDE}, pass_mark: 60 %}}\n",
        "stages.qualification.pool.file",
        7,
    ),
    (VOTES + VOTED.replace("votes.csv", "OUTSIDE"), "votes.file", 7),
    (VOTES + VOTED + "truth: {file: OUTSIDE, item: text, gold: gold}\n", "truth.file", 8),
    (
        PROJECT.replace("type: choice, text: Which?, options: [x, y]", "type: text, text: Which?")
        + "quality:\n  - {rule: text, refuses: [words], words: OUTSIDE, consequence: flag}\n",
        "quality.0.words",
        8,
    ),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's folder, seen from another one; the secret lies in neither."""
    for name in ("project", "here", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "elsewhere" / "secret.txt").write_text("secret", "utf-8")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "project"


def write(folder: Path, text: str, path: str | Path) -> Path:
    """The project file with a path where OUTSIDE stands."""
    file = folder / "project.yaml"
    file.write_text(text.replace("OUTSIDE", str(path)), "utf-8")
    return file


@pytest.mark.parametrize(("text", "field", "line"), CASES, ids=[field for _, field, _ in CASES])
@pytest.mark.parametrize("how", ["absolute", "relative", "link", "linked folder", "missing"])
def test_a_file_outside_is_refused(folder: Path, text: str, field: str, line: int, how: str) -> None:
    """Whatever key names it, and however: the place and the remedy are told, and its content is not."""
    secret = folder.parent / "elsewhere" / "secret.txt"
    (folder / "link.txt").symlink_to(secret)
    (folder / "linked").symlink_to(secret.parent)
    paths: dict[str, str | Path] = {
        "absolute": secret, "relative": "../elsewhere/secret.txt", "link": "link.txt",
        "linked folder": "linked/secret.txt", "missing": "../elsewhere/none.txt",
    }  # fmt: skip
    file = write(folder, text, paths[how])
    with pytest.raises(BadInput) as refusal:
        project_file.read_project(file)
    where = refusal.value.where
    assert where is not None
    assert (where.file, where.line, where.field) == (file, line, field)
    assert f"{str(paths[how])!r} is outside" in str(refusal.value)
    assert "--allow-outside" in str(refusal.value)
    assert project_file.read_project(file, allow_outside=True).name == "words"


@pytest.mark.parametrize(("text", "field", "line"), CASES, ids=[field for _, field, _ in CASES])
def test_a_file_in_either_folder_is_accepted(folder: Path, text: str, field: str, line: int) -> None:
    """Beside the project file or below it, in the current folder, or by a link from one to the other."""
    assert field
    assert line
    (folder / "link.txt").symlink_to(folder.parent / "here" / "file.txt")
    for path in ("file.txt", "data/file.txt", "../project/file.txt", "../here/file.txt", "link.txt"):
        assert project_file.read_project(write(folder, text, path)).name == "words"


def test_a_link_without_an_end_is_accepted_as_missing(folder: Path) -> None:
    """A link to itself leads nowhere outside; reading it is what fails."""
    (folder / "loop.txt").symlink_to(folder / "loop.txt")
    file = write(folder, PROJECT + "instructions_file: OUTSIDE\n", "loop.txt")
    with pytest.raises(BadInput, match="cannot be read"):
        project_file.read_project(file).read_instructions()


def test_the_root_is_no_folder_where_everything_may_lie(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that runs in `/` allows no more than the project's folder."""
    monkeypatch.chdir("/")
    file = write(folder, PROJECT + "instructions_file: OUTSIDE\n", "/etc/passwd")
    with pytest.raises(BadInput, match="is outside"):
        project_file.read_project(file)


def test_a_programme_and_its_projects_are_checked(folder: Path) -> None:
    """Its consent, the project files that it lists, and the files that these name."""
    write(folder, PROJECT, "")
    programme = folder / "programme.yaml"
    programme.write_text(PROGRAMME, "utf-8")
    assert programme_file.read_programme(programme).projects[0].name == "words"
    for text, field in (
        (PROGRAMME + "consent: {file: ../elsewhere/secret.txt, version: 1}\n", "consent.file"),
        (PROGRAMME.replace("project.yaml", "../elsewhere/project.yaml"), "projects.0.file"),
    ):
        programme.write_text(text, "utf-8")
        with pytest.raises(BadInput, match="is outside") as refusal:
            programme_file.read_programme(programme)
        assert refusal.value.where is not None
        assert refusal.value.where.field == field
    programme.write_text(PROGRAMME, "utf-8")
    write(folder, PROJECT + "consent: {file: OUTSIDE, version: 1}\n", "../elsewhere/secret.txt")
    with pytest.raises(BadInput, match="is outside"):
        programme_file.read_programme(programme)
    assert programme_file.read_programme(programme, allow_outside=True).projects[0].name == "words"


def test_a_stored_definition_is_read_wherever_its_files_lie(folder: Path) -> None:
    """What was allowed when it was loaded is not asked again."""
    file = write(folder, PROJECT, "../elsewhere/items.csv")
    stored = project_file.read_project(file, allow_outside=True).definition.model_dump(mode="json")
    assert project_file.parse_definition(stored).project == "words"
