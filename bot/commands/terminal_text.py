"""Characters that a terminal obeys, such as ESC: in the texts of others they are shown as a mark."""

from __future__ import annotations

import re

MARK = "\N{REPLACEMENT CHARACTER}"
_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""C0 and C1 without tab and line feed."""


def clean_text(text: str) -> str:
    """The text with a mark in place of each character that a terminal obeys."""
    return _OBEYED.sub(MARK, text)


def escape_json(document: str) -> str:
    """The JSON document with the escapes of such characters that `json` leaves as they are, which are C1 and DEL."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", document)
