"""`hromada pause`: hand out nothing until the next start."""

from __future__ import annotations

from bot.commands import project_transitions
from bot.commands.command_line import AsJson
from bot.commands.project_transitions import CampaignName


def pause(project: CampaignName, json: AsJson = False) -> None:
    """Hand out no items to anybody until the next start.

    Items that annotators have in hand they may still answer.
    """
    from annotation.workflow.lifecycle import transitions

    project_transitions.run_transition(transitions.Transition.PAUSE, transitions.pause_project, project, json=json)
