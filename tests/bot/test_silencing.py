"""Nobody silences the bot: a pause that Telegram asks for belongs to its chat, and groups are told one thing once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from _faulty_telegram import Flood

from bot.emulator.model import Chat as TelegramChat
from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.state import Clock
from tests.bot.conftest import Chat

Load = Callable[..., None]
WORDS = [(f"слово {number}", ["дуб", "береза"]) for number in range(1, 6)]
ONLY_PRIVATE = "Бот працює лише в особистих повідомленнях: відкрийте його профіль і натисніть «Почати»."


async def begin(chat: Chat, number: int = 1) -> ScriptedPerson:
    """Somebody with the first item on the screen."""
    person = chat.person(number)
    await chat.send(person, "/start")
    for label in ("Українська", "Почати"):
        labels = [text for message in reversed(person.messages) for text, _ in message.buttons]
        await chat.tap(person, next(text for text in labels if text.startswith(label)))
    return person


def list_bot_texts(group: TelegramChat) -> list[str]:
    """What the bot has said in a group."""
    return [message.text for message in group.visible() if message.sender.is_bot]


@pytest.mark.parametrize("place", ["groups", "private chats"])
async def test_three_paused_chats_of_strangers_delay_nobody_else(chat: Chat, load: Load, place: str) -> None:
    """Telegram asks for ten minutes in each of them; the annotator gets the next item at once, over a restart too."""
    load(*WORDS)
    annotator = await begin(chat)
    for number in (2, 3, 4):
        stranger = chat.person(number)
        stranger.send("/start", chat=chat.telegram.group(-number, stranger) if place == "groups" else None)
        chat.telegram.faults.fail("sendMessage", 429, retry_after=600)
    await chat.deliver()
    shown = len(annotator.messages)
    await chat.send(annotator, "А")
    assert chat.answers() == ["дуб"]
    assert len(annotator.messages) > shown
    assert "слово 2" in annotator.messages[-1].text
    async with chat.restarted():
        await chat.app.recover()
        await chat.send(annotator, "Б")
        assert "слово 3" in annotator.messages[-1].text


async def test_three_strangers_who_flood_their_chats_delay_nobody_else(chat: Chat, load: Load) -> None:
    """With Telegram's own limit of a message a second to a chat: theirs wait, the annotator's do not."""
    load(*WORDS)
    annotator = await begin(chat)
    chat.telegram.clock = Clock()
    chat.telegram.flood = Flood(per_chat=1, burst=4)
    strangers = [chat.person(number) for number in (2, 3, 4)]
    for _ in range(8):
        for stranger in strangers:
            stranger.send("/start")
    await chat.app.deliver(*chat.telegram.take())
    assert [len(stranger.messages) for stranger in strangers] == [4, 4, 4]
    annotator.send("А")
    await chat.app.deliver(*chat.telegram.take())
    assert "слово 2" in annotator.messages[-1].text


async def test_a_group_is_told_once_that_the_bot_speaks_in_private(chat: Chat) -> None:
    """Whatever its people send, whoever they are, and over a restart; another group is told as well."""
    people = [chat.person(number) for number in (1, 2)]
    group, other = (chat.telegram.group(number, *people) for number in (-5, -6))
    for text in ("привіт", "/start", "/help", "/start"):
        for person in people:
            person.send(text, chat=group)
    await chat.deliver()
    assert list_bot_texts(group) == [ONLY_PRIVATE]
    async with chat.restarted():
        people[0].send("/start", chat=group)
        people[0].send("/start", chat=other)
        await chat.deliver()
    assert (len(list_bot_texts(group)), len(list_bot_texts(other))) == (1, 1)


async def test_a_group_that_becomes_a_supergroup_is_not_told_again(chat: Chat) -> None:
    """Its new id is learnt where a message to the old one is refused."""
    person = chat.person()
    group = chat.telegram.group(-5, person)
    person.send("/start", chat=group)
    moved = chat.telegram.migrate(group)
    await chat.deliver()
    person.send("/start", chat=moved)
    await chat.deliver()
    assert len(list_bot_texts(moved)) == 1
