"""Texts that organisers type in the chat: answers, messages to all, the reason of a suspension.

The button under the question leads back, and its data say what the text is for, so that nothing else has to be kept.
What goes to more than one person is shown before it is sent.
"""

from __future__ import annotations

from aggregation import placeholders
from annotation.campaigns import bot_commands
from annotation.errors import BadInput, Conflict, Stale
from annotation.workflow.conversations.conversation_state import ConversationStep
from annotation.workflow.notices import announcements, waiting_announcements
from annotation.workflow.organisers import campaigns, people
from annotation.workflow.organisers.campaigns import PROGRAMME
from bot.conversation import organiser_notifications, prompts, updates_and_calls
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import CallbackData, TelegramCalls
from bot.conversation.views import organiser_cards, organiser_messages
from bot.conversation.views.organiser_cards import OrganiserCard

ANSWER, ANSWER_ALL, SUSPEND, ANNOUNCE = "answer", "answer-all", "suspend", "announce"
QUESTIONS = (ANSWER, ANSWER_ALL, SUSPEND, ANNOUNCE)
"""The words of the buttons that ask for a text."""
ASKED = "asked-"
"""What the word of the button that leads back from such a question begins with."""


def ask_for_text(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    """Ask the organiser to type what the tapped button needs."""
    words = organiser_notifications.make_words(context)
    back = organiser_cards.build_act_button(
        words("button-back"), f"{ASKED}{callback.word}", callback.row_id, *callback.numbers
    )
    question = words.render_card(_format_question(context, callback), buttons=((back,),))
    return join_calls(context.acknowledge(), context.ask(question, ConversationStep.ORGANISER))


def _format_question(context: UpdateContext, callback: CallbackData) -> str:
    """What is asked; raises Stale where the button no longer applies."""
    words = organiser_notifications.make_words(context)
    if callback.word == ANNOUNCE:
        return words("announce-type")
    if callback.word == SUSPEND:
        person = people.get_person(
            context.transaction.session, project_id=callback.get_number(0), annotator_id=callback.row_id
        )
        return words("suspend-why", name=person.listed.pseudonym)
    message = organiser_notifications.get_message(context, callback)
    return words("answer-all-type" if callback.word == ANSWER_ALL else "answer-type", name=message.pseudonym)


def leave_question(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    """Ask for nothing any more and show where the organiser was before."""
    words = organiser_notifications.make_words(context)
    if callback.word == f"{ASKED}{ANNOUNCE}":
        return organiser_notifications.show_card(context, organiser_messages.render_dropped(words))
    if callback.word == f"{ASKED}{SUSPEND}":
        card = _render_person(context, callback)
    else:
        card = organiser_notifications.render_next_message(context, project_id=callback.get_number(1))
    return organiser_notifications.show_card(context, card)


def _render_person(context: UpdateContext, asked: CallbackData) -> OrganiserCard:
    """The card of the annotator whose suspension was asked about."""
    project_id = asked.get_number(0)
    person = people.get_person(context.transaction.session, project_id=project_id, annotator_id=asked.row_id)
    return organiser_cards.render_person(person, organiser_notifications.make_words(context), project_id=project_id)


def submit_text(context: UpdateContext) -> TelegramCalls:
    """Take the typed text for what was asked; whoever is no organiser any more is shown where they are."""
    [[back]] = prompts.decode_prompt(context.state.prompt).buttons
    asked = updates_and_calls.decode_callback(back.data)
    words = organiser_notifications.make_words(context)
    if asked is None or not organiser_notifications.is_organiser(context):
        raise Stale("Nobody asked for this.")
    unknown = bot_commands.list_unknown_commands(context.text) if asked.word != f"{ASKED}{SUSPEND}" else ()
    if unknown:
        return context.send(*words.render_card(words("unknown-command", command=f"/{unknown[0]}")))
    if asked.word == f"{ASKED}{SUSPEND}" and placeholders.is_unwritten(context.text):
        context.save_state(context.state.without_prompt())
        told = context.send(*words.render_card(words("no-reason")))
        return join_calls(told, context.send(*_render_person(context, asked)))
    submit = {
        f"{ASKED}{ANSWER}": _answer_writer,
        f"{ASKED}{ANSWER_ALL}": _preview_answer,
        f"{ASKED}{SUSPEND}": _suspend_person,
        f"{ASKED}{ANNOUNCE}": _preview_announcement,
    }[asked.word]
    try:
        calls = submit(context, asked)
    except BadInput:
        is_empty = not context.text.strip()
        refusal = words("empty-text") if is_empty else words("too-long-text", most=announcements.MAX_TEXT_LENGTH)
        return context.send(*words.render_card(refusal))
    except (Stale, Conflict):
        told = context.send(*words.render_card(words.shared("stale")))
        calls = join_calls(told, context.send(*organiser_notifications.render_campaigns(context)))
    if context.state.step is ConversationStep.ORGANISER:  # no preview asks whether to send it
        context.save_state(context.state.without_prompt())
    return calls


def _answer_writer(context: UpdateContext, asked: CallbackData) -> TelegramCalls:
    message = organiser_notifications.get_message(context, asked)
    campaigns.answer_message(
        context.transaction.session,
        message=message,
        text=context.text,
        quoted=organiser_notifications.quote_message(message),
        by=context.annotator_id,
        now=context.now,
    )
    words = organiser_notifications.make_words(context)
    sent = context.send(*words.render_card(words("answer-sent", name=message.pseudonym)))
    return join_calls(
        sent, context.send(*organiser_notifications.render_next_message(context, project_id=asked.get_number(1)))
    )


def _preview_answer(context: UpdateContext, asked: CallbackData) -> TelegramCalls:
    message = organiser_notifications.get_message(context, asked)
    if message.project_id is None:
        raise Stale("There are no instructions to which the answer could be added.")
    draft = announcements.write_announcement(
        context.transaction.session,
        text=context.text,
        project_id=message.project_id,
        author_id=context.annotator_id,
        now=context.now,
    )
    preview = organiser_messages.render_instruction_preview(
        draft.text, organiser_notifications.make_words(context), project=message.project or "", draft_id=draft.id or 0,
        message=message,
    )  # fmt: skip
    return context.ask(preview)


def _suspend_person(context: UpdateContext, asked: CallbackData) -> TelegramCalls:
    project_id = asked.get_number(0)
    campaigns.suspend_person(
        context.transaction.session,
        annotator_id=asked.row_id,
        reason=context.text,
        by=context.annotator_id,
        now=context.now,
    )
    words = organiser_notifications.make_words(context)
    person = people.get_person(context.transaction.session, project_id=project_id, annotator_id=asked.row_id)
    told = words.render_card(words("suspended-now", name=person.listed.pseudonym))
    return join_calls(
        context.send(*told), context.send(*organiser_cards.render_person(person, words, project_id=project_id))
    )


def _preview_announcement(context: UpdateContext, asked: CallbackData) -> TelegramCalls:
    """Store the message as a draft and show it, with how many would get it."""
    target: dict[str, int] = {}
    if asked.row_id:
        campaign = campaigns.get_campaign(
            context.transaction.session, kind=asked.get_number(0), campaign_id=asked.row_id
        )
        target = {"programme_id" if campaign.kind == PROGRAMME else "project_id": campaign.id}
    draft = announcements.write_announcement(
        context.transaction.session, text=context.text, author_id=context.annotator_id, now=context.now, **target
    )
    draft_id, recipients = draft.id or 0, announcements.count_recipients(context.transaction.session, draft)
    words = organiser_notifications.make_words(context)
    first = waiting_announcements.find_first_time(
        context.transaction.session, draft, now=context.now, default_zone=context.settings.time_zone
    )
    preview = organiser_messages.render_announcement_preview(
        draft.text, words, draft_id=draft_id, recipients=recipients, first=first
    )
    if not recipients:
        announcements.drop_draft(context.transaction.session, announcement_id=draft_id, author_id=context.annotator_id)
        return context.send(*preview)
    return context.ask(preview)
