"""Commands for the rights of annotators: to see their data, to withdraw from a project, to have all data erased."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from math import ceil

from annotation.errors import Stale
from annotation.vocabulary import ParticipationStatus
from annotation.workflow import definitions, participations
from annotation.workflow.annotators import consents, erasure, invitations, own_data
from annotation.workflow.notices import wishes
from annotation.workflow.notices.wishes import Wish
from bot.conversation import message_layout, navigation, prompts, requirements
from bot.conversation.message_layout import RenderedMessage
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import NewDocument, TelegramCalls
from bot.conversation.views import menus, own_progress, return_card
from bot.conversation.views.menus import NoticeWord

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
    return join_calls(context.acknowledge(), context.ask(menus.render_card(wish, context.translate)))


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
    card = menus.render_card(wish, context.translate)
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


def _postpone_reminder(context: UpdateContext, *, once: bool = False) -> None:
    wishes.postpone_reminder(
        context.transaction.session,
        annotator=context.annotator,
        now=context.now,
        default_zone=context.settings.time_zone,
        once=once,
    )


def _wait_until_tomorrow(context: UpdateContext) -> TelegramCalls:
    """Remind the annotator tomorrow."""
    _postpone_reminder(context)
    return join_calls(context.acknowledge(), _replace_message(context, "reminder-tomorrow-noted"))


def _remind_once(context: UpdateContext) -> TelegramCalls:
    """Remind the annotator tomorrow, and not again; asked for on a card, which stays."""
    _postpone_reminder(context, once=True)
    told = context.send(menus.render_promise(context.translate))
    return join_calls(context.acknowledge(), told, _ask_zone(context, Wish(reminders=True, news=False)))


def invite_friends(context: UpdateContext) -> TelegramCalls:
    """Show the annotator's own link for friends; raises Stale where they take no part or it is not allowed any more."""
    project, definition = context.get_project(context.require_callback().row_id)
    participation = participations.get_participation(context.transaction.locked, project_id=project.id or 0)
    if participation is None or participation.status is ParticipationStatus.WITHDRAWN:
        raise Stale("You take no part in that project.")
    terms = definitions.get_terms(context.transaction.session, project=project, definition=definition)
    made = invitations.get_friend_invitation(
        context.transaction.session, terms=terms, annotator_id=context.annotator_id, now=context.now
    )
    if made is None:
        raise Stale("Friends are not invited there.")
    link = invitations.format_link(made.code, bot_name=context.settings.bot_name)
    shown = return_card.render_invitation(link, context.translate, uses=made.max_uses or 0, used=made.used)
    return join_calls(context.acknowledge(), context.send(shown))


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
    NoticeWord.ONCE: _remind_once,
    NoticeWord.STOP: _stop_reminders,
}
"""What the other buttons do."""


EXPORT_FILE_NAME = "mydata.json"
"""The name of the file that `/mydata` sends."""
EXPORT_INTERVAL = timedelta(minutes=10)
"""How often one annotator gets that file at the most."""


def send_my_data(context: UpdateContext) -> TelegramCalls:
    """`/mydata`: what is stored about the annotator, in words, and all of it as a JSON file."""
    summary = own_data.summarise_data(context.transaction.session, annotator_id=context.annotator_id)
    data = own_data.export_annotator(context.transaction.session, annotator_id=context.annotator_id)
    content = json.dumps(data, ensure_ascii=False, indent=2).encode()
    caption = context.translate("mydata")
    file = NewDocument(chat_id=context.incoming.chat_id, name=EXPORT_FILE_NAME, content=content, caption=caption)
    messages = own_progress.render_summary(
        summary, context.translate, zone=context.annotator.time_zone, has_telegram=context.has_telegram
    )
    return join_calls((file,), context.ask(messages))


def explain_wait_for_data(context: UpdateContext) -> TelegramCalls:
    """`/mydata` soon after the last time: say when the file can be had again."""
    wait = context.state.get_reply_wait(send_my_data.__name__, interval=EXPORT_INTERVAL, now=context.now)
    return context.send_text("mydata-again", minutes=ceil(wait / timedelta(minutes=1)))


def ask_project_to_leave(context: UpdateContext) -> TelegramCalls:
    """`/withdraw`: ask which project to leave."""
    joined = participations.list_joined_projects(
        context.transaction.session, annotator_id=context.annotator_id, include_withdrawn=False
    )
    projects = [(project.id or 0, project.title) for project in joined]
    if not projects:
        return join_calls(context.send_text("withdraw-nothing"), navigation.show_current_screen(context))
    return context.ask(menus.render_withdrawal_menu(projects, context.translate))


def withdraw_from_project(context: UpdateContext) -> TelegramCalls:
    """Ask for confirmation of the chosen project, or after it withdraw: the answers there no longer count."""
    callback = context.require_callback()
    found = context.find_project(callback.row_id)
    participation = participations.get_participation(context.transaction.locked, project_id=callback.row_id)
    if found is None or participation is None:
        raise Stale("You take no part in that project.")
    project, _ = found
    if not callback.get_number(0):
        chosen = message_layout.render_text(context.translate, context.translate("withdraw-which"), project.title)
        question = menus.render_withdrawal_confirmation(project.title, context.translate, project_id=callback.row_id)
        return join_calls(context.acknowledge(), context.edit(chosen), context.ask(question))
    counts = consents.withdraw_from_project(
        context.transaction.session, annotator_id=context.annotator_id, project=project, now=context.now
    )
    confirmation = context.translate("withdrawn-now", project=project.title, answers=counts.answers)
    context.save_state(context.state.without_prompt())
    told = join_calls(
        context.acknowledge(), context.edit_or_send(message_layout.render_text(context.translate, confirmation))
    )
    others = participations.list_joined_projects(
        context.transaction.session, annotator_id=context.annotator_id, include_withdrawn=False
    )
    return join_calls(told, navigation.show_current_screen(context.without_tap())) if others else told


def ask_erasure_confirmation(context: UpdateContext) -> TelegramCalls:
    """`/forget`: ask for confirmation."""
    return context.ask(menus.render_erasure_confirmation(context.translate))


def erase_annotator(context: UpdateContext) -> TelegramCalls:
    """Erase the answers, messages and personal data of the annotator, who has confirmed it."""
    translate = context.translate
    calls = join_calls(
        context.acknowledge(), context.edit_or_send(message_layout.render_text(translate, translate("forgotten")))
    )
    erasure.erase_annotator(context.transaction.session, annotator_id=context.annotator_id, now=context.now)
    return calls
