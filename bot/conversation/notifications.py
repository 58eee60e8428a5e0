"""Messages that the bot sends without an update to answer: its profile, answers to questions, rejected answers,
announcements, and what annotators wished for.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from annotation.workflow.annotators import support_messages
from annotation.workflow.notices import announcements, wishes
from annotation.workflow.organisers.alerts import Observation
from annotation.workflow.review import submissions
from bot.conversation import message_layout, organiser_notifications
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import DEFAULT_LANGUAGE, get_texts, list_commands, list_languages, match_language
from bot.conversation.updates_and_calls import BotProfile, ConversationSettings, NewMessage, TelegramCalls
from bot.conversation.views import menus

if TYPE_CHECKING:
    from sqlmodel import Session

MAX_QUOTED_UNITS = 300
"""How much of a question is quoted above its answer, in UTF-16 units."""


def list_bot_profiles() -> tuple[BotProfile, ...]:
    """The profile of the bot in each of its languages, and one for all other languages.

    Telegram has no profiles for languages whose code has three letters: there their speakers see that for all others.
    """
    return tuple(
        BotProfile(
            language=language,
            commands=list_commands(language or DEFAULT_LANGUAGE),
            description=get_texts(language or DEFAULT_LANGUAGE)("bot-description"),
            about=get_texts(language or DEFAULT_LANGUAGE)("bot-about"),
        )
        for language in ("", *(code for code in list_languages() if len(code) == 2))
    )


def collect_notifications(
    session: Session,
    *,
    now: datetime,
    settings: ConversationSettings,
    observed: Observation | None = None,
) -> TelegramCalls:
    """All messages that wait to be put into the outbox; they are marked as put there in the same transaction.

    `observed` is as in `tell_organisers`. Where anything was observed, old drafts are deleted.
    """
    if observed is not None:
        announcements.delete_old_drafts(session, now=now)
    return (
        *send_wished_notices(session, now=now, settings=settings),
        *deliver_organiser_answers(session, now=now),
        *tell_of_reviews(session, now=now),
        *send_announcements(session, now=now, settings=settings),
        *organiser_notifications.tell_organisers(session, now=now, settings=settings, observed=observed),
    )


def send_wished_notices(session: Session, *, now: datetime, settings: ConversationSettings) -> TelegramCalls:
    """Reminders and news that are due, by day where their annotators are."""
    due = wishes.queue_wished_notices(session, now=now, default_zone=settings.time_zone, simulated=settings.simulated)
    rendered = [menus.render_notice(wish.kind, wish.title, get_texts(match_language(wish.language))) for wish in due]
    return tuple(
        NewMessage(
            chat_id=queued.telegram_id,
            html=message.html,
            buttons=message.buttons,
            silent=False,
            repeatable=False,
            notice=queued.notice,
            send_before=queued.send_before,
        )
        for queued, message in zip(due, rendered, strict=True)
    )


def send_announcements(session: Session, *, now: datetime, settings: ConversationSettings) -> TelegramCalls:
    """The next messages of announcements, by day where their annotators are."""
    calls: list[NewMessage] = []
    due = announcements.queue_announcements(
        session, now=now, default_zone=settings.time_zone, simulated=settings.simulated
    )
    for queued in due:
        translate = get_texts(match_language(queued.language))
        title = None if queued.title is None else message_layout.shorten_text(queued.title, MAX_QUOTED_UNITS)
        heading = translate("announcement") if title is None else translate("announcement-of", project=title)
        blocks = [message_layout.make_bold_block(heading), TextBlock(queued.text)]
        calls += [
            NewMessage(
                chat_id=queued.telegram_id,
                html=rendered.html,
                silent=False,
                repeatable=False,
                notice=queued.notice,
                send_before=queued.send_before,
            )
            for rendered in message_layout.render_messages(blocks, translate)
        ]
    return tuple(calls)


def tell_of_reviews(session: Session, *, now: datetime) -> TelegramCalls:
    """Mark decisions of reviewers as told, and return the messages that tell their annotators of them."""
    calls: list[NewMessage] = []
    for review in submissions.list_untold_reviews(session):
        translate = get_texts(match_language(review.language))
        title = message_layout.shorten_text(review.project, MAX_QUOTED_UNITS)
        lines = [translate("review-counts-again" if review.reason is None else "review-what-follows")]
        if review.reason is not None:
            lines.insert(0, translate("review-reason", reason=review.reason))
            lines += [] if review.is_paid is None else [translate("review-paid" if review.is_paid else "review-unpaid")]
        heading = "review-taken-back" if review.reason is None else "review-rejected"
        blocks = [
            message_layout.make_bold_block(translate(heading, project=title)),
            TextBlock(message_layout.shorten_text(review.stimulus, MAX_QUOTED_UNITS), fold=True),
            TextBlock("\n".join(lines)),
        ]
        calls += [
            NewMessage(chat_id=review.telegram_id, html=rendered.html, silent=False, repeatable=False)
            for rendered in message_layout.render_messages(blocks, translate)
        ]
        submissions.mark_told(session, review_id=review.review_id, now=now)
    return tuple(calls)


def deliver_organiser_answers(session: Session, *, now: datetime, telegram_id: int | None = None) -> TelegramCalls:
    """Mark undelivered answers as delivered and return messages with them, to be stored in the same transaction.

    Answers to annotators who have blocked the bot stay undelivered until they unblock it. An answer whose outbox
    message was deleted unsent is undelivered again. With `telegram_id`, only those to this person, who is there now.
    """
    calls: list[NewMessage] = []
    for undelivered in support_messages.list_undelivered_answers(session, telegram_id=telegram_id):
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
