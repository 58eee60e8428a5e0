"""The methods of the Bot API: each takes the state and a call, and returns the result or raises CallRefused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bot.emulator.calls import Call
from bot.emulator.methods import chats, commands, message_edits, messages
from bot.emulator.state import State

Method = Callable[[State, Call], Any]
_METHODS: tuple[Method, ...] = (
    chats.get_me, chats.get_chat, chats.get_chat_member, chats.get_file, chats.answer_callback_query,
    chats.delete_webhook,
    messages.send_message, messages.send_document, messages.send_photo, messages.send_chat_action,
    messages.forward_message, messages.copy_message,
    message_edits.edit_message_text, message_edits.edit_message_caption, message_edits.edit_message_reply_markup,
    message_edits.delete_message, message_edits.delete_messages, message_edits.set_message_reaction,
    message_edits.pin_chat_message, message_edits.unpin_chat_message,
    commands.set_my_commands, commands.get_my_commands, commands.delete_my_commands,
    commands.set_my_description, commands.get_my_description,
    commands.set_my_short_description, commands.get_my_short_description,
)  # fmt: skip
METHODS: dict[str, Method] = {method.__name__.replace("_", ""): method for method in _METHODS}
"""Methods by their names in lower case; getUpdates, which waits, is in `long_poll`."""
