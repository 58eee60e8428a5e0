"""Messages of organisers in other people's hands: forwarded cards and texts, and the buttons of drafts, do nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from bot.delivery import limits_and_retries
from tests.bot.test_organisers import ITEMS, ask, begin, collect, go, list_acts, open_admin, read_state

if TYPE_CHECKING:
    from _faulty_telegram import ObservedPerson

    from bot.emulator.model import Message
    from tests.bot.conftest import Chat


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notices to one chat do not wait for each other."""
    monkeypatch.setattr(limits_and_retries, "CHAT_SECONDS", 0.0)


def list_own_texts(person: ObservedPerson) -> list[Message]:
    """What this person has typed."""
    return [message for message in person.chat.visible() if message.sender is person.user]


async def test_forwarded_cards_and_texts_do_nothing(chat: Chat, load: Callable[..., Any]) -> None:
    """Only the card of invitations can be forwarded; its buttons, and what organisers typed, are nothing to others."""
    load(*ITEMS)
    person = await begin(chat, 1)
    await ask(chat, person, "Чому?")
    organiser = await open_admin(chat)
    await go(chat, organiser, "Write to all")
    await chat.send(organiser, "Сьогодні останній день!")
    await go(chat, organiser, "Do not send")
    await chat.send(organiser, "/admin")
    await go(chat, organiser, "To answer: 1", "Answer to all")
    await chat.send(organiser, "Апостроф – не літера.")
    await chat.send(organiser, "/admin")
    await go(chat, organiser, "1", "Invite", "New link", "Make the link")
    card = organiser.messages[-1]
    assert [label for label, _ in card.buttons] == ["1", "New link", "‹ Back"]
    before = read_state(chat)
    for shown in organiser.messages[:-1]:
        with pytest.raises(ValueError, match="protected"):
            person.forward(shown)
    replied = [None, person.messages[-1]]
    for text in [card, *list_own_texts(organiser)]:
        for reply in replied:
            forwarded = person.forward(text, reply_to=reply)
            await chat.deliver()
            for _, data in card.buttons:
                person.press(data, on=forwarded)
                await chat.deliver()
    forwarded_card = person.forward(card)
    for text in list_own_texts(organiser):
        person.forward(text, reply_to=forwarded_card)
        person.send(text.text, reply_to=forwarded_card)
        await chat.deliver()
    assert read_state(chat) == before
    said = [message.text for message in person.messages]
    assert not any(
        words in text for text in said for words in ("Campaigns", "Кампанії", "Invitations", "Запрошення до")
    )
    assert person.messages[-1].buttons or "Слово" in person.screen


async def test_the_drafts_of_an_organiser_are_nobody_elses(chat: Chat, load: Callable[..., Any]) -> None:
    """Neither a stranger nor another organiser sends, adds or drops them, whatever is asked of the organiser then."""
    load(*ITEMS)
    person, stranger = await begin(chat, 1), chat.person(5)
    await chat.send(stranger, "/start")
    await ask(chat, person, "Чому?")
    organiser, other = await open_admin(chat), await open_admin(chat, number=901)
    await go(chat, organiser, "Write to all")
    await chat.send(organiser, "Сьогодні останній день!")
    announcement = organiser.messages[-1]
    await chat.send(organiser, "/admin")
    await go(chat, organiser, "To answer: 1", "Answer to all")
    await chat.send(organiser, "Апостроф – не літера.")
    instruction = organiser.messages[-1]
    await chat.send(organiser, "/admin")
    await go(chat, organiser, "To answer: 1", "Answer")
    asked = organiser.messages[-1]
    data = [one for message in (announcement, instruction, asked) for _, one in message.buttons]
    assert {one.rsplit(":", 1)[1] for one in data} == {"send", "drop", "add", "asked-answer"}
    before = read_state(chat)
    assert len(before["announcements"]) == 2
    for one in (stranger, person, other):
        for pressed in data:
            one.press(pressed, on=one.messages[-1])
            await chat.deliver()
        one.send("Гаразд.", reply_to=one.messages[-1])
        await chat.deliver()
        one.send("Гаразд.")
        await chat.deliver()
    assert read_state(chat) == before
    assert list_acts(chat) == []
    for one in (stranger, person):
        assert not any(words in one.screen for words in ("Campaigns", "Кампанії", "останній день", "Апостроф"))
    await chat.send(organiser, "Бо так.")
    await collect(chat)
    assert person.messages[-1].text.endswith("Бо так.")
    organiser.tap("Send", on=announcement)
    await chat.deliver()
    assert "It goes to 1 person." in organiser.screen
    assert [act for act, *_ in list_acts(chat)] == ["answer", "announce"]
