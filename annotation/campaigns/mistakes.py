"""What pydantic finds wrong becomes one sentence with the place in the file, and a remedy."""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from annotation.campaigns import document
from annotation.campaigns.questions import KINDS
from annotation.campaigns.rules import RULES
from annotation.campaigns.sections import CONTRADICTION
from annotation.errors import BadInput, Where

LONGEST_SHOWN = 60
EXAMPLE = "The documentation of the project file shows an example."
_ADVISES = re.compile("[:;?,] ")
"""Our own sentences mostly end in what to do; the others get the general advice."""
_NUMBER = ("{given} is no whole number.", "Write it like 3.")
_SWITCH = ("{given} is neither yes nor no.", "Write yes or no.")
_SECTION = ("There are no keys here.", "Write `key: value` lines below it, or {{key: value}}.")
WORDS: Mapping[str, tuple[str, str]] = MappingProxyType(
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
"""What pydantic's kinds of errors are called here, and the remedy; its own words name classes."""


def sentence(source: document.Document, failure: ValidationError, *, model: type[BaseModel]) -> BadInput:
    """The first mistake in the order of the file, a misspelt key before a missing one."""
    placed = [(source.where(_keys(error)), error) for error in failure.errors(include_url=False)]
    where, error = min(placed, key=lambda found: (found[1]["type"] == "missing", found[0].line, found[0].column))
    name = str(error["loc"][-1]) if error["loc"] else ""
    match error["type"]:
        case "missing":
            return BadInput("This key is missing.", where=where, remedy=f"Add `{name}: …`.")
        case "extra_forbidden":
            return BadInput("This key is not known here.", where=where, remedy=_suggestion(name, model))
        case found if found == CONTRADICTION:
            return _own(f"{error['ctx']['says']}.", where)
        case "value_error":
            return _own(f"{error['ctx']['error']}.", where)
        case "literal_error" if name == "rule" or (name == "type" and "<choice>" in error["loc"]):
            return _unknown(error, RULES if name == "rule" else KINDS, where)
        case "string_pattern_mismatch":
            says, remedy = f"{error['input']!r} cannot be used here.", "Letters a-z, digits, `-`, `_` and `.` can."
        case kind if kind in WORDS:
            limits = error.get("ctx", {})
            told = limits | {
                "given": _given(error["input"]),
                "most": "100%" if limits.get("le") == 1 else limits.get("le"),
            }
            says, remedy = (part.format_map(told) for part in WORDS[kind])
        case _:
            says, remedy = f"{error['msg']}.", EXAMPLE
    return BadInput(says, where=where, remedy=remedy)


def _given(value: object) -> str:
    """A value as it was typed."""
    if value is None:
        return "An empty value"
    return repr(textwrap.shorten(value, LONGEST_SHOWN, placeholder="…")) if isinstance(value, str) else "This"


def _own(says: str, where: Where) -> BadInput:
    return BadInput(says, where=where, remedy="" if _ADVISES.search(says) else EXAMPLE)


def _unknown(error: ErrorDetails, known: Iterable[str], where: Where) -> BadInput:
    named = ", ".join(repr(one) for one in known)
    return BadInput(f"{error['input']!r} is not known here.", where=where, remedy=f"There are {named}.")


def _keys(error: ErrorDetails) -> document.KeyPath:
    """Pydantic's location less the tags of unions, which are no keys of the file; a contradiction brings its own."""
    if error["type"] == CONTRADICTION:
        return tuple(error["ctx"]["at"])
    parts = [part for part in error["loc"] if not (isinstance(part, str) and part.startswith("<"))]
    return tuple(part for part in parts if part != "[key]")


def _suggestion(name: str, model: type[BaseModel]) -> str:
    known = sorted({key for section in sections(model) for key in section.model_fields})
    close = difflib.get_close_matches(name, known, n=1)
    return f"Did you mean `{close[0]}`?" if close else "Take it out, or check the indentation."


def sections(model: type[BaseModel]) -> set[type[BaseModel]]:
    """A section and all the sections below it."""
    found, waiting = {model}, [model]
    while waiting:
        for field in waiting.pop().model_fields.values():
            fresh = set(_sections(field.annotation)) - found
            found |= fresh
            waiting += fresh
    return found


def _sections(annotation: object) -> Iterable[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in getattr(annotation, "__args__", ()):
        yield from _sections(argument)
