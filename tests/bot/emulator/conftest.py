"""A local Telegram with a still clock, and somebody who has started its bot."""

from __future__ import annotations

from typing import Any

import pytest

from bot.emulator.clock import still
from bot.emulator.people import Person
from bot.emulator.telegram import Telegram


class Bot:
    """Calls methods as a bot would."""

    def __init__(self, telegram: Telegram) -> None:
        self.telegram = telegram

    def __call__(self, method: str, **values: Any) -> Any:
        """The result of a call that is expected to work."""
        answer = self.telegram.call(method, values)
        assert answer.status == 200, answer.body
        return answer.body["result"]

    def refused(self, method: str, **values: Any) -> str:
        """What a call that is expected to fail is told."""
        answer = self.telegram.call(method, values)
        assert answer.body["ok"] is False
        assert answer.body["error_code"] == answer.status
        return str(answer.body["description"])


@pytest.fixture
def telegram() -> Telegram:
    """Empty, with a clock that only tests move."""
    return Telegram(clock=still())


@pytest.fixture
def bot(telegram: Telegram) -> Bot:
    """The bot's side."""
    return Bot(telegram)


@pytest.fixture
def ann(telegram: Telegram) -> Person:
    """Somebody whose /start is not waiting any more."""
    ann = telegram.person(10, name="Ann")
    ann.start()
    telegram.take()
    return ann
