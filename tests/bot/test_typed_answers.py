"""Typed answers over the local Telegram: a text answers only what was on the screen when it was sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from _faulty_telegram import ObservedPerson

from annotation.store import database, queries
from annotation.workflow.lifecycle import projects, transitions
from bot.emulator.model import Message
from tests.bot.conftest import NOW, Chat, in_file_order

Load = Callable[..., None]
WORDS = [(f"слово {number}", ["дуб", "береза"]) for number in range(1, 6)]
EARLY = "Це надіслано раніше, ніж з’явилося запитання, тож відповіддю не стало. Відповідайте на те, що бачите зараз."
SEVERAL = """\
project: several
title: Кілька
language: uk
instructions: Читайте.
questions:
  - {name: first, type: choice, text: Перше?, options: [так, ні]}
  - {name: second, type: choice, text: Друге?, options: [так, ні]}
items: {file: several.jsonl, id: id, show: text}
overlap: 1
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def db(request: pytest.FixtureRequest) -> Iterator[database.Database]:
    """An empty database, on both."""
    with database.open_database(request.getfixturevalue(f"{request.param}_url")) as found:
        yield found


async def begin(chat: Chat) -> ObservedPerson:
    """Somebody with the first item on the screen."""
    person = chat.person()
    await chat.send(person, "/start")
    for label in ("Українська", "Почати"):
        await tap(chat, person, label)
    return person


async def tap(chat: Chat, person: ObservedPerson, label: str) -> None:
    """Tap the newest button whose label begins so, and all that follows from it."""
    labels = [text for message in reversed(person.messages) for text, _ in message.buttons]
    await chat.tap(person, next(text for text in labels if text.startswith(label)))


def find_item(person: ObservedPerson, text: str) -> Message:
    """The newest message of the bot with this text."""
    return next(message for message in reversed(person.messages) if text in message.text)


async def test_texts_that_were_sent_at_once_answer_one_item(chat: Chat, load: Load) -> None:
    """Three quick letters, while the bot is slow: only the first answers, the item that was on the screen."""
    load(*WORDS)
    person = await begin(chat)
    for _ in range(3):
        person.send("А")
    await chat.deliver()
    assert chat.answers() == ["дуб"]
    assert [message.text for message in person.messages].count(EARLY) == 2
    assert [message.text for message in person.messages if "слово 2" in message.text] == [
        find_item(person, "слово 2").text
    ]
    await chat.send(person, "Б")
    assert chat.answers() == ["дуб", "береза"]


async def test_a_reply_changes_the_answer_of_the_item_that_it_replies_to(chat: Chat, load: Load) -> None:
    """The item in hand is answered by neither; a reply that is no answer leaves the old one."""
    load(*WORDS)
    person = await begin(chat)
    first = person.messages[-1]
    await tap(chat, person, "дуб")
    person.send("Б", reply_to=first)
    await chat.deliver()
    assert chat.answers() == ["дуб", "береза"]
    assert person.messages[-1].text == "✓ береза\nВідповідь змінено."
    assert "береза" in first.text
    person.send("що?", reply_to=first)
    await chat.deliver()
    assert chat.answers() == ["дуб", "береза"]
    assert "береза" in first.text
    await chat.send(person, "А")
    assert chat.answers() == ["дуб", "береза", "дуб"]


async def test_a_reply_to_anything_else_is_explained(chat: Chat, load: Load) -> None:
    """It does not answer the item in hand."""
    load(*WORDS)
    person = await begin(chat)
    person.send("А", reply_to=person.messages[0])
    await chat.deliver()
    assert chat.answers() == []
    assert (
        person.messages[-1].text
        == "У тому повідомленні немає запитання, на яке можна відповісти. Нічого не збережено. Що далі, покаже /start"
    )
    person.send("А", reply_to=find_item(person, "слово 1"))
    await chat.deliver()
    assert chat.answers() == ["дуб"]


async def test_a_text_answers_no_prompt_that_came_after_it(chat: Chat, load: Load) -> None:
    """A letter for the item, sent before the bot asked why the item is skipped, is no reason to skip it."""
    load(*WORDS)
    person = await begin(chat)
    await tap(chat, person, "Пропустити")
    person.tap("Своїми словами")
    person.send("А")
    await chat.deliver()
    assert chat.answers() == []
    assert person.messages[-1].text == EARLY
    await chat.send(person, "Не знаю такого слова")
    assert chat.answers() == [""]


def load_several(chat: Chat, folder: Path) -> None:
    """Two items with two questions each."""
    rows = [json.dumps({"id": number, "text": f"слово {number}"}) for number in (1, 2)]
    (folder / "several.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    (folder / "several.yaml").write_text(SEVERAL, "utf-8")
    with chat.database.transaction() as session:
        projects.load_project_file(session, folder / "several.yaml", now=NOW)
        in_file_order(session)
        transitions.start_project(session, project=queries.get_project(session, "several"), now=NOW)


async def test_a_text_before_the_next_question_answers_nothing(chat: Chat, tmp_path: Path) -> None:
    """The first question was on the screen when both letters were sent; the second is asked below and not answered."""
    load_several(chat, tmp_path)
    person = await begin(chat)
    person.send("А")
    person.send("Б")
    await chat.deliver()
    assert chat.answers() == []
    assert person.messages[-1].text == EARLY
    assert "Друге?" in person.screen
    assert "Друге?" not in find_item(person, "слово 1").text
    await chat.send(person, "Б")
    assert chat.answers() == ["так"]
    assert "Перше? — так\nДруге? — ні" in find_item(person, "слово 1").text


async def test_a_text_answers_nothing_while_the_edit_is_on_its_way(chat: Chat, tmp_path: Path) -> None:
    """Telegram takes no edit for a moment: the letter is sent below the first question, which a tap has answered."""
    load_several(chat, tmp_path)
    person = await begin(chat)
    for _ in range(2):  # the call, and its repetition
        chat.telegram.faults.fail("editMessageText", 500)
    await chat.tap(person, "так")
    assert "Друге?" not in person.screen
    await chat.send(person, "Б")
    assert chat.answers() == []
    async with asyncio.timeout(60):
        while "Друге?" not in person.screen or chat.app.sender.list_held_ids():
            await asyncio.sleep(0.05)
    assert EARLY in [message.text for message in person.messages]
    chat.now += timedelta(seconds=5)
    await chat.send(person, "Б")
    assert chat.answers() == ["так"]


async def test_a_text_answers_no_question_whose_message_is_gone(chat: Chat, tmp_path: Path) -> None:
    """The person has deleted the card, so that it cannot ask the second question: it is asked in a new message."""
    load_several(chat, tmp_path)
    person = await begin(chat)
    chat.telegram.faults.fail("editMessageText", 400, "Bad Request: message to edit not found")
    await chat.tap(person, "так")
    assert "Друге?" not in person.screen
    chat.now += timedelta(seconds=5)
    await chat.send(person, "Б")
    assert chat.answers() == []
    assert [EARLY in person.messages[-2].text, "Друге?" in person.messages[-1].text] == [True, True]
    await chat.send(person, "Б")
    assert chat.answers() == ["так"]


async def test_an_edit_that_was_made_already_asks(chat: Chat, tmp_path: Path) -> None:
    """Telegram made it and lost its answer; the second attempt is refused as no change, and the question is there."""
    load_several(chat, tmp_path)
    person = await begin(chat)
    chat.telegram.faults.lose("editMessageText", after=True)
    await chat.tap(person, "так")
    assert "Друге?" in person.screen
    chat.now += timedelta(seconds=5)
    await chat.send(person, "Б")
    assert chat.answers() == ["так"]


async def test_within_one_second_a_text_is_told_from_the_card_by_its_number(chat: Chat, load: Load) -> None:
    """Two letters, the answer to the first and the next card have one time: the second came before that card."""
    load(*WORDS)
    person = await begin(chat)
    for _ in range(2):
        person.send("А")
    for update in chat.telegram.take():
        await chat.app.deliver(update)
    assert chat.answers() == ["дуб"]
    assert EARLY in [message.text for message in person.messages]


async def test_a_text_answers_the_item_that_was_opened_for_another_answer_last(chat: Chat, load: Load) -> None:
    """Not the next item, which was shown before."""
    load(*WORDS)
    person = await begin(chat)
    await chat.send(person, "А")
    await tap(chat, person, "Змінити")
    await chat.send(person, "Б")
    await chat.send(person, "Б")
    assert chat.answers()[:2] == ["дуб", "береза"]
    assert "береза" in find_item(person, "слово 1").text
    await chat.send(person, "А")
    assert chat.answers()[-1] == "дуб"


async def test_of_two_that_were_opened_in_one_second_the_last_is_answered(chat: Chat, load: Load) -> None:
    """Then the other: no text is held up because Telegram's times are whole seconds."""
    load(*WORDS)
    person = await begin(chat)
    for _ in range(2):
        await chat.send(person, "А")
    for text in ("слово 1", "слово 2"):
        person.tap("Змінити", on=find_item(person, text))
    for update in chat.telegram.take():
        await chat.app.deliver(update)
    chat.now += timedelta(seconds=5)
    await chat.send(person, "Б")
    assert chat.answers() == ["дуб", "дуб", "береза"]
    marks = [find_item(person, text).text.startswith("✓") for text in ("слово 1", "слово 2")]
    assert marks == [False, True]
    await chat.send(person, "Б")
    assert chat.answers() == ["дуб", "дуб", "береза", "береза"]
    assert "береза" in find_item(person, "слово 1").text


@pytest.mark.parametrize("lost", ["DELETE FROM item_message", "UPDATE item_message SET asks_since = NULL"])
async def test_an_item_whose_message_is_not_known_is_shown_again(chat: Chat, load: Load, lost: str) -> None:
    """There is always a way on: the next text answers."""
    load(*WORDS)
    person = await begin(chat)
    with chat.database.transaction() as session:
        session.connection().exec_driver_sql(lost)
    await chat.send(person, "А")
    assert chat.answers() == []
    assert "слово 1" in person.messages[-1].text
    await chat.send(person, "А")
    assert chat.answers() == ["дуб"]


async def test_a_change_whose_message_is_not_known_holds_up_no_text(chat: Chat, load: Load) -> None:
    """The item in hand is shown again, and the next text answers that."""
    load(*WORDS)
    person = await begin(chat)
    await chat.send(person, "А")
    await tap(chat, person, "Змінити")
    with chat.database.transaction() as session:
        session.connection().exec_driver_sql("UPDATE item_message SET asks_since = NULL")
    await chat.send(person, "Б")
    assert chat.answers() == ["дуб"]
    assert "слово 2" in person.messages[-1].text
    await chat.send(person, "Б")
    assert chat.answers() == ["дуб", "береза"]
    assert "слово 3" in person.messages[-1].text
