"""Parts of a text that an annotator typed or copied: where they stand, whatever their apostrophes and quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from annotation.campaigns.questions.question_base import find_occurrences
from bot.conversation.spans.text_segments import Extent

MAX_PART = 4096
"""The longest typed part that is looked for, in characters: one message."""
_ALIKE = ("'’ʼ‘`´", '"“”„«»', "-\u2010\u2011‐–—−")
"""Characters that phones type one for another."""


def find_typed_part(typed: str, text: str) -> tuple[Extent, ...]:
    """Where a typed part stands in the text: exactly so, or else but for case, apostrophes, quotes, dashes and spaces.

    Empty where it stands nowhere.
    """
    part = typed.strip()
    if not part or len(part) > MAX_PART:
        return ()
    exact = tuple((start, start + len(part)) for start in find_occurrences(part, text))
    return exact or tuple(_find_alike(part, text))


def _find_alike(part: str, text: str) -> Iterator[Extent]:
    pattern = r"\s+".join("".join(map(_build_class, word)) for word in part.split())
    for match in re.finditer(pattern, text, re.IGNORECASE):
        yield match.span()


def _build_class(character: str) -> str:
    alike = next((group for group in _ALIKE if character in group), "")
    return f"[{re.escape(alike)}]" if alike else re.escape(character)
