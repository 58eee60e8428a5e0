"""An item on the screen: parts, folds, gaps, highlights, scales, boxes; and what it becomes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotation.campaigns import template_files
from annotation.campaigns.project_sections import FOOD_EMOJIS
from annotation.store import queries
from annotation.workflow.lifecycle import projects, transitions
from bot.conversation.updates_and_calls import MessageEdit, NewMessage

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
STORY = " ".join(f"Речення {number} розповідає, що сталося того дня." for number in range(200))


def test_long_context_that_folds(chat: Chat, load: Load) -> None:
    """Folded where one message takes it; its gap stays open, bold, and a word."""
    load(
        [
            {
                "id": "1",
                "long": STORY[:3000],
                "gap": "Прийшла _____ додому.",
                "options": ["лисиця", "сова"],
                "gold": "сова",
            }
        ],
        items="{{file: {name}.jsonl, id: id, options: options, gold: gold,"
        " show: [{{field: long, title: Казка, fold: yes}}, {{field: gap, gap: '_____'}}]}}",
    )
    chat.begin()
    assert chat.last.folded == [STORY[:3000].strip()]
    assert "Прийшла <b>[ПРОПУСК]</b> додому." in chat.last.html
    assert "<b>Казка</b>" in chat.last.html


@pytest.mark.parametrize(("project", "word"), [("en", "GAP"), ("ru", "ПРОПУСК"), ("cs", "GAP")])
def test_the_gap_is_a_word_of_the_projects_language(chat: Chat, load: Load, project: str, word: str) -> None:
    """Not of the person's."""
    load(
        [{"id": "1", "text": "A _ b", "options": ["x", "y"], "gold": "x"}],
        language=project,
        items="{{file: {name}.jsonl, id: id, show: [{{field: text, gap: '_'}}], options: options, gold: gold}}",
    )
    chat.begin()
    assert f"A [{word}] b" in chat.last.text
    assert chat.last.labels[0] == ("x | y")


def test_a_milestone_and_a_break_stand_below_the_answer(chat: Chat, load: Load) -> None:
    """Below the answer itself, each once."""
    load([{"id": str(n), "text": f"Речення {n}.", "options": ["так", "ні"], "gold": "ні"} for n in range(14)])
    chat.begin()
    for number in range(1, 13):
        answered = chat.last
        chat.now += timedelta(minutes=3)
        chat.tap("так", on=answered)
        assert any("🎉" in text for text in chat.seen) == (number >= 10)
    milestones = [text for text in chat.seen if "🎉 Це вже 10 завдань. Дякуємо!" in text]
    breaks = [text for text in chat.seen if "☕ Ви працюєте вже" in text]
    assert len(milestones) == 1
    assert len(breaks) == 1


def test_an_item_of_many_messages(chat: Chat, load: Load) -> None:
    """Numbered parts, none too long, no word cut, nothing lost, the keyboard under the last."""
    load([{"id": "1", "text": STORY * 2, "options": ["так", "ні"], "gold": "ні"}])
    chat.begin()
    parts = chat.screens[-6:]
    parts = [one for one in parts if one.text.startswith("Частина ")]
    assert [one.text.split("\n")[0] for one in parts] == [
        f"Частина {n} з {len(parts)}" for n in range(1, len(parts) + 1)
    ]
    assert [bool(one.buttons) for one in parts] == [False] * (len(parts) - 1) + [True]
    words = " ".join(one.text.split("\n", 1)[1] for one in parts).split()
    assert " ".join(words).startswith(f"1 {STORY[:50]}")
    assert (STORY * 2).split() == words[1 : 1 + len((STORY * 2).split())]
    chat.tap("Пропустити")
    assert chat.last.text == f"{parts[-1].text}\n\nЧому пропускаємо?"
    chat.tap("‹ Назад")
    assert chat.last.text == parts[-1].text
    chat.tap("Б")
    assert chat.answers() == ["ні"]
    assert chat.screens[-2].text.startswith("✓ 1 · ні")


def test_a_longer_question_takes_no_text_from_the_screen(chat: Chat, load: Load) -> None:
    """The end of the story stood with the first question; the second leaves no room for it in one message."""
    story = "слово " * 1250 + "кінець"
    load(
        [{"id": "1", "text": story}],
        more=f"questions:\n  - {{name: a, type: choice, text: 'Перше?', options: [так, ні]}}\n"
        f"  - {{name: b, type: choice, text: 'Друге?', options: [так, ні], help: '{'довідка ' * 100}'}}",
        items="{{file: {name}.jsonl, id: id, show: text}}",
    )
    chat.begin()
    parts = [one for one in chat.screens if one.text.startswith("Частина")]
    assert len(parts) == 2
    assert "кінець\n\nПерше?" in parts[-1].text
    new = chat.tap("А")
    assert sum(one.count("слово") for one in new) == 1250
    assert any("кінець" in one for one in new)
    assert [bool(one.buttons) for one in chat.screens[-4:]] == [False, False, False, True]
    assert any("Друге?" in one for one in new)
    chat.tap("Б")
    assert chat.screens[-2].text.startswith("✓ 1\nПерше? — так\nДруге? — ні")


def test_two_highlights_look_different_and_have_signs(chat: Chat, load: Load) -> None:
    """The first is bold, the second underlined. Models see the signs, as no screen reader tells what is bold."""
    load(
        [{"id": "1", "text": "Кіт побачив пса, і він утік.", "who": "він", "noun": "Кіт", "gold": "так"}],
        question="{type: choice, text: 'Так?', options: [так, ні]}",
        items="{{file: {name}.jsonl, id: id, show: [{{field: text, mark: [who, noun]}}], gold: gold}}",
    )
    chat.begin()
    assert "<u>_Кіт_</u> побачив пса, і <b>*він*</b> утік." in chat.last.html


LONG_TEXT = "Це довгий текст новини, який треба прочитати. " * 20
TITLES = [f"{'Заголовок новини, що трохи довший за кнопку. ' * 2}{number}" for number in range(10)]


@pytest.mark.parametrize(("options", "folds"), [(TITLES, True), (["так", "ні"], False)])
def test_a_long_text_above_a_long_list_folds(chat: Chat, load: Load, options: list[str], folds: bool) -> None:
    """Ten letters stand 5 + 5, the abstention has its words on a button and no line in the list."""
    load(
        [{"id": "1", "text": LONG_TEXT, "options": options, "gold": options[0]}],
        question="{type: choice, text: 'Який?', abstain: не знаю}",
    )
    chat.begin()
    assert ("<blockquote expandable>Це довгий" in chat.last.html) is folds
    if folds:
        rows = [[button.label for button in row] for row in chat.last.buttons]
        assert rows[:3] == [["А", "Б", "В", "Г", "Д"], ["Е", "Ж", "З", "И", "К"], ["не знаю"]]
        assert "не знаю" not in chat.last.text
    chat.tap("не знаю")
    assert chat.answers() == ["не знаю"]
    assert ("<blockquote expandable>Це довгий" in chat.screens[-2].html) is True


@pytest.mark.parametrize(
    ("scale", "labels", "body", "tapped", "told"),
    [
        ("options: [1, 2, 3, 4, 5], ends: [погано, добре]", "1 | 2 | 3 | 4 | 5", "1 — погано\n5 — добре", "4", "4"),
        (
            "options: [зовсім ні, радше ні, радше так, цілком]",
            "1 | 2 | 3 | 4",
            "1) зовсім ні\n2) радше ні\n3) радше так\n4) цілком",
            "3",
            "радше так",
        ),
        (
            "options: [a1, a2, a3, a4, a5, a6, a7, a8, a9], ends: [x, y]",
            "a1 | a2 | a3 | a4",
            "a1 — x\na9 — y",
            "a9",
            "a9",
        ),
        (
            "options: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], ends: [ні, так]",
            "0 | 1 | 2 | 3 | 4",
            "0 — ні\n10 — так",
            "5",
            "5",
        ),
        ("options: [0, 1, 2, більше за два]", "А | Б | В | Г", "А) 0\nБ) 1\nВ) 2\nГ) більше за два", "Б", "1"),
    ],
)
def test_a_scale_stands_in_a_row(
    chat: Chat, load: Load, scale: str, labels: str, body: str, tapped: str, told: str
) -> None:
    """Points with their ends; words stand above and numbers on the buttons."""
    load(
        [{"id": "1", "text": "Речення."}],
        question=f"{{type: scale, text: 'Наскільки?', {scale}}}",
        items="{{file: {name}.jsonl, id: id, show: text}}",
    )
    chat.begin()
    assert chat.last.labels[0] == labels
    assert body in chat.last.text
    chat.tap(tapped)
    assert chat.screens[-2].text.startswith(f"✓ 1 · {told}\n")


@pytest.mark.parametrize("options", ["1, 2, 3, 4, 5", "0, 1, 2, 3, 4, 5"])
def test_a_point_is_typed_as_any_number(chat: Chat, load: Load, options: str) -> None:
    """With a decimal comma or point that changes nothing; between two points, or of several, there is none."""
    load(
        [{"id": name, "text": f"Речення {name}."} for name in "abc"],
        question=f"{{type: scale, text: 'Наскільки?', options: [{options}]}}",
        items="{{file: {name}.jsonl, id: id, show: text}}",
    )
    chat.begin()
    for none in ("3,5", "3, 4", "7,0"):
        chat.say(none)
    assert chat.answers() == []
    for point in ("3,0", "4.0", "5"):
        chat.say(point)
    assert chat.answers() == ["3", "4", "5"]


def test_a_long_scale_has_quick_buttons_and_takes_any_number(chat: Chat, load: Load) -> None:
    """A button for each tenth point; what is no point is asked for again, with both ends."""
    load(
        [{"id": name, "text": f"Речення {name}."} for name in "abc"],
        question="{type: scale, text: 'Наскільки?', options: {from: 0, to: 100}, ends: [погано, добре]}",
        items="{{file: {name}.jsonl, id: id, show: text}}",
    )
    chat.begin()
    assert chat.last.labels[:2] == ["0 | 10 | 20 | 30 | 40", "50 | 60 | 70 | 80 | 90 | 100"]
    asked = "Торкніться числа або надішліть будь-яке від 0 до 100."
    assert f"0 — погано\n100 — добре\n\n{asked}" in chat.last.text
    chat.tap("70")
    assert chat.screens[-2].text.startswith("✓ 1 · 70\n")
    for wrong in ("101", "добре", "7.5", "1e2", "1_0"):
        assert any("Дайте відповідь числом від 0 до 100." in one for one in chat.say(wrong))
    chat.say("07 %")
    assert chat.screens[-2].text == "✓ 7"


def test_the_only_question_cannot_be_left_open(chat: Chat, load: Load) -> None:
    """It is answered or skipped: no button that only says so."""
    load(
        [{"id": "1", "text": "Речення."}],
        question="{type: choice, text: 'Так?', options: [так, ні], required: false}",
        items="{{file: {name}.jsonl, id: id, show: text}}",
    )
    chat.begin()
    assert chat.last.labels[:2] == ["так | ні", "Пропустити | ⋯"]


def test_boxes_may_stay_empty_where_that_is_an_answer(chat: Chat, load: Load) -> None:
    """«Нічого з цього» stores an empty list; ticking and emptying the same box twice is the same."""
    load(
        [{"id": "1", "text": "Що?"}, {"id": "2", "text": "А що?"}],
        question="{type: choices, text: 'Які?', options: [а, б, в]}",
        items="{{file: {name}.jsonl, id: id, show: text}}",
    )
    chat.begin()
    tick = chat.last.buttons[0][0].data
    for _ in range(2):
        chat.press(tick, on=chat.last)
        assert chat.last.labels[0] == "☑ а | ☐ б | ☐ в"
    chat.tap("☑ а")
    chat.tap("Нічого з цього")
    assert chat.screens[-2].text.startswith("✓ 1 · Нічого з цього")
    chat.say("в, а")
    assert chat.say("готово")[0] == "✓ а, в"
    assert chat.answers() == ["[]", '["а", "в"]']
    done = chat.screens[-3]
    assert done.text.startswith("✓ 2 · а, в")
    chat.press("d:2:0.0:", on=done)
    assert chat.toasts[-1] == "Це вже збережено"


def test_an_undo_is_mended_in_its_place(chat: Chat, load: Load) -> None:
    """The live item is not touched; what was first answered stays in the database."""
    load()
    chat.begin()
    chat.tap("А")
    first, live = chat.screens[-2], str(chat.last)
    chat.tap("Змінити", on=first)
    changed = next(one for one in chat.screens if one.message_id == first.message_id)
    assert changed.labels == ["кіт | собака", "Залишити як було"]
    assert chat.tap("Б", on=changed) == []
    assert chat.answers() == ["кіт", "собака"]
    assert str(chat.last) == live
    assert chat.screens[-2].text.startswith("✓ 1 · собака")


def test_an_undo_that_would_tell_is_closed(chat: Chat, load: Load) -> None:
    """Another item of the group has been shown: a sentence says so, and nothing changes."""
    rows = [{"id": str(n), "text": f"т{n}", "options": ["а", "б"], "gold": "а", "story": "s"} for n in range(3)]
    load(rows, items="{{file: {name}.jsonl, id: id, show: text, options: options, gold: gold, group: story}}")
    chat.begin()
    chat.tap("А")
    before = chat.seen
    chat.tap("Змінити")
    assert chat.toasts[-1].startswith("Цю відповідь уже не змінити")
    assert chat.seen == before


def test_sends_are_silent_protected_and_remembered(chat: Chat, load: Load) -> None:
    """Nothing rings after a tap, nothing can be forwarded, and the item's place in the chat is known."""
    load()
    chat.begin()
    chat.tap("А")
    sent = [one for one in chat.calls if isinstance(one, NewMessage)]
    assert [(one.silent, one.protect, one.repeatable, one.assignment_id) for one in sent] == [(True, True, True, 2)]
    assert [type(one).__name__ for one in chat.calls] == ["TapAcknowledgement", "MessageEdit", "NewMessage"]


def test_a_tap_on_a_message_that_telegram_hides_is_marked_where_it_stands(chat: Chat, load: Load) -> None:
    """Without the message under the button, the one that is remembered is edited."""
    load()
    chat.begin()
    item = chat.last
    chat.press(item.buttons[0][0].data)
    assert [one.message for one in chat.calls if isinstance(one, MessageEdit)] != [item.message_id]
    assert chat.screens[-2].text.startswith("✓ 1 · кіт")


def test_the_countdown_moves_with_every_answer(chat: Chat, load: Load) -> None:
    """The annotator's own number of so many, and the answers of all: two items with three places each."""
    load(more="reward: {countdown: yes, emoji: [🍎]}")
    chat.begin()
    assert chat.last.text.startswith("1 з 2 · усі разом: 0 з 6\n")
    chat.tap("А")
    assert chat.last.text.startswith("2 з 2 · усі разом: 1 з 6\n")
    assert (chat.screens[-2].text.split("\n")[0], chat.toasts[-1]) == ("✓ 1 · кіт 🍎", "🍎 1")


@pytest.mark.parametrize("more", ["reward: {countdown: no}", "reward: {emoji: }"])
def test_a_food_emoji_follows_each_answer_where_the_project_names_none(chat: Chat, load: Load, more: str) -> None:
    """One of twenty, the same whenever it is shown; not after a skip."""
    load(more=more)
    chat.begin()
    chat.tap("А")
    answered = chat.screens[-2]
    emoji = answered.text.split("\n")[0].removeprefix("✓ 1 · кіт ")
    assert emoji in FOOD_EMOJIS
    assert chat.toasts[-1] == f"{emoji} 1"
    chat.tap("Змінити", on=answered)
    chat.tap("Залишити")
    assert chat.screens[-2].text.split("\n")[0] == f"✓ 1 · кіт {emoji}"
    chat.tap("Пропустити")
    chat.tap("Не знаю")
    assert chat.screens[-2].text.split("\n")[0] == "⏭ 2 · пропущено"


@pytest.mark.parametrize("emoji", ["none", "no", "[]"])
def test_a_project_may_have_no_reward(chat: Chat, load: Load, emoji: str) -> None:
    """It says so; the answer is saved."""
    load(more=f"reward: {{emoji: {emoji}}}")
    chat.begin()
    chat.tap("А")
    assert (chat.screens[-2].text.split("\n")[0], chat.toasts[-1]) == ("✓ 1 · кіт", "Збережено")


def test_a_wrong_answer_in_training_has_no_reward(chat: Chat, load: Load) -> None:
    """The right one has."""
    row = {"text": "кіт — собака", "options": ["кіт", "собака"], "gold": "собака"}
    rows = [row | {"id": str(at), "pool": pool} for at, pool in enumerate(["training", "training", "main"])]
    items = "{{file: {name}.jsonl, where: {{pool: main}}, id: id, show: text, options: options, gold: gold, group: id}}"
    load(rows, items=items, more="stages: {training: {pool: {where: {pool: training}}}}\nreward: {emoji: [🍎]}")
    chat.begin()
    chat.tap("А")
    chat.tap("Далі")
    chat.tap("Б")
    heads = [shown.text.split("\n")[0] for shown in chat.screens if shown.text[:1] in "✓✗"]
    assert heads == ["✗ 1 · кіт", "✓ 2 · собака 🍎"]


def test_a_last_page_that_is_shorter_promises_nothing(chat: Chat, load: Load) -> None:
    """Pages of two, three items: the third is told by its place alone, and after it nothing comes."""
    rows = [{"id": str(number), "text": f"слово {number}", "options": ["так", "ні"]} for number in range(3)]
    load(rows, items="{{file: {name}.jsonl, id: id, options: options, show: text}}", more="pages: {items: 2}\n")
    heads = [chat.begin()[-1].splitlines()[0]]
    heads += [chat.tap("А")[-1].splitlines()[0] for _ in range(2)]
    assert heads == ["1 · сторінка 1, завдання 1", "2 · сторінка 1, завдання 2", "3 · сторінка 2, завдання 1"]
    assert chat.tap("А")[-1].startswith("🏁 Це все, що було для вас.")


def test_the_question_of_the_winograd_template(chat: Chat, tmp_path: Path) -> None:
    """Card and item as somebody reads them who knows nothing of the schema: a pronoun, a noun, whether it means it."""
    template_files.write_template(tmp_path / "winograd", template_name="winograd")
    with chat.db.transaction() as session:
        projects.load_project_file(session, tmp_path / "winograd" / "project.yaml", now=chat.now)
        transitions.start_project(session, project=queries.get_project(session, "winograd"), now=chat.now)
    shown = chat.begin()[-1]
    assert chat.screens[-2].text == (
        "На що вказує займенник?\n\nУ реченні виділено займенник та іменник. Чи вказує займенник саме на цей іменник?"
        " Якщо сумніваєтеся, поставте іменник на місце займенника й прочитайте речення."
    )
    assert "\n\nЧи вказує виділений займенник на виділений іменник?\n[так | ні]\n[Пропустити | ⋯]" in shown
