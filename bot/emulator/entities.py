"""Formatted text: a string and its entities, whose offsets and lengths count UTF-16 units, as in Telegram."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.emulator.calls import bad_request

MAX_ENTITIES = 100
"""Entities beyond the hundredth are dropped."""
_PATTERNS = (
    ("bot_command", re.compile(r"(?<![\w/<>])/[A-Za-z0-9_]{1,64}(?:@\w{3,32})?(?![\w/])")),
    ("url", re.compile(r"https?://[^\s<>\"]+[^\s<>\".,;:!?)»]", re.IGNORECASE)),
    ("email", re.compile(r"(?<![\w.@])[\w.+-]+@[\w-]+\.[\w.-]*\w")),
    ("mention", re.compile(r"(?<![\w@/.])@[A-Za-z]\w{2,31}(?!\w)")),
    ("hashtag", re.compile(r"(?<!\w)#(?=\w*[^\W\d])\w{1,256}")),
)
_HINTS = re.compile(r"[/@#]")
"""A text with none of these characters has nothing that is detected."""
_ORDER = ("blockquote", "expandable_blockquote", "bold", "italic", "underline", "strikethrough", "spoiler")
"""The order of entities with the same offset and length, outer ones first; other types follow."""


@dataclass(frozen=True)
class Entity:
    """A formatted part of a text; `argument` is an address, a language or an emoji's id, depending on the type."""

    type: str
    offset: int
    length: int
    argument: str = ""

    @property
    def end(self) -> int:
        """The offset of the first unit after the entity."""
        return self.offset + self.length

    def wire(self) -> dict[str, Any]:
        """The entity as the Bot API writes it."""
        name = {"text_link": "url", "pre": "language", "custom_emoji": "custom_emoji_id"}.get(self.type)
        more = {name: self.argument} if name and self.argument else {}
        return {"type": self.type, "offset": self.offset, "length": self.length, **more}


@dataclass(frozen=True)
class FormattedText:
    """A text without markup, and its entities."""

    text: str = ""
    entities: tuple[Entity, ...] = ()


def count_units(text: str) -> int:
    """The length of a text in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def parse_entities(values: Iterable[Mapping[str, Any]], text: str) -> tuple[Entity, ...]:
    """Parse entities that were given as a list instead of markup; parts beyond the text are cut off."""
    n_units, entities = count_units(text), []
    for value in values:
        start, length = value.get("offset"), value.get("length")
        if not isinstance(start, int) or not isinstance(length, int):
            raise bad_request("can't parse MessageEntity: offset and length must be of type Integer")
        length = min(length, n_units - start)
        argument = str(value.get("url") or value.get("language") or value.get("custom_emoji_id") or "")
        if start >= 0 and length > 0:
            entities.append(Entity(str(value.get("type", "")), start, length, argument))
    return tuple(entities)


def trim_text(text: str, entities: Iterable[Entity]) -> FormattedText:
    """Remove white space at both ends; move and sort the entities, and keep at most MAX_ENTITIES."""
    n_leading = count_units(text[: len(text) - len(text.lstrip())])
    kept = text.strip()
    n_units = count_units(kept)
    moved = []
    for entity in entities:
        start, end = max(0, entity.offset - n_leading), min(n_units, entity.end - n_leading)
        if end > start:
            moved.append(replace(entity, offset=start, length=end - start))
    return FormattedText(kept, sort_entities(moved)[:MAX_ENTITIES])


def sort_entities(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Sort entities by offset, outer ones before inner ones."""
    rank = {name: position for position, name in enumerate(_ORDER)}
    return tuple(sorted(entities, key=lambda entity: (entity.offset, -entity.length, rank.get(entity.type, len(rank)))))


def detect_entities(text: FormattedText) -> FormattedText:
    """Add the entities that Telegram detects by itself, such as commands and addresses.

    Nothing is detected inside code, links and other detected entities.
    """
    if not _HINTS.search(text.text):
        return text
    blocking = [entity for entity in text.entities if entity.type in {"code", "pre", "text_link"}]
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text.text):
            entity = Entity(kind, count_units(text.text[: match.start()]), count_units(match[0]))
            if not _overlaps(entity, blocking):
                blocking.append(entity)
    detected = [entity for entity in blocking if entity not in text.entities]
    return FormattedText(text.text, sort_entities([*text.entities, *detected]))


def _overlaps(entity: Entity, others: Iterable[Entity]) -> bool:
    return any(entity.offset < other.end and other.offset < entity.end for other in others)
