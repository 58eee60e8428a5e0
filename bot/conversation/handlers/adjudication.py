"""Adjudication of closed questions: what a tap on a case does, and the comment on a broken item.

Buttons carry all that they do, so a card keeps no state: a button whose decision or version is not that of the case any
more changes nothing, however often it is tapped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from aggregation import placeholders
from annotation.campaigns.bot_commands import ADJUDICATE
from annotation.errors import Stale
from annotation.workflow.conversations.conversation_state import ConversationStep
from annotation.workflow.review import adjudication_queue
from annotation.workflow.review.adjudication_queue import MAX_COMMENT_LENGTH, QueuedCase
from bot.conversation import case_queue, message_layout, prompts, updates_and_calls
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import CASE_NUMBER, FIRST, PICKED, ButtonAction, CallbackData, TelegramCalls
from bot.conversation.views import cases
from bot.conversation.views.cases import PickedCandidates


def is_case_tap(context: UpdateContext) -> bool:
    """Whether the tapped button belongs to a case."""
    return context.callback is not None and context.callback.action in TAPS


def asks_for_queue(context: UpdateContext) -> bool:
    """Whether an adjudicator sent the command; for anybody else there is none."""
    return context.command == ADJUDICATE and case_queue.is_adjudicator(context)


def repeat_case(context: UpdateContext) -> TelegramCalls:
    """Show the card again, below, and explain that a text is none of its choices; or ask for the comment again."""
    state, card = context.state, prompts.decode_prompt(context.state.prompt)
    older = case_queue.remove_case_buttons(context)
    explanation = context.send_text("choose-shown") if state.step is ConversationStep.CASE else ()
    return join_calls(older, explanation, context.ask(card, state.step, subject_id=state.subject_id))


def reopen_latest_case(context: UpdateContext) -> TelegramCalls:
    """Take the decision back that the adjudicator made last, as the button below it does; no call without one."""
    latest = adjudication_queue.find_latest_decision(context.transaction.session, adjudicator=context.annotator)
    if latest is None:
        return ()
    case_id, number = latest
    tap = context.as_tap(None, CallbackData(ButtonAction.REOPEN, case_id, (number,)))
    return join_calls(context.send_text("case-undone"), _show_reopened(tap, tap.require_callback()))


def stop_work(context: UpdateContext) -> TelegramCalls:
    """End the work on cases, as the button of the card does."""
    older = case_queue.remove_case_buttons(context)
    context.save_state(context.state.with_step(ConversationStep.NONE))
    return join_calls(older, context.send_text("case-stopped"))


def apply_tap(context: UpdateContext) -> TelegramCalls:
    """Do what the tapped button of a case says; where it no longer applies, say so and show what waits."""
    callback = context.require_callback()
    if not case_queue.is_adjudicator(context):
        raise Stale("This person adjudicates nothing.")
    try:
        return TAPS[callback.action](context, callback)
    except Stale:
        return join_calls(context.acknowledge("stale"), _close_card(context), case_queue.show_next_case(context))


def submit_comment(context: UpdateContext) -> TelegramCalls:
    """Store that an item is broken, for the typed reason, and show the next case."""
    comment = context.text.strip()
    if len(comment) > MAX_COMMENT_LENGTH:
        return context.send_text("too-long", most=MAX_COMMENT_LENGTH)
    [[back]] = prompts.decode_prompt(context.state.prompt).buttons
    asked = updates_and_calls.decode_callback(back.data)
    closed = context.close_prompt()
    if placeholders.is_unwritten(comment):
        return join_calls(closed, context.send_text("case-no-comment"), _return_to_case(context, asked))
    context.save_state(context.state.with_step(ConversationStep.NONE))
    try:
        queued = _find_shown_case(context, asked)
        adjudication_queue.decide_queued_case(
            context.transaction.session,
            adjudicator=context.annotator,
            queued=queued,
            comment=comment,
            now=context.now,
        )
    except Stale:
        return join_calls(closed, context.send_text("stale"), case_queue.show_next_case(context))
    decided = cases.render_decided_case(queued, context.translate, comment=comment)
    return join_calls(closed, context.send(decided), case_queue.show_next_case(context, after=queued.case.case_id))


def _return_to_case(context: UpdateContext, asked: CallbackData | None) -> TelegramCalls:
    """Show the case of the question again, or what waits if it does not wait any more."""
    context.save_state(context.state.with_step(ConversationStep.NONE))
    try:
        return case_queue.ask_case(context, _find_shown_case(context, asked))
    except Stale:
        return case_queue.show_next_case(context)


def _show_case(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    """Show the card as it was before several answers were to be ticked or a comment typed; without a case the queue."""
    if not callback.row_id:
        closed = context.edit(message_layout.render_text(context.translate, context.translate("case-offer")))
        return join_calls(context.acknowledge(), closed, case_queue.show_next_case(context))
    queued = _find_shown_case(context, callback)
    *_, card = cases.render_case(queued, context.translate)
    return join_calls(context.acknowledge(), case_queue.redraw_card(context, card, queued))


def _show_boxes(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    """Let several candidates be ticked."""
    queued = _find_shown_case(context, callback)
    picked = _read_picked(queued, callback)
    *_, card = cases.render_case(queued, context.translate, picked=picked)
    return join_calls(context.acknowledge(), case_queue.redraw_card(context, card, queued))


def _decide_case(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    """Store what is right and show the next case; a repeated tap stores nothing."""
    own = adjudication_queue.find_own_decision(
        context.transaction.session,
        adjudicator=context.annotator,
        case_id=callback.row_id,
        number=callback.get_number(CASE_NUMBER),
    )
    if own is not None:
        return context.acknowledge("saved-already")
    queued = _find_shown_case(context, callback)
    picked = _read_picked(queued, callback).list_indices()
    if not picked:
        raise Stale("Nothing is ticked.")
    adjudication_queue.decide_queued_case(
        context.transaction.session, adjudicator=context.annotator, queued=queued, picked=picked, now=context.now
    )
    decided = context.edit(cases.render_decided_case(queued, context.translate, picked=picked))
    following = case_queue.show_next_case(context, after=callback.row_id)
    return join_calls(context.acknowledge("saved"), decided, following)


def _ask_for_comment(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    """Ask what is wrong with the item; the card above stays without buttons."""
    queued = _find_shown_case(context, callback)
    if context.state.step is ConversationStep.COMMENT and context.state.subject_id == callback.row_id:
        return context.acknowledge()
    *_, card = cases.render_case(queued, context.translate)
    older = case_queue.remove_case_buttons(context)
    question = cases.render_comment_prompt(queued, context.translate)
    return join_calls(
        context.acknowledge(),
        older,
        context.edit(replace(card, buttons=())),
        context.ask(question, ConversationStep.COMMENT, subject_id=callback.row_id),
    )


def _postpone_case(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    """Leave a case for now and show the one after it; a repeated tap shows nothing anew."""
    if context.state.step is not ConversationStep.CASE or context.state.subject_id != callback.row_id:
        return context.acknowledge("case-later-mark")
    queued = adjudication_queue.find_case(
        context.transaction.session, adjudicator=context.annotator, case_id=callback.row_id
    )
    following = case_queue.find_next_case(context, after=callback.row_id)
    if queued is None or following is None:
        raise Stale("This case does not wait.")
    if following.case.case_id == callback.row_id:
        return context.acknowledge("case-only-one", alert=True)
    postponed = context.edit(cases.render_postponed_case(queued, context.translate))
    return join_calls(context.acknowledge(), postponed, case_queue.ask_case(context, following))


def _reopen_case(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    """Take a decision back and show its case again, as the last message."""
    shown = _show_reopened(context, callback)
    undone = message_layout.render_text(context.translate, context.translate("case-undone"))
    return join_calls(context.acknowledge(), context.edit(undone), shown)


def _show_reopened(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    queued = adjudication_queue.take_decision_back(
        context.transaction.session,
        adjudicator=context.annotator,
        case_id=callback.row_id,
        number=callback.get_number(CASE_NUMBER),
        now=context.now,
    )
    return case_queue.show_next_case(context) if queued is None else case_queue.ask_case(context, queued)


def _stop_work(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    """End the work on cases; texts go to the item again, where there is one."""
    if context.state.step in case_queue.CASE_STEPS and context.state.subject_id == callback.row_id:
        context.save_state(context.state.with_step(ConversationStep.NONE))
    stopped = message_layout.render_text(context.translate, context.translate("case-stopped"))
    return join_calls(context.acknowledge(), context.edit(stopped))


def _find_shown_case(context: UpdateContext, callback: CallbackData | None) -> QueuedCase:
    """The case as the button shows it; raises Stale where it does not wait, or is not what was shown any more."""
    if callback is None:
        raise Stale("This button is not ours.")
    queued = adjudication_queue.find_case(
        context.transaction.session, adjudicator=context.annotator, case_id=callback.row_id
    )
    if queued is None or (queued.number, queued.version) != (callback.get_number(CASE_NUMBER), callback.word):
        raise Stale("This case was decided or has changed.")
    return queued


def _read_picked(queued: QueuedCase, callback: CallbackData) -> PickedCandidates:
    """The ticked candidates that the button names; raises Stale for numbers that no button of the case has."""
    picked = PickedCandidates(bits=callback.get_number(PICKED), first=callback.get_number(FIRST))
    is_known = picked.bits < 1 << len(queued.case.candidates)
    if not is_known or not (picked.bits >> picked.first & 1 or not picked.bits):
        raise Stale("There are no such candidates.")
    return picked


def _close_card(context: UpdateContext) -> TelegramCalls:
    """Remove the buttons of the tapped card where it asked last, so that what it said is still read."""
    state = context.state
    if state.step not in case_queue.CASE_STEPS or state.asked_in != context.incoming.message_id:
        return ()
    return context.edit(replace(prompts.decode_prompt(state.prompt), buttons=()))


TAPS: Mapping[ButtonAction, Callable[[UpdateContext, CallbackData], TelegramCalls]] = {
    ButtonAction.CASE: _show_case,
    ButtonAction.BOXES: _show_boxes,
    ButtonAction.DECIDE: _decide_case,
    ButtonAction.BROKEN: _ask_for_comment,
    ButtonAction.LATER: _postpone_case,
    ButtonAction.REOPEN: _reopen_case,
    ButtonAction.STOP: _stop_work,
}
"""What the buttons of a case do."""
