"""Messages to all in the chat: they are sent or dropped after a preview, listed while people wait, and cancelled."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from annotation.errors import Stale
from annotation.workflow.notices import announcements, waiting_announcements
from annotation.workflow.notices.waiting_announcements import WaitingAnnouncement
from annotation.workflow.organisers import campaigns
from bot.conversation import organiser_notifications
from bot.conversation.update_context import UpdateContext
from bot.conversation.updates_and_calls import CallbackData, TelegramCalls
from bot.conversation.views import organiser_messages


def _send_announcement(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    draft = announcements.get_draft(
        context.transaction.session, announcement_id=callback.row_id, author_id=context.annotator_id
    )
    first = waiting_announcements.find_first_time(
        context.transaction.session, draft, now=context.now, default_zone=context.settings.time_zone
    )
    number = campaigns.send_announcement(
        context.transaction.session, announcement_id=callback.row_id, by=context.annotator_id, now=context.now
    )
    words = organiser_notifications.make_words(context)
    card = organiser_messages.render_announced(callback.row_id, words, recipients=number, first=first)
    return organiser_notifications.show_card(context, card)


def _drop_draft(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    announcements.drop_draft(
        context.transaction.session, announcement_id=callback.row_id, author_id=context.annotator_id
    )
    words = organiser_notifications.make_words(context)
    return organiser_notifications.show_card(context, organiser_messages.render_dropped(words))


def _list_waiting(context: UpdateContext, _callback: CallbackData) -> TelegramCalls:
    card = organiser_messages.render_waiting(
        organiser_notifications.list_waiting_announcements(context), organiser_notifications.make_words(context)
    )
    return organiser_notifications.show_card(context, card)


def _ask_to_cancel(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    card = organiser_messages.render_cancel_question(
        _get_waiting(context, callback), organiser_notifications.make_words(context)
    )
    return organiser_notifications.show_card(context, card)


def _cancel_announcement(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    cancelled = campaigns.cancel_announcement(
        context.transaction.session, announcement_id=callback.row_id, by=context.annotator_id, now=context.now
    )
    words = organiser_notifications.make_words(context)
    return organiser_notifications.show_card(context, organiser_messages.render_cancelled(cancelled, words))


def _get_waiting(context: UpdateContext, callback: CallbackData) -> WaitingAnnouncement:
    """The announcement of a button; raises Stale if nobody waits for it any more."""
    for announcement in organiser_notifications.list_waiting_announcements(context):
        if announcement.id == callback.row_id:
            return announcement
    raise Stale("Nobody waits for this announcement.")


TAPS: Mapping[str, Callable[[UpdateContext, CallbackData], TelegramCalls]] = {
    "send": _send_announcement,
    "drop": _drop_draft,
    "announced": _list_waiting,
    "cancel": _ask_to_cancel,
    "cancel-now": _cancel_announcement,
}
"""What the buttons about messages to all do, by their words."""
