"""Texts that Telegram's apps send in several messages: joined, or refused as a whole; no part is ever the answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import select

from annotation.errors import BadInput
from annotation.store import database, models, queries
from annotation.store.models import SupportMessage
from annotation.workflow.lifecycle import projects, transitions
from bot.delivery.workers import PART_SECONDS
from bot.emulator.scripted_people import ScriptedPerson
from tests.bot.conftest import NOW, Chat, in_file_order

PROJECT = """\
project: texts
title: Тексти
language: uk
instructions: Напишіть.
items: {{file: texts.jsonl, id: id, show: text}}
overlap: 3
{question}
"""
TEXT = "question: {type: text, text: Опишіть., longest: 4000}"
WORDS = "-".join(f"слово{number}" for number in range(2000))
LONG = WORDS[:5400]
"""A text of two messages."""

Load = Callable[..., None]


@pytest.fixture
def load_texts(db: database.Database, tmp_path: Path) -> Load:
    """Loads and starts a project of two items with this question."""

    def loaded(question: str = TEXT, text: str = "Море") -> None:
        rows = [json.dumps({"id": str(number), "text": f"{text} {number}"}, ensure_ascii=False) for number in (1, 2)]
        (tmp_path / "texts.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
        (tmp_path / "texts.yaml").write_text(PROJECT.format(question=question), "utf-8")
        with db.transaction() as session:
            projects.load_project_file(session, tmp_path / "texts.yaml", now=NOW)
            in_file_order(session)
            transitions.start_project(session, project=queries.get_project(session, "texts"), now=NOW)

    return loaded


async def begin(chat: Chat, number: int = 1) -> ScriptedPerson:
    """Somebody with the first item on the screen."""
    person = chat.person(number)
    await chat.send(person, "/start")
    await chat.tap(person, "Українська")
    await chat.tap(person, "Почати")
    return person


async def receive_all(chat: Chat, *, together: bool) -> None:
    """Bring what was sent to the bot, in one batch as by polling, or one by one as to a webhook."""
    updates = chat.telegram.take()
    for batch in [updates] if together else [[update] for update in updates]:
        await chat.app.deliver(*batch)


async def wait_for_more(chat: Chat) -> None:
    """Let the time pass in which another part of a text could come."""
    chat.now += timedelta(seconds=PART_SECONDS)
    await chat.app.sweeper.sweep_once()
    await chat.app.workers.wait_until_idle()


def list_new(person: ScriptedPerson, shown: int) -> list[str]:
    """The texts of the messages that the bot has sent since."""
    return [message.text.replace("\u00a0", "") for message in person.messages[shown:]]


def has_offer(person: ScriptedPerson) -> bool:
    """Whether a text can be saved now."""
    return any("Зберегти" in dict(message.buttons) for message in person.messages)


@pytest.mark.parametrize("together", [True, False], ids=["polling", "webhook"])
@pytest.mark.parametrize("length", [5400, 8192, 12_000], ids=["two parts", "two full parts", "three parts"])
async def test_a_text_that_is_too_long_is_refused_as_a_whole(
    chat: Chat, load_texts: Load, *, length: int, together: bool
) -> None:
    """Once, with the length of all of it; nothing is offered, and a short text is taken after it."""
    load_texts()
    person = await begin(chat)
    shown = len(person.messages)
    person.send(WORDS[:length])
    await receive_all(chat, together=together)
    await wait_for_more(chat)
    [refusal] = list_new(person, shown)
    assert refusal.startswith(f"Забагато: {length} знак")
    assert not has_offer(person)
    chat.now += timedelta(seconds=2)
    await chat.send(person, "Синє.")
    await chat.tap(person, "Зберегти")
    assert chat.answers() == ["Синє."]


async def test_parts_that_an_app_cuts_between_paragraphs_are_joined(chat: Chat, load_texts: Load) -> None:
    """The first is far from full, so that it would be a text of its own."""
    load_texts()
    person = await begin(chat)
    person.send(WORDS[:2500])
    person.send(WORDS[2500:5000])
    shown = len(person.messages)
    await receive_all(chat, together=False)
    assert list_new(person, shown) == []
    await wait_for_more(chat)
    assert [text[:14] for text in list_new(person, shown)] == ["Забагато: 5001"]
    assert not has_offer(person)


async def test_a_text_of_wide_characters_is_joined_and_saved(chat: Chat, load_texts: Load) -> None:
    """3,000 characters of two units come in two messages, and are few enough for the question; edits change no half."""
    load_texts()
    person = await begin(chat)
    text = "🌊" * 3000
    sent = person.send(text)
    await receive_all(chat, together=False)
    await chat.tap(person, "Зберегти")
    assert chat.answers() == [text]
    person.edit(sent, "Інше.")
    await chat.deliver()
    assert chat.answers() == [text]


async def test_a_long_text_that_is_whole_is_offered_after_a_moment(chat: Chat, load_texts: Load) -> None:
    """Nothing is said before; over a restart in between, too."""
    load_texts()
    person = await begin(chat)
    shown = len(person.messages)
    person.send(WORDS[:3000])
    await receive_all(chat, together=True)
    assert list_new(person, shown) == []
    async with chat.restarted():
        await chat.app.recover()
        await chat.app.workers.wait_until_idle()
        assert list_new(person, shown) == []
        await wait_for_more(chat)
        await chat.tap(person, "Зберегти")
    assert chat.answers() == [WORDS[:3000]]


async def test_parts_are_joined_over_a_restart(chat: Chat, load_texts: Load) -> None:
    """The first was stored by a process that ended; its rest comes to the next one, however long that took to start."""
    load_texts()
    person = await begin(chat)
    shown = len(person.messages)
    person.send(LONG)
    first, rest = chat.telegram.take()
    await chat.app.workers.receive_updates([first])
    await chat.app.workers.wait_until_idle()
    chat.now += timedelta(minutes=3)
    async with chat.restarted():
        await chat.app.recover()
        await chat.app.workers.wait_until_idle()
        assert list_new(person, shown) == []
        await chat.app.deliver(rest)
        assert [text[:14] for text in list_new(person, shown)] == ["Забагато: 5400"]
    assert not has_offer(person)


async def test_a_text_waits_for_its_rest_by_itself(chat: Chat, load_texts: Load) -> None:
    """Without a sweep: a timer of the process."""
    load_texts()
    person = await begin(chat)
    person.send(WORDS[:3000])
    await receive_all(chat, together=True)
    chat.now += timedelta(seconds=PART_SECONDS)
    timer = chat.app.workers._awaiting[1]
    assert timer.when() - asyncio.get_running_loop().time() <= PART_SECONDS
    timer._run()
    await chat.app.workers.wait_until_idle()
    assert has_offer(person)


@pytest.mark.parametrize("length", [2500, 4096])
async def test_a_rest_that_comes_late_takes_the_offer_back(chat: Chat, load_texts: Load, length: int) -> None:
    """Its beginning was handled already: no half of the text can be saved, and what is asked is shown again."""
    load_texts(TEXT.replace("4000", "4096"))
    person = await begin(chat)
    person.send(WORDS[:length])
    person.send(WORDS[length : length + 2000])
    first, rest = chat.telegram.take()
    await chat.app.deliver(first)
    await wait_for_more(chat)
    assert has_offer(person)
    shown = len(person.messages)
    await chat.app.deliver(rest)
    assert list_new(person, shown)[0].startswith("Решта вашого довгого тексту надійшла запізно")
    assert not has_offer(person)
    await wait_for_more(chat)
    await chat.send(person, "зберегти")
    assert chat.answers() == []
    await chat.tap(person, "Це моя відповідь")
    assert chat.answers() == ["зберегти"]


async def test_a_late_rest_of_a_reply_leaves_the_answer_as_it_was(chat: Chat, load_texts: Load) -> None:
    """The item that was opened for it is closed again, and no later text changes it."""
    load_texts()
    person = await begin(chat)
    await chat.send(person, "Синє.")
    await chat.tap(person, "Зберегти")
    item = next(message for message in person.messages if "Змінити" in dict(message.buttons))
    person.send("🌊" * 3000, reply_to=item)
    first, rest = chat.telegram.take()
    await chat.app.deliver(first)
    await wait_for_more(chat)
    assert has_offer(person)
    await chat.app.deliver(rest)
    assert not has_offer(person)
    chat.now += timedelta(seconds=5)
    await chat.send(person, "Зелене.")
    await chat.tap(person, "Зберегти")
    assert chat.answers() == ["Синє.", "Зелене."]
    with chat.database.transaction() as session:
        assert len({one.assignment_id for one in session.exec(select(models.Judgement)).all()}) == 2


async def test_a_text_of_its_own_is_no_rest(chat: Chat, load_texts: Load) -> None:
    """What would have fitted beside the other, what comes much later, a command, and a reply to something else."""
    load_texts()
    person = await begin(chat)
    person.send(WORDS[:3000])
    await receive_all(chat, together=True)
    await wait_for_more(chat)
    chat.now += timedelta(seconds=1)
    await chat.send(person, "Синє.")
    assert "Синє." in person.messages[-1].text
    person.send(WORDS[:4096])
    person.send("/help")
    await receive_all(chat, together=True)
    assert any(text.startswith("Забагато: 4096") for text in list_new(person, 0)[-3:])
    assert "/pause" in person.messages[-1].text
    person.send(WORDS[:4000])
    await receive_all(chat, together=True)
    await wait_for_more(chat)
    chat.now += timedelta(seconds=6)
    await chat.send(person, "Зелене, а далі ще й синє, бо так воно є, і хвилі там високі." * 3)
    await chat.tap(person, "Зберегти")
    assert [answer[:7] for answer in chat.answers()] == ["Зелене,"]


async def test_a_long_reply_to_an_answered_item_changes_it_as_a_whole(chat: Chat, load_texts: Load) -> None:
    """Each part replies to the item."""
    load_texts()
    person = await begin(chat)
    await chat.send(person, "Синє.")
    await chat.tap(person, "Зберегти")
    item = next(message for message in person.messages if "Змінити" in dict(message.buttons))
    shown = len(person.messages)
    person.send("🌊" * 2500, reply_to=item)
    await receive_all(chat, together=False)
    assert "🌊" in "".join(list_new(person, shown))
    await chat.tap(person, "Зберегти")
    assert chat.answers() == ["Синє.", "🌊" * 2500]


async def test_a_long_question_to_the_organisers_is_one(chat: Chat, load_texts: Load) -> None:
    """Refused where it is too long, and none of it is an answer to the item."""
    load_texts()
    person = await begin(chat)
    await chat.send(person, "/ask")
    shown = len(person.messages)
    person.send(LONG)
    await receive_all(chat, together=False)
    assert [text[:32] for text in list_new(person, shown)] == ["Запитання порожнє або задовге. Н"]
    with chat.database.transaction() as session:
        assert session.exec(select(SupportMessage)).all() == []
    assert not has_offer(person)


async def test_a_long_paragraph_of_a_correction_is_refused_as_a_whole(chat: Chat, load_texts: Load) -> None:
    """The paragraph stays as it was."""
    load_texts("question: {type: edit, text: Виправте., field: text}", text=WORDS[:2900])
    person = await begin(chat)
    shown = len(person.messages)
    person.send(LONG)
    await receive_all(chat, together=False)
    assert list_new(person, shown) == [
        "Для одного абзацу це задовго. Надішліть, будь ласка, коротше, одним повідомленням."
    ]
    await chat.send(person, "Без змін")
    await chat.tap(person, "Зберегти")
    assert [answer[:2900] for answer in chat.answers()] == [f"{WORDS[:2900]} 1"[:2900]]


async def test_both_parts_are_marked_as_handled(chat: Chat, load_texts: Load) -> None:
    """So that neither comes again, and nothing of them stays."""
    load_texts()
    person = await begin(chat)
    person.send(LONG)
    await receive_all(chat, together=True)
    with chat.database.transaction() as session:
        waiting = sa.text("SELECT count(*) FROM inbox WHERE done_at IS NULL OR payload IS NOT NULL")
        assert session.connection().execute(waiting).scalar_one() == 0
        assert session.exec(select(models.Judgement)).all() == []


def test_a_longest_that_no_message_carries_is_refused(load_texts: Load) -> None:
    """With what is carried; one that is imported, or corrected by paragraphs, may be longer."""
    with pytest.raises(BadInput, match=r"longest: No message carries 5000 characters.* Write 4096 or less\."):
        load_texts(TEXT.replace("4000", "5000"))
    load_texts(TEXT.replace("4000", "4096"))
