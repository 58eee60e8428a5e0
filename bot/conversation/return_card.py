"""The return card at the end of a session, at a pause, at a cap and at the end: one card for all of them.

It is about a project, or a programme as a whole. Where an attestation is due, that is asked before it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime

from annotation.vocabulary import ParticipationStatus, ProjectStatus, UnassignedReason
from annotation.workflow import assignments, definitions, participations
from annotation.workflow.annotators import access, invitations, own_work, payments
from annotation.workflow.assignments import OwnProgress, ProgressState
from annotation.workflow.conversations import conversation_state
from annotation.workflow.notices import announcements, wishes
from annotation.workflow.participations import NothingAssigned
from bot.conversation import attestation_questions
from bot.conversation.message_layout import RenderedMessage
from bot.conversation.texts import Texts
from bot.conversation.update_context import UpdateContext
from bot.conversation.updates_and_calls import TelegramCalls
from bot.conversation.views import own_progress, return_card
from bot.conversation.views.return_card import CardButtons

ENDS = {UnassignedReason.CAP, UnassignedReason.QUOTA, UnassignedReason.NOTHING_LEFT}
"""The reasons for having no item that end a project for its annotator, for now or for good."""
OTHER_SCREENS = {*access.RESOLVABLE_REASONS, UnassignedReason.SEARCHING, UnassignedReason.SUSPENDED}
"""The reasons that are no end of a programme."""
STOP_TEXTS: Mapping[ParticipationStatus | None, str] = {
    ParticipationStatus.PAUSED: "paused-by-rule",
    ParticipationStatus.EXCLUDED: "excluded",
    ParticipationStatus.FAILED: "failed",
}
"""The ids of the texts that tell why somebody has no items of a project any more."""


def is_end(result: NothingAssigned, *, key: int) -> bool:
    """Whether the card tells this result for a menu entry; a programme has ended whatever holds up its last project."""
    return result.reason in ENDS or (key < 0 and result.until is None and result.reason not in OTHER_SCREENS)


def render_end(
    context: UpdateContext, ended: Mapping[int, NothingAssigned | None], *, has_buttons: bool = True
) -> RenderedMessage | None:
    """The card of the menu entries that have no item any more; None where the annotator has done nothing there.

    `ended` has the reasons by the key of the entry, None for one that has no open project.
    """
    scope = _list_scope(context, ended)
    if not any(progress.done or progress.answers for progress in scope):
        return None
    translate, states = context.translate, {progress.state for progress in scope}
    untils = [result.until for result in ended.values() if result is not None and result.until is not None]
    untils = [] if states == {ProgressState.DONE} else untils
    if untils:
        head, foot = translate("card-cap"), translate("card-until", until=_format_time(context, min(untils)))
    elif ProgressState.PAUSED in states or any(own.status is ParticipationStatus.PAUSED for own in scope):
        head, foot = translate("card-stopped"), ""
    elif states == {ProgressState.CLOSED}:
        head, foot = translate("card-closed"), ""
    else:
        head, foot = translate("card-end"), ""
    return _render(
        context,
        scope,
        head=[head, *_list_stops(scope, translate)],
        foot=foot,
        buttons=CardButtons(reminds=bool(untils), invites=_find_inviting(context, scope)) if has_buttons else None,
    )


def _format_time(context: UpdateContext, at: datetime) -> str:
    return own_progress.format_until(at, context.translate, zone=context.annotator.time_zone, now=context.now)


def _list_stops(scope: Sequence[OwnProgress], translate: Texts) -> list[str]:
    """A sentence about each project in which a rule, the organisers or a failed test stopped the annotator."""
    stopped = [one for one in scope if one.state in {ProgressState.STOPPED, ProgressState.FAILED}]
    told = [progress for progress in stopped if progress.status in STOP_TEXTS]
    return [translate(STOP_TEXTS[progress.status], project=progress.title) for progress in told]


def show_pause(context: UpdateContext, *, project_id: int | None = None) -> TelegramCalls:
    """Show the card of a pause: of this project and its programme, else of those where the annotator worked last."""
    wishes.note_work(context.transaction.session, annotator_id=context.annotator_id)
    worked_on = project_id or participations.find_latest_project(
        context.transaction.session, annotator_id=context.annotator_id
    )
    scope = _list_project_scope(context, worked_on)
    has_begun = any(conversation_state.is_begun(draft) and not draft.revision for draft in context.state.drafts)
    head = [context.translate("paused-begun" if has_begun else "paused")]
    buttons = CardButtons(reminds=bool(scope), invites=_find_inviting(context, scope), leads_on=True)
    return context.ask(_render(context, scope, head=head, buttons=buttons))


def show_session_end(context: UpdateContext, *, project_id: int) -> TelegramCalls:
    """Show the card at the end of the session, whose last item is of this project; no item is assigned."""
    state = context.state
    since = datetime.fromtimestamp(state.session_since, UTC)
    work = payments.summarise_recent_work(context.transaction.session, annotator_id=context.annotator_id, since=since)
    wishes.note_work(context.transaction.session, annotator_id=context.annotator_id)
    scope = _list_project_scope(context, project_id)
    buttons = CardButtons(
        sizes=True,
        left=assignments.count_left(scope),
        reminds=True,
        invites=_find_inviting(context, scope),
        leads_on=True,
    )
    head = own_progress.list_session_lines(
        context.translate, number=state.session_done, seconds=work.seconds, median=work.median
    )
    return context.ask(_render(context, scope, head=head, buttons=buttons))


def ask_attestation(context: UpdateContext, *, project_id: int) -> TelegramCalls:
    """Ask for what comes before the card of a pause or of the end of a session; no call where nothing is asked."""
    question = attestation_questions.render_at_pause(context, project_id=project_id)
    return () if question is None else context.without_tap().ask(question)


def _list_project_scope(context: UpdateContext, project_id: int | None) -> list[OwnProgress]:
    listed = assignments.list_own_progress(context.transaction, now=context.now)
    key = next((progress.key for progress in listed if progress.project_id == project_id), 0)
    return [progress for progress in listed if progress.key == key]


def _list_scope(context: UpdateContext, keys: Collection[int]) -> list[OwnProgress]:
    listed = assignments.list_own_progress(context.transaction, now=context.now, exhausted=keys)
    return [progress for progress in listed if progress.key in keys]


def _render(
    context: UpdateContext,
    scope: Sequence[OwnProgress],
    *,
    head: Sequence[str],
    foot: str = "",
    buttons: CardButtons | None,
) -> RenderedMessage:
    ids = [progress.project_id for progress in scope]
    zone = announcements.get_zone(context.annotator.time_zone, context.settings.time_zone)
    work = own_work.summarise_work(
        context.transaction.session,
        annotator_id=context.annotator_id,
        project_ids=ids,
        today=context.now.astimezone(zone).date(),
        zone=zone,
    )
    return return_card.render_return_card(
        context.translate,
        head=head,
        scope=scope if work.total else (),
        work=work if work.total else None,
        earned=own_work.sum_earned(context.transaction.session, annotator_id=context.annotator_id, project_ids=ids),
        foot=foot,
        buttons=buttons or CardButtons(),
    )


def _find_inviting(context: UpdateContext, scope: Sequence[OwnProgress]) -> int:
    """The id of a running project of the scope to which annotators may invite friends; 0 where there is none."""
    for progress in scope:
        project, definition = context.get_project(progress.project_id)
        if project.status is not ProjectStatus.RUNNING:
            continue
        terms = definitions.get_terms(context.transaction.session, project=project, definition=definition)
        if invitations.get_friend_uses(terms) is not None:
            return progress.project_id
    return 0
