"""Tells the language of texts by their letters."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable
from itertools import islice

from annotation.loading.project_drafts.yaml_lines import YamlLine

_UKRAINIAN, _RUSSIAN = frozenset("іїєґ"), frozenset("ыэёъ")
_ENGLISH = frozenset(
    {
        "the", "is", "are", "was", "of", "and", "to", "in", "it", "on", "that", "not", "what", "which", "who", "how",
        "this", "for", "with", "you", "have", "has",
    }
)  # fmt: skip
_ID = re.compile(r"[A-Za-z_.:/-]*\d[\w.:/-]*", re.ASCII)
"""A text of Latin letters, figures and dashes, with a figure."""
SAMPLE = 100_000
"""How many characters are looked at."""


def guess_language(texts: Iterable[str], others: Iterable[str] = ()) -> YamlLine:
    """Return the line `language` of a project file with its reason; Ukrainian, Russian or English.

    The letters of `others` count if those of the texts do not tell, or if the texts are ids, such as q001.
    """
    listed = list(texts)
    are_ids = all(_ID.fullmatch(text) for text in listed)
    letters = Counter[str]() if are_ids else _count_letters(listed)
    if not letters or letters.keys().isdisjoint(_UKRAINIAN | _RUSSIAN | {*string.ascii_lowercase}):
        letters += _count_letters(others)
    cyrillic = sum(times for letter, times in letters.items() if "\u0400" <= letter <= "\u04ff")
    latin = sum(times for letter, times in letters.items() if "a" <= letter <= "\u024f")
    ukrainian, russian = (sum(letters[letter] for letter in some) for some in (_UKRAINIAN, _RUSSIAN))
    if cyrillic > latin:
        if ukrainian == russian:
            return YamlLine("language", "uk", "Cyrillic letters that both Ukrainian and Russian have", sure=False)
        is_sure = min(ukrainian, russian) * 10 < max(ukrainian, russian)
        return YamlLine("language", "uk" if ukrainian > russian else "ru", "by the letters of the texts", sure=is_sure)
    if latin:
        words = re.findall(r"[^\W\d_]+", " ".join(islice(listed, 500)).casefold())
        is_english = sum(word in _ENGLISH for word in words) > 0.03 * len(words)
        comment = "by the words of the texts" if is_english else "Latin letters: write the code of the language"
        return YamlLine("language", "en", comment, sure=is_english)
    return YamlLine("language", "en", "no text that would tell", sure=False)


def _count_letters(texts: Iterable[str]) -> Counter[str]:
    letters = Counter[str]()
    for text in texts:
        letters.update(sign for sign in text.casefold() if sign.isalpha())
        if letters.total() > SAMPLE:
            break
    return letters
