"""Methods that put something into a chat."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.emulator import contents, keyboards
from bot.emulator.calls import Call, bad_request
from bot.emulator.model import Chat, Content, Message
from bot.emulator.state import State

_ACTIONS = frozenset({
    "typing", "upload_photo", "record_video", "upload_video", "record_voice", "upload_voice", "upload_document",
    "choose_sticker", "find_location", "record_video_note", "upload_video_note",
})  # fmt: skip
LASTS = 5.0
"""Seconds that "typing" is shown."""


def send_message(state: State, call: Call) -> Any:
    """A text."""
    return _sent(state, call, contents.message(call))


def send_document(state: State, call: Call) -> Any:
    """A file of any kind."""
    return _sent(state, call, contents.uploaded(call, state.files, "document"))


def send_photo(state: State, call: Call) -> Any:
    """A picture."""
    return _sent(state, call, contents.uploaded(call, state.files, "photo"))


def send_chat_action(state: State, call: Call) -> Any:
    """ "Typing", for five seconds or until a message comes."""
    chat = state.chat(call)
    action = call.text("action")
    if action not in _ACTIONS:
        raise bad_request("wrong parameter action in request")
    chat.action = action, state.clock() + LASTS
    state.show(chat, "action", text=action)
    return True


def forward_message(state: State, call: Call) -> Any:
    """A message of another chat, unless it is protected."""
    found = _source(state, call, "message to forward", "the message can't be forwarded")
    return _sent(state, call, replace(found.content, markup=None))


def copy_message(state: State, call: Call) -> Any:
    """The same without saying where it is from."""
    found = _source(state, call, "message to copy", "the message can't be copied")
    content = replace(found.content, markup=keyboards.read(call.table("reply_markup")))
    return {"message_id": _sent(state, call, content)["message_id"]}


def _source(state: State, call: Call, what: str, refusal: str) -> Message:
    found = state.found(state.chat(call, "from_chat_id"), call.number("message_id"), what)
    if found.protected:
        raise bad_request(refusal)
    return found


def _sent(state: State, call: Call, content: Content) -> dict[str, Any]:
    chat = state.chat(call)
    reply_to = _replied(chat, call)
    state.count(chat)
    message = state.put(chat, state.me, content, reply_to=reply_to)
    message.protected, message.silent = call.flag("protect_content"), call.flag("disable_notification")
    chat.action = "", 0.0
    markup = content.markup
    if markup is not None and markup.kind in {"reply", "remove"}:
        chat.keyboard = markup if markup.kind == "reply" else None
    state.show(chat, "message", message, f"[{content.kind}]")
    return message.wire()


def _replied(chat: Chat, call: Call) -> Message | None:
    wanted = call.table("reply_parameters")
    number = Call(call.method, wanted).number("message_id") or call.number("reply_to_message_id")
    if not number:
        return None
    found = chat.messages.get(number)
    if found is not None and not found.deleted:
        return found
    if wanted.get("allow_sending_without_reply") or call.flag("allow_sending_without_reply"):
        return None
    raise bad_request("message to be replied not found")
