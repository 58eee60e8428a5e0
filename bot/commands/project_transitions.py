"""`hromada start`, `pause`, `extend`, `close` and `reopen`: the transitions of a project or of a programme."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from annotation.errors import Conflict, HromadaError, Where, combine_errors
from bot.commands import terminal_output
from bot.commands.command_line import AsJson

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlmodel import Session

    from annotation.store.models import Project
    from annotation.workflow.lifecycle.transitions import Transition, TransitionResult
    from annotation.workflow.monitoring.progress import Progress

    class TransitionFunction(Protocol):
        """A function of `lifecycle.transitions`."""

        def __call__(self, session: Session, *, project: Project, now: datetime) -> TransitionResult:
            """Change the state of the project."""


CampaignName = Annotated[
    str,
    typer.Argument(metavar="PROJECT", help="A project or a programme, by name or file.", show_default=False),
]


NEXT_STEPS = {
    "start": "Next: `hromada bot` asks people, `hromada bot --local` asks you in your browser.",
    "close": "Next: `hromada export {name} --to results` writes the report, labels and scores.",
}
"""What to do after a transition."""


def start(project: CampaignName, json: AsJson = False) -> None:
    """Start or resume a campaign.

    The first start freezes items, gold, rules and plan.
    """
    from annotation.workflow.lifecycle import transitions

    _run_transition(transitions.Transition.START, transitions.start_project, project, json=json)


def pause(project: CampaignName, json: AsJson = False) -> None:
    """Stop assigning items until the next start.

    Items that annotators have in hand they may still answer.
    """
    from annotation.workflow.lifecycle import transitions

    _run_transition(transitions.Transition.PAUSE, transitions.pause_project, project, json=json)


def extend(
    project: CampaignName,
    overlap: Annotated[
        int | None, typer.Option(min=1, help="How many annotators answer each item from now on.")
    ] = None,
    most: Annotated[
        int | None, typer.Option(min=1, help="The new maximum of a dynamic overlap, or of an overlap sample.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Collect more answers per item.

    More items come by loading the changed file. Both are marked post hoc.
    """
    from functools import partial

    from annotation.workflow.lifecycle import transitions

    extend_project = partial(transitions.extend_project, overlap=overlap, max_overlap=most)
    _run_transition(transitions.Transition.EXTEND, extend_project, project, json=json)


def close(project: CampaignName, json: AsJson = False) -> None:
    """Close a campaign; later answers do not count.

    What annotators have in hand is taken back; late answers are kept, and do not count.
    """
    from annotation.workflow.lifecycle import transitions

    _run_transition(transitions.Transition.CLOSE, transitions.close_project, project, json=json)


def reopen(project: CampaignName, json: AsJson = False) -> None:
    """Reopen a closed campaign.

    All answers from then on are marked post hoc.
    """
    from annotation.workflow.lifecycle import transitions

    _run_transition(transitions.Transition.REOPEN, transitions.reopen_project, project, json=json)


def _run_transition(transition: Transition, change: TransitionFunction, name: str, *, json: bool) -> None:
    """Make a transition of a project, or of all projects of a programme in one transaction, and print what came of it.

    `change` makes it. The projects of a programme whose status does not allow it stay as they are; Conflict is raised
    where this holds for all. What hinders any of the others hinders all, and is told of all.
    """
    from annotation.store import queries
    from annotation.workflow.monitoring.progress import measure_progress
    from bot.commands import database_session

    with database_session.open_database() as database, database.transaction() as transaction:
        now = database_session.get_time(transaction)
        programme = queries.find_programme(transaction, database_session.resolve_name(name))
        projects = database_session.list_projects(transaction, name)
        if programme is not None:
            _refuse_unless_some_can(transition, programme.name, projects)
        lines, facts = [], []
        obstacles: list[HromadaError] = []
        for project in projects:
            result = None
            if programme is None or _is_allowed(transition, project):
                try:
                    result = change(transaction, project=project, now=now)
                except Conflict as failure:
                    obstacles.append(failure)
                    continue
            plan = (project.frozen or {}).get("plan")
            lines += _describe_result(transition, project, result, plan)
            notes = list(result.notes) if result is not None else []
            if transition.value == "close" and result is not None:
                rest = _describe_rest(measure_progress(transaction, project, now=now), project.name)
                lines, notes = lines + rest, notes + rest
            planned = {"plan": plan} if transition.value == "start" else {}
            facts.append({"project": project.name, "state": project.status.value, "notes": notes, **planned})
        if obstacles:
            raise combine_errors(obstacles)
        document = facts[0] if programme is None else {"programme": programme.name, "projects": facts}
    if json:
        terminal_output.print_json(document)
        return
    if transition.value in NEXT_STEPS:
        lines.append(NEXT_STEPS[transition.value].format(name=name))
    for line in lines:
        terminal_output.print_sentence(line)


def _is_allowed(transition: Transition, project: Project) -> bool:
    from annotation.workflow.lifecycle.transitions import STATUS_AFTER

    return (transition, project.status) in STATUS_AFTER


def _refuse_unless_some_can(transition: Transition, programme: str, projects: Sequence[Project]) -> None:
    """Raise Conflict where the status of no project of the programme allows the transition."""
    from annotation.workflow.lifecycle.transitions import STATUS_AFTER

    if any(_is_allowed(transition, project) for project in projects):
        return
    counts = Counter(project.status for project in projects)
    states = ", ".join(f"{number} {'is' if number == 1 else 'are'} {status.value}" for status, number in counts.items())
    possible = dict.fromkeys(allowed.value for allowed, status in STATUS_AFTER if status in counts)
    raise Conflict(
        f"No project of {programme!r} can {transition.value}: {states}.",
        where=Where(field="programme"),
        remedy=f"What can be done now: {', '.join(possible)}.",
    )


def _describe_result(
    transition: Transition, project: Project, result: TransitionResult | None, plan: dict[str, Any] | None
) -> list[str]:
    """Sentences about a project: its status after the transition, the notes, and what was planned at its start."""
    from annotation.workflow.lifecycle import precision

    if result is None:
        return [f"{project.name} was {project.status.value} already, and stays so."]
    planned = [f"Planned: {precision.describe_plan(plan)}."] if plan and transition.value == "start" else []
    return [f"{project.name} is {result.status.value}.", *result.notes, *planned]


def _describe_rest(progress: Progress, name: str) -> list[str]:
    """A sentence about the items that were closed before they had all their answers; none where there are no such."""
    left = progress.items - progress.items_done
    if not left:
        return []
    have = "has" if left == 1 else "have"
    sentence = f"{left:,} of {progress.items:,} items {have} fewer answers than planned."
    return [f"{sentence} `hromada reopen {name}` asks for the rest; those answers are marked post hoc."]
