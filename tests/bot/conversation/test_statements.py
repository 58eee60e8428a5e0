"""How many statements each step of a conversation costs: on PostgreSQL each is a round trip."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from annotation.store import queries
from annotation.vocabulary import CaseReason
from annotation.workflow.annotators import invitations
from annotation.workflow.review import cases

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

NOTED_BY_CHAT = (
    "INSERT INTO item_message",
    "SELECT message_id FROM item_message",
    "UPDATE item_message SET asks_since = ",
    "UPDATE conversation SET asked_in",
)
"""How statements begin by which the chat of these tests finds and notes its messages; delivery does so elsewhere."""


@pytest.fixture
def sent(chat: Chat) -> Iterator[list[str]]:
    """The statements that are sent, without those by which the chat finds and notes its messages."""
    statements: list[str] = []

    def listen(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if not statement.lstrip().startswith(NOTED_BY_CHAT):
            statements.append(" ".join(statement.split()))

    sa.event.listen(chat.db.engine, "before_cursor_execute", listen)
    yield statements
    sa.event.remove(chat.db.engine, "before_cursor_execute", listen)


@pytest.fixture
def cost(sent: list[str]) -> Cost:
    """Counts the statements of what is done."""

    def count(do: Callable[[], object]) -> int:
        sent.clear()
        do()
        return len(sent)

    return count


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
        "other actions": cost(lambda: chat.tap("⋯")),
        "reasons to report": cost(lambda: chat.tap("Є проблема")),
        "report": cost(lambda: chat.tap("Помилки")),
        "typed answer": cost(lambda: chat.say("а")),
        "pause": cost(lambda: chat.say("/pause")),
    }
    most = {
        "answer": 13, "the same tap again": 4, "undo": 10, "keep": 6, "undo again": 10, "another answer": 13,
        "start": 5, "reasons to skip": 5, "skip": 18, "other actions": 5, "reasons to report": 6, "report": 10,
        "typed answer": 18, "pause": 21,
    }  # fmt: skip
    assert {step: n for step, n in costs.items() if n > most[step]} == {}


def test_a_session_costs_one_statement_an_item(chat: Chat, load: Load, cost: Cost, sent: list[str]) -> None:
    """What is done of it is stored; without a session nothing is, and its end is summed up once."""
    load([WORDS[0] | {"id": str(number)} for number in range(30)])
    chat.begin()
    chat.tap("А")
    plain = cost(lambda: chat.tap("А"))
    chat.say("/session")
    chat.tap("10")
    chat.tap("А")
    assert cost(lambda: chat.tap("А")) == plain + 1, "\n".join(one[:60] for one in sent)
    for _ in range(7):
        chat.tap("А")
    n = cost(lambda: chat.tap("А"))
    assert chat.last.text.startswith("🏁 10 завдань")
    assert n <= 19, n
    assert cost(lambda: chat.say("/progress")) <= 9


def test_an_answer_about_compared_texts_costs_no_more(chat: Chat, load: Load, cost: Cost) -> None:
    """Two short texts in one message, two long ones in two."""
    rows = [
        {"id": str(number), "task": "Казка.", "a": f"Перша. {number}" * size, "b": f"Друга. {number}" * size}
        for number, size in enumerate((1, 1, 250, 250, 1))
    ]
    asked = "{type: preference, text: Яка краща?, sides: [a, b], tie: Однаково}"
    load(rows, items="{{file: {name}.jsonl, id: id, show: task}}", question=asked)
    chat.begin()
    chat.tap("А краща")
    answers = [cost(lambda: chat.tap("Б краща")) for _ in range(2)]
    assert max(answers) <= 13, answers
    assert cost(lambda: chat.tap("↑")) <= 4
    assert cost(lambda: chat.say("друга")) <= 18


def test_each_of_several_questions_costs_so_many_statements(chat: Chat, load: Load, cost: Cost) -> None:
    """The assignment is opened once, whether the answer is a draft or the last of the item."""
    load(WORDS, items="{{file: {name}.jsonl, id: id, show: text}}", more=SEVERAL)
    chat.begin()
    costs = [cost(lambda: chat.tap("А")), cost(lambda: chat.tap("☐")), cost(lambda: chat.tap("Готово"))]
    assert [n > most for n, most in zip(costs, [6, 5, 18], strict=True)] == [False] * 3, costs


def test_terms_and_attestations_cost_so_many_statements(chat: Chat, load: Load, cost: Cost) -> None:
    """An invitation, the language, a warning, the card, an answer, a pause and its attestation."""
    load(WORDS, more="content_warning: Страшно.\nattestation: {text: Чим?, options: [нічим, словником]}", code="abc")
    labels = ("Українська", "Далі", "Почати", "А")
    costs = [
        cost(lambda: chat.say("/start abc")),
        *(cost(lambda label=label: chat.tap(label)) for label in labels),  # type: ignore[misc]
        cost(lambda: chat.say("/pause")),
        cost(lambda: chat.tap("нічим")),
    ]
    assert [n > most for n, most in zip(costs, [24, 10, 22, 7, 13, 12, 22], strict=True)] == [False] * 7, costs


def test_a_decision_with_its_next_case_costs_so_many_statements(chat: Chat, load: Load, cost: Cost) -> None:
    """The queue is read for the tapped case, when it is decided, and for the next one."""
    load(WORDS, items="{{file: {name}.jsonl, id: id, show: text, options: options}}")
    with chat.db.transaction() as session:
        project = queries.get_project(session, "words")
        doubts = {str(number): {CaseReason.TIE} for number in range(1, 9)}
        cases.refresh_cases(session, project=project, question="answer", doubts=doubts, now=chat.now)
        invitations.create_invitation(session, target=project, code="judge", now=chat.now, adjudicates=True)
    chat.say("/start judge")
    chat.tap("Українська")
    card = chat.last
    costs = {
        "decision": cost(lambda: chat.tap("перше")),
        "the same tap again": cost(lambda: chat.press(card.buttons[0][0].data, on=card)),
        "boxes": cost(lambda: chat.tap("Правильних кілька")),
        "later": cost(lambda: [chat.tap("‹"), chat.tap("Пізніше")]),
    }
    most = {"decision": 32, "the same tap again": 3, "boxes": 13, "later": 36}  # makers are looked up in all projects
    assert {step: n for step, n in costs.items() if n > most[step]} == {}, costs


def test_a_second_tap_costs_four(chat: Chat, load: Load, cost: Cost) -> None:
    """Its answer is found once, by the assignment that was opened for it, and the item is not read again."""
    load(WORDS)
    chat.begin()
    answered = chat.last
    chat.tap("Б")
    chat.tap("Б", on=answered)
    n = cost(lambda: chat.tap("Б", on=answered))
    assert chat.toasts[-1] == "Ви вже відповіли: «друге». Змінити можна вище."
    assert n <= 4, n


def test_an_invitation_names_its_menu_entry_without_a_statement(
    chat: Chat, load: Load, cost: Cost, sent: list[str]
) -> None:
    """The open projects that are read for the menu have names."""
    load(WORDS)
    chat.begin()
    load(WORDS, name="second", title="Друге", code="abc", more="exposure: {exceptions: [words]}\n")
    n = cost(lambda: chat.say("/start abc"))
    assert not [statement for statement in sent if "project.name IN" in statement]
    assert n <= 18, n


def test_half_is_known_from_the_countdown_without_a_statement(chat: Chat, load: Load, cost: Cost) -> None:
    """What is counted for an answer holds for the item that comes after it."""
    rows = [WORDS[0] | {"id": str(number)} for number in range(12)]
    load(rows, more="reward: {countdown: yes, emoji: none}")
    chat.begin()
    costs = [cost(lambda: chat.tap("А")) for _ in range(11)]
    assert "Половину зроблено: позаду вже 6 завдань" in chat.screens[-7].text
    assert len({*costs}) == 1, costs
