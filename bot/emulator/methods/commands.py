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
MOST, MOST_DESCRIPTION = 100, 256
LONGEST = {"description": 512, "short_description": 120}


def set_my_commands(state: State, call: Call) -> Any:
    """Replace the menu of a scope and a language."""
    commands = call.tables("commands")
    if len(commands) > MOST:
        raise bad_request("BOT_COMMANDS_TOO_MUCH")
    made = []
    for one in commands:
        name, description = str(one.get("command", "")).removeprefix("/"), str(one.get("description", ""))
        if not _NAME.fullmatch(name):
            raise bad_request("BOT_COMMAND_INVALID")
        if not 1 <= len(description) <= MOST_DESCRIPTION:
            raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
        made.append({"command": name, "description": description})
    state.commands[_place(call)] = made
    return True


def get_my_commands(state: State, call: Call) -> Any:
    """The menu of exactly that scope and language."""
    return state.commands.get(_place(call), [])


def delete_my_commands(state: State, call: Call) -> Any:
    """Without a menu of its own, a scope or language falls back on a wider one."""
    state.commands.pop(_place(call), None)
    return True


def menu(state: State, chat: Chat, language: str | None) -> list[dict[str, str]]:
    """What a person sees in a chat: the narrowest scope first, her language before none."""
    for scope in _scopes(chat):
        for code in (language or "", ""):
            if state.commands.get((scope, code)):
                return state.commands[scope, code]
    return []


def set_my_description(state: State, call: Call) -> Any:
    """What an empty chat shows."""
    return _describe(state, call, "description")


def get_my_description(state: State, call: Call) -> Any:
    """In a language, or in none."""
    return {"description": _described(state, "description", call.text("language_code"))}


def set_my_short_description(state: State, call: Call) -> Any:
    """What the profile shows."""
    return _describe(state, call, "short_description")


def get_my_short_description(state: State, call: Call) -> Any:
    """In a language, or in none."""
    return {"short_description": _described(state, "short_description", call.text("language_code"))}


def _describe(state: State, call: Call, what: str) -> Any:
    text = call.text(what)
    if len(text) > LONGEST[what]:
        raise bad_request(f"bot {what.replace('_', ' ')} is too long")
    state.descriptions[what, call.text("language_code")] = text
    return True


def _described(state: State, what: str, language: str) -> str:
    return state.descriptions.get((what, language)) or state.descriptions.get((what, ""), "")


def described(state: State, language: str | None) -> str:
    """What a person reads in an empty chat."""
    return _described(state, "description", language or "")


def _place(call: Call) -> tuple[str, str]:
    scope = call.table("scope") or {"type": "default"}
    if str(scope.get("type")) not in _SCOPES:
        raise bad_request("unsupported type specified")
    language = call.text("language_code")
    if language and not re.fullmatch(r"[a-z]{2}", language):
        raise bad_request("invalid language code specified")
    return json.dumps({name: str(value) for name, value in scope.items()}, sort_keys=True), language


def _scopes(chat: Chat) -> Iterator[str]:
    yield json.dumps({"chat_id": str(chat.id), "type": "chat"}, sort_keys=True)
    yield json.dumps({"type": "all_private_chats" if chat.type == "private" else "all_group_chats"})
    yield json.dumps({"type": "default"})
