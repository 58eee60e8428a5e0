"""What the cards of organisers are made from: who is one, how they are spoken to, and what waits for an answer."""

from __future__ import annotations

from annotation.errors import Stale
from annotation.workflow.organisers import campaigns, open_messages
from annotation.workflow.organisers.open_messages import MessageKind, OpenMessage
from bot.conversation.texts import get_texts, match_language
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import CallbackData, TelegramCalls
from bot.conversation.views import organiser_cards, organiser_messages
from bot.conversation.views.organiser_cards import OrganiserCard, OrganiserWords


def is_organiser(context: UpdateContext) -> bool:
    """Whether the person is an organiser, by the settings."""
    return context.incoming.telegram_id in context.settings.organisers


def make_words(context: UpdateContext) -> OrganiserWords:
    """How the organiser is spoken to."""
    return organiser_cards.make_words(
        context.translate, zone=context.annotator.time_zone, default_zone=context.settings.time_zone, now=context.now
    )


def show_card(context: UpdateContext, card: OrganiserCard, toast: str = "") -> TelegramCalls:
    """Acknowledge the tap and show a card in place of the tapped one; its further parts are new messages."""
    first, *more = card
    return join_calls(context.acknowledge_with(toast), context.edit_or_send(first), context.send(*more))


def render_campaigns(context: UpdateContext, *, page: int = 0) -> OrganiserCard:
    """A page of all campaigns, from 0; the last one where there are not so many."""
    listed = campaigns.list_campaigns(context.transaction.session)
    shown = min(page, max(0, len(listed) - 1) // organiser_cards.PAGE)
    start = shown * organiser_cards.PAGE
    found = [
        (
            campaign,
            [
                campaigns.summarise_project(context.transaction.session, project, now=context.now)
                for project in campaign.projects
            ],
        )
        for campaign in listed[start : start + organiser_cards.PAGE]
    ]
    return organiser_cards.render_campaigns(
        found,
        make_words(context),
        waiting=open_messages.count_open_messages(context.transaction.session),
        page=shown,
        total=len(listed),
    )


def get_message(context: UpdateContext, callback: CallbackData) -> OpenMessage:
    """The question or report that a button names; raises Stale where it does not wait any more."""
    number = callback.get_number(0)
    if number not in set(MessageKind):
        raise Stale("There are no such messages.")
    return open_messages.get_open_message(
        context.transaction.session, kind=MessageKind(number), message_id=callback.row_id
    )


def render_next_message(context: UpdateContext, *, project_id: int, after: OpenMessage | None = None) -> OrganiserCard:
    """The card of the message that waits next in a project (0: in all), after another one, or that none does."""
    words = make_words(context)
    place = None if after is None else open_messages.get_place(after)
    following = open_messages.find_next_message(context.transaction.session, project_id=project_id or None, after=place)
    if following is None:
        return organiser_messages.render_empty_inbox(words, project_id=project_id)
    left = open_messages.count_open_messages(context.transaction.session, project_id=project_id or None)
    return organiser_messages.render_open_message(following, words, left=left, project_id=project_id)


def quote_message(message: OpenMessage) -> str:
    """What an answer repeats of a message, in the language of its writer."""
    return organiser_messages.describe_message(message, get_texts(match_language(message.language)))
