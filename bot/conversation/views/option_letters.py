"""Letters of options: А Б В … where the project speaks in Cyrillic, A B C … elsewhere, numbers where letters end."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

CYRILLIC, LATIN = "АБВГДЕЖЗИКЛМНПРСТУФХ", "ABCDEFGHIJKLMNOPQRST"
"""Without Ґ Є І Ї and what is taken for another letter or a digit."""
WRITTEN_IN_CYRILLIC = {"uk", "ru", "be", "bg", "mk", "sr", "kk", "ky", "mn", "tg"}
_ALIKE = dict(zip("ABEKMHPCTX", "АВЕКМНРСТХ", strict=True))
_SIGNS = re.compile(r"[\s,;.()\]\[]+")


def letters(count: int, language: str) -> tuple[str, ...]:
    """The letters of so many options."""
    alphabet = CYRILLIC if language in WRITTEN_IN_CYRILLIC else LATIN
    return tuple(alphabet[:count]) if count <= len(alphabet) else tuple(str(number) for number in range(1, count + 1))


def meant(text: str, options: Sequence[str], language: str) -> tuple[int, ...]:
    """The options that a typed text stands for, by letter, number or in full; none where it stands for none.

    A letter of the other alphabet that looks the same is taken for it.
    """
    said = _plain(text)
    whole = [index for index, option in enumerate(options) if _plain(option) == said]
    if len(whole) == 1:
        return tuple(whole)
    names = letters(len(options), language)
    found = [_named(one, names) for one in _SIGNS.split(said) if one]
    known = [one for one in found if one is not None]
    return tuple(dict.fromkeys(known)) if known and len(known) == len(found) else ()


def isolated(text: str) -> str:
    """A text whose direction does not reach beyond it: what is right to left stands apart."""
    turning = any(unicodedata.bidirectional(one) in _TURNING for one in text)
    if not turning:
        return text
    opened = sum(one in "\u202a\u202b\u202d\u202e" for one in text) - text.count("\u202c")
    return "\u2068" + text + "\u202c" * max(0, opened) + "\u2069"


_TURNING = {"R", "AL", "RLE", "RLO", "LRO", "LRE", "RLI", "LRI", "FSI"}


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _named(word: str, names: Sequence[str]) -> int | None:
    """The option of that letter, or number from 1."""
    if word.isdecimal():
        return int(word) - 1 if len(word) < 5 and 1 <= int(word) <= len(names) else None
    upper = word.upper()
    back = {other: one for one, other in _ALIKE.items()}
    for one in (upper, _ALIKE.get(upper), back.get(upper)):
        if one is not None and one in names:
            return names.index(one)
    return None
