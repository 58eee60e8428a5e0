"""Formatted text: a string and entities, whose offsets and lengths count UTF-16 units as Telegram's do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.emulator.calls import bad_request

MOST = 100
"""Entities beyond the hundredth are dropped."""
_ORDER = ("blockquote", "expandable_blockquote", "bold", "italic", "underline", "strikethrough", "spoiler")


@dataclass(frozen=True)
class Entity:
    """One stretch of formatting; what `argument` is depends on the type: an address, a language, an emoji's id."""

    type: str
    offset: int
    length: int
    argument: str = ""

    @property
    def end(self) -> int:
        """The first unit after it."""
        return self.offset + self.length

    def wire(self) -> dict[str, Any]:
        """As the Bot API writes it."""
        name = {"text_link": "url", "pre": "language", "custom_emoji": "custom_emoji_id"}.get(self.type)
        more = {name: self.argument} if name and self.argument else {}
        return {"type": self.type, "offset": self.offset, "length": self.length, **more}


@dataclass(frozen=True)
class Text:
    """A text as it is shown."""

    text: str = ""
    entities: tuple[Entity, ...] = ()


def units(text: str) -> int:
    """The length of a text in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def given(values: Iterable[Mapping[str, Any]], text: str) -> tuple[Entity, ...]:
    """Entities that came as a list instead of markup, cut to the text."""
    whole, found = units(text), []
    for value in values:
        start, length = value.get("offset"), value.get("length")
        if not isinstance(start, int) or not isinstance(length, int):
            raise bad_request("can't parse MessageEntity: offset and length must be of type Integer")
        length = min(length, whole - start)
        argument = str(value.get("url") or value.get("language") or value.get("custom_emoji_id") or "")
        if start >= 0 and length > 0:
            found.append(Entity(str(value.get("type", "")), start, length, argument))
    return tuple(found)


def trimmed(text: str, entities: Iterable[Entity]) -> Text:
    """Without white space at both ends, entities moved along, in order, at most a hundred."""
    lead = units(text[: len(text) - len(text.lstrip())])
    kept = text.strip()
    whole = units(kept)
    moved = []
    for one in entities:
        start, end = max(0, one.offset - lead), min(whole, one.end - lead)
        if end > start:
            moved.append(replace(one, offset=start, length=end - start))
    return Text(kept, ordered(moved)[:MOST])


def ordered(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Outer ones before inner ones."""
    rank = {name: place for place, name in enumerate(_ORDER)}
    return tuple(sorted(entities, key=lambda one: (one.offset, -one.length, rank.get(one.type, len(rank)))))
