"""Span questions in the chat: whatever is tapped and typed, what is stored is what stood on the screen."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from sqlmodel import col, select

from annotation.store.models import Judgement

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
TEXT = (
    "Першу частину «Енеїди» видали 1798 р. у Петербурзі. Її автор — Іван Котляревський, п'ять-шість 🦊 лисів.\n\n"
    + " ".join(f"слово{number}," for number in range(90))
    + " і кінець… Та ні! Кіт і кіт."
)
QUESTION = "{{type: span, text: 'Що?', field: text, most: {most}{more}}}"
ITEMS = "{{file: {name}.jsonl, id: id, show: text}}"
TYPED = (
    "кіт",
    "КІТ",
    "слово3",
    "і",
    "1798",
    "2",
    "40",
    "Зберегти",
    "Назад",
    "нема такого",
    "слово88, слово89, і кінець",
)
SERVICE = ("Пропустити", "Є проблема", "Запитати", "Завдання", "Пауза")


def begin(chat: Chat, load: Load, *, most: int = 1, more: str = "", text: str = TEXT, n: int = 1) -> None:
    """The first item on the screen."""
    rows = [{"id": str(number), "text": text} for number in range(n)]
    load(rows, question=QUESTION.format(most=most, more=more), items=ITEMS)
    chat.begin()


def read_stored(chat: Chat) -> list[str]:
    """The texts of the stored parts of the newest answer, which must stand in the text where it says."""
    with chat.db.transaction() as session:
        answer = session.exec(select(Judgement).order_by(col(Judgement.id).desc())).first()
    assert answer is not None
    spans = json.loads(answer.response)
    assert all(TEXT[span["start"] : span["end"]] == span["text"] for span in spans)
    return [span["text"] for span in spans]


@pytest.mark.parametrize("seed", range(12))
def test_what_is_saved_is_what_stood_on_the_screen(chat: Chat, load: Load, seed: int) -> None:
    """Random taps and texts, old buttons among them, up to Save."""
    chance = random.Random(seed)  # noqa: S311
    begin(chat, load, most=1 + seed % 3)
    for _ in range(60):
        live = [screen for screen in chat.screens if screen.buttons]
        shown = live[-1]
        offered = [button for row in shown.buttons for button in row if button.label not in SERVICE]
        assert offered, "there is no way on"
        action = chance.random()
        before = str(shown)
        if action < 0.25:
            typed = chance.choice(TYPED)
            chat.say(typed)
        elif action < 0.35:
            old = chance.choice(live)
            chat.press(chance.choice([button for row in old.buttons for button in row][:-5] or offered).data, on=old)
            typed = ""
        else:
            button = chance.choice(offered)
            typed = button.label
            chat.press(button.data, on=shown)
        if chat.answers():
            assert typed in {"Зберегти", ""}
            text = before.replace("…", "")
            assert all(
                f"[{part}]" in before or f"«{part}»" in before or len(part) > 100 for part in read_stored(chat)
            ), text
            return
    assert chat.answers() == []


def test_a_button_of_an_earlier_screen_changes_nothing(chat: Chat, load: Load) -> None:
    """A second tap on the same button neither: the toast says that the screen has changed."""
    begin(chat, load)
    chat.say("Петербурзі")
    screen = chat.last
    more = next(button for row in screen.buttons for button in row if button.label == "+ слово →")
    save = next(button for row in screen.buttons for button in row if button.label == "Зберегти")
    chat.press(more.data, on=screen)
    assert "[Петербурзі. Її]" in chat.last.text
    for old in more, save:
        chat.press(old.data, on=screen)
        assert chat.toasts[-1] == "Екран уже змінився. Торкніться ще раз."
    assert "[Петербурзі. Її]" in chat.last.text
    assert chat.answers() == []
    chat.tap("Зберегти")
    assert read_stored(chat) == ["Петербурзі. Її"]


def test_a_stored_part_is_changed_from_where_it_is(chat: Chat, load: Load) -> None:
    """An undo shows the stored part, which is moved and saved as a revision; keeping it keeps it."""
    begin(chat, load)
    chat.say("Іван")
    chat.tap("Зберегти")
    chat.tap("Змінити")
    assert "[Іван]" in "\n".join(screen.text for screen in chat.screens if screen.buttons)
    chat.tap("+ слово →")
    chat.tap("Зберегти")
    assert read_stored(chat) == ["Іван Котляревський"]
    chat.tap("Змінити")
    chat.tap("Залишити як було")
    assert len(chat.answers()) == 2


def test_a_message_that_is_edited_quotes_another_part(chat: Chat, load: Load) -> None:
    """Before it is saved, what the message says now is shown."""
    begin(chat, load)
    chat.say("Іван", message_id=900)
    chat.give(kind="edited", text="Котляревський", message_id=900)
    assert "[Котляревський]" in chat.last.text
    chat.tap("Зберегти")
    assert read_stored(chat) == ["Котляревський"]


@pytest.mark.parametrize(("yes", "no"), [("Так.", "ні"), ("yes", "No"), ("да", "нет")])
def test_yes_saves_what_stands_there_and_no_chooses_anew(chat: Chat, load: Load, yes: str, no: str) -> None:
    """The screen asks whether all is right."""
    begin(chat, load)
    chat.say("Іван")
    chat.say(no)
    assert "[Іван]" not in chat.last.text
    assert chat.answers() == []
    chat.say("Котляревський")
    chat.say(yes)
    assert read_stored(chat) == ["Котляревський"]


def test_no_answer_where_the_question_has_one(chat: Chat, load: Load) -> None:
    """By its button, or typed; not once something is chosen."""
    begin(chat, load, more=", none: ніде", n=2)
    chat.say("Ніде")
    chat.say("Іван")
    assert "ніде" not in str(chat.last)
    chat.tap("Вибрати інше")
    chat.tap("ніде")
    with chat.db.transaction() as session:
        assert session.exec(select(Judgement.response)).all() == ["[]", "[]"]


def test_a_text_without_words_can_be_skipped(chat: Chat, load: Load) -> None:
    """Nothing can be marked there, and the screen says so."""
    begin(chat, load, text="— … —")
    assert "Тут немає слів" in chat.last.text
    assert chat.last.labels[0] == "Пропустити | ⋯"


@pytest.mark.parametrize("end", ["", " ", "\n"])
def test_the_text_to_mark_is_folded_above_it(chat: Chat, load: Load, end: str) -> None:
    """It stands in the question too, whatever blanks it ends with in the file."""
    begin(chat, load, text=f"Лис біг лісом. Вовк спав.{end}")
    assert "<blockquote expandable>Лис біг лісом. Вовк спав.</blockquote>" in chat.last.html


def test_a_long_text_and_its_long_sentence_fit(chat: Chat, load: Load) -> None:
    """Hundreds of sentences in parts and pages; the limits of Telegram are checked by the chat."""
    begin(chat, load, text=" ".join(f"Речення номер {number} про лиса." for number in range(400)))
    assert chat.last.labels[0] == "1 | 2 | 3 | 4 | 5 | 6 | 7 | 8"
    chat.tap("›")
    assert "25. Речення номер 24" in chat.last.text
    chat.say("30")
    chat.tap("3")
    chat.tap("5")
    chat.tap("Зберегти")
    assert "«29 про лиса»" in "\n".join(chat.seen)
