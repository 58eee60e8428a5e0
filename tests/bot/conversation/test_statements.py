"""How many statements an update costs, from its annotator to the calls that answer it: each is a round trip."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from annotation.store.database import Database

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
ROWS = [{"id": str(n), "text": f"слово {n}", "options": ["так", "ні"], "gold": "ні"} for n in range(30)]
BY_THE_SCREEN = "item_message"
"""The table in which the tests' own chat notes what it shows."""


@contextmanager
def counted(db: Database) -> Iterator[list[str]]:
    """The statements of the bot that are sent meanwhile, without those that begin and end transactions."""
    sent: list[str] = []

    def listen(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if BY_THE_SCREEN not in statement:
            sent.append(" ".join(statement.split()))

    sa.event.listen(db.engine, "before_cursor_execute", listen)
    try:
        yield sent
    finally:
        sa.event.remove(db.engine, "before_cursor_execute", listen)


@pytest.fixture
def at_work(chat: Chat, load: Load) -> Chat:
    """Somebody in the middle of work."""
    load(ROWS)
    chat.begin()
    chat.tap("Б")
    chat.tap("Б")
    return chat


def test_an_answer_and_the_next_item_cost_thirteen_statements(at_work: Chat) -> None:
    """One more than the use-cases: the lock on the annotator comes with the conversation, the project with the item."""
    with counted(at_work.db) as sent:
        at_work.tap("Б")
    assert len(sent) <= 13, sent
    assert at_work.answers() == ["ні"] * 3


def test_a_second_tap_costs_five(at_work: Chat) -> None:
    """The assignment that the answer was found by is not read again."""
    answered = at_work.last
    at_work.tap("Б", on=answered)
    with counted(at_work.db) as sent:
        at_work.tap("Б", on=answered)
    assert at_work.toasts[-1] == "Цю відповідь уже збережено"
    assert len(sent) <= 5, sent


def test_an_invitation_names_its_menu_entry_without_a_statement(at_work: Chat, load: Load) -> None:
    """The open projects that are read for the menu have names."""
    load(ROWS, name="second", title="Друге", code="abc")
    with counted(at_work.db) as sent:
        at_work.say("/start abc")
    assert not [statement for statement in sent if "project.name IN" in statement]
    assert len(sent) <= 18, sent
