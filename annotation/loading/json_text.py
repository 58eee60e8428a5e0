"""JSON as other tools write it, refused where it could not be stored or would lose something silently."""

from __future__ import annotations

import json
import math
import re
import sys
from bisect import bisect_right
from collections.abc import Sequence
from json.decoder import WHITESPACE, scanstring  # type: ignore[attr-defined]  # the parts that json.loads is made of
from pathlib import Path
from typing import Any, NoReturn

from annotation.errors import BadInput, Where


def parse(text: str, *, path: Path, line: int | None = None, remedy: str) -> Any:
    """The value; raises BadInput naming line and column (`line` is where the text begins, where it is a line)."""
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_object)
        if "\\u" in text:
            _storable(value)
    except json.JSONDecodeError as failure:
        place = Where(file=path, line=line or failure.lineno, column=failure.colno)
        raise BadInput(f"This is not JSON: {failure.msg}.", where=place, remedy=remedy) from None
    except RecursionError:
        place = Where(file=path, line=line)
        raise BadInput("This is not JSON: nested too deeply.", where=place, remedy=remedy) from None
    except ValueError as failure:
        place, reason = Where(file=path, line=line), str(failure)
        if reason.startswith("Exceeds the limit"):
            reason = f"a number has more than {sys.get_int_max_str_digits()} digits"
        raise BadInput(f"This JSON cannot be used: {reason}.", where=place, remedy=remedy) from None
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number in JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"the number {text[:20]} is too large")
    return number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return values


def _storable(value: Any) -> None:
    """Escapes can write halves of characters and U+0000, which no database takes as text."""
    text = json.dumps(value, ensure_ascii=False)
    if any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        raise ValueError("an escape \\ud800 to \\udfff is half a character")
    if "\\u0000" in text:
        raise ValueError("the character U+0000 cannot be stored")


def lines(text: str, keys: Sequence[str]) -> list[int]:
    """The line on which each element of a list begins, from 1; the list stands under `keys` in valid JSON."""
    decoder = json.JSONDecoder()
    position = _skip(text, 0)
    for key in keys:
        position = _member(text, position, key, decoder)
    breaks = [one.start() for one in re.finditer("\n", text)]
    found: list[int] = []
    position = _skip(text, position + 1)
    while text[position] != "]":
        found.append(bisect_right(breaks, position) + 1)
        _, position = decoder.raw_decode(text, position)
        position = _skip(text, position)
        if text[position] == ",":
            position = _skip(text, position + 1)
    return found


def _skip(text: str, position: int) -> int:
    """The first position from here on that is no white space."""
    return int(WHITESPACE.match(text, position).end())


def _member(text: str, position: int, key: str, decoder: json.JSONDecoder) -> int:
    """Where the value of a key of the object at this position begins."""
    position = _skip(text, position + 1)
    while True:
        name, position = scanstring(text, position + 1)
        position = _skip(text, _skip(text, position) + 1)
        if name == key:
            return position
        _, position = decoder.raw_decode(text, position)
        position = _skip(text, _skip(text, position) + 1)
