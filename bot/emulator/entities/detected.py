"""What Telegram finds in any text by itself: commands, addresses, mentions, tags."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bot.emulator.entities import Entity, Text, ordered, units

_PATTERNS = (
    ("bot_command", re.compile(r"(?<![\w/<>])/[A-Za-z0-9_]{1,64}(?:@\w{3,32})?(?![\w/])")),
    ("url", re.compile(r"https?://[^\s<>\"]+[^\s<>\".,;:!?)»]", re.IGNORECASE)),
    ("email", re.compile(r"(?<![\w.@])[\w.+-]+@[\w-]+\.[\w.-]*\w")),
    ("mention", re.compile(r"(?<![\w@/.])@[A-Za-z]\w{2,31}(?!\w)")),
    ("hashtag", re.compile(r"(?<!\w)#(?=\w*[^\W\d])\w{1,256}")),
)
_HINTS = re.compile(r"[/@#]")


def detect(text: Text) -> Text:
    """The text with these added where nothing stands that forbids them: code, links, or each other."""
    if not _HINTS.search(text.text):
        return text
    taken = [one for one in text.entities if one.type in {"code", "pre", "text_link"}]
    for kind, pattern in _PATTERNS:
        for found in pattern.finditer(text.text):
            one = Entity(kind, units(text.text[: found.start()]), units(found[0]))
            if not _meets(one, taken):
                taken.append(one)
    found_here = [one for one in taken if one not in text.entities]
    return Text(text.text, ordered([*text.entities, *found_here]))


def _meets(one: Entity, others: Iterable[Entity]) -> bool:
    return any(one.offset < other.end and other.offset < one.end for other in others)
