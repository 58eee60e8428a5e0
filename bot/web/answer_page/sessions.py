"""Sessions of the answer page: signed tokens that name the person and the end, so that any process can check them.

Nothing of them is stored. Whether the person is known and may work is looked up with every request, so that a session
ends with an erasure or a suspension.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac

SESSION_SECONDS = 12 * 3600
"""How long a session lasts, in seconds."""
MAX_TOKEN = 200


class BadSession(ValueError):
    """The token is none of this bot's, or its session is over."""


def make_session(user_id: int, token: str, *, now: float, seconds: int = SESSION_SECONDS) -> str:
    """The session of a person with the bot of this token, for so long from now on."""
    content = f"{user_id}.{int(now) + seconds}".encode()
    return base64.urlsafe_b64encode(_sign(content, token) + content).decode()


def read_session(session: str, token: str, *, now: float) -> int:
    """The Telegram id of the person whose session it is with the bot of this token; raises BadSession."""
    if len(session) > MAX_TOKEN:
        raise BadSession("length")
    try:
        decoded = base64.b64decode(session.encode(), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise BadSession("format") from None
    signature, content = decoded[: hashlib.sha256().digest_size], decoded[hashlib.sha256().digest_size :]
    if not hmac.compare_digest(_sign(content, token), signature):
        raise BadSession("signature")
    user_id, _, until = content.decode().partition(".")
    if now >= int(until):
        raise BadSession("over")
    return int(user_id)


def _sign(content: bytes, token: str) -> bytes:
    key = hmac.new(token.encode(), b"hromada answer page", hashlib.sha256).digest()
    return hmac.new(key, content, hashlib.sha256).digest()
