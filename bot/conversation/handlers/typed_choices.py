"""Typed choices: a text that names a button of the prompt that asked last does what a tap on the button does.

A prompt can be named by its label, by the number or letter of a listed option, and by words for yes and no. Any other
text is explained and the prompt repeated; it is never an answer to an item.
"""

from __future__ import annotations

from annotation.workflow.conversations import screens
from bot.conversation import navigation, prompts, updates_and_calls
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import ButtonAction, CallbackData, InlineButton, TelegramCalls
from bot.conversation.views.notice_cards import NoticeWord


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
