"""Lists as Python prints them into a cell of a CSV file, `['so', "п'ять"]`: pandas writes a column of lists so.

Published sets have their options in this form; UP-Titles has ten titles in each cell.
"""

from __future__ import annotations

import ast
import re
import warnings

MAX_LIST_CHARACTERS = 1_000_000
_ELEMENT = (
    r"""(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|-?\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?|None|True|False)"""
)
_LIST = re.compile(rf"\[\s*(?:{_ELEMENT}(?:\s*,\s*{_ELEMENT})*\s*,?\s*)?\]")


def parse_printed_list(text: str) -> str | list[object]:
    """Parse a list of texts and numbers as Python prints it (`"['a', 'b']"`); any other text is returned unchanged.

    Texts with the quotes and escapes that Python chose are read back exactly. The pattern admits nothing nested or long
    to the parser, which could otherwise run out of memory; a list without commas, as numpy prints it, stays text.
    """
    if not text.startswith("[") or len(text) > MAX_LIST_CHARACTERS or _LIST.fullmatch(text) is None:
        return text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of a backslash that escapes nothing
            elements = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    storable = all(not isinstance(element, str) or _is_storable(element) for element in elements)
    return elements if isinstance(elements, list) and storable else text


def _is_storable(text: str) -> bool:
    return "\0" not in text and not any(0xD800 <= ord(character) <= 0xDFFF for character in text)
