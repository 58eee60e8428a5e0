"""Typed answers: a text answers what was asked last and was on the screen when it was sent, or what it replies to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from annotation.errors import Stale
from annotation.vocabulary import Stage
from annotation.workflow import assignments
from annotation.workflow.assignments import AssignedItem, OpenedAssignment
from annotation.workflow.conversations import conversation_state, item_messages
from annotation.workflow.conversations.conversation_state import AnswerDraft, AskedQuestion
from bot.conversation import message_layout, navigation, prompts, updates_and_calls
from bot.conversation.handlers import answers, command_words, onboarding, skips_and_reports
from bot.conversation.inputs import INPUTS
from bot.conversation.inputs.input_base import RefusedInput, TypedButtons
from bot.conversation.texts import get_texts, list_languages
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import (
    ButtonAction,
    ButtonRows,
    CallbackData,
    IncomingUpdate,
    InlineButton,
    TapAcknowledgement,
    TelegramCalls,
    UpdateKind,
)
from bot.conversation.views import items, menus, second_pass
from bot.conversation.views.menus import NoticeWord

if TYPE_CHECKING:
    from sqlmodel import Session


def find_typed_choice(context: UpdateContext) -> InlineButton | None:
    """The button that a text names, of the prompt that asked last and was on the screen when the text was sent."""
    is_text = context.incoming.media is None and not context.command
    if not is_text or not context.state.prompt or context.replies_elsewhere or not context.sees_prompt:
        return None
    return prompts.find_named_button(context.text, prompts.decode_prompt(context.state.prompt).buttons)


def make_tap(context: UpdateContext, choice: InlineButton) -> UpdateContext:
    """The context of a tap on the button of the prompt."""
    prompt_id = context.state.asked_in or item_messages.find_message(
        context.transaction.session, context.state.subject_id
    )
    return context.as_tap(prompt_id, updates_and_calls.decode_callback(choice.data))


def _leads_on(button: InlineButton) -> bool:
    """Whether a button only leads on, so that its message informs and asks nothing that has to be answered."""
    callback = updates_and_calls.decode_callback(button.data)
    is_card = callback is not None and callback.action in {ButtonAction.CARD, ButtonAction.SESSION}
    return is_card or callback == CallbackData(ButtonAction.GO_ON)


def _ends_work(button: InlineButton) -> bool:
    """Whether a button is that of a card, by which more work begins."""
    return updates_and_calls.decode_callback(button.data) == CallbackData(ButtonAction.SESSION, 0, (menus.ENDLESS,))


def _offers_news(button: InlineButton) -> bool:
    """Whether a button is under a screen that says that there is nothing to answer now."""
    callback = updates_and_calls.decode_callback(button.data)
    return callback is not None and callback.action is ButtonAction.NOTICE and callback.word == NoticeWord.TELL


def repeat_prompt(context: UpdateContext) -> TelegramCalls:
    """Explain that a text is none of the choices, and ask again; where there was nothing to answer, look again."""
    state, prompt = context.state, prompts.decode_prompt(context.state.prompt)
    buttons = [button for row in prompt.buttons for button in row]
    if any(map(_offers_news, buttons)):
        return navigation.show_current_screen(context)
    if any(map(_ends_work, buttons)) and prompts.is_stay_out(context.text):
        return skips_and_reports.pause_work(context)
    if any(map(_leads_on, buttons)):
        return join_calls(context.send_text("only-read"), navigation.show_current_screen(context))
    return join_calls(context.send_text("choose-shown"), context.ask(prompt, state.step, subject_id=state.subject_id))


def note_long_text(context: UpdateContext) -> None:
    """Remember a text that may have a rest, and forget the one before."""
    noted = _describe_long_text(context.incoming)
    if noted != context.state.long_text:
        context.save_state(replace(context.state, long_text=noted))


def note_failed_text(session: Session, incoming: IncomingUpdate) -> None:
    """Remember a text that could not be handled and may have a rest; nothing for anybody unknown."""
    noted = _describe_long_text(incoming)
    conversation = conversation_state.find_conversation(session, telegram_id=incoming.telegram_id) if noted else None
    if conversation is not None:
        _, record = conversation
        record.save(session, replace(record.state, long_text=noted), now=incoming.at)


def _describe_long_text(incoming: IncomingUpdate) -> tuple[int, int, int, int] | None:
    """What `ConversationState.long_text` holds of a text; None for one that has no rest."""
    parts = message_layout.describe_parts(incoming)
    if not message_layout.may_have_more(incoming) or parts.last_units < message_layout.LEAST_PART_UNITS:
        return None
    return int(parts.last_at.timestamp()), parts.last_units, incoming.message_id or 0, incoming.reply_to or 0


def is_rest(context: UpdateContext) -> bool:
    """Whether the text is the rest of the one before, which was handled without it."""
    if context.state.long_text is None:
        return False
    sent_at, units, _, reply_to = context.state.long_text
    if context.incoming.reply_to not in {None, reply_to}:
        return False
    since = context.incoming.at - datetime.fromtimestamp(sent_at, UTC)
    return message_layout.is_next_part(context.incoming, units=units, since=since)


def refuse_rest(context: UpdateContext) -> TelegramCalls:
    """Say that a text came without its rest, and take what it entered back, so that no half of it can be saved."""
    _, _, message_id, _ = context.state.long_text or (0, 0, 0, 0)
    closed: list[TelegramCalls] = []
    for draft in context.state.drafts:
        if draft.entry is None or not any(message_id in ids for ids in draft.messages.values()):
            continue
        rest = _forget_message(draft, message_id)
        context.save_state(context.state.with_draft(rest, assignment_id=draft.assignment_id))
        if rest.revision and not conversation_state.is_begun(rest):
            closed.append(answers.close_change(context, rest.assignment_id))
    return join_calls(context.send_text("text-in-parts"), *closed, navigation.show_current_screen(context))


def _forget_message(draft: AnswerDraft, message_id: int) -> AnswerDraft:
    """The draft without what a message has entered for the question that is asked now."""
    messages = {name: [shown_id for shown_id in ids if shown_id != message_id] for name, ids in draft.messages.items()}
    return replace(draft, entry=_forget_entry(draft.entry, message_id), messages=messages)


def _forget_entry(entry: object, message_id: int) -> object:
    """An entry without a message: of a correction the paragraphs that other messages gave stay."""
    if not isinstance(entry, dict) or "texts" not in entry:
        return None
    texts = {number: value for number, value in entry["texts"].items() if value[1] != message_id}
    shown = next((int(number) for number in entry["texts"] if number not in texts), entry["shown"])
    return entry | {"texts": texts, "shown": shown, "latest": None, "doubtful": None}


TYPED_BUTTONS = {
    ButtonAction.KEEP: answers.keep_answer,
    ButtonAction.BACK: answers.ask_previous_question,
    ButtonAction.CHANGE: answers.change_one_answer,
    ButtonAction.LEAVE_UNANSWERED: answers.apply_leave_tap,
    ButtonAction.SKIP: skips_and_reports.skip_item,
    ButtonAction.MORE: skips_and_reports.show_more,
    ButtonAction.REPORT: skips_and_reports.report_item,
    ButtonAction.ASK: skips_and_reports.ask_for_question,
    ButtonAction.TASK: onboarding.show_task,
    ButtonAction.PAUSE: skips_and_reports.pause_work,
    ButtonAction.UP: navigation.show_current_screen,
}
"""The buttons under an item, besides those of its question, whose words may be typed, with their handlers."""
SHOWN_BELOW = {
    ButtonAction.SKIP,
    ButtonAction.MORE,
    ButtonAction.REPORT,
    ButtonAction.ASK,
    ButtonAction.TASK,
    ButtonAction.UP,
}
"""Of them, those that show something: typed, below the text and not in the message of the item."""
QUESTION_ACTIONS = {ButtonAction.DONE, ButtonAction.ENTRY}
"""The actions of buttons of a question that a text may name before it is read as an answer."""
REFUSED_EDIT, EDIT_INTERVAL = "refused_edit", timedelta(minutes=1)
"""The name of the reply to a changed message that is no answer, and how often one annotator gets it at the most."""


def answer_with_text(context: UpdateContext) -> TelegramCalls:
    """Answer what was asked last, if it was on the screen, with a typed letter, number or whole option.

    That is the item in hand, or one that was opened for another answer since. Any other text shows the current screen.
    """
    live = navigation.get_live_item(context)
    items_by_id = {live.assignment_id: live} if isinstance(live, AssignedItem) else {}
    reopened = {draft.assignment_id: draft for draft in context.state.drafts if draft.revision}
    drafted = [
        draft.assignment_id for draft in context.state.drafts if draft.revision or draft.assignment_id in items_by_id
    ]
    assignment_ids = list(dict.fromkeys([*drafted, *items_by_id]))
    if not assignment_ids:
        return command_words.apply_word(context) or navigation.show_current_screen(context)
    asked = item_messages.find_asked_assignment(context.transaction.session, assignment_ids, typed=context.typed)
    if asked in items_by_id and _is_above_prompt(context, asked):
        above = command_words.apply_word(context)
        return above or join_calls(context.send_text("only-above"), navigation.show_current_screen(context))
    if asked is None:
        are_shown = all(item_messages.is_shown(context.transaction.session, key) for key in assignment_ids)
        early = command_words.apply_word(context)
        return early or explain_early_text(context, is_shown=are_shown, reopened=[*reopened])
    opened = context.open_assignment(asked)
    item = items_by_id.get(asked) or assignments.get_open_item(opened, revision=reopened[asked].revision)
    result = _answer_item_with_text(context, opened, item)
    if isinstance(result, RefusedInput):
        explanation = _explain_refusal(context, result)
        return join_calls(explanation, navigation.show_current_screen(context)) if result.repeats_item else explanation
    return result


def answer_replied_item(context: UpdateContext) -> TelegramCalls:
    """Answer the item that the text replies to, or change its answer; raises Stale where that is not possible now."""
    assignment_id = item_messages.find_replied_assignment(
        context.transaction.session, annotator_id=context.annotator_id, message_id=context.incoming.reply_to or 0
    )
    if assignment_id is None:
        return context.send_text("reply-unknown")
    opened, live = context.open_assignment(assignment_id), navigation.get_live_item(context)
    if isinstance(live, AssignedItem) and live.assignment_id == assignment_id:
        if (
            item_messages.find_asked_assignment(context.transaction.session, [assignment_id], typed=context.typed)
            is None
        ):
            is_shown = item_messages.is_shown(context.transaction.session, assignment_id)
            return explain_early_text(context, is_shown=is_shown)
        result = _answer_item_with_text(context, opened, live)
        return _explain_refusal(context, result) if isinstance(result, RefusedInput) else result
    if len(assignments.get_shown_questions(opened)) > 1:
        return context.send_text("reply-several")
    result = _answer_item_with_text(context, opened, assignments.undo_judgement(opened), has_buttons=False)
    if isinstance(result, RefusedInput):
        assignments.keep_judgement(opened)
        return command_words.apply_word(context) or _explain_refusal(context, result)
    return result


def explain_early_text(context: UpdateContext, *, is_shown: bool, reopened: Sequence[int] = ()) -> TelegramCalls:
    """Explain that a text answers nothing, as what is asked now came after it.

    Where what is asked is neither shown nor on its way, it is shown again, and texts no longer answer `reopened` items.
    """
    explanation = context.send_text("sent-too-early")
    if is_shown or item_messages.is_anything_unsent(context.transaction.session, chat_id=context.incoming.chat_id):
        return explanation
    for assignment_id in reopened:
        context.save_state(context.state.with_draft(None, assignment_id=assignment_id))
    return join_calls(explanation, navigation.show_current_screen(context))


def explain_early_input(context: UpdateContext) -> TelegramCalls:
    """Explain that a text is not the input of the current step, as that was asked for later."""
    return explain_early_text(context, is_shown=context.state.asked_in is not None)


def _answer_item_with_text(
    context: UpdateContext, opened: OpenedAssignment, item: AssignedItem, *, has_buttons: bool = True
) -> TelegramCalls | RefusedInput:
    """Let the text change the draft of an item's answers; returns why, where it is no answer to the next question.

    Where that is no option, it may name a button of the item, or be one of the words that do something. An item
    without buttons (`has_buttons`) is open only to try the text as another answer.
    """
    draft = context.state.get_draft(item.assignment_id, item.revision)
    asked = items.find_asked(item, draft)
    if asked is None:
        return _apply_wish(context, item, draft) or RefusedInput(text_id="which-answer")
    if item.second_pass is not None and not draft.answers and second_pass.is_all_well(context.text):
        return answers.submit_no_problem(context, opened, draft)
    question_input = INPUTS[asked.shown.question.kind]
    choice = _find_deciding_button(context, item, asked)
    callback = None if choice is None else updates_and_calls.decode_callback(choice.data)
    if choice is not None and callback is not None and callback.action in TYPED_BUTTONS:
        _leave_doubt(context, item, draft)
        return _press_button(context, item, choice, callback)
    is_wish = callback is None and question_input.takes_wishes(asked, context.text)
    result: TelegramCalls | AnswerDraft | RefusedInput = ()
    if is_wish and has_buttons:
        result = _apply_wish(context, item, draft)
    if callback is not None:
        result = question_input.apply_tap(asked, callback)
    elif not result:
        result = question_input.apply_text(_add_message(context, asked), context.text)
    if isinstance(result, RefusedInput) and has_buttons:
        result = _apply_wish(context, item, draft) or result
    if not isinstance(result, AnswerDraft):
        return result
    if items.find_asked(item, result) is not None:
        return answers.store_draft(context, opened, item.questions, draft, result)
    answer = items.format_draft_answer(item, asked, result, context.translate)
    tap = context.as_tap(item_messages.find_message(context.transaction.session, item.assignment_id))
    calls = answers.store_draft(tap, opened, item.questions, draft, result)
    return _confirm_answer(context, calls, answer, stage=item.stage)


def _confirm_answer(context: UpdateContext, calls: TelegramCalls, answer: str, *, stage: Stage) -> TelegramCalls:
    """The calls with what was understood; in training, where it may be wrong, only if the verdict is not below."""
    if stage is not Stage.TRAINING:
        return context.confirm_typed(calls, f"✓ {answer}")
    is_told = any(isinstance(call, TapAcknowledgement) and call.text for call in calls)
    return context.confirm_typed(calls, answer if is_told else "")


def _find_deciding_button(context: UpdateContext, item: AssignedItem, asked: AskedQuestion) -> InlineButton | None:
    """The button that the text names on a screen that decides something, by its label in any language of the bot.

    A label comes before words for yes, no and back, and those of the question's buttons before those of others.
    """
    question_input = INPUTS[asked.shown.question.kind]
    typed_buttons = question_input.get_typed_buttons(asked, context.text)
    if typed_buttons is TypedButtons.NONE:
        return None
    own = context.translate.language
    for language in sorted(list_languages(), key=lambda language: language != own):
        translate = get_texts(language)
        rows = items.build_question_buttons(item, translate, asked)
        choice = prompts.find_labelled_button(context.text, rows)
        if choice is None and typed_buttons is TypedButtons.WORDS:
            choice = prompts.find_named_button(context.text, question_input.build_buttons(asked, translate))
        callback = None if choice is None else updates_and_calls.decode_callback(choice.data)
        if callback is not None and callback.action in QUESTION_ACTIONS | TYPED_BUTTONS.keys():
            return choice
    return None


def _apply_wish(context: UpdateContext, item: AssignedItem, draft: AnswerDraft) -> TelegramCalls:
    """Do what the text says that is no answer: by a button of the item, or a word; no calls where it is neither."""
    _leave_doubt(context, item, draft)
    return _apply_typed_button(context, item, draft) or command_words.apply_word(context)


def _leave_doubt(context: UpdateContext, item: AssignedItem, draft: AnswerDraft) -> None:
    """Forget that it was asked whether a word is an answer, as it is none."""
    asked = items.find_asked(item, draft)
    if asked is None:
        return
    kept = INPUTS[asked.shown.question.kind].leave_entry(draft.entry)
    if kept != draft.entry:
        state = context.state.with_draft(replace(draft, entry=kept), assignment_id=item.assignment_id)
        context.save_state(state)


def _list_screen_rows(context: UpdateContext, item: AssignedItem, draft: AnswerDraft) -> ButtonRows:
    """All buttons of an item: those on the screen, and those behind “⋯”."""
    shown = navigation.render_item(context, item, draft)[-1].buttons
    known = {button.data for row in shown for button in row}
    more = menus.build_more_buttons(context.translate, assignment_id=item.assignment_id, has_answers=True)
    hidden = [button for row in more for button in row if button.data not in known][:-1]  # the last leads back from it
    return (*shown, tuple(hidden)) if not item.revision else shown


def _apply_typed_button(context: UpdateContext, item: AssignedItem, draft: AnswerDraft) -> TelegramCalls:
    """Do what the button does that the text names, of those below the buttons of the question.

    There are no calls where it names none of these.
    """
    choice = prompts.find_named_button(context.text, _list_screen_rows(context, item, draft))
    callback = None if choice is None else updates_and_calls.decode_callback(choice.data)
    if choice is None or callback is None or callback.action not in TYPED_BUTTONS:
        return ()
    return _press_button(context, item, choice, callback)


def _press_button(
    context: UpdateContext, item: AssignedItem, choice: InlineButton, callback: CallbackData
) -> TelegramCalls:
    """Do what a tap on this button does, and say what was understood; the reasons for a skip are shown below."""
    if callback.action in SHOWN_BELOW and not callback.word:
        return TYPED_BUTTONS[callback.action](replace(context, callback=callback))
    tap = context.as_tap(item_messages.find_message(context.transaction.session, item.assignment_id), callback)
    return context.confirm_typed(TYPED_BUTTONS[callback.action](tap), f"✓ {prompts.get_choice_name(choice)}")


def _add_message(context: UpdateContext, asked: AskedQuestion) -> AskedQuestion:
    """The question with the message that was sent or changed as the last one that answers it.

    A text that came in several messages has none: a change of one of them is not the whole text.
    """
    message_id, name = context.typed.message_id, asked.shown.name
    if context.incoming.parts is not None:
        return replace(asked, draft=replace(asked.draft, messages=asked.draft.messages | {name: []}))
    earlier = asked.draft.messages.get(name, []) if INPUTS[asked.shown.question.kind].takes_many_messages else []
    messages = asked.draft.messages | {name: [*(number for number in earlier if number != message_id), message_id]}
    return replace(asked, draft=replace(asked.draft, messages=messages))


def gave_answer(context: UpdateContext) -> bool:
    """Whether the changed message gave an answer, or a part of one that is not saved yet."""
    if context.incoming.kind is not UpdateKind.EDITED:
        return False
    return _find_edited_draft(context) is not None or _find_edited_answer(context) is not None


def change_edited_answer(context: UpdateContext) -> TelegramCalls:
    """Change the answer that the message gave to what it says now: in the draft, or as a revision of what is saved."""
    draft, message_id = _find_edited_draft(context), context.typed.message_id
    if draft is not None:
        opened = context.open_assignment(draft.assignment_id)
        item = assignments.get_open_item(opened, revision=draft.revision)
        name = next(name for name, message_ids in draft.messages.items() if message_id in message_ids)
        result = _apply_edit(context, item, draft, name, is_saved=False)
        return _show_edit(context, opened, item, draft, result)
    assignment_id, name = _find_edited_answer(context) or (0, "")
    opened = context.open_assignment(assignment_id)
    try:
        item = assignments.undo_judgement(opened)
    except Stale:
        return context.send_text(answers.choose_refusal(opened))
    draft = answers.restore_draft(context, opened, item)
    result = _apply_edit(context, item, draft, name, is_saved=True)
    if isinstance(result, RefusedInput):
        assignments.keep_judgement(opened)
    return _show_edit(context, opened, item, draft, result)


def _show_edit(
    context: UpdateContext,
    opened: OpenedAssignment,
    item: AssignedItem,
    draft: AnswerDraft,
    result: AnswerDraft | RefusedInput,
) -> TelegramCalls:
    """Show what a changed message changes; why it changes nothing is said once in a while only."""
    if not isinstance(result, RefusedInput):
        return _show_result(context, opened, item, draft, result)
    if context.state.get_reply_wait(REFUSED_EDIT, interval=EDIT_INTERVAL, now=context.now):
        return ()
    context.save_state(context.state.with_reply(REFUSED_EDIT, now=context.now))
    return _explain_refusal(context, result)


def _apply_edit(
    context: UpdateContext, item: AssignedItem, draft: AnswerDraft, name: str, *, is_saved: bool
) -> AnswerDraft | RefusedInput:
    """The draft in which the changed message answers the question of this name."""
    is_answered = name in draft.answers
    others = {other: answer for other, answer in draft.answers.items() if other != name}
    asked = items.find_asked(item, replace(draft, answers=others, entry=None if is_answered else draft.entry))
    if asked is None or asked.shown.name != name:
        return RefusedInput(text_id="edited")
    question_input, asked = INPUTS[asked.shown.question.kind], _add_message(context, asked)
    return (question_input.apply_edit if is_saved else question_input.apply_text)(asked, context.text)


def _show_result(
    context: UpdateContext,
    opened: OpenedAssignment,
    item: AssignedItem,
    draft: AnswerDraft,
    result: AnswerDraft | RefusedInput,
) -> TelegramCalls:
    """Store and show the draft after a text; say why where the text is no answer, and that a saved answer changed."""
    if isinstance(result, RefusedInput):
        return _explain_refusal(context, result)
    calls = answers.store_draft(context, opened, item.questions, draft, result)
    is_changed = item.revision and items.find_asked(item, result) is None
    return join_calls(calls, context.send_text("answer-changed")) if is_changed else calls


def _find_edited_draft(context: UpdateContext) -> AnswerDraft | None:
    """The draft of which the changed message is a part."""
    message_id = context.typed.message_id
    return next(
        (draft for draft in context.state.drafts if any(message_id in ids for ids in draft.messages.values())), None
    )


def _find_edited_answer(context: UpdateContext) -> tuple[int, str] | None:
    """The assignment and the question whose stored answer the changed message gave."""
    return item_messages.find_edited_answer(
        context.transaction.session, annotator_id=context.annotator_id, message_id=context.typed.message_id
    )


def _explain_refusal(context: UpdateContext, refused: RefusedInput) -> TelegramCalls:
    explanation = context.translate(refused.text_id, **refused.arguments)
    commands = context.translate("or-commands") if refused.offers_commands else ""
    return context.send(message_layout.render_text(context.translate, "\n".join(filter(None, [explanation, commands]))))


def _is_above_prompt(context: UpdateContext, assignment_id: int) -> bool:
    """Whether the bot has asked something else below the item since it was shown, so that the text may answer that."""
    if context.state.asked_in is None:
        return False
    message_id = item_messages.find_message(context.transaction.session, assignment_id)
    return message_id is not None and message_id < context.state.asked_in
