"""JSON as other tools write it, refused where it could not be stored or would lose something silently."""

from __future__ import annotations

import json
import math
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from json.decoder import WHITESPACE, scanstring  # type: ignore[attr-defined]  # the parts that json.loads is made of
from pathlib import Path
from typing import Any, NoReturn

from annotation.errors import BadInput, Where

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]|[^\s",:{}\[\]]+', re.DOTALL)
"""A string, a bracket, or a number or word; commas and colons are passed over."""

_HALF = re.compile("[\ud800-\udfff]")


class _Unusable(ValueError):
    """JSON that says something that cannot be used; `at` finds where in the text."""

    def __init__(self, reason: str, at: Callable[[str], int | None]) -> None:
        super().__init__(reason)
        self.at = at


def parse(text: str, *, path: Path, line: int | None = None, remedy: str) -> Any:
    """The value; raises BadInput naming line and column (`line` is where the text begins, where it is a line)."""
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_object)
        _refuse_unstorable(text)
    except json.JSONDecodeError as failure:
        place = Where(file=path, line=line or failure.lineno, column=failure.colno)
        raise BadInput(f"This is not JSON: {failure.msg}.", where=place, remedy=remedy) from None
    except RecursionError:
        place = _place(text, _deepest(text), path=path, line=line)
        raise BadInput("This is not JSON: nested too deeply.", where=place, remedy=remedy) from None
    except _Unusable as failure:
        place = _place(text, failure.at(text), path=path, line=line)
        raise BadInput(f"This JSON cannot be used: {failure}.", where=place, remedy=remedy) from None
    except ValueError:  # the only one that is left is the limit on the digits of a number
        most = sys.get_int_max_str_digits()
        place = _place(text, _first(lambda token: len(token.lstrip("-")) > most)(text), path=path, line=line)
        raise BadInput(
            f"This JSON cannot be used: a number has more than {most} digits.", where=place, remedy=remedy
        ) from None
    return value


def _place(text: str, at: int | None, *, path: Path, line: int | None) -> Where:
    if at is None:
        return Where(file=path, line=line)
    return Where(file=path, line=line or text.count("\n", 0, at) + 1, column=at - text.rfind("\n", 0, at))


def _at(position: int) -> Callable[[str], int | None]:
    """Where it is known already."""
    return lambda _text: position


def _first(wanted: Callable[[str], bool]) -> Callable[[str], int | None]:
    """Finds the first number or word of a text that is wanted."""
    return lambda text: next(
        (one.start() for one in _TOKEN.finditer(text) if one[0][0] not in '"{}[]' and wanted(one[0])), None
    )


def _deepest(text: str) -> int | None:
    """Where the first of the innermost brackets stands."""
    depth, most, at = 0, 0, None
    for token in _TOKEN.finditer(text):
        depth += (token[0] in "{[") - (token[0] in "}]")
        if depth > most:
            most, at = depth, token.start()
    return at


def _again(key: str) -> Callable[[str], int | None]:
    """Finds where the key stands for the second time, in the object that is the first to end with it twice."""

    def at(text: str) -> int | None:
        inside: list[list[int]] = []
        for token in _TOKEN.finditer(text):
            if token[0] in "{[":
                inside.append([])
            elif token[0] in "}]":
                met = inside.pop()
                if len(met) > 1:
                    return met[1]
            elif token[0][0] == '"' and text[_skip(text, token.end())] == ":" and json.loads(token[0]) == key:
                inside[-1].append(token.start())
        return None

    return at


def _no_number(name: str) -> NoReturn:
    raise _Unusable(f"{name} is no number in JSON", _first(lambda token: token == name))


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _Unusable(f"the number {text[:20]} is too large", _first(lambda token: token == text))
    return number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Unusable(f"the key {twice!r} stands twice in one object", _again(twice))
    return values


def _refuse_unstorable(text: str) -> None:
    """Escapes can write halves of characters and U+0000, which no database takes as text."""
    if "\\u" not in text:
        return
    for token in _TOKEN.finditer(text):
        if "\\u" in token[0]:
            value, at = json.loads(token[0]), _at(token.start())
            if _HALF.search(value):
                raise _Unusable("an escape \\ud800 to \\udfff is half a character", at)
            if "\0" in value:
                raise _Unusable("the character U+0000 cannot be stored", at)


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
