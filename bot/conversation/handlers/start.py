"""Invitations, the language, the project menu and help; and refusals of what the bot does not handle."""

from __future__ import annotations

from dataclasses import replace

from sqlmodel import col, select

from annotation.errors import Stale
from annotation.store.models import Project
from annotation.workflow.annotators import invitations, withdrawal
from annotation.workflow.annotators.invitations import InvitationRefusal, RedeemedInvitation
from annotation.workflow.assignments import AssignedItem
from bot.conversation import navigation
from bot.conversation.conversation_state import ConversationStep
from bot.conversation.texts import COMMANDS, LANGUAGES, get_texts, list_commands
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import CommandMenu, TelegramCalls
from bot.conversation.views import menus, message_layout, onboarding

REFUSALS = {
    InvitationRefusal.UNKNOWN: "invitation-unknown",
    InvitationRefusal.EXPIRED: "invitation-expired",
    InvitationRefusal.USED_UP: "invitation-used-up",
    InvitationRefusal.CLOSED: "invitation-closed",
    InvitationRefusal.SUSPENDED: "suspended",
}


def start_conversation(context: UpdateContext) -> TelegramCalls:
    """`/start`, with or without an invitation code: show the current screen."""
    words = context.text.split(maxsplit=1)
    if len(words) == 1:
        return navigation.show_current_screen(context)
    redeemed = invitations.redeem_invitation(
        context.session, annotator_id=context.annotator_id, code=words[1][:64], now=context.now
    )
    if isinstance(redeemed, InvitationRefusal):
        return join_calls(context.send_text(REFUSALS[redeemed]), navigation.show_current_screen(context))
    _choose_entry(context, redeemed)
    return navigation.show_current_screen(context)


def repeat_language_question(context: UpdateContext) -> TelegramCalls:
    """A text while the language is asked for: ask again."""
    return navigation.show_current_screen(context)


def _choose_entry(context: UpdateContext, invitation: RedeemedInvitation) -> None:
    """Make the project of a redeemed invitation the chosen menu entry."""
    ids = set(context.session.exec(select(Project.id).where(col(Project.name).in_(invitation.projects))))
    for entry in navigation.list_menu_entries(context):
        if ids & set(entry.projects):
            context.save_state(replace(context.state, entry=entry.key))


def ask_language(context: UpdateContext) -> TelegramCalls:
    """`/language`: ask for the language."""
    context.save_state(context.state.with_step(ConversationStep.LANGUAGE))
    return context.send(onboarding.render_language_choice())


def set_language(context: UpdateContext) -> TelegramCalls:
    """Store the chosen language; the first time, send a welcome in it."""
    chosen = context.require_callback().word
    if chosen not in LANGUAGES:
        raise Stale("There is no such language.")
    is_first = context.state.step is ConversationStep.LANGUAGE
    context.annotator.language = chosen
    context.session.add(context.annotator)
    context.save_state(context.state.with_step(ConversationStep.NONE))
    menu = CommandMenu(chat_id=context.incoming.chat_id, language=chosen, commands=list_commands(chosen))
    message = "welcome" if context.annotator.time_zone is None else "language-noted"
    welcome = message_layout.render_text(get_texts(chosen), get_texts(chosen)(message))
    calls = join_calls(context.acknowledge(), context.edit(welcome), (menu,))
    return join_calls(calls, navigation.show_current_screen(context.without_tap())) if is_first else calls


def list_projects(context: UpdateContext) -> TelegramCalls:
    """`/projects`: the menu of open projects; with a single project, the current screen."""
    open_entries = [entry for entry in navigation.list_menu_entries(context) if entry.projects]
    return (
        navigation.show_menu(context, open_entries)
        if len(open_entries) > 1
        else navigation.show_current_screen(context)
    )


def enter_project(context: UpdateContext) -> TelegramCalls:
    """A line of the menu: release an item of another project, and begin or continue work on this one."""
    callback = context.require_callback()
    key = -callback.row_id if callback.get_number(0) else callback.row_id
    entry = next((candidate for candidate in navigation.list_menu_entries(context) if candidate.key == key), None)
    if entry is None:
        raise Stale("That is not open.")
    item = navigation.get_live_item(context)
    if isinstance(item, AssignedItem) and item.project_id not in entry.projects:
        withdrawal.release_live_assignments(context.session, annotator_id=context.annotator_id, now=context.now)
    exhausted_entries = tuple(candidate for candidate in context.state.exhausted_entries if candidate != key)
    context.save_state(replace(context.state, entry=key, exhausted_entries=exhausted_entries))
    return join_calls(context.acknowledge(), navigation.show_current_screen(context.without_tap()))


def resume_work(context: UpdateContext) -> TelegramCalls:
    """Show the current screen; a confirmation that was declined is marked so."""
    is_staying = context.require_callback().word == menus.STAY
    answered = (
        context.edit(message_layout.render_text(context.translate, context.translate("stays"))) if is_staying else ()
    )
    return join_calls(context.acknowledge(), answered, navigation.show_current_screen(context.without_tap()))


def show_help(context: UpdateContext) -> TelegramCalls:
    """`/help`: the list of commands."""
    commands = "\n".join(f"/{name} — {context.translate(f'command-{name}')}" for name in COMMANDS)
    return context.send(message_layout.render_text(context.translate, context.translate("help"), commands))


def refuse_unknown_command(context: UpdateContext) -> TelegramCalls:
    """An unknown command."""
    return join_calls(context.send_text("unknown-command"), navigation.show_current_screen(context))


def refuse_media(context: UpdateContext) -> TelegramCalls:
    """A sticker, a photo, a voice message."""
    return join_calls(context.send_text("only-text"), navigation.show_current_screen(context))


def refuse_edit(context: UpdateContext) -> TelegramCalls:
    """An edited message."""
    return context.send_text("edited")


def refuse_forged_tap(_: UpdateContext) -> TelegramCalls:
    """A button that this bot did not make; raises Stale."""
    raise Stale("This button is not ours.")
