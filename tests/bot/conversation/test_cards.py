"""The card of an item: one of them is live, its toast says what is so, and what was begun is not lost."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlmodel import select

from annotation.store import queries
from annotation.store.models import Annotator, Assignment
from annotation.vocabulary import AssignmentStatus
from annotation.workflow import assignments
from bot.conversation import updates_and_calls

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat, Screen

Load = Callable[..., None]
ROWS = [{"id": str(number), "text": f"слово {number}", "gold": "так"} for number in range(6)]
SHOWN = "{{file: {name}.jsonl, id: id, show: text, gold: gold}}"
WITHOUT_GOLD = "{{file: {name}.jsonl, id: id, show: text}}"
CLOSED = "{type: choice, text: 'Так?', options: [так, ні]}"
THREE = """\
questions:
  - {name: one, type: choices, text: "Які?", options: [а, б, в]}
  - {name: two, type: choice, text: "Друге?", options: [так, ні]}
  - {name: three, type: choice, text: "Третє?", options: [так, ні], show_if: {two: так}}"""
ON_ITEM = frozenset("abdovjkrnqizh")
"""The actions of buttons under an item that waits for an answer (`ButtonAction`)."""

BOXES_LAST = """
questions:
  - {name: one, type: choice, text: "Перше?", options: [так, ні]}
  - {name: two, type: choices, text: "Друге?", options: [а, б]}
  - {name: three, type: choices, text: "Третє?", options: [г, ґ, д]}
"""

OPTIONAL = "а, б], required: no, least: 1"


def find_live_cards(chat: Chat) -> dict[int, list[Screen]]:
    """The messages with buttons of items that wait for an answer, by assignment."""
    found: dict[int, list[Screen]] = {}
    for shown in chat.screens:
        data = [updates_and_calls.decode_callback(button.data) for row in shown.buttons for button in row]
        on_item = {one.row_id for one in data if one is not None and one.action in ON_ITEM}
        for assignment in on_item:
            found.setdefault(assignment, []).append(shown)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_done_an_item_has_one_live_card(chat: Chat, load: Load, seed: int) -> None:
    """Taps and commands in any order: no item has buttons in two messages, and one item that is not open again has."""
    load(ROWS, items=WITHOUT_GOLD, more=THREE, name="many")
    load(ROWS, items=SHOWN, question=CLOSED, more="exposure: {exceptions: [many]}\n")
    chat.say("/start")
    chat.tap("Укр")
    rng = random.Random(seed)  # noqa: S311  # a test, not a secret
    for _ in range(120):
        choices = [(shown, button) for shown in chat.screens for row in shown.buttons for button in row]
        choices = choices[-8:]
        if not choices or rng.random() < 0.15:
            commands = ["/start", "/projects", "/task", "/skip", "/problem", "/pause", "а", "2"]
            chat.say(rng.choice(commands))
        else:
            shown, button = rng.choice(choices)
            chat.press(button.data, on=shown)
        cards = find_live_cards(chat)
        assert all(len(shown) == 1 for shown in cards.values()), cards
        answered = [shown for several in cards.values() for shown in several if "Залишити" in str(shown)]
        assert sum(map(len, cards.values())) - len(answered) <= 1, cards
        chat.now += timedelta(seconds=rng.choice([1, 60]))
    assert len(chat.answers()) > 2


def test_a_pause_takes_the_buttons_away_and_keeps_what_was_begun(chat: Chat, load: Load) -> None:
    """A ticked box and an answer are still there after the pause, in the new message; nothing is called saved."""
    load(ROWS, items=WITHOUT_GOLD, more=THREE)
    chat.begin()
    chat.tap("☐ а")
    card = chat.last
    said = chat.say("/pause")
    remembered = "Почате збережено: воно дочекається вас, якщо його тим часом не закриють інші."
    assert said == [f"Пауза. {remembered}\n[Нагадати завтра]\n[Далі]"]
    assert next(one for one in chat.screens if one.message_id == card.message_id).buttons == ()
    chat.now += timedelta(hours=5)
    assert "[☑ а | ☐ б | ☐ в]" in chat.say("/start")[-1]
    chat.tap("Готово")
    chat.say("/pause")
    assert "Які? — а\n\nДруге?" in chat.say("/start")[-1]
    assert chat.answers() == []


def test_a_pause_without_anything_begun_says_that_all_is_saved(chat: Chat, load: Load) -> None:
    """There every answer was sent."""
    load(ROWS, items=SHOWN, question=CLOSED)
    chat.begin()
    chat.tap("так")
    lines = "▸ Слова — 1\u00a0з\u00a06\n\nСьогодні: 1 · загалом: 1"
    assert chat.say("/pause") == [f"Пауза. Усе збережено.\n\n{lines}\n[Нагадати завтра]\n[Далі]"]


def test_an_undone_skip_brings_back_what_was_begun(chat: Chat, load: Load) -> None:
    """Skipped in the middle, opened, left as it was, opened again: the ticked boxes and answers are as before."""
    load(ROWS, items=WITHOUT_GOLD, more=THREE)
    chat.begin()
    for label in ("☐ б", "Готово", "так"):
        chat.tap(label)
    chat.tap("⋯")
    chat.tap("Пропустити")
    chat.tap("Не знаю")
    for _ in range(2):
        chat.tap("Повернути")
        reopened = next(one for one in chat.screens if "Залишити як було" in str(one))
        assert "Які? — б\nДруге? — так\n\nТретє?" in reopened.text
        chat.tap("Залишити")
    chat.tap("Повернути")
    chat.tap("‹ Назад", on=next(one for one in chat.screens if "Залишити як було" in str(one)))
    chat.tap("ні", on=next(one for one in chat.screens if "Залишити як було" in str(one)))
    assert chat.answers() == ["(unsure)", '["б"]']
    assert chat.screens[-2].text.startswith("✓ 1\nЯкі? — б\nДруге? — ні\n")


def test_what_was_ticked_is_there_after_a_step_back(chat: Chat, load: Load) -> None:
    """Two steps back and on again: the boxes of the last question are ticked as they were, and no answer is lost."""
    load(ROWS, items=WITHOUT_GOLD, more=BOXES_LAST)
    chat.begin()
    for label in ("так", "☐ б", "Готово", "☐ г", "☐ ґ"):
        chat.tap(label)
    chat.tap("‹ Назад")
    assert "[☐ а | ☑ б]" in str(chat.last)
    chat.tap("☐ а")
    assert chat.say("назад")[-1] == "✓ ‹ Назад"
    (card,) = [screen for screen in chat.screens if screen.buttons]
    chat.tap("ні", on=card)
    assert "[☑ а | ☑ б]" in str(chat.screens[-2])
    chat.tap("Готово")
    assert "[☑ г | ☑ ґ | ☐ д]" in str(chat.screens[-2])
    chat.say("/pause")
    chat.say("/start")
    assert "[☑ г | ☑ ґ | ☐ д]" in str(chat.last)
    chat.tap("☑ ґ")
    chat.tap("Готово")
    assert chat.answers() == ["ні"]
    assert chat.screens[-2].text.startswith("✓ 1\nПерше? — ні\nДруге? — а, б\nТретє? — г\n")


def test_boxes_that_may_stay_empty_have_one_button_for_that(chat: Chat, load: Load) -> None:
    """An optional question of boxes has no second way to say nothing; one that wants a box keeps it."""
    load(ROWS, items=WITHOUT_GOLD, more=BOXES_LAST.replace("ґ, д]", "ґ, д], required: no").replace("а, б]", OPTIONAL))
    chat.begin()
    chat.tap("так")
    assert chat.last.labels == ["☐ а | ☐ б", "Готово", "Без відповіді", "‹ Назад | ⋯"]
    chat.tap("Без відповіді")
    assert chat.last.labels == ["☐ г | ☐ ґ | ☐ д", "Нічого з цього", "‹ Назад | ⋯"]
    chat.tap("Нічого з цього")
    assert chat.screens[-2].text.startswith("✓ 1 · Перше? — так\n")


def test_one_answer_is_changed_alone_and_what_hangs_on_it_goes(chat: Chat, load: Load) -> None:
    """The question that the new answer no longer asks loses its answer; the first one is as it was."""
    load(ROWS, items=WITHOUT_GOLD, more=THREE)
    chat.begin()
    for label in ("☐ б", "Готово", "так", "ні"):
        chat.tap(label)
    card = chat.screens[-2]
    assert card.text.startswith("✓ 1\nЯкі? — б\nДруге? — так\nТретє? — ні\n")
    chat.tap("Змінити")
    assert chat.screens[-2].labels == ["1 | 2 | 3", "Залишити як було"]
    assert chat.say("так")[0] == "Яку відповідь змінити?"
    assert len(chat.answers()) == 1
    assert chat.say("2")[-1] == "✓ 2"
    chat.tap("ні", on=next(one for one in chat.screens if "Залишити як було" in str(one)))
    assert chat.toasts[-1] == "Відповідь змінено."
    changed = next(one for one in chat.screens if one.message_id == card.message_id)
    assert changed.text.startswith("✓ 1\nЯкі? — б\nДруге? — ні\n\nслово 0")


@pytest.mark.parametrize("kind", ["baseline", "annotation"])
@pytest.mark.parametrize("answer", ["так", "ні"])
def test_no_toast_hints_at_accuracy(chat: Chat, load: Load, kind: str, answer: str) -> None:
    """A right and a wrong answer are told in the same words."""
    load(ROWS, items=SHOWN, question=CLOSED, more=f"kind: {kind}\nreward: {{emoji: [🍎]}}")
    chat.begin()
    chat.tap(answer)
    assert chat.toasts[-1] == "🍎 1"
    assert chat.screens[-2].text.split("\n")[0] == f"✓ 1 · {answer} 🍎"


def test_a_toast_is_never_too_long(chat: Chat, load: Load) -> None:
    """The right answer of a training may be long: it is cut at 200 characters, and stands in full in the card."""
    options = ["дуже довга відповідь, " * 15 + "кінець", "інша"]
    rows = [
        {"id": pool, "text": "Що?", "options": options, "gold": options[0], "pool": pool} for pool in ("main", "train")
    ]
    load(
        rows,
        items="{{file: {name}.jsonl, where: {{pool: main}}, id: id, show: text, options: options, gold: gold}}",
        more="stages: {training: {pool: {where: {pool: train}}, pass_mark: 1 of 1, attempts: 2}}",
    )
    chat.begin()
    assert "Тренування: 1 завдання. Після кожної відповіді побачите, чи вона правильна." in chat.last.text
    assert "Щоб пройти далі, треба щонайменше 1 правильну відповідь." in chat.last.text
    chat.tap("Б")
    assert chat.toasts[-1].startswith("✗ Правильна відповідь: дуже довга відповідь")
    assert len(chat.toasts[-1]) <= 200
    marked = next(one for one in chat.screens if one.text.startswith("✗ 1 · інша"))
    assert "кінець" in marked.text or options[0][:250] in marked.text
    assert any("правильних відповідей 0 з 1 (треба щонайменше 1)" in one for one in chat.seen)


def test_a_pause_or_another_project_leaves_a_batch_in_label_studio(chat: Chat, load: Load) -> None:
    """Only the item of the chat is given back; what waits in Label Studio has a date of its own."""
    load(ROWS, items=WITHOUT_GOLD, more=THREE, name="many", title="Багато")
    load(more="exposure: {exceptions: [many]}\n")
    chat.say("/start")
    chat.tap("Укр")
    chat.tap("А · Багато")
    with chat.db.transaction() as session:
        annotator = session.exec(select(Annotator)).one()
        project = queries.get_project(session, "words").id or 0
        transaction = assignments.lock_annotator(session, annotator.id or 0)
        batch = assignments.assign_batch(transaction, project_id=project, n_items=2, now=chat.now).assignment_ids

    def list_live() -> tuple[int, int]:
        """How many live items are in Telegram, and in the batch."""
        with chat.db.reading() as session:
            live = session.exec(select(Assignment).where(Assignment.status == AssignmentStatus.LIVE)).all()
        in_batch = sum(row.id in batch for row in live)
        return len(live) - in_batch, in_batch

    assert list_live() == (1, 2)
    chat.say("/pause")
    assert list_live() == (0, 2)
    chat.say("/start")
    chat.say("/projects")
    assert list_live() == (1, 2)
    chat.tap("Б · Слова")
    assert list_live() == (1, 2)
