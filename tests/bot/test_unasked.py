"""What nobody asked for at that moment: the organisers' answers, and how the bot introduces itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from sqlmodel import select

from annotation.store.models import Message
from annotation.workflow.people import messages
from bot import application
from bot.conversation.texts import COMMANDS
from bot.emulator.request import LocalRequest

if TYPE_CHECKING:
    from tests.bot.conftest import Chat


async def until(condition: Callable[[], object]) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


async def test_an_organisers_answer_reaches_whoever_asked_once(chat: Chat, load: Callable[..., None]) -> None:
    """In her language, with her question above it, aloud, and not again with the next round."""
    load(("кіт — собака", ["кіт", "собака"]))
    person = chat.person(language="en")
    await chat.send(person, "/start")
    await chat.tap(person, "English")
    await chat.send(person, "/ask")
    await chat.send(person, "Do capitals count?")
    with chat.database.transaction() as session:
        asked = session.exec(select(Message)).one()
        messages.answer(session, message_id=asked.id or 0, text="They do.", now=chat.now)
    seen = len(person.messages)
    rounds = asyncio.create_task(chat.app.rounds.run())
    await until(lambda: len(person.messages) > seen)
    for _ in range(6):
        await chat.app.rounds.go()
    await asyncio.sleep(0.1)
    rounds.cancel()
    with suppress(asyncio.CancelledError):
        await rounds
    assert [one.text for one in person.messages[seen:]] == [
        "The organisers have answered\n\nDo capitals count?\n\nThey do."
    ]
    assert not person.messages[-1].silent


async def test_the_bot_introduces_itself_in_every_language_once(chat: Chat) -> None:
    """Menus of commands and descriptions, for other languages too; what is so already is not set again."""
    telegram, office = chat.telegram, application.office(key=b"k" * 32)
    for _ in range(2):
        looked = telegram.calls["getmyshortdescription"]
        app = application.build(
            token=telegram.token, database=chat.database, office=office, request=LocalRequest(telegram)
        )
        async with application.polling(app):
            await until(lambda looked=looked: telegram.calls["getmyshortdescription"] == looked + 4)  # type: ignore[misc]
    everybody = json.dumps({"type": "default"})
    for language in ("", "uk", "en", "ru"):
        assert [one["command"] for one in telegram.commands[everybody, language]] == list(COMMANDS)
    assert telegram.commands[everybody, "en"][4]["description"] == "Stop for today"
    assert telegram.descriptions["description", ""].startswith("Тут люди відповідають")
    assert telegram.descriptions["short_description", "ru"].startswith("Вопросы, на которые отвечают")
    assert [telegram.calls[f"setmy{what}"] for what in ("commands", "description", "shortdescription")] == [4, 3, 3]


async def test_a_telegram_that_refuses_the_menu_stops_nobody(chat: Chat, load: Callable[..., None]) -> None:
    """Too many calls within the hour: people are served all the same."""
    load(("кіт — собака", ["кіт", "собака"]))
    chat.telegram.faults.fail("setMyCommands", 429, retry_after=3000)
    person = chat.person()
    person.send("/start")
    async with application.polling(chat.app):
        await until(lambda: person.messages)
