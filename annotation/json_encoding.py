"""Encodes values as JSON, many small ones in a row: an item has four, and a set of items has 100,000 items.

`json.JSONEncoder` makes its C encoder anew for every value, which takes longer than encoding a short list with it. Here
it is made once. All encoders write letters as they are: a Cyrillic letter takes two bytes, escaped it would take six.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from json.encoder import c_make_encoder, encode_basestring  # type: ignore[attr-defined]  # parts of json.JSONEncoder
from typing import Any


class JsonEncoder(json.JSONEncoder):
    """A JSON encoder that keeps its C encoder; values must not contain themselves."""

    def __init__(self, *, separators: tuple[str, str] = (", ", ": "), sort_keys: bool = False) -> None:
        super().__init__(ensure_ascii=False, check_circular=False, separators=separators, sort_keys=sort_keys)
        self._encode = c_make_encoder(
            None,
            self.default,
            encode_basestring,
            None,  # no line breaks
            self.key_separator,
            self.item_separator,
            sort_keys,
            self.skipkeys,
            self.allow_nan,
        )

    def iterencode(self, o: Any, _one_shot: bool = False) -> Iterator[str]:  # as json has it
        """Encode a value in parts, which `encode` joins."""
        parts: Iterator[str] = self._encode(o, 0)
        return parts


STORED = JsonEncoder()
"""Encodes what is stored, with keys in their own order."""
SORTED = JsonEncoder(sort_keys=True)
"""Encodes a value as the text of a cell."""
COMPACT = JsonEncoder(separators=(",", ":"), sort_keys=True)
"""Encodes what is hashed."""
