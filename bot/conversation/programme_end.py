"""The end of a programme: one message for all of its projects, whether quotas, items or organisers ended them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from annotation.vocabulary import UnassignedReason
from annotation.workflow import assignments, definitions
from annotation.workflow.annotators import access
from annotation.workflow.assignments import OwnProgress, ProgressState
from annotation.workflow.participations import NothingAssigned
from bot.conversation import message_layout
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import Texts
from bot.conversation.update_context import UpdateContext
from bot.conversation.updates_and_calls import TelegramCalls
from bot.conversation.views import own_progress, project_status

OTHER_SCREENS = {*access.RESOLVABLE_REASONS, UnassignedReason.SEARCHING, UnassignedReason.SUSPENDED}
"""The reasons for having no item that are no end of a programme."""
TOLD_REASONS = {UnassignedReason.PAUSED, UnassignedReason.EXCLUDED, UnassignedReason.FAILED}
"""The reasons that are told below the lines."""


def show_programme_end(
    context: UpdateContext, keys: Collection[int], result: NothingAssigned | None = None
) -> TelegramCalls:
    """Show how far the annotator is in the programmes with these menu keys, which have no item for them any more.

    No call where `result` says that there will be items, where something else has to be said, and where the annotator
    has done nothing.
    """
    if result is not None and (result.until is not None or result.reason in OTHER_SCREENS):
        return ()
    listed = assignments.list_own_progress(context.transaction, now=context.now, exhausted=keys)
    ended = [progress for progress in listed if progress.key in keys]
    if not any(progress.done or progress.answers for progress in ended):
        return ()
    blocks = [
        *own_progress.build_progress_blocks(ended, context.translate),
        TextBlock(_explain_reason(context, result)),
        TextBlock(_format_end(ended, context.translate)),
    ]
    return context.send(message_layout.render_messages(blocks, context.translate)[-1])


def show_end_of_closed(context: UpdateContext) -> TelegramCalls:
    """Show how far the annotator is where no project is open and they joined a programme; no call otherwise."""
    listed = assignments.list_own_progress(context.transaction, now=context.now)
    keys = {progress.key for progress in listed}
    return show_programme_end(context, keys) if any(key < 0 for key in keys) else ()


def _explain_reason(context: UpdateContext, result: NothingAssigned | None) -> str:
    """What a rule or a failed test has decided in one of the projects; empty for any other reason."""
    if result is None or result.project is None or result.reason not in TOLD_REASONS:
        return ""
    project, _ = definitions.get_named_project(context.transaction.session, result.project)
    return context.translate(project_status.REASON_TEXTS[result.reason], project=project.title)


def _format_end(ended: Sequence[OwnProgress], translate: Texts) -> str:
    """What ended, how many answers were given, thanks, and how to hear of more."""
    answers = sum(progress.answers for progress in ended)
    states = {progress.state for progress in ended}
    if ProgressState.PAUSED in states:
        return translate("programme-paused", answers=answers)
    if states == {ProgressState.CLOSED}:
        return translate("all-closed", answers=answers)
    return translate("programme-done", answers=answers)
