"""A text as a tree of plain parts and formatted ones, for whoever has to draw it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.emulator.entities import Entity, Text, units

Node = str | dict[str, Any]


def tree(text: Text) -> list[Node]:
    """Plain strings, and {"type", "argument", "content"} for what is formatted."""
    return _between(text.text.encode("utf-16-le"), 0, units(text.text), text.entities)


def _between(raw: bytes, start: int, end: int, entities: Sequence[Entity]) -> list[Node]:
    made: list[Node] = []
    rest = list(entities)
    while rest:
        one = rest.pop(0)
        begin, stop = max(one.offset, start), min(one.end, end)
        if begin >= stop:
            continue
        inner = [other for other in rest if other.offset < stop]
        rest = [other for other in rest if other.offset >= stop]
        made += _plain(raw, start, begin)
        made.append({"type": one.type, "argument": one.argument, "content": _between(raw, begin, stop, inner)})
        start = stop
    return made + _plain(raw, start, end)


def _plain(raw: bytes, start: int, end: int) -> list[Node]:
    text = raw[2 * start : 2 * end].decode("utf-16-le", "replace")
    return [text] if text else []
