"""Items that are too long for a phone: offered in Label Studio to annotators who have a batch of the project there."""

from __future__ import annotations

from annotation.workflow import assignments
from annotation.workflow.assignments import AssignedItem
from bot.conversation import message_layout
from bot.conversation.callbacks import ButtonAction
from bot.conversation.update_context import UpdateContext
from bot.conversation.updates_and_calls import TelegramCalls

MAX_MESSAGES = 4
"""An item that takes more messages than this is too long for a phone."""
MOVE = "move"
"""The word in the data of the SKIP button that leaves an item for Label Studio."""


def offer_label_studio(context: UpdateContext, item: AssignedItem, *, n_messages: int) -> TelegramCalls:
    """Say above a long item where it is easier to read, with a button that leaves it for there.

    No call where the annotator has no batch of the project, or the address is not known, and for a change of an answer.
    """
    address = context.settings.label_studio_url
    if address is None or item.revision:
        return ()
    remote_id = assignments.find_remote_batch(
        context.transaction.session, annotator_id=context.annotator_id, project_id=item.project_id
    )
    if remote_id is None:
        return ()
    button = message_layout.build_button(
        context.translate("long-move"), ButtonAction.SKIP, item.assignment_id, word=MOVE
    )
    text = context.translate("long-item", messages=n_messages, address=f"{address.rstrip('/')}/projects/{remote_id}")
    return context.send(message_layout.render_text(context.translate, text, buttons=((button,),)))
