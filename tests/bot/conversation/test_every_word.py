"""Every label on every screen, and every word that people use, typed: as its button, or nothing is stored.

The screens are those of the whole conversations in `test_screens`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.store import models
from annotation.store.database import Database
from annotation.workflow.conversations import conversation_state
from annotation.workflow.conversations.conversation_state import ConversationStep
from bot.conversation import prompts
from bot.conversation.texts import get_texts
from bot.conversation.update_handler import handle_update
from bot.conversation.updates_and_calls import (
    ButtonAction,
    ConversationSettings,
    IncomingUpdate,
    InlineButton,
    NewMessage,
    UpdateKind,
)
from tests.bot.conversation.conftest import KEY, Chat, Screen
from tests.bot.conversation.test_screens import STORIES, Play

Load = Callable[..., None]
LISTS = (prompts.BACK, prompts.YES, prompts.NO, *prompts.COMMAND_WORDS)
N_WORDS = 2
UNTYPED = {ButtonAction.UP, ButtonAction.UNDO}
"""A tap on these knows its message; typed they show the item, and open the latest answer."""
STORED = (
    *(models.Judgement, models.SupportMessage, models.ProfileAnswer, models.Consent, models.Attestation),
    *(models.Adjudication, models.Report),
)


class Undone(Exception):
    """Takes back what an attempt has done."""


@dataclass(frozen=True)
class Outcome:
    """What an update leads to: what is stored, and what the conversation waits for then."""

    stored: dict[str, list[Any]]
    waits_for: tuple[Any, ...]


def read_outcome(session: Session, chat: Chat) -> Outcome:
    """What is stored of everybody, and the state of the chat."""
    session.flush()
    stored: dict[str, list[Any]] = {}
    for table in STORED:
        rows = session.connection().execute(sa.select(*sa.inspect(table).columns)).mappings()
        stored[table.__name__] = [{key: value for key, value in row.items() if key not in TIMES} for row in rows]
    found = conversation_state.find_conversation(session, telegram_id=chat.number)
    if found is None:
        return Outcome(stored, ())
    locked, record = found
    state = record.state
    begun = [one for one in state.drafts if one.answers or one.entry]
    drafts = sorted((one.assignment_id, one.revision, str(one.answers), str(one.entry)) for one in begun)
    data = sorted(button[1] for row in state.prompt.get("rows", ()) for button in row)
    open_ones = select(models.Participation.status).where(col(models.Participation.annotator_id) == locked.annotator_id)
    more = (locked.annotator.language, locked.annotator.time_zone, sorted(session.exec(open_ones)))
    is_choice = state.step is ConversationStep.CHOICE  # a verdict stands in the item, or below a typed answer
    about = None if is_choice else state.subject_id
    return Outcome(stored, (state.step, about, drafts, data, state.session_goal, more))


TIMES = {"at", "created_at", "seconds", "shown_at", "submitted_at", "answered_at", "id", "asked_at", "given_at"}


def attempt(chat: Chat, *updates: dict[str, Any]) -> Outcome:
    """What these updates of the annotator lead to; all of it is taken back."""
    outcomes: list[Outcome] = []
    trial = replace(chat, screens=[*chat.screens], story=[], numbers=count(100_000))
    try:
        with chat.db.transaction() as session:
            for number, what in enumerate(updates, 1):
                standard: dict[str, Any] = {"private": True, "telegram_id": chat.number, "chat_id": chat.number}
                now = trial.now = trial.now + timedelta(seconds=2)
                standard |= {"at": now.replace(microsecond=0), "update_id": 100_000 + number}
                standard |= {"language_code": chat.language, "message_id": next(trial.numbers)}
                incoming = IncomingUpdate(**standard | what)
                for call in handle_update(session, incoming, now=now, settings=ConversationSettings(key=KEY)):
                    trial._make(session, call)  # as the chat itself does
            outcomes.append(read_outcome(session, chat))
            raise Undone
    except Undone:
        pass
    return outcomes[-1]


def tap(button: InlineButton, screen: Screen) -> dict[str, Any]:
    """The update of a tap."""
    above = screen.replies_to
    tapped = {"kind": UpdateKind.TAP, "data": button.data, "query_id": "q", "message_id": screen.message_id}
    return tapped | ({"reply_to": above} if above else {})


def type_text(text: str) -> dict[str, Any]:
    """The update of a typed text."""
    return {"kind": UpdateKind.MESSAGE, "text": text}


@dataclass
class Prober(Chat):
    """A chat in which all that is on a new screen is typed, and some words of each list, others on every screen."""

    seen_screens: set[tuple[Any, ...]] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)
    n_words: Iterator[int] = field(default_factory=count)

    def give(self, **what: Any) -> list[str]:
        """The update, and then attempts on the screen that it leads to."""
        shown = super().give(**what)
        if any(isinstance(call, NewMessage) or hasattr(call, "redraws") for call in self.calls):
            self.probe()
        return shown

    def probe(self) -> None:
        """Type what is on the newest screen with buttons, and words; a screen that was tried is passed over."""
        screen = next((one for one in reversed(self.screens) if one.buttons), None)
        if screen is None or screen is not next((one for one in reversed(self.screens) if one.buttons or one.reply), 0):
            return
        key = tuple(tuple(button.label for button in row) for row in screen.buttons)
        if key in self.seen_screens:
            return
        self.seen_screens.add(key)
        buttons = [button for row in screen.buttons for button in row]
        before = attempt(self)
        for button in buttons:
            if button.data[0] not in UNTYPED:
                self.check_label(button, screen, before)
        for name in LISTS:
            words = sorted(prompts.get_words(name))
            for _ in range(N_WORDS):
                self.check_word(words[next(self.n_words) % len(words)], screen, before)

    def check_label(self, button: InlineButton, screen: Screen, before: Outcome) -> None:
        """A label does what its button does; at a text question, once it is said that it is no answer."""
        tapped = attempt(self, tap(button, screen))
        for updates in ([button.label], [button.label] * 2):
            typed = attempt(self, *map(type_text, updates))
            if typed == tapped:
                return
            if typed.stored != before.stored:
                break
        self.faults.append(f"[{button.label}] on {screen.text[-60:]!r}: {typed.waits_for} for {tapped.waits_for}")

    def check_word(self, word: str, screen: Screen, before: Outcome) -> None:
        """A word stores nothing that no button on the screen stores."""
        typed = attempt(self, type_text(word))
        if typed.stored == before.stored:
            return
        buttons = [button for row in screen.buttons for button in row]
        if all(attempt(self, tap(button, screen)).stored != typed.stored for button in buttons):
            self.faults.append(f"{word} on {screen}: stored")


@pytest.mark.slow
@pytest.mark.parametrize("language", ["uk", "en", "ru", "pl"])
@pytest.mark.parametrize("story", STORIES, ids=[one.__name__ for one in STORIES])
def test_what_is_typed_does_what_its_button_does(
    db: Database, load: Load, tmp_path: Path, story: Callable[[Play], None], language: str
) -> None:
    """On every screen of every story; a word stores nothing by itself."""
    chat = Prober(db)
    story(Play(chat, load, tmp_path, language))
    assert chat.faults == []
    assert len(chat.seen_screens) > 3


WORDS = {
    "uk": ("стоп", "назад", "помилка", "не знаю", "скільки лишилося", "допомога", "дякую", "забудьте мене"),
    "en": ("stop", "back", "mistake", "I don’t know", "How many left?", "help", "thank you", "forget me"),
    "ru": ("хватит", "назад", "ошибка", "не знаю", "сколько осталось?", "помощь", "спасибо", "забудьте меня"),
    "pl": ("dość", "wstecz", "błąd", "nie wiem", "ile zostało", "pomoc", "dziękuję", "usuńcie mnie"),
}
SAID = ("paused", "", "report-why", "skip-why", "", "help", "thanks-back", "forget-sure")


@pytest.mark.parametrize("language", WORDS)
def test_words_that_are_no_option_do_what_they_say(chat: Chat, load: Load, language: str) -> None:
    """A pause, the step back, the report, the skip, progress, help, thanks, being forgotten; nothing is stored."""
    load()
    chat.language = language
    chat.begin()
    chat.say("1")
    translate = get_texts(language)
    for word, said in zip(WORDS[language], SAID, strict=True):
        trial = "\n".join(chat.say(word))
        expected = translate(said) if said else translate("undo") if word in WORDS[language][1] else "▸ "
        assert expected in trial, (word, trial)
        chat.say("/start")
    assert chat.answers() == ["кіт"]


def test_words_that_are_options_are_answers(chat: Chat, load: Load) -> None:
    """There they do nothing else; and a Latin letter in one is taken for what it looks like."""
    load([{"id": str(number), "text": "Що?", "options": ["стоп", "собака"]} for number in range(2)], items=SHOWN)
    chat.begin()
    chat.say("стоп")
    chat.say("собакa")
    assert chat.answers() == ["стоп", "собака"]


SHOWN = "{{file: {name}.jsonl, id: id, show: text, options: options}}"


@pytest.mark.parametrize("word", ["назад", "ні", "дякую", "Пропустити", "⋯", "стоп"])
def test_a_word_at_a_text_question_is_asked_about(chat: Chat, load: Load, word: str) -> None:
    """It is the answer, or it leads back, typed or tapped; nothing is stored before."""
    rows = [{"id": str(number), "text": "Антонім?"} for number in range(2)]
    load(rows, items="{{file: {name}.jsonl, id: id, show: text}}", question="{type: text, text: Яке слово?}")
    chat.begin()
    for back in (chat.tap, chat.say):
        assert "Це ваша відповідь чи ви хочете щось зробити?" in chat.say(word)[-1]
        back("‹ Назад")
        assert "Напишіть відповідь повідомленням." in chat.last.text
        assert chat.answers() == []
    chat.say(word)
    chat.say("це моя відповідь")
    chat.say(word)
    chat.tap("Це моя відповідь")
    assert chat.answers() == [word, word]


@pytest.mark.parametrize("back", ["назад", "Back", "‹ Назад", "дякую", "⋯", "кіт"])
def test_a_question_to_the_organisers_is_left(chat: Chat, load: Load, back: str) -> None:
    """By a button and by words; none of them is sent, nor is a label from the screen above."""
    load()
    chat.begin()
    chat.say("/ask")
    chat.say(back)
    with chat.db.transaction() as session:
        assert session.exec(select(models.SupportMessage)).all() == []
    assert chat.answers() == []


def test_a_consent_is_given_by_a_yes_or_its_label(chat: Chat, load: Load, tmp_path: Path) -> None:
    """Not by «ок» or «далі»; both spellings of the label are one."""
    (tmp_path / "consent.md").write_text("Згода.", "utf-8")
    load(more="consent: {file: consent.md, version: 1}")
    chat.say("/start")
    chat.say("1")
    for no_consent in ("ок", "далі", "+", "назад", "дякую"):
        chat.say(no_consent)
    with chat.db.transaction() as session:
        assert session.exec(select(models.Consent)).all() == []
    assert chat.say("погоджуюсь")[0] == "✓ Погоджуюся"


def test_the_way_back_through_a_profile(chat: Chat, load: Load) -> None:
    """To the question before, and out of the first; a word that may be an answer is asked about, a number told."""
    load(
        more="profile: [{name: age, text: 'Вік?', type: number, required: yes},"
        " {name: city, text: 'Звідки ви?', type: text, required: yes}]"
    )
    chat.say("/start")
    chat.say("1")
    assert "коли будете готові" in chat.say("назад")[-1].lower()
    chat.say("/start")
    assert chat.say("34 роки")[0] == "Напишіть лише число цифрами: 34"
    assert "Звідки ви?" in chat.say("34")[-1]
    assert "Вік?" in chat.say("назад")[-1]
    assert "Звідки ви?" in chat.say("35")[-1]
    assert "Це моя відповідь" in chat.say("ні")[-1]
    assert "Звідки ви?" in chat.say("назад")[-1]
    chat.say("ні")
    chat.tap("Це моя відповідь")
    with chat.db.transaction() as session:
        stored = session.exec(select(models.ProfileAnswer.value).order_by(col(models.ProfileAnswer.field))).all()
    assert stored == ["35", "ні"]


def test_so_many_more_is_typed_in_words(chat: Chat, load: Load) -> None:
    """After /session."""
    load([{"id": str(number), "text": "?", "options": ["так", "ні"], "gold": "так"} for number in range(20)])
    chat.begin()
    chat.say("/session")
    assert chat.say("ще 10")[0].startswith("✓ 10")
