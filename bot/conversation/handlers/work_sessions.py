"""Handlers of what annotators ask about their own work: how many items it shall be now, and how far they are."""

from __future__ import annotations

from annotation.errors import Stale
from annotation.workflow import assignments
from annotation.workflow.annotators import own_work
from bot.conversation import message_layout, navigation, prompts, requirements, work_sessions
from bot.conversation.message_layout import TextBlock
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import ButtonAction, TelegramCalls
from bot.conversation.views import own_progress, return_card
from bot.conversation.views.menus import ENDLESS, SESSION_SIZES, render_session_choice


def ask_session(context: UpdateContext) -> TelegramCalls:
    """`/session`: ask how many items it shall be now."""
    state, listed = context.state, assignments.list_own_progress(context.transaction, now=context.now)
    return context.ask(
        render_session_choice(
            context.translate,
            done=state.session_done,
            goal=state.session_goal,
            left=assignments.count_left(listed),
        )
    )


def choose_session(context: UpdateContext) -> TelegramCalls:
    """Begin a session of so many items and show the next one; a task card with the button is read then."""
    callback = context.require_callback()
    goal = callback.get_number(0)
    if goal not in {ENDLESS, *SESSION_SIZES}:
        raise Stale("There is no such session.")
    if callback.row_id:
        edited = requirements.mark_card_read(context, project_id=callback.row_id, version=callback.word)
    else:
        edited = requirements.remove_prompt_buttons(context)
    work_sessions.begin_session(context, goal=goal)
    told = context.acknowledge("session-chosen", number=goal) if goal else context.acknowledge()
    return join_calls(told, edited, navigation.show_current_screen(context.without_tap()))


def show_progress(context: UpdateContext) -> TelegramCalls:
    """`/progress`: a line for each project, what was earned, and a button that leads on."""
    listed = assignments.list_own_progress(
        context.transaction, now=context.now, exhausted=context.state.exhausted_entries
    )
    if not listed:
        return navigation.show_current_screen(context)
    button = message_layout.build_button(context.translate("go-on"), ButtonAction.GO_ON, typed=(prompts.GO_ON,))
    blocks = own_progress.build_progress_blocks(listed, context.translate)
    ids = [progress.project_id for progress in listed]
    earned = own_work.sum_earned(context.transaction.session, annotator_id=context.annotator_id, project_ids=ids)
    blocks.append(TextBlock("\n".join(return_card.format_earned(earned, context.translate))))
    return context.ask(message_layout.render_messages(blocks, context.translate, buttons=((button,),))[-1])
