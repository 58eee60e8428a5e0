"""The methods of the Bot API: each takes the state and a call, and returns the result or raises CallRefused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bot.emulator.calls import Call
from bot.emulator.methods import chats, messages
from bot.emulator.state import State

Method = Callable[[State, Call], Any]
_METHODS: tuple[Method, ...] = (
    chats.get_me, chats.get_chat, chats.get_chat_member, chats.get_file, chats.answer_callback_query,
    chats.delete_webhook,
    messages.send_message, messages.send_document, messages.send_photo, messages.send_chat_action,
    messages.forward_message, messages.copy_message,
    messages.edit_message_text, messages.edit_message_caption, messages.edit_message_reply_markup,
    messages.delete_message, messages.delete_messages, messages.set_message_reaction,
    messages.pin_chat_message, messages.unpin_chat_message,
    chats.set_my_commands, chats.get_my_commands, chats.delete_my_commands,
    chats.set_my_description, chats.get_my_description,
    chats.set_my_short_description, chats.get_my_short_description,
)  # fmt: skip
METHODS: dict[str, Method] = {method.__name__.replace("_", ""): method for method in _METHODS}
"""Methods by their names in lower case; getUpdates, which waits, is in `long_poll`."""
