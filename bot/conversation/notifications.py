"""Messages that the bot sends without an update to answer: its profile, and the organisers' answers to questions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from annotation.workflow.annotators import support_messages
from bot.conversation import message_layout
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import DEFAULT_LANGUAGE, LANGUAGES, get_texts, list_commands, match_language
from bot.conversation.updates_and_calls import BotProfile, NewMessage, TelegramCalls

if TYPE_CHECKING:
    from sqlmodel import Session

MAX_QUOTED_UNITS = 300
"""How much of a question is quoted above its answer, in UTF-16 units."""


def list_bot_profiles() -> tuple[BotProfile, ...]:
    """The profile of the bot in each of its languages, and one for all other languages."""
    return tuple(
        BotProfile(
            language=language,
            commands=list_commands(language or DEFAULT_LANGUAGE),
            description=get_texts(language or DEFAULT_LANGUAGE)("bot-description"),
            about=get_texts(language or DEFAULT_LANGUAGE)("bot-about"),
        )
        for language in ("", *LANGUAGES)
    )


def deliver_organiser_answers(session: Session, *, now: datetime) -> TelegramCalls:
    """Mark undelivered answers as delivered and return messages with them, to be stored in the same transaction.

    Answers to annotators who have blocked the bot stay undelivered until they unblock it. An answer whose outbox
    message was deleted unsent is undelivered again.
    """
    calls: list[NewMessage] = []
    for undelivered in support_messages.list_undelivered_answers(session):
        translate = get_texts(match_language(undelivered.language))
        blocks = [
            message_layout.make_bold_block(translate("answered")),
            TextBlock(message_layout.shorten_text(undelivered.text, MAX_QUOTED_UNITS), fold=True),
            TextBlock(undelivered.answer),
        ]
        calls += [
            NewMessage(
                chat_id=undelivered.telegram_id,
                html=rendered.html,
                silent=False,
                repeatable=False,
                answered_message_id=undelivered.message_id,
            )
            for rendered in message_layout.render_messages(blocks, translate)
        ]
        support_messages.mark_delivered(session, message_id=undelivered.message_id, now=now)
    return tuple(calls)
