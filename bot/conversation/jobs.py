"""What the bot says unasked: who it is, and the organisers' answers."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from annotation.store.models import Annotator
from annotation.workflow.annotators import messages
from bot.conversation.texts import DEFAULT, LANGUAGES, commands, nearest, texts
from bot.conversation.updates_and_calls import Calls, Introduction, Send
from bot.conversation.views import message_layout, message_text
from bot.conversation.views.message_text import Block


def introductions() -> tuple[Introduction, ...]:
    """Who the bot is, in each of its languages, and for people of all others."""
    return tuple(
        Introduction(
            language=language,
            commands=commands(language or DEFAULT),
            description=texts(language or DEFAULT)("bot-description"),
            about=texts(language or DEFAULT)("bot-about"),
        )
        for language in ("", *LANGUAGES)
    )


def answers(session: Session, *, now: datetime) -> Calls:
    """Answers that their people have not had, each noted as delivered: the calls are to be kept in this transaction.

    Whoever cannot be reached has hers when she is back, and so has she whose letter was lost on its way.
    """
    calls: list[Send] = []
    for message in messages.to_deliver(session):
        person = session.get_one(Annotator, message.annotator_id)
        if person.telegram_id is None or person.unreachable_at is not None:
            continue
        say = texts(nearest(person.language))
        blocks = [
            message_text.strong(say("answered")),
            Block(message_text.shortened(message.text, 300), fold=True),
            Block(message.answer or ""),
        ]
        told = message_layout.messages(blocks, say)
        calls += [
            Send(chat_id=person.telegram_id, html=one.html, silent=False, repeatable=False, answers=message.id)
            for one in told
        ]
        messages.delivered(session, message_id=message.id or 0, now=now)
    return tuple(calls)
