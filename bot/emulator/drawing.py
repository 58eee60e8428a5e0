"""What the page needs to draw a chat: plain JSON, no markup."""

from __future__ import annotations

from typing import Any

from bot.emulator.entities.tree import tree
from bot.emulator.methods.commands import described, menu
from bot.emulator.model import Message
from bot.emulator.people import Person
from bot.emulator.state import State


def message(one: Message, person: int) -> dict[str, Any]:
    """A bubble as one person sees it."""
    markup, file = one.content.markup, one.content.file
    drawn: dict[str, Any] = {
        "id": one.id,
        "mine": one.sender.id == person,
        "at": one.date,
        "edited": one.edited is not None and not one.sender.is_bot,
        "deleted": one.deleted,
        "protected": one.protected,
        "reaction": one.reaction,
        "text": tree(one.content.body),
        "plain": one.text,
        "rows": [],
        "file": None,
        "reply": one.reply_to.text[:200] if one.reply_to else "",
    }
    if markup is not None and markup.kind == "inline":
        drawn["rows"] = [[{"text": key.text, "data": key.data, "url": key.url} for key in row] for row in markup.rows]
    if file is not None:
        drawn["file"] = {"id": file.id, "kind": one.content.kind, "name": file.name, "size": len(file.content)}
    return drawn


def around(state: State, person: Person) -> dict[str, Any]:
    """What stands around the bubbles: keyboard, reply box, menu, what the bot is doing."""
    chat = person.chat
    last = next(iter(reversed(list(chat.visible()))), None)
    asked = last.content.markup if last and last.content.markup and last.content.markup.kind == "force" else None
    return {
        "keyboard": [[key.text for key in row] for row in chat.keyboard.rows] if chat.keyboard else [],
        "placeholder": asked.placeholder if asked else "",
        "asked": last.text[:200] if asked and last else "",
        "typing": max(0.0, chat.action[1] - state.clock()),
        "menu": menu(state, chat, person.user.language),
        "description": described(state, person.user.language),
        "blocked": chat.blocked,
        "pinned": next((chat.messages[number].text[:200] for number in reversed(chat.pinned)), ""),
    }


def everything(state: State, person: Person) -> dict[str, Any]:
    """A chat from the beginning, for a page that was just opened."""
    people = [one for one in state.users.values() if one.id in state.chats]
    return {
        "person": person.id,
        "people": [{"id": one.id, "name": one.first_name, "language": one.language or "uk"} for one in people],
        "bot": state.me.first_name,
        "messages": [message(one, person.id) for one in person.chat.visible()],
        "around": around(state, person),
    }
