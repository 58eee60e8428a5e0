"""Any sequence of messages and taps: one way forward, what is stored is what was said, nothing answered by accident."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import col, select

from annotation.store import database, mailbox, models, queries
from annotation.workflow.lifecycle import projects, transitions
from bot.conversation.updates_and_calls import MessageEdit, NewMessage
from tests.bot.conversation.conftest import NOW, Chat

if TYPE_CHECKING:
    from sqlmodel import Session

PROJECT = """\
project: {name}
title: {title}
language: uk
instructions: Читайте.
{question}
items: {{file: {name}.jsonl, id: id, show: text}}
overlap: 500
consent: {{file: consent.md, version: 1}}
attestation: {{text: Чи допомагало щось?, options: [ні, словник]}}
profile:
- {{name: native, text: 'Рідна?', options: [так, ні]}}
- {{name: age, text: 'Вік?', type: number}}
"""
QUESTIONS = {
    "judged": "question: {type: choice, text: Добре?, options: [так, ні]}",
    "counted": "question: {type: choice, text: Скільки?, options: ['2', '3', '5', '7']}",
    "ticked": "question: {type: choices, text: Які?, options: [так, ні, може]}",
}
TYPED = (
    "так", "ні", "1", "2", "3", "4", "А", "Б", "g", "готово", "34", "999", "що?", "Не погоджуюся", "Назад", "далі",
    "Так, вийти", "нічого з цього", "А Б", "10",
)  # fmt: skip
COMMANDS = (
    "/start", "/projects", "/task", "/pause", "/language", "/mydata", "/withdraw", "/forget", "/help", "/ask",
    "/progress", "/session", "/nonsense",
)  # fmt: skip
NUMBERS = count(1000)
STEP = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(TYPED)),
    st.tuples(st.just("say"), st.sampled_from(COMMANDS)),
    st.tuples(st.just("tap"), st.integers(0, 30)),
    st.tuples(st.just("tap"), st.integers(0, 5)),
    st.tuples(st.just("reply"), st.sampled_from(TYPED)),
    st.tuples(st.just("wait"), st.just("")),
)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[database.Database]:
    """Three running projects, which have enough items for everybody."""
    folder = tmp_path_factory.mktemp("projects")
    (folder / "consent.md").write_text("Згода.", "utf-8")
    with database.open_database(f"sqlite:///{folder / 'chat.db'}") as found:
        with found.transaction() as session:
            for name, question in QUESTIONS.items():
                rows = [json.dumps({"id": str(number), "text": f"Речення {number}: {name}"}) for number in range(12)]
                (folder / f"{name}.jsonl").write_text("\n".join(rows), "utf-8")
                (folder / f"{name}.yaml").write_text(PROJECT.format(name=name, title=name, question=question), "utf-8")
                projects.load_project_file(session, folder / f"{name}.yaml", now=NOW)
                transitions.start_project(session, project=queries.get_project(session, name), now=NOW)
        yield found


class Watcher:
    """What an annotator sees asked last, by the calls alone, and what is stored of their answers."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.asked_item: int | None = None
        self.stored: dict[tuple[int, int], tuple[str, str | None]] = {}

    def note_calls(self) -> None:
        """Go through the calls of an update: the last that asks for something is what is asked."""
        for call in self.chat.calls:
            if isinstance(call, NewMessage) and (call.buttons or call.input_hint):
                self.asked_item = call.assignment_id
            elif isinstance(call, MessageEdit) and call.redraws is not None:
                letters = {button.data[0] for row in call.buttons for button in row}
                self.asked_item = call.redraws if letters & {"a", "b"} else None

    def read_answers(self, session: Session) -> dict[tuple[int, int], tuple[str, str | None]]:
        """The judgements of the annotator: responses and reasons to skip by assignment and revision."""
        own = select(models.Judgement).join(models.Assignment).join(models.Annotator)
        rows = session.exec(own.where(col(models.Annotator.telegram_id) == self.chat.number))
        return {(one.assignment_id, one.revision): (one.response or "", one.skip_reason) for one in rows}

    def check(self, *, asked: int | None, replied: int | None, is_text: bool) -> None:
        """Check what became of one message or tap."""
        with self.chat.db.transaction() as session:
            stored = self.read_answers(session)
            new = {key: value for key, value in stored.items() if key not in self.stored}
            self.stored = stored
            assert len(new) <= 1
            for (assignment, _), (response, reason) in new.items():
                if is_text and reason is None:
                    assert assignment in {asked, replied} - {None}, (asked, replied)
                message = mailbox.get_message_id(session, assignment_id=assignment)
                shown = next(one for one in self.chat.screens if one.message_id == message)
                heading = shown.text.splitlines()[0]
                if reason is None:
                    labels = json.loads(response) if response.startswith("[") else [response]
                    assert heading.startswith("✓ "), heading
                    assert all(label in heading for label in labels), (heading, response)
                else:
                    assert heading.startswith("⏭ "), heading
        latest = self.chat.screens[-4:]
        assert any(one.buttons or one.reply or "/" in one.text for one in latest), [str(one) for one in latest]


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(steps=st.lists(STEP, min_size=5, max_size=20))
def test_any_sequence_of_messages_and_taps(db: database.Database, steps: list[tuple[str, str | int]]) -> None:
    """From the first item on, with everything that the bot offers."""
    chat = Chat(db, number=next(NUMBERS))
    watcher = Watcher(chat)

    def do(kind: str, what: str | int) -> None:
        asked, replied = watcher.asked_item, None
        buttons = [(button, one) for one in reversed(chat.screens) for row in one.buttons for button in row]
        if kind == "tap" and buttons:
            button, screen = buttons[int(what) % len(buttons)]
            chat.press(button.data, on=screen)
        elif kind == "reply":
            screen = chat.screens[-1 - len(str(what)) % len(chat.screens)]
            replied = find_assignment(chat, screen.message_id)
            chat.say(str(what), reply_to=screen.message_id)
        elif kind == "say":
            chat.say(str(what))
        else:
            chat.now += timedelta(hours=1)
            return
        watcher.note_calls()
        watcher.check(asked=asked, replied=replied, is_text=kind != "tap")

    for text in ("/start", "українська", "3", "так", "так", "34", "так"):
        do("say", text)
    assert chat.last.text.startswith("1\n")
    assert watcher.stored == {}
    for kind, what in steps:
        do(kind, what)


def find_assignment(chat: Chat, message_id: int) -> int | None:
    """The assignment of the annotator that a message shows."""
    with chat.db.transaction() as session:
        of_message = sa.select(col(models.ItemMessage.assignment_id)).join(models.Assignment).join(models.Annotator)
        own = of_message.where(col(models.Annotator.telegram_id) == chat.number)
        return session.connection().execute(own.where(col(models.ItemMessage.message_id) == message_id)).scalar()
