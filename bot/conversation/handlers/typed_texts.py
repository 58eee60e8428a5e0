"""The rest of a long text that comes after its beginning was handled: it is refused, with what it was the rest of.

Mostly delivery joins the parts of a text (`text_parts`). It cannot where a part comes late, such as after a restart.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from annotation.workflow.conversations import conversation_state, screens
from annotation.workflow.conversations.conversation_state import AnswerDraft
from bot.conversation import navigation, prompts, text_parts, updates_and_calls
from bot.conversation.handlers import answer_changes
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import ButtonAction, CallbackData, IncomingUpdate, InlineButton, TelegramCalls
from bot.conversation.views.notice_cards import NoticeWord

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
    prompt_id = context.state.asked_in or screens.find_message(context.transaction.session, context.state.subject_id)
    return context.as_tap(prompt_id, updates_and_calls.decode_callback(choice.data))


def _leads_on(button: InlineButton) -> bool:
    """Whether a button only leads on, so that its message informs and asks nothing that has to be answered."""
    callback = updates_and_calls.decode_callback(button.data)
    is_card = callback is not None and callback.action in {ButtonAction.CARD, ButtonAction.SESSION}
    return is_card or callback == CallbackData(ButtonAction.GO_ON)


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
    found = conversation_state.find_conversation(session, telegram_id=incoming.telegram_id) if noted else None
    if found is not None:
        _, record = found
        record.save(session, replace(record.state, long_text=noted), now=incoming.at)


def _describe_long_text(incoming: IncomingUpdate) -> tuple[int, int, int, int] | None:
    """What `ConversationState.long_text` holds of a text; None for one that has no rest."""
    parts = text_parts.describe_parts(incoming)
    if not text_parts.may_have_more(incoming) or parts.last_units < text_parts.LEAST_PART_UNITS:
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
    return text_parts.is_next_part(context.incoming, units=units, since=since)


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
            closed.append(answer_changes.close_change(context, rest.assignment_id))
    return join_calls(context.send_text("text-in-parts"), *closed, navigation.show_current_screen(context))


def _forget_message(draft: AnswerDraft, message_id: int) -> AnswerDraft:
    """The draft without what a message has entered for the question that is asked now."""
    messages = {name: [one for one in ids if one != message_id] for name, ids in draft.messages.items()}
    return replace(draft, entry=_forget_entry(draft.entry, message_id), messages=messages)


def _forget_entry(entry: object, message_id: int) -> object:
    """An entry without a message: of a correction the paragraphs that other messages gave stay."""
    if not isinstance(entry, dict) or "texts" not in entry:
        return None
    texts = {number: value for number, value in entry["texts"].items() if value[1] != message_id}
    shown = next((int(number) for number in entry["texts"] if number not in texts), entry["shown"])
    return entry | {"texts": texts, "shown": shown, "latest": None, "doubtful": None}
