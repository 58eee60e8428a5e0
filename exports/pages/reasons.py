"""Translates the English sentences of computations and quality rules, which pages recognise by their patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from exports.pages.reason_patterns import PATTERNS
from exports.pages.translation import LANGUAGES, get_language, localize_number, translate

_END_OF_SENTENCE = re.compile(r"(?<=\.) (?=[(A-Z])")
_NUMBER = re.compile(r"[-+−±<>=≥]?\s?[\d.]+[\d\s.,;%–−\-\[\]]*")


def translate_reason(text: str) -> str:
    """The text in the language of the page; what is no pattern, as the words of an organiser, stays as it is.

    A text of several sentences is translated as a whole or else each by itself, and so is what follows the names that
    stand before a colon. Values within a pattern are translated
    in their turn, and numbers get the decimal mark of the language.
    """
    if get_language() == LANGUAGES[0] or not text:
        return text
    whole = _translate_pattern(text, get_language())
    if whole is not None:
        return whole
    sentences = _END_OF_SENTENCE.split(text)
    if len(sentences) > 1:
        return " ".join(map(translate_reason, sentences))
    about, colon, rest = text.partition(": ")
    if colon:
        return f"{about}: {translate_reason(rest)}"
    return localize_number(text) if _NUMBER.fullmatch(text) else text


def translate_reasons(texts: Sequence[str]) -> str:
    """The texts one after another, in the language of the page."""
    return " ".join(translate_reason(text) for text in texts if text)


@lru_cache(maxsize=4096)
def _translate_pattern(text: str, language: str) -> str | None:  # noqa: ARG001  # part of the key of the cache
    """The translation by the first pattern that fits the whole text; None where there is none."""
    for pattern, expression in _compile_patterns():
        found = expression.fullmatch(text)
        if found is not None:
            return translate(pattern, **{name: translate_reason(value) for name, value in found.groupdict().items()})
    return None


@cache
def _compile_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The patterns with their regular expressions, those with most text of their own first: `{name}` is any text."""
    compiled = []
    for pattern in sorted(PATTERNS, key=lambda one: len(re.sub(r"\{\w+\}", "", one)), reverse=True):
        parts = re.split(r"\{(\w+)\}", pattern)
        texts = [f"(?P<{part}>.+?)" if number % 2 else re.escape(part) for number, part in enumerate(parts)]
        compiled.append((pattern, re.compile("".join(texts), re.DOTALL)))
    return tuple(compiled)
