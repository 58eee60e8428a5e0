"""The tests run on the wheel with the shared data, and the code keeps the rules of the project."""

from __future__ import annotations

import ast
import importlib
import os
import re
import sysconfig
import tomllib
from collections import Counter
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
from _test_meter import PROCESS_TESTS

PACKAGES = ("aggregation", "annotation", "bot", "exports")
ONE_WORD = 0.25
"""The largest share of public functions whose name is one word."""


@pytest.fixture(scope="session", autouse=True)
def _read_sources() -> None:
    """Read and parse all files once, for whichever test comes first."""
    modules()


@cache
def sources() -> dict[str, str]:
    """Every file of text in the four packages as they are installed: its path, with its content."""
    root = Path(sysconfig.get_path("purelib"))
    files = [file for name in PACKAGES for file in sorted((root / name).rglob("*")) if file.is_file()]
    binary = {".pyc", ".png", ".ico", ".woff2"}
    return {str(file.relative_to(root)): file.read_text("utf-8") for file in files if file.suffix not in binary}


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the four packages, parsed."""
    return {path: ast.parse(text) for path, text in sources().items() if path.endswith(".py")}


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
        "exports/inspect_ai/tasks.py.txt",
        "exports/report/templates/report.html.j2",
        "annotation/store/migrations/versions/v0001_initial.py",
        *(f"{name}/py.typed" for name in PACKAGES),
    ):
        assert needed in files
    tops = {file.split("/")[0] for file in files if not file.startswith((".", "hromada-"))}
    assert tops == set(PACKAGES)


def test_the_shared_folder_is_there_where_it_is_named() -> None:
    """HROMADA_SHARED may be unset, but it must not name a folder that is not there."""
    folder = os.environ.get("HROMADA_SHARED")
    assert folder is None or (Path(folder).is_absolute() and (Path(folder) / "data").is_dir())


def test_no_module_is_too_long() -> None:
    """A file over 500 lines holds more than one noun; migrations are lists and may be longer."""
    assert [
        path for path in modules() if "/migrations/versions/" not in path and len(sources()[path].splitlines()) > 500
    ] == []


def test_functions_are_named_by_a_verb_and_a_noun() -> None:
    """One word is fine where the module completes it, but only there. Commands are named by what people type."""
    names = [
        f"{path}:{node.name}"
        for path, module in modules().items()
        if not path.startswith("bot/commands/")
        for node in module.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
    ]
    short = [name for name in names if "_" not in name.split(":")[1].strip("_")]
    assert len(names) > 500
    assert len(short) <= ONE_WORD * len(names), short


def test_a_class_name_means_one_thing() -> None:
    """No public class of one module is called as a public class of another."""
    names = Counter(
        node.name
        for module in modules().values()
        for node in module.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_nobody_is_she() -> None:
    """An annotator is an annotator, or they: in code, comments and English texts."""
    she = re.compile(r"\b(she|her|hers|herself)\b", re.IGNORECASE)
    assert [
        f"{path}:{number}"
        for path, text in sources().items()
        for number, line in enumerate(text.splitlines(), start=1)
        if she.search(line)
    ] == []


def test_siblings_import_each_other_in_one_direction() -> None:
    """Nothing is left out of the contract that finds circles."""
    contracts = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    acyclic = [contract for contract in contracts if contract["type"] == "acyclic_siblings"]
    assert {ancestor for contract in acyclic for ancestor in contract["ancestors"]} == set(PACKAGES)
    assert not any(contract.get("ignore_imports") or contract.get("skip_descendants") for contract in acyclic)


def test_few_tests_start_processes(request: pytest.FixtureRequest) -> None:
    """A process costs what fifty commands in the test's own cost."""
    assert (
        request.config.stash[PROCESS_TESTS] <= 65
    )  # four of them start Inspect AI, which has an environment of its own
