"""Questions to the organisers, pausing, and the attestation at the end of a work session."""

from __future__ import annotations

from annotation.errors import BadInput, Conflict, Stale
from annotation.workflow import participations
from annotation.workflow.annotators import consents, support_messages, withdrawal
from annotation.workflow.assignments import AssignedItem
from annotation.workflow.conversations import conversation_state
from annotation.workflow.conversations.conversation_state import ConversationStep
from bot.conversation import attestation_questions, message_layout, navigation, work_sessions
from bot.conversation.handlers import answer_changes
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import TelegramCalls
from bot.conversation.views.project_status import AttestationMoment


def ask_for_question(context: UpdateContext) -> TelegramCalls:
    """Ask the annotator to type a question to the organisers, about the item that they have or anything else.

    One that is typed behind the command is passed on at once.
    """
    if context.callback is not None:
        assignment_id = context.callback.row_id
    else:
        item = navigation.get_live_item(context)
        assignment_id = item.assignment_id if isinstance(item, AssignedItem) else 0
        _, *typed = context.text.split(maxsplit=1)
        if typed:
            return _pass_on_question(context, typed[0], assignment_id)
    request = message_layout.render_text(
        context.translate, context.translate("ask-type"), input_hint=context.translate("answer-here")
    )
    return join_calls(context.acknowledge(), context.ask(request, ConversationStep.ASK, subject_id=assignment_id))


def submit_question(context: UpdateContext) -> TelegramCalls:
    """Pass the typed question on to the organisers."""
    return _pass_on_question(context, context.text, context.state.subject_id)


def _pass_on_question(context: UpdateContext, text: str, assignment_id: int) -> TelegramCalls:
    try:
        support_messages.store_message(
            context.transaction.session,
            annotator_id=context.annotator_id,
            text=text,
            now=context.now,
            assignment_id=assignment_id or None,
            project_id=participations.find_latest_project(
                context.transaction.session, annotator_id=context.annotator_id
            ),
        )
    except BadInput:
        return context.send_text("ask-too-long", most=support_messages.MAX_TEXT_LENGTH)
    except Conflict:
        refusal = context.send_text("ask-enough", most=support_messages.MAX_MESSAGES)
        return join_calls(refusal, navigation.show_current_screen(context))
    return join_calls(context.send_text("asked"), navigation.show_current_screen(context))


def pause_work(context: UpdateContext) -> TelegramCalls:
    """Pause work: the item returns to the queue; the annotator gets it again later if it is still open.

    Answers that were opened to be changed stay as they were, so that no later text changes them.
    """
    item = navigation.get_live_item(context)
    closed = [
        answer_changes.close_change(context, draft.assignment_id)
        for draft in context.state.drafts
        if draft.revision and not conversation_state.is_begun(draft)
    ]
    withdrawal.release_live_assignments(context.transaction.session, annotator_id=context.annotator_id, now=context.now)
    work_sessions.forget_session(context)
    context.save_state(context.state.with_step(ConversationStep.NONE))
    if not isinstance(item, AssignedItem):
        return join_calls(context.acknowledge(), *closed, navigation.send_pause(context, "paused"))
    has_draft = conversation_state.is_begun(context.state.get_draft(item.assignment_id, item.revision))
    return join_calls(
        context.acknowledge(),
        *closed,
        navigation.remove_item_buttons(context, item),
        navigation.send_pause(context, "paused-begun", number=item.number)
        if has_draft
        else navigation.send_pause(context, "paused"),
        attestation_questions.ask_at_pause(context, project_id=item.project_id),
    )


def submit_attestation(context: UpdateContext) -> TelegramCalls:
    """Store which aids (such as dictionaries) were used in the work session that the button names."""
    callback = context.require_callback()
    project, definition = context.get_project(callback.row_id)
    section = definition.attestation
    if section is None:
        raise Stale("Nothing is asked there.")
    used = callback.choose(section.options, 1)
    moment = callback.get_number(2)
    consents.save_attestation(
        context.transaction.session,
        annotator_id=context.annotator_id,
        project=project,
        work_session=callback.get_number(0),
        used=used,
        now=context.now,
        at_end=moment != AttestationMoment.BEFORE_ITEM,
    )
    way_on = [context.translate("resume")] if moment == AttestationMoment.PAUSE else []
    confirmation = message_layout.render_text(context.translate, section.text, used, *way_on)
    calls = join_calls(context.acknowledge("noted"), context.edit(confirmation))
    if moment == AttestationMoment.BEFORE_ITEM:
        return join_calls(calls, navigation.show_current_screen(context.without_tap()))
    context.save_state(context.state.without_prompt())
    return calls if moment == AttestationMoment.PAUSE else join_calls(calls, attestation_questions.ask_at_end(context))
