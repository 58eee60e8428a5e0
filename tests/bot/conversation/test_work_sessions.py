"""Sessions of 10, 20 and 40 items: chosen on the task card, by a command and at the end of one, which is a card."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlmodel import col, select

from annotation.store import models
from annotation.vocabulary import AssignmentStatus
from annotation.workflow.annotators import roster

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
ROWS = [
    {"id": str(number), "text": f"слово {number}", "options": ["так", "ні"], "gold": "так"} for number in range(1, 61)
]
ATTESTATION = "attestation: {text: Що допомагало?, options: [ніщо, словник]}"
BUTTONS = "[Ще 10 | 20 | 40]\n[Нагадати завтра]\n[Далі]"


def begin(chat: Chat, *, label: str = "Лише 10") -> None:
    """Through language and card to the first item of a session."""
    chat.say("/start")
    chat.tap("Українська")
    chat.tap(label)


def answer(chat: Chat, number: int, *, seconds: int = 4) -> list[str]:
    """So many answers, each so many seconds after the item came; the messages after the last."""
    shown: list[str] = []
    for _ in range(number):
        chat.now += timedelta(seconds=seconds - 1)
        shown = chat.tap("А")
    return shown


def count_live(chat: Chat) -> int:
    """How many items somebody holds."""
    with chat.db.transaction() as session:
        return len(
            session.exec(
                select(models.Assignment.id).where(col(models.Assignment.status) == AssignmentStatus.LIVE)
            ).all()
        )


def test_a_session_is_chosen_beside_the_beginning(chat: Chat, load: Load) -> None:
    """One tap begins without end, another with one; the card is read either way."""
    load(ROWS)
    chat.say("/start")
    assert chat.tap("Українська")[-1].endswith("[Почати]\n[Лише 10 | 20 | 40]")
    card = chat.last
    assert chat.tap("20")[-1].startswith("1\n\nслово 1")
    assert chat.toasts[-1] == "20 завдань, а тоді підсумок"
    assert not next(shown for shown in chat.screens if shown.message_id == card.message_id).buttons
    assert chat.say("/start")[-1].startswith("1\n\nслово 1")


def test_after_the_last_item_there_is_a_card_instead_of_the_next(chat: Chat, load: Load) -> None:
    """How many, how long, the median, one's own progress, what is left together; nobody holds an item then."""
    load(ROWS, more="reward: {countdown: yes, emoji: none}")
    begin(chat)
    answer(chat, 9, seconds=20)
    [card] = answer(chat, 1, seconds=400)
    assert card == (
        "🏁 10 завдань за 10 хв\nЗдебільшого 20 с на завдання.\n\n"
        "▸ Слова — 10\u00a0з\u00a060\n\n"
        f"Сьогодні: 10 · загалом: 10\nУсі разом: 10 з 180, з них ваших — 10\n{BUTTONS}"
    )
    assert count_live(chat) == 0
    assert "правильн" not in card


@pytest.mark.parametrize("way_on", ["/start", "що далі?", "/projects", "[Далі]", "так"])
def test_whatever_one_does_goes_on_from_the_card(chat: Chat, load: Load, way_on: str) -> None:
    """Without end then: after ten more comes no card."""
    load(ROWS)
    begin(chat)
    answer(chat, 10)
    shown = chat.tap(way_on.strip("[]")) if way_on.startswith("[") else chat.say(way_on)
    assert shown[-1].startswith("11\n\nслово 11")
    assert answer(chat, 10)[-1].startswith("21\n\n")


@pytest.mark.parametrize("typed", [False, True])
def test_ten_more_are_ten_more(chat: Chat, load: Load, typed: bool) -> None:
    """By a tap or by the number; the buttons of the card go."""
    load(ROWS)
    begin(chat)
    answer(chat, 10)
    card = chat.last
    shown = chat.say("10") if typed else chat.tap("Ще 10")
    assert shown[-1].startswith("11\n\nслово 11")
    assert not next(one for one in chat.screens if one.message_id == card.message_id).buttons
    assert answer(chat, 9)[-1].startswith("20\n\n")
    assert answer(chat, 1)[-1].startswith("🏁 10 завдань")


@pytest.mark.parametrize("word", ["досить", "ні", "/pause"])
def test_enough_is_a_pause(chat: Chat, load: Load, word: str) -> None:
    """It has the same card, and the way back."""
    load(ROWS)
    begin(chat)
    answer(chat, 10)
    assert chat.say(word) == [
        "Пауза. Усе збережено.\n\n▸ Слова — 10\u00a0з\u00a060\n\nСьогодні: 10 · загалом: 10\n[Нагадати завтра]\n[Далі]"
    ]
    assert chat.tap("Далі")[-1].startswith("11\n\nслово 11")


def test_skips_count_and_changes_do_not(chat: Chat, load: Load) -> None:
    """A skip that is taken back and answered is one item."""
    load(ROWS)
    begin(chat)
    chat.tap("Пропустити")
    chat.tap("Не знаю")
    chat.tap("Повернути")
    chat.tap("А", on=chat.screens[-2])
    answer(chat, 4)
    chat.tap("Змінити")
    chat.tap("Б", on=chat.screens[-2])
    assert answer(chat, 4)[-1].startswith("10\n\n")
    assert answer(chat, 1)[-1].startswith("🏁 10 завдань")


def test_the_last_answer_can_be_changed_from_the_card(chat: Chat, load: Load) -> None:
    """The card stays, and what is typed after it goes on all the same."""
    load(ROWS)
    begin(chat)
    answer(chat, 10)
    assert chat.tap("Змінити") == []
    assert chat.tap("Б", on=chat.screens[-2]) == []
    assert chat.answers()[-2:] == ["так", "ні"]
    assert chat.last.text.startswith("🏁 10 завдань")
    assert chat.tap("20")[-1].startswith("11\n\nслово 11")


def test_the_attestation_comes_before_the_card(chat: Chat, load: Load) -> None:
    """The card follows the answer, with the whole session; an unanswered one is asked again after the next item."""
    load(ROWS, more=ATTESTATION)
    begin(chat)
    assert answer(chat, 10) == ["І наостанок, коротко:\n\nЩо допомагало?\n[ніщо | словник]"]
    [card] = chat.tap("словник")
    assert card.startswith("🏁 10 завдань")
    assert card.endswith(BUTTONS)
    assert chat.tap("Ще 10")[-1].startswith("11\n\n")
    answer(chat, 10)
    assert chat.say("ніщо")[0] == "✓ ніщо"
    assert chat.last.text.startswith("🏁 10 завдань")
    with chat.db.transaction() as session:
        assert session.exec(select(models.Attestation.used)).all() == ["ніщо"]


@pytest.mark.parametrize("typed", ["так", "Yes", "да", "Так, напишіть"])
def test_a_yes_takes_the_offer_to_write(chat: Chat, load: Load, typed: str) -> None:
    """By its label, or by a word for yes."""
    load(ROWS[:1])
    chat.begin()
    assert "Написати вам один раз" in answer(chat, 1)[-1]
    assert chat.say(typed)[-1].startswith("Де ви зараз?")


def test_whoever_does_everything_in_one_go_attests_it_before_the_end(chat: Chat, load: Load) -> None:
    """Every way in asks it again until it is answered; then come 🏁 and thanks, and it is not asked any more."""
    load(ROWS[:3], more=ATTESTATION)
    chat.begin()
    question = answer(chat, 3)[-1]
    assert question == "І наостанок, коротко:\n\nЩо допомагало?\n[ніщо | словник]"
    assert chat.say("/start")[-1] == question
    [end] = chat.tap("словник")
    assert end.startswith(
        "🏁 Це все, що було для вас. Дякуємо!\n\n✓ Слова — 3\u00a0з\u00a03\n\nСьогодні: 3 · загалом: 3"
    )
    assert chat.say("Так, напишіть")[-1].startswith("Де ви зараз?")
    assert "Що допомагало" not in chat.say("/start")[-1]


def test_whoever_is_suspended_is_asked_nothing_more(chat: Chat, load: Load) -> None:
    """They are told that they are suspended, and that is all."""
    load(ROWS[:3], more=ATTESTATION)
    chat.begin()
    answer(chat, 2)
    with chat.db.transaction() as session:
        annotator = session.exec(select(models.Annotator)).one()
        roster.suspend_annotator(session, annotator=annotator, reason="haste", now=chat.now)
    [told] = chat.say("/start")
    assert told.startswith("Організатори призупинили вашу участь.")


def test_a_session_is_chosen_by_a_command_too(chat: Chat, load: Load) -> None:
    """Under way it says how far, and another choice begins anew; a pause ends it."""
    load(ROWS)
    chat.begin()
    [question] = chat.say("/session")
    assert question.startswith("Скільки завдань зробите зараз?")
    assert chat.last.labels == ["10 | 20 | 40", "Без обмеження"]
    assert chat.tap("10")[-1].startswith("1\n\nслово 1")
    answer(chat, 3)
    assert chat.say("/session")[-1].startswith("Цього разу вже 3 з 10.\n\n")
    assert chat.say("20")[-1].startswith("4\n\nслово 4")
    assert answer(chat, 19)[-1].startswith("23\n\n")
    assert answer(chat, 1)[-1].startswith("🏁 20 завдань")
    chat.tap("Ще 10")
    answer(chat, 5)
    chat.say("/pause")
    chat.say("/start")
    assert answer(chat, 6)[-1].startswith("35\n\n")


def test_a_repeated_tap_begins_nothing_anew(chat: Chat, load: Load) -> None:
    """A forged size is refused, and so is one for a project that is not there."""
    load(ROWS)
    chat.say("/start")
    chat.tap("Українська")
    card = chat.last
    data = [button.data for button in card.buttons[1]]
    chat.press(data[0], on=card)
    answer(chat, 1)
    chat.press(data[0], on=card)
    assert [one for one in answer(chat, 10) if one.startswith("🏁 10")]
    for forged in ("E:0:3:", "E:0::", "E:zzz:a:abc"):
        chat.press(forged)
        assert chat.toasts[-1] == "Цього вже не питаємо. Ось де ви зараз."


def test_the_last_item_of_all_has_the_end_of_the_project(chat: Chat, load: Load) -> None:
    """Ten of ten: the card comes, and what goes on says that it is all; five that are left are no session of ten."""
    load(ROWS[:10])
    begin(chat)
    assert answer(chat, 10)[-1].endswith("\n[Нагадати завтра]\n[Далі]")
    assert chat.tap("Далі")[-1].startswith("🏁 Це все, що було для вас. Дякуємо!")
    load([row | {"id": f"more {row['id']}"} for row in ROWS[:5]], name="more", title="Ще")
    chat.say("/start")
    assert chat.tap("А")[-1].endswith("\n[Почати]")
    assert chat.say("/session")[-1].endswith("\n[Без обмеження]")
    chat.tap("Без обмеження")
    chat.tap("Почати")
    assert answer(chat, 5)[-1].startswith("🏁 Це все, що було для вас. Дякуємо!")


def test_breaks_and_the_night_are_told_in_a_session_too(chat: Chat, load: Load) -> None:
    """Below the answer, once; the card follows."""
    load(ROWS)
    begin(chat)
    answer(chat, 9, seconds=160)
    assert "☕" not in "".join(chat.seen)
    [card] = answer(chat, 1, seconds=120)
    assert "☕ Ви працюєте вже 26 хв." in chat.screens[-2].text
    assert card.startswith("🏁 10 завдань за 26 хв\nЗдебільшого 3 хв на завдання.")
    with chat.db.transaction() as session:
        annotator = session.exec(select(models.Annotator)).one()
        annotator.time_zone = "Europe/Kyiv"
        session.add(annotator)
    chat.now = chat.now.replace(hour=20, minute=55)
    chat.tap("Ще 10")
    answer(chat, 2, seconds=200)
    assert "🌙 Уже пізно." in chat.screens[-2].text
    answer(chat, 8)
    assert sum("🌙" in one for one in chat.seen) == 1
    assert chat.last.text.startswith("🏁 10 завдань")


def test_both_passes_of_an_item_are_one(chat: Chat, load: Load) -> None:
    """The card comes after the second pass of the last item."""
    steps = (
        "questions:\n- {name: first, type: choice, text: Так?, options: [так, ні]}\n"
        "- {name: second, type: choice, text: Чому?, options: [отак, інак], step: 2, required: no}\n"
    )
    items = "{{file: {name}.jsonl, id: id, show: text, gold: gold}}"
    load([{**row, "options": None} for row in ROWS], items=items, more=steps)
    begin(chat)
    for _ in range(19):
        chat.tap("А")
    assert not chat.last.text.startswith("🏁")
    chat.tap("А")
    assert chat.last.text.startswith("🏁 10 завдань")
