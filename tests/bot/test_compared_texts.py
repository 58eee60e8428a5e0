"""Long texts to compare, over the local Telegram: a message for each, a way back up, and answers of every kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.campaigns.questions import PreferenceQuestion, compared_texts
from annotation.store import database, queries
from annotation.workflow.assignments import ShownQuestion
from annotation.workflow.lifecycle import projects, transitions
from bot.conversation.inputs import preferences
from bot.conversation.message_layout import render_messages
from bot.conversation.texts import get_texts
from tests.bot.conftest import NOW, Chat, in_file_order

PROJECT = """\
project: tales
title: Казки
language: uk
instructions: Порівняйте.
question: {type: preference, text: Яка краща?, sides: [a, b], tie: Однаково}
items: {file: tales.jsonl, id: id, show: task}
overlap: 3
"""


def load(db: database.Database, folder: Path, n_items: int) -> None:
    """Items with two texts of 1,800 characters."""
    rows = [
        {"id": str(n), "task": "Казка.", "a": f"Перша {n}. " * 200, "b": f"Друга {n}. " * 200} for n in range(n_items)
    ]
    (folder / "tales.jsonl").write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    (folder / "tales.yaml").write_text(PROJECT, "utf-8")
    with db.transaction() as session:
        projects.load_project_file(session, folder / "tales.yaml", now=NOW)
        in_file_order(session)
        transitions.start_project(session, project=queries.get_project(session, "tales"), now=NOW)


async def test_the_second_text_replies_to_the_first_and_a_button_leads_up(
    db: database.Database, tmp_path: Path, chat: Chat
) -> None:
    """By taps and by typing alone, to the end; a tap that Telegram sends without the first message shows the item."""
    load(db, tmp_path, 2)
    person = chat.person()
    await chat.send(person, "/start")
    await chat.tap(person, "Українська")
    await chat.tap(person, "Почати")
    first, second = person.messages[-2:]
    assert second.reply_to is first
    assert (first.text.split("\n")[4], second.text.split("\n")[0]) == ("А", "Б")
    await chat.tap(person, "↑ А")
    assert person.messages[-1].reply_to is first
    person.press(dict(second.buttons)["↑ А"], on=second, inaccessible=True)
    await chat.deliver()
    again = person.messages[-1]
    assert again.reply_to is person.messages[-2] is not first
    assert "↑ А" in dict(again.buttons)
    assert not second.buttons
    await chat.send(person, "однаково погані")
    assert person.messages[-1].text.startswith("Не зрозуміло")
    for typed in ("↑ А", "↑ A", "↑"):
        await chat.send(person, typed)
        assert "↑ А" in dict(person.messages[-1].buttons)
    await chat.tap(person, "Однаково")
    await chat.send(person, "другa")
    assert person.messages[-1].text.startswith("🏁 Це все")
    changed = next(message for message in reversed(person.messages) if "Змінити" in dict(message.buttons))
    await chat.tap(person, "Змінити")
    assert "Ваша відповідь: Б" in changed.text
    await chat.send(person, "/pause")
    assert changed.text.startswith("✓ 2 · Б")
    tie, typed = chat.answers()
    assert (tie, typed in {"first", "second"}) == ("tie", True)


TYPED = {
    "А": "second", "a": "second", "Б": "first", "b": "first", "1": "second", "2": "first", "№2": "first",
    "Перша": "second", "першa": "second", "друга краща": "first", "Первая": "second", "вторая": "first",
    "the first": "second", "2nd": "first", "A is better": "second", "Б лучше": "first", "текст другий": "first",
    "однаково": "tie", "the same": "tie", "ничья": "tie", "=": "tie", "Обидві погані!": "both_bad",
    "both are bad": "both_bad", "обе плохие": "both_bad",
    "3": None, "В": None, "не А": None, "А, а не Б": None, "А Б": None, "гірша А": None, "обидві": None,
    "погані": None, "однаково погані": None, "другой": None, "ні": None, "краща": None, "?": None,
}  # fmt: skip


def test_what_a_typed_answer_means() -> None:
    """Letters of both alphabets, ordinals and numbers count the sides as shown; what may mean two answers is none."""
    question = PreferenceQuestion(type="preference", text="?", sides=("a", "b"), tie="Нічия", both_bad="Жодна")
    options, labels = question.get_options(["перший", "другий"]), question.get_labels(["", ""])
    order = [1, 0, 2, 3]
    shown = ShownQuestion(
        question=question, options=tuple(options[i] for i in order), labels=tuple(labels[i] for i in order)
    )
    found = {text: preferences.match_answer(text, shown, "uk") for text in TYPED}
    assert {text: None if index is None else shown.labels[index] for text, index in found.items()} == TYPED
    numbers = ShownQuestion(question=question, options=("2", "1", "Нічия", "Жодна"), labels=labels)
    assert [preferences.match_answer(text, numbers, "uk") for text in ("2", "1", "б")] == [None, None, 1]
    three = PreferenceQuestion(type="preference", text="?", sides=("a", "b", "c"))
    several = ShownQuestion(question=three, options=("x", "y", "z"), labels=three.get_labels(None))
    typed = [("B", "uk"), ("В", "uk"), ("C", "uk"), ("3", "uk"), ("В", "en"), ("B", "en"), ("Б", "en")]
    assert [preferences.match_answer(text, several, language) for text, language in typed] == [
        None, 2, 2, 2, None, 1, 1,
    ]  # fmt: skip


@pytest.mark.parametrize("sizes", [(300, 300), (1500, 1500), (1501, 10), (1400, 1400, 1400), (3000, 3000), (5000, 10)])
def test_so_many_messages_as_counted(sizes: tuple[int, ...]) -> None:
    """`hromada check` counts the messages that the bot sends."""
    question = PreferenceQuestion(type="preference", text="Яка?", sides=tuple("abcd"[: len(sizes)]))
    texts = tuple("слово " * (size // 6) for size in sizes)
    shown = ShownQuestion(question=question, options=texts, labels=question.get_labels(texts))
    blocks = preferences.PreferenceInput().build_item_blocks(shown, "Казка.", "uk")
    counted = compared_texts.count_messages(texts, above="Казка.", below=question.text)
    assert len(render_messages(blocks, get_texts("uk"))) == counted


@pytest.mark.parametrize(
    ("asked", "said"),
    [("Яка казка краща?", "А краща"), ("Який переказ кращий?", "А кращий"), ("Що вам ближче?", "А краще")],
)
def test_buttons_agree_with_the_question(asked: str, said: str) -> None:
    """In Ukrainian «better» has a gender; a letter alone is neuter."""
    question = PreferenceQuestion(type="preference", text=asked, sides=("a", "b"))
    shown = ShownQuestion(question=question, options=("x", "y"), labels=question.get_labels(None))
    assert preferences.PreferenceInput().name_options(shown, get_texts("uk"), language="uk")[0] == said
