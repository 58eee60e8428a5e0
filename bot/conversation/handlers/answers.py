"""Answers to items: what a tap or a typed text does to the draft of the answers; and changes of a stored answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from annotation.errors import Stale
from annotation.vocabulary import AssignmentStatus, Stage
from annotation.workflow import assignments
from annotation.workflow.assignments import AssignedItem, OpenedAssignment, SavedJudgement, ShownQuestion
from annotation.workflow.conversations import conversation_state, item_messages
from annotation.workflow.conversations.conversation_state import AnswerDraft, AskedQuestion, ConversationStep
from bot.conversation import message_layout, navigation, prompts, time_zones, work_sessions
from bot.conversation.inputs import INPUTS
from bot.conversation.inputs.input_base import RefusedInput
from bot.conversation.message_layout import RenderedMessage
from bot.conversation.update_context import TYPED_QUERY, UpdateContext, join_calls
from bot.conversation.updates_and_calls import (
    QUESTION_INDEX,
    REVISION,
    ButtonAction,
    NewMessage,
    TelegramCalls,
    UpdateKind,
)
from bot.conversation.views import items, own_progress, second_pass


def undo_answer(context: UpdateContext) -> TelegramCalls:
    """Open an answered or skipped item for another answer, in its own message; what is stored counts until then."""
    try:
        opened = context.open_assignment(context.require_callback().row_id)
    except Stale:
        return context.acknowledge("undo-closed", alert=True)
    try:
        item = assignments.undo_judgement(opened)
    except Stale:
        return context.acknowledge(choose_refusal(opened), alert=True)
    draft = _restore_draft(context, opened, item)
    is_skip = opened.assignment.status is AssignmentStatus.SKIPPED
    told = context.acknowledge() if is_skip else context.acknowledge("undo-open")
    return join_calls(told, redraw_item(context, item, draft))


def choose_refusal(opened: OpenedAssignment) -> str:
    """The id of the text that says why an answer can no longer be changed."""
    return "undo-training" if opened.assignment.stage is Stage.TRAINING else "undo-closed"


def keep_answer(context: UpdateContext) -> TelegramCalls:
    """Close an item that was opened for another answer; the old answer stays, or the skip with what was begun."""
    assignment_id = context.require_callback().row_id
    saved = assignments.keep_judgement(context.open_assignment(assignment_id))
    draft = context.state.get_draft(assignment_id, saved.revision + 1)
    begun = replace(draft, revision=0) if conversation_state.is_begun(draft) and not saved.stored_answers else None
    context.save_state(context.state.with_draft(begun, assignment_id=assignment_id))
    finished = render_finished_item(context, saved)
    return join_calls(context.acknowledge("kept"), context.edit(finished, assignment_id=assignment_id))


def close_change(context: UpdateContext, assignment_id: int) -> TelegramCalls:
    """Show an item that was opened for another answer as it was answered; the old answer stays."""
    saved = assignments.keep_judgement(context.open_assignment(assignment_id))
    context.save_state(context.state.with_draft(None, assignment_id=assignment_id))
    return context.without_tap().edit(render_finished_item(context, saved), assignment_id=assignment_id)


def lead_up(context: UpdateContext) -> TelegramCalls:
    """Send a reply to the first message of the item, by which the chat scrolls there; the message is none of an item.

    Raises Stale where Telegram no longer tells which message that is.
    """
    if context.incoming.reply_to is None:
        raise Stale("The first message is not known.")
    text = message_layout.render_text(context.translate, context.translate("way-up"))
    way_up = [call for call in context.send(text) if isinstance(call, NewMessage)]
    replies = tuple(replace(call, reply_to=context.incoming.reply_to) for call in way_up)
    return join_calls(context.acknowledge(), replies)


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
        if asked is not None:
            kept = INPUTS[asked.shown.question.kind].leave_entry(draft.entry)
            draft = conversation_state.set_entry_aside(replace(draft, entry=kept), asked.shown.name)
        draft = _remove_answer(item, draft, name)
    return join_calls(context.acknowledge(), redraw_item(context, item, draft))


def change_one_answer(context: UpdateContext) -> TelegramCalls:
    """Ask one of the answered questions again; the other answers stay."""
    item, draft, index = _get_item(context)
    if index >= len(item.questions) or item.questions[index].name not in draft.answers:
        raise Stale("This question is not answered.")
    draft = _remove_answer(item, draft, item.questions[index].name)
    return join_calls(context.acknowledge(), redraw_item(context, item, draft))


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
    draft = restore_draft(context, opened, item)
    is_only = len(item.questions) == 1 and item.questions[0].name in draft.answers
    return _remove_answer(item, draft, item.questions[0].name) if is_only else draft


ENTRY_ACTIONS = {ButtonAction.TOGGLE, ButtonAction.ENTRY}
"""The actions that change the entry of a question alone."""

MAX_QUOTED_ANSWER = 80
"""How much of an answer a toast repeats, in UTF-16 units; a toast has 200."""

_HASH_MULTIPLIER = 2_654_435_761
"""Knuth's multiplicative hash, by which consecutive assignments get different emojis, and each always the same."""


def apply_tap(context: UpdateContext) -> TelegramCalls:
    """Let the tapped button of a question change the draft of its answers; after the last answer submit the item."""
    callback = context.require_callback()
    opened = context.open_assignment(callback.row_id)
    questions = assignments.get_shown_questions(opened)
    is_immediate = len(questions) == 1 and callback.action is ButtonAction.ANSWER  # submission finds a repeated tap
    if not is_immediate and callback.action not in ENTRY_ACTIONS and _has_judgement(context, opened):
        return context.acknowledge("saved-already")
    draft = context.state.get_draft(callback.row_id, callback.get_number(REVISION))
    asked = conversation_state.find_asked_question(questions, draft, language=opened.context.project.language)
    if asked is None or asked.index != callback.get_number(QUESTION_INDEX):
        raise Stale("This question is answered.")
    result = _apply_to_asked(context, asked, n_questions=len(questions))
    if isinstance(result, RefusedInput):
        return context.acknowledge(result.text_id, **result.arguments)
    return store_draft(context, opened, questions, draft, result)


def _apply_to_asked(context: UpdateContext, asked: AskedQuestion, *, n_questions: int) -> AnswerDraft | RefusedInput:
    """The draft after a tap on a button of this question, or after what was entered on the answer page."""
    callback, question_input = context.require_callback(), INPUTS[asked.shown.question.kind]
    if context.incoming.entered is not None:
        return question_input.apply_entered(asked, context.incoming.entered)
    if callback.action is not ButtonAction.LEAVE_UNANSWERED:
        return question_input.apply_tap(asked, callback)
    if asked.shown.question.required:
        raise Stale("This needs an answer.")
    return asked.with_answer(None) if n_questions > 1 else RefusedInput(text_id="answer-or-skip")


def apply_leave_tap(context: UpdateContext) -> TelegramCalls:
    """Leave a question of an item without an answer, or in the second pass all of them."""
    is_for_item = len(context.require_callback().numbers) > 2
    return confirm_item(context) if is_for_item else apply_tap(context)


def confirm_item(context: UpdateContext) -> TelegramCalls:
    """Answer in the second pass that nothing is wrong with the item."""
    callback = context.require_callback()
    opened, revision = context.open_assignment(callback.row_id), callback.get_number(REVISION)
    if _has_judgement(context, opened):
        return context.acknowledge("saved-already")
    draft = context.state.get_draft(callback.row_id, revision)
    if draft.answers or draft.entry:
        raise Stale("There are answers already.")
    return submit_no_problem(context, opened, draft)


def submit_no_problem(context: UpdateContext, opened: OpenedAssignment, draft: AnswerDraft) -> TelegramCalls:
    """Submit that nothing is wrong with an item; raises Stale where it is not the second pass, or more is asked."""
    questions = [shown.question for shown in assignments.get_shown_questions(opened)]
    if not opened.is_second_pass or not second_pass.may_all_stay_empty(questions):
        raise Stale("This needs an answer.")
    boxes: dict[str, Any] = {
        question.name: [] for question in questions if question.required and question.show_if is None
    }
    return _submit_answers(context, opened, replace(draft, answers=boxes, entry=None))


def store_draft(
    context: UpdateContext,
    opened: OpenedAssignment,
    questions: Sequence[ShownQuestion],
    old_draft: AnswerDraft,
    new_draft: AnswerDraft,
) -> TelegramCalls:
    """Store a changed draft and show what is asked next; submit the answers where nothing is."""
    language = opened.context.project.language
    if len(questions) > 1:
        new_draft = conversation_state.settle_answers(questions, new_draft)
    asked = conversation_state.find_asked_question(questions, new_draft, language=language)
    if asked is None:
        return _submit_answers(context, opened, new_draft)
    new_draft = conversation_state.resume_entry(new_draft, asked.shown.name)
    item = assignments.get_open_item(opened, revision=new_draft.revision)
    return join_calls(context.acknowledge(), _show_draft(context, item, old_draft, new_draft))


def _has_judgement(context: UpdateContext, opened: OpenedAssignment) -> bool:
    """Whether the revision that the button names is answered already, as after a double tap."""
    revision = context.require_callback().get_number(REVISION)
    return assignments.get_judgement(opened, revision=revision) is not None


def _show_draft(
    context: UpdateContext, item: AssignedItem, old_draft: AnswerDraft, new_draft: AnswerDraft
) -> TelegramCalls:
    """Show a changed draft in the same message, or in new ones.

    New messages are sent where the item needs more or fewer of them now, and below a typed text: there the annotator
    looks.
    """
    is_typed = context.incoming.kind is UpdateKind.MESSAGE
    was_below = items.build_item_progress(item, old_draft, context.translate).is_below
    if was_below or is_typed:
        new_draft = replace(new_draft, is_below=True)
    progress = items.build_item_progress(item, new_draft, context.translate)
    old_messages = navigation.render_item(context, item, old_draft)
    if progress.is_below:
        question = items.render_question(item, context.translate, progress)
        new_messages = navigation.add_page_button(context, item, question)
        is_redrawn = was_below and not is_typed
    else:
        new_messages = navigation.render_item(context, item, new_draft)
        is_redrawn = len(old_messages) == len(new_messages)
    if is_redrawn:
        return redraw_item(context, item, new_draft)
    context.save_state(context.state.with_draft(new_draft, assignment_id=item.assignment_id))
    item_messages.begin_redraw(context.transaction.session, item.assignment_id)
    without_buttons = context.edit(replace(old_messages[-1], buttons=()), assignment_id=item.assignment_id)
    return join_calls(without_buttons, context.send(*new_messages, assignment_id=item.assignment_id))


def redraw_item(context: UpdateContext, item: AssignedItem, draft: AnswerDraft) -> TelegramCalls:
    """Store the draft and edit the item message."""
    context.save_state(context.state.with_draft(draft, assignment_id=item.assignment_id))
    return context.redraw_item(navigation.render_item(context, item, draft)[-1], assignment_id=item.assignment_id)


def _submit_answers(context: UpdateContext, opened: OpenedAssignment, draft: AnswerDraft) -> TelegramCalls:
    """Store the judgement, edit the item message and show the next item; a repeated tap stores nothing."""
    saved = assignments.submit_judgement(opened, revision=draft.revision, answers=draft.given_answers, now=context.now)
    if saved.repeated:
        return _acknowledge_repeat(context, opened, saved)
    if draft.messages or draft.revision:
        item_messages.record_answer_messages(
            context.transaction.session,
            annotator_id=context.annotator_id,
            assignment_id=saved.assignment_id,
            messages={name: ids for name, ids in draft.messages.items() if name in saved.stored_answers},
            is_revision=draft.revision > 0,
        )
    if context.state.drafts:
        context.save_state(context.state.with_draft(None, assignment_id=saved.assignment_id))
    return finish_item(context, saved)


def _acknowledge_repeat(context: UpdateContext, opened: OpenedAssignment, repeated: SavedJudgement) -> TelegramCalls:
    """Acknowledge a repeated tap, and redraw the item where it does not show the stored answer yet."""
    if repeated.reopened:
        return context.acknowledge("saved-already")
    saved = assignments.keep_judgement(opened)
    answer = message_layout.shorten_text("; ".join(items.format_answers(saved, context.translate)), MAX_QUOTED_ANSWER)
    acknowledgement = (
        context.acknowledge("answered-already", answer=answer)
        if saved.changeable and answer
        else context.acknowledge("saved-already")
    )
    finished = render_finished_item(context, saved)
    return join_calls(acknowledgement, context.edit(finished, assignment_id=repeated.assignment_id))


def finish_item(context: UpdateContext, saved: SavedJudgement) -> TelegramCalls:
    """Show an item as answered or skipped in its own message, and the next screen below it.

    After a revision no next screen is shown; after the last item of a session its end is.
    """
    emoji = _choose_emoji(context, saved)
    finished = items.render_finished_item(saved, context.translate, emoji=emoji)
    calls = join_calls(
        context.acknowledge_with(items.format_toast(saved, context.translate, emoji=emoji)),
        context.edit(finished, assignment_id=saved.assignment_id),
    )
    result = None
    if saved.decision is not None:
        title = "" if saved.journey is None else context.get_project(saved.project_id)[0].title
        until = _format_next_attempt(context, saved.decision.retry_at)
        result = own_progress.render_qualification_result(saved.decision, context.translate, title=title, until=until)
    told = () if result is None else context.send(result)
    if saved.revision:
        return join_calls(calls, told)
    is_session = context.state.session_goal > 0
    if is_session and work_sessions.is_session_over(context, saved):
        return join_calls(calls, told, work_sessions.end_session(context.without_tap(), saved))
    if _has_to_be_read(context, saved):
        if is_session:
            work_sessions.store_done(context, saved)
        return _wait_for_next(context, saved, finished, result)
    calls = join_calls(calls, told)
    shown = navigation.show_current_screen(context.without_tap(), item_finished=True)
    if is_session:
        work_sessions.store_done(context, saved)
    return join_calls(calls, shown)


def _format_next_attempt(context: UpdateContext, retry_at: datetime | None) -> str:
    """When the next attempt opens; empty where none does, and where it is open already."""
    if retry_at is None or retry_at <= context.now:
        return ""
    return time_zones.format_time(retry_at, context.translate, zone=context.annotator.time_zone, now=context.now)


def _has_to_be_read(context: UpdateContext, saved: SavedJudgement) -> bool:
    """Whether the next item waits until the annotator has read what was right: after a wrong answer in training.

    Or the result of a failed attempt, where an item of another data set follows. It does not after a skip, which is
    told nothing, and where no item can follow now, since the attempt was failed.
    """
    decision = saved.decision
    is_failed = decision is not None and not decision.passed
    if decision is not None and is_failed and (decision.retry_at is None or decision.retry_at > context.now):
        return saved.journey is not None
    return saved.feedback is not None and saved.feedback.right is False and not saved.skipped


def _wait_for_next(
    context: UpdateContext, saved: SavedJudgement, finished: RenderedMessage, result: RenderedMessage | None
) -> TelegramCalls:
    """Show what was right with a button to the next item, which may be typed; it is under the result, if there is one.

    Otherwise the message of the item becomes the one that asked last; a typed answer has the verdict below it.
    """
    told = context.acknowledge_with(items.format_toast(saved, context.translate, emoji=""))
    row = (message_layout.build_button(context.translate("go-on"), ButtonAction.GO_ON, typed=(prompts.GO_ON,)),)
    if result is None and context.incoming.query_id == TYPED_QUERY:
        told, result = context.acknowledge(), items.render_verdict(saved, context.translate)
        finished = items.render_finished_item(saved, context.translate, has_feedback=False)
    if result is not None:
        edited = context.edit(finished, assignment_id=saved.assignment_id)
        return join_calls(
            told, edited, context.without_tap().ask(replace(result, buttons=(row,)), subject_id=saved.assignment_id)
        )
    waiting = replace(finished, buttons=(*finished.buttons, row))
    message_id = item_messages.find_message(context.transaction.session, saved.assignment_id)
    state = context.state.with_step(
        ConversationStep.CHOICE, subject_id=saved.assignment_id, prompt=prompts.encode_prompt(waiting)
    )
    context.save_state(replace(state, asked_by=context.incoming.update_id, asked_in=message_id))
    return join_calls(told, context.edit(waiting, assignment_id=saved.assignment_id))


def render_finished_item(context: UpdateContext, saved: SavedJudgement) -> RenderedMessage:
    """The message of an item after its answer or skip."""
    return items.render_finished_item(saved, context.translate, emoji=_choose_emoji(context, saved))


def _choose_emoji(context: UpdateContext, saved: SavedJudgement) -> str:
    """The reward for an answer; empty for a skip, a wrong answer in training, and where the project has none."""
    definition = context.find_definition(saved.project_id)
    is_wrong = saved.feedback is not None and saved.feedback.right is False
    if not saved.stored_answers or definition is None or is_wrong or not definition.reward_emojis:
        return ""
    emojis = definition.reward_emojis
    return emojis[(saved.assignment_id * _HASH_MULTIPLIER >> 8) % len(emojis)]


def restore_draft(context: UpdateContext, opened: OpenedAssignment, item: AssignedItem) -> AnswerDraft:
    """What is known of the answers of an item that an undo opened, with the messages that gave them.

    These are the stored answers, or those begun before a skip.
    """
    judgement = assignments.get_judgement(opened, revision=item.revision - 1)
    stored_answers = {} if judgement is None else assignments.get_stored_answers(opened.context, judgement)
    if not stored_answers:
        return replace(context.state.get_draft(item.assignment_id, 0), revision=item.revision)
    draft = conversation_state.restore_draft(
        item.questions, stored_answers, assignment_id=item.assignment_id, revision=item.revision
    )
    messages = item_messages.list_answer_messages(context.transaction.session, assignment_id=item.assignment_id)
    return replace(draft, messages=messages)
