"""Organisers in the chat: `/admin`, and what a tap on one of their cards does.

Only whom the settings name is an organiser. To anybody else the command is unknown, and a button of theirs is one that
this bot did not make. A repeated tap finds what it changes changed already, and shows the card anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from annotation.campaigns.bot_commands import ADMIN
from annotation.errors import Conflict, NotFound, Stale
from annotation.workflow.annotators.withdrawal import ReleasedCounts
from annotation.workflow.conversations.conversation_state import ConversationStep
from annotation.workflow.monitoring import blindness
from annotation.workflow.notices import announcements
from annotation.workflow.organisers import campaigns, people
from annotation.workflow.organisers.campaigns import CampaignChoice
from annotation.workflow.organisers.people import MessageKind
from bot.conversation import organiser_notifications, prompts, updates_and_calls
from bot.conversation.handlers import organiser_announcements, organiser_invitations, organiser_texts
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import ButtonAction, CallbackData, TelegramCalls
from bot.conversation.views import organiser_cards


def asks_for_campaigns(context: UpdateContext) -> bool:
    """Whether an organiser sent the command; for anybody else there is none."""
    return context.command == ADMIN and organiser_notifications.is_organiser(context)


def is_organiser_tap(context: UpdateContext) -> bool:
    """Whether an organiser tapped a button of their cards; for anybody else there is no such button."""
    callback = context.callback
    return (
        callback is not None
        and callback.action is ButtonAction.ORGANISE
        and organiser_notifications.is_organiser(context)
    )


def send_campaigns(context: UpdateContext) -> TelegramCalls:
    """`/admin`: show all campaigns in a new message."""
    return context.send(*organiser_notifications.render_campaigns(context))


def is_stray_text(context: UpdateContext) -> bool:
    """Whether an organiser who takes part in nothing wrote a text that nothing asks for."""
    return (
        context.state.step in {ConversationStep.NONE, ConversationStep.LANGUAGE}
        and organiser_notifications.is_organiser(context)
        and not people.takes_part(context.transaction.session, annotator_id=context.annotator_id)
    )


def answer_stray_text(context: UpdateContext) -> TelegramCalls:
    """Say that nothing asks for a text, and show all campaigns with what can be done."""
    words = organiser_notifications.make_words(context)
    return join_calls(context.send(*words.render_card(words("stray-text"))), send_campaigns(context))


def apply_tap(context: UpdateContext) -> TelegramCalls:
    """Do what the tapped button of a card says; where it no longer applies, say so and show all campaigns."""
    callback = context.require_callback()
    act = TAPS.get(callback.word)
    if act is None:
        raise Stale("This button is not ours.")
    if context.state.step is ConversationStep.ORGANISER or _asks_to_send(context):
        context.save_state(context.state.with_step(ConversationStep.NONE))
    try:
        return act(context, callback)
    except (Stale, Conflict, NotFound):
        toast = organiser_notifications.make_words(context).shared("stale")
        return organiser_notifications.show_card(context, organiser_notifications.render_campaigns(context), toast)


def _asks_to_send(context: UpdateContext) -> bool:
    """Whether the bot asked last whether to send what the organiser wrote."""
    buttons = (button for row in prompts.decode_prompt(context.state.prompt).buttons for button in row)
    callbacks = (updates_and_calls.decode_callback(button.data) for button in buttons)
    return any(callback is not None and callback.action is ButtonAction.ORGANISE for callback in callbacks)


def _list_campaigns(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    page = callback.get_number(0) if callback.numbers else 0
    return organiser_notifications.show_card(context, organiser_notifications.render_campaigns(context, page=page))


def _get_campaign(context: UpdateContext, callback: CallbackData) -> CampaignChoice:
    return campaigns.get_campaign(context.transaction.session, kind=callback.get_number(0), campaign_id=callback.row_id)


def _show_campaign(context: UpdateContext, callback: CallbackData, toast: str = "") -> TelegramCalls:
    campaign = _get_campaign(context, callback)
    found = organiser_notifications.list_needs(context)
    summaries = organiser_notifications.summarise_campaign(context, campaign, found)
    card = organiser_cards.render_campaign(campaign, summaries, organiser_notifications.make_words(context))
    return organiser_notifications.show_card(context, card, toast)


def _pause_campaign(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    campaigns.pause_campaign(
        context.transaction.session, campaign=_get_campaign(context, callback), by=context.annotator_id, now=context.now
    )
    return _show_campaign(context, callback, organiser_notifications.make_words(context)("paused-now"))


def _resume_campaign(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    campaigns.resume_campaign(
        context.transaction.session, campaign=_get_campaign(context, callback), by=context.annotator_id, now=context.now
    )
    return _show_campaign(context, callback, organiser_notifications.make_words(context)("resumed-now"))


def _show_people(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    page = callback.get_number(0)
    project, _ = context.get_project(callback.row_id)
    listed, total = people.list_people(
        context.transaction.session, project_id=callback.row_id, page=page, now=context.now
    )
    words = organiser_notifications.make_words(context)
    card = organiser_cards.render_people(
        listed, words, project_id=callback.row_id, title=project.title, page=page, total=total
    )
    return organiser_notifications.show_card(context, card)


def _show_person(context: UpdateContext, callback: CallbackData, toast: str = "") -> TelegramCalls:
    project_id = callback.get_number(0)
    details = people.get_person(context.transaction.session, project_id=project_id, annotator_id=callback.row_id)
    card = organiser_cards.render_person(details, organiser_notifications.make_words(context), project_id=project_id)
    return organiser_notifications.show_card(context, card, toast)


def _unsuspend_person(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    campaigns.unsuspend_person(
        context.transaction.session, annotator_id=callback.row_id, by=context.annotator_id, now=context.now
    )
    return _show_person(context, callback, organiser_notifications.make_words(context)("unsuspended-now"))


def _readmit_person(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    campaigns.readmit_person(
        context.transaction.session,
        annotator_id=callback.row_id,
        project_id=callback.get_number(0),
        by=context.annotator_id,
        now=context.now,
    )
    return _show_person(context, callback, organiser_notifications.make_words(context)("readmitted-now"))


def _ask_to_release(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    """Ask before items are taken back, with their number: an annotator does not get them again by a second tap."""
    project_id, counts = callback.get_number(0), (callback.get_number(1), callback.get_number(2))
    details = people.get_person(context.transaction.session, project_id=project_id, annotator_id=callback.row_id)
    words = organiser_notifications.make_words(context)
    card = organiser_cards.render_release_question(details, words, project_id=project_id, counts=counts)
    return organiser_notifications.show_card(context, card)


def _release_items(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    released = campaigns.release_items(
        context.transaction.session,
        annotator_id=callback.row_id,
        project_id=callback.get_number(0),
        shown=ReleasedCounts(telegram=callback.get_number(1), label_studio=callback.get_number(2)),
        by=context.annotator_id,
        now=context.now,
    )
    words = organiser_notifications.make_words(context)
    counts = {"telegram": released.telegram, "label": released.label_studio}
    return _show_person(context, callback, words("released-now", **counts))


def _show_inbox(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    return organiser_notifications.show_card(
        context, organiser_notifications.render_next_message(context, project_id=callback.row_id)
    )


def _show_next_message(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    """Leave a message for now and show the next one."""
    message = organiser_notifications.get_message(context, callback)
    following = organiser_notifications.render_next_message(context, project_id=callback.get_number(1), after=message)
    return organiser_notifications.show_card(context, following)


def _dismiss_report(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    message = organiser_notifications.get_message(context, callback)
    campaigns.dismiss_report(context.transaction.session, message=message, by=context.annotator_id, now=context.now)
    following = organiser_notifications.render_next_message(context, project_id=callback.get_number(1), after=message)
    return organiser_notifications.show_card(
        context, following, organiser_notifications.make_words(context)("dismissed-now")
    )


def _request_export(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    project, _ = context.get_project(callback.row_id)
    words = organiser_notifications.make_words(context)
    title = organiser_cards.shorten_title(project.title)
    if blindness.is_blind(context.transaction.session, project):
        refusal = words.render_card(words("export-blind", project=title, name=project.name))
        return join_calls(context.acknowledge(), context.send(*refusal))
    if not campaigns.request_export(
        context.transaction.session, project=project, by=context.annotator_id, now=context.now
    ):
        return context.acknowledge_with(words("export-waiting"))
    asked = words.render_card(words("export-asked", project=title))
    return join_calls(context.acknowledge(), context.send(*asked))


def _add_to_instructions(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    """Answer the writer, and add the previewed answer to the instructions."""
    draft = announcements.get_draft(
        context.transaction.session, announcement_id=callback.row_id, author_id=context.annotator_id
    )
    number = callback.get_number(1)
    kind = MessageKind(number) if number in set(MessageKind) else MessageKind.QUESTION
    message = people.get_open_message(context.transaction.session, kind=kind, message_id=callback.get_number(0))
    campaigns.answer_everybody(
        context.transaction.session,
        message=message,
        draft=draft,
        quoted=organiser_notifications.quote_message(message),
        by=context.annotator_id,
        now=context.now,
    )
    words = organiser_notifications.make_words(context)
    done = organiser_notifications.show_card(context, words.render_card(words("answer-all-done")))
    return join_calls(done, context.send(*organiser_notifications.render_next_message(context, project_id=0)))


TAPS: Mapping[str, Callable[[UpdateContext, CallbackData], TelegramCalls]] = {
    "campaigns": _list_campaigns,
    "campaign": _show_campaign,
    "pause": _pause_campaign,
    "resume": _resume_campaign,
    "people": _show_people,
    "person": _show_person,
    "unsuspend": _unsuspend_person,
    "readmit": _readmit_person,
    "release": _ask_to_release,
    "release-now": _release_items,
    "inbox": _show_inbox,
    "next": _show_next_message,
    "dismiss": _dismiss_report,
    "export": _request_export,
    "add": _add_to_instructions,
    **organiser_announcements.TAPS,
    **organiser_invitations.TAPS,
    **dict.fromkeys(organiser_texts.QUESTIONS, organiser_texts.ask_for_text),
    **{f"{organiser_texts.ASKED}{word}": organiser_texts.leave_question for word in organiser_texts.QUESTIONS},
}
"""What the buttons of organisers' cards do, by their words."""
