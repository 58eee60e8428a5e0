"""The data from which the chat page draws a chat: plain JSON, no markup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.emulator.entities import Entity, FormattedText, count_units
from bot.emulator.methods.commands import get_description, get_menu
from bot.emulator.model import Message
from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.state import State


def describe_message(message: Message, person: int) -> dict[str, Any]:
    """A message as one person sees it."""
    markup, file = message.content.markup, message.content.file
    data: dict[str, Any] = {
        "id": message.id,
        "mine": message.sender.id == person,
        "at": message.date,
        "edited": message.edited is not None and not message.sender.is_bot,
        "deleted": message.deleted,
        "protected": message.protected,
        "reaction": message.reaction,
        "text": build_tree(message.content.body),
        "plain": message.text,
        "rows": [],
        "file": None,
        "reply": message.reply_to.text[:200] if message.reply_to else "",
    }
    if markup is not None and markup.kind == "inline":
        data["rows"] = [[{"text": key.text, "data": key.data, "url": key.url} for key in row] for row in markup.rows]
    if file is not None:
        data["file"] = {"id": file.id, "kind": message.content.kind, "name": file.name, "size": len(file.content)}
    return data


def describe_surroundings(state: State, person: ScriptedPerson) -> dict[str, Any]:
    """What the page shows around the messages: keyboard, reply box, menu, whether the bot is typing."""
    chat = person.chat
    last = next(iter(reversed(list(chat.visible()))), None)
    reply_box = last.content.markup if last and last.content.markup and last.content.markup.kind == "force" else None
    return {
        "keyboard": [[key.text for key in row] for row in chat.keyboard.rows] if chat.keyboard else [],
        "placeholder": reply_box.placeholder if reply_box else "",
        "asked": last.text[:200] if reply_box and last else "",
        "typing": max(0.0, chat.action[1] - state.clock()),
        "menu": get_menu(state, chat, person.user.language),
        "description": get_description(state, person.user.language),
        "blocked": chat.blocked,
        "pinned": next((chat.messages[number].text[:200] for number in reversed(chat.pinned)), ""),
    }


def describe_chat(state: State, person: ScriptedPerson) -> dict[str, Any]:
    """A whole chat, for a page that was just opened."""
    people = [user for user in state.users.values() if user.id in state.chats]
    return {
        "person": person.id,
        "people": [{"id": user.id, "name": user.first_name, "language": user.language or "uk"} for user in people],
        "bot": state.me.first_name,
        "messages": [describe_message(message, person.id) for message in person.chat.visible()],
        "around": describe_surroundings(state, person),
    }


Node = str | dict[str, Any]
"""A plain string, or {"type", "argument", "content"} for a formatted part, whose content is a list of nodes."""


def build_tree(text: FormattedText) -> list[Node]:
    """The nodes of a formatted text."""
    return _build_nodes(text.text.encode("utf-16-le"), 0, count_units(text.text), text.entities)


def _build_nodes(raw: bytes, start: int, end: int, entities: Sequence[Entity]) -> list[Node]:
    """The nodes between two units of a text; `raw` is the whole text in UTF-16."""
    nodes: list[Node] = []
    rest = list(entities)
    while rest:
        entity = rest.pop(0)
        begin, stop = max(entity.offset, start), min(entity.end, end)
        if begin >= stop:
            continue
        inner = [other for other in rest if other.offset < stop]
        rest = [other for other in rest if other.offset >= stop]
        nodes += _list_plain_text(raw, start, begin)
        content = _build_nodes(raw, begin, stop, inner)
        nodes.append({"type": entity.type, "argument": entity.argument, "content": content})
        start = stop
    return nodes + _list_plain_text(raw, start, end)


def _list_plain_text(raw: bytes, start: int, end: int) -> list[Node]:
    text = raw[2 * start : 2 * end].decode("utf-16-le", "replace")
    return [text] if text else []
