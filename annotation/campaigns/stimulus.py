"""An item rendered once: what people see and what models are asked, with its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence


def render(fields: Sequence[str]) -> str:
    """The shown fields of an item as one text, in their order, an empty line between them."""
    return "\n\n".join(text.strip() for text in fields if text.strip())


def digest(stimulus: str, *, question: str, options: Sequence[str]) -> str:
    """sha256 of all that a person was shown of an item: stimulus, question and options in their stored order."""
    shown = json.dumps([stimulus, question, list(options)], ensure_ascii=False, separators=(",", ":"))
    return text_digest(shown)


def text_digest(text: str) -> str:
    """sha256 of a text in UTF-8, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()
