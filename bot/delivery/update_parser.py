"""What is kept of an update: what the conversation needs, and no name."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from annotation.store.inbox import Arrived
from bot.conversation.updates_and_calls import MOST_TEXT, Incoming, Kind

KINDS = ("message", "edited_message", "callback_query", "my_chat_member")
"""The kinds of updates that Telegram is asked for."""
MEDIA = (
    "photo", "voice", "sticker", "video", "video_note", "audio", "animation", "document", "location", "contact", "poll",
    "dice", "venue", "story", "game",
)  # fmt: skip
GONE = {"kicked", "left"}
Raw = Mapping[str, Any]


def read(update: Raw) -> Incoming | None:
    """An update as the Bot API writes it; None for what is from nobody, or is none of the updates that it describes."""
    try:
        return _read(update)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError):
        return None


def _read(update: Raw) -> Incoming | None:
    number = update.get("update_id")
    kind = next((kind for kind in KINDS if kind in update), None)
    body = update.get(kind) if kind else None
    sender = body.get("from") if isinstance(body, dict) else None
    if not isinstance(number, int) or not isinstance(body, dict) or not isinstance(sender, dict):
        return None
    reader = {"callback_query": _tap, "my_chat_member": _standing}.get(kind or "", _message)
    told: dict[str, Any] = reader(body, edited=kind == "edited_message")
    chat = told.pop("chat")
    return Incoming(
        update_id=number,
        telegram_id=sender["id"],
        chat_id=chat.get("id", sender["id"]),
        private=chat.get("type", "private") == "private",
        language_code=_storable(str(sender.get("language_code") or ""))[:16] or None,
        **told,
    )


def arrived(incoming: Incoming) -> Arrived:
    """As the inbox keeps it."""
    payload = {name: value for name, value in vars(incoming).items() if value is not None}
    payload["at"] = incoming.at.timestamp()
    return Arrived(update_id=incoming.update_id, telegram_id=incoming.telegram_id, payload=payload)


def restored(payload: Mapping[str, Any]) -> Incoming:
    """From what the inbox kept."""
    return Incoming(**{**payload, "kind": Kind(payload["kind"]), "at": _moment(payload["at"])})


def _message(body: Raw, *, edited: bool) -> dict[str, Any]:
    text = body.get("text", body.get("caption"))
    told = {
        "kind": Kind.EDITED if edited else Kind.MESSAGE,
        "at": _moment(body.get("edit_date" if edited else "date", 0)),
        "chat": body["chat"],
        "text": None if text is None else _storable(text[:MOST_TEXT]),
        "media": next((name for name in MEDIA if name in body), None),
        "message_id": body.get("message_id"),
        "reply_to": (body.get("reply_to_message") or {}).get("message_id"),
    }
    if "migrate_to_chat_id" in body or "migrate_from_chat_id" in body:
        told["kind"] = Kind.MIGRATED
    elif text is None and told["media"] is None:
        told["kind"] = Kind.OTHER
    return told


def _tap(body: Raw, *, edited: bool) -> dict[str, Any]:  # noqa: ARG001
    message = body.get("message") or {}
    return {
        "kind": Kind.TAP,
        "at": datetime.now(UTC),  # a tap carries no time of its own
        "chat": message.get("chat") or {},
        "data": _storable(str(body.get("data", ""))[:64]),
        "query_id": body["id"],
        "message_id": message.get("message_id"),
    }


def _standing(body: Raw, *, edited: bool) -> dict[str, Any]:  # noqa: ARG001
    gone = body["new_chat_member"]["status"] in GONE
    private = body["chat"].get("type") == "private"
    kind = Kind.OTHER if not private else Kind.BLOCKED if gone else Kind.UNBLOCKED
    return {"kind": kind, "at": _moment(body.get("date", 0)), "chat": body["chat"]}


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _storable(text: str) -> str:
    """Without what no database keeps: NUL, and halves of characters."""
    return text.replace("\0", "").encode(errors="ignore").decode()
