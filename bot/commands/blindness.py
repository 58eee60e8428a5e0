"""The option `--unblind`: no command shows or writes results of a baseline that people still answer without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sqlmodel import Session

    from annotation.store.models import Project

NAMED_PROJECTS = 3  # of those that are blind
Unblind = Annotated[
    bool,
    typer.Option("--unblind", help="Show results of a baseline before it is closed. The journal and a release say so."),
]


def check_blindness(names: Sequence[str], *, by: str, unblind: bool) -> None:
    """Raise HromadaError where results of a blind project would be shown, or record that they are, with `unblind`.

    `names` are projects and programmes by name or file, all projects where it is empty; `by` is the command.
    """
    from aggregation.errors import HromadaError
    from annotation.workflow.monitoring import blindness
    from bot.commands import database_session

    with database_session.open_database() as database:
        with database.reading() as view:
            blind = blindness.list_blind_projects(view, list(_list_projects(view, names)))
        if not blind:
            return
        if unblind:
            with database.transaction() as transaction:
                projects = [database_session.get_project(transaction, project.name) for project in blind]
                blindness.record_unblinding(
                    transaction, projects, by=f"{by} --unblind", now=database_session.get_time(transaction)
                )
            return
    named = ", ".join(project.name for project in blind[:NAMED_PROJECTS])
    more = f" and {len(blind) - NAMED_PROJECTS} more" if len(blind) > NAMED_PROJECTS else ""
    raise HromadaError(
        f"People still answer {named}{more}: a baseline shows no scores, votes or agreement before it is closed.",
        remedy=f"Close it first (hromada close {blind[0].name}), or add --unblind, which is put on record.",
    )


def _list_projects(view: Session, names: Sequence[str]) -> Iterator[Project]:
    """The projects of the names; all projects where none is named.

    A name that is not there is left to the command, which says what it looked for.
    """
    from annotation.errors import NotFound
    from annotation.store import queries
    from bot.commands import database_session

    if not names:
        yield from queries.list_projects(view)
    for written in names:
        with suppress(NotFound):
            yield from database_session.list_projects(view, written)
