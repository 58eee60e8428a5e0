"""The queue of adjudication cases in the chat: the card of a case, of which at most one has buttons.

A card asks like any prompt: a text that is sent below it names one of its buttons, whatever item there is above it.
"""

from __future__ import annotations

from dataclasses import replace

from annotation.workflow.conversations.conversation_state import ConversationStep
from annotation.workflow.monitoring import decisions
from annotation.workflow.review import adjudication_queue
from annotation.workflow.review.adjudication_queue import QueuedCase
from bot.conversation import message_layout, prompts
from bot.conversation.message_layout import RenderedMessage
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import ButtonAction, TelegramCalls
from bot.conversation.views import cases

CASE_STEPS = {ConversationStep.CASE, ConversationStep.COMMENT}
"""The steps in which a case is asked about."""


def is_adjudicator(context: UpdateContext) -> bool:
    """Whether the person may adjudicate anything."""
    return adjudication_queue.is_adjudicator(context.transaction.session, adjudicator=context.annotator)


def find_next_case(context: UpdateContext, *, after: int | None = None) -> QueuedCase | None:
    """The case that comes next in the queue, after this one."""
    return adjudication_queue.find_next_case(context.transaction.session, adjudicator=context.annotator, after=after)


def show_next_case(context: UpdateContext, *, after: int | None = None) -> TelegramCalls:
    """Show the next case in new messages, or say that none waits.

    What is in doubt by now is looked for at the beginning of the queue, and once it is empty.
    """
    queued = None if after is None else find_next_case(context, after=after)
    if queued is None:
        decisions.store_disputes(context.transaction.session, adjudicator=context.annotator, now=context.now)
        queued = find_next_case(context, after=after)
    if queued is not None:
        return ask_case(context, queued)
    older = remove_case_buttons(context)
    context.save_state(context.state.with_step(ConversationStep.NONE))
    return join_calls(older, context.send_text("case-nothing"))


def offer_cases(context: UpdateContext) -> TelegramCalls:
    """Say to an adjudicator who has no item now that cases wait, with a button; no call to anybody else."""
    if not is_adjudicator(context) or find_next_case(context) is None:
        return ()
    button = message_layout.build_button(context.translate("case-begin"), ButtonAction.CASE, typed=(prompts.GO_ON,))
    offer = message_layout.render_text(context.translate, context.translate("case-offer"), buttons=((button,),))
    return context.ask(offer)


def ask_case(context: UpdateContext, queued: QueuedCase) -> TelegramCalls:
    """Show a case in new messages; the card that was asked about before loses its buttons."""
    older = remove_case_buttons(context)
    card = cases.render_case(queued, context.translate)
    return join_calls(older, context.ask(card, ConversationStep.CASE, subject_id=queued.case.case_id))


def remove_case_buttons(context: UpdateContext) -> TelegramCalls:
    """Remove the buttons under the card that was asked about last, unless this update changes that message itself."""
    state = context.state
    if state.step not in CASE_STEPS or state.asked_in in {None, context.incoming.message_id}:
        return ()
    return context.close_prompt()


def redraw_card(context: UpdateContext, message: RenderedMessage, queued: QueuedCase) -> TelegramCalls:
    """Replace the card whose button was tapped; where it asked last, texts name the new buttons from now on."""
    state, message_id = context.state, context.incoming.message_id
    if state.step in CASE_STEPS and state.asked_in == message_id:
        asked = state.with_step(
            ConversationStep.CASE,
            subject_id=queued.case.case_id,
            asked_by=state.asked_by,
            prompt=prompts.encode_prompt(message),
        )
        context.save_state(replace(asked, asked_in=message_id))
    return context.edit(message)
