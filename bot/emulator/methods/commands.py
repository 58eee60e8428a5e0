"""The menu of commands and the bot's descriptions, for each scope and language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from bot.emulator.calls import Call, bad_request
from bot.emulator.model import Chat
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
