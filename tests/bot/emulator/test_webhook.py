"""Webhooks: the secret, the order, and sending again until the bot has taken it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from _faulty_telegram import FaultyTelegram
from aiohttp import web

from bot.emulator.scripted_people import ScriptedPerson


class Hooked:
    """A bot's own endpoint that answers as a test sets it."""

    def __init__(self) -> None:
        self.answers: list[web.Response] = []
        self.seen: list[tuple[str | None, dict[str, Any]]] = []
        self.url = ""

    async def take(self, request: web.Request) -> web.Response:
        """One delivery."""
        self.seen.append((request.headers.get("X-Telegram-Bot-Api-Secret-Token"), await request.json()))
        return self.answers.pop(0) if self.answers else web.Response()

    def texts(self) -> list[str]:
        """What was delivered, in order."""
        return [update["message"]["text"] for _, update in self.seen if "message" in update]


@pytest.fixture
async def hooked() -> AsyncIterator[Hooked]:
    """Listening on loopback."""
    bot = Hooked()
    app = web.Application()
    app.router.add_post("/hook", bot.take)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    bot.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    yield bot
    await runner.cleanup()


async def until(true: Callable[[], object]) -> None:
    """Wait for something, five seconds at most."""
    async with asyncio.timeout(5):
        while not true():
            await asyncio.sleep(0.01)


async def test_a_webhook_gets_its_secret_and_its_updates_again(
    api: Any, telegram: FaultyTelegram, ann: ScriptedPerson, hooked: Hooked
) -> None:
    """Not 2xx: once more at once, then later and later; meanwhile its lane waits and the order stays."""
    hooked.answers = [web.Response(status=500), web.Response(status=503), web.Response()]
    assert (await api("setWebhook", url=hooked.url, secret_token="s-1"))[0] == 200  # noqa: S106
    ann.send("one")
    ann.send("two")
    await until(lambda: len(hooked.seen) == 2)
    await asyncio.sleep(0.1)
    info = (await api("getWebhookInfo"))[1]["result"]
    assert (info["pending_update_count"], info["last_error_message"]) == (
        2, "Wrong response from the webhook: 503 Service Unavailable",
    )  # fmt: skip
    assert len(hooked.seen) == 2
    telegram.clock.move(2.1)
    await until(lambda: len(hooked.seen) == 4)
    assert hooked.texts() == ["one", "one", "one", "two"]
    assert {secret for secret, _ in hooked.seen} == {"s-1"}
    await until(lambda: not telegram.queue.waiting)


async def test_a_webhook_may_ask_to_wait_and_answer_with_a_method(
    api: Any, telegram: FaultyTelegram, ann: ScriptedPerson, hooked: Hooked
) -> None:
    """Retry-After is honoured; a method in the answer is called, but none that would read or redirect."""
    hooked.answers = [
        web.Response(status=429, headers={"Retry-After": "30"}),
        web.json_response({"method": "sendMessage", "chat_id": 10, "text": "from the answer"}),
        web.json_response({"method": "deleteWebhook"}),
    ]
    await api("setWebhook", url=hooked.url)
    ann.send("one")
    await until(lambda: len(hooked.seen) == 1)
    telegram.clock.move(29)
    await asyncio.sleep(0.1)
    assert len(hooked.seen) == 1
    telegram.clock.move(2)
    await until(lambda: ann.messages)
    assert ann.messages[-1].text == "from the answer"
    ann.send("two")
    await until(lambda: len(hooked.seen) == 3)
    assert telegram.webhook is not None


async def test_a_tap_overtakes_a_message_that_is_stuck(api: Any, ann: ScriptedPerson, hooked: Hooked) -> None:
    """Messages and taps of one person are lanes of their own: while one waits, the other arrives."""
    hooked.answers = [web.Response(status=500, headers={"Retry-After": "60"})]
    keys = {"inline_keyboard": [[{"text": "A", "callback_data": "a"}]]}
    await api("sendMessage", chat_id=10, text="x", reply_markup=keys)
    await api("setWebhook", url=hooked.url)
    ann.send("stuck")
    await until(lambda: len(hooked.seen) == 1)
    ann.tap("A")
    await until(lambda: len(hooked.seen) == 2)
    assert "callback_query" in hooked.seen[1][1]


@pytest.mark.parametrize(
    ("values", "description"),
    [
        ({"url": "https://bot.example/hook"}, "bad webhook: the local Telegram sends to loopback addresses only"),
        ({"url": "http://127.0.0.1:1/", "secret_token": "ключ"}, "secret token contains unallowed characters"),
        (
            {"url": "http://127.0.0.1:1/", "max_connections": 101},
            "bad webhook: max_connections must be between 1 and 100",
        ),
    ],
)
async def test_a_webhook_that_is_refused(api: Any, values: dict[str, Any], description: str) -> None:
    """Addresses outside this machine, odd secrets, too many connections."""
    assert (await api("setWebhook", **values))[1]["description"] == f"Bad Request: {description}"
