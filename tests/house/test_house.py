"""The tests run on what is shipped, with the data that was promised."""

from __future__ import annotations

import importlib
import os
import sysconfig
from importlib import metadata
from pathlib import Path

import pytest

PACKAGES = ("aggregation", "annotation", "bot", "exports")


@pytest.mark.parametrize("name", PACKAGES)
def test_the_packages_come_from_the_wheel(name: str) -> None:
    """What is tested is what is installed, not the checkout."""
    package = importlib.import_module(name)
    assert package.__file__ is not None
    assert Path(package.__file__).is_relative_to(sysconfig.get_path("purelib"))


def test_the_wheel_holds_every_file_that_is_no_code() -> None:
    """Words, templates, migrations and type markers are installed; tests and docker files are not."""
    files = {str(file) for file in metadata.files("hromada") or ()}
    for needed in (
        "annotation/label_studio/texts/uk.ftl",
        "bot/conversation/texts/uk.ftl",
        "bot/emulator/page/index.html",
        "bot/emulator/page/chat.js",
        "bot/emulator/page/words.json",
        "exports/report/templates/page.html.j2",
        "annotation/store/migrations/versions/v0001_first_form.py",
        *(f"{name}/py.typed" for name in PACKAGES),
    ):
        assert needed in files
    tops = {file.split("/")[0] for file in files if not file.startswith((".", "hromada-"))}
    assert tops == set(PACKAGES)


def test_the_shared_folder_is_there_where_it_is_named() -> None:
    """HROMADA_SHARED may be unset, but it must not name a folder that is not there."""
    folder = os.environ.get("HROMADA_SHARED")
    assert folder is None or (Path(folder).is_absolute() and (Path(folder) / "data").is_dir())
