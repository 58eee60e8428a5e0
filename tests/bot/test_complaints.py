"""What users of bots complain about, and what the bot of Eval-UA-tion's baselines got wrong: not here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from bot import application
from bot.conversation.updates_and_calls import ConversationSettings
from bot.emulator.server import Server

if TYPE_CHECKING:
    from bot.emulator.scripted_people import ScriptedPerson
    from tests.bot.conftest import Chat

Load = Callable[..., None]
ITEMS = [(f"слово {number}", ["перше", "друге"]) for number in range(4)]


async def begun(chat: Chat, number: int = 1) -> ScriptedPerson:
    """Somebody at the first item."""
    person = chat.person(number)
    await chat.send(person, "/start")
    for label in ("Українська", "Почати"):
        newest = person.messages[-1]
        await chat.tap(person, next(one for one, _ in newest.buttons if one.startswith(label)))
    return person


def marks(person: ScriptedPerson) -> list[str]:
    """What the screen says was stored."""
    return [one.text.split("\n")[0] for one in person.messages if one.text.startswith("✓")]


async def test_a_tap_that_was_too_old_to_be_answered_is_saved(chat: Chat, load: Load) -> None:
    """ "Query is too old": the toast is lost, the answer is not; the next item is there."""
    load(*ITEMS)
    person = await begun(chat)
    person.tap(person.messages[-1].buttons[0][0])
    chat.now += timedelta(minutes=2)
    await chat.deliver()
    assert len(chat.answers()) == len(marks(person)) == 1
    assert person.messages[-1].text.startswith("2")


async def test_fifty_double_taps_are_one_answer(chat: Chat, load: Load) -> None:
    """ "Message is not modified" is no failure: the mark and its button stay."""
    load(*ITEMS)
    person = await begun(chat)
    asked = person.messages[-1]
    for _ in range(50):
        person.press(asked.buttons[0][1], on=asked)
    await chat.deliver()
    assert len(chat.answers()) == len(marks(person)) == 1
    assert [label for label, _ in asked.buttons] == ["Змінити"]
    assert person.messages[-1].text.startswith("2")


async def test_a_chat_that_was_cleared_goes_on(chat: Chat, load: Load) -> None:
    """The message under the tap is gone ("message to edit not found"): the answer is saved, and /start leads on."""
    load(*ITEMS)
    person = await begun(chat)
    asked = person.messages[-1]
    person.tap(asked.buttons[0][0])
    for message in person.messages:
        message.deleted = True
    await chat.deliver()
    assert len(chat.answers()) == 1
    assert [one.text[0] for one in person.messages] == ["2"]
    person.messages[-1].deleted = True
    await chat.send(person, "/start")
    assert [one.text[0] for one in person.messages] == ["2"]


async def test_when_all_is_done_it_is_said(chat: Chat, load: Load) -> None:
    """The last answer is followed by a sentence, and so is every /start after it."""
    load(*ITEMS[:1])
    person = await begun(chat)
    await chat.tap(person, person.messages[-1].buttons[0][0])
    assert person.messages[-1].text.startswith("🏁 Це все, що було для вас.")
    await chat.send(person, "/start")
    assert [one.text[:10] for one in person.messages[-2:]] == ["🏁 Це все, "] * 2


async def test_sixty_four_taps_at_once_on_a_slow_network(chat: Chat, load: Load) -> None:
    """ "Pool timeout": over HTTP, every call a tenth of a second, nobody waits in vain."""
    load(*ITEMS)
    people = [await begun(chat, number) for number in range(1, 4)]
    crowd = [chat.person(number) for number in range(4, 65)]
    chat.telegram.faults.latency = 0.1
    async with Server(chat.telegram) as server:
        app = application.build_application(
            token=chat.telegram.token,
            database=chat.database,
            settings=application.build_delivery_settings(ConversationSettings(key=b"k" * 32)),
            base_url=f"{server.url}/bot",
        )
        async with application.poll_in_background(app):
            for person in people:
                person.tap(person.messages[-1].buttons[0][0])
            for person in crowd:
                person.send("/start")
            async with asyncio.timeout(30):
                while not all(one.messages for one in crowd) or any(len(marks(one)) < 1 for one in people):
                    await asyncio.sleep(0.02)
    assert len(chat.answers()) == 3
