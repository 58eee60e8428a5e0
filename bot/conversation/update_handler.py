"""The entry of the conversation: an update is handled in one transaction, and the calls to make are returned.

The first handler in HANDLERS whose condition holds answers the update. Exceptions that a handler raises are explained
to the annotator here.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from annotation.errors import BadInput, HromadaError, Stale, Unavailable, UnknownVersion
from annotation.workflow.annotators import registration
from annotation.workflow.assignments import AnnotatorTransaction
from annotation.workflow.conversations import conversation_state
from annotation.workflow.conversations.conversation_state import ConversationStep
from bot.conversation import case_queue, message_layout, navigation, prompts, updates_and_calls
from bot.conversation.handlers import (
    adjudication,
    answers,
    command_words,
    data_rights,
    onboarding,
    organiser_texts,
    organisers,
    skips_and_reports,
    start,
    typed_answers,
    work_sessions,
)
from bot.conversation.message_layout import MAX_PARTS
from bot.conversation.texts import get_texts, match_language
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import (
    MAX_NUMBER,
    MAX_TEXT,
    PAGE_QUERY,
    ButtonAction,
    ConversationSettings,
    IncomingUpdate,
    NewMessage,
    TapAcknowledgement,
    TelegramCalls,
    UpdateKind,
)

if TYPE_CHECKING:
    from sqlmodel import Session

HANDLED_KINDS = {UpdateKind.MESSAGE, UpdateKind.EDITED, UpdateKind.TAP, UpdateKind.FLOODED}
"""Updates of these kinds are passed to the handlers."""
_UNSTORABLE_CHARACTERS = re.compile("[\0\ud800-\udfff]")

Condition = Callable[[UpdateContext], bool]
Handler = Callable[[UpdateContext], TelegramCalls]


@dataclass(frozen=True, kw_only=True)
class ReplyInterval:
    """How often a reply that changes nothing is made to one annotator at the most, and what answers them meanwhile."""

    interval: timedelta
    meanwhile: Handler | None = None


def _build_tap_condition(action: ButtonAction) -> Condition:
    return lambda context: context.callback is not None and context.callback.action is action


def _build_command_condition(command: str) -> Condition:
    return lambda context: context.command == command


def _build_step_condition(step: ConversationStep) -> Condition:
    return lambda context: context.state.step is step


def _build_kind_condition(kind: UpdateKind) -> Condition:
    return lambda context: context.incoming.kind is kind


def _was_sent_before_prompt(context: UpdateContext) -> bool:
    """Whether the step of the conversation was not asked for on the screen yet when the text was sent."""
    return context.state.step is not ConversationStep.NONE and not context.sees_prompt


def _leads_to_earlier_question(context: UpdateContext) -> bool:
    """Whether the tapped button leads from a question of an item to the one before."""
    callback = context.callback
    return callback is not None and callback.action is ButtonAction.BACK and bool(callback.numbers)


HANDLERS: tuple[tuple[Condition, Handler], ...] = (
    (_build_tap_condition(ButtonAction.ANSWER), answers.apply_tap),
    (_build_tap_condition(ButtonAction.TOGGLE), answers.apply_tap),
    (_build_tap_condition(ButtonAction.DONE), answers.apply_tap),
    (_build_tap_condition(ButtonAction.ENTRY), answers.apply_tap),
    (_build_tap_condition(ButtonAction.LEAVE_UNANSWERED), answers.apply_leave_tap),
    (_build_tap_condition(ButtonAction.UNDO), answers.undo_answer),
    (_build_tap_condition(ButtonAction.KEEP), answers.keep_answer),
    (_build_tap_condition(ButtonAction.CHANGE), answers.change_one_answer),
    (_build_tap_condition(ButtonAction.SKIP), skips_and_reports.skip_item),
    (_build_tap_condition(ButtonAction.REPORT), skips_and_reports.report_item),
    (_build_tap_condition(ButtonAction.MORE), skips_and_reports.show_more),
    (_build_tap_condition(ButtonAction.UP), answers.lead_up),
    (_build_tap_condition(ButtonAction.ASK), skips_and_reports.ask_for_question),
    (_leads_to_earlier_question, answers.ask_previous_question),
    (_build_tap_condition(ButtonAction.BACK), skips_and_reports.return_to_item),
    (_build_tap_condition(ButtonAction.PAUSE), skips_and_reports.pause_work),
    (_build_tap_condition(ButtonAction.TASK), onboarding.show_task),
    (_build_tap_condition(ButtonAction.LANGUAGE), start.set_language),
    (_build_tap_condition(ButtonAction.CONSENT), onboarding.record_consent),
    (_build_tap_condition(ButtonAction.PROFILE), onboarding.record_profile_option),
    (_build_tap_condition(ButtonAction.ZONE), onboarding.choose_time_zone),
    (_build_tap_condition(ButtonAction.WARNING), onboarding.record_warning_reply),
    (_build_tap_condition(ButtonAction.CARD), onboarding.mark_card_read),
    (_build_tap_condition(ButtonAction.ENTER), start.enter_project),
    (_build_tap_condition(ButtonAction.ATTEST), skips_and_reports.submit_attestation),
    (_build_tap_condition(ButtonAction.WITHDRAW), data_rights.withdraw_from_project),
    (_build_tap_condition(ButtonAction.FORGET), data_rights.erase_annotator),
    (_build_tap_condition(ButtonAction.UNITE), start.unite_accounts),
    (_build_tap_condition(ButtonAction.GO_ON), start.resume_work),
    (_build_tap_condition(ButtonAction.SESSION), work_sessions.choose_session),
    (_build_tap_condition(ButtonAction.NOTICE), data_rights.apply_tap),
    (_build_tap_condition(ButtonAction.INVITE), data_rights.invite_friends),
    (adjudication.is_case_tap, adjudication.apply_tap),
    (organisers.is_organiser_tap, organisers.apply_tap),
    (_build_kind_condition(UpdateKind.TAP), start.refuse_forged_tap),
    (_build_kind_condition(UpdateKind.FLOODED), start.explain_flood),
    (typed_answers.gave_answer, typed_answers.change_edited_answer),
    (_build_kind_condition(UpdateKind.EDITED), start.refuse_edit),
    (lambda context: context.incoming.media is not None, start.refuse_media),
    (_build_command_condition("start"), start.start_conversation),
    (_build_command_condition("projects"), start.list_projects),
    (_build_command_condition("progress"), work_sessions.show_progress),
    (_build_command_condition("session"), work_sessions.ask_session),
    (_build_command_condition("page"), start.offer_page),
    (_build_command_condition("task"), onboarding.show_task),
    (_build_command_condition("skip"), skips_and_reports.ask_skip_reason),
    (_build_command_condition("problem"), skips_and_reports.ask_report_reason),
    (_build_command_condition("ask"), skips_and_reports.ask_for_question),
    (_build_command_condition("pause"), skips_and_reports.pause_work),
    (_build_command_condition("reminders"), data_rights.show_card),
    (_build_command_condition("language"), start.ask_language),
    (_build_command_condition("mydata"), data_rights.send_my_data),
    (_build_command_condition("withdraw"), data_rights.ask_project_to_leave),
    (_build_command_condition("forget"), data_rights.ask_erasure_confirmation),
    (adjudication.asks_for_queue, case_queue.show_next_case),
    (organisers.asks_for_campaigns, organisers.send_campaigns),
    (_build_command_condition("help"), start.show_help),
    (lambda context: bool(context.command), start.refuse_unknown_command),
    (organisers.is_stray_text, organisers.answer_stray_text),
    (_build_step_condition(ConversationStep.LANGUAGE), navigation.show_current_screen),
    (lambda context: context.replies_elsewhere, typed_answers.answer_replied_item),
    (command_words.is_wish, command_words.apply_wish),
    (_was_sent_before_prompt, typed_answers.explain_early_input),
    (_build_step_condition(ConversationStep.CHOICE), typed_answers.repeat_prompt),
    (_build_step_condition(ConversationStep.CASE), adjudication.repeat_case),
    (_build_step_condition(ConversationStep.COMMENT), adjudication.submit_comment),
    (_build_step_condition(ConversationStep.ORGANISER), organiser_texts.submit_text),
    (_build_step_condition(ConversationStep.REASON), skips_and_reports.repeat_reasons),
    (_build_step_condition(ConversationStep.PROFILE), onboarding.record_profile_text),
    (_build_step_condition(ConversationStep.ZONE), onboarding.set_typed_time_zone),
    (_build_step_condition(ConversationStep.SKIP), skips_and_reports.skip_with_text),
    (_build_step_condition(ConversationStep.REPORT), skips_and_reports.report_with_text),
    (_build_step_condition(ConversationStep.ASK), skips_and_reports.submit_question),
    (lambda _: True, typed_answers.answer_with_text),
)
"""Conditions with their handlers, in the order in which they are tried; the last condition always holds."""
REPLY_INTERVALS: Mapping[Handler, ReplyInterval] = {
    start.refuse_media: ReplyInterval(interval=timedelta(minutes=1)),
    start.refuse_unknown_command: ReplyInterval(interval=timedelta(minutes=1)),
    start.refuse_edit: ReplyInterval(interval=timedelta(minutes=10)),
    data_rights.send_my_data: ReplyInterval(
        interval=data_rights.EXPORT_INTERVAL, meanwhile=data_rights.explain_wait_for_data
    ),
    data_rights.explain_wait_for_data: ReplyInterval(interval=timedelta(minutes=1)),
}
"""Handlers that answer one annotator once in a while only."""


def handle_update(
    session: Session,
    incoming: IncomingUpdate,
    *,
    now: datetime,
    settings: ConversationSettings,
) -> TelegramCalls:
    """Handle an update and return the calls to make; the caller commits the session before it makes them."""
    if not incoming.private:
        return _answer_outside_private_chat(session, incoming, now)
    if incoming.kind is UpdateKind.BLOCKED:
        registration.mark_unreachable(session, telegram_id=incoming.telegram_id, now=now)
    if incoming.kind not in HANDLED_KINDS or (incoming.kind is UpdateKind.EDITED and incoming.media is not None):
        return ()
    return _handle_in_conversation(session, incoming, now=now, settings=settings, registers=True)[0]


def handle_page_update(
    session: Session,
    incoming: IncomingUpdate,
    *,
    now: datetime,
    settings: ConversationSettings,
    registers: bool = False,
) -> tuple[TelegramCalls, UpdateContext | None]:
    """Handle what comes from the answer page: the calls, and the context of what it shows then.

    The context is None for somebody who was erased or suspended. Unless it `registers`, raises UnknownAnnotator for
    somebody new, and for somebody who is suspended.
    """
    calls, context = _handle_in_conversation(session, incoming, now=now, settings=settings, registers=registers)
    shown = {call.assignment_id for call in calls if isinstance(call, NewMessage)}
    if not shown.isdisjoint(context.shown_items):
        return calls, context
    return calls, open_page(session, telegram_id=incoming.telegram_id, now=now, settings=settings)


def _handle_in_conversation(
    session: Session, incoming: IncomingUpdate, *, now: datetime, settings: ConversationSettings, registers: bool
) -> tuple[TelegramCalls, UpdateContext]:
    incoming = replace(incoming, text=_clean_text(incoming.text))
    transaction, record = conversation_state.open_conversation(
        session,
        telegram_id=incoming.telegram_id,
        language=match_language(incoming.language_code),
        key=settings.key,
        now=now,
        simulated=settings.simulated,
        registers=registers,
    )
    transaction = replace(transaction, on_page=incoming.on_page)
    callback = updates_and_calls.decode_callback(incoming.data) if incoming.kind is UpdateKind.TAP else None
    context = UpdateContext(
        transaction=transaction,
        incoming=incoming,
        now=now,
        settings=settings,
        record=record,
        callback=callback,
    )
    with transaction.collect_changes():
        calls = _handle_in_context(context)
    if incoming.kind is UpdateKind.MESSAGE:
        typed_answers.note_long_text(context)
    return calls, context


def open_page(
    session: Session, *, telegram_id: int, now: datetime, settings: ConversationSettings
) -> UpdateContext | None:
    """The context of somebody who works on the answer page; None for an unknown person and one who may not work."""
    conversation = conversation_state.find_conversation(session, telegram_id=telegram_id)
    if conversation is None or conversation[0].annotator.suspended_at is not None:
        return None
    locked, record = conversation
    incoming = build_page_tap(telegram_id, now=now)
    transaction = AnnotatorTransaction(locked=locked, on_page=True)
    return UpdateContext(transaction=transaction, incoming=incoming, now=now, settings=settings, record=record)


def build_page_tap(telegram_id: int, *, now: datetime, data: str | None = None, entered: Any = None) -> IncomingUpdate:
    """A tap on the answer page; it has no message of its own, and a random number below those of Telegram."""
    return IncomingUpdate(
        update_id=-1 - secrets.randbelow(MAX_NUMBER),
        at=now,
        kind=UpdateKind.TAP,
        telegram_id=telegram_id,
        chat_id=telegram_id,
        private=True,
        data=data,
        query_id=PAGE_QUERY,
        on_page=True,
        entered=entered,
    )


def build_page_text(
    telegram_id: int, *, now: datetime, text: str, screen: int, language: str | None = None
) -> IncomingUpdate:
    """A text that somebody without Telegram sends from the answer page.

    `screen` is the number of the last message that they saw, and its own is the next one: it answers what that asked.
    """
    return replace(
        build_page_tap(telegram_id, now=now),
        kind=UpdateKind.MESSAGE,
        query_id=None,
        language_code=language,
        text=text[:MAX_TEXT],
        message_id=screen + 1,
    )


def _handle_in_context(context: UpdateContext) -> TelegramCalls:
    """Do what the update says: a text may be the rest of an earlier one, or name a button of the last prompt."""
    is_message = context.incoming.kind is UpdateKind.MESSAGE
    if is_message and typed_answers.is_rest(context):
        return typed_answers.refuse_rest(context)
    choice = typed_answers.find_typed_choice(context) if is_message else None
    if choice is None:
        return _call_handler(context)
    tap = typed_answers.make_tap(context, choice)
    return context.confirm_typed(_call_handler(tap), f"✓ {prompts.get_choice_name(choice)}")


def _call_handler(context: UpdateContext) -> TelegramCalls:
    """Call the first handler whose condition holds, and explain what it refuses."""
    try:
        return _answer_update(context, next(handler for condition, handler in HANDLERS if condition(context)))
    except (Stale, BadInput) as failure:
        return explain_refusal(context, failure)


def _answer_update(context: UpdateContext, handler: Handler) -> TelegramCalls:
    """Call the handler, or what stands in for it, if it answered this annotator a short while ago."""
    limit = REPLY_INTERVALS.get(handler)
    if limit is None:
        return handler(context)
    name = handler.__name__
    if context.state.get_reply_wait(name, interval=limit.interval, now=context.now):
        return context.acknowledge() if limit.meanwhile is None else _answer_update(context, limit.meanwhile)
    context.save_state(context.state.with_reply(name, now=context.now))
    return handler(context)


def _answer_outside_private_chat(session: Session, incoming: IncomingUpdate, now: datetime) -> TelegramCalls:
    """Answer the first command in a group or channel, and taps, with a hint to use the private chat, and nothing else.

    Telegram takes 20 messages a minute to a group, and whoever adds the bot to one decides how much is asked of it.
    """
    translate = get_texts(match_language(incoming.language_code))
    if incoming.kind is UpdateKind.TAP and incoming.query_id is not None:
        return (TapAcknowledgement(query_id=incoming.query_id, text=translate("only-private")),)
    is_command = incoming.kind is UpdateKind.MESSAGE and (incoming.text or "").startswith("/")
    if is_command and conversation_state.mark_told(session, chat_id=incoming.chat_id, now=now):
        return (
            NewMessage(
                chat_id=incoming.chat_id, html=message_layout.render_text(translate, translate("only-private")).html
            ),
        )
    return ()


def _clean_text(text: str | None) -> str | None:
    """The first characters of a text, as many as its parts can have, without those that a database cannot store."""
    return None if text is None else _UNSTORABLE_CHARACTERS.sub("", text[: MAX_TEXT * MAX_PARTS])


def explain_refusal(context: UpdateContext, failure: HromadaError) -> TelegramCalls:
    """Explain why a tap or text was refused, and show the current screen again."""
    text_id = "stale" if isinstance(failure, Stale) else "not-taken"
    explanation = context.acknowledge(text_id) or context.send_text(text_id)
    return join_calls(explanation, navigation.show_current_screen(context.without_tap()))


def name_own_bot(session: Session, incoming: IncomingUpdate, *, name: str) -> TelegramCalls:  # noqa: ARG001
    """Tell somebody who writes to this bot which other one they belong to; `name` is its user name, or empty."""
    if incoming.kind not in HANDLED_KINDS:
        return ()
    translate = get_texts(match_language(incoming.language_code))
    text = translate("other-bot", link=f"https://t.me/{name}") if name else translate("other-bot-unnamed")
    told = NewMessage(chat_id=incoming.chat_id, html=message_layout.render_text(translate, text).html)
    return (told,) if incoming.query_id is None else (TapAcknowledgement(query_id=incoming.query_id), told)


def explain_failure(session: Session, incoming: IncomingUpdate, failure: Exception, code: str) -> TelegramCalls:
    """Apologise for an update that could not be handled; `code` is the code of the failure in the log.

    A state of the conversation that cannot be read is emptied, so that the annotator can go on. The rest of a long text
    that could not be handled is no text of its own.
    """
    if isinstance(failure, UnknownVersion):
        conversation_state.reset_state(session, telegram_id=incoming.telegram_id)
    typed_answers.note_failed_text(session, incoming)
    translate = get_texts(match_language(incoming.language_code))
    text = translate("busy") if isinstance(failure, Unavailable) else translate("trouble", code=code)
    apology = NewMessage(chat_id=incoming.chat_id, html=message_layout.render_text(translate, text).html)
    return (apology,) if incoming.query_id is None else (TapAcknowledgement(query_id=incoming.query_id), apology)
