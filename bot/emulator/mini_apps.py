"""Mini Apps: the address that a client opens, with initData that it signs, and its theme."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from urllib.parse import quote

from bot.emulator.model import User
from bot.emulator.state import State

LIGHT = {
    "bg_color": "#ffffff",
    "text_color": "#000000",
    "hint_color": "#707579",
    "link_color": "#3390ec",
    "button_color": "#3390ec",
    "button_text_color": "#ffffff",
    "secondary_bg_color": "#f4f4f5",
    "destructive_text_color": "#e53935",
}
DARK = {
    "bg_color": "#212121",
    "text_color": "#ffffff",
    "hint_color": "#aaaaaa",
    "link_color": "#8774e1",
    "button_color": "#8774e1",
    "button_text_color": "#ffffff",
    "secondary_bg_color": "#181818",
    "destructive_text_color": "#e53935",
}
"""The themes of a client; some of their contrasts are too low, as they are there."""


def sign_init_data(fields: Mapping[str, str], token: str) -> str:
    """The fields as initData, signed for the bot of this token."""
    checked = "\n".join(f"{name}={fields[name]}" for name in sorted(fields))
    key = hmac.new(b"WebAppData", token.encode(), hashlib.sha256).digest()
    signed = {**fields, "hash": hmac.new(key, checked.encode(), hashlib.sha256).hexdigest()}
    return "&".join(f"{name}={quote(value, safe='')}" for name, value in signed.items())


def build_address(page: str, state: State, user: User, *, is_dark: bool = False) -> str:
    """The address of a page with what a client passes to it in the fragment."""
    who = {"id": user.id, "first_name": user.first_name, "language_code": user.language or "en"}
    fields = {
        "user": json.dumps(who, ensure_ascii=False, separators=(",", ":")),
        "chat_type": "private",
        "auth_date": str(int(state.clock())),
        "signature": "A" * 86,
    }
    passed = {
        "tgWebAppData": sign_init_data(fields, state.token),
        "tgWebAppVersion": "8.0",
        "tgWebAppPlatform": "weba",
        "tgWebAppThemeParams": json.dumps(DARK if is_dark else LIGHT),
    }
    return f"{page}#" + "&".join(f"{name}={quote(value, safe='')}" for name, value in passed.items())
