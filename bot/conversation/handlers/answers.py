"""Answers to items: what a tap or a typed text does to the draft of the answers; and changes of a stored answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from annotation.errors import Stale
from annotation.workflow import assignments
from annotation.workflow.assignments import AssignedItem, OpenedAssignment, SavedJudgement, ShownQuestion
from annotation.workflow.conversations import conversation_state, screens
from annotation.workflow.conversations.conversation_state import AnswerDraft
from bot.conversation import message_layout, navigation
from bot.conversation.callbacks import QUESTION_INDEX, REVISION, ButtonAction
from bot.conversation.inputs import INPUTS
from bot.conversation.inputs.input_base import RefusedInput
from bot.conversation.message_layout import RenderedMessage
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import TelegramCalls
from bot.conversation.views import items, project_status

MAX_QUOTED_ANSWER = 80
"""How much of an answer a toast repeats, in UTF-16 units; a toast has 200."""


def apply_tap(context: UpdateContext) -> TelegramCalls:
    """Let the tapped button of a question change the draft of its answers; after the last answer submit the item."""
    callback = context.require_callback()
    opened = context.open_assignment(callback.row_id)
    questions = assignments.get_shown_questions(opened)
    is_immediate = len(questions) == 1 and callback.action is ButtonAction.ANSWER  # submission finds a repeated tap
    if not is_immediate and callback.action is not ButtonAction.TOGGLE and _has_judgement(context, opened):
        return context.acknowledge("saved-already")
    draft = context.state.get_draft(callback.row_id, callback.get_number(REVISION))
    asked = conversation_state.find_asked_question(questions, draft, language=opened.context.project.language)
    if asked is None or asked.index != callback.get_number(QUESTION_INDEX):
        raise Stale("This question is answered.")
    if callback.action is not ButtonAction.LEAVE_UNANSWERED:
        result = INPUTS[asked.shown.question.kind].apply_tap(asked, callback)
    elif asked.shown.question.required:
        raise Stale("This needs an answer.")
    else:
        result = asked.with_answer(None) if len(questions) > 1 else RefusedInput(text_id="answer-or-skip")
    if isinstance(result, RefusedInput):
        return context.acknowledge(result.text_id, **result.arguments)
    return store_draft(context, opened, questions, draft, result)


def store_draft(
    context: UpdateContext,
    opened: OpenedAssignment,
    questions: Sequence[ShownQuestion],
    old_draft: AnswerDraft,
    new_draft: AnswerDraft,
) -> TelegramCalls:
    """Store a changed draft and show what is asked next; submit the answers where nothing is."""
    language = opened.context.project.language
    if conversation_state.find_asked_question(questions, new_draft, language=language) is None:
        return _submit_answers(context, opened, new_draft)
    item = assignments.get_open_item(opened, revision=new_draft.revision)
    if new_draft.answers == old_draft.answers:
        return join_calls(context.acknowledge(), _redraw_item(context, item, new_draft))
    return join_calls(context.acknowledge(), _show_next_question(context, item, old_draft, new_draft))


def undo_answer(context: UpdateContext) -> TelegramCalls:
    """Open an answered item for another answer, in its own message; the old answer counts until then."""
    try:
        opened = context.open_assignment(context.require_callback().row_id)
        item = assignments.undo_judgement(opened)
    except Stale:
        return context.acknowledge("undo-closed", alert=True)
    draft = AnswerDraft(assignment_id=item.assignment_id, revision=item.revision, entry=_restore_entry(opened, item))
    return join_calls(context.acknowledge("undo-open"), _redraw_item(context, item, draft))


def keep_answer(context: UpdateContext) -> TelegramCalls:
    """Close an item that was opened for another answer; the old answer stays."""
    assignment_id = context.require_callback().row_id
    saved = assignments.keep_judgement(context.open_assignment(assignment_id))
    context.save_state(context.state.with_draft(None, assignment_id=assignment_id))
    return join_calls(
        context.acknowledge("kept"), context.edit(_render_finished_item(context, saved), assignment_id=assignment_id)
    )


def _has_judgement(context: UpdateContext, opened: OpenedAssignment) -> bool:
    """Whether the revision that the button names is answered already, as after a double tap."""
    revision = context.require_callback().get_number(REVISION)
    return assignments.get_judgement(opened, revision=revision) is not None


def _show_next_question(
    context: UpdateContext, item: AssignedItem, old_draft: AnswerDraft, new_draft: AnswerDraft
) -> TelegramCalls:
    """Show the next question in the same message; in new messages where the item needs more or fewer of them now."""
    old_messages = navigation.render_item(context, item, old_draft)
    new_messages = navigation.render_item(context, item, new_draft)
    if len(old_messages) == len(new_messages):
        return _redraw_item(context, item, new_draft)
    context.save_state(context.state.with_draft(new_draft, assignment_id=item.assignment_id))
    screens.begin_redraw(context.transaction.session, item.assignment_id)
    without_buttons = context.edit(replace(old_messages[-1], buttons=()), assignment_id=item.assignment_id)
    return join_calls(without_buttons, context.send(*new_messages, assignment_id=item.assignment_id))


def _redraw_item(context: UpdateContext, item: AssignedItem, draft: AnswerDraft) -> TelegramCalls:
    """Store the draft and edit the item message."""
    context.save_state(context.state.with_draft(draft, assignment_id=item.assignment_id))
    return context.redraw_item(navigation.render_item(context, item, draft)[-1], assignment_id=item.assignment_id)


def _submit_answers(context: UpdateContext, opened: OpenedAssignment, draft: AnswerDraft) -> TelegramCalls:
    """Store the judgement, edit the item message and show the next item; a repeated tap stores nothing."""
    saved = assignments.submit_judgement(opened, revision=draft.revision, answers=draft.given_answers, now=context.now)
    if saved.repeated:
        return _acknowledge_repeat(context, opened, saved)
    if context.state.drafts:
        context.save_state(context.state.with_draft(None, assignment_id=saved.assignment_id))
    return finish_item(context, saved, "saved")


def _acknowledge_repeat(context: UpdateContext, opened: OpenedAssignment, repeated: SavedJudgement) -> TelegramCalls:
    """Acknowledge a repeated tap, and redraw the item where it does not show the stored answer yet."""
    if repeated.reopened:
        return context.acknowledge("saved-already")
    saved = assignments.keep_judgement(opened)
    answer = message_layout.shorten_text(items.format_answers(saved, context.translate), MAX_QUOTED_ANSWER)
    acknowledgement = (
        context.acknowledge("answered-already", answer=answer)
        if saved.changeable and answer
        else context.acknowledge("saved-already")
    )
    finished = _render_finished_item(context, saved)
    return join_calls(acknowledgement, context.edit(finished, assignment_id=repeated.assignment_id))


def finish_item(context: UpdateContext, saved: SavedJudgement, text_id: str) -> TelegramCalls:
    """Show an item as answered or skipped in its own message, and the next screen below it.

    `text_id` is the text of the toast that acknowledges the tap. After a revision no next screen is shown.
    """
    finished = context.edit(_render_finished_item(context, saved), assignment_id=saved.assignment_id)
    calls = join_calls(context.acknowledge(text_id), finished)
    if saved.decision is not None:
        calls = join_calls(
            calls, context.send(project_status.render_qualification_result(saved.decision, context.translate))
        )
    if saved.revision:
        return calls
    return join_calls(calls, navigation.show_current_screen(context.without_tap(), item_finished=True))


def _render_finished_item(context: UpdateContext, saved: SavedJudgement) -> RenderedMessage:
    definition = context.find_definition(saved.project_id)
    reward = definition.reward if definition else None
    emoji = items.choose_reward_emoji(reward.emoji if reward else (), assignment_id=saved.assignment_id)
    return items.render_finished_item(saved, context.translate, emoji=emoji if saved.stored_answers else "")


def _restore_entry(opened: OpenedAssignment, item: AssignedItem) -> Any:
    """What the first question's input takes over from the stored answer before this revision."""
    first = item.questions[0]
    judgement = assignments.get_judgement(opened, revision=item.revision - 1)
    if judgement is None or not judgement.response:
        return None
    return INPUTS[first.question.kind].restore_entry(first, judgement.response)
