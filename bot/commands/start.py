"""`hromada start`: begin a project, or go on after a pause."""

from __future__ import annotations

from bot.commands import project_transitions
from bot.commands.command_line import AsJson
from bot.commands.project_transitions import CampaignName


def start(project: CampaignName, json: AsJson = False) -> None:
    """Begin to hand out items, or go on after a pause.

    The first start freezes items, gold, rules and plan.
    """
    from annotation.workflow.lifecycle import transitions

    project_transitions.run_transition(transitions.Transition.START, transitions.start_project, project, json=json)
