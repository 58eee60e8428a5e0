"""Changes of answers: an answered or skipped item opened again, one of several answers, and the question before."""

from __future__ import annotations

from dataclasses import replace

from annotation.errors import Stale
from annotation.vocabulary import AssignmentStatus
from annotation.workflow import assignments
from annotation.workflow.assignments import AssignedItem, OpenedAssignment
from annotation.workflow.conversations import conversation_state
from annotation.workflow.conversations.conversation_state import AnswerDraft
from bot.conversation.handlers import answers
from bot.conversation.inputs import INPUTS
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import QUESTION_INDEX, REVISION, TelegramCalls
from bot.conversation.views import items


def undo_answer(context: UpdateContext) -> TelegramCalls:
    """Open an answered or skipped item for another answer, in its own message; what is stored counts until then."""
    try:
        opened = context.open_assignment(context.require_callback().row_id)
        item = assignments.undo_judgement(opened)
    except Stale:
        return context.acknowledge("undo-closed", alert=True)
    draft = _restore_draft(context, opened, item)
    is_skip = opened.assignment.status is AssignmentStatus.SKIPPED
    told = context.acknowledge() if is_skip else context.acknowledge("undo-open")
    return join_calls(told, answers.redraw_item(context, item, draft))


def keep_answer(context: UpdateContext) -> TelegramCalls:
    """Close an item that was opened for another answer; the old answer stays, or the skip with what was begun."""
    assignment_id = context.require_callback().row_id
    saved = assignments.keep_judgement(context.open_assignment(assignment_id))
    draft = context.state.get_draft(assignment_id, saved.revision + 1)
    begun = replace(draft, revision=0) if conversation_state.is_begun(draft) and not saved.stored_answers else None
    context.save_state(context.state.with_draft(begun, assignment_id=assignment_id))
    finished = answers.render_finished_item(context, saved)
    return join_calls(context.acknowledge("kept"), context.edit(finished, assignment_id=assignment_id))


def close_change(context: UpdateContext, assignment_id: int) -> TelegramCalls:
    """Show an item that was opened for another answer as it was answered; the old answer stays."""
    saved = assignments.keep_judgement(context.open_assignment(assignment_id))
    context.save_state(context.state.with_draft(None, assignment_id=assignment_id))
    return context.without_tap().edit(answers.render_finished_item(context, saved), assignment_id=assignment_id)


def ask_previous_question(context: UpdateContext) -> TelegramCalls:
    """Ask the question before again; where one answer is being changed, show all of them again."""
    item, draft, index = _get_item(context)
    if item.revision and _has_stored_answers(context, item):
        draft = _restore_draft(context, context.open_assignment(item.assignment_id), item)
    else:
        name = conversation_state.find_previous_question(item.questions, draft, index=index)
        if name is None:
            raise Stale("There is no question before.")
        asked = items.find_asked(item, draft)
        draft = draft if asked is None else conversation_state.set_entry_aside(draft, asked.shown.name)
        draft = _remove_answer(item, draft, name)
    return join_calls(context.acknowledge(), answers.redraw_item(context, item, draft))


def change_one_answer(context: UpdateContext) -> TelegramCalls:
    """Ask one of the answered questions again; the other answers stay."""
    item, draft, index = _get_item(context)
    if index >= len(item.questions) or item.questions[index].name not in draft.answers:
        raise Stale("This question is not answered.")
    draft = _remove_answer(item, draft, item.questions[index].name)
    return join_calls(context.acknowledge(), answers.redraw_item(context, item, draft))


def _get_item(context: UpdateContext) -> tuple[AssignedItem, AnswerDraft, int]:
    """The item, the draft and the index of the question that the button names; raises Stale for an old button."""
    callback = context.require_callback()
    opened = context.open_assignment(callback.row_id)
    item = assignments.get_open_item(opened, revision=callback.get_number(REVISION))
    return item, context.state.get_draft(item.assignment_id, item.revision), callback.get_number(QUESTION_INDEX)


def _has_stored_answers(context: UpdateContext, item: AssignedItem) -> bool:
    opened = context.open_assignment(item.assignment_id)
    judgement = assignments.get_judgement(opened, revision=item.revision - 1)
    return judgement is not None and judgement.skip_reason is None


def _remove_answer(item: AssignedItem, draft: AnswerDraft, name: str) -> AnswerDraft:
    """The draft without the answer to a question, whose input begins with that answer."""
    shown = next(shown for shown in item.questions if shown.name == name)
    answer = draft.answers[name]
    stored = None if answer is None else conversation_state.encode_answer(answer)
    entry = None if stored is None else INPUTS[shown.question.kind].restore_entry(shown, stored)
    return conversation_state.remove_answer(draft, name, entry=entry)


def _restore_draft(context: UpdateContext, opened: OpenedAssignment, item: AssignedItem) -> AnswerDraft:
    """What is known of the answers, with the only one asked again."""
    draft = answers.restore_draft(context, opened, item)
    is_only = len(item.questions) == 1 and item.questions[0].name in draft.answers
    return _remove_answer(item, draft, item.questions[0].name) if is_only else draft
