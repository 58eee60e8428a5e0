"""Work sessions of a chosen number of items: what is done of one, and its end; kept only while one is chosen.

A skipped item counts as an answered one, a change of an answer does not, and the two passes of an item count once.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from annotation.workflow import assignments
from annotation.workflow.allocation import open_projects
from annotation.workflow.annotators import payments
from annotation.workflow.assignments import SavedJudgement
from bot.conversation import attestation_questions
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import TelegramCalls
from bot.conversation.views import menus, own_progress


def begin_session(context: UpdateContext, *, goal: int) -> None:
    """Begin a session of so many items, ENDLESS for none; the same one again goes on where nothing is done of it."""
    state = context.state
    if goal and state.session_goal == goal and not state.session_done:
        return
    since = int(context.now.timestamp()) if goal else 0
    context.save_state(replace(state, session_goal=goal, session_done=0, session_since=since))


def forget_session(context: UpdateContext) -> None:
    """End the session without a card, if there is one."""
    begin_session(context, goal=menus.ENDLESS)


def count_done(context: UpdateContext, saved: SavedJudgement) -> int:
    """How many items of the session are done, with one that was just answered or skipped."""
    return context.state.session_done + (not saved.is_second_pass)


def is_session_over(context: UpdateContext, saved: SavedJudgement) -> bool:
    """Whether the session is over with this item.

    It is not while an item waits for its second pass, nor where no project is open: then there is another end.
    """
    if count_done(context, saved) < context.state.session_goal:
        return False
    eligibility = assignments.get_eligibility(context.transaction, now=context.now)
    entries = open_projects.list_choices(eligibility.open_projects)
    return eligibility.live_assignment_id is None and any(entry.projects for entry in entries)


def store_done(context: UpdateContext, saved: SavedJudgement) -> None:
    """Count an answered or skipped item into the session, unless that has ended meanwhile.

    After the next item is assigned, it is the only further statement.
    """
    if context.state.session_goal:
        context.save_state(replace(context.state, session_done=count_done(context, saved)))


def show_session_end(context: UpdateContext, saved: SavedJudgement) -> TelegramCalls:
    """Show the card at the end of the session, and what the project of its last item asks then; no item is assigned.

    A typed text names a button of either message, and any other text goes on.
    """
    state = context.state
    since = datetime.fromtimestamp(state.session_since, UTC)
    work = payments.summarise_recent_work(context.transaction.session, annotator_id=context.annotator_id, since=since)
    listed = assignments.list_own_progress(context.transaction, now=context.now)
    own = next((progress for progress in listed if progress.project_id == saved.project_id), None)
    shown = [progress for progress in listed if own is not None and progress.key == own.key]
    left = [
        progress.wanted - progress.answered for progress in shown if progress.wanted and progress.answered is not None
    ]
    if own is not None and own.shared is not None:
        left = [own.shared[1] - own.shared[0]]
    card = menus.render_session_end(
        context.translate,
        number=count_done(context, saved),
        active=timedelta(seconds=work.seconds),
        median=work.median,
        progress=own_progress.build_progress_blocks(shown, context.translate),
        left=sum(left) if left else None,
    )
    forget_session(context)
    question = attestation_questions.render_at_pause(context, project_id=saved.project_id)
    if question is None:
        return context.ask(card)
    return join_calls(context.send(card), attestation_questions.ask_below(context, question, above=card))
