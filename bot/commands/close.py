"""`hromada close`: end a project."""

from __future__ import annotations

from bot.commands import project_transitions
from bot.commands.command_line import AsJson, ProjectName


def close(project: ProjectName, json: AsJson = False) -> None:
    """End a project.

    Items that annotators have in hand are taken back; late answers are kept, and do not count.
    """
    from annotation.workflow.lifecycle import transitions

    project_transitions.run_transition(transitions.close_project, project, json=json)
