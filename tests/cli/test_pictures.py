"""Projects with pictures on the command line: from the check to the release and the next project."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pictures import PROJECT, write_items, write_project

if TYPE_CHECKING:
    from _command import Hromada


def test_a_project_of_pictures_lives(hromada: Hromada) -> None:
    """An unchanged file changes nothing, a changed picture is named, and no published file names a picture's."""
    file = write_project(hromada.folder / "birds")
    assert hromada("check", str(file)).code == 0
    assert hromada("load", str(file)).code == 0
    assert "nothing changed" in hromada("load", str(file)).out
    (file.parent / "pictures" / "owl.png").write_bytes((file.parent / "pictures" / "stork.jpg").read_bytes())
    refused = hromada("load", str(file))
    assert (refused.code, "(items changed: a)" in refused.err) == (2, True)
    assert hromada("load", str(file), "--yes").code == 0
    assert hromada("start", "birds").code == 0
    assert hromada("database", "check").code == 0
    assert hromada("export", "birds", "--unblind", "--to", "out").code == 0
    assert not [path for path in (hromada.folder / "out").iterdir() if b"pictures/" in path.read_bytes()]


def test_an_unusable_picture_has_its_place(hromada: Hromada) -> None:
    """File, line and column, and what to do."""
    file = write_project(hromada.folder / "birds")
    write_items(file.parent, "a,pictures/owl.png,,owl", "b,items.csv,,owl")
    checked = hromada("check", str(file))
    assert checked.code == 2
    assert "items.csv:3, file: 'items.csv' is not a JPEG, PNG or WebP picture. Save it in one of these" in checked.err


NAMES = (b"owl.png", b"stork.jpg")
VOTES = "votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: says}\n"
DECLARED = "declared: {licence: CC-BY-4.0, authors: Olena Kovalenko}\n"


@pytest.fixture
def birds(hromada: Hromada) -> Hromada:
    """The project with the votes of three people, who agree on both items."""
    file = write_project(hromada.folder / "birds", project=PROJECT.replace("overlap: 2\n", VOTES + DECLARED))
    votes = [f"{item},{who},{bird}" for item, bird in (("a", "owl"), ("b", "stork")) for who in "xyz"]
    (file.parent / "votes.csv").write_text("\n".join(["item,who,says", *votes]) + "\n", "utf-8")
    for command in ("load", "import"):
        done = hromada(command, file)
        assert done.code == 0, done.err
    return hromada


def hash_pictures(folder: Path) -> list[str]:
    """The hashes of the files of a folder, which are their names."""
    found = sorted(file.name for file in folder.iterdir())
    assert [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in found] == [
        name.partition(".")[0] for name in found
    ]
    return found


def test_a_build_says_how_a_model_sees(birds: Hromada) -> None:
    """The command names a model with vision, as `dummy` has none."""
    built = birds("build", "birds", "bench")
    assert built.code == 0, built.err
    said = " ".join(built.out.split())
    assert "--model hf-multimodal --apply_chat_template --model_args pretrained=MODEL --tasks birds --include" in said
    assert "dummy" not in said
    assert len(hash_pictures(birds.folder / "bench/lm_eval/data/pictures")) == 2


def test_a_release_has_its_pictures_and_is_computed_again(birds: Hromada) -> None:
    """Names of files, which can tell the answer, are in none of its files; a changed picture is found."""
    done = birds("release", "birds", "out", "--unblind", "--draft")
    assert done.code == 0, done.err
    folder = birds.folder / "out"
    assert not [
        path for path in folder.rglob("*") if path.is_file() and any(name in path.read_bytes() for name in NAMES)
    ]
    verified = birds("release", "--verify", "out")
    assert verified.code == 0, verified.out + verified.err
    pictures = folder / "benchmark/lm_eval/data/pictures"
    owl, stork = hash_pictures(pictures)
    content = (pictures / stork).read_bytes()
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["files"][f"benchmark/lm_eval/data/pictures/{owl}"] = hashlib.sha256(content).hexdigest()
    (pictures / owl).write_bytes(content)
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    verified = birds("release", "--verify", "out")
    assert (verified.code, "The name of a picture is not its SHA-256" in " ".join(verified.out.split())) == (1, True)


@pytest.mark.parametrize("target", ["next", "next/items.jsonl"])
def test_a_follow_up_has_its_pictures(birds: Hromada, target: str) -> None:
    """Only those of its items, under their hashes; the next project shows the same."""
    project = PROJECT.replace("items.csv", "items.jsonl").replace("project: birds", "project: next")
    how = ("--project", birds.write("next.yaml", project)) if target == "next" else ()
    done = birds("follow-up", target, "--from", "birds", "--where", "answer = owl", "--unblind", *how)
    assert done.code == 0, done.err
    folder = birds.folder / "next"
    (row,) = [json.loads(line) for line in (folder / "items.jsonl").read_text("utf-8").splitlines()]
    (name,) = hash_pictures(folder / "pictures")
    assert row["file"] == f"pictures/{name}"
    content = (birds.folder / "birds/pictures/owl.png").read_bytes()
    assert (folder / "pictures" / name).read_bytes() == content
    if how:
        loaded = birds("load", folder / "project.yaml")
        assert loaded.code == 0, loaded.err
        assert birds("database", "check").code == 0
