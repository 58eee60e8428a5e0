"""When annotators are asked which tools they used: before the next item, and before the card of a pause or an end.

What several projects ask in the same words is asked once, and the answer holds for all of them.
"""

from __future__ import annotations

from annotation.campaigns.project_file import ProjectFile
from annotation.workflow.annotators import consents
from annotation.workflow.conversations.conversation_state import ConversationStep
from bot.conversation.message_layout import RenderedMessage
from bot.conversation.update_context import UpdateContext
from bot.conversation.updates_and_calls import TelegramCalls
from bot.conversation.views import own_progress
from bot.conversation.views.own_progress import AttestationMoment


def ask_before_item(context: UpdateContext, definition: ProjectFile, *, project_id: int) -> TelegramCalls:
    """Ask for the attestation of the last work session in the project, if it is due; the item follows the answer."""
    work_session = consents.get_due_work_session(
        context.transaction.session,
        definition=definition,
        participation=context.transaction.find_participation(project_id),
        now=context.now,
    )
    if work_session is None or definition.attestation is None:
        return ()
    question = own_progress.render_attestation(
        definition.attestation,
        context.translate,
        project_id=project_id,
        work_session=work_session,
        moment=AttestationMoment.BEFORE_ITEM,
    )
    return context.ask(question)


def render_at_pause(context: UpdateContext, *, project_id: int) -> RenderedMessage | None:
    """The question about the work session that ends now; None where nothing is asked, or nothing was answered in it.

    Where the project asks in the same words as another that has the answers, the question is that one's.
    """
    definition = context.find_definition(project_id)
    section = definition.attestation if definition else None
    if section is None:
        return None
    listed = consents.list_due(
        context.transaction.session, annotator_id=context.annotator_id, now=context.now, at_end=True
    )
    asked = [due for due in listed if due.section == section]
    due = min(asked, key=lambda due: due.project_id != project_id, default=None)
    if due is None:
        return None
    return own_progress.render_attestation(
        section,
        context.translate,
        project_id=due.project_id,
        work_session=due.work_session,
        moment=AttestationMoment.PAUSE,
    )


def ask_at_end(context: UpdateContext) -> TelegramCalls:
    """Ask for the first attestation that is due now that there is nothing to answer.

    No call where something else is asked, and for whoever is suspended.
    """
    if context.state.step is not ConversationStep.NONE or context.annotator.suspended_at is not None:
        return ()
    listed = consents.list_due(
        context.transaction.session, annotator_id=context.annotator_id, now=context.now, at_end=True
    )
    for due in listed:
        question = own_progress.render_attestation(
            due.section,
            context.translate,
            project_id=due.project_id,
            work_session=due.work_session,
            moment=AttestationMoment.END,
        )
        return context.without_tap().ask(question)
    return ()
