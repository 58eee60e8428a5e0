"""`hromada reopen`: go on with a closed project."""

from __future__ import annotations

from bot.commands import project_transitions
from bot.commands.command_line import AsJson
from bot.commands.project_transitions import CampaignName


def reopen(project: CampaignName, json: AsJson = False) -> None:
    """Go on with a campaign that was closed.

    All answers from then on are marked post hoc.
    """
    from annotation.workflow.lifecycle import transitions

    project_transitions.run_transition(transitions.Transition.REOPEN, transitions.reopen_project, project, json=json)
