"""The languages of organisers' cards: Ukrainian or English, each card in one of them as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from bot.delivery import limits_and_retries
from tests.bot.test_organisers import ITEMS, ORGANISER, begin, find_pseudonym, go

pytestmark = pytest.mark.usefixtures("no_wait_for_parts")

if TYPE_CHECKING:
    from tests.bot.conftest import Chat

RUSSIAN_LETTERS = set("ыэъёЫЭЪЁ")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notices to one chat do not wait for each other."""
    monkeypatch.setattr(limits_and_retries, "CHAT_SECONDS", 0.0)


async def report_an_item(chat: Chat) -> None:
    """Somebody finds a fault with their first item."""
    person = await begin(chat, 1)
    await chat.send(person, "/problem")
    await chat.tap(person, person.messages[-1].buttons[0][0])


async def test_cards_are_ukrainian_as_a_whole_for_whom_the_bot_speaks_russian_with(
    chat: Chat, load: Callable[..., Any]
) -> None:
    """The problems of reports, what no longer applies, and the numbers of parts too."""
    load(*ITEMS)
    await report_an_item(chat)
    organiser = chat.person(ORGANISER, language="ru")
    await chat.send(organiser, "/admin")
    first = organiser.messages[-1]
    assert first.text.startswith("Кампанії")
    text = await go(chat, organiser, "Без відповіді: 1")
    assert text.startswith("Скарга · чекає 1")
    assert text.endswith("Правильних відповідей кілька")
    await go(chat, organiser, "Усе гаразд")
    organiser.press("O:1:1.0:answer", on=organiser.messages[-1])
    await chat.deliver()
    assert organiser.toasts[-1] == "Цього вже не питаємо. Ось де ви зараз."
    await go(chat, organiser, "1", "Люди", "1", "Зупинити участь")
    await chat.send(organiser, "причина " * 505)
    assert [message.text.split("\n\n")[0] for message in organiser.messages[-2:]] == [
        f"Частина {number} з 2" for number in (1, 2)
    ]
    assert find_pseudonym(chat, 1) in organiser.messages[-2].text
    assert not any(RUSSIAN_LETTERS & set(message.text) for message in organiser.messages)


async def test_a_text_that_comes_too_late_is_refused_in_the_language_of_the_card(
    chat: Chat, load: Callable[..., Any]
) -> None:
    """Another organiser has dismissed the report meanwhile."""
    load(*ITEMS)
    await report_an_item(chat)
    organiser, other = chat.person(ORGANISER, language="ru"), chat.person(901, language="en")
    for one, inbox in ((organiser, "Без відповіді: 1"), (other, "To answer: 1")):
        await chat.send(one, "/admin")
        await go(chat, one, inbox)
    await go(chat, organiser, "Відповісти")
    await go(chat, other, "The item is fine")
    await chat.send(organiser, "Дякую!")
    assert [message.text.split("\n")[0] for message in organiser.messages[-2:]] == [
        "Цього вже не питаємо. Ось де ви зараз.",
        "Кампанії",
    ]
