"""Methods that change what is in a chat already."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.emulator import contents, keyboards
from bot.emulator.calls import Call, bad_request
from bot.emulator.model import Content, Message
from bot.emulator.state import State

_SAME = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current"
    " content and reply markup of the message"
)
DELETABLE = 48 * 3600
"""Seconds after which a message stays for good."""


def edit_message_text(state: State, call: Call) -> Any:
    """Another text; a keyboard that is not given again is gone."""
    content = contents.message(call)
    message = _own(state, call)
    if message.content.kind != "text":
        raise bad_request("there is no text in the message to edit")
    return _changed(state, message, content)


def edit_message_caption(state: State, call: Call) -> Any:
    """Other words under a file."""
    words = contents.caption(call)
    message = _own(state, call)
    if message.content.kind == "text":
        raise bad_request("there is no caption in the message to edit")
    return _changed(state, message, Content(words, keyboards.read(call.table("reply_markup")), message.content.file))


def edit_message_reply_markup(state: State, call: Call) -> Any:
    """Another inline keyboard, or none."""
    markup = keyboards.read(call.table("reply_markup"))
    message = _own(state, call)
    return _changed(state, message, replace(message.content, markup=markup))


def delete_message(state: State, call: Call) -> Any:
    """For everybody, within 48 hours."""
    _delete(state, state.message(call, "message to delete"))
    return True


def delete_messages(state: State, call: Call) -> Any:
    """Up to a hundred; those that are not there are passed over."""
    chat, numbers = state.chat(call), call.rows("message_ids")
    if not 1 <= len(numbers) <= 100:
        raise bad_request("wrong number of message identifiers specified")
    for number in numbers:
        message = chat.messages.get(number) if isinstance(number, int) else None
        if message is not None and not message.deleted:
            _delete(state, message)
    return True


def set_message_reaction(state: State, call: Call) -> Any:
    """The bot's own reaction, at most one."""
    message = state.message(call, "message to react")
    wanted = call.tables("reaction")
    if len(wanted) > 1:
        raise bad_request("REACTIONS_TOO_MANY")
    message.reaction = str(wanted[0].get("emoji", "")) if wanted else ""
    state.show(message.chat, "reaction", message)
    return True


def pin_chat_message(state: State, call: Call) -> Any:
    """Keep a message at the top of the chat."""
    message = state.message(call, "message to pin")
    if message.id not in message.chat.pinned:
        message.chat.pinned.append(message.id)
        state.show(message.chat, "pin", message)
    return True


def unpin_chat_message(state: State, call: Call) -> Any:
    """The one that is named, or the newest."""
    chat = state.chat(call)
    number = call.number("message_id") or (chat.pinned[-1] if chat.pinned else 0)
    if number not in chat.pinned:
        raise bad_request("message to unpin not found")
    chat.pinned.remove(number)
    return True


def _own(state: State, call: Call) -> Message:
    """A message that the bot may edit; a reply keyboard or a reply box under it forbids that."""
    message = state.message(call, "message to edit")
    markup = message.content.markup
    if message.sender is not state.me or (markup is not None and markup.kind != "inline"):
        raise bad_request("message can't be edited")
    return message


def _changed(state: State, message: Message, content: Content) -> Any:
    if content.markup is not None and content.markup.kind != "inline":
        raise bad_request("inline keyboard expected")
    if content == message.content:
        raise bad_request(_SAME)
    message.content, message.edited = content, state.now()
    state.show(message.chat, "edit", message)
    return message.wire()


def _delete(state: State, message: Message) -> None:
    if state.clock() - message.date > DELETABLE:
        raise bad_request("message can't be deleted for everyone")
    message.deleted = True
    state.show(message.chat, "delete", message)
