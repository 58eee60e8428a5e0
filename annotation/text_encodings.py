"""Recognises the encoding of a text file that is not UTF-8, and decodes one whose encoding is stated."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from types import MappingProxyType

SAMPLE_BYTES = 20_000
_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_CYRILLIC = "абвгґдеєжзиіїйклмнопрстуфхцчшщьюяыэъё"
NAMES: Mapping[str, str] = MappingProxyType(
    {
        "utf-16": "UTF-16", "utf-16-be": "UTF-16", "cp1251": "Windows-1251", "koi8-u": "KOI8-U",
        "cp866": "DOS Cyrillic", "cp1252": "Windows-1252",
    }
)  # fmt: skip
"""The encodings that are recognised, with the names by which people know them."""


def is_encoding(name: str) -> bool:
    """Return whether Python has an encoding of text with this name."""
    try:
        b"a".decode(name, "replace")
    except (LookupError, ValueError):
        return False
    return True


def decode_text(raw: bytes, encoding: str) -> str:
    """Return the text without its byte-order mark.

    Raises UnicodeError if the bytes are not of this encoding, or if the text could not be stored.
    """
    text = raw.decode(encoding).removeprefix("\ufeff")
    found = _SURROGATE.search(text)
    if found is not None:
        raise UnicodeError("half a character")
    return text


def recognise_encoding(raw: bytes) -> str | None:
    """Return the likely encoding of bytes that are not UTF-8, a key of `NAMES`, or None if they look like no text."""
    if raw.startswith(_BOMS):
        return "utf-16"
    for name in ("utf-16", "utf-16-be"):
        if b"\0" in raw and _is_wide(raw, name):
            return name
    sample = raw[:SAMPLE_BYTES]
    if b"\0" in sample:
        return None
    candidates = {name: _count_words(sample.decode(name, "replace")) for name in ("cp1251", "koi8-u", "cp866")}
    best = max(candidates, key=lambda name: candidates[name])
    if candidates[best] > 0:
        return best
    return "cp1252" if _is_western(sample.decode("cp1252", "replace")) else None


def _is_wide(raw: bytes, name: str) -> bool:
    """Whether bytes are UTF-16 without a byte-order mark: Latin, Greek or Cyrillic but for a few signs."""
    sample = raw[:SAMPLE_BYTES].decode(name, "replace")
    plain = sum("\t" <= sign <= "\u052f" for sign in sample)
    return len(raw) % 2 == 0 and "\0" not in sample and plain > 0.8 * len(sample)


def _count_words(text: str) -> int:
    """The number of signs in Cyrillic words less that of odd ones: the wrong code page has capitals inside words."""
    likely = sum(len(word) for word in re.findall(rf"(?<!\w)[{_CYRILLIC.upper()}]?[{_CYRILLIC}'’ʼ]+(?!\w)", text))
    return likely - sum(not sign.isascii() for sign in text) // 2


def _is_western(text: str) -> bool:
    """Whether the signs outside ASCII are letters beside Latin ones, as in café."""
    return bool(re.search(r"[a-zA-Z][à-öø-ÿ]|[À-Öà-öø-ÿ][a-z]", text)) and "\ufffd" not in text
