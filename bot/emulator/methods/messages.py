"""Methods that send, edit and delete messages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.emulator import keyboards, message_content
from bot.emulator.calls import Call, bad_request
from bot.emulator.model import Chat, Content, Message
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
