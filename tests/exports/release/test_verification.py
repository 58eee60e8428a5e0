"""Whatever is altered in a release is found: by the manifest, and without it by computing everything again."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exports import writers
from exports.lm_eval.results import MANIFEST
from exports.release import (
    ReleaseFolder,
    build_release_folder,
    verification,
    verify_folder,
    write_release_folder,
)
from exports.release.folder import hash_content
from exports.release_state import ReleaseInputs

Contents = dict[str, bytes]
pytestmark = pytest.mark.usefixtures("computed_once")


def encode(built: ReleaseFolder) -> Contents:
    return {path: own.encode() if isinstance(own, str) else own for path, own in built.files.items()}


def write(folder: Path, contents: Contents, *, new_manifest: bool) -> None:
    """Write a release as somebody would who alters it, with the hashes of the manifest made anew or not."""
    contents = dict(contents)
    if new_manifest:
        manifest = json.loads(contents[MANIFEST])
        manifest["files"] = {path: hash_content(own) for path, own in sorted(contents.items()) if path != MANIFEST}
        contents[MANIFEST] = writers.format_json(manifest).encode()
    for path, own in contents.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(own)


def alter(path: str, content: bytes, rng: random.Random) -> tuple[bytes, str]:
    """The file with one cell, value or line altered, and the name of the altered column or the number of the line."""
    if path.endswith(".csv"):
        return alter_table(content.decode(), rng)
    if path.endswith(".parquet"):
        return alter_parquet(content, rng)
    lines = content.decode().split("\n")
    number = rng.choice([place for place, line in enumerate(lines) if line.strip()])
    letters = [place for place, letter in enumerate(lines[number]) if letter.isalnum()] or [0]
    place = rng.choice(letters)
    old = lines[number][place]
    lines[number] = lines[number][:place] + ("7" if old != "7" else "3") + lines[number][place + 1 :]
    return "\n".join(lines).encode(), ""


def alter_table(text: str, rng: random.Random) -> tuple[bytes, str]:
    rows = list(csv.reader(io.StringIO(text, newline="")))
    if len(rows) == 1:  # a table without rows
        rows[0][0] += "x"
        return format_rows(rows), "columns"
    row, column = rng.randrange(1, len(rows)), rng.randrange(len(rows[0]))
    old = rows[row][column]
    rows[row][column] = "0.123" if old != "0.123" else "0.321"
    return format_rows(rows), f"column {rows[0][column]}"


def format_rows(rows: list[list[str]]) -> bytes:
    quoted = [
        [f'"{cell.replace(chr(34), chr(34) * 2)}"' if set(cell) & set(',"\r\n') else cell for cell in row]
        for row in rows
    ]
    return "".join(",".join(row) + "\n" for row in quoted).encode()


def alter_parquet(content: bytes, rng: random.Random) -> tuple[bytes, str]:
    table = pq.read_table(io.BytesIO(content))
    names = [name for name in table.column_names if pa.types.is_string(table.schema.field(name).type)]
    name = rng.choice(names)
    cells = table[name].to_pylist()
    cells[rng.randrange(len(cells))] = "altered"
    place = table.column_names.index(name)
    altered = table.set_column(place, table.schema.field(name), pa.array(cells, table.schema.field(name).type))
    buffer = io.BytesIO()
    pq.write_table(altered, buffer)
    return buffer.getvalue(), f"column {name}"


def is_raw(path: str) -> bool:
    return path.startswith("inputs/")


def test_an_untouched_release_is_verified(tmp_path: Path, built: ReleaseFolder) -> None:
    write_release_folder(built, tmp_path / "out")
    found = verify_folder(tmp_path / "out")
    assert (found.findings, found.notes) == ((), ())
    assert found.n_files == len(built.files)


def test_the_same_inputs_give_the_same_bytes(inputs: ReleaseInputs, built: ReleaseFolder) -> None:
    assert encode(build_release_folder(inputs)) == encode(built)


@pytest.mark.slow
def test_hidden_gold_is_verified_too(tmp_path: Path, hidden: ReleaseInputs) -> None:
    made = build_release_folder(hidden)
    assert made.has_hidden_gold
    write_release_folder(made, tmp_path)
    assert verify_folder(tmp_path).findings == ()


@given(seed=st.integers(0, 2**32))
@settings(
    max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_an_altered_cell_of_every_file_is_found(
    tmp_path_factory: pytest.TempPathFactory, built: ReleaseFolder, seed: int
) -> None:
    """One random cell of each file: without the hashes every file is named, and of computed tables the cell."""
    rng = random.Random(seed)  # noqa: S311
    contents = encode(built)
    altered, marks = dict(contents), {}
    for path in contents:
        if path != MANIFEST and not is_raw(path):
            altered[path], marks[path] = alter(path, contents[path], rng)
    folder = tmp_path_factory.mktemp("altered")
    write(folder, altered, new_manifest=True)
    problems = {one.file: one.problem for one in verify_folder(folder).findings}
    assert problems.keys() == marks.keys()
    for path, mark in marks.items():
        assert mark in problems[path], (path, problems[path])


@given(seed=st.integers(0, 2**32))
@settings(
    max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_an_altered_cell_of_one_file_names_that_file_alone(
    tmp_path_factory: pytest.TempPathFactory, built: ReleaseFolder, seed: int
) -> None:
    """Of any file, the raw ones too, with the manifest as it was."""
    rng = random.Random(seed)  # noqa: S311
    contents = encode(built)
    path = rng.choice([one for one in contents if one != MANIFEST])
    contents[path], _ = alter(path, contents[path], rng)
    folder = tmp_path_factory.mktemp("altered")
    write(folder, contents, new_manifest=False)
    found = {one.file for one in verify_folder(folder).findings}
    assert path in found
    assert is_raw(path) or found == {path}


def test_files_that_are_missing_or_too_many_are_named(tmp_path: Path, built: ReleaseFolder) -> None:
    contents = encode(built)
    del contents["gold.csv"]
    contents["more.csv"] = b"a\n"
    for new_manifest in (False, True):
        folder = tmp_path / str(new_manifest)
        write(folder, contents, new_manifest=new_manifest)
        assert {one.file for one in verify_folder(folder).findings} == {"gold.csv", "more.csv"}


@pytest.mark.parametrize(
    ("field", "value"), [("stamp", "none"), ("draft", True), ("name", "other"), ("status", "secondary"), ("more", 1)]
)
def test_an_altered_manifest_is_found(tmp_path: Path, built: ReleaseFolder, field: str, value: object) -> None:
    contents = encode(built)
    contents[MANIFEST] = writers.format_json(json.loads(contents[MANIFEST]) | {field: value}).encode()
    write(tmp_path, contents, new_manifest=False)
    assert verify_folder(tmp_path).findings


def test_a_broken_raw_file_is_named(tmp_path: Path, built: ReleaseFolder) -> None:
    contents = encode(built)
    path = next(one for one in contents if one.endswith("responses.jsonl"))
    contents[path] = b"no json\n"
    write(tmp_path, contents, new_manifest=True)
    (found,) = verify_folder(tmp_path).findings
    assert found.file == path


def test_votes_that_contradict_their_items_are_a_finding(tmp_path: Path, built: ReleaseFolder) -> None:
    """Raw files that can be read, of which nothing can be computed."""
    contents = encode(built)
    path = next(one for one in contents if one.endswith("responses.jsonl"))
    contents[path] = contents[path].replace('"так"'.encode(), '"ніколи"'.encode(), 1)
    write(tmp_path, contents, new_manifest=True)
    assert verify_folder(tmp_path).findings


def test_a_folder_that_is_no_release_is_refused(tmp_path: Path) -> None:
    from aggregation.errors import HromadaError

    for content in (None, b"{}", b"no json", b'{"kind": "other"}', b'{"kind": "hromada release", "files": []}'):
        if content is not None:
            (tmp_path / MANIFEST).write_bytes(content)
        with pytest.raises(HromadaError, match="is not a release"):
            verify_folder(tmp_path)


@pytest.mark.slow
def test_replays_of_another_harness_are_compared_with_the_manifest(
    tmp_path: Path, make_release: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the harness of the release is not installed, its files are taken as they are, and that is said."""
    from exports.lm_eval.replay import get_harness_version

    version = get_harness_version()
    if not version:
        pytest.skip("the harness is not installed")
    made = build_release_folder(make_release.inputs(harness=version))
    results = [path for path in made.files if path.startswith("benchmark/results/")]
    assert results
    write_release_folder(made, tmp_path)
    again = verify_folder(tmp_path)
    assert (again.findings, again.notes) == ((), ())
    monkeypatch.setattr(verification, "get_harness_version", lambda: "")
    found = verify_folder(tmp_path)
    assert found.findings == ()
    assert version in found.notes[0]
    (tmp_path / results[0]).write_bytes(b"{}")
    assert {one.file for one in verify_folder(tmp_path).findings} >= {results[0]}


def test_half_a_character_is_refused_with_its_place(make_release: Any) -> None:
    from aggregation.errors import HromadaError

    project = make_release.project(title="half \ud83d of it")
    with pytest.raises(HromadaError, match="Half a character"):
        build_release_folder(make_release.inputs(project=project))
