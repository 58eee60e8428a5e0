"""What is installed: the declared dependencies are the imported ones, and the runtime lock has no more than is used."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib import import_module, metadata, resources
from pathlib import Path
from typing import Any

import _consensus_methods
import jsonschema
import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
PACKAGES = ("aggregation", "annotation", "bot", "exports")
CITATION_SCHEMA = resources.files("check_jsonschema") / "builtin_schemas/vendor/citation-file-format.json"
NEVER_IMPORTED = {"scikit-learn", "pyspark", "sqlglot"}
"""Declared for their version: crowd-kit's Wawa fails with scikit-learn 1.8; Ibis imports the others."""
LOCKS = (
    "boot", "dev", "dist", "duckdb", "every-eval-ever", "harness", "inspect", "label-studio", "label-studio-sdk",
    "postgresql", "runtime", "site", "spark",
)  # fmt: skip


def normalise_name(name: str) -> str:
    """Return a distribution's name as packaging tools compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_names(requirements: list[str]) -> set[str]:
    """Return the names of distributions that a list of requirements asks for."""
    matches = (re.match(r"[\w.-]+", requirement) for requirement in requirements)
    return {normalise_name(match[0]) for match in matches if match}


def read_lock(name: str) -> set[str]:
    """Return the distributions that a file of `requirements` names."""
    return read_names((ROOT / "requirements" / name).read_text("utf-8").splitlines())


@cache
def read_project() -> dict[str, Any]:
    """Return the table `project` of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return table


@cache
def read_imports() -> set[str]:
    """Return the full names of all modules outside the standard library and hromada that the four packages import."""
    found = set()
    for name in PACKAGES:
        for file in Path(str(import_module(name).__file__)).parent.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Import):
                    found |= {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                    found.add(node.module)
    ours = {*PACKAGES, *sys.stdlib_module_names}
    return {name for name in found if name.partition(".")[0] not in ours}


@cache
def list_distributions() -> dict[str, list[str]]:
    """Return the names of the distributions that install each top-level module; reading them all takes a second."""
    return {name: [*map(normalise_name, found)] for name, found in metadata.packages_distributions().items()}


def find_distribution(module: str) -> str:
    """Return the distribution of a module; several share a top-level name if it is a namespace, like `fluent`."""
    top = module.partition(".")[0]
    candidates = set(list_distributions()[top])
    if len(candidates) > 1:
        candidates &= {normalise_name(".".join(module.split(".")[:2]))}
    assert len(candidates) == 1, (module, candidates)
    return candidates.pop()


def test_the_project_declares_what_it_imports() -> None:
    """No imported distribution is missing from the dependencies and extras, and no declared one is unused."""
    extras = read_project()["optional-dependencies"].values()
    declared = read_names([*read_project()["dependencies"], *(name for extra in extras for name in extra)])
    imported = {find_distribution(module) for module in read_imports()}
    assert len(imported) > 20
    assert imported - declared == set()
    assert declared - imported == NEVER_IMPORTED


def list_imports_at_top() -> dict[str, set[str]]:
    """Return what each module of the packages imports as soon as it is imported, without types for annotations."""
    found = {}
    for name in PACKAGES:
        folder = Path(str(import_module(name).__file__)).parent
        for file in folder.rglob("*.py"):
            module = ".".join(file.relative_to(folder.parent).with_suffix("").parts).removesuffix(".__init__")
            imported: set[str] = set()
            for node in ast.parse(file.read_text("utf-8")).body:
                if isinstance(node, ast.Import):
                    imported |= {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module:
                    imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            found[module] = imported
    return found


def test_what_is_optional_is_imported_where_it_is_needed() -> None:
    """An extra is not there in `make demo`: a module that cannot do without one is imported inside a function."""
    extras = {
        name for requirements in read_project()["optional-dependencies"].values() for name in read_names(requirements)
    }
    packages = {package for package, names in list_distributions().items() if set(map(normalise_name, names)) & extras}
    assert {"psycopg", "lm_eval", "label_studio_sdk", "ibis"} <= packages
    at_top = list_imports_at_top()
    needing = {module for module, names in at_top.items() if {name.split(".")[0] for name in names} & packages}
    assert "annotation.store.postgresql_connections" in needing
    others = {module: names & needing for module, names in at_top.items() if module not in needing}
    assert {module: names for module, names in others.items() if names} == {}


def test_the_wheel_caps_what_it_never_imports() -> None:
    """Someone who installs the wheel gets a scikit-learn that crowd-kit's methods work with."""
    required = [name for name in metadata.requires("hromada") or () if name.startswith("scikit-learn")]
    assert required == ["scikit-learn<1.8,>=1.7"]


def test_the_runtime_lock_has_every_dependency() -> None:
    """Everything that the wheel requires without an extra is in the lock of `make install`."""
    needed = read_names(read_project()["dependencies"])
    assert needed - read_lock("runtime.lock") == set()
    extras = {name: read_names(extra) for name, extra in read_project()["optional-dependencies"].items()}
    locks = {name: f"{'label-studio-sdk' if name == 'label-studio' else name}.lock" for name in extras}
    assert {name: names - read_lock(locks[name]) for name, names in extras.items()} == {name: set() for name in locks}


def test_the_runtime_lock_leaves_out_what_nothing_uses() -> None:
    """Neither the left-out packages are in it, nor anything that only they need, nor any tool."""
    excluded = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["uv"]["exclude-dependencies"]
    assert excluded == ["transformers"]
    assert [name for name in LOCKS if set(excluded) & read_lock(f"{name}.lock")] == []
    left_out = read_lock("left-out.in")
    assert left_out == {"nltk"}
    brought = {"huggingface-hub", "regex", "safetensors", "tokenizers"}
    tools = {"hatchling", "lm-eval", "mypy", "playwright", "pytest", "ruff", "uv"}
    assert read_lock("runtime.lock") & (left_out | brought | tools) == set()
    assert read_lock("boot.lock") >= {"hatchling", "uv"}


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_has_hashes_and_no_address(name: str) -> None:
    """Each pin has a hash, and no line names an index or a file."""
    text = (ROOT / "requirements" / f"{name}.lock").read_text("utf-8")
    pins = re.findall(r"^[\w.-]+==.*(?:\n    --hash=sha256:[0-9a-f]{64}.*)+", text, re.MULTILINE)
    assert len(pins) == len(re.findall(r"^\S+==", text, re.MULTILINE)) > 0
    assert "://" not in text
    assert "--index" not in text


@pytest.mark.slow
@pytest.mark.process
def test_every_consensus_method_works_on_the_runtime_lock() -> None:
    """In a process that can import only what the lock installs, each method gives the same labels as here."""
    installed = {*read_lock("runtime.lock"), "hromada"}
    blocked = {
        module
        for module, names in list_distributions().items()
        if module.isidentifier() and installed.isdisjoint(names)
    }
    blocked -= set(PACKAGES)
    blocked |= {"nltk", "tokenizers", "transformers"}  # the tools' environment may have them or not
    command = [sys.executable, _consensus_methods.__file__, *sorted(blocked)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    said = json.loads(ran.stdout)
    assert said["labels"] == _consensus_methods.label_by_every_method()
    assert not {"nltk", "transformers"} & set(said["tried"])


def test_the_citation_is_of_this_version() -> None:
    """CITATION.cff is valid by the schema of its format, and says what pyproject.toml says."""
    citation = YAML(typ="safe").load(ROOT / "CITATION.cff")
    jsonschema.validate(citation, json.loads(CITATION_SCHEMA.read_text("utf-8")))
    for key, value in {"title": "name", "abstract": "description", "version": "version", "license": "license"}.items():
        assert citation[key] == read_project()[value]
    assert citation["keywords"] == read_project()["keywords"]
