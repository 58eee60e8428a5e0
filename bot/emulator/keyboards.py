"""The reply markup of a message: inline buttons, a reply keyboard, its removal, a reply box (force_reply)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.emulator.calls import bad_request

MAX_DATA_BYTES = 64
"""The most bytes of data of a button."""
MAX_MARKUP_BYTES, MAX_BUTTONS = 10_240, 100
"""Bytes of JSON, and buttons; neither is documented, both were observed."""
_ACTIONS = ("callback_data", "url", "copy_text", "web_app", "switch_inline_query", "switch_inline_query_current_chat")


@dataclass(frozen=True)
class Button:
    """One button; `wire` is its JSON in messages, `page` the address of a Mini App.

    A button of a reply keyboard has no action: it sends its own text.
    """

    text: str
    data: str | None = None
    url: str | None = None
    page: str | None = None
    wire: str = "{}"


@dataclass(frozen=True)
class Markup:
    """A reply markup; `kind` is inline, reply, remove or force, and rows are empty for the last two."""

    kind: str
    rows: tuple[tuple[Button, ...], ...] = ()
    placeholder: str = ""

    def wire(self) -> dict[str, Any]:
        """The markup as a message of the Bot API has it, for inline keyboards only."""
        return {"inline_keyboard": [[json.loads(button.wire) for button in row] for row in self.rows]}

    @property
    def buttons(self) -> tuple[Button, ...]:
        """All buttons, row by row."""
        return tuple(button for row in self.rows for button in row)


def parse_markup(raw: Mapping[str, Any]) -> Markup | None:
    """Parse the reply markup of a call, None where there is none; raises CallRefused."""
    if not raw:
        return None
    if len(json.dumps(raw, ensure_ascii=False).encode()) > MAX_MARKUP_BYTES:
        raise bad_request("reply markup is too long")
    placeholder = str(raw.get("input_field_placeholder") or "")
    if len(placeholder) > 64:
        raise bad_request("REPLY_MARKUP_INVALID")
    if "inline_keyboard" in raw:
        return _parse_inline(raw["inline_keyboard"])
    if "keyboard" in raw:
        rows = _check_rows(raw["keyboard"], "keyboard")
        keys = tuple(tuple(_parse_key(button) for button in row) for row in rows)
        return Markup("reply", tuple(filter(None, keys)), placeholder)
    if raw.get("remove_keyboard"):
        return Markup("remove")
    if raw.get("force_reply"):
        return Markup("force", placeholder=placeholder)
    return None


def _parse_inline(raw: Any) -> Markup | None:
    rows = tuple(tuple(_parse_button(button) for button in row) for row in _check_rows(raw, "inline keyboard"))
    if sum(map(len, rows)) > MAX_BUTTONS:
        raise bad_request("reply markup is too long")
    rows = tuple(filter(None, rows))
    return Markup("inline", rows) if rows else None


def _check_rows(raw: Any, what: str) -> list[list[Any]]:
    if not isinstance(raw, list):
        raise bad_request(f'field "{what.replace(" ", "_")}" must be of type Array')
    if not all(isinstance(row, list) for row in raw):
        raise bad_request(f"can't parse {what} row: expected an Array")
    return raw


def _parse_button(raw: Any) -> Button:
    if not isinstance(raw, dict) or not isinstance(raw.get("text"), str):
        raise bad_request('can\'t parse inline keyboard button: field "text" must be of type String')
    actions = [name for name in _ACTIONS if name in raw]
    if not raw["text"].strip():
        raise bad_request("inline keyboard button text must be non-empty")
    if not actions:
        raise bad_request("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
    data = raw.get("callback_data")
    if data is not None and not 1 <= len(str(data).encode()) <= MAX_DATA_BYTES:
        raise bad_request("BUTTON_DATA_INVALID")
    url = raw.get("url")
    if url is not None and not str(url).startswith(("http://", "https://", "tg://")):
        raise bad_request(f"inline keyboard button URL '{url}' is invalid: Wrong HTTP URL")
    page = raw["web_app"].get("url") if isinstance(raw.get("web_app"), dict) else None
    if "web_app" in raw and not str(page).startswith(("https://", "http://127.0.0.1:")):
        raise bad_request(f"inline keyboard button Web App URL '{page}' is invalid: Only HTTPS links are allowed")
    kept = {name: raw[name] for name in ("text", *actions, "style") if name in raw}
    wire = json.dumps(kept, ensure_ascii=False)
    return Button(raw["text"], None if data is None else str(data), None if url is None else str(url), page, wire)


def _parse_key(raw: Any) -> Button:
    text = raw if isinstance(raw, str) else raw.get("text") if isinstance(raw, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise bad_request("keyboard button text must be non-empty")
    return Button(text)
