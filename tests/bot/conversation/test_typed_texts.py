"""Free texts in the chat: looked at before they are saved, mended, and changed by editing the message."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from bot.conversation.updates_and_calls import UpdateKind

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
ROWS = [{"id": "1", "text": "Скільки буде два по два?"}, {"id": "2", "text": "А тричі три?"}]
SHOWN = "{{file: {name}.jsonl, id: id, show: text}}"
QUESTION = '{type: text, text: "Ваша відповідь?", longest: 12}'
NUMBER = '{type: text, text: "Ваша відповідь?", normalise: number}'
AND_WHY = """\
questions:
- {name: sum, type: text, text: "Скільки?", normalise: number}
- {name: sure, type: choice, text: "Ви певні?", options: [так, ні]}
- {name: why, type: text, text: "Чому?", required: no}
"""


def send(chat: Chat, text: str) -> int:
    """Send a text; returns the id of its message."""
    message_id = next(chat.numbers)
    chat.say(text, message_id=message_id)
    return message_id


def edit(chat: Chat, message_id: int, text: str) -> list[str]:
    """Change the text of a message that was sent."""
    chat.story.append(f"✎→ {text}")
    return chat.give(kind=UpdateKind.EDITED, text=text, message_id=message_id)


def test_a_text_is_saved_after_a_look_only(chat: Chat, load: Load) -> None:
    """What was typed stands below it with two buttons; nothing is stored before one of them is tapped."""
    load(ROWS, items=SHOWN, question=QUESTION)
    assert "Напишіть відповідь повідомленням." in chat.begin()[-1]
    [preview] = chat.say("  чотири ")
    assert "Перевірте і збережіть:\n\nчотири\n[Зберегти | Виправити]" in preview
    assert chat.answers() == []
    assert not chat.screens[-2].buttons
    chat.tap("Зберегти")
    assert chat.answers() == ["чотири"]
    assert "тричі три" in chat.seen[-1]


def test_another_text_takes_the_place_of_the_first(chat: Chat, load: Load) -> None:
    """Typed again before it is saved, or after Fix, which says how."""
    load(ROWS, items=SHOWN, question=QUESTION)
    chat.begin()
    chat.say("три")
    chat.tap("Виправити")
    assert "надішліть її ще раз" in chat.last.text
    chat.say("чотири")
    chat.say("4")
    chat.say("Виправити")
    assert chat.answers() == []
    chat.say("save")
    assert chat.answers() == ["4"]


def test_a_text_for_an_earlier_item_is_shown_with_that_item(chat: Chat, load: Load) -> None:
    """Where an earlier answer is being changed below the next item, the preview says whose it is."""
    load(ROWS, items=SHOWN, question=QUESTION)
    chat.begin()
    first = chat.last.text.split("\n\n")[1]
    chat.say("три")
    chat.tap("Зберегти")
    assert first not in chat.last.text
    chat.tap("Змінити")
    preview = chat.say("чотири")[-1]
    assert preview.startswith(f"1\n{first}\n")
    chat.tap("Зберегти")
    assert chat.answers() == ["три", "чотири"]


@pytest.mark.parametrize(
    ("question", "typed", "told"),
    [
        (QUESTION, "чотири, а може, п’ять", "Забагато: 21 знак, а вміщається 12. Надішліть, будь ласка, коротше."),
        (NUMBER, "3 кг", "Напишіть лише число цифрами: 3"),
    ],
)
def test_what_the_question_does_not_take_is_explained(
    chat: Chat, load: Load, question: str, typed: str, told: str
) -> None:
    """In one message; the text that was typed before stays and can still be saved."""
    load(ROWS, items=SHOWN, question=question)
    chat.begin()
    chat.say("4")
    assert chat.say(typed) == [told]
    chat.tap("Зберегти")
    assert chat.answers() == ["4"]


def test_a_number_is_shown_as_it_counts(chat: Chat, load: Load) -> None:
    """Where its form differs from what was typed; what is stored is what was typed."""
    load(ROWS, items=SHOWN, question=NUMBER)
    chat.begin()
    [preview] = chat.say("10 963,50")
    assert "Зарахуємо як число 10963.5." in preview
    assert "Зарахуємо" not in chat.say("10963")[0]
    chat.say("10 963,50")
    chat.tap("Зберегти")
    assert chat.answers() == ["10 963,50"]


def test_an_edited_message_changes_what_is_to_be_saved(chat: Chat, load: Load) -> None:
    """Before Save the text that is looked at, in its place; a message that was replaced since changes nothing."""
    load(ROWS, items=SHOWN, question=QUESTION)
    chat.begin()
    replaced = send(chat, "три")
    message = send(chat, "чотирі")
    assert edit(chat, message, "чотири") == []
    assert "чотири\n" in chat.seen[-1]
    assert edit(chat, replaced, "п’ять") == [
        "Змінених повідомлень ми не читаємо. Щоб виправити відповідь, торкніться «Змінити» під нею."
    ]
    chat.tap("Зберегти")
    assert chat.answers() == ["чотири"]


def test_an_edited_message_is_a_revision(chat: Chat, load: Load) -> None:
    """Of the answer that it gave, also when another item is on the screen; a refused text changes nothing."""
    load(ROWS, items=SHOWN, question=QUESTION)
    chat.begin()
    message = send(chat, "чотирі")
    chat.tap("Зберегти")
    assert edit(chat, message, "чотири") == ["Відповідь змінено."]
    assert chat.answers() == ["чотирі", "чотири"]
    assert any("«чотири»" in shown for shown in chat.seen)
    assert edit(chat, message, "дуже довга відповідь")[0].startswith("Забагато")
    assert chat.answers() == ["чотирі", "чотири"]
    chat.say("дев’ять")
    chat.tap("Зберегти")
    assert chat.answers() == ["чотирі", "чотири", "дев’ять"]


def test_only_the_last_message_of_an_answer_changes_it(chat: Chat, load: Load) -> None:
    """After a change by another message the first one gave nothing that counts."""
    load(ROWS, items=SHOWN, question=QUESTION)
    chat.begin()
    first = send(chat, "три")
    chat.tap("Зберегти")
    chat.tap("Змінити")
    second = send(chat, "чотири")
    chat.tap("Зберегти")
    assert chat.answers() == ["три", "чотири"]
    edit(chat, first, "п’ять")
    assert chat.answers() == ["три", "чотири"]
    edit(chat, second, "4")
    assert chat.answers() == ["три", "чотири", "4"]


def test_one_answer_of_several_is_changed_by_its_message(chat: Chat, load: Load) -> None:
    """The others stay, with those that were left open."""
    load(ROWS, items=SHOWN, more=AND_WHY)
    chat.begin()
    message = send(chat, "5")
    chat.tap("Зберегти")
    chat.tap("А")
    chat.tap("Без відповіді")
    assert edit(chat, message, "4") == ["Відповідь змінено."]
    assert [one.split("\n")[1:3] for one in chat.seen if "✓ 1" in one] == [["Скільки? — «4»", "Ви певні? — так"]]
    assert chat.answers() == ["5", "4"]


def test_a_message_is_edited_while_a_later_question_is_open(chat: Chat, load: Load) -> None:
    """Its question is asked again with the new text; nothing is lost of what was saved."""
    load(ROWS, items=SHOWN, more=AND_WHY)
    chat.begin()
    message = send(chat, "5")
    chat.tap("Зберегти")
    edit(chat, message, "4")
    assert "[Зберегти | Виправити]" in chat.seen[-1]
    chat.tap("Зберегти")
    chat.tap("Б")
    send(chat, "знаю")
    chat.tap("Зберегти")
    [finished] = [one.split("\n")[:4] for one in chat.seen if "✓ 1" in one]
    assert finished == ["✓ 1", "Скільки? — «4»", "Ви певні? — ні", "Чому? — «знаю»"]


def test_a_letter_is_edited_too(chat: Chat, load: Load) -> None:
    """A typed choice is an answer given by a message as well."""
    load()
    chat.begin()
    message = send(chat, "А")
    edit(chat, message, "Б")
    assert chat.answers() == ["кіт", "собака"]


def test_a_saved_answer_is_not_saved_twice(chat: Chat, load: Load) -> None:
    """A second tap on Save, and one on Fix, change nothing."""
    load(ROWS, items=SHOWN, question=QUESTION)
    chat.begin()
    chat.say("чотири")
    preview = chat.last
    chat.tap("Зберегти")
    chat.tap("Зберегти", on=preview)
    chat.tap("Виправити", on=preview)
    assert chat.answers() == ["чотири"]
