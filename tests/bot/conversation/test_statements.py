"""How many statements each step of a conversation costs: on PostgreSQL each is a round trip."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
WORDS = [
    {"id": str(number), "text": f"слово {number}", "options": ["перше", "друге"], "gold": "перше"}
    for number in range(1, 9)
]
SEVERAL = """\
questions:
  - {name: true, type: choice, text: "Правда?", options: [так, ні]}
  - {name: kinds, type: choices, text: "Яка?", options: [добра, весела], least: 1}"""


@pytest.fixture
def cost(chat: Chat) -> Iterator[Callable[[Callable[[], object]], int]]:
    """Counts the statements of what is done, without those that begin a transaction and those of the chat itself."""
    sent: list[str] = []

    def listen(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        sent.append(" ".join(statement.split()))

    def count(do: Callable[[], object]) -> int:
        sent.clear()
        do()
        return len([one for one in sent if "item_message" not in one])

    sa.event.listen(chat.db.engine, "before_cursor_execute", listen)
    yield count
    sa.event.remove(chat.db.engine, "before_cursor_execute", listen)


def test_an_answer_with_its_next_item_costs_so_many_statements(
    chat: Chat, load: Load, cost: Callable[[Callable[[], object]], int]
) -> None:
    """An answer, a repeated tap, an undo with the answer kept or changed, a skip and a report."""
    load(WORDS)
    chat.begin()
    chat.tap("А")
    answered = chat.last
    costs = {
        "answer": cost(lambda: chat.tap("А")),
        "the same tap again": cost(lambda: chat.press(answered.buttons[0][0].data, on=answered)),
        "undo": cost(lambda: chat.tap("Змінити")),
        "keep": cost(lambda: chat.tap("Залишити")),
        "undo again": cost(lambda: chat.tap("Змінити")),
        "another answer": cost(lambda: chat.tap("Б")),
        "start": cost(lambda: chat.say("/start")),
        "reasons to skip": cost(lambda: chat.tap("Пропустити")),
        "skip": cost(lambda: chat.tap("Не розумію запитання")),
        "reasons to report": cost(lambda: chat.tap("Є проблема")),
        "report": cost(lambda: chat.tap("Помилки")),
        "typed answer": cost(lambda: chat.say("а")),
        "pause": cost(lambda: chat.say("/pause")),
    }
    assert costs == {}


def test_several_questions(chat: Chat, load: Load, cost: Callable[[Callable[[], object]], int]) -> None:
    """Each question of an item costs."""
    load(WORDS, items="{{file: {name}.jsonl, id: id, show: text}}", more=SEVERAL)
    chat.begin()
    costs = {
        "first of two": cost(lambda: chat.tap("А")),
        "box": cost(lambda: chat.tap("☐")),
        "done": cost(lambda: chat.tap("Готово")),
    }
    assert costs == {}


def test_terms(chat: Chat, load: Load, cost: Callable[[Callable[[], object]], int], db: object) -> None:
    """What is asked before an item costs."""
    load(WORDS, more="content_warning: Страшно.\nattestation: {text: Чим?, options: [нічим, словником]}", code="abc")
    costs = {
        "invitation": cost(lambda: chat.say("/start abc")),
        "language": cost(lambda: chat.tap("Українська")),
        "zone": cost(lambda: chat.tap("Київ")),
    }
    print(chat.seen)
    costs["warning"] = cost(lambda: chat.tap(chat.last.buttons[0][0].label))
    print(chat.seen)
    costs["card"] = cost(lambda: chat.tap("Почати"))
    costs["answer"] = cost(lambda: chat.tap("А"))
    costs["pause"] = cost(lambda: chat.say("/pause"))
    print(chat.seen[-2:])
    costs["attest"] = cost(lambda: chat.tap("нічим"))
    assert costs == {}
