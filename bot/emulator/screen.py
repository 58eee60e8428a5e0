"""A chat as text: what a person sees, line by line."""

from __future__ import annotations

from collections.abc import Iterator

from bot.emulator.model import Chat, Message


def screen(chat: Chat, *, now: float) -> str:
    """Every message with its buttons, then the keyboard, the reply box or "…" while the bot is typing."""
    return "\n".join(_lines(chat, now))


def _lines(chat: Chat, now: float) -> Iterator[str]:
    last: Message | None = None
    for last in chat.visible():
        name = last.sender.first_name
        file = f"[{last.content.kind}: {last.content.file.name}] " if last.content.file else ""
        yield f"{name}: {file}{last.text}{' (edited)' if last.edited and not last.sender.is_bot else ''}"
        markup = last.content.markup
        if markup is not None and markup.kind == "inline":
            yield from (" ".join(f"[{button.text}]" for button in row) for row in markup.rows)
        if last.reaction:
            yield last.reaction
    if chat.keyboard is not None:
        yield from (" ".join(f"<{button.text}>" for button in row) for row in chat.keyboard.rows)
    if last is not None and last.content.markup is not None and last.content.markup.kind == "force":
        yield f"> {last.content.markup.placeholder}"
    if chat.action[1] > now:
        yield f"… {chat.action[0]}"
