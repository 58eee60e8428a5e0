"""The log of a campaign: every line that handling an update writes has its number, and none has personal data."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from sqlmodel import Session, select

from annotation.store.models import Annotator
from bot.conversation.updates_and_calls import IncomingUpdate, TelegramCalls
from bot.delivery import delivery_settings
from bot.delivery.log_format import LogFormat
from bot.delivery.transaction_runner import follow_update
from tests.bot.conftest import Chat

MASKED = "123:secret"
NAME, NOTE, ITEM, TITLE = "Соломія", "мій телефон 0501234567", "таємниче слово", "Слова під замком"


@contextmanager
def logged(log_format: LogFormat, *, token: str) -> Iterator[list[str]]:
    """The lines that the bot logs meanwhile, at the lowest level."""
    root, lines = logging.getLogger(), list[str]()
    before = root.handlers[:], root.level
    try:
        delivery_settings.configure_logging("DEBUG", token, log_format=log_format)
        [handler] = root.handlers
        handler.emit = lambda record: lines.append(handler.format(record))  # type: ignore[method-assign]
        yield lines
    finally:
        root.handlers[:], root.level = before


def break_note(chat: Chat) -> None:
    """Let the update with the note fail, with its text in the failure."""
    handle = chat.app.workers.settings.handle_update

    def fail(session: Session, incoming: IncomingUpdate, **named: object) -> TelegramCalls:
        if incoming.text == NOTE:
            raise LookupError(NOTE)
        return handle(session, incoming, **named)  # type: ignore[arg-type]

    chat.app.workers.settings = replace(chat.app.workers.settings, handle_update=fail)


async def test_lines_have_the_number_of_their_update_and_nothing_personal(
    chat: Chat, load: Callable[..., None]
) -> None:
    """Somebody joins, answers, writes what cannot be handled, and gets messages that Telegram refuses."""
    load((ITEM, ["дуб", "береза"]), ("друге", ["дуб", "береза"]), title=TITLE)
    person = chat.telegram.person(700_123_456, language="uk", name=NAME)
    break_note(chat)
    with logged("json", token=chat.telegram.token) as lines:
        await chat.send(person, "/start")
        for label in ("Українська", "Почати"):
            labels = [text for message in reversed(person.messages) for text, _ in message.buttons]
            await chat.tap(person, next(text for text in labels if text.startswith(label)))
        await chat.send(person, "А")
        await chat.send(person, NOTE)
        chat.telegram.faults.latency = 0.05  # so that one task sends both replies
        for command in ("/help", "/start"):
            chat.telegram.faults.fail("sendMessage", 400, "Bad Request: BUTTON_DATA_INVALID")
            person.send(command)
        await chat.app.deliver(*chat.telegram.take())
    assert chat.answers() == ["дуб"]
    records = [json.loads(line) for line in lines]
    assert len({record["update"] for record in records}) == 7
    assert len({record["update"] for record in records if record["logger"] == "bot.delivery.sender"}) == 2
    assert {(record["level"], record["logger"]) for record in records} == {
        ("DEBUG", "bot.delivery.workers"),
        ("ERROR", "bot.delivery.workers"),
        ("ERROR", "bot.delivery.sender"),
    }
    with chat.database.reading() as view:
        pseudonym = view.exec(select(Annotator.pseudonym)).one()
    personal = (NAME, NOTE, "0501234567", ITEM, TITLE, "дуб", "words", str(person.user.id), pseudonym)
    assert [word for word in personal if word in "\n".join(lines)] == []


def test_a_line_of_text_ends_with_the_number_of_its_update() -> None:
    """A line that belongs to none has none, and the token is masked in both formats."""
    log = logging.getLogger("bot.delivery.sender")
    with logged("text", token=MASKED) as lines:
        log.warning("Asked %s", "https://api.telegram.org/bot123:secret/getMe")
        follow_update(17)
        log.warning("Message %d waits.", 5)
        follow_update()
    assert lines[0].endswith(" WARNING bot.delivery.sender Asked https://api.telegram.org/bot(token)/getMe")
    assert lines[1].endswith(" WARNING bot.delivery.sender Message 5 waits. [update 17]")
    with logged("json", token=MASKED) as lines:
        log.error("Asked %s", "bot123:secret", exc_info=LookupError("gone"))
    [record] = map(json.loads, lines)
    assert (record["message"], record["level"]) == ("Asked bot(token)", "ERROR")
    assert record["trace"].endswith("LookupError: gone")
    assert record.keys() == {"at", "level", "logger", "message", "trace"}
