"""The transitions of a project that `start`, `pause`, `extend`, `close` and `reopen` make, and their output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from sqlmodel import Session

    from annotation.store.models import Project
    from annotation.workflow.lifecycle.transitions import TransitionResult

    class TransitionFunction(Protocol):
        """A function of `lifecycle.transitions`."""

        def __call__(self, session: Session, *, project: Project, now: datetime) -> TransitionResult:
            """Change the state of the project."""


def make_transition(
    transition: TransitionFunction, project: str
) -> tuple[TransitionResult, dict[str, float | int | None] | None]:
    """Make a transition in a transaction of its own; its result and the frozen plan of the project come back."""
    from bot.commands import database_session

    with database_session.open_database() as database, database.transaction() as transaction:
        loaded = database_session.get_project(transaction, project)
        result = transition(transaction, project=loaded, now=database_session.get_current_time())
        return result, (loaded.frozen or {}).get("plan")


def run_transition(transition: TransitionFunction, project: str, *, json: bool) -> None:
    """Make a transition and print its result."""
    result, _ = make_transition(transition, project)
    if json:
        print_result_json(result)
    else:
        print_result(result)


def print_result_json(result: TransitionResult, **more: object) -> None:
    """Print the state and the notes as JSON, `more` beside them."""
    from bot.commands import terminal_output

    terminal_output.print_json(
        {"project": result.project, "state": result.status.value, "notes": list(result.notes)} | more
    )


def print_result(result: TransitionResult) -> None:
    """Print the state and the notes as sentences."""
    from bot.commands import terminal_output

    for line in (f"{result.project} is {result.status.value}.", *result.notes):
        terminal_output.print_sentence(line)
