"""Parses JSON, refusing what cannot be stored or would be lost silently, such as duplicate keys."""

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
"""A string, a bracket, or a number or word; commas and colons are skipped."""

_SURROGATE = re.compile("[\ud800-\udfff]")
MAX_DEPTH = 100
"""How deep objects and lists may be inside each other: what reads and writes values later goes as deep itself."""


class _Unusable(ValueError):
    """JSON with a value that cannot be used; `locate` finds its position in the text."""

    def __init__(self, reason: str, locate: Callable[[str], int | None]) -> None:
        super().__init__(reason)
        self.locate = locate


def parse_json(text: str, *, path: Path, line: int | None = None, remedy: str) -> Any:
    """Parse JSON; raises BadInput with line and column. `line` is the line of a text that is one line of a file."""
    try:
        value = json.loads(text, cls=lambda: _DECODER)  # type: ignore[arg-type]  # a class is only called
        _refuse_deep(value, brackets=text.count("[") + text.count("{"))
        _refuse_unstorable(text)
    except json.JSONDecodeError as failure:
        place = Where(file=path, line=line or failure.lineno, column=failure.colno)
        if failure.msg.startswith("Invalid \\escape"):
            remedy = "In JSON, write \\\\ for a backslash."
        raise BadInput(f"This is not JSON: {failure.msg}.", where=place, remedy=remedy) from None
    except RecursionError:
        place = _build_where(text, _locate_deepest(text), path=path, line=line)
        raise BadInput("This is not JSON: nested too deeply.", where=place, remedy=remedy) from None
    except _Unusable as failure:
        place = _build_where(text, failure.locate(text), path=path, line=line)
        raise BadInput(f"This JSON cannot be used: {failure}.", where=place, remedy=remedy) from None
    except ValueError:  # the only one that is left is the limit on the digits of a number
        most = sys.get_int_max_str_digits()
        place = _build_where(
            text, _locate_first(lambda token: len(token.lstrip("-")) > most)(text), path=path, line=line
        )
        raise BadInput(
            f"This JSON cannot be used: a number has more than {most} digits.", where=place, remedy=remedy
        ) from None
    return value


def _build_where(text: str, position: int | None, *, path: Path, line: int | None) -> Where:
    if position is None:
        return Where(file=path, line=line)
    return Where(
        file=path, line=line or text.count("\n", 0, position) + 1, column=position - text.rfind("\n", 0, position)
    )


def _locate_at(position: int) -> Callable[[str], int | None]:
    """A locator for a known position."""
    return lambda _text: position


def _locate_first(matches: Callable[[str], bool]) -> Callable[[str], int | None]:
    """A locator of the first number or word that matches."""
    return lambda text: next(
        (token.start() for token in _TOKEN.finditer(text) if token[0][0] not in '"{}[]' and matches(token[0])), None
    )


def _locate_deepest(text: str) -> int | None:
    """The position of the first of the innermost brackets."""
    depth, most, position = 0, 0, None
    for token in _TOKEN.finditer(text):
        depth += (token[0] in "{[") - (token[0] in "}]")
        if depth > most:
            most, position = depth, token.start()
    return position


def _locate_duplicate(key: str) -> Callable[[str], int | None]:
    """A locator of the second occurrence of a key in one object."""

    def at(text: str) -> int | None:
        objects: list[list[int]] = []
        for token in _TOKEN.finditer(text):
            if token[0] in "{[":
                objects.append([])
            elif token[0] in "}]":
                positions = objects.pop()
                if len(positions) > 1:
                    return positions[1]
            elif token[0][0] == '"' and text[_skip_space(text, token.end())] == ":" and json.loads(token[0]) == key:
                objects[-1].append(token.start())
        return None

    return at


def _refuse_constant(name: str) -> NoReturn:
    raise _Unusable(f"{name} is not a number in JSON", _locate_first(lambda token: token == name))


def _parse_float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _Unusable(f"the number {text[:20]} is too large", _locate_first(lambda token: token == text))
    return number


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        duplicate = next(name for name in names if names.count(name) > 1)
        raise _Unusable(f"the key {duplicate!r} occurs twice in one object", _locate_duplicate(duplicate))
    return values


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_parse_float, object_pairs_hook=_build_object)
"""Created once, because `json.loads` with these settings would create a decoder for every text."""


def _refuse_deep(value: Any, *, brackets: int) -> None:
    """Raise RecursionError for a value of more than `MAX_DEPTH` levels; its text has that many opening brackets."""
    if brackets <= MAX_DEPTH:
        return
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer if isinstance(outer, list) else ())
            if isinstance(inner, dict | list)
        ]
    if level:
        raise RecursionError


def _refuse_unstorable(text: str) -> None:
    """Refuse escapes of surrogates and of U+0000, which no database stores as text."""
    if "\\u" not in text:
        return
    for token in _TOKEN.finditer(text):
        if "\\u" in token[0]:
            value, at = json.loads(token[0]), _locate_at(token.start())
            if _SURROGATE.search(value):
                raise _Unusable("an escape \\ud800 to \\udfff is half a character", at)
            if "\0" in value:
                raise _Unusable("the character U+0000 cannot be stored", at)


def parse_list(text: str) -> list[tuple[int, Any]] | None:
    """Parse a JSON list: its elements, each with the line on which it begins, from 1.

    Returns None for any other text, and for a list that cannot be used: `parse_json` says why.
    """
    elements: list[tuple[int, Any]] = []
    line, counted, position = 1, 0, _skip_space(text, 0)
    try:
        while text[position] == ("," if elements else "["):
            position = _skip_space(text, position + 1)
            line, counted = line + text.count("\n", counted, position), position
            value, end = _DECODER.raw_decode(text, position)
            _refuse_deep(value, brackets=text.count("[", position, end) + text.count("{", position, end))
            elements.append((line, value))
            position = _skip_space(text, end)
        _refuse_unstorable(text)
    except (ValueError, RecursionError, IndexError):
        return None
    return elements if text[position] == "]" and _skip_space(text, position + 1) == len(text) else None


def find_element_lines(text: str, keys: Sequence[str]) -> list[int]:
    """Return the line on which each element of a list begins, from 1; the list is under `keys` in valid JSON."""
    decoder = json.JSONDecoder()
    position = _skip_space(text, 0)
    for key in keys:
        position = _find_value(text, position, key, decoder)
    breaks = [match.start() for match in re.finditer("\n", text)]
    element_lines: list[int] = []
    position = _skip_space(text, position + 1)
    while text[position] != "]":
        element_lines.append(bisect_right(breaks, position) + 1)
        _, position = decoder.raw_decode(text, position)
        position = _skip_space(text, position)
        if text[position] == ",":
            position = _skip_space(text, position + 1)
    return element_lines


def _skip_space(text: str, position: int) -> int:
    """The first position from `position` on that is no white space."""
    return int(WHITESPACE.match(text, position).end())


def _find_value(text: str, position: int, key: str, decoder: json.JSONDecoder) -> int:
    """The position of the value of a key in the object at `position`."""
    position = _skip_space(text, position + 1)
    while True:
        name, position = scanstring(text, position + 1)
        position = _skip_space(text, _skip_space(text, position) + 1)
        if name == key:
            return position
        _, position = decoder.raw_decode(text, position)
        position = _skip_space(text, _skip_space(text, position) + 1)
