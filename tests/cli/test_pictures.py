"""Projects with pictures on the command line: checked, loaded, started, and refused where nothing holds them yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from _pictures import write_items, write_project

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


@pytest.mark.parametrize(
    ("command", "holder"),
    [
        (("build", "birds", "out"), "a benchmark"),
        (("release", "birds", "out", "--unblind"), "a benchmark"),
        (("follow-up", "out", "--from", "birds", "--unblind"), "the items of a follow-up project"),
    ],
)
def test_what_cannot_hold_pictures_says_so(hromada: Hromada, command: tuple[str, ...], holder: str) -> None:
    """In one sentence, and writes nothing."""
    assert hromada("load", str(write_project(hromada.folder / "birds"))).code == 0
    refused = hromada(*command)
    sentence = (
        f"The items of 'birds' show pictures, which {holder} cannot hold yet. Take a project without `as: image`."
    )
    assert (refused.code, sentence in " ".join(refused.err.split())) == (2, True)
    assert not (hromada.folder / "out").exists()
