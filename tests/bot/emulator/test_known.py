"""The local Telegram of tests knows every method that the bot calls."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import telegram
from _faulty_telegram import FaultyTelegram

import bot

SHORT = {
    "reply_text": "sendMessage", "reply_html": "sendMessage", "reply_document": "sendDocument",
    "reply_photo": "sendPhoto", "reply_chat_action": "sendChatAction", "edit_text": "editMessageText",
    "set_reaction": "setMessageReaction", "answer": "answerCallbackQuery",
}  # fmt: skip
"""Short ways that messages and taps have to the methods."""
_COROUTINES = inspect.getmembers(telegram.Bot, inspect.iscoroutinefunction)
WRITTEN = {name for name, _ in _COROUTINES if name[0] != "_" and not name.islower()}
"""The methods as the Bot API writes them: calls are stored under these names."""


def called(source: str) -> set[str]:
    """The methods of the Bot API that a module calls, by the names that python-telegram-bot gives them."""
    nodes = list(ast.walk(ast.parse(source)))
    names = {node.func.attr for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
    stored = {node.value for node in nodes if isinstance(node, ast.Constant)} & WRITTEN
    full = {name for name, _ in _COROUTINES if "_" in name[1:] and name in names}
    ours = {str(name).lower() for name in stored}
    return ours | {name.replace("_", "") for name in full} | {SHORT[name].lower() for name in names & SHORT.keys()}


def test_every_method_that_the_bot_calls_is_known() -> None:
    """Read from its source, so that a new call without its method here is noticed at once."""
    folder = Path(str(bot.__file__)).parent
    found: set[str] = set()
    for file in folder.rglob("*.py"):
        if "emulator" not in file.relative_to(folder).parts:
            found |= called(file.read_text("utf-8"))
    assert {"sendmessage", "editmessagetext", "setmycommands", "answercallbackquery"} <= found
    assert found - FaultyTelegram.methods.keys() - {"getupdates"} == set()
