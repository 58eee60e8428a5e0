"""Words that people type where no button has them, such as «стоп» and «дякую»: each does what a command does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from aggregation import spelling
from annotation.workflow.assignments import AssignedItem
from annotation.workflow.conversations import item_messages
from annotation.workflow.conversations.conversation_state import ConversationStep
from bot.conversation import case_queue, navigation, prompts
from bot.conversation.handlers import adjudication, answers, data_rights, skips_and_reports, start, work_sessions
from bot.conversation.texts import get_texts, list_languages
from bot.conversation.update_context import UpdateContext
from bot.conversation.updates_and_calls import ButtonAction, CallbackData, NewMessage, TelegramCalls, UpdateKind
from bot.conversation.views.menus import NoticeWord

STEPS = {
    ConversationStep.CHOICE,
    ConversationStep.REASON,
    ConversationStep.ZONE,
    ConversationStep.SKIP,
    ConversationStep.REPORT,
    ConversationStep.ASK,
    *case_queue.CASE_STEPS,
}
"""The steps at which such a word is never the input; at an item and a profile field it may be the answer."""
MESSAGE_STEPS = {ConversationStep.SKIP, ConversationStep.REPORT, ConversationStep.ASK, ConversationStep.COMMENT}
"""The steps whose input organisers read: no label of a button, yes or no is one either."""
STANDING_LABELS: Mapping[str, NoticeWord] = {
    "remind-tomorrow": NoticeWord.ONCE,
    "reminder-tomorrow": NoticeWord.TOMORROW,
    "notices-stop": NoticeWord.STOP,
}
"""The labels of buttons under messages that ask nothing: cards and reminders."""


def is_wish(context: UpdateContext) -> bool:
    """Whether the text is no input of the current step, but a word that does something."""
    step = context.state.step
    if step is ConversationStep.CASE and _is_label(context.text, "undo"):
        return True
    if step in STEPS and bool(prompts.find_command_word(context.text) or _find_standing(context.text)):
        return True
    return step in MESSAGE_STEPS and (prompts.may_be_wish(context.text) or _names_button_above(context))


def apply_word(context: UpdateContext) -> TelegramCalls:
    """Do what the text means, if it is one of the words; no call where it is none."""
    if context.incoming.kind is not UpdateKind.MESSAGE:
        return ()
    name = prompts.find_command_word(context.text)
    if name and context.state.step in case_queue.CASE_STEPS:
        return CASE_COMMANDS.get(name, adjudication.repeat_case)(context)
    if name:
        return COMMANDS[name](context)
    word = _find_standing(context.text)
    if word is not None:
        tap = context.as_tap(None, CallbackData(ButtonAction.NOTICE, word=word))
        return context.confirm_typed(data_rights.apply_tap(tap), f"✓ {context.text.strip()}")
    return _change_latest(context) if _is_label(context.text, "undo") else ()


def apply_wish(context: UpdateContext) -> TelegramCalls:
    """Do what the text means; a label or a yes or no that means nothing here leads back to what is asked."""
    is_comment = context.state.step is ConversationStep.COMMENT
    asks_again = adjudication.repeat_case if is_comment else navigation.show_current_screen
    return apply_word(context) or asks_again(context)


def _names_button_above(context: UpdateContext) -> bool:
    """Whether the text is the label of a button under the item that waits above."""
    item = navigation.get_live_item(context)
    if isinstance(item, AssignedItem):
        draft = context.state.get_draft(item.assignment_id, item.revision)
        buttons = navigation.render_item(context, item, draft)[-1].buttons
        return prompts.find_labelled_button(context.text, buttons) is not None
    return False


def _find_standing(text: str) -> NoticeWord | None:
    return next((word for label, word in STANDING_LABELS.items() if _is_label(text, label)), None)


def _is_label(text: str, text_id: str) -> bool:
    labels = (prompts.normalise_text(get_texts(language)(text_id)) for language in list_languages())
    return spelling.build_typed_key(prompts.normalise_text(text)) in map(spelling.build_typed_key, labels)


def _change_latest(context: UpdateContext) -> TelegramCalls:
    """Open the latest answer again; where a case is asked about, or nothing, take an adjudicator's decision back."""
    if context.state.step in case_queue.CASE_STEPS:
        return adjudication.reopen_latest_case(context) or context.send_text("nothing-before")
    has_item = isinstance(navigation.get_live_item(context), AssignedItem)
    return (() if has_item else adjudication.reopen_latest_case(context)) or change_last_answer(context)


def change_last_answer(context: UpdateContext) -> TelegramCalls:
    """Open the item that was answered or skipped last for another answer, as the button below it does."""
    item = navigation.get_live_item(context)
    latest = item_messages.find_latest_answered(
        context.transaction.session,
        annotator_id=context.annotator_id,
        project_id=item.project_id if isinstance(item, AssignedItem) else None,
    )
    if latest is None:
        return context.send_text("nothing-before")
    message_id, assignment_id = latest
    tap = context.as_tap(message_id, CallbackData(ButtonAction.UNDO, assignment_id))
    opened = answers.undo_answer(tap)
    is_refused = len(opened) == 1
    told = context.confirm_typed(opened, "" if is_refused else context.translate("undo"))
    return tuple(replace(call, reply_to=message_id) if isinstance(call, NewMessage) else call for call in told)


def _step_back(context: UpdateContext) -> TelegramCalls:
    """Lead a step back where no button does: from a prompt to what is asked, from an item to the last answer."""
    if context.state.step is not ConversationStep.NONE:
        return navigation.show_current_screen(context)
    return change_last_answer(context)


def _answer_thanks(context: UpdateContext) -> TelegramCalls:
    return context.send_text("thanks-back")


COMMANDS: Mapping[str, Callable[[UpdateContext], TelegramCalls]] = {
    prompts.BACK: _step_back,
    "=pause": skips_and_reports.pause_work,
    "=skip": skips_and_reports.ask_skip_reason,
    "=report": skips_and_reports.ask_report_reason,
    "=progress": work_sessions.show_progress,
    "=help": start.show_help,
    "=thanks": _answer_thanks,
    "=forget": data_rights.ask_erasure_confirmation,
}
"""What the words of each list do."""
CASE_COMMANDS: Mapping[str, Callable[[UpdateContext], TelegramCalls]] = {
    **{name: COMMANDS[name] for name in ("=progress", "=help", "=thanks", "=forget")},
    "=pause": adjudication.stop_work,
}
"""What they do where a case is asked about, or a comment on it; for the others its card has buttons."""
