"""Who opened the answer page in Telegram: initData, checked against the token of the bot that opened it.

The constant is the key of the first HMAC, the token its message (core.telegram.org/bots/webapps). Only the person's id
is read; names and the address of a photo are dropped here.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from urllib.parse import parse_qsl

from annotation.vocabulary import FIRST_PAGE_ID

MAX_AGE, CLOCK_SKEW = 3600, 60
"""How old initData may be, and how far ahead of this machine's clock, in seconds."""
MAX_LENGTH, MAX_FIELDS = 4096, 32


class BadInitData(ValueError):
    """The initData is malformed, forged, of another bot or stale; the argument is a code, never the data."""


def verify_user_id(init_data: str, token: str, *, now: float) -> int:
    """The Telegram id that fresh initData of this bot names, at a time in seconds since 1970; raises BadInitData."""
    if not 0 < len(init_data) <= MAX_LENGTH:
        raise BadInitData("length")
    try:
        pairs = parse_qsl(
            init_data, keep_blank_values=True, strict_parsing=True, errors="strict", max_num_fields=MAX_FIELDS
        )
    except ValueError:
        raise BadInitData("format") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise BadInitData("repeated field")
    if not hmac.compare_digest(_compute_hash(fields, token).encode(), fields.get("hash", "").encode()):
        raise BadInitData("hash")
    return _read_user_id(fields, now=now)


def _compute_hash(fields: Mapping[str, str], token: str) -> str:
    """The hash of all fields but `hash`; `signature` is among them."""
    checked = "\n".join(f"{name}={fields[name]}" for name in sorted(fields) if name != "hash")
    key = hmac.new(b"WebAppData", token.encode(), hashlib.sha256).digest()
    return hmac.new(key, checked.encode(), hashlib.sha256).hexdigest()


def _read_user_id(fields: Mapping[str, str], *, now: float) -> int:
    """The id in fields whose hash is right."""
    try:
        age = now - int(fields["auth_date"])
        user_id = json.loads(fields["user"])["id"]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise BadInitData("no person") from None
    if not -CLOCK_SKEW <= age <= MAX_AGE:
        raise BadInitData("stale")
    if type(user_id) is not int or not 0 < user_id < FIRST_PAGE_ID:
        raise BadInitData("no person")
    return user_id
