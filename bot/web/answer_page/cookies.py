"""The cookie by which a device knows somebody without Telegram: a session, signed with the deployment's key."""

from __future__ import annotations

import hashlib
import hmac

COOKIE = "hromada"
REMEMBERED_SECONDS = 90 * 24 * 3600
"""How long a device remembers a person who asked for that, in seconds; otherwise the browser forgets when it closes."""


def make_cookie_secret(key: bytes) -> str:
    """The secret by which the cookies are signed."""
    return hmac.new(key, b"hromada page cookie", hashlib.sha256).hexdigest()
