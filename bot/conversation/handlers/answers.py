"""Answers to items: tapped options, ticked boxes and typed answers; and changes of a stored answer."""

from __future__ import annotations

import json
from dataclasses import replace

from annotation.campaigns.questions import ChoicesQuestion
from annotation.errors import Stale
from annotation.workflow import assignments
from annotation.workflow.assignments import AssignedItem, OpenedAssignment, SavedJudgement
from annotation.workflow.conversations import conversation_state, screens
from annotation.workflow.conversations.conversation_state import AnswerDraft
from bot.conversation import navigation
from bot.conversation.callbacks import OPTION_INDEX, QUESTION_INDEX, REVISION, TICK
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import TelegramCalls
from bot.conversation.views import items, project_status
from bot.conversation.views.message_layout import RenderedMessage


def answer_with_option(context: UpdateContext) -> TelegramCalls:
    """Answer a question with the tapped option of a choice or point of a scale."""
    callback = context.require_callback()
    opened = context.open_assignment(callback.row_id)
    shown_questions = assignments.get_shown_questions(opened)
    first, option = shown_questions[0], callback.get_number(OPTION_INDEX)
    if len(shown_questions) > 1 or isinstance(first.question, ChoicesQuestion):
        return _answer_one_of_several(context, opened, option)
    if callback.get_number(QUESTION_INDEX) or option >= len(first.labels):
        raise Stale("There is no such option.")
    return _submit_answers(
        context, opened, revision=callback.get_number(REVISION), answers={first.name: first.labels[option]}
    )


def toggle_box(context: UpdateContext) -> TelegramCalls:
    """Tick or clear a box, as the button says; the boxes are stored as a draft, not as an answer."""
    callback = context.require_callback()
    item, draft = _get_current_question(context, context.open_assignment(callback.row_id))
    shown, option = item.questions[callback.get_number(QUESTION_INDEX)], callback.get_number(OPTION_INDEX)
    question = shown.question
    if not isinstance(question, ChoicesQuestion) or option >= len(shown.options):
        raise Stale("There is no such box.")
    ticked = {*draft.ticked, option} if callback.get_number(TICK) else {*draft.ticked} - {option}
    if question.most is not None and len(ticked) > question.most:
        return context.acknowledge("choose-at-most", most=question.most)
    return join_calls(context.acknowledge(), _redraw_item(context, item, replace(draft, ticked=sorted(ticked))))


def confirm_boxes(context: UpdateContext) -> TelegramCalls:
    """Answer a question with the ticked boxes."""
    callback = context.require_callback()
    opened = context.open_assignment(callback.row_id)
    if _has_judgement(context, opened):
        return context.acknowledge("saved-already")
    item, draft = _get_current_question(context, opened)
    question = item.questions[callback.get_number(QUESTION_INDEX)].question
    if not isinstance(question, ChoicesQuestion):
        raise Stale("There are no boxes.")
    if len(draft.ticked) < question.least:
        return context.acknowledge("choose-at-least", least=question.least)
    return record_answer(context, opened, item, draft, list(draft.ticked))


def leave_question_unanswered(context: UpdateContext) -> TelegramCalls:
    """Leave an optional question without an answer."""
    callback = context.require_callback()
    opened = context.open_assignment(callback.row_id)
    if _has_judgement(context, opened):
        return context.acknowledge("saved-already")
    item, draft = _get_current_question(context, opened)
    if item.questions[callback.get_number(QUESTION_INDEX)].question.required:
        raise Stale("This needs an answer.")
    if len(item.questions) == 1:
        return context.acknowledge("answer-or-skip")
    return record_answer(context, opened, item, draft, [conversation_state.LEFT_UNANSWERED])


def undo_answer(context: UpdateContext) -> TelegramCalls:
    """Open an answered item for another answer, in its own message; the old answer counts until then."""
    try:
        opened = context.open_assignment(context.require_callback().row_id)
        item = assignments.undo_judgement(opened)
    except Stale:
        return context.acknowledge("undo-closed", alert=True)
    ticked = _list_ticked_boxes(opened, item)
    draft = AnswerDraft(assignment_id=item.assignment_id, revision=item.revision, ticked=ticked)
    return join_calls(context.acknowledge("undo-open"), _redraw_item(context, item, draft))


def keep_answer(context: UpdateContext) -> TelegramCalls:
    """Close an item that was opened for another answer; the old answer stays."""
    assignment_id = context.require_callback().row_id
    saved = assignments.keep_judgement(context.open_assignment(assignment_id))
    context.save_state(context.state.with_draft(None, assignment_id=assignment_id))
    return join_calls(
        context.acknowledge("kept"), context.edit(_render_finished_item(context, saved), assignment_id=assignment_id)
    )


def _answer_one_of_several(context: UpdateContext, opened: OpenedAssignment, option: int) -> TelegramCalls:
    """Answer one question of an item that has several; raises Stale for a question that is answered with boxes."""
    if _has_judgement(context, opened):
        return context.acknowledge("saved-already")
    item, draft = _get_current_question(context, opened)
    shown = item.questions[context.require_callback().get_number(QUESTION_INDEX)]
    if isinstance(shown.question, ChoicesQuestion) or option >= len(shown.options):
        raise Stale("There is no such option.")
    return record_answer(context, opened, item, draft, [option])


def _get_current_question(context: UpdateContext, opened: OpenedAssignment) -> tuple[AssignedItem, AnswerDraft]:
    """The item of the tapped button with its draft; raises Stale where the button's question is not the next one."""
    callback = context.require_callback()
    item = assignments.get_open_item(opened, revision=callback.get_number(REVISION))
    draft = context.state.get_draft(callback.row_id, callback.get_number(REVISION))
    if conversation_state.find_next_question(item, draft) != callback.get_number(QUESTION_INDEX):
        raise Stale("This question is answered.")
    return item, draft


def _has_judgement(context: UpdateContext, opened: OpenedAssignment) -> bool:
    """Whether the revision that the button names is answered already, as after a double tap."""
    revision = context.require_callback().get_number(REVISION)
    return assignments.get_judgement(opened, revision=revision) is not None


def record_answer(
    context: UpdateContext,
    opened: OpenedAssignment,
    item: AssignedItem,
    draft: AnswerDraft,
    options: list[int],
    *,
    index: int | None = None,
) -> TelegramCalls:
    """Record the answer to one question in the draft; after the last question submit the item.

    `index` is the index of the question, by default the one that the button names.
    """
    index = context.require_callback().get_number(QUESTION_INDEX) if index is None else index
    new_draft = conversation_state.record_options(draft, item.questions[index], options)
    if conversation_state.find_next_question(item, new_draft) is not None:
        return join_calls(context.acknowledge(), _show_next_question(context, item, draft, new_draft))
    answers = conversation_state.collect_answers(item, new_draft)
    return _submit_answers(context, opened, revision=item.revision, answers=answers)


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


def _submit_answers(
    context: UpdateContext, opened: OpenedAssignment, *, revision: int, answers: dict[str, object]
) -> TelegramCalls:
    """Store the judgement, edit the item message and show the next item; a repeated tap stores nothing."""
    saved = assignments.submit_judgement(opened, revision=revision, answers=answers, now=context.now)
    if saved.repeated:
        return _acknowledge_repeat(context, opened, saved)
    if context.state.drafts:
        context.save_state(context.state.with_draft(None, assignment_id=saved.assignment_id))
    return finish_item(context, saved)


def _acknowledge_repeat(context: UpdateContext, opened: OpenedAssignment, repeated: SavedJudgement) -> TelegramCalls:
    """Acknowledge a repeated tap, and redraw the item where it does not show the stored answer yet."""
    acknowledgement = context.acknowledge("saved-already")
    if repeated.reopened:
        return acknowledgement
    finished = _render_finished_item(context, assignments.keep_judgement(opened))
    return join_calls(acknowledgement, context.edit(finished, assignment_id=repeated.assignment_id))


def finish_item(context: UpdateContext, saved: SavedJudgement) -> TelegramCalls:
    """Show an item as answered or skipped in its own message, and the next screen below it.

    After a revision no next screen is shown.
    """
    emoji = _choose_emoji(context, saved)
    finished = items.render_finished_item(saved, context.translate, emoji=emoji)
    calls = join_calls(
        context.acknowledge_with(items.format_toast(saved, context.translate, emoji=emoji)),
        context.edit(finished, assignment_id=saved.assignment_id),
    )
    if saved.decision is not None:
        calls = join_calls(
            calls, context.send(project_status.render_qualification_result(saved.decision, context.translate))
        )
    if saved.revision:
        return calls
    return join_calls(calls, navigation.show_current_screen(context.without_tap(), item_finished=True))


def _render_finished_item(context: UpdateContext, saved: SavedJudgement) -> RenderedMessage:
    return items.render_finished_item(saved, context.translate, emoji=_choose_emoji(context, saved))


def _choose_emoji(context: UpdateContext, saved: SavedJudgement) -> str:
    """The reward for an answer; empty for a skip, and where the project has none."""
    definition = context.find_definition(saved.project_id)
    if not saved.stored_answers or definition is None or definition.reward is None:
        return ""
    return items.choose_reward_emoji(definition.reward.emoji, assignment_id=saved.assignment_id)


def _list_ticked_boxes(opened: OpenedAssignment, item: AssignedItem) -> list[int]:
    """The indices of the boxes that were ticked in the stored answer before this revision."""
    first = item.questions[0]
    judgement = assignments.get_judgement(opened, revision=item.revision - 1)
    if not isinstance(first.question, ChoicesQuestion) or judgement is None or not judgement.response:
        return []
    labels = json.loads(judgement.response)
    return [index for index, label in enumerate(first.labels) if label in labels]
