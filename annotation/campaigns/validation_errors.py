"""Turns pydantic's validation errors into BadInput with one sentence, the place in the file, and a remedy."""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from annotation.campaigns import yaml_document
from annotation.campaigns.questions import KINDS
from annotation.campaigns.sections.base import CONTRADICTION
from annotation.campaigns.sections.quality import RULES
from annotation.errors import BadInput, Where

LONGEST_SHOWN = 60
EXAMPLE = "The documentation of the project file shows an example."
_ADVISES = re.compile("[:;?,] ")
"""Messages of our own validators mostly end with the remedy; the others get the general one."""
_NUMBER = ("{given} is no whole number.", "Write it like 3.")
_SWITCH = ("{given} is neither yes nor no.", "Write yes or no.")
_SECTION = ("There are no keys here.", "Write `key: value` lines below it, or {{key: value}}.")
MESSAGES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "int_parsing": _NUMBER,
        "int_type": _NUMBER,
        "int_parsing_size": _NUMBER,
        "bool_parsing": _SWITCH,
        "bool_type": _SWITCH,
        "float_type": ("{given} is no number.", "Write one, like 30 s or 60 %."),
        "model_type": _SECTION,
        "model_attributes_type": _SECTION,
        "dict_type": _SECTION,
        "string_type": ("This is not one text.", "Write one value, and quote it where it holds brackets or a colon."),
        "string_too_short": ("It is empty.", "Write something, or take the key out."),
        "tuple_type": ("This is no list.", "Write [one, two], or a line that begins with `- ` for each."),
        "too_short": ("These are too few.", "Write {min_length} or more."),
        "too_long": ("These are too many.", "Write {max_length} at the most."),
        "literal_error": ("{given} is not known here.", "Write {expected}."),
        "greater_than_equal": ("{given} is too small.", "Write {ge} or more."),
        "greater_than": ("{given} is too small.", "Write more than {gt}."),
        "less_than_equal": ("{given} is too large.", "Write {most} or less."),
    }
)
"""The message and remedy of each kind of pydantic error; pydantic's own messages name classes."""


def explain_error(source: yaml_document.YamlDocument, failure: ValidationError, *, model: type[BaseModel]) -> BadInput:
    """Build the error for the first mistake in the order of the file, a misspelt key before a missing one."""
    placed = [(source.where(_get_key_path(error)), error) for error in failure.errors(include_url=False)]
    where, error = min(placed, key=lambda pair: (pair[1]["type"] == "missing", pair[0].line, pair[0].column))
    name = str(error["loc"][-1]) if error["loc"] else ""
    match error["type"]:
        case "missing":
            return BadInput("This key is missing.", where=where, remedy=f"Add `{name}: …`.")
        case "extra_forbidden":
            return BadInput("This key is not known here.", where=where, remedy=_suggest_key(name, model))
        case kind if kind == CONTRADICTION:
            return _explain_own(f"{error['ctx']['message']}.", where)
        case "value_error":
            return _explain_own(f"{error['ctx']['error']}.", where)
        case "literal_error" if name == "rule" or (name == "type" and "<choice>" in error["loc"]):
            return _explain_unknown(error, RULES if name == "rule" else KINDS, where)
        case "string_pattern_mismatch":
            message, remedy = f"{error['input']!r} cannot be used here.", "Letters a-z, digits, `-`, `_` and `.` can."
        case kind if kind in MESSAGES:
            limits = error.get("ctx", {})
            values = limits | {
                "given": _quote(error["input"]),
                "most": "100%" if limits.get("le") == 1 else limits.get("le"),
            }
            message, remedy = (template.format_map(values) for template in MESSAGES[kind])
        case _:
            message, remedy = f"{error['msg']}.", EXAMPLE
    return BadInput(message, where=where, remedy=remedy)


def _quote(value: object) -> str:
    """Quote a value as it was typed."""
    if value is None:
        return "An empty value"
    return repr(textwrap.shorten(value, LONGEST_SHOWN, placeholder="…")) if isinstance(value, str) else "This"


def _explain_own(message: str, where: Where) -> BadInput:
    return BadInput(message, where=where, remedy="" if _ADVISES.search(message) else EXAMPLE)


def _explain_unknown(error: ErrorDetails, known: Iterable[str], where: Where) -> BadInput:
    named = ", ".join(repr(value) for value in known)
    return BadInput(f"{error['input']!r} is not known here.", where=where, remedy=f"There are {named}.")


def _get_key_path(error: ErrorDetails) -> yaml_document.KeyPath:
    """The key path of an error: pydantic's location without the tags of unions; a contradiction has its own."""
    if error["type"] == CONTRADICTION:
        return tuple(error["ctx"]["key_path"])
    parts = [part for part in error["loc"] if not (isinstance(part, str) and part.startswith("<"))]
    return tuple(part for part in parts if part != "[key]")


def _suggest_key(name: str, model: type[BaseModel]) -> str:
    known = sorted({key for section in list_sections(model) for key in section.model_fields})
    close = difflib.get_close_matches(name, known, n=1)
    return f"Did you mean `{close[0]}`?" if close else "Take it out, or check the indentation."


def list_sections(model: type[BaseModel]) -> set[type[BaseModel]]:
    """List a section and all sections below it."""
    sections, waiting = {model}, [model]
    while waiting:
        for field in waiting.pop().model_fields.values():
            new = set(_list_annotated_sections(field.annotation)) - sections
            sections |= new
            waiting += new
    return sections


def _list_annotated_sections(annotation: object) -> Iterable[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in getattr(annotation, "__args__", ()):
        yield from _list_annotated_sections(argument)
