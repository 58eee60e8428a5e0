"""Methods on the bot itself, its chats, and its menus."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from bot.emulator import model
from bot.emulator.calls import Call, bad_request
from bot.emulator.model import Chat, DisplayedEvent
from bot.emulator.state import State

_NAME = re.compile(r"[a-z0-9_]{1,32}", re.ASCII)
_SCOPES = frozenset({
    "default", "all_private_chats", "all_group_chats", "all_chat_administrators", "chat", "chat_administrators",
    "chat_member",
})  # fmt: skip
MAX_COMMANDS, MAX_COMMAND_DESCRIPTION = 100, 256
MAX_DESCRIPTIONS = {"description": 512, "short_description": 120}


def set_my_commands(state: State, call: Call) -> Any:
    """Replace the menu of a scope and a language."""
    commands = call.tables("commands")
    if len(commands) > MAX_COMMANDS:
        raise bad_request("BOT_COMMANDS_TOO_MUCH")
    menu = []
    for command in commands:
        name, description = str(command.get("command", "")).removeprefix("/"), str(command.get("description", ""))
        if not _NAME.fullmatch(name):
            raise bad_request("BOT_COMMAND_INVALID")
        if not 1 <= len(description) <= MAX_COMMAND_DESCRIPTION:
            raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
        menu.append({"command": name, "description": description})
    state.commands[_parse_scope(call)] = menu
    return True


def get_my_commands(state: State, call: Call) -> Any:
    """The menu set for exactly that scope and language."""
    return state.commands.get(_parse_scope(call), [])


def delete_my_commands(state: State, call: Call) -> Any:
    """Delete the menu of a scope and language, which then falls back on a wider one."""
    state.commands.pop(_parse_scope(call), None)
    return True


def get_menu(state: State, chat: Chat, language: str | None) -> list[dict[str, str]]:
    """The menu that a person sees in a chat: the narrowest scope first, their language before none."""
    for scope in _list_scopes(chat):
        for code in (language or "", ""):
            if state.commands.get((scope, code)):
                return state.commands[scope, code]
    return []


def set_my_description(state: State, call: Call) -> Any:
    """Set the text that an empty chat shows."""
    return _set_description(state, call, "description")


def get_my_description(state: State, call: Call) -> Any:
    """The text in a language, or in none."""
    return {"description": _find_description(state, "description", call.text("language_code"))}


def set_my_short_description(state: State, call: Call) -> Any:
    """Set the text that the profile shows."""
    return _set_description(state, call, "short_description")


def get_my_short_description(state: State, call: Call) -> Any:
    """The text in a language, or in none."""
    return {"short_description": _find_description(state, "short_description", call.text("language_code"))}


def _set_description(state: State, call: Call, what: str) -> Any:
    text = call.text(what)
    if len(text) > MAX_DESCRIPTIONS[what]:
        raise bad_request(f"bot {what.replace('_', ' ')} is too long")
    state.descriptions[what, call.text("language_code")] = text
    return True


def _find_description(state: State, what: str, language: str) -> str:
    return state.descriptions.get((what, language)) or state.descriptions.get((what, ""), "")


def get_description(state: State, language: str | None) -> str:
    """The text that a person reads in an empty chat."""
    return _find_description(state, "description", language or "")


def _parse_scope(call: Call) -> tuple[str, str]:
    """The scope of a call as JSON, and its language, empty for none; raises CallRefused."""
    scope = call.table("scope") or {"type": "default"}
    if str(scope.get("type")) not in _SCOPES:
        raise bad_request("unsupported type specified")
    language = call.text("language_code")
    if language and not re.fullmatch(r"[a-z]{2}", language):
        raise bad_request("invalid language code specified")
    return json.dumps({name: str(value) for name, value in scope.items()}, sort_keys=True), language


def _list_scopes(chat: Chat) -> Iterator[str]:
    """The scopes whose menus a chat may show, the narrowest first."""
    yield json.dumps({"chat_id": str(chat.id), "type": "chat"}, sort_keys=True)
    yield json.dumps({"type": "all_private_chats" if chat.type == "private" else "all_group_chats"})
    yield json.dumps({"type": "default"})


MAX_TOAST = 200


def get_me(state: State, _: Call) -> Any:
    """The bot itself."""
    can = dict.fromkeys(("can_join_groups", "can_read_all_group_messages"), True)
    cannot = ("supports_inline_queries", "can_connect_to_business", "has_main_web_app")
    return state.me.wire() | can | dict.fromkeys(cannot, False)


def get_chat(state: State, call: Call) -> Any:
    """A chat with the fields that libraries require."""
    chat = state.find_chat(call)
    gifts = dict.fromkeys(
        ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels"), True
    )
    more = {"accent_color_id": 0, "max_reaction_count": 11, "accepted_gift_types": gifts}
    pinned = chat.messages.get(chat.pinned[-1]) if chat.pinned else None
    return chat.wire() | more | ({"pinned_message": pinned.wire()} if pinned else {})


def get_chat_member(state: State, call: Call) -> Any:
    """The membership of a person in a chat."""
    chat = state.find_chat(call)
    person = chat.people.get(call.number("user_id"))
    if person is None:
        raise bad_request("member not found")
    return {"status": "member", "user": person.wire()}


def get_file(state: State, call: Call) -> Any:
    """The path for the download of a file, up to 20 MB."""
    file = state.files.get(call.text("file_id"))
    if file is None:
        raise bad_request("invalid file_id")
    if len(file.content) > model.MAX_DOWNLOAD:
        raise bad_request("file is too big")
    return file.wire() | {"file_path": file.path}


def answer_callback_query(state: State, call: Call) -> Any:
    """Answer a tap, with a toast or an alert.

    Without a text nothing is shown, but a `toast` with an empty text is logged: it ends the loading state of the
    button.
    """
    text = call.text("text")
    if len(text) > MAX_TOAST:
        raise bad_request("MESSAGE_TOO_LONG")
    tap = state.taps.get(call.text("callback_query_id"))
    if tap is None or tap.answered or state.clock() - tap.at > state.answerable:
        raise bad_request("query is too old and response timeout expired or query ID is invalid")
    tap.answered = True
    kind = "alert" if text and call.flag("show_alert") else "toast"
    state.display_log.add(DisplayedEvent(state.clock(), tap.person.id, kind, tap.message.chat.id, tap.message.id, text))
    return True


def delete_webhook(state: State, call: Call) -> Any:
    """Drop the waiting updates if asked. There is never a webhook here, but every bot that polls makes this call."""
    if call.flag("drop_pending_updates"):
        state.queue.waiting.clear()
    return True
