"""The files in docs/reference/json have what each command prints with `--json`; `_json_schemas` compares them."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _json_schemas
import jsonschema
import pytest
import typer
from _json_schemas import learn_all

from bot.cli import app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _command import Hromada

VOTES = """\
picture,gold,ann,bob,eve,ivan,olha,taras
1,cat,cat,cat,cat,cat,cat,cat
2,dog,dog,dog,dog,dog,cat,dog
3,cat,cat,cat,dog,cat,cat,dog
4,dog,dog,cat,dog,dog,dog,dog
5,cat,cat,cat,cat,dog,cat,cat
6,dog,dog,dog,cat,dog,dog,dog
"""
FILES = sorted(_json_schemas.FOLDER.iterdir())


def list_commands(command: Any = app, parent: Any = None, name: str = "") -> Iterator[str]:
    """The commands that have `--json`, each with the names of its groups."""
    with typer.Context(command, parent=parent, info_name=name) as context:
        if any("--json" in param.opts for param in getattr(command, "params", ())):
            yield context.command_path.strip()
        for below in getattr(command, "commands", ()):
            yield from list_commands(command.get_command(context, below), context, below)


def test_every_command_with_json_has_a_schema() -> None:
    """And no file is left of a command that was removed."""
    assert [file.name for file in FILES] == sorted(_json_schemas.get_file(name).name for name in list_commands())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.partition(".")[0])
def test_a_schema_is_one_and_its_classes_are_as_they_are(file: Path) -> None:
    """Every class that a document names has its fields of today."""
    schema = json.loads(file.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    for name, description in schema.get("$defs", {}).items():
        assert description == _json_schemas.describe_classes()[name]


@pytest.mark.parametrize("command", ["agreement", "baseline", "status", "people"])
def test_real_output_is_as_its_schema_says(hromada: Hromada, command: str) -> None:
    """For any program that reads JSON Schema; without a required key it is not."""
    hromada("new", "animals", "--from", hromada.write("votes.csv", VOTES))
    hromada("load", "animals/project.yaml")
    hromada("import", "animals")
    printed = hromada(command, "animals", "--json").json
    file = _json_schemas.get_file(str(_json_schemas.find_command(command, "animals")))
    schema = jsonschema.Draft202012Validator(json.loads(file.read_text("utf-8")))
    schema.validate(printed)
    schema.validate(printed | {"a key of a later release": 1})
    del printed[next(iter(printed))]
    assert not schema.is_valid(printed)


def learn(*documents: Any, command: str = "plan") -> tuple[dict[str, Any], list[str]]:
    """The shapes that were learned one after another, and what the last one changed."""
    schema: dict[str, Any] = {}
    changes: list[str] = []
    for document in documents:
        changes = learn_all(schema, command, [document])
    return {shape.pop("title"): shape for shape in schema["anyOf"]}, changes


@pytest.mark.parametrize(
    ("known", "printed", "change"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, ["plan has b", "plan/b is integer"]),
        ({"a": 1, "b": 2}, {"a": 1}, ["plan has no b"]),
        ({"a": 1}, {"a": "1"}, ["plan/a is string"]),
        ({"a": 1}, {"a": 1.5}, ["plan/a is number"]),
        ({"a": 1.5}, {"a": 1}, []),
        ({"a": 1}, {"a": None}, ["plan/a is null"]),
        ({"a": None}, {"a": None}, []),
        ({"a": None}, {"a": 1}, ["plan/a is integer"]),
        ({"a": [1]}, {"a": [1, "x"]}, ["plan/a[] is string"]),
        ({"a": []}, {"a": [{"b": 1}]}, ["plan/a[] is object", "plan/a[] has b", "plan/a[]/b is integer"]),
        ({"a": 1}, [1], ["a document of another shape (a list)", "plan is array", "plan[] is integer"]),
    ],
)
def test_what_a_schema_has_not_is_a_change(known: Any, printed: Any, change: list[str]) -> None:
    """After which it has it: the same document changes nothing."""
    assert learn(known, printed)[1] == change
    assert learn(known, printed, printed)[1] == []


def test_keys_that_are_data_are_in_no_schema() -> None:
    """Ids, labels and annotators stand for any; a key that some documents lack is not required."""
    documents = [{"skills": {name: 0.5}, "marginals": None, **more} for name, more in (("ann", {"n": 1}), ("bob", {}))]
    [schema] = learn(*documents, command="aggregate")[0].values()
    assert schema == {
        "type": "object",
        "properties": {
            "skills": {"type": "object", "additionalProperties": {"type": "number"}},
            "marginals": {"description": "Null whenever a test printed it."},
            "n": {"type": "integer"},
        },
        "required": ["marginals", "skills"],
    }
    cuts = learn({"cuts": [{"cut": 0.6, "share_of_cat": 0.4}]}, command="sensitivity")[0]["an object"]
    assert cuts["properties"]["cuts"]["items"] == {
        "type": "object",
        "properties": {"cut": {"type": "number"}},
        "required": ["cut"],
        "patternProperties": {"^share_of_": {"type": "number"}},
    }


def test_every_key_in_a_schema_is_named_by_the_program() -> None:
    """A name or a label of a test that got into one is to be listed in DATA_KEYS."""
    named, starts, ends = list_names()
    keys = {key for file in FILES for key in list_keys(json.loads(file.read_text("utf-8")))}
    assert len(keys) > 500
    unknown = [key for key in keys - named if not key.startswith(tuple(starts)) and not key.endswith(tuple(ends))]
    assert sorted(unknown) == []


def list_keys(schema: Any) -> Iterator[str]:
    """The keys of objects that a schema has."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
    for below in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from list_keys(below)


def list_names() -> tuple[set[str], set[str], set[str]]:
    """The strings and names in the source of the packages, and the fixed starts and ends of strings made with f"…"."""
    named: set[str] = set()
    starts: set[str] = set()
    ends: set[str] = set()
    for package in ("aggregation", "annotation", "bot", "exports"):
        for file in Path(import_module(package).__path__[0]).rglob("*.py"):
            text = file.read_text("utf-8")
            named.update(re.findall(r'"([^"\n]+)"', text), re.findall(r"\b(\w+)[:=]", text))
            ends.update(re.findall(r'\}([^"{}\n]{4,})"', text))
            starts.update(re.findall(r'f"([^"{}\n]{4,})\{', text))
    return named, starts, ends
