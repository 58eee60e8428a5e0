"""What pydantic finds wrong becomes one sentence with the place in the file, and a remedy."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from annotation.campaigns import document
from annotation.campaigns.questions import KINDS
from annotation.campaigns.rules import RULES
from annotation.errors import BadInput, Where

EXAMPLE = "The documentation of the project file shows an example."
_ADVISES = re.compile("[:;?,] ")
"""Our own sentences mostly end in what to do; the others get the general advice."""


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
        case "value_error":
            says = f"{error['ctx']['error']}."
            return BadInput(says, where=where, remedy="" if _ADVISES.search(says) else EXAMPLE)
        case "literal_error" if name == "rule" or (name == "type" and "<choice>" in error["loc"]):
            return _unknown(error, RULES if name == "rule" else KINDS, where)
        case "string_pattern_mismatch":
            says, remedy = f"{error['input']!r} cannot be used here.", "Letters a-z, digits, `-`, `_` and `.` can."
        case _:
            says, remedy = f"{error['msg']}.", EXAMPLE
    return BadInput(says, where=where, remedy=remedy)


def _unknown(error: ErrorDetails, known: Iterable[str], where: Where) -> BadInput:
    named = ", ".join(repr(one) for one in known)
    return BadInput(f"{error['input']!r} is not known here.", where=where, remedy=f"There are {named}.")


def _keys(error: ErrorDetails) -> document.KeyPath:
    """Pydantic's location less the tags of unions, which are no keys of the file."""
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
