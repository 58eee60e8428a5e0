"""Turns pydantic's validation errors into BadInput: one sentence, the line and column in the file, and a remedy."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from aggregation import spelling
from annotation.campaigns import yaml_document
from annotation.campaigns.questions import KINDS
from annotation.campaigns.sections.base import CONTRADICTION
from annotation.campaigns.sections.quality import RULE_NAMES
from annotation.errors import BadInput, Where, combine_errors

MAX_SHOWN_CHARACTERS = 60
"""A longer value is shortened in messages."""
GENERAL_REMEDY = "The documentation of the project file shows an example."
OTHER_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "filter": "Rows are chosen by `where`: write `where: {column: value}`.",
        "annotators": "How many people answer each item is `overlap`.",
        "redundancy": "How many people answer each item is `overlap`.",
        "votes_per_item": "How many people answer each item is `overlap`.",
        "lang": "Write `language`.",
        "prompt": "The words of a question are its `text`.",
        "choices": "Write `options`.",
        "variants": "Write `options`.",
        "guidelines": "What people read before the first item is `instructions`.",
        "description": "What people read before the first item is `instructions`.",
        "label": "The column with the right answer is `gold`.",
        "correct": "The column with the right answer is `gold`.",
    }
)
"""What keys of other tools are called here."""
ITEMS_EXAMPLE = "`items: from votes`, or `items: {file: %s, id: …, show: …}`"
"""What goes under `items`; `%s` is the file."""
MAX_SECTIONS = 3
_HAS_REMEDY = re.compile("[:;?,] ")
"""A message of our own validators with one of these signs ends with its remedy; others get the general remedy."""
_IS_FILE = re.compile(r"[^\s,:{}\[\]]{1,60}\.[a-z]{1,8}")
"""A path that can stand between the braces of YAML without quotes."""
_NUMBER = ("{given} is not a whole number.", "Write, for example, 3.")
_SWITCH = ("{given} is neither yes nor no.", "Write yes or no.")
_SECTION = ("There are no keys here.", "Write `key: value` lines below it, or {{key: value}}.")
MESSAGES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "int_parsing": _NUMBER,
        "int_type": _NUMBER,
        "int_parsing_size": _NUMBER,
        "bool_parsing": _SWITCH,
        "bool_type": _SWITCH,
        "float_type": ("{given} is not a number.", "Write one, like 30 s or 60 %."),
        "model_type": _SECTION,
        "model_attributes_type": _SECTION,
        "dict_type": _SECTION,
        "string_type": ("This is not one text.", "Write one value, and quote it where it holds brackets or a colon."),
        "string_too_short": ("It is empty.", "Write something, or take the key out."),
        "tuple_type": ("This is not a list.", "Write [one, two], or a line that begins with `- ` for each."),
        "too_short": ("Too few values.", "Give at least {min_length}."),
        "too_long": ("Too many values.", "Give at most {max_length}."),
        "literal_error": ("{given} is not known here.", "Write {expected}."),
        "greater_than_equal": ("{given} is too small.", "Write {ge} or more."),
        "greater_than": ("{given} is too small.", "Write more than {gt}."),
        "less_than_equal": ("{given} is too large.", "Write {most} or less."),
    }
)
"""The message and remedy for each type of pydantic error, whose own messages name classes of this code.

`{given}` is the value in the file, `{most}` the upper limit, the others are the limits as pydantic names them.
"""


def explain_errors(source: yaml_document.YamlDocument, failure: ValidationError, *, model: type[BaseModel]) -> BadInput:
    """Build the error for all mistakes in the order of the file, one for each place; missing keys come last.

    A misspelt key makes pydantic report an unknown key and a missing one, of which the unknown one is the mistake: keys
    are missing only from sections that have no unknown one.
    """
    errors = _drop_followers(failure.errors(include_url=False))
    misspelt = {error["loc"][:-1] for error in errors if error["type"] == "extra_forbidden"}
    errors = [error for error in errors if error["type"] != "missing" or error["loc"][:-1] not in misspelt] or errors
    located = sorted(
        ((source.where(key_path), error, message) for error in errors for key_path, message in _list_places(error)),
        key=lambda found: (found[1]["type"] == "missing", found[0].line, found[0].column),
    )
    by_place: dict[tuple[int | None, int | None, str | None], BadInput] = {}
    for where, error, message in located:
        place = where.line, where.column, where.field if error["type"] in {"missing", CONTRADICTION} else None
        by_place.setdefault(place, _explain_error(error, message, where, source, model))
    return combine_errors(list(by_place.values()))


def _list_places(error: ErrorDetails) -> Iterable[tuple[yaml_document.KeyPath, str]]:
    """The key path of an error without tags of unions (`<choice>`), or each contradiction's own, with its message."""
    if error["type"] == CONTRADICTION:
        return [(contradiction.key_path, f"{contradiction.message}.") for contradiction in error["ctx"]["found"]]
    parts = [part for part in error["loc"] if not (isinstance(part, str) and part.startswith("<"))]
    return [(tuple(part for part in parts if part != "[key]"), error["msg"])]


def _explain_error(
    error: ErrorDetails, message: str, where: Where, source: yaml_document.YamlDocument, model: type[BaseModel]
) -> BadInput:
    name = str(error["loc"][-1]) if error["loc"] else ""
    match error["type"]:
        case "missing":
            example = ITEMS_EXAMPLE % "items.csv" if error["loc"] == ("items",) else f"`{name}: …`"
            return BadInput("This key is missing.", where=where, remedy=f"Add {example}.")
        case "extra_forbidden":
            return BadInput(
                "This key is not known here.", where=where, remedy=_suggest_key(error["loc"], source, model)
            )
        case kind if kind == CONTRADICTION:
            return _build_own_error(message, where)
        case "value_error":
            return _build_own_error(f"{error['ctx']['error']}.", where)
        case "literal_error" if name == "rule" or (name == "type" and "<choice>" in error["loc"]):
            return _build_unknown_value_error(error, RULE_NAMES if name == "rule" else KINDS, where)
        case "string_pattern_mismatch":
            message, remedy = f"{error['input']!r} cannot be used here.", "Letters a-z, digits, `-`, `_` and `.` can."
        case "literal_error" if error["loc"] == ("items", "<word>"):
            file = error["input"] if _IS_FILE.fullmatch(error["input"]) else "items.csv"
            message, remedy = f"{_quote(error['input'])} is not known here.", f"Write {ITEMS_EXAMPLE % file}."
        case kind if kind in MESSAGES:
            limits = error.get("ctx", {})
            values = limits | {
                "given": _quote(error["input"]),
                "most": "100%" if limits.get("le") == 1 else limits.get("le"),
            }
            message, remedy = (template.format_map(values) for template in MESSAGES[kind])
        case _:
            message, remedy = f"{error['msg']}.", GENERAL_REMEDY
    return BadInput(message, where=where, remedy=remedy)


def _drop_followers(errors: list[ErrorDetails]) -> list[ErrorDetails]:
    """Leave out that a list is too short where one of its elements is refused: pydantic did not count that element."""
    return [
        error
        for error in errors
        if error["type"] != "too_short"
        or not any(other is not error and other["loc"][: len(error["loc"])] == error["loc"] for other in errors)
    ]


def _quote(value: object) -> str:
    """Quote a value as it was typed."""
    if value is None:
        return "An empty value"
    return repr(textwrap.shorten(value, MAX_SHOWN_CHARACTERS, placeholder="…")) if isinstance(value, str) else "This"


def _build_own_error(message: str, where: Where) -> BadInput:
    """Build the error for a message of our own validators."""
    return BadInput(message, where=where, remedy="" if _HAS_REMEDY.search(message) else GENERAL_REMEDY)


def _build_unknown_value_error(error: ErrorDetails, known_values: Iterable[str], where: Where) -> BadInput:
    listed = ", ".join(repr(value) for value in known_values)
    return BadInput(f"{error['input']!r} is not known here.", where=where, remedy=f"There are {listed}.")


def _suggest_key(key_path: yaml_document.KeyPath, source: yaml_document.YamlDocument, model: type[BaseModel]) -> str:
    """The remedy for an unknown key: its name here, the section that it belongs to, or a similar key of any section."""
    name = str(key_path[-1])
    if name in OTHER_NAMES:
        return OTHER_NAMES[name]
    if len(key_path) > 1 and name in model.model_fields:
        return f"`{name}` belongs at the top of the file: begin the line with it."
    parent = ".".join(str(part) for part in key_path[:-1] if isinstance(part, str) and not part.startswith("<"))
    paths = _list_key_paths(model)
    owners = [path for path in paths.get(name, ()) if path and path != parent]
    if parent and parent in paths.get(name, ()):
        return f"Only another type of `{parent}` has `{name}`: take it out, or change the type."
    present = [owner for owner in owners if owner.partition(".")[0] in source.data]
    owners = sorted(present or owners, key=lambda owner: owner.count("."))
    owners = [owner for owner in owners if owner.count(".") == owners[0].count(".")]
    if owners:
        named = " or ".join(f"`{owner}`" for owner in owners[:MAX_SECTIONS])
        return f"`{name}` belongs under {named}: {'move it there' if parent else 'indent it'}."
    own_keys = sorted(key for key, sections in paths.items() if parent in sections)
    for known_keys in (own_keys, sorted(paths)):
        similar = spelling.find_similar(name, known_keys)
        if similar:
            return f"Did you mean `{similar}`?"
    return "Take it out, or check the indentation."


def _list_key_paths(model: type[BaseModel]) -> dict[str, list[str]]:
    """The paths of the sections that have each key, names joined by dots; that of the whole file is empty."""
    found: dict[str, list[str]] = {}
    unvisited: list[tuple[str, type[BaseModel]]] = [("", model)]
    met = {*unvisited}
    while unvisited:
        path, section = unvisited.pop(0)
        for name, field in section.model_fields.items():
            key = field.alias or name
            if path not in found.setdefault(key, []):
                found[key].append(path)
            inner = {(f"{path}.{key}" if path else key, one) for one in _list_annotated_sections(field.annotation)}
            unvisited += sorted(inner - met, key=lambda place: (place[0], place[1].__name__))
            met |= inner
    return found


def list_sections(model: type[BaseModel]) -> set[type[BaseModel]]:
    """List a section and all sections below it."""
    sections, unvisited = {model}, [model]
    while unvisited:
        for field in unvisited.pop().model_fields.values():
            new = set(_list_annotated_sections(field.annotation)) - sections
            sections |= new
            unvisited += new
    return sections


def _list_annotated_sections(annotation: object) -> Iterable[type[BaseModel]]:
    """Yield the sections in the type of a field, such as `tuple[Section, ...] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in getattr(annotation, "__args__", ()):
        yield from _list_annotated_sections(argument)
