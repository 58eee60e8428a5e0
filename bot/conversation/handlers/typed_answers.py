"""Typed answers: a text answers what was asked last and was on the screen when it was sent, or what it replies to."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.campaigns.questions import ChoicesQuestion
from annotation.workflow import assignments
from annotation.workflow.assignments import AssignedItem, OpenedAssignment, ShownQuestion
from annotation.workflow.conversations import conversation_state, screens
from bot.conversation import navigation
from bot.conversation.handlers import answers
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import TelegramCalls
from bot.conversation.views import questions


def answer_with_text(context: UpdateContext) -> TelegramCalls:
    """Answer what was asked last, if it was on the screen, with a typed letter, number or whole option.

    That is the item in hand, or one that was opened for another answer since. Any other text shows the current screen.
    """
    live = navigation.get_live_item(context)
    items_by_id = {live.assignment_id: live} if isinstance(live, AssignedItem) and _is_shown(context, live) else {}
    reopened = {draft.assignment_id: draft for draft in context.state.drafts if draft.revision}
    drafted = [one.assignment_id for one in context.state.drafts if one.revision or one.assignment_id in items_by_id]
    assignment_ids = list(dict.fromkeys([*drafted, *items_by_id]))
    if not assignment_ids:
        return navigation.show_current_screen(context)
    asked = screens.find_asked_assignment(context.transaction.session, assignment_ids, typed=context.typed)
    if asked is None:
        are_shown = all(screens.is_shown(context.transaction.session, one) for one in assignment_ids)
        return explain_early_text(context, is_shown=are_shown, reopened=[*reopened])
    opened = context.open_assignment(asked)
    item = items_by_id.get(asked) or assignments.get_open_item(opened, revision=reopened[asked].revision)
    return _answer_item_with_text(context, opened, item) or join_calls(
        context.send_text("tap-please"), navigation.show_current_screen(context)
    )


def answer_replied_item(context: UpdateContext) -> TelegramCalls:
    """Answer the item that the text replies to, or change its answer; raises Stale where that is not possible now."""
    assignment_id = screens.find_replied_assignment(
        context.transaction.session, annotator_id=context.annotator_id, message_id=context.incoming.reply_to or 0
    )
    if assignment_id is None:
        return context.send_text("reply-unknown")
    opened, live = context.open_assignment(assignment_id), navigation.get_live_item(context)
    if isinstance(live, AssignedItem) and live.assignment_id == assignment_id:
        if screens.find_asked_assignment(context.transaction.session, [assignment_id], typed=context.typed) is None:
            is_shown = screens.is_shown(context.transaction.session, assignment_id)
            return explain_early_text(context, is_shown=is_shown)
        return _answer_item_with_text(context, opened, live) or context.send_text("tap-please")
    if len(assignments.get_shown_questions(opened)) > 1:
        return context.send_text("reply-several")
    calls = _answer_item_with_text(context, opened, assignments.undo_judgement(opened))
    if not calls:
        assignments.keep_judgement(opened)
    return calls or context.send_text("tap-please")


def explain_early_text(context: UpdateContext, *, is_shown: bool, reopened: Sequence[int] = ()) -> TelegramCalls:
    """Explain that a text answers nothing, as what is asked now came after it.

    Where what is asked is neither shown nor on its way, it is shown again, and texts no longer answer `reopened` items.
    """
    explanation = context.send_text("sent-too-early")
    if is_shown or screens.is_anything_unsent(context.transaction.session, chat_id=context.incoming.chat_id):
        return explanation
    for assignment_id in reopened:
        context.save_state(context.state.with_draft(None, assignment_id=assignment_id))
    return join_calls(explanation, navigation.show_current_screen(context))


def explain_early_input(context: UpdateContext) -> TelegramCalls:
    """Explain that a text is not the input of the current step, as that was asked for later."""
    return explain_early_text(context, is_shown=context.state.asked_in is not None)


def _answer_item_with_text(context: UpdateContext, opened: OpenedAssignment, item: AssignedItem) -> TelegramCalls:
    """Answer the next question of an item with the text; no calls where the text is no answer to it."""
    draft = context.state.get_draft(item.assignment_id, item.revision)
    index = conversation_state.find_next_question(item, draft) or 0
    options = _match_answer(item.questions[index], context.text, item.language)
    if options is None:
        return ()
    calls = answers.record_answer(context, opened, item, draft, options, index=index)
    return join_calls(calls, context.send_text("answer-changed")) if item.revision else calls


def _is_shown(context: UpdateContext, item: AssignedItem) -> bool:
    """Whether the annotator sees the item: the time zone and the task card, which come before it, are done."""
    return context.annotator.time_zone is not None and str(item.project_id) in context.state.read_cards


def _match_answer(shown: ShownQuestion, text: str, language: str) -> list[int] | None:
    """The indices of the options that a typed text names; None where they are no valid answer to the question."""
    question, options = shown.question, questions.match_options(text, shown.options, language)
    if isinstance(question, ChoicesQuestion):
        most = question.most or len(shown.options)
        return sorted(options) if options and question.least <= len(options) <= most else None
    return list(options) if len(options) == 1 else None
