"""Accounts of people without Telegram: a random id, and the personal code that leads back to it.

Nothing secret is stored: the code holds the id and a signature with the deployment's key. It is void once the annotator
is erased or suspended or has moved, as the annotator is looked up each time.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets

from annotation.vocabulary import FIRST_PAGE_ID

_ID_BYTES, _SIGNATURE_BYTES, _GROUP = 7, 10, 4
MAX_CODE = 64
"""The longest code that is read, with blanks and hyphens."""
_READ_AS = str.maketrans("018", "OIB", " -\u2010\u2011\u2013")
"""Digits that no code has, read as the letters that look like them; blanks and hyphens go."""


class BadCode(ValueError):
    """This is not a personal code of this deployment."""


def make_account_id() -> int:
    """The id of a new account."""
    return FIRST_PAGE_ID + secrets.randbelow(FIRST_PAGE_ID)


def make_code(account_id: int, key: bytes) -> str:
    """The personal code of an account: 28 letters and digits in groups of four."""
    content = account_id.to_bytes(_ID_BYTES, "big")
    letters = base64.b32encode(content + _sign(content, key)).decode().rstrip("=")
    return "-".join(letters[at : at + _GROUP] for at in range(0, len(letters), _GROUP))


def read_code(written: str, key: bytes) -> int:
    """The account of a personal code, as somebody typed it; raises BadCode."""
    letters = written[:MAX_CODE].upper().translate(_READ_AS)
    try:
        decoded = base64.b32decode(letters + "=" * (-len(letters) % 8))
    except (binascii.Error, ValueError):
        raise BadCode from None
    content, signature = decoded[:_ID_BYTES], decoded[_ID_BYTES:]
    if not hmac.compare_digest(_sign(content, key), signature):
        raise BadCode
    return int.from_bytes(content, "big")


def _sign(content: bytes, key: bytes) -> bytes:
    return hmac.new(key, b"hromada personal code" + content, hashlib.sha256).digest()[:_SIGNATURE_BYTES]
