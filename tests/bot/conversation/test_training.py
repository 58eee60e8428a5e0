"""Training that teaches: a wrong answer is read before the next item comes, and every verdict says what was right."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from annotation.workflow.annotators import own_data

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
ITEMS = "{{file: {name}.jsonl, where: {{pool: main}}, id: id, show: text, gold: gold, group: id"
TRAINING = "stages: {training: {pool: {where: {pool: training}}, explain: yes}}\n"


def pools(row: dict[str, Any], *names: str) -> list[dict[str, Any]]:
    """The row in each of these pools."""
    return [row | {"id": str(at), "pool": pool, "text": f"{row['text']} {at}"} for at, pool in enumerate(names)]


@pytest.fixture
def trained(chat: Chat, load: Load) -> Chat:
    """Two items of training and one of the main stage; the second option is right."""
    row = {"text": "кіт — собака", "options": ["кіт", "собака"], "gold": "собака", "why": "Шість літер."}
    rows = pools(row, "training", "training", "main")
    load(rows, items=ITEMS + ", options: options, explanation: why}}", more=TRAINING)
    chat.begin()
    return chat


@pytest.mark.parametrize("way_on", ["[Далі]", "далі", "Next", "ок", "/start"])
def test_after_a_wrong_answer_the_next_item_waits(trained: Chat, way_on: str) -> None:
    """For the button or its word; then the button is gone."""
    assert trained.tap("А") == []
    assert str(trained.last).endswith("Яке слово довше?\n[Далі]")
    assert "Правильна відповідь: собака\n\nШість літер." in trained.last.text
    answered = trained.last
    shown = trained.tap("Далі") if way_on.startswith("[") else trained.say(way_on)
    assert shown[-1].startswith("2 з 2 · тренування\n\n")
    kept = next(one for one in trained.screens if one.message_id == answered.message_id)
    assert not kept.buttons or way_on == "/start"
    assert trained.tap("Б")[-1].startswith("1\n\n")


def test_a_step_back_in_training_says_that_the_right_answer_was_seen(trained: Chat) -> None:
    """And not that a stage or the project is over; "Змінити" does not stand above it, as nothing is changed."""
    trained.tap("А")
    trained.tap("Далі")
    assert trained.say("назад") == ["Правильну відповідь тут ви вже бачили, тому свою більше не змінити."]


def test_it_waits_below_a_typed_answer_and_below_the_result(trained: Chat) -> None:
    """A right answer leads on at once; whatever else is typed is no answer, and leads on."""
    assert trained.say("кіт") == ["Правильна відповідь: собака\n\nШість літер.\n[Далі]"]
    assert trained.say("далі")[-1].startswith("2 з 2 · тренування\n\n")
    trained.say("/start")
    assert trained.say("кіт")[-1] == "Тренування закінчено, дякуємо! Починаємо справжні завдання.\n[Далі]"
    assert trained.say("так")[-1].startswith("1\n\n")


def test_a_skip_in_training_is_no_answer(trained: Chat) -> None:
    """It is told nothing, so that the next item comes at once; nor is it counted as one for whoever asks."""
    trained.say("не знаю")
    assert trained.say("1")[-1].startswith("2 з 2 · тренування\n\n")
    with trained.db.reading() as session:
        (summary,) = own_data.summarise_data(session, annotator_id=1).projects
    assert (summary.answered, summary.skipped) == (0, 1)


def test_each_of_several_answers_has_its_verdict(chat: Chat, load: Load) -> None:
    """On its own line, with what was right only where it was wrong; an item is one task, whatever it asks."""
    row = {"text": "Казка.", "fox": "так", "tone": '["добра"]', "why": "Лис є."}
    questions = (
        "questions:\n- {name: fox, type: choice, text: Є лис?, options: [так, ні]}\n"
        "- {name: tone, type: choices, text: Яка?, options: [добра, весела], least: 1}\n"
        "- {name: why, type: choice, text: Чому?, options: [а, б], show_if: {fox: ні}}\n"
    )
    items = ITEMS.replace("gold: gold", "gold: fox, golds: {{tone: tone}}") + ", explanation: why}}"
    load(pools(row, "training", "main"), items=items, more=questions + TRAINING)
    chat.begin()
    assert "Тренування: 1 завдання." in chat.last.text
    chat.tap("так")
    chat.tap("☐ весела")
    chat.tap("Готово")
    marked = chat.screens[-2].text
    assert marked.split("\n\n")[:2] == [
        "✗ 1\n✓ Є лис? — так\n✗ Яка? — весела (правильно: добра)",
        "Лис є.",
    ]
    assert chat.toasts[-1] == "✗ Яка? — весела (правильно: добра)"


def test_a_question_that_was_not_asked_has_no_verdict(chat: Chat, load: Load) -> None:
    """Nor a line; the only one left stands below the number all the same."""
    row = {"text": "Казка.", "fox": "так", "why": "Лис є."}
    questions = (
        "questions:\n- {name: fox, type: choice, text: Є лис?, options: [так, ні]}\n"
        "- {name: tone, type: choice, text: Який?, options: [рудий, сірий], show_if: {fox: так}}\n"
    )
    items = ITEMS.replace("gold: gold", "gold: fox") + ", explanation: why}}"
    load(pools(row, "training", "main"), items=items, more=questions + TRAINING)
    chat.begin()
    chat.tap("ні")
    marked = chat.screens[-2].text
    assert marked.startswith("✗ 1\n✗ Є лис? — ні (правильно: так)\n\nЛис є.\n\nКазка.")


def test_what_was_not_asked_has_no_verdict(chat: Chat, load: Load) -> None:
    """Nor has what may stay without an answer; the only line left has one sign."""
    row = {"text": "Казка.", "fox": "так", "tone": '["добра"]', "why": "Лис є."}
    questions = (
        "questions:\n- {name: fox, type: choice, text: Є лис?, options: [так, ні]}\n"
        "- {name: tone, type: choices, text: Яка?, options: [добра, весела], least: 1, show_if: {fox: так}}\n"
        "- {name: note, type: text, text: Примітка, required: no}\n"
    )
    items = ITEMS.replace("gold: gold", "gold: fox, golds: {{tone: tone}}") + ", explanation: why}}"
    load(pools(row, "training", "main"), items=items, more=questions + TRAINING)
    chat.begin()
    chat.tap("ні")
    chat.tap("Без відповіді")
    finished = next(screen.text for screen in reversed(chat.screens) if screen.text.startswith("✗"))
    assert finished.split("\n\n")[0] == "✗ 1\n✗ Є лис? — ні (правильно: так)"


@pytest.mark.parametrize(
    ("typed", "told"),
    [("Риги", "Майже: «Анна из Риги», а не «Риги»"), ("вечером", "Правильна відповідь: «Анна из Риги»")],
)
def test_a_part_that_is_nearly_right_says_how_it_differs(chat: Chat, load: Load, typed: str, told: str) -> None:
    """One that lies elsewhere is plainly wrong."""
    text = "Пришла Анна из Риги вечером."
    gold = json.dumps([{"start": 7, "end": 19, "text": "Анна из Риги"}], ensure_ascii=False)
    rows = [{"id": pool, "pool": pool, "text": text, "gold": gold} for pool in ("training", "main")]
    load(
        rows,
        items=ITEMS + "}}",
        question="{type: span, text: Кто?, field: text}",
        more=TRAINING.replace(", explain: yes", ""),
    )
    chat.begin()
    chat.say(typed)
    chat.tap("Зберегти")
    assert told in chat.screens[-2].text.split("\n\n"), chat.seen
