"""Methods that send something to a chat."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.emulator import keyboards, message_content
from bot.emulator.calls import Call, bad_request
from bot.emulator.model import Chat, Content, Message
from bot.emulator.state import State

_ACTIONS = frozenset({
    "typing", "upload_photo", "record_video", "upload_video", "record_voice", "upload_voice", "upload_document",
    "choose_sticker", "find_location", "record_video_note", "upload_video_note",
})  # fmt: skip
ACTION_SECONDS = 5.0
"""Seconds for which "typing" is shown."""


def send_message(state: State, call: Call) -> Any:
    """Send a text."""
    return _send_content(state, call, message_content.parse_message(call))


def send_document(state: State, call: Call) -> Any:
    """Send a file of any kind."""
    return _send_content(state, call, message_content.parse_upload(call, state.files, "document"))


def send_photo(state: State, call: Call) -> Any:
    """Send a picture."""
    return _send_content(state, call, message_content.parse_upload(call, state.files, "photo"))


def send_chat_action(state: State, call: Call) -> Any:
    """ "Typing", for five seconds or until a message comes."""
    chat = state.find_chat(call)
    action = call.text("action")
    if action not in _ACTIONS:
        raise bad_request("wrong parameter action in request")
    chat.action = action, state.clock() + ACTION_SECONDS
    state.log_display(chat, "action", text=action)
    return True


def forward_message(state: State, call: Call) -> Any:
    """Forward a message, unless it is protected."""
    source = _get_source_message(state, call, "message to forward", "the message can't be forwarded")
    return _send_content(state, call, replace(source.content, markup=None))


def copy_message(state: State, call: Call) -> Any:
    """Send a copy of a message, unless it is protected."""
    source = _get_source_message(state, call, "message to copy", "the message can't be copied")
    content = replace(source.content, markup=keyboards.parse_markup(call.table("reply_markup")))
    return {"message_id": _send_content(state, call, content)["message_id"]}


def _get_source_message(state: State, call: Call, what: str, refusal: str) -> Message:
    """The message to forward or copy; raises CallRefused where there is none, or it is protected."""
    source = state.get_message(state.find_chat(call, "from_chat_id"), call.number("message_id"), what)
    if source.protected:
        raise bad_request(refusal)
    return source


def _send_content(state: State, call: Call, content: Content) -> dict[str, Any]:
    """Send a message of the bot and return it; raises CallRefused."""
    chat = state.find_chat(call)
    reply_to = _get_replied_message(chat, call)
    message = state.add_message(chat, state.me, content, reply_to=reply_to)
    message.protected, message.silent = call.flag("protect_content"), call.flag("disable_notification")
    chat.action = "", 0.0
    markup = content.markup
    if markup is not None and markup.kind in {"reply", "remove"}:
        chat.keyboard = markup if markup.kind == "reply" else None
    state.log_display(chat, "message", message, f"[{content.kind}]")
    return message.wire()


def _get_replied_message(chat: Chat, call: Call) -> Message | None:
    """The message that the call replies to, if any; raises CallRefused for one that is missing and required."""
    wanted = call.table("reply_parameters")
    number = Call(call.method, wanted).number("message_id") or call.number("reply_to_message_id")
    if not number:
        return None
    source = chat.messages.get(number)
    if source is not None and not source.deleted:
        return source
    if wanted.get("allow_sending_without_reply") or call.flag("allow_sending_without_reply"):
        return None
    raise bad_request("message to be replied not found")
