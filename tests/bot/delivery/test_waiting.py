"""A bot waits and goes on by itself: errors, silence, long pauses, another program, a machine that slept."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from telegram.error import TimedOut

from annotation.workflow.monitoring import bot_waits
from annotation.workflow.monitoring.bot_waits import SENTENCES, BotWait, WaitReason
from bot import application
from bot.delivery import limits_and_retries, polling, process_lease, telegram_api
from bot.delivery.limits_and_retries import AwaitedService
from bot.delivery.telegram_api import CallNotSent
from bot.delivery.webhook import build_health_route
from bot.emulator.calls import Answer, CallRefused

if TYPE_CHECKING:
    from tests.bot.delivery.conftest import Stage

LASTS = 600.0
"""Seconds that each trouble lasts, of a time that is moved."""
WEBHOOK = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"


async def until(condition: Callable[[], object]) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.005)


@dataclass
class Trouble:
    """What goes wrong between the bot and Telegram, and how long ago that began; pauses of the poller move the time."""

    stage: Stage
    refusal: Callable[[], Answer] | None = None
    polls_only: bool = False
    moved: float = 0.0
    seconds: float = 0.0

    def move(self, seconds: float) -> None:
        """Let time pass, for the bot, its database and Telegram."""
        self.moved += seconds
        self.seconds += seconds
        self.stage.now += timedelta(seconds=seconds)

    async def sleep(self, seconds: float) -> None:
        """A pause of the poller; once the trouble has lasted, time stands still until it is over."""
        if self.refusal is not None and self.moved < LASTS:
            self.move(seconds)
        await asyncio.sleep(0.01)

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Stand between the bot and Telegram, and between the poller and the time."""
        handle = self.stage.telegram.handle

        async def handle_or_fail(method: str, values: Mapping[str, Any], files: Mapping[str, Any]) -> Answer:
            if self.refusal is not None and (not self.polls_only or method == "getUpdates"):
                return self.refusal()
            return await handle(method, values, files)

        monkeypatch.setattr(self.stage.telegram, "handle", handle_or_fail)
        monkeypatch.setattr(telegram_api, "POLL_SECONDS", 1)
        monkeypatch.setattr(process_lease, "LEASE_TIME", timedelta(days=1))  # it is renewed by a time that is not moved
        monkeypatch.setattr(polling, "asyncio", SimpleNamespace(**{**vars(asyncio), "sleep": self.sleep}))
        for module in (limits_and_retries, polling):
            monkeypatch.setattr(module, "monotonic", lambda: self.seconds)
        for module in (limits_and_retries, process_lease):
            monkeypatch.setattr(module, "CHECK_SECONDS", 0.01)

    def find_wait(self) -> BotWait | None:
        """What `hromada status` reads."""
        with self.stage.db.reading() as view:
            return bot_waits.find_wait(view, now=self.stage.now)


def refuse(code: int, text: str, **more: int) -> Callable[[], Answer]:
    """Telegram answers so."""
    return lambda: CallRefused(code, text, **more).answer()


def fail(failure: Exception) -> Callable[[], Answer]:
    """No answer comes."""

    def raise_it() -> Answer:
        raise failure

    return raise_it


async def ask_health(stage: Stage) -> tuple[int, dict[str, Any]]:
    """What a supervisor is told."""
    response: Any = await build_health_route(stage.app.watchdog).handler(None)  # type: ignore[arg-type]
    return response.status, json.loads(response.body)


async def test_the_process_that_began_outlives_every_trouble_with_telegram(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Ten minutes each: health and database say why, the log once when it begins and once when it ends; nothing of what
    people send meanwhile is lost or doubled.
    """
    person, trouble = stage.telegram.person(1), Trouble(stage)
    trouble.install(monkeypatch)
    table = {
        WaitReason.ERRORS: (refuse(500, "Internal Server Error"), False),
        WaitReason.NO_ANSWER: (fail(TimedOut()), False),
        WaitReason.UNREACHABLE: (fail(CallNotSent("ClientConnectorError")), False),
        WaitReason.TOLD_TO_WAIT: (refuse(429, "Too Many Requests: retry after 3600", retry_after=3600), True),
        WaitReason.OTHER_PROGRAM: (refuse(409, "Conflict: terminated by other getUpdates request"), True),
    }
    async with application.poll_in_background(stage.app):
        for number, (reason, (refusal, polls_only)) in enumerate(table.items()):
            await until(lambda: stage.app.watchdog.find_wait() is None)
            begun = stage.now
            caplog.clear()
            trouble.refusal, trouble.polls_only, trouble.moved = refusal, polls_only, 0.0
            await until(lambda: trouble.moved)
            person.send("/start")
            await until(lambda: trouble.moved >= LASTS and trouble.find_wait() is not None)
            wait = trouble.find_wait()
            assert wait is not None
            assert wait.reason is reason, number
            assert timedelta(0) <= wait.since - begun < timedelta(seconds=60)
            assert (wait.until is None) is (reason is not WaitReason.TOLD_TO_WAIT)
            await until(lambda: stage.app.watchdog.list_silent_services() == [AwaitedService.TELEGRAM])
            for is_to_end, expected in ((False, 200), (True, 503)):  # it goes on by itself: no reason to start it again
                monkeypatch.setattr(stage.app.watchdog, "exit_when_stuck", is_to_end)
                status, health = await ask_health(stage)
                assert (status, health["well"], health["silent"]) == (expected, False, ["telegram"])
                assert health["waits"]["for"] == reason.value
            monkeypatch.setattr(stage.app.watchdog, "exit_when_stuck", False)
            trouble.refusal, answered = None, number + 1
            await until(lambda answered=answered: len(person.messages) == answered)  # type: ignore[misc]
            await until(lambda: trouble.find_wait() is None)
            lines = [line.getMessage() for line in caplog.records if line.levelno >= logging.WARNING]
            assert [SENTENCES[reason][0].partition("{")[0] in line for line in lines] == [True, False], lines
            assert lines[1].startswith("Telegram answers again, after ")
        person.tap("A")
        await until(lambda: stage.rows("SELECT count(*) FROM judgement") == [(1,)])
        await until(lambda: stage.app.watchdog.find_wait() is None)
    assert (await ask_health(stage))[0] == 200
    assert len(person.messages) == len(table) + 1


async def test_a_machine_that_slept_goes_on(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """All clocks are eight hours further at once: the bot keeps its lease, and answers."""
    person, trouble = stage.telegram.person(1), Trouble(stage)
    trouble.install(monkeypatch)
    async with application.poll_in_background(stage.app):
        person.send("/start")
        await until(lambda: person.messages)
        trouble.move(8 * 3600)
        person.send("/start")
        await until(lambda: len(person.messages) == 2)


async def test_a_webhook_that_somebody_left_is_removed_in_time(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Polls would be refused for ever; a program that is there sets it again."""
    person, trouble = stage.telegram.person(1), Trouble(stage)
    trouble.install(monkeypatch)
    async with application.poll_in_background(stage.app):
        await until(lambda: stage.telegram.calls["getupdates"])
        trouble.refusal, trouble.polls_only = refuse(409, WEBHOOK), True
        person.send("/start")
        await until(lambda: stage.telegram.calls["deletewebhook"] > 1)
        assert trouble.moved >= polling.RETAKE_SECONDS
        trouble.refusal = None
        await until(lambda: person.messages)


async def test_an_answer_to_a_poll_that_holds_no_update_is_an_error(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a server or a proxy says, the bot asks again, and takes what is an update."""
    person, trouble = stage.telegram.person(1), Trouble(stage)
    trouble.install(monkeypatch)
    person.send("/start")
    [update] = stage.telegram.take()
    post, answers = stage.app.api._poll_request.post, iter([{"a": 1}, [7, {"x": 1}], "text", None, [7, {}, update]])

    async def answer(url: str, *arguments: Any, **named: Any) -> Any:
        found = next(answers, post) if url.endswith("/getUpdates") else post
        return await post(url, *arguments, **named) if found is post else found

    monkeypatch.setattr(stage.app.api._poll_request, "post", answer)
    async with application.poll_in_background(stage.app):
        await until(lambda: person.messages)


async def test_a_bot_that_reaches_nobody_says_once_that_it_asks(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """However often it tries, from the start on."""
    monkeypatch.setattr(polling, "MIN_WAIT", 0.01)
    monkeypatch.setattr(polling, "MAX_WAIT", 0.01)
    caplog.set_level(logging.INFO, polling.__name__)
    handle, attempts = stage.telegram.handle, Counter[str]()

    async def refuse_first(method: str, values: Mapping[str, Any], files: Mapping[str, Any]) -> Answer:
        attempts[method] += 1
        if attempts["deleteWebhook"] <= 5:
            return CallRefused(500, "Internal Server Error").answer()
        return await handle(method, values, files)

    monkeypatch.setattr(stage.telegram, "handle", refuse_first)
    async with application.poll_in_background(stage.app):
        await until(lambda: attempts["getUpdates"])
    lines = [line.getMessage() for line in caplog.records if line.name == polling.__name__]
    assert lines.count("This process asks Telegram for updates now.") == 1
