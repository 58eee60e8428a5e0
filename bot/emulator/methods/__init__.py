"""The methods of the Bot API: each takes the state and a call, and gives the result or raises Refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bot.emulator.calls import Call
from bot.emulator.methods import chats, commands, delivery, editing, sending
from bot.emulator.state import State

Method = Callable[[State, Call], Any]
_METHODS: tuple[Method, ...] = (
    chats.get_me, chats.get_chat, chats.get_chat_member, chats.get_file, chats.answer_callback_query,
    sending.send_message, sending.send_document, sending.send_photo, sending.send_chat_action,
    sending.forward_message, sending.copy_message,
    editing.edit_message_text, editing.edit_message_caption, editing.edit_message_reply_markup,
    editing.delete_message, editing.delete_messages, editing.set_message_reaction,
    editing.pin_chat_message, editing.unpin_chat_message,
    commands.set_my_commands, commands.get_my_commands, commands.delete_my_commands,
    commands.set_my_description, commands.get_my_description,
    commands.set_my_short_description, commands.get_my_short_description,
    delivery.set_webhook, delivery.delete_webhook, delivery.get_webhook_info,
)  # fmt: skip
METHODS: dict[str, Method] = {method.__name__.replace("_", ""): method for method in _METHODS}
"""By their names in small letters; getUpdates waits, and lives in `polling`."""
