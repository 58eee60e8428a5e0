"""The emulator knows whatever the bot calls."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import telegram

import bot
from bot.emulator.methods import METHODS

SHORT = {
    "reply_text": "sendMessage", "reply_html": "sendMessage", "reply_document": "sendDocument",
    "reply_photo": "sendPhoto", "reply_chat_action": "sendChatAction", "edit_text": "editMessageText",
    "set_reaction": "setMessageReaction", "answer": "answerCallbackQuery",
}  # fmt: skip
"""Short ways that messages and taps have to the methods."""


def called(source: str) -> set[str]:
    """The methods of the Bot API that a module calls, by the names that python-telegram-bot gives them."""
    names = {
        node.func.attr
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    full = {name for name in names if "_" in name and inspect.iscoroutinefunction(getattr(telegram.Bot, name, None))}
    return {name.replace("_", "") for name in full} | {SHORT[name].lower() for name in names & SHORT.keys()}


def test_every_method_that_the_bot_calls_is_known() -> None:
    """Read from its source, so that a new call without its method here is noticed at once."""
    folder = Path(str(bot.__file__)).parent
    found: set[str] = set()
    for file in folder.rglob("*.py"):
        if "emulator" not in file.relative_to(folder).parts:
            found |= called(file.read_text("utf-8"))
    assert {"sendmessage", "editmessagetext", "setmycommands", "answercallbackquery"} <= found
    assert found - METHODS.keys() - {"getupdates"} == set()
