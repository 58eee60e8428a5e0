"""How many statements each step of a conversation costs: on PostgreSQL each is a round trip."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
Cost = Callable[[Callable[[], object]], int]
WORDS = [
    {"id": str(number), "text": f"слово {number}", "options": ["перше", "друге"], "gold": "перше"}
    for number in range(1, 9)
]
SEVERAL = """\
questions:
  - {name: true, type: choice, text: "Правда?", options: [так, ні]}
  - {name: kinds, type: choices, text: "Яка?", options: [добра, весела], least: 1}"""


@pytest.fixture
def cost(chat: Chat) -> Iterator[Cost]:
    """Counts the statements of what is done, without those by which the chat finds and notes its messages."""
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


def test_an_answer_with_its_next_item_costs_so_many_statements(chat: Chat, load: Load, cost: Cost) -> None:
    """What is read under the lock for one step is passed on to the next, and not read again."""
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
    most = {
        "answer": 13, "the same tap again": 4, "undo": 10, "keep": 6, "undo again": 10, "another answer": 13,
        "start": 5, "reasons to skip": 4, "skip": 16, "reasons to report": 4, "report": 9, "typed answer": 16,
        "pause": 10,
    }  # fmt: skip
    assert {step: n for step, n in costs.items() if n > most[step]} == {}


def test_each_of_several_questions_costs_so_many_statements(chat: Chat, load: Load, cost: Cost) -> None:
    """The assignment is opened once, whether the answer is a draft or the last of the item."""
    load(WORDS, items="{{file: {name}.jsonl, id: id, show: text}}", more=SEVERAL)
    chat.begin()
    costs = [cost(lambda: chat.tap("А")), cost(lambda: chat.tap("☐")), cost(lambda: chat.tap("Готово"))]
    assert [n > most for n, most in zip(costs, [6, 5, 18], strict=True)] == [False] * 3, costs


def test_terms_and_attestations_cost_so_many_statements(chat: Chat, load: Load, cost: Cost) -> None:
    """An invitation, the language, the zone, a warning, the card, an answer, a pause and its attestation."""
    load(WORDS, more="content_warning: Страшно.\nattestation: {text: Чим?, options: [нічим, словником]}", code="abc")
    labels = ("Українська", "Київ", "Далі", "Почати", "А")
    costs = [
        cost(lambda: chat.say("/start abc")),
        *(cost(lambda label=label: chat.tap(label)) for label in labels),  # type: ignore[misc]
        cost(lambda: chat.say("/pause")),
        cost(lambda: chat.tap("нічим")),
    ]
    assert [n > most for n, most in zip(costs, [21, 12, 11, 18, 8, 13, 11, 6], strict=True)] == [False] * 8, costs
