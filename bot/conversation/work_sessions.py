"""Work sessions of a chosen number of items: what is done of one, and its end; kept only while one is chosen.

A skipped item counts as an answered one, a change of an answer does not, and the two passes of an item count once.
"""

from __future__ import annotations

from dataclasses import replace

from annotation.workflow import assignments
from annotation.workflow.allocation import open_projects
from annotation.workflow.assignments import SavedJudgement
from bot.conversation import return_card
from bot.conversation.update_context import UpdateContext
from bot.conversation.updates_and_calls import TelegramCalls
from bot.conversation.views import menus


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


def end_session(context: UpdateContext, saved: SavedJudgement) -> TelegramCalls:
    """Show the card at the end of the session; before it, what the project of its last item asks then.

    Until that is answered the session is kept, and the card is shown after the answer (`show_card`).
    """
    store_done(context, saved)
    return return_card.ask_attestation(context, project_id=saved.project_id) or show_card(
        context, project_id=saved.project_id
    )


def show_card(context: UpdateContext, *, project_id: int) -> TelegramCalls:
    """Show the card of the session that is over, otherwise that of a pause."""
    state = context.state
    if not state.session_goal or state.session_done < state.session_goal:
        return return_card.show_pause(context, project_id=project_id)
    shown = return_card.show_session_end(context, project_id=project_id)
    forget_session(context)
    return shown
