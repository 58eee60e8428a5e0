"""A chat in process: updates go to `handle_update`, and the calls that follow make a screen that reads as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.store import database, mailbox, models, queries
from annotation.store.mailbox import ShownAssignment, ShownPrompt
from annotation.store.models import Item
from annotation.workflow.annotators import invitations
from annotation.workflow.lifecycle import projects, transitions
from bot.conversation.update_handler import handle_update
from bot.conversation.updates_and_calls import (
    AssignmentMessage,
    ButtonAction,
    ButtonRows,
    CommandMenu,
    ConversationSettings,
    IncomingUpdate,
    MessageEdit,
    NewDocument,
    NewMessage,
    TapAcknowledgement,
    TelegramCall,
    UpdateKind,
)
from bot.emulator import message_content

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KEY = b"k" * 32
WORDS = [
    {"id": "1", "text": "кіт — собака", "options": ["кіт", "собака"], "gold": "собака"},
    {"id": "2", "text": "дуб — береза", "options": ["дуб", "береза"], "gold": "береза"},
]
PROJECT = """\
project: {name}
title: {title}
language: {language}
instructions: "{instructions}"
question: {question}
items: {items}
overlap: 3
{more}
"""
QUESTION = '{type: choice, text: "Яке слово довше?"}'
ITEMS = "{{file: {name}.jsonl, id: id, show: text, options: options, gold: gold}}"


@dataclass
class Screen:
    """A message in the chat."""

    message_id: int
    html: str
    buttons: ButtonRows
    silent: bool = True
    protected: bool = True
    reply: str | None = None
    replies_to: int | None = None

    @property
    def text(self) -> str:
        """What is read; markup that the Bot API would refuse is an error."""
        return message_content.parse_html(self.html)[0]

    @property
    def folded(self) -> list[str]:
        """What is folded away."""
        text, entities = message_content.parse_html(self.html)
        raw = text.encode("utf-16-le")
        quotes = [one for one in entities if "blockquote" in one.type]
        return [raw[2 * one.offset : 2 * (one.offset + one.length)].decode("utf-16-le") for one in quotes]

    @property
    def labels(self) -> list[str]:
        """What its buttons say, a row a line."""
        return [" | ".join(button.label for button in row) for row in self.buttons]

    def __str__(self) -> str:
        return "\n".join([self.text, *(f"[{row}]" for row in self.labels)])


@dataclass
class Chat:
    """One person's chat with the bot."""

    db: database.Database
    number: int = 7
    language: str | None = "uk"
    now: datetime = NOW
    screens: list[Screen] = field(default_factory=list)
    toasts: list[str] = field(default_factory=list)
    documents: list[NewDocument] = field(default_factory=list)
    menus: list[CommandMenu] = field(default_factory=list)
    calls: list[TelegramCall] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: count(100))

    @property
    def last(self) -> Screen:
        """The newest message."""
        return self.screens[-1]

    @property
    def seen(self) -> list[str]:
        """The whole screen."""
        return [str(one) for one in self.screens]

    def say(self, text: str | None, **more: Any) -> list[str]:
        """The annotator sends a text; returns the new messages."""
        self.story.append(f"→ {(text or more.get('media', ''))[:80]}")
        return self.give(kind=UpdateKind.MESSAGE, text=text, **more)

    def edit(self, message_id: int, text: str) -> list[str]:
        """The annotator changes a text that they sent; returns the new messages."""
        self.story.append(f"→ ✎ {text[:80]}")
        return self.give(kind=UpdateKind.EDITED, text=text, message_id=message_id)

    def tap(self, label: str, *, on: Screen | None = None) -> list[str]:
        """The annotator taps the newest button with this label; a letter names an option, whatever its button says."""
        for shown in [on] if on else reversed(self.screens):
            buttons = [button for row in shown.buttons for button in row]
            options = [button for button in buttons if button.data[0] in {ButtonAction.ANSWER, ButtonAction.TOGGLE}]
            at = next((letters.index(label) for letters in ("АБВГ", "ABCD") if label in letters), len(options))
            found = options[at : at + 1] or [button for button in buttons if button.label.startswith(label)]
            if found:
                self.story.append(f"→ [{found[0].label}]")
                return self.press(found[0].data, on=shown)
        raise AssertionError(f"no button {label!r} among {[one.labels for one in self.screens[-3:]]}")

    def press(self, data: str | None, *, on: Screen | None = None) -> list[str]:
        """A tap that carries this."""
        message, above = (None, None) if on is None else (on.message_id, on.replies_to)
        query = f"q{next(self.numbers)}"
        return self.give(kind=UpdateKind.TAP, data=data, query_id=query, message_id=message, reply_to=above)

    def give(self, **what: Any) -> list[str]:
        """An update, and all that follows from it, a second later."""
        self.now += timedelta(seconds=1)
        standard: dict[str, Any] = {"private": True, "telegram_id": self.number, "chat_id": self.number}
        standard |= {"update_id": next(self.numbers), "at": self.now, "language_code": self.language}
        standard |= {"message_id": next(self.numbers)} if what["kind"] is UpdateKind.MESSAGE else {}
        before = len(self.screens)
        with self.db.transaction() as session:
            self.calls = list(
                handle_update(
                    session, IncomingUpdate(**standard | what), now=self.now, settings=ConversationSettings(key=KEY)
                )
            )
            for call in self.calls:
                self._make(session, call)
        assert what["kind"] is not UpdateKind.TAP or sum(isinstance(one, TapAcknowledgement) for one in self.calls) == 1
        return self.seen[before:]

    def _make(self, session: Session, call: TelegramCall) -> None:
        match call:
            case TapAcknowledgement():
                assert len(call.text) <= 200
                self.toasts.append(call.text)
                self.story += [f"({call.text})"] if call.text else []
            case NewMessage():
                shown = Screen(next(self.numbers), call.html, call.buttons, call.silent, call.protect, call.input_hint)
                self._fits(shown)
                above = self.screens[-call.replies_above].message_id if call.replies_above else call.reply_to
                shown.replies_to = above
                self.screens.append(shown)
                quote = next((one.text[:30] for one in self.screens if one.message_id == above), "")
                answered = f"[↑ {quote.splitlines()[0]}]\n" if quote else ""
                self.story.append(answered + str(shown) + (f"\n[… {shown.reply}]" if shown.reply else ""))
                self._note(session, call, shown.message_id)
            case MessageEdit():
                self._edit(session, call)
            case NewDocument():
                self.documents.append(call)
                self.story.append(f"{call.name}: {call.caption}")
            case CommandMenu():
                self.menus.append(call)
                self.story.append(" ".join(f"/{one}" for one in call.commands))

    def _note(self, session: Session, call: NewMessage, message_id: int) -> None:
        """Store what a new message shows or asks for, as delivery does."""
        if call.assignment_id is not None:
            mailbox.store_shown(session, [self._describe(call.assignment_id, message_id)])
        if call.prompt is not None:
            annotator, update = call.prompt
            prompt = ShownPrompt(annotator_id=annotator, update_id=update, message_id=message_id)
            mailbox.store_shown(session, [prompt])

    def _describe(self, assignment: int, message_id: int, *, redrawn: bool = False) -> ShownAssignment:
        since = self.now.replace(microsecond=0) + timedelta(seconds=redrawn)
        return ShownAssignment(
            assignment_id=assignment, message_id=message_id, at=self.now, asks_since=since, redrawn=redrawn
        )

    def _edit(self, session: Session, call: MessageEdit) -> None:
        place = call.message
        if isinstance(place, AssignmentMessage):
            place = mailbox.get_message_id(session, assignment_id=place.assignment_id) or 0
        if call.redraws is not None:
            mailbox.store_shown(session, [self._describe(call.redraws, place, redrawn=True)])
        for index, shown in enumerate(self.screens):
            if shown.message_id == place:
                self.screens[index] = replace(shown, html=call.html, buttons=call.buttons)
                self._fits(self.screens[index])
                self.story.append(f"✎ {self.screens[index]}")

    @staticmethod
    def _fits(shown: Screen) -> None:
        text, entities = message_content.parse_html(shown.html)
        assert 0 < len(text.encode("utf-16-le")) // 2 <= 4096
        assert len(entities) <= 100
        assert not (shown.buttons and shown.reply)
        buttons = [button for row in shown.buttons for button in row]
        assert len(buttons) <= 100
        assert all(0 < len(button.data.encode()) <= 64 and button.label.strip() for button in buttons)
        assert all(len(row) <= 8 for row in shown.buttons)
        assert sum(len(f"{button.label}{button.data}".encode()) + 50 for button in buttons) <= 10_000

    def begin(self, *, code: str = "") -> list[str]:
        """Through language and card to the first item; only what came last."""
        self.say(f"/start {code}".strip())
        self.tap({"en": "English", "ru": "Русский", "pl": "Polski"}.get(self.language or "", "Українська"))
        return self.tap({"en": "Begin", "ru": "Начать", "pl": "Zaczynamy"}.get(self.language or "", "Почати"))

    def judgements(self) -> list[models.Judgement]:
        """What is stored of the annotator, oldest first."""
        with self.db.transaction() as session:
            chosen = (
                select(models.Judgement)
                .join(models.Assignment)
                .join(models.Annotator)
                .where(models.Annotator.telegram_id == self.number)
                .order_by(col(models.Judgement.id))
            )
            found = list(session.exec(chosen))
            session.expunge_all()
            return found

    def answers(self) -> list[str]:
        """An answer, or a skip's reason in brackets, of everything that is stored of the annotator."""
        return [f"({one.skip_reason})" if one.skip_reason else one.response for one in self.judgements()]


@pytest.fixture
def db(sqlite_url: str) -> Iterator[database.Database]:
    """An empty database."""
    with database.open_database(sqlite_url) as found:
        yield found


@pytest.fixture
def chat(db: database.Database) -> Chat:
    """Somebody who has not written yet."""
    return Chat(db)


@pytest.fixture
def another(db: database.Database) -> Callable[..., Chat]:
    """Somebody else."""
    return lambda number=8, language="uk": Chat(db, number=number, language=language)


Load = Callable[..., None]


@pytest.fixture
def load(db: database.Database, tmp_path: Path) -> Load:
    """Loads and starts a project."""

    def loaded(
        rows: list[dict[str, Any]] | None = None,
        *,
        name: str = "words",
        title: str = "Слова",
        language: str = "uk",
        question: str = QUESTION,
        items: str = ITEMS,
        more: str = "",
        instructions: str = "Порахуйте літери.",
        code: str | None = None,
        start: bool = True,
    ) -> None:
        lines = [json.dumps(row, ensure_ascii=False) for row in rows or WORDS]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
        file = tmp_path / f"{name}.yaml"
        whole = PROJECT.format(
            name=name,
            title=title,
            language=language,
            question=question,
            instructions=instructions,
            items=items.format(name=name),
            more=more,
        )
        if "reward:" not in more:
            whole += "reward: {emoji: none}\n"  # one emoji or another in every line would hide what a test is about
        if "questions:" in more:
            whole = "\n".join(line for line in whole.splitlines() if not line.startswith("question:"))
        file.write_text(whole, "utf-8")
        with db.transaction() as session:
            projects.load_project_file(session, file, now=NOW)
            # everybody begins before the first item and goes round in the order of the file
            session.connection().execute(sa.update(Item).values(queue_position=Item.rank + 10**9))
            project = queries.get_project(session, name)
            if code:
                invitations.create_invitation(session, target=project, code=code, now=NOW)
            if start:
                transitions.start_project(session, project=project, now=NOW)

    return loaded
