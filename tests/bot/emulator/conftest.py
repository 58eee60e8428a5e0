"""A local Telegram with a still clock, and somebody who has started its bot."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp
import pytest
from _faulty_telegram import FaultyServer, FaultyTelegram, ObservedPerson

from bot.emulator.state import create_still_clock


class Bot:
    """Calls methods as a bot would."""

    def __init__(self, telegram: FaultyTelegram) -> None:
        self.telegram = telegram

    def __call__(self, method: str, **values: Any) -> Any:
        """The result of a call that is expected to work."""
        answer = self.telegram.call(method, values)
        assert answer.status == 200, answer.body
        return answer.body["result"]

    def refused(self, method: str, **values: Any) -> str:
        """The description of a call that is expected to fail."""
        answer = self.telegram.call(method, values)
        assert answer.body["ok"] is False
        assert answer.body["error_code"] == answer.status
        return str(answer.body["description"])


@pytest.fixture
def telegram() -> FaultyTelegram:
    """Empty, with a clock that only tests move."""
    return FaultyTelegram(clock=create_still_clock())


@pytest.fixture
def bot(telegram: FaultyTelegram) -> Bot:
    """The bot's side."""
    return Bot(telegram)


@pytest.fixture
def ann(telegram: FaultyTelegram) -> ObservedPerson:
    """Somebody whose /start is not waiting any more."""
    ann = telegram.person(10, name="Ann")
    ann.start()
    telegram.take()
    return ann


@pytest.fixture
async def server(telegram: FaultyTelegram) -> AsyncIterator[FaultyServer]:
    """Listening on loopback."""
    async with FaultyServer(telegram) as started:
        yield started


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    """Somebody on this machine; without cookies unless a test keeps them."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        yield session


@pytest.fixture
def api(server: FaultyServer, client: aiohttp.ClientSession) -> Callable[..., Any]:
    """A bot that sends JSON: status and body of its call."""

    async def call(method: str, **values: Any) -> tuple[int, dict[str, Any]]:
        async with client.post(f"{server.url}/bot{server.telegram.token}/{method}", json=values) as response:
            return response.status, await response.json()

    return call
