"""What the bot writes first, as annotators set it: `/reminders`, its card, and the buttons of reminders and news."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from annotation.errors import Stale
from annotation.workflow.notices import wishes
from annotation.workflow.notices.wishes import Wish
from bot.conversation import message_layout, navigation, prompts, requirements
from bot.conversation.message_layout import RenderedMessage
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import TelegramCalls
from bot.conversation.views import notice_cards
from bot.conversation.views.notice_cards import NoticeWord

CHANGES: Mapping[NoticeWord, Mapping[str, bool]] = {
    NoticeWord.REMIND: {"reminders": True},
    NoticeWord.NO_REMINDERS: {"reminders": False},
    NoticeWord.NEWS: {"news": True},
    NoticeWord.NO_NEWS: {"news": False},
    NoticeWord.NOTHING: {"reminders": False, "news": False},
}
"""What the buttons of the card set."""


def show_card(context: UpdateContext) -> TelegramCalls:
    """`/reminders`: show what the bot writes first, with buttons that turn it on and off."""
    wish = wishes.get_wish(context.transaction.session, annotator_id=context.annotator_id)
    return join_calls(context.acknowledge(), context.ask(notice_cards.render_card(wish, context.translate)))


def apply_tap(context: UpdateContext) -> TelegramCalls:
    """Do what a NOTICE button says; raises Stale for another word."""
    word = context.require_callback().word
    if word not in set(NoticeWord):
        raise Stale("This button is not ours.")
    chosen = NoticeWord(word)
    return _change_card(context, chosen) if chosen in CHANGES else _ACTS[chosen](context)


def _change_card(context: UpdateContext, word: NoticeWord) -> TelegramCalls:
    """Set what is wanted, and show it on the same card."""
    wish = _set_wish(context, **CHANGES[word])
    card = notice_cards.render_card(wish, context.translate)
    if context.state.asked_in == context.incoming.message_id:
        context.save_state(replace(context.state, prompt=prompts.encode_prompt(card)))
    return join_calls(context.acknowledge("noted"), context.edit_or_send(card), _ask_zone(context, wish))


def _tell_news(context: UpdateContext) -> TelegramCalls:
    """Want news, where there is nothing to answer now."""
    wish = _set_wish(context, news=True, saw_none=True)
    context.save_state(context.state.without_prompt())
    return join_calls(context.acknowledge(), _replace_message(context, "news-noted"), _ask_zone(context, wish))


def _go_on(context: UpdateContext) -> TelegramCalls:
    """Show the current screen; whoever goes on has not ignored the reminder."""
    _set_wish(context)
    return join_calls(context.acknowledge(), navigation.show_current_screen(context.without_tap()))


def _wait_until_tomorrow(context: UpdateContext) -> TelegramCalls:
    """Remind the annotator tomorrow."""
    wishes.postpone_reminder(
        context.transaction.session,
        annotator=context.annotator,
        now=context.now,
        default_zone=context.settings.time_zone,
    )
    return join_calls(context.acknowledge(), _replace_message(context, "reminder-tomorrow-noted"))


def _stop_reminders(context: UpdateContext) -> TelegramCalls:
    """Turn reminders off, below one of them."""
    _set_wish(context, reminders=False)
    return join_calls(context.acknowledge(), _replace_message(context, "reminder-stop-noted"))


def _set_wish(context: UpdateContext, *, saw_none: bool = False, **changes: bool) -> Wish:
    return wishes.set_wish(
        context.transaction.session,
        annotator=context.annotator,
        now=context.now,
        default_zone=context.settings.time_zone,
        saw_none=saw_none,
        **changes,
    )


def _replace_message(context: UpdateContext, text_id: str) -> TelegramCalls:
    confirmation: RenderedMessage = message_layout.render_text(context.translate, context.translate(text_id))
    return context.edit_or_send(confirmation)


def _ask_zone(context: UpdateContext, wish: Wish) -> TelegramCalls:
    """Ask for the time zone where it is unknown and something is wanted, which comes by day."""
    is_needed = context.annotator.time_zone is None and (wish.reminders or wish.news)
    return requirements.ask_time_zone(context.without_tap(), for_notices=True) if is_needed else ()


_ACTS: Mapping[NoticeWord, Callable[[UpdateContext], TelegramCalls]] = {
    NoticeWord.CARD: show_card,
    NoticeWord.TELL: _tell_news,
    NoticeWord.GO_ON: _go_on,
    NoticeWord.TOMORROW: _wait_until_tomorrow,
    NoticeWord.STOP: _stop_reminders,
}
"""What the other buttons do."""
