"""Writes values of a project file in YAML, and lines with a comment beside them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

_PLAIN = re.compile(r"[^\W_](?:[\w ./()?!-]*[\w./()?!-])?")
_UNPLAIN = frozenset({"null", "Null", "NULL"})
Value = str | Sequence["Value"] | Mapping[str, "Value"]


@dataclass(frozen=True)
class YamlLine:
    """A key of the project file with its value, or with the lines of a section, and the comment beside it.

    `sure` is false if somebody should look at it: the comment then begins with a question mark.
    """

    key: str
    value: Value = ""
    comment: str = ""
    sure: bool = True
    below: tuple[YamlLine, ...] = ()


def format_value(value: Value) -> str:
    """Return a value as YAML in one line; texts are quoted only if they must be."""
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) and value not in _UNPLAIN else _quote(value)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{format_value(key)}: {format_value(one)}' for key, one in value.items())}}}"
    return f"[{', '.join(map(format_value, value))}]"


def _quote(text: str) -> str:
    return "".join(
        sign if sign.isprintable() else f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else f"\\U{ord(sign):08x}"
        for sign in json.dumps(text, ensure_ascii=False)
    )


def format_lines(lines: Iterable[YamlLine], *, indent: int = 0) -> list[str]:
    """Return the lines of a mapping as YAML, with sections below their keys and comments beside values."""
    written: list[str] = []
    for line in lines:
        value = f" {format_value(line.value)}" if line.value or not line.below else ""
        words = " ".join(line.comment.split())
        comment = f"  # {'' if line.sure else '? '}{words}" if words else ""
        written.append(f"{' ' * indent}{line.key}:{value}{comment}")
        written += format_lines(line.below, indent=indent + 2)
    return written


def list_doubts(lines: Iterable[YamlLine], above: str = "") -> list[str]:
    """Return what somebody should look at, each with the path of its key."""
    doubts: list[str] = []
    for line in lines:
        path = f"{above}{line.value if line.key.startswith('- ') else line.key}"
        doubts += [] if line.sure else [f"{path}: {line.comment}"]
        doubts += list_doubts(line.below, f"{path}.")
    return doubts
