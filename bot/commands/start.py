"""`hromada start`: begin a project, or go on after a pause."""

from __future__ import annotations

from bot.commands import project_transitions
from bot.commands.command_line import AsJson, ProjectName


def start(project: ProjectName, json: AsJson = False) -> None:
    """Hand out a project's items.

    The first start freezes items, gold, rules and plan; a paused project goes on as it was.
    """
    from annotation.workflow.lifecycle import precision, transitions
    from bot.commands import terminal_output

    result, plan = project_transitions.make_transition(transitions.start_project, project)
    if json:
        project_transitions.print_result_json(result, plan=plan)
        return
    project_transitions.print_result(result)
    if plan:
        terminal_output.print_sentence(f"Planned: {precision.describe_plan(plan)}.")
