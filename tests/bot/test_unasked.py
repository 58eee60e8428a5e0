"""What nobody asked for at that moment: the organisers' answers, and how the bot introduces itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from sqlmodel import Session, select

from annotation.campaigns.bot_commands import COMMANDS
from annotation.errors import Unavailable
from annotation.store import mailbox
from annotation.store.models import Annotator, Outbox, SupportMessage
from annotation.workflow.annotators import registration, support_messages
from bot import application
from bot.conversation.updates_and_calls import ConversationSettings
from bot.delivery import limits_and_retries, sender
from bot.emulator.request import LocalRequest

if TYPE_CHECKING:
    from bot.emulator.scripted_people import ScriptedPerson
    from tests.bot.conftest import Chat

ANSWERED = "The organisers have answered\nDo capitals count?\nThey do."


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notifications do not wait for earlier messages to a chat."""
    monkeypatch.setattr(limits_and_retries, "CHAT_SECONDS", 0.0)


async def until(condition: Callable[[], object]) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


async def answered(chat: Chat, load: Callable[..., None]) -> ScriptedPerson:
    """Somebody whose question has an answer that is not on its way yet."""
    load(("кіт — собака", ["кіт", "собака"]))
    person = chat.person(language="en")
    await chat.send(person, "/start")
    await chat.tap(person, "English")
    await chat.send(person, "/ask")
    await chat.send(person, "Do capitals count?")
    with chat.database.transaction() as session:
        asked = session.exec(select(SupportMessage)).one()
        support_messages.answer_message(session, message_id=asked.id or 0, text="They do.", now=chat.now)
    return person


@asynccontextmanager
async def sweeper(chat: Chat) -> AsyncIterator[None]:
    """Run the sweeper, which sends notifications."""
    going = asyncio.create_task(chat.app.sweeper.run())
    yield
    for _ in range(6):
        await chat.app.sweeper.sweep_once()
    await asyncio.sleep(0.1)
    going.cancel()
    with suppress(asyncio.CancelledError):
        await going


def had(person: ScriptedPerson) -> list[str]:
    """The answers that the annotator got."""
    return [one.text for one in person.messages if one.text.startswith("The organisers")]


def delivered(chat: Chat) -> bool:
    """Whether the question counts as answered."""
    with chat.database.transaction() as session:
        return session.exec(select(SupportMessage)).one().delivered_at is not None


async def test_an_organisers_answer_reaches_whoever_asked_once(chat: Chat, load: Callable[..., None]) -> None:
    """In the language of the annotator, with their question above it, aloud, and not again with the next sweep."""
    person = await answered(chat, load)
    seen = len(person.messages)
    async with sweeper(chat):
        await until(lambda: len(person.messages) > seen)
    assert [one.text for one in person.messages[seen:]] == [ANSWERED]
    assert not person.messages[-1].silent


@pytest.mark.parametrize("silent", [0, 2])
async def test_an_answer_that_met_a_blocked_bot_comes_when_the_annotator_is_back(
    chat: Chat, load: Callable[..., None], monkeypatch: pytest.MonkeyPatch, silent: int
) -> None:
    """Telegram refused it before the bot knew; also where the database does not answer when that is to be noted."""
    person, lost, failures = await answered(chat, load), registration.mark_unreachable, iter(range(silent))

    def failing(session: Session, *, telegram_id: int, now: datetime) -> None:
        if next(failures, None) is not None:
            raise Unavailable("It does not answer.")
        lost(session, telegram_id=telegram_id, now=now)

    monkeypatch.setattr(registration, "mark_unreachable", failing)
    person.block()
    blocked = chat.telegram.take()
    async with sweeper(chat):
        await until(lambda: chat.telegram.calls["sendmessage"] > len(person.messages))
        await until(lambda: not delivered(chat))
        await chat.app.deliver(*blocked)
        assert had(person) == []
        await chat.send(person, "/start")
        for _ in range(5):
            await chat.app.sweeper.sweep_once()
        await until(lambda: had(person))
    assert had(person) == [ANSWERED]
    assert delivered(chat)


async def test_an_answer_that_waited_when_the_bot_was_blocked_comes_once(chat: Chat, load: Callable[..., None]) -> None:
    """The annotator is back before its time has come: it goes anew, and not a second time."""
    person = await answered(chat, load)
    seen, before = len(person.messages), chat.telegram.calls["sendmessage"]
    chat.telegram.faults.fail("sendMessage", 429, retry_after=1)
    async with sweeper(chat):
        await until(lambda: chat.telegram.calls["sendmessage"] > before)
        person.block()
        await chat.deliver()
        assert not delivered(chat)
        person.send("/start")
        await chat.deliver()
        for _ in range(5):
            await chat.app.sweeper.sweep_once()
        await until(lambda: delivered(chat) and not under_way(chat))
    led, answer = (one.text for one in person.messages[seen:])
    assert answer == ANSWERED
    assert led.startswith("Слова\n")


async def test_an_answer_that_arrived_before_the_bot_was_blocked_is_not_repeated(
    chat: Chat, load: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """That it arrived is not noted yet when the next message is refused."""
    monkeypatch.setattr(sender, "BATCH_SECONDS", 60.0)
    person = await answered(chat, load)
    async with sweeper(chat):
        await until(lambda: had(person))
        person.block()
        call = {"method": "sendMessage", "data": {"text": "news"}}
        with chat.database.transaction() as session:
            mailbox.store_messages(
                session, [mailbox.OutboxDraft(chat_id=person.id, calls=[call])], bot_id=chat.app.bot_id, now=chat.now
            )
        await chat.app.sweeper.sweep_once()
        await until(lambda: unreachable(chat))
        assert delivered(chat)


def under_way(chat: Chat) -> bool:
    """Whether messages are still to be sent."""
    with chat.database.transaction() as session:
        return session.exec(select(Outbox)).first() is not None


def unreachable(chat: Chat) -> bool:
    """Whether it is known that the annotator cannot be reached."""
    with chat.database.transaction() as session:
        return session.exec(select(Annotator)).one().unreachable_at is not None


async def test_the_bot_introduces_itself_in_every_language_once(chat: Chat) -> None:
    """Menus of commands and descriptions, for other languages too; what is so already is not set again."""
    telegram, settings = chat.telegram, application.build_delivery_settings(ConversationSettings(key=b"k" * 32))
    for _ in range(2):
        looked = telegram.calls["getmyshortdescription"]
        app = application.build_application(
            token=telegram.token, database=chat.database, settings=settings, request=LocalRequest(telegram)
        )
        async with application.poll_in_background(app):
            await until(lambda looked=looked: telegram.calls["getmyshortdescription"] == looked + 5)  # type: ignore[misc]
    everybody = json.dumps({"type": "default"})
    for language in ("", "uk", "en", "ru", "pl"):
        assert [one["command"] for one in telegram.commands[everybody, language]] == list(COMMANDS)
    assert telegram.commands[everybody, "en"][COMMANDS.index("pause")]["description"] == "Stop for today"
    assert telegram.descriptions["description", ""].startswith("Тут люди відповідають")
    assert telegram.descriptions["short_description", "ru"].startswith("Вопросы, на которые отвечают")
    assert [telegram.calls[f"setmy{what}"] for what in ("commands", "description", "shortdescription")] == [5, 4, 4]


async def test_a_telegram_that_refuses_the_menu_stops_nobody(chat: Chat, load: Callable[..., None]) -> None:
    """Too many calls within the hour: people are served all the same."""
    load(("кіт — собака", ["кіт", "собака"]))
    chat.telegram.faults.fail("setMyCommands", 429, retry_after=3000)
    person = chat.person()
    person.send("/start")
    async with application.poll_in_background(chat.app):
        await until(lambda: person.messages)
