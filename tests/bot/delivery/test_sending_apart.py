"""Sending apart from handling: a slow Telegram holds no slot of handling, and each chat gets one call at a time."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from bot import application
from bot.delivery.telegram_api import TelegramApi
from bot.emulator.request import LocalRequest
from bot.emulator.telegram import Telegram

if TYPE_CHECKING:
    from types import ModuleType

    from annotation.store.database import Database
    from tests.bot.delivery.conftest import Stage


async def until(condition: Callable[[], object], *, seconds: float = 60) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


async def test_while_telegram_answers_nothing_updates_are_handled(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One person is served at a time, and the answer to each of them hangs: all updates are handled all the same."""
    begun, let_go, make_call = [0], asyncio.Event(), TelegramApi.make_call

    async def hang(api: TelegramApi, *arguments: Any, **named: Any) -> Any:
        begun[0] += 1
        await let_go.wait()
        return await make_call(api, *arguments, **named)

    monkeypatch.setattr(TelegramApi, "make_call", hang)
    stage.app.workers.max_parallel = 1
    people = [stage.telegram.person(number) for number in range(1, 6)]
    for person in people:
        person.send("/start")
    await stage.app.workers.receive_updates(stage.telegram.take())
    await until(lambda: stage.rows("SELECT count(*) FROM inbox WHERE done_at IS NOT NULL") == [(5,)])
    await until(lambda: begun == [5])
    assert [person.messages for person in people] == [[], [], [], [], []]
    let_go.set()
    await stage.app.workers.wait_until_idle()
    assert [len(person.messages) for person in people] == [1, 1, 1, 1, 1]


async def test_so_many_chats_are_sent_to_at_once_as_the_settings_say_and_each_gets_one_call_at_a_time(
    db: Database, tiny: ModuleType, load_items: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight people write twice: with a limit of three, there are three calls at once, to three of them."""
    load_items(items=3)
    running, most, make_call, full = Counter[int](), Counter[str](), TelegramApi.make_call, asyncio.Event()

    async def count(api: TelegramApi, call: Any, *, chat_id: int, **named: Any) -> Any:
        running[chat_id] += 1
        most["calls"] = max(most["calls"], running.total())
        most["calls to one chat"] = max(most["calls to one chat"], *running.values())
        if running.total() == 3:
            full.set()
        await asyncio.wait_for(full.wait(), 60)  # however slow the machine, three are begun before one ends
        await asyncio.sleep(0.05)
        running[chat_id] -= 1
        return await make_call(api, call, chat_id=chat_id, **named)

    monkeypatch.setattr(TelegramApi, "make_call", count)
    telegram = Telegram()
    app = application.build_application(
        token=telegram.token, database=db, settings=tiny.build_settings(), request=LocalRequest(telegram),
        handling=2, sending=3,
    )  # fmt: skip
    assert app.workers.max_parallel == 2
    people = [telegram.person(number) for number in range(1, 9)]
    for person in people * 2:
        person.send("/start")
    async with app:
        await app.deliver(*telegram.take())
        async with asyncio.timeout(60):  # where sending took longer than a hold, a sweep takes up what is left
            while [len(person.messages) for person in people] != [2] * 8:
                await app.sweeper.sweep_once()
                await app.workers.wait_until_idle()
    assert most == {"calls": 3, "calls to one chat": 1}
    assert [len(person.messages) for person in people] == [2] * 8
