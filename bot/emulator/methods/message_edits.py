"""Methods that change messages: edit, delete, react, pin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.emulator import keyboards, message_content
from bot.emulator.calls import Call, bad_request
from bot.emulator.model import Content, Message
from bot.emulator.state import State

_NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current"
    " content and reply markup of the message"
)
DELETABLE_SECONDS = 48 * 3600
"""Seconds in which a message can be deleted."""


def edit_message_text(state: State, call: Call) -> Any:
    """Replace the text; a keyboard that is not given again is removed."""
    content = message_content.parse_message(call)
    message = _get_own_message(state, call)
    if message.content.kind != "text":
        raise bad_request("there is no text in the message to edit")
    return _change_content(state, message, content)


def edit_message_caption(state: State, call: Call) -> Any:
    """Replace the caption of a file."""
    caption = message_content.parse_caption(call)
    message = _get_own_message(state, call)
    if message.content.kind == "text":
        raise bad_request("there is no caption in the message to edit")
    return _change_content(
        state, message, Content(caption, keyboards.parse_markup(call.table("reply_markup")), message.content.file)
    )


def edit_message_reply_markup(state: State, call: Call) -> Any:
    """Replace or remove the inline keyboard."""
    markup = keyboards.parse_markup(call.table("reply_markup"))
    message = _get_own_message(state, call)
    return _change_content(state, message, replace(message.content, markup=markup))


def delete_message(state: State, call: Call) -> Any:
    """Delete a message for everybody, within 48 hours."""
    _delete(state, state.find_message(call, "message to delete"))
    return True


def delete_messages(state: State, call: Call) -> Any:
    """Delete up to a hundred messages; missing ones are ignored."""
    chat, numbers = state.find_chat(call), call.rows("message_ids")
    if not 1 <= len(numbers) <= 100:
        raise bad_request("wrong number of message identifiers specified")
    for number in numbers:
        message = chat.messages.get(number) if isinstance(number, int) else None
        if message is not None and not message.deleted:
            _delete(state, message)
    return True


def set_message_reaction(state: State, call: Call) -> Any:
    """Set the reaction of the bot, at most one."""
    message = state.find_message(call, "message to react")
    wanted = call.tables("reaction")
    if len(wanted) > 1:
        raise bad_request("REACTIONS_TOO_MANY")
    message.reaction = str(wanted[0].get("emoji", "")) if wanted else ""
    state.log_display(message.chat, "reaction", message)
    return True


def pin_chat_message(state: State, call: Call) -> Any:
    """Pin a message."""
    message = state.find_message(call, "message to pin")
    if message.id not in message.chat.pinned:
        message.chat.pinned.append(message.id)
        state.log_display(message.chat, "pin", message)
    return True


def unpin_chat_message(state: State, call: Call) -> Any:
    """Unpin the given message, or the newest pinned one."""
    chat = state.find_chat(call)
    number = call.number("message_id") or (chat.pinned[-1] if chat.pinned else 0)
    if number not in chat.pinned:
        raise bad_request("message to unpin not found")
    chat.pinned.remove(number)
    return True


def _get_own_message(state: State, call: Call) -> Message:
    """A message of the bot that can be edited; one with a reply keyboard or a reply box cannot."""
    message = state.find_message(call, "message to edit")
    markup = message.content.markup
    if message.sender is not state.me or (markup is not None and markup.kind != "inline"):
        raise bad_request("message can't be edited")
    return message


def _change_content(state: State, message: Message, content: Content) -> Any:
    """Replace the content of a message and return the message; raises CallRefused where nothing would change."""
    if content.markup is not None and content.markup.kind != "inline":
        raise bad_request("inline keyboard expected")
    if content == message.content:
        raise bad_request(_NOT_MODIFIED)
    message.content, message.edited = content, state.now()
    state.log_display(message.chat, "edit", message)
    return message.wire()


def _delete(state: State, message: Message) -> None:
    """Delete a message; raises CallRefused where it is too old."""
    if state.clock() - message.date > DELETABLE_SECONDS:
        raise bad_request("message can't be deleted for everyone")
    message.deleted = True
    state.log_display(message.chat, "delete", message)
