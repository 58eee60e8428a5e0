"""A release that was altered at random is found out; one that went through Git, caches and editors is not blamed."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from aggregation.errors import HromadaError
from exports.foreign_files import GIT_ATTRIBUTES
from exports.lm_eval.results import MANIFEST
from exports.release import ReleaseFolder, verify_folder, write_release_folder
from exports.release.folder import hash_content

pytestmark = pytest.mark.usefixtures("computed_once")

Alter = Callable[[Path, random.Random], None]


def list_paths(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def choose_path(folder: Path, rng: random.Random) -> Path:
    """Any file of the release that is not empty."""
    return rng.choice([path for path in list_paths(folder) if path.stat().st_size])


def flip_byte(folder: Path, rng: random.Random) -> None:
    path = choose_path(folder, rng)
    content = bytearray(path.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def truncate(folder: Path, rng: random.Random) -> None:
    path = choose_path(folder, rng)
    content = path.read_bytes()
    path.write_bytes(content[: rng.randrange(len(content))])


def swap(folder: Path, rng: random.Random) -> None:
    one = choose_path(folder, rng)
    other = rng.choice([path for path in list_paths(folder) if path.read_bytes() != one.read_bytes()])
    kept = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(kept)


def rename(folder: Path, rng: random.Random) -> None:
    path = rng.choice(list_paths(folder))
    path.rename(path.with_name(rng.choice([f"{path.name}.bak", path.name.upper() + "2", "x.csv"])))


def remove(folder: Path, rng: random.Random) -> None:
    rng.choice(list_paths(folder)).unlink()


def add(folder: Path, rng: random.Random) -> None:
    path = rng.choice(list_paths(folder))
    copy = path.with_name(f"copy-{path.name}")
    shutil.copy(path, copy)


def edit_manifest(folder: Path, rng: random.Random) -> None:
    manifest = json.loads((folder / MANIFEST).read_bytes())
    path = rng.choice(sorted(manifest["files"]))
    match rng.randrange(4):
        case 0:
            del manifest["files"][path]
        case 1:
            manifest["files"][path] = hash_content(b"other")
        case 2:
            manifest["files"][f"{path}~"] = manifest["files"][path]
        case _:
            manifest["versions"]["hromada"] = "9.9.9"
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


def alter_with_manifest(folder: Path, rng: random.Random) -> None:
    """A number in a computed table, and its hash in the manifest."""
    path = rng.choice([one for one in list_paths(folder) if one.suffix == ".csv" and "inputs" not in one.parts])
    path.write_text(path.read_text("utf-8") + "1\n", encoding="utf-8")
    manifest = json.loads((folder / MANIFEST).read_bytes())
    manifest["files"][path.relative_to(folder).as_posix()] = hash_content(path.read_bytes())
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


ALTERATIONS: tuple[Alter, ...] = (flip_byte, truncate, swap, rename, remove, add, edit_manifest, alter_with_manifest)


@pytest.mark.slow
def test_sixty_random_alterations_are_found(tmp_path: Path, built: ReleaseFolder) -> None:
    folder = tmp_path / "release"
    for seed in range(60):
        write_release_folder(built, folder)
        alter = ALTERATIONS[seed % len(ALTERATIONS)]
        alter(folder, random.Random(seed))  # noqa: S311
        try:
            found = len(verify_folder(folder).findings)
        except HromadaError:  # its manifest cannot be read
            found = 1
        assert found, (seed, alter.__name__)
        shutil.rmtree(folder)


def run_git(folder: Path, *words: str) -> None:
    """Git as on Windows, where it changes line ends."""
    options = ("core.autocrlf=true", "user.name=x", "user.email=x@x", "core.safecrlf=false")
    env = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", *(word for option in options for word in ("-c", option)), *words]
    subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True)


def clone(folder: Path) -> Path:
    """The release as somebody gets it who clones it where line ends are changed."""
    run_git(folder, "init", "-q")
    run_git(folder, "add", "-A", "-f")
    run_git(folder, "commit", "-q", "-m", "A release")
    there = folder.with_name("clone")
    run_git(folder.parent, "clone", "-q", folder.name, there.name)
    return there


def zip_it(folder: Path) -> Path:
    archive = folder.with_suffix(".zip")
    with zipfile.ZipFile(archive, "w") as file:
        for path in list_paths(folder):
            file.write(path, path.relative_to(folder))
        file.writestr("__MACOSX/._gold.csv", b"\0")
    with zipfile.ZipFile(archive) as file:
        file.extractall(folder.with_name("unzipped"))
    return folder.with_name("unzipped")


def leave(name: str) -> Callable[[Path], Path]:
    """A change that leaves a file of another program at the top and in a folder."""

    def change(folder: Path) -> Path:
        for place in (folder, folder / "inputs", folder / "benchmark/lm_eval"):
            (place / name).parent.mkdir(exist_ok=True)
            if not (place / name).exists():
                (place / name).write_bytes(b"\0of another program\n")
        return folder

    return change


def touch(folder: Path) -> Path:
    for path in list_paths(folder):
        os.utime(path, (0, 0))
    return folder


def change_modes(folder: Path) -> Path:
    for path in list_paths(folder):
        path.chmod(0o755)
    return folder


def move(folder: Path) -> Path:
    return folder.rename(folder.with_name("під іншою назвою"))


def make_folder(folder: Path) -> Path:
    (folder / "tables/new folder").mkdir()
    return folder


INNOCENT: dict[str, Callable[[Path], Path]] = {
    "a clone with other line ends": clone,
    "a zip archive of a Mac": zip_it,
    "Python's cache": leave("__pycache__/tasks.cpython-311.pyc"),
    "a file manager": leave(".DS_Store"),
    "another one": leave("Thumbs.db"),
    "an editor's copy": leave("gold.csv~"),
    "an open editor": leave(".gold.csv.swp"),
    "a notebook": leave(".ipynb_checkpoints/look-checkpoint.ipynb"),
    "attributes of Git in a folder": leave(GIT_ATTRIBUTES),
    "times": touch,
    "modes": change_modes,
    "another name": move,
    "an empty folder": make_folder,
}
LEAVES_NOTHING = ("times", "modes", "another name", "an empty folder")


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory, built: ReleaseFolder) -> Path:
    folder = tmp_path_factory.mktemp("released") / "release"
    write_release_folder(built, folder)
    return folder


@pytest.mark.parametrize("change", INNOCENT)
def test_an_innocent_change_is_not_blamed(tmp_path: Path, released: Path, change: str) -> None:
    folder = tmp_path / "release"
    shutil.copytree(released, folder)
    found = verify_folder(INNOCENT[change](folder))
    assert (found.findings, found.notes, found.converted) == ((), (), ())
    assert bool(found.ignored) is (change not in LEAVES_NOTHING)


def test_line_ends_that_git_changed_are_told_by_name(tmp_path: Path, released: Path) -> None:
    """Without `.gitattributes`, as in a release whose hidden files were not copied, Git does change them."""
    folder = tmp_path / "release"
    shutil.copytree(released, folder)
    attributes = (folder / GIT_ATTRIBUTES).read_bytes()
    (folder / GIT_ATTRIBUTES).unlink()
    there = clone(folder)
    (there / GIT_ATTRIBUTES).write_bytes(attributes)
    found = verify_folder(there)
    assert (found.findings, found.ignored) == ((), (".git/",))
    texts = {path.relative_to(released).as_posix() for path in list_paths(released) if path.suffix != ".parquet"}
    assert MANIFEST in found.converted
    assert set(found.converted) < texts
    assert all(b"\r\n" in (there / path).read_bytes() for path in found.converted)
    table = there / "gold.csv"
    table.write_bytes(table.read_bytes().replace(b"1", b"2"))
    assert [one.file for one in verify_folder(there).findings] == ["gold.csv"]
