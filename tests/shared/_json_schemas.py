"""What commands print with `--json`, compared with docs/reference/json by every test that runs one.

A test fails if a command prints a key or a type that its schema does not have, or leaves out a key that it requires.
With WRITE_SCHEMAS=1 the schema is changed instead. Delete a file first to make it only from what the tests print now:
then a key is required if every document of that shape has it. No value of a test gets into a schema.
"""

from __future__ import annotations

import fcntl
import importlib
import json
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "docs/reference/json"
WRITES = bool(os.environ.get("WRITE_SCHEMAS"))
KINDS = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
CLASSES = {
    "Coefficient": "aggregation.agreement.table",
    "Unit": "aggregation.scores.performance",
    "Opinion": "aggregation.opinions.opinions",
    "OpinionDifference": "aggregation.opinions.opinions",
    "BackupManifest": "annotation.store.backups.manifest",
}
"""Dataclasses with their modules. An object with the fields of one, or of a class inside it, is described by it."""
SHAPES = {
    "adjudicate": ("sent",),
    "agreement": ("pairs",),
    "baseline": ("means", "no_scores", "reason"),
    "check": ("projects",),
    "close": ("projects",),
    "compare": ("comparisons", "projects"),
    "database backup": ("manifest",),
    "extend": ("projects",),
    "load": ("changes", "projects"),
    "new": ("project file",),
    "pause": ("projects",),
    "rank": ("rankings", "file"),
    "release": ("verified",),
    "reopen": ("projects",),
    "review": ("sent",),
    "start": ("projects",),
    "status": ("item_id",),
}
"""Commands that print different objects, with keys that only one of those has: the first key found decides."""
DATA_KEYS = {
    # ids, names, labels and files
    "posterior": "", "marginals": "", "skills": "", "task_values": "", "definitions": "", "build/tasks": "",
    "closed by exposure": "", "compare/items": "", "comparisons[]/items": "", "verdicts": "", "judge_notes": "",
    "answers[]/answers": "", "answers[]/gold": "", "status with item_id/votes": "", "status/panels": "",
    "status[]/panels": "", "load with changes/projects": "", "new": "", "unused columns": "", "group_weights": "",
    "rank with rankings/groups": "", "places": "", "metrics_averaged": "", "plain[]/scores": "",
    "two_step[]/scores": "", "weighted[]/scores": "", "rank with rankings/scores": "",
    "rank with rankings/scores/*": "",
    # reasons, states, methods, metrics and tables
    "excluded": "", "failed_controls": "", "not_kept": "", "not_answers": "", "set_aside": "",
    "set_aside_items": "", "changes": "", "load with changes/refused": "", "projects/*/refused": "",
    "label-studio push/begun": "", "label-studio push/removed": "", "left_out": "", "status/people": "",
    "status[]/people": "", "baseline/refused": "",
    "values/individual": "", "values/majority": "", "values_ties_wrong": "", "trivial_baselines[]/scores": "",
    "versions": "", "rows": "",
    # keys with a name inside
    "check": "^(not counted|not kept): |^panel ", "check with projects": ": ", "cuts[]": "^share_of_",
    "votes dawid-skene": "^class_", "votes one-coin": "^class_",
}  # fmt: skip
"""Where keys are data: the end of the path to an object, and a pattern of these keys, which is empty if all are."""
ONLY_NULL = {"description": "Null whenever a test printed it."}
DESCRIPTIONS = {
    "dataset": "The project's name, with its question if it has several.",
    "simulated": "Whether any answer is of simulated people.",
    "normalise": "How texts were made alike before they were compared.",
    "files": "The files that were written.",
}
"""Of the keys of whole documents."""


def check_output(words: list[str], printed: str) -> None:
    """Compare the documents that a command with these words printed, or add them; raises AssertionError."""
    if "--json" not in words or "--help" in words or not printed.strip():
        return
    if command := find_command(*words[:2]):
        documents = list(read_documents(printed))
        changes = _record(command, documents) if WRITES else learn_all(_read_schema(command), command, documents)
        assert WRITES or not changes, (
            f"hromada {command} --json: {'; '.join(changes[:5])}. If this is meant, run the test with WRITE_SCHEMAS=1"
            f" to renew docs/reference/json, and note in CHANGELOG.md what you removed or renamed."
        )


@cache
def find_command(*words: str) -> str | None:
    """The command with its subcommand: `people list` for `people PROJECT`; None for words that name none."""
    import typer

    from bot import cli
    from bot.commands.command_line import ListByDefault

    command: Any = cli.app
    left, found = list(words), []
    with typer.Context(cli.app) as context:
        while commands := getattr(command, "commands", None):
            if isinstance(command, ListByDefault) and not (left and left[0] in commands):
                left.insert(0, "list")
            if not left or left[0] not in commands:
                return None
            found.append(left.pop(0))
            command = command.get_command(context, found[-1])
    return " ".join(found)


def get_file(command: str) -> Path:
    """The file with the schema of a command."""
    return FOLDER / f"{command.replace(' ', '-')}.schema.json"


def read_documents(printed: str) -> Iterator[Any]:
    """The JSON documents in an output; a command that watches prints one after another."""
    decoder, printed = json.JSONDecoder(), printed.strip()
    while printed:
        document, end = decoder.raw_decode(printed)
        yield document
        printed = printed[end:].lstrip()


def _read_schema(command: str) -> dict[str, Any]:
    file = get_file(command)
    schema: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return schema


def _record(command: str, documents: list[Any]) -> list[str]:
    """Add the documents to the file; other processes may do so at the same time."""
    FOLDER.mkdir(exist_ok=True)
    with get_file(command).open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        schema = json.loads(file.read() or "{}")
        changes = learn_all(schema, command, documents)
        if changes:
            file.truncate(0)
            file.write(json.dumps(schema, ensure_ascii=False, indent=1, sort_keys=True) + "\n")
    return changes


def learn_all(schema: dict[str, Any], command: str, documents: list[Any]) -> list[str]:
    """Change a schema so that it describes these documents, too; what was changed, each as a few words."""
    changes: list[str] = []
    definitions = schema.pop("$defs", {})
    shapes = {shape.pop("title"): shape for shape in schema.pop("anyOf", [])}
    schema |= {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"hromada {command} --json",
    }
    for document in documents:
        shape = _name_shape(command, document)
        if shape not in shapes:
            changes.append(f"a document of another shape ({shape})")
        path = f"{command} {shape}" if shape.startswith("with ") else command
        part = shapes.setdefault(shape, {})
        _Learning(definitions, changes).learn(part, document, path)
        properties = part.get("properties", {})
        for key in DESCRIPTIONS.keys() & properties.keys():
            properties[key]["description"] = DESCRIPTIONS[key]
    schema["anyOf"] = [{"title": shape} | shapes[shape] for shape in sorted(shapes)]
    if definitions:
        schema["$defs"] = definitions
    return changes


def _name_shape(command: str, document: Any) -> str:
    if isinstance(document, list):
        return "a list"
    return next((f"with {key}" for key in SHAPES.get(command, ()) if key in document), "an object")


class _Learning:
    """Changes the parts of one schema; each change is told in a few words.

    A part is a plain schema (`type` with what belongs to each type), a `$ref` to a class, or an `anyOf` of both.
    """

    def __init__(self, definitions: dict[str, Any], changes: list[str]) -> None:
        self.definitions, self.changes = definitions, changes

    def learn(self, part: dict[str, Any], value: Any, path: str) -> None:
        """Let a part describe one more value. Its path has the keys from the command on, `*` for one that is data."""
        found = _find_class(value)
        if found is None and "$ref" not in part and "anyOf" not in part:
            self._learn_plain(part, value, path)
            return
        options: list[dict[str, Any]] = part["anyOf"] if "anyOf" in part else [dict(part)] if part else []
        if found is not None:
            self._learn_class(found, value, path)
            if (option := {"$ref": f"#/$defs/{found}"}) not in options:
                self.changes.append(f"{path} is a {found}")
                options.append(option)
            options = [{"type": "null"} if one == ONLY_NULL else one for one in options]
        else:
            plain = next((option for option in options if "$ref" not in option), None)
            if plain is None:
                options.append(plain := {})
            self._learn_plain(plain, value, path)
        part.clear()
        part |= options[0] if len(options) == 1 else {"anyOf": sorted(options, key=lambda option: "$ref" in option)}

    def _learn_class(self, name: str, value: dict[str, Any], path: str) -> None:
        used = _list_used(name)
        if any(self.definitions.get(one) != describe_classes()[one] for one in used):
            self.changes.append(f"the class {name} has changed")
            self.definitions |= {one: describe_classes()[one] for one in used}
        for error in _get_validator(name).iter_errors(value):
            raise AssertionError(f"{path}: {error.message}. The class {name} declares another type.")

    def _learn_plain(self, part: dict[str, Any], value: Any, path: str) -> None:
        if value is None and part in ({}, ONLY_NULL):
            self.changes += [] if part else [f"{path} is null"]
            part |= ONLY_NULL
            return
        if part == ONLY_NULL:
            part.clear()
            part["type"] = "null"
        kind = "null" if value is None else KINDS[type(value)]
        known = part.get("type", [])
        types = {known} if isinstance(known, str) else set(known)
        if kind not in types and not (kind == "integer" and "number" in types):
            self.changes.append(f"{path} is {kind}")
            types = (types | {kind}) - ({"integer"} if "number" in types | {kind} else set())
            part["type"] = sorted(types) if len(types) > 1 else kind
        if isinstance(value, dict):
            self._learn_object(part, value, path)
        elif isinstance(value, list):
            for one in value:
                self.learn(part.setdefault("items", {}), one, f"{path}[]")

    def _learn_object(self, part: dict[str, Any], value: dict[str, Any], path: str) -> None:
        pattern = get_data_keys(path)
        is_data = {key: pattern is not None and re.search(pattern, key) is not None for key in value}
        for key in [key for key in value if is_data[key]]:
            if pattern:
                place = part.setdefault("patternProperties", {}).setdefault(pattern, {})
            else:
                place = part.setdefault("additionalProperties", {})
            self.learn(place, value[key], f"{path}/*")
        if pattern == "":
            return
        fixed = {key: one for key, one in value.items() if not is_data[key]}
        known = part.get("properties")
        required = sorted(fixed) if known is None else [key for key in part.get("required", []) if key in fixed]
        self.changes += [f"{path} has no {key}" for key in part.get("required", []) if key not in fixed]
        self.changes += [f"{path} has {key}" for key in fixed if known is None or key not in known]
        known = part.setdefault("properties", {})
        part.pop("required", None)
        if required:
            part["required"] = required
        for key, one in fixed.items():
            self.learn(known.setdefault(key, {}), one, f"{path}/{key}")


@cache
def get_data_keys(path: str) -> str | None:
    """The pattern of the keys of an object that are data; None where the program names them all."""
    return next((pattern for end, pattern in DATA_KEYS.items() if f"/{path}".endswith(f"/{end}")), None)


def _find_class(value: Any) -> str | None:
    return _list_fields().get(frozenset(value)) if isinstance(value, dict) else None


@cache
def _list_fields() -> dict[frozenset[str], str]:
    """The names of the classes by the names of their fields."""
    return {frozenset(one["properties"]): name for name, one in describe_classes().items()}


@cache
def describe_classes() -> dict[str, dict[str, Any]]:
    """The schema of each class, and of each class inside one: all of their fields are printed."""
    from pydantic import TypeAdapter

    found: dict[str, dict[str, Any]] = {}
    for name, module in CLASSES.items():
        adapter: TypeAdapter[Any] = TypeAdapter(getattr(importlib.import_module(module), name))
        schema = adapter.json_schema(mode="serialization", ref_template="#/$defs/{model}")
        found |= {**schema.pop("$defs", {}), name: schema}
    return {name: _trim(schema) for name, schema in found.items()}


def _trim(schema: dict[str, Any]) -> dict[str, Any]:
    fields = {
        key: {k: v for k, v in one.items() if k not in ("title", "default")}
        for key, one in schema["properties"].items()
    }
    return {"type": "object", "description": schema["description"], "properties": fields, "required": sorted(fields)}


@cache
def _list_used(name: str) -> set[str]:
    """A class with those that its schema names."""
    names = set(re.findall(r"#/\$defs/(\w+)", json.dumps(describe_classes()[name])))
    return {name}.union(*map(_list_used, names))


@cache
def _get_validator(name: str) -> Any:
    import jsonschema

    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": describe_classes()})
