"""What organisers do in the chat is asked about, can be taken back, and disturbs nobody at work."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import select

from annotation.errors import Conflict, NotFound
from annotation.store import models
from annotation.workflow.annotators import support_messages
from annotation.workflow.notices import announcements, waiting_announcements
from bot.delivery import limits_and_retries
from tests.bot.test_announcements import announce, join, list_hours, send, store
from tests.bot.test_organisers import ITEMS, begin, go, list_acts, open_admin

if TYPE_CHECKING:
    from tests.bot.conftest import Chat

pytestmark = pytest.mark.usefixtures("no_wait_for_parts")
AT_ONCE = "It goes out now where it is day, elsewhere from 10:00 where people are."


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notices to one chat do not wait for each other."""
    monkeypatch.setattr(limits_and_retries, "CHAT_SECONDS", 0.0)


def list_waiting(chat: Chat) -> list[tuple[int, int, str]]:
    """Of the messages to all that people wait for: how many wait, how many have it, and from when it goes out."""
    with chat.database.reading() as view:
        waiting = waiting_announcements.list_waiting_announcements(view, now=chat.now, default_zone="Europe/Kyiv")
    return [(one.waiting, one.reached, f"{one.next_at:%d %H:%M}") for one in waiting]


async def test_a_message_to_all_waits_in_sight_and_can_be_cancelled(chat: Chat, load: Callable[..., Any]) -> None:
    """By night it says from when it goes out; it stands on the card of all campaigns until it is cancelled."""
    load(*ITEMS)
    await join(chat, 1, zone="Asia/Tokyo")
    await join(chat, 2, zone="America/New_York")
    chat.now += timedelta(hours=10)  # midnight in Kyiv, 7 in Tokyo, 17 in New York
    organiser = await open_admin(chat)
    await go(chat, organiser, "Write to all")
    await chat.send(organiser, "Дякуємо!")
    preview = organiser.messages[-1].text
    assert preview == f"2 people get this, each between 10 and 20 o’clock where they are. {AT_ONCE}\n\nДякуємо!"
    assert await go(chat, organiser, "Send") == f"It goes to 2 people, about 29 per second.\n\n{AT_ONCE}"
    assert list_waiting(chat) == [(2, 0, "21 22:00")]
    await store(chat)
    await send(chat)
    assert list_waiting(chat) == [(1, 1, "22 01:00")]
    text = await go(chat, organiser, "‹ All campaigns")
    assert "• A message to 1 person goes out 22.11, 03:00" in text
    text = await go(chat, organiser, "Messages to all: 1")
    start = "It goes out from 22.11, 03:00 (Kyiv): to each person from 10:00 where they are."
    assert text.split("\n\n")[1] == f"1) to all: 1 person has yet to get it, 1 have it. {start}\nДякуємо!"
    text = await go(chat, organiser, "Cancel 1")
    assert text.startswith("Cancel this message? 1 person will not get it; 1 have it already and keep it:")
    assert list_waiting(chat) == [(1, 1, "22 01:00")]  # asked, not done
    assert await go(chat, organiser, "Cancel it for 1") == "Cancelled: 1 person does not get it, 1 have it."
    assert list_waiting(chat) == []
    assert "A message to" not in await go(chat, organiser, "‹ All campaigns")
    for _ in range(30):
        chat.now += timedelta(hours=1)
        await store(chat)
        await send(chat)
    told = [
        [message.text for message in chat.people[number].messages if "Дякуємо" in message.text] for number in (1, 2)
    ]
    assert list(map(len, told)) == [0, 1]
    assert [act for act, *_ in list_acts(chat)] == ["announce", "cancel"]


async def test_a_message_is_cancelled_in_the_outbox_too(chat: Chat, load: Callable[..., Any]) -> None:
    """What no process has begun to send is not sent; a second time, and one that was never sent, are refused."""
    load(*ITEMS)
    people = [await join(chat, number) for number in (1, 2)]
    announce(chat)
    await store(chat)
    assert list_waiting(chat) == [(2, 0, "21 12:30")]
    with chat.database.transaction() as session:
        number = session.exec(select(models.Announcement.id)).one() or 0
        cancelled = waiting_announcements.cancel_announcement(session, announcement_id=number, now=chat.now)
        assert (cancelled.spared, cancelled.reached) == (2, 0)
        with pytest.raises(Conflict):
            waiting_announcements.cancel_announcement(session, announcement_id=number, now=chat.now)
        with pytest.raises(NotFound):
            waiting_announcements.cancel_announcement(session, announcement_id=number + 1, now=chat.now)
    await store(chat)
    await send(chat)
    assert [list_hours(person, zone=None) for person in people] == [[], []]


async def test_a_message_to_all_waits_until_people_are_free_and_an_answer_does_not(
    chat: Chat, load: Callable[..., Any]
) -> None:
    """One has an item and answered a minute ago, the other left theirs for half an hour."""
    load(*ITEMS)
    busy, away = await join(chat, 1), await join(chat, 2)
    await chat.send(busy, "/ask")
    await chat.send(busy, "Що таке кіт?")
    announce(chat)
    await chat.tap(busy, "так")
    with chat.database.transaction() as session:
        question = session.exec(select(models.SupportMessage.id)).one() or 0
        support_messages.answer_message(session, message_id=question, text="Тварина.", now=chat.now)
    await store(chat)
    await send(chat)
    assert [len(list_hours(person, zone=None)) for person in (busy, away)] == [0, 1]
    assert any("Тварина." in message.text for message in busy.messages)
    assert list_waiting(chat) == [(1, 1, "21 12:30")]
    chat.now += announcements.WORK_LASTS
    await store(chat)
    await send(chat)
    assert len(list_hours(busy, zone=None)) == 1


async def test_an_invitation_is_asked_about_ended_and_made_to_last_again(chat: Chat, load: Callable[..., Any]) -> None:
    """The first link says what follows; a link that has ended lets nobody in; whoever is in stays."""
    load(*ITEMS)
    organiser = await open_admin(chat)
    text = await go(chat, organiser, "1", "Invite", "New link")
    assert text == (
        "Make a new link? Anyone who has it can join “Слова”, for 14 days.\n\n"
        "After the first link is made, nobody can join without one."
    )
    text = await go(chat, organiser, "‹ Back")
    assert "There are none yet" in text
    text = await go(chat, organiser, "New link", "Make the link")
    code = text.rsplit("start=", 1)[1].split(" ")[0]
    assert "used 0, until 05.12, 14:00" in text
    friend = chat.person(5)
    await chat.send(friend, f"/start {code}")
    await chat.tap(friend, "Українська")
    await chat.tap(friend, "Почати")
    text = await go(chat, organiser, "1")
    assert text.startswith("Invitation to “Слова”")
    text = await go(chat, organiser, "End it now")
    assert "used 1, ended 21.11, 14:00" in text
    await chat.send(friend, "/start")
    assert "Слово" in friend.messages[-1].text
    late = chat.person(6)
    await chat.send(late, f"/start {code}")
    await chat.tap(late, "Українська")
    assert not any("Почати" in label for label, _ in late.messages[-1].buttons)
    text = await go(chat, organiser, "1", "Until tomorrow")
    assert "used 1, until 22.11, 14:00" in text
    await chat.send(late, f"/start {code}")
    assert any("Почати" in label for label, _ in late.messages[-1].buttons)
    assert [act for act, *_ in list_acts(chat)] == ["invite", "limit invitation", "limit invitation"]


async def test_a_reason_without_words_goes_back(chat: Chat, load: Callable[..., Any]) -> None:
    """Nobody is suspended for a dash; the card of the person is shown again."""
    load(*ITEMS)
    await begin(chat, 1)
    organiser = await open_admin(chat)
    await go(chat, organiser, "1", "People", "1", "Suspend")
    await chat.send(organiser, " - ")
    assert organiser.messages[-2].text == "Nobody is suspended: the reason has no words."
    assert "Status: takes part" in organiser.messages[-1].text
    assert list_acts(chat) == []


async def test_what_is_sent_or_not_leads_back(chat: Chat, load: Callable[..., Any]) -> None:
    """Also a draft that was not sent, and the question that was left."""
    load(*ITEMS)
    await begin(chat, 1)
    organiser = await open_admin(chat)
    await go(chat, organiser, "Write to all")
    assert await go(chat, organiser, "‹ Back") == "Not sent."
    assert (await go(chat, organiser, "‹ All campaigns")).startswith("Campaigns")
    await go(chat, organiser, "Write to all")
    await chat.send(organiser, "Дякуємо!")
    assert await go(chat, organiser, "Do not send") == "Not sent."
    assert (await go(chat, organiser, "‹ All campaigns")).startswith("Campaigns")


async def test_a_stray_text_of_an_organiser_is_answered_as_an_organisers(chat: Chat, load: Callable[..., Any]) -> None:
    """With the campaigns; an organiser who answers items themselves is answered like everybody."""
    load(*ITEMS)
    organiser = await open_admin(chat)
    await chat.send(organiser, "Привіт усім")
    assert organiser.messages[-2].text.startswith("Nothing asks you for a text now.")
    assert organiser.messages[-1].text.startswith("Campaigns")
    stranger = chat.person(7)
    await chat.send(stranger, "Привіт усім")
    assert not any("Campaigns" in message.text for message in stranger.messages)
    await chat.send(organiser, "/start")
    await chat.tap(organiser, "English")
    await chat.tap(organiser, "Begin")
    await chat.send(organiser, "Привіт усім")
    assert not organiser.messages[-1].text.startswith("Campaigns")
