"""Lists as Python prints them (`"['a', 'b']"`), read without running anything."""

from __future__ import annotations

import ast
import re
import warnings

LONGEST = 1_000_000
_ONE = r"""(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|-?\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?|None|True|False)"""
_LIST = re.compile(rf"\[\s*(?:{_ONE}(?:\s*,\s*{_ONE})*\s*,?\s*)?\]")


def listed(text: str) -> str | list[object]:
    """The list that a cell spells, of texts and numbers alone; any other text stays as it is.

    The pattern lets nothing nested and nothing long through to the parser, which could otherwise be made to run out
    of memory.
    """
    if not text.startswith("[") or len(text) > LONGEST or _LIST.fullmatch(text) is None:
        return text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of a backslash that escapes nothing
            found = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    storable = all(not isinstance(one, str) or _is_storable(one) for one in found)
    return found if isinstance(found, list) and storable else text


def _is_storable(text: str) -> bool:
    return "\0" not in text and not any(0xD800 <= ord(character) <= 0xDFFF for character in text)
