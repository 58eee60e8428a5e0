"""`hromada close`: end a project."""

from __future__ import annotations

from bot.commands import project_transitions
from bot.commands.command_line import AsJson
from bot.commands.project_transitions import CampaignName


def close(project: CampaignName, json: AsJson = False) -> None:
    """End a campaign: answers from then on do not count.

    What annotators have in hand is taken back; late answers are kept, and do not count.
    """
    from annotation.workflow.lifecycle import transitions

    project_transitions.run_transition(transitions.Transition.CLOSE, transitions.close_project, project, json=json)
