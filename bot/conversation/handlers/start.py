"""Invitations, the language, the project menu and help; and replies to updates that the bot does not handle."""

from __future__ import annotations

from dataclasses import replace

from annotation.errors import Stale
from annotation.workflow import assignments
from annotation.workflow.allocation import open_projects
from annotation.workflow.annotators import invitations, page_accounts, registration, united_accounts
from annotation.workflow.annotators.invitations import InvitationRefusal, RedeemedInvitation
from annotation.workflow.annotators.united_accounts import Move
from annotation.workflow.assignments import AssignedItem
from annotation.workflow.conversations import conversation_state
from annotation.workflow.conversations.conversation_state import AnswerDraft, ConversationState, ConversationStep
from bot.conversation import case_queue, message_layout, navigation, organiser_notifications, requirements
from bot.conversation.texts import get_texts, list_commands, list_languages
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import CommandMenu, TelegramCalls
from bot.conversation.views import menus, onboarding

REFUSAL_TEXTS = {
    InvitationRefusal.UNKNOWN: "invitation-unknown",
    InvitationRefusal.EXPIRED: "invitation-expired",
    InvitationRefusal.USED_UP: "invitation-used-up",
    InvitationRefusal.CLOSED: "invitation-closed",
    InvitationRefusal.SUSPENDED: "suspended",
}
"""The ids of the texts that explain why an invitation was not redeemed."""
MOVE_TEXTS = {
    Move.MOVED: "page-moved",
    Move.UNITED: "page-united",
    Move.SUSPENDED: "suspended",
    Move.IN_LABEL_STUDIO: "page-unite-refused",
    Move.UNKNOWN: "page-code-unknown",
}
"""The ids of the texts that say whether somebody goes on in Telegram."""


def start_conversation(context: UpdateContext) -> TelegramCalls:
    """`/start`: redeem the invitation code, if there is one, and show the current screen."""
    words = context.text.split(maxsplit=1)
    if len(words) == 1:
        return navigation.show_current_screen(context)
    moved = _move_account(context, words[1])
    if moved:
        return moved
    redeemed = invitations.redeem_invitation(
        context.transaction.session, annotator_id=context.annotator_id, code=words[1][:64], now=context.now
    )
    if isinstance(redeemed, InvitationRefusal):
        return join_calls(context.send_text(REFUSAL_TEXTS[redeemed]), navigation.show_current_screen(context))
    if redeemed.adjudicates and context.state.step is not ConversationStep.LANGUAGE:
        menu = _build_command_menu(context, context.translate.language, adjudicates=True)
        return join_calls((menu,), case_queue.show_next_case(context))
    _choose_entry(context, redeemed)
    return navigation.show_current_screen(context)


def _move_account(context: UpdateContext, code: str) -> TelegramCalls:
    """Let somebody who answered without Telegram go on here, by their personal code; nothing for any other code."""
    try:
        account_id = page_accounts.read_code(code, context.settings.key)
    except page_accounts.BadCode:
        return ()
    return _go_on_with(context, account_id, is_confirmed=False) if context.has_telegram else ()


def unite_accounts(context: UpdateContext) -> TelegramCalls:
    """Make one account of two, after the question whether to; raises Stale where another question was asked since."""
    callback = context.require_callback()
    account_id = callback.get_number(0) * menus.HALF_ACCOUNT + callback.get_number(1)
    if context.state.step is not ConversationStep.CHOICE or context.state.subject_id != account_id:
        raise Stale("This is not asked any more.")
    return join_calls(context.acknowledge(), _go_on_with(context, account_id, is_confirmed=True))


def _go_on_with(context: UpdateContext, account_id: int, *, is_confirmed: bool) -> TelegramCalls:
    """Let the account of the answer page go on in this chat; ask first where somebody takes part in it already."""
    found = conversation_state.find_conversation(context.transaction.session, telegram_id=account_id)
    if is_confirmed:  # whatever becomes of it, nothing is asked any more
        context.save_state(context.state.without_prompt())
    if found is None:
        return context.edit_or_send(
            message_layout.render_text(context.translate, context.translate(MOVE_TEXTS[Move.UNKNOWN]))
        )
    account, record = found
    moved = united_accounts.move_to_telegram(
        context.transaction.session,
        account=account,
        own=context.transaction.locked,
        is_confirmed=is_confirmed,
        now=context.now,
    )
    if moved is Move.UNCONFIRMED:
        question = menus.render_union_confirmation(context.translate, account_id=account_id)
        return context.ask(question, subject_id=account_id)
    if moved in {Move.MOVED, Move.UNITED}:
        joined = _join_states(context.state, record.state, is_newcomer=moved is Move.MOVED)
        context.save_state(replace(joined, drafts=_move_drafts(context, joined.drafts)))
    return context.edit_or_send(message_layout.render_text(context.translate, context.translate(MOVE_TEXTS[moved])))


def _join_states(own: ConversationState, other: ConversationState, *, is_newcomer: bool) -> ConversationState:
    """The state of the chat after an account of the page has moved to it: what is read and begun stays.

    A newcomer goes on as on the page, with the language that they chose there.
    """
    base = replace(other, asked_by=None, asked_in=None, long_text=None) if is_newcomer else own
    if base.step is not ConversationStep.LANGUAGE:
        base = base.without_prompt()
    drafts = (*other.drafts, *own.drafts)[-conversation_state.MAX_DRAFTS :]
    return replace(base, drafts=drafts, read_cards=other.read_cards | own.read_cards)


def _move_drafts(context: UpdateContext, drafts: tuple[AnswerDraft, ...]) -> tuple[AnswerDraft, ...]:
    """The drafts, those of an assignment that was taken out for the one of the same item that stays, if it has none."""
    begun = {draft.assignment_id for draft in drafts}
    stays = united_accounts.find_items_in_hand(
        context.transaction.session, context.transaction.locked.annotator_id, assignment_ids=begun
    )
    return tuple(
        replace(draft, assignment_id=stays[draft.assignment_id], revision=0)
        if stays.get(draft.assignment_id, draft.assignment_id) not in begun
        else draft
        for draft in drafts
    )


def _choose_entry(context: UpdateContext, invitation: RedeemedInvitation) -> None:
    """Make the project or programme of a redeemed invitation the chosen menu entry."""
    open_now = assignments.get_eligibility(context.transaction, now=context.now).open_projects
    project_ids = {project.project for project in open_now if project.name in invitation.projects}
    for entry in open_projects.list_choices(open_now):
        if project_ids & set(entry.projects):
            context.save_state(replace(context.state, entry=entry.key))


def ask_language(context: UpdateContext) -> TelegramCalls:
    """`/language`: ask for the language."""
    return context.ask(onboarding.render_language_choice(context.translate.language), ConversationStep.LANGUAGE)


def set_language(context: UpdateContext) -> TelegramCalls:
    """Store the chosen language and confirm it, with a welcome the first time; then set the command menu."""
    chosen = context.require_callback().word
    if chosen not in list_languages():
        raise Stale("There is no such language.")
    was_asked = context.state.step is ConversationStep.LANGUAGE
    registration.set_language(context.transaction.session, annotator=context.annotator, language=chosen)
    if was_asked:
        context.save_state(context.state.with_step(ConversationStep.NONE))
    is_adjudicator, is_new = case_queue.is_adjudicator(context), not context.state.read_cards
    menu = _build_command_menu(context, chosen, adjudicates=is_adjudicator)
    confirmation = message_layout.render_text(
        get_texts(chosen), get_texts(chosen)("welcome" if is_new else "language-noted")
    )
    calls = join_calls(context.acknowledge(), context.edit(confirmation), (menu,))
    if not was_asked:
        return calls
    show = case_queue.show_next_case if is_adjudicator and is_new else navigation.show_current_screen
    return join_calls(calls, show(context.without_tap()))


def _build_command_menu(context: UpdateContext, language: str, *, adjudicates: bool) -> CommandMenu:
    commands = list_commands(
        language,
        adjudicates=adjudicates,
        organises=organiser_notifications.is_organiser(context),
        has_page=context.has_page,
    )
    return CommandMenu(chat_id=context.incoming.chat_id, language=language, commands=commands)


def list_projects(context: UpdateContext) -> TelegramCalls:
    """`/projects`: show the menu of projects; with a single project, the current screen."""
    offers = assignments.list_offers(context.transaction, now=context.now)
    if len(offers) < 2:
        return navigation.show_current_screen(context)
    menu = navigation.render_menu(context, offers)
    return context.ask(menu) if menu.buttons else context.send(menu)


def enter_project(context: UpdateContext) -> TelegramCalls:
    """Begin or continue work on the menu entry that was tapped; a live item of another entry is released."""
    callback = context.require_callback()
    key = -callback.row_id if callback.get_number(0) else callback.row_id
    entry = next((candidate for candidate in navigation.list_menu_entries(context) if candidate.key == key), None)
    if entry is None:
        raise Stale("That is not open.")
    item = navigation.get_live_item(context)
    older: TelegramCalls = ()
    if isinstance(item, AssignedItem) and item.project_id not in entry.projects:
        older = navigation.remove_item_buttons(context, item)
        navigation.release_live_item(context)
    exhausted_entries = tuple(candidate for candidate in context.state.exhausted_entries if candidate != key)
    context.save_state(replace(context.state, entry=key, exhausted_entries=exhausted_entries))
    return join_calls(context.acknowledge(), older, navigation.show_current_screen(context.without_tap()))


def resume_work(context: UpdateContext) -> TelegramCalls:
    """Show the current screen; where a withdrawal or erasure was not confirmed, say that nothing has changed.

    Back from a typed prompt its buttons go, and back from the first of the questions before an item it waits. Below an
    answer that had to be read first, the button goes.
    """
    word = context.require_callback().word
    has_read = context.state.step is ConversationStep.CHOICE and bool(context.state.subject_id)
    if word == menus.STAY:
        edited: TelegramCalls = context.edit(message_layout.render_text(context.translate, context.translate("stays")))
    else:
        edited = requirements.remove_prompt_buttons(context) if word or has_read else ()
    if word == menus.LATER:
        context.save_state(context.state.without_prompt())
        return join_calls(context.acknowledge(), edited, context.send_text("profile-later"))
    return join_calls(context.acknowledge(), edited, navigation.show_current_screen(context.without_tap()))


def offer_page(context: UpdateContext) -> TelegramCalls:
    """`/page`: a button that opens the answer page at the item in hand; nobody knows the command without a page."""
    if not context.has_page:
        return refuse_unknown_command(context)
    buttons = (navigation.build_page_button(context),)
    return context.send(message_layout.render_text(context.translate, context.translate("page-offer"), buttons=buttons))


def show_help(context: UpdateContext) -> TelegramCalls:
    """`/help`: list the commands."""
    commands = list_commands(
        context.translate.language,
        adjudicates=case_queue.is_adjudicator(context),
        organises=organiser_notifications.is_organiser(context),
        has_page=context.has_page,
    )
    lines = "\n".join(f"/{name} — {description}" for name, description in commands.items())
    return context.send(message_layout.render_text(context.translate, context.translate("help"), lines))


def refuse_unknown_command(context: UpdateContext) -> TelegramCalls:
    """Say that the command is unknown, and show the current screen."""
    return join_calls(context.send_text("unknown-command"), navigation.show_current_screen(context))


def refuse_media(context: UpdateContext) -> TelegramCalls:
    """Say that photos, stickers, voice messages and the like are not read, and show the current screen."""
    return join_calls(context.send_text("only-text"), navigation.show_current_screen(context))


def refuse_edit(context: UpdateContext) -> TelegramCalls:
    """Say that the change of an edited message has no effect."""
    return context.send_text("edited")


def explain_flood(context: UpdateContext) -> TelegramCalls:
    """Say that there were too many messages at once, and that some of them were not read."""
    return join_calls(context.acknowledge(), context.send_text("flooded"))


def refuse_forged_tap(_: UpdateContext) -> TelegramCalls:
    """Raise Stale for a button that this bot did not make."""
    raise Stale("This button is not ours.")
