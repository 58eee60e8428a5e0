"""Skipping an item, reporting it, and the other buttons under it."""

from __future__ import annotations

from dataclasses import replace

from annotation.errors import BadInput, Conflict, Stale
from annotation.workflow import assignments, participations
from annotation.workflow.annotators import consents, support_messages
from annotation.workflow.assignments import AssignedItem
from annotation.workflow.conversations import conversation_state, item_messages
from annotation.workflow.conversations.conversation_state import ConversationStep
from bot.conversation import (
    message_layout,
    navigation,
    prompts,
    return_card,
    work_sessions,
)
from bot.conversation.handlers import answers
from bot.conversation.message_layout import RenderedMessage
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import ButtonRows, TelegramCalls
from bot.conversation.views import items, menus
from bot.conversation.views.own_progress import AttestationMoment


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
        context.translate, context.translate("ask-type"), buttons=(menus.build_back_row(context.translate),)
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
        return join_calls(context.close_prompt(), refusal, navigation.show_current_screen(context))
    return join_calls(context.close_prompt(), context.send_text("asked"), navigation.show_current_screen(context))


def pause_work(context: UpdateContext) -> TelegramCalls:
    """Pause work with a card: the item returns to the queue; the annotator gets it again later if it is still open.

    Answers that were opened to be changed stay as they were, so that no later text changes them.
    """
    item = navigation.get_live_item(context)
    closed = [
        answers.close_change(context, draft.assignment_id)
        for draft in context.state.drafts
        if draft.revision and not conversation_state.is_begun(draft)
    ]
    navigation.release_live_item(context)
    work_sessions.forget_session(context)
    context.save_state(context.state.with_step(ConversationStep.NONE))
    tapped = context.without_tap()
    if not isinstance(item, AssignedItem):
        return join_calls(context.acknowledge(), *closed, return_card.show_pause(tapped))
    return join_calls(
        context.acknowledge(),
        *closed,
        navigation.remove_item_buttons(context, item),
        return_card.ask_attestation(tapped, project_id=item.project_id)
        or return_card.show_pause(tapped, project_id=item.project_id),
    )


def submit_attestation(context: UpdateContext) -> TelegramCalls:
    """Store which aids (such as dictionaries) were used in the work session that the button names.

    The card, or what comes next, follows.
    """
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
    confirmation = message_layout.render_text(context.translate, section.text, used)
    calls = join_calls(context.acknowledge("noted"), context.edit(confirmation))
    context.save_state(context.state.without_prompt())
    if moment == AttestationMoment.PAUSE:
        return join_calls(calls, work_sessions.show_card(context.without_tap(), project_id=callback.row_id))
    return join_calls(calls, navigation.show_current_screen(context.without_tap()))


MAX_REASON_LENGTH = 500
"""How much of a typed reason is stored, in characters."""


def show_more(context: UpdateContext) -> TelegramCalls:
    """Show the buttons for what is done seldom, under the same item; any item can be opened on the answer page."""
    item = _get_live_item(context, context.require_callback().row_id)
    has_answers = bool(context.state.get_draft(item.assignment_id, item.revision).answers)
    buttons = menus.build_more_buttons(context.translate, assignment_id=item.assignment_id, has_answers=has_answers)
    return _show_under_item(context, item, (*navigation.build_page_row(context, item), *buttons))


def ask_skip_reason(context: UpdateContext) -> TelegramCalls:
    """`/skip`: show the reasons for a skip of the item in hand."""
    item = navigation.get_live_item(context)
    if not isinstance(item, AssignedItem) or not item_messages.is_shown(
        context.transaction.session, item.assignment_id
    ):
        return navigation.show_current_screen(context)
    return _show_under_item(
        context, item, menus.build_skip_buttons(context.translate, assignment_id=item.assignment_id), "skip-why"
    )


def ask_report_reason(context: UpdateContext) -> TelegramCalls:
    """`/problem`: show the reasons for a report of the item in hand."""
    item = navigation.get_live_item(context)
    if not isinstance(item, AssignedItem) or not item_messages.is_shown(
        context.transaction.session, item.assignment_id
    ):
        return navigation.show_current_screen(context)
    reasons = _list_project_reasons(context, item)
    return _show_under_item(
        context,
        item,
        menus.build_report_buttons(context.translate, reasons, assignment_id=item.assignment_id),
        "report-why",
    )


def repeat_reasons(context: UpdateContext) -> TelegramCalls:
    """Explain that a text is none of the choices under the item, and show the item with them again, below."""
    item = _get_live_item(context, context.state.subject_id)
    stored = context.state.prompt
    again = _show_under_item(context, item, prompts.decode_prompt(stored).buttons, stored.get("text_id", ""))
    return join_calls(context.send_text("choose-shown"), again)


def skip_item(context: UpdateContext) -> TelegramCalls:
    """Show the reasons for a skip, or skip the item for one of them."""
    callback = context.require_callback()
    if callback.word == navigation.MOVE:
        return _leave_for_label_studio(context, callback.row_id)
    if not callback.numbers:
        item = _get_live_item(context, callback.row_id)
        return _show_under_item(
            context, item, menus.build_skip_buttons(context.translate, assignment_id=callback.row_id), "skip-why"
        )
    if callback.get_number(0) == menus.TYPED_REASON:
        return _ask_for_text(context, ConversationStep.SKIP, "skip-type")
    return _submit_skip(context, callback.row_id, callback.choose(menus.SKIP_REASONS, 0))


def _leave_for_label_studio(context: UpdateContext, assignment_id: int) -> TelegramCalls:
    """Move the live item, which is too long for a phone, to Label Studio, and show the next screen."""
    item = _get_live_item(context, assignment_id)
    without_buttons = replace(_render_item(context, item), buttons=())
    closed = context.without_tap().edit(without_buttons, assignment_id=assignment_id)
    assignments.move_live_item(context.open_assignment(assignment_id), now=context.now)
    moved = context.edit(message_layout.render_text(context.translate, context.translate("long-moved")))
    next_screen = navigation.show_current_screen(context.without_tap(), item_finished=True)
    return join_calls(context.acknowledge(), moved, closed, next_screen)


def skip_with_text(context: UpdateContext) -> TelegramCalls:
    """Skip the item for a typed reason."""
    closed = context.close_prompt()
    skipped = _submit_skip(context, context.state.subject_id, context.text.strip()[:MAX_REASON_LENGTH])
    return join_calls(closed, skipped)


def _submit_skip(context: UpdateContext, assignment_id: int, reason: str) -> TelegramCalls:
    saved = assignments.skip_item(context.open_assignment(assignment_id), reason=reason, now=context.now)
    context.save_state(context.state.with_step(ConversationStep.NONE))
    return context.acknowledge("skipped") if saved.repeated else answers.finish_item(context, saved)


def report_item(context: UpdateContext) -> TelegramCalls:
    """Show the reasons for a report, or report the item for one of them; it can still be answered."""
    callback = context.require_callback()
    item = _get_live_item(context, callback.row_id)
    project_reasons = _list_project_reasons(context, item)
    if not callback.numbers:
        return _show_under_item(
            context,
            item,
            menus.build_report_buttons(context.translate, project_reasons, assignment_id=callback.row_id),
            "report-why",
        )
    if callback.get_number(0) == menus.TYPED_REASON:
        return _ask_for_text(context, ConversationStep.REPORT, "report-type")
    reason = callback.choose(project_reasons or menus.REPORT_REASONS, 0)
    assignments.report_item(context.open_assignment(callback.row_id), reason=reason, now=context.now)
    return join_calls(context.acknowledge("reported"), _redraw_item(context, item))


def _list_project_reasons(context: UpdateContext, item: AssignedItem) -> tuple[str, ...]:
    definition = context.find_definition(item.project_id)
    return definition.reports.reasons if definition and definition.reports else ()


def report_with_text(context: UpdateContext) -> TelegramCalls:
    """Report the item for a typed reason."""
    text = context.text.strip()[:MAX_REASON_LENGTH]
    opened = context.open_assignment(context.state.subject_id)
    assignments.report_item(opened, reason="other", text=text, now=context.now)
    return join_calls(context.close_prompt(), context.send_text("reported"), navigation.show_current_screen(context))


def return_to_item(context: UpdateContext) -> TelegramCalls:
    """Show the buttons of the item again instead of a list of reasons."""
    return join_calls(
        context.acknowledge(), _redraw_item(context, _get_live_item(context, context.require_callback().row_id))
    )


def _get_live_item(context: UpdateContext, assignment_id: int) -> AssignedItem:
    """The live item of the annotator, if it is this assignment; raises Stale otherwise."""
    item = navigation.get_live_item(context)
    if not isinstance(item, AssignedItem) or item.assignment_id != assignment_id:
        raise Stale("That item is not in your hands.")
    return item


def _show_under_item(
    context: UpdateContext, item: AssignedItem, buttons: ButtonRows, prompt: str = ""
) -> TelegramCalls:
    """Show other buttons under the item; `prompt` is the id of the text above them.

    After a tap they stand in the same message, after a command in a new one.
    """
    rendered = items.render_item_with_buttons(
        item,
        context.translate,
        progress=items.build_item_progress(
            item, context.state.get_draft(item.assignment_id, item.revision), context.translate
        ),
        buttons=buttons,
        prompt=context.translate(prompt) if prompt else "",
    )
    if context.incoming.query_id is None:
        item_messages.begin_redraw(context.transaction.session, item.assignment_id)
        older = navigation.remove_item_buttons(context, item)
        shown = join_calls(older, context.send(rendered, assignment_id=item.assignment_id))
    else:
        shown = join_calls(context.acknowledge(), context.redraw_item(rendered, assignment_id=item.assignment_id))
    choices = prompts.encode_prompt(replace(rendered, html="")) | {"text_id": prompt}
    context.save_state(context.state.with_step(ConversationStep.REASON, subject_id=item.assignment_id, prompt=choices))
    return shown


def _redraw_item(context: UpdateContext, item: AssignedItem) -> TelegramCalls:
    """Edit the item message, so that it has the buttons of the item again."""
    return context.redraw_item(_render_item(context, item), assignment_id=item.assignment_id)


def _render_item(context: UpdateContext, item: AssignedItem) -> RenderedMessage:
    """The message of the item that has its buttons."""
    draft = context.state.get_draft(item.assignment_id, item.revision)
    return navigation.render_item(context, item, draft)[-1]


def _ask_for_text(context: UpdateContext, step: ConversationStep, text_id: str) -> TelegramCalls:
    """Ask for a typed text about the item of the tapped button, and take the next text for the input of this step."""
    subject_id = context.require_callback().row_id
    _get_live_item(context, subject_id)
    request = message_layout.render_text(
        context.translate, context.translate(text_id), buttons=(menus.build_back_row(context.translate),)
    )
    return join_calls(context.acknowledge(), context.ask(request, step, subject_id=subject_id))
