"""The bot as a person meets it: one tap an item, nothing lost, never stuck."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from sqlmodel import select
from telegram import Update

from annotation.store import models
from bot import application
from bot.conversation import callbacks
from bot.conversation.texts import texts
from bot.emulator.request import LocalRequest

if TYPE_CHECKING:
    from bot.emulator.people import Person
    from tests.bot.conftest import Chat

Load = Callable[..., None]
TWO = (("кіт — собака", ["кіт", "собака"]), ("дуб — береза", ["дуб", "береза"]))


async def started(chat: Chat, load: Load, *items: tuple[str, list[str]]) -> Person:
    """Somebody who has joined and sees her first item."""
    load(*(items or TWO))
    person = chat.person()
    await chat.send(person, "/start")
    return person


async def test_a_person_joins_answers_and_is_thanked(chat: Chat, load: Load) -> None:
    """The whole path, screen by screen, in Ukrainian."""
    person = await started(chat, load)
    await chat.tap(person, "собака")
    await chat.tap(person, "дуб")
    assert [shown.text for shown in person.messages] == [
        texts("uk")("welcome"),
        "Нове завдання: Слова\n\nПорахуйте літери.",
        "✓ 1 · собака\n\nкіт — собака\n\nЯке слово довше?",
        "✓ 2 · дуб\n\nдуб — береза\n\nЯке слово довше?",
        "Поки що це все, дякуємо! Щоб перевірити, чи є нові запитання, надішліть /start.",
    ]
    assert person.toasts == ["Збережено", "Збережено"]
    assert chat.answers() == ["собака", "дуб"]


@pytest.mark.parametrize(
    ("language", "left", "thanks"),
    [
        ("uk", "1 · лишилося 2 запитання", "Поки що це все, дякуємо!"),
        ("en", "1 · 2 questions left", "That is all for now, thank you!"),
        ("ru", "1 · осталось 2 вопроса", "Пока это всё, спасибо!"),
        ("de", "1 · лишилося 2 запитання", "Поки що це все, дякуємо!"),
    ],
)
async def test_the_bot_speaks_the_language_of_the_person(
    chat: Chat, load: Load, language: str, left: str, thanks: str
) -> None:
    """Ukrainian, English and Russian by the person's own setting; Ukrainian for all others; items as they are."""
    load(*TWO)
    person = chat.person(5, language=language)
    await chat.send(person, "/start")
    assert person.messages[-1].text == f"{left}\n\nкіт — собака\n\nЯке слово довше?"
    await chat.tap(person, "собака")
    await chat.tap(person, "береза")
    assert person.messages[-1].text.startswith(thanks)


async def test_an_answer_is_saved_before_it_is_acknowledged(chat: Chat, load: Load) -> None:
    """Whichever call to Telegram fails after a tap, the answer is in the database."""
    person = await started(chat, load)
    chat.telegram.faults.fail("answerCallbackQuery", 400, "Bad Request: query is too old")
    await chat.tap(person, "собака")
    assert chat.answers() == ["собака"]
    assert person.messages[-1].text.startswith("2 ·")
    chat.telegram.faults.fail("editMessageText", 502, "Bad Gateway")
    await chat.tap(person, "дуб")
    assert chat.answers() == ["собака", "дуб"]


async def test_a_mark_that_cannot_be_made_does_not_hold_up_the_next_item(chat: Chat, load: Load) -> None:
    """Telegram fails while a saved answer is acknowledged: no alarm, the next item simply comes."""
    person = await started(chat, load)
    chat.telegram.faults.fail("answerCallbackQuery", 502, "Bad Gateway")
    chat.telegram.faults.fail("editMessageText", 429, retry_after=1)
    await chat.tap(person, "собака")
    assert chat.answers() == ["собака"]
    assert person.messages[-1].text.startswith("2 · ")


@pytest.mark.parametrize("named", [True, False])
async def test_a_tap_on_a_message_that_telegram_no_longer_shows_counts(chat: Chat, load: Load, named: bool) -> None:
    """An inaccessible message, or none at all, cannot be edited, but its button was tapped all the same."""
    person = await started(chat, load)
    shown = person.messages[-1]
    person.press(dict(shown.buttons)["собака"], on=shown, inaccessible=True)
    (update,) = chat.telegram.take()
    if not named:
        del update["callback_query"]["message"]
    await chat.app.process_update(Update.de_json(update, chat.app.bot))
    assert chat.answers() == ["собака"]
    assert person.messages[-1].text.startswith("2 · ")


async def test_a_failed_send_leaves_the_item_waiting(chat: Chat, load: Load) -> None:
    """When the next item cannot be sent, any message brings that same item."""
    person = await started(chat, load)
    chat.telegram.faults.fail("sendMessage", 502, "Bad Gateway")
    await chat.tap(person, "собака")
    assert "надішліть /start" in person.messages[-1].text
    await chat.send(person, "агов")
    assert person.messages[-1].text.startswith("2 · ")
    with chat.database.transaction() as session:
        assert len(session.exec(select(models.Assignment)).all()) == 2


async def test_a_double_tap_is_one_answer(chat: Chat, load: Load) -> None:
    """Two taps in a row on one button store one answer and bring one next item."""
    person = await started(chat, load)
    shown = person.messages[-1]
    data = dict(shown.buttons)["собака"]
    person.press(data, on=shown)
    person.press(data, on=shown)
    await chat.deliver()
    assert chat.answers() == ["собака"]
    assert [shown.text[:3] for shown in person.messages[-2:]] == ["✓ 1", "2 ·"]
    assert person.toasts[-1] == "Цю відповідь уже збережено"


async def test_taps_at_the_same_moment_are_one_answer(chat: Chat, load: Load) -> None:
    """Ten taps handled at once, on both options, leave exactly one answer."""
    person = await started(chat, load)
    shown = person.messages[-1]
    for _ in range(5):
        for _, data in shown.buttons:
            person.press(data, on=shown)
    updates = [Update.de_json(one, chat.app.bot) for one in chat.telegram.take()]
    await asyncio.gather(*(chat.app.process_update(update) for update in updates))
    assert len(chat.answers()) == 1


async def test_one_persons_updates_are_handled_one_at_a_time(chat: Chat) -> None:
    """Her second update waits for the first, however long that takes; another person's does not."""
    one, other = chat.person(1), chat.person(2)
    done: list[str] = []

    async def handle(name: str, *, seconds: float) -> None:
        await asyncio.sleep(seconds)
        done.append(name)

    for person in (one, one, other):
        person.send("hello")
    updates = [Update.de_json(update, chat.app.bot) for update in chat.telegram.take()]
    work = [handle("her first", seconds=0.05), handle("her second", seconds=0), handle("another's", seconds=0)]
    processor = application.OnePerPerson()
    await asyncio.gather(*map(processor.process_update, updates, work))
    assert done == ["another's", "her first", "her second"]


async def test_a_stale_tap_leads_to_the_live_item(chat: Chat, load: Load) -> None:
    """Another option of an item that is answered changes nothing and shows what waits."""
    person = await started(chat, load)
    first = person.messages[-1]
    other = dict(first.buttons)["кіт"]
    await chat.tap(person, "собака")
    person.press(other, on=first)
    await chat.deliver()
    assert chat.answers() == ["собака"]
    assert person.toasts[-1].startswith("Це запитання вже закрито")
    assert person.messages[-1].text.startswith("2 · ")


@pytest.mark.parametrize(
    "data", ["a:zz:0:0", "a:1:0:7", "a:1:5:0", "a:1:0:-1", "b:1:0:0", "", "a:1:0:0; DROP TABLE", "собака"]
)
async def test_a_forged_tap_changes_nothing(chat: Chat, load: Load, data: str) -> None:
    """Unknown assignments, options, revisions and nonsense are not stored; the live item is shown again."""
    person = await started(chat, load)
    person.press(data, on=person.messages[-1])
    await chat.deliver()
    assert chat.answers() == []
    assert person.messages[-1].text.startswith("1 · ")


async def test_a_tap_on_another_persons_item_changes_nothing(chat: Chat, load: Load) -> None:
    """A button copied from another chat is not hers to tap."""
    one = await started(chat, load)
    other = chat.person(2)
    await chat.send(other, "/start")
    other.press(one.messages[-1].buttons[0][1], on=other.messages[-1])
    await chat.deliver()
    assert chat.answers() == []


async def test_a_restart_resumes_the_same_item(chat: Chat, load: Load) -> None:
    """A new process on the same database knows the person, the item in her hands and its buttons."""
    person = await started(chat, load)
    await chat.tap(person, "собака")
    before = person.messages[-1]
    again = application.build(
        token=chat.telegram.token,
        database=chat.database,
        key=b"k" * 32,
        request=LocalRequest(chat.telegram),
        clock=lambda: chat.now,
    )
    chat.app = again
    async with again:
        await chat.send(person, "/start")
        assert (person.messages[-1].text, person.messages[-1].buttons) == (before.text, before.buttons)
        await chat.tap(person, "дуб")
    application.close(again)
    assert chat.answers() == ["собака", "дуб"]


async def test_every_sign_reaches_the_screen_as_it_is(chat: Chat, load: Load) -> None:
    """Markup in items and options is shown, not obeyed."""
    nasty = ("<b>5 < 7 & 7 > 5</b> «😀» \u202eabc", ["<i>так</i>", "a & b"])
    person = await started(chat, load, nasty)
    assert nasty[0] in person.messages[-1].text
    await chat.tap(person, "<i>так</i>")
    assert any("✓ 1 · <i>так</i>" in shown.text for shown in person.messages)
    assert chat.answers() == ["<i>так</i>"]


async def test_long_options_stand_in_full_with_letters(chat: Chat, load: Load) -> None:
    """Options too long for a button are listed in the message; the buttons carry letters."""
    options = ["дуже довга перша відповідь, яка не вміщується", "друга"]
    person = await started(chat, load, ("Що?", options))
    assert f"А) {options[0]}\nБ) друга" in person.messages[-1].text
    assert [label for label, _ in person.messages[-1].buttons] == ["А", "Б"]
    await chat.tap(person, "А")
    assert chat.answers() == [options[0]]


async def test_more_options_than_letters_are_numbered(chat: Chat, load: Load) -> None:
    """Thirty long options stand in full, and every number is a button that works."""
    options = [f"досить довга відповідь номер {number}" for number in range(1, 31)]
    person = await started(chat, load, ("Що?", options))
    assert [label for label, _ in person.messages[-1].buttons] == [str(number) for number in range(1, 31)]
    assert f"30) {options[-1]}" in person.messages[-1].text
    await chat.tap(person, "30")
    assert chat.answers() == [options[-1]]


async def test_a_database_that_fails_says_nothing_of_a_person(
    chat: Chat, load: Load, caplog: pytest.LogCaptureFixture
) -> None:
    """When a write fails, neither her id nor her answer reaches the log, and she is told what is safe."""
    load(*TWO)
    person = chat.person(987654321)
    await chat.send(person, "/start")
    with chat.database.transaction() as session:
        refuse = "CREATE TRIGGER no BEFORE INSERT ON judgement BEGIN SELECT RAISE(ABORT, 'no'); END"
        session.connection().exec_driver_sql(refuse)
    await chat.tap(person, "собака")
    assert "Усі відповіді з позначкою ✓ збережено" in person.messages[-1].text
    assert "987654321" not in caplog.text
    assert "собака" not in caplog.text


async def test_the_words_of_a_driver_stay_out_of_the_log(
    chat: Chat, load: Load, caplog: pytest.LogCaptureFixture
) -> None:
    """PostgreSQL quotes the row that it refuses in the message itself; the log names the error and its lines alone."""
    load(*TWO)
    with chat.database.transaction() as session:
        quote = "CREATE TRIGGER no BEFORE INSERT ON annotator BEGIN SELECT RAISE(ABORT, 'Key (987654321) exists'); END"
        session.connection().exec_driver_sql(quote)
    person = chat.person(987654321)
    await chat.send(person, "/start")
    assert person.messages[-1].text.rsplit(" ", 1)[-1] in caplog.text
    assert "IntegrityError" in caplog.text
    assert "987654321" not in caplog.text


async def test_a_text_of_ten_thousand_signs_arrives_whole(chat: Chat, load: Load) -> None:
    """A long item comes in several messages of at most 4,096 signs, the buttons under the last one."""
    long = " ".join(f"слово{number}" for number in range(1200))
    person = await started(chat, load, (long, ["так", "ні"]))
    parts = [shown for shown in person.messages if "слово" in shown.text]
    assert len(parts) > 2
    assert all(len(shown.text) <= 4096 for shown in parts)
    assert [word for shown in parts for word in shown.text.split() if word.startswith("слово")][:1200] == long.split()
    assert [bool(shown.buttons) for shown in parts] == [False] * (len(parts) - 1) + [True]


async def test_a_person_who_blocked_the_bot_breaks_nothing(chat: Chat, load: Load) -> None:
    """The refusal is swallowed, and her item waits for her return."""
    person = await started(chat, load)
    person.tap("собака")
    person.block()
    await chat.deliver()
    await chat.send(person, "/start")
    assert person.messages[-1].text.startswith("2 · ")


async def test_messages_cannot_be_forwarded(chat: Chat, load: Load) -> None:
    """Items of a benchmark are protected, and arrive without a sound."""
    person = await started(chat, load)
    assert {(message.protected, message.silent) for message in person.messages} == {(True, True)}


async def test_no_log_line_names_a_person(chat: Chat, load: Load, caplog: pytest.LogCaptureFixture) -> None:
    """Something breaks: the person gets a code, the log the same code, and neither name nor id of hers."""
    load(*TWO)
    person = chat.person(987654321)
    chat.telegram.faults.fail("sendMessage", 400, "Bad Request: chat not found")
    await chat.send(person, "/start")
    code = person.messages[-1].text.rsplit(" ", 1)[-1]
    assert code in caplog.text
    assert "987654321" not in caplog.text
    assert "Person" not in caplog.text


@pytest.mark.parametrize("tap", [callbacks.Tap(1, 0, 0), callbacks.Tap(2**62, 9999, 999), callbacks.Tap(35, 0, 12)])
def test_a_tap_fits_a_button_and_comes_back(tap: callbacks.Tap) -> None:
    """Encoding and decoding agree, within 64 bytes."""
    assert callbacks.decode(callbacks.encode(tap)) == tap
    assert len(callbacks.encode(tap).encode()) <= callbacks.MOST_BYTES
