"""Whatever a bot sends, it gets an answer: a result or a refusal, and never a broken server."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest
from _faulty_telegram import FaultyTelegram
from hypothesis import example, given
from hypothesis import strategies as st

from bot.emulator.server import Server
from bot.emulator.state import create_still_clock

NAMES = (
    "chat_id", "from_chat_id", "text", "parse_mode", "entities", "caption", "caption_entities", "reply_markup",
    "message_id", "message_ids", "reaction", "commands", "scope", "language_code", "url", "secret_token",
    "allowed_updates", "max_connections", "callback_query_id", "reply_parameters", "document", "photo", "file_id",
    "action", "user_id", "offset",
)  # fmt: skip
LEAVES = st.sampled_from([None, True, -1, 0, 1, 10, 10**30, 1.5, float("inf"), "", "10", "²", "x", "<b>", "\ud800",
                          "[]", "{", "http://[", "ftp://127.0.0.1/", "http://127.0.0.1:1/"])  # fmt: skip
KEYS = st.sampled_from(["type", "offset", "length", "inline_keyboard", "keyboard", "text", "callback_data",
                        "message_id", "command", "description", "emoji", "force_reply", "url", "chat_id"])  # fmt: skip
ANY = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)


@example("setmessagereaction", {"reaction": [None]})
@example("setmycommands", {"commands": '[{"command": "a", "description": "\\ud800"}]'})
@example("sendmessage", {"text": "x", "reply_markup": {"keyboard": [["\ud800"]]}})
@example("sendmessage", {"text": "x", "reply_parameters": {"message_id": []}})
@example("setwebhook", {"url": "http://["})
@given(st.sampled_from(sorted(FaultyTelegram.methods)), st.dictionaries(st.sampled_from(NAMES), ANY, max_size=8))
def test_any_parameters_are_answered(method: str, values: dict[str, Any]) -> None:
    """Wrong types, halves of characters, numbers beyond all bounds: 200, or a refusal with a description."""
    telegram = FaultyTelegram(clock=create_still_clock())
    telegram.person(10).start()
    telegram.call("sendMessage", {"chat_id": 10, "text": "here"})
    answer = telegram.call(method, {"chat_id": 10, "message_id": 2} | values)
    assert answer.body["ok"] is (answer.status == 200)
    assert answer.status in {200, 400, 403, 413}


@pytest.mark.parametrize(
    "act",
    [
        [], "x", {}, {"do": "dance", "person": 1001}, {"do": "send"}, {"do": "send", "person": 1001, "text": "\ud800"},
        {"do": "send", "person": 1001, "text": 5}, {"do": "send", "person": "x", "text": "x"},
        {"do": "tap", "person": 1001, "message": 1, "data": "forged"}, {"do": "tap", "person": 1001, "message": 1e400},
        {"do": "edit", "person": 1001, "message": 2, "text": "of another person"},
        {"do": "join", "name": "\ud800", "language": "uk"}, {"do": "join", "name": "x"},
    ],
)  # fmt: skip
async def test_an_act_that_makes_no_sense_is_refused(server: Server, client: aiohttp.ClientSession, act: Any) -> None:
    """The page's own endpoint: 400 or 404 and a sentence, whatever comes; nothing reaches the bot."""
    server.telegram.person(1001).start()
    server.telegram.call("sendMessage", {"chat_id": 1001, "text": "the bot's"})
    server.telegram.take()
    async with client.get(f"{server.url}/?token={server.page.ticket}"):
        pass
    async with client.post(f"{server.url}/act", json=act) as response:
        assert response.status in {400, 404}
    assert server.telegram.take() == []


@pytest.mark.parametrize("payload", ["with space", "я", "x" * 65])
def test_a_deep_link_carries_64_plain_signs(telegram: FaultyTelegram, payload: str) -> None:
    """What no link can carry is a mistake of the test that says it."""
    with pytest.raises(ValueError, match="deep link"):
        telegram.person(1).start(payload)
