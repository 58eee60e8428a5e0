"""Offers to write first: of news where there is nothing to answer now, and of the card where work is paused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from annotation.vocabulary import UnassignedReason
from annotation.workflow.conversations.conversation_state import ConversationStep
from annotation.workflow.notices import wishes
from annotation.workflow.participations import NothingAssigned
from bot.conversation import message_layout
from bot.conversation.update_context import UpdateContext
from bot.conversation.updates_and_calls import NewMessage, TelegramCall, TelegramCalls
from bot.conversation.views import notice_cards

PASSING_REASONS = {UnassignedReason.NOTHING_LEFT, UnassignedReason.COOL_DOWN, UnassignedReason.NOT_RUNNING}
"""Why there may be something to answer later although there is nothing now; a cap too, where it ends by itself."""


def may_pass(result: NothingAssigned) -> bool:
    """Whether there may be something to answer later, without anything that the annotator does."""
    return result.reason in PASSING_REASONS or result.until is not None


def add_news_offer(
    context: UpdateContext, explanations: Sequence[TelegramCall], results: Sequence[NothingAssigned]
) -> TelegramCalls:
    """The explanations why there is nothing to answer now, the last with the offer to write when there is something.

    It is offered where that may come (`results` are the reasons); where it is wanted already, that is said instead. The
    label of the button may be typed; any other text means what it means without the offer.
    """
    if not any(map(may_pass, results)):
        return tuple(explanations)
    *earlier, last = explanations
    wish = wishes.note_nothing_to_answer(context.transaction.session, annotator_id=context.annotator_id)
    added = notice_cards.render_news_offer(wish, context.translate)
    if not isinstance(last, NewMessage):
        raise TypeError("an explanation is a message")
    message = replace(added, html=f"{last.html}\n\n{added.html}", buttons=(*last.buttons, *added.buttons))
    return (*earlier, *(context.ask(message, ConversationStep.NONE) if message.buttons else context.send(message)))


def send_pause(context: UpdateContext, text_id: str, **arguments: int) -> TelegramCalls:
    """Say that work is paused, with a button that shows what the bot writes first."""
    paused = message_layout.render_text(context.translate, context.translate(text_id, **arguments))
    return context.send(replace(paused, buttons=((notice_cards.build_card_button(context.translate),),)))
