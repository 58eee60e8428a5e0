"""Pictures in the chat: a photo before the item, uploaded once for each bot, sent again by its id."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from _pictures import PROJECT, write_items, write_project
from sqlmodel import select

from annotation.store import late_messages, queries
from annotation.store.mailbox import OutboxMessage
from annotation.store.models import Assignment, Item, Outbox, PictureUpload
from annotation.vocabulary import AssignmentStatus
from annotation.workflow.lifecycle import projects, transitions
from bot.conversation.updates_and_calls import NewMessage, NewPhoto
from bot.delivery.telegram_payloads import build_outbox_drafts


@pytest.fixture
def start(chat: Any, tmp_path: Path) -> Callable[..., Any]:
    """Starts a project of pictures, in the order of its file."""

    def started(*rows: str, project: str = PROJECT) -> None:
        file = write_project(tmp_path / "birds", project=project)
        if rows:
            write_items(file.parent, *rows)
        with chat.database.transaction() as session:
            projects.load_project_file(session, file, now=chat.now)
            session.connection().execute(sa.update(Item).values(queue_position=Item.rank + 10**9))
            transitions.start_project(session, project=queries.get_project(session, "birds"), now=chat.now)

    return started


async def join(chat: Any, number: int) -> Any:
    """Begin to work, up to the first item."""
    person = chat.person(number)
    await chat.send(person, "/start")
    await chat.tap(person, "English")
    await chat.tap(person, "Begin")
    return person


def list_photos(person: Any) -> list[Any]:
    """The photos that somebody sees."""
    return [message for message in person.chat.visible() if message.content.kind == "photo"]


def count_uploads(chat: Any) -> int:
    """How many files Telegram was sent."""
    return len(chat.telegram.files)


async def test_the_photo_comes_before_its_item(chat: Any, start: Callable[..., Any], tmp_path: Path) -> None:
    """With the title as its caption, protected and silent; the item below says which picture is meant."""
    start()
    person = await join(chat, 1)
    *_, photo, card = person.chat.visible()
    assert (photo.content.kind, photo.text) == ("photo", "The bird")
    assert photo.content.file.content == (tmp_path / "birds" / "pictures" / "owl.png").read_bytes()
    assert (photo.protected, photo.silent, card.protected) == (True, True, True)
    assert "The bird\n\n🖼 Picture 1\n\nIt sits." in card.text
    assert "owl.png" not in photo.content.file.name
    await chat.tap(person, "stork")
    *_, finished, after, below = person.chat.visible()
    assert finished.id == card.id
    assert "✓" in finished.text
    assert (after.content.kind, "It stands." in below.text) == ("photo", True)
    assert chat.answers() == ["stork"]


async def test_a_picture_is_uploaded_once(chat: Any, start: Callable[..., Any]) -> None:
    """Others get it by its id, and so do people after a restart, whom another process serves."""
    start()
    first = await join(chat, 1)
    async with chat.restarted():
        second = await join(chat, 2)
    assert list_photos(first)[0].content.file == list_photos(second)[0].content.file
    assert count_uploads(chat) == 1
    await chat.send(first, "/start")
    assert len(list_photos(first)) == 2
    assert count_uploads(chat) == 1
    with chat.database.reading() as view:
        (stored,) = view.exec(select(PictureUpload)).all()
        assert (stored.bot_id, stored.file_id) == (chat.app.bot_id, next(iter(chat.telegram.files)))


async def test_many_who_begin_at_once_upload_it_once(chat: Any, start: Callable[..., Any]) -> None:
    """One chat uploads it, the others wait."""
    start(*(f"{number},pictures/owl.png,Text {number}.,owl" for number in range(20)))
    calls = [{"method": "sendPhoto", "data": {}, "picture": await find_name(chat)} for _ in range(20)]
    people = [chat.person(number) for number in range(1, 21)]
    for person in people:
        await chat.send(person, "/start")
    send = chat.app.sender._pictures.make_call
    message = OutboxMessage(id=1, bot_id=1, chat_id=1, calls=(), created_at=chat.now, held_until=chat.now)
    await asyncio.gather(
        *(send(call, replace(message, chat_id=person.id)) for call, person in zip(calls, people, strict=True))
    )
    assert [len(list_photos(person)) for person in people] == [1] * 20
    assert count_uploads(chat) == 1
    assert chat.app.sender._pictures._uploading == {}


async def find_name(chat: Any) -> str:
    """The name of the picture of the first item."""
    with chat.database.reading() as view:
        pieces = view.exec(select(Item.pieces)).first()
    return str(pieces[0]["image"])


@pytest.mark.parametrize(
    "refusal", ["Bad Request: wrong file identifier/HTTP URL specified", "Bad Request: wrong remote file identifier"]
)
async def test_a_lost_file_is_uploaded_again(chat: Any, start: Callable[..., Any], refusal: str) -> None:
    """Telegram knows its id no more: after a restore, or with another bot's database."""
    start()
    await join(chat, 1)
    (before,) = chat.telegram.files
    chat.telegram.faults.fail("sendPhoto", 400, refusal)
    second = await join(chat, 2)
    assert len(list_photos(second)) == 1
    (now,) = [one for one in chat.telegram.files if one != before]
    with chat.database.reading() as view:
        assert [one.file_id for one in view.exec(select(PictureUpload)).all()] == [now]


async def test_a_refused_photo_does_not_hold_the_item_back(chat: Any, start: Callable[..., Any]) -> None:
    """The item comes, and what was refused is parked for organisers to see."""
    start()
    chat.telegram.faults.fail("sendPhoto", 400, "Bad Request: IMAGE_PROCESS_FAILED")
    person = await join(chat, 1)
    assert list_photos(person) == []
    assert "It sits." in [*person.chat.visible()][-1].text
    with chat.database.reading() as view:
        (parked,) = view.exec(select(Outbox)).all()
        assert (parked.reason, [call["method"] for call in parked.calls]) == (
            "sendPhoto: Image_process_failed", ["sendPhoto"],
        )  # fmt: skip


async def test_a_photo_that_may_have_come_is_sent_again(chat: Any, start: Callable[..., Any]) -> None:
    """As the card is, when the response is lost: rather twice than never."""
    start()
    chat.telegram.faults.lose("sendPhoto")
    person = await join(chat, 1)
    await chat.app.sender.wait_until_idle()
    await asyncio.sleep(0.7)
    await chat.app.sender.wait_until_idle()
    assert "It sits." in [*person.chat.visible()][-1].text
    assert len(list_photos(person)) == 2


async def test_each_picture_of_an_item_has_its_number(chat: Any, start: Callable[..., Any]) -> None:
    """Those without a title have it in the caption; an empty cell is no picture."""
    two = PROJECT.replace('as: image, title: "The bird"}', "as: image}, {field: text, as: image}")
    start("a,pictures/owl.png,pictures/stork.jpg,owl", "b,,pictures/owl.png,owl", project=two.replace(", text]", "]"))
    person = await join(chat, 1)
    *_, first, second, card = person.chat.visible()
    assert (first.text, second.text) == ("Picture 1", "Picture 2")
    assert "🖼 Picture 1\n\n🖼 Picture 2" in card.text
    await chat.tap(person, "owl")
    assert [one.text for one in list_photos(person)] == ["Picture 1", "Picture 2", "Picture 1"]


def test_a_photo_shares_the_message_of_its_item() -> None:
    """So that they are sent, held and sent again together."""
    calls = (
        NewPhoto(chat_id=5, picture="a.png", caption="", assignment_id=7),
        NewMessage(chat_id=5, html="x", assignment_id=7),
    )
    (draft,) = build_outbox_drafts(calls, chat_id=5, protect=False, find_message_id=lambda _: None)
    assert draft.repeatable
    assert draft.calls[0] == {
        "method": "sendPhoto", "data": {"disable_notification": True}, "picture": "a.png", "illustrates": 7,
    }  # fmt: skip


@pytest.fixture
def live(chat: Any, start: Callable[..., Any]) -> Callable[..., int]:
    """Makes an assignment."""
    start()

    def made(status: AssignmentStatus) -> int:
        with chat.database.transaction() as session:
            found = session.exec(select(Assignment)).one()
            found.status = status
            session.add(found)
            return int(found.id or 0)

    return made


async def test_the_photo_of_an_overtaken_card_is_left_out(chat: Any, live: Callable[..., int]) -> None:
    """A late card of an item that was answered meanwhile is not sent, nor is its photo."""
    await join(chat, 1)
    now = datetime.now(UTC)
    for status, n_calls in ((AssignmentStatus.LIVE, 2), (AssignmentStatus.DONE, 0)):
        number = live(status)
        calls = (
            {"method": "sendPhoto", "data": {}, "picture": "a.png", "illustrates": number},
            {"method": "sendMessage", "data": {}, "shows": number},
        )
        message = OutboxMessage(id=1, bot_id=1, chat_id=1, calls=calls, created_at=now, held_until=now, late=True)
        with chat.database.reading() as view:
            assert len(late_messages.settle_calls(view, message, shown={}).calls) == n_calls
