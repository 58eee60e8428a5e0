"""Addresses of pictures on the answer page, signed because a browser sends no session with the request of a picture.

An address is for one picture of one assignment, and holds for five minutes. Who holds the assignment is looked up when
the picture is asked for.
"""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime

PICTURE_PATH = "picture"
"""The path of pictures below that of the page."""
PICTURE_SECONDS = 300
"""How long an address holds, in seconds."""


def make_picture_address(name: str, *, assignment_id: int, key: bytes, now: datetime) -> str:
    """The address of a picture, from that of the page; `key` is the deployment's."""
    until = int(now.timestamp()) + PICTURE_SECONDS
    return f"{PICTURE_PATH}/{assignment_id}/{until}/{_sign(f'{assignment_id}/{until}/{name}', key)}/{name}"


def is_picture_address(name: str, *, assignment_id: str, until: str, signature: str, key: bytes, now: datetime) -> bool:
    """Whether the parts of an address are those that this deployment has signed, not more than five minutes ago."""
    signed = _sign(f"{assignment_id}/{until}/{name}", key)
    if not hmac.compare_digest(signed.encode(), signature.encode(errors="replace")):
        return False
    return now.timestamp() < int(until)  # what was signed is a number


def _sign(content: str, key: bytes) -> str:
    own_key = hmac.new(key, b"hromada picture", hashlib.sha256).digest()
    return hmac.new(own_key, content.encode(errors="replace"), hashlib.sha256).hexdigest()
