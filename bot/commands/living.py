"""Commands for the life of a campaign: allot, start, pause, extend, close, reopen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from bot.commands.campaigns import AsJson

if TYPE_CHECKING:
    from datetime import datetime

    from sqlmodel import Session

    from annotation.store.models import Project
    from annotation.workflow.lifecycle.transitions import Moved

    class Step(Protocol):
        """A step in the life of a project."""

        def __call__(self, session: Session, *, project: Project, now: datetime) -> Moved:
            """Take it."""


Name = Annotated[str, typer.Argument(help="The project's name, or its file.", show_default=False)]


def start(project: Name, json: AsJson = False) -> None:
    """Hand out a project's items.

    The first start freezes items, gold, rules and plan; a paused project goes on as it was.
    """
    from annotation.workflow.lifecycle import precision, transitions
    from bot.commands import console

    moved, planned = _taken(transitions.start, project)
    if json:
        _show_json(moved, plan=planned)
        return
    _show(moved)
    if planned:
        console.console().print(f"Planned: {precision.words(planned)}.", markup=False)


def pause(project: Name, json: AsJson = False) -> None:
    """Hand out nothing until the next start.

    What people hold they may still answer.
    """
    from annotation.workflow.lifecycle import transitions

    _told(transitions.pause, project, json=json)


def close(project: Name, json: AsJson = False) -> None:
    """End a project.

    What people hold is taken back; answers that come late are kept, and do not count.
    """
    from annotation.workflow.lifecycle import transitions

    _told(transitions.close, project, json=json)


def reopen(project: Name, json: AsJson = False) -> None:
    """Hand out a closed project's items again.

    Whatever comes from then on is marked post hoc.
    """
    from annotation.workflow.lifecycle import transitions

    _told(transitions.reopen, project, json=json)


def extend(
    project: Name,
    overlap: Annotated[int | None, typer.Option(min=1, help="How many people answer each item from now on.")] = None,
    most: Annotated[int | None, typer.Option(min=1, help="The new maximum of a dynamic overlap.")] = None,
    json: AsJson = False,
) -> None:
    """Ask more people about every item of a started project.

    More items come by loading the changed file. Both are marked post hoc.
    """
    from functools import partial

    from annotation.workflow.lifecycle import transitions

    _told(partial(transitions.extend, overlap=overlap, most=most), project, json=json)


def allot(
    projects: Annotated[list[str], typer.Argument(help="The projects, by name or file.", show_default=False)],
    people: Annotated[int, typer.Option(min=2, help="How many people will take part.", show_default=False)],
    seed: Annotated[int, typer.Option(help="Of the random classes of groups.")] = 0,
    json: AsJson = False,
) -> None:
    """Share groups out among people, so that nobody meets a group in two projects.

    Do it before the projects start. What is missing then stops the start.
    """
    from annotation.store import queries
    from annotation.workflow.allocation import group_allocation
    from bot.commands import console, session

    with session.opened() as database, database.transaction() as transaction:
        found = [queries.project(transaction, session.project_name(one)) for one in projects]
        shares = group_allocation.allot(transaction, projects=found, people=people, seed=seed, now=session.now())
    columns = ("project", "shared groups", "people for each", "groups with too few", "judgements missing")
    rows = [(one.project, one.groups, one.people, one.short, one.missing) for one in shares]
    if json:
        console.show_json([dict(zip(columns, row, strict=True)) for row in rows])
        return
    short = any(one.short for one in shares)
    notes = (
        ["Too few people: `hromada start` will refuse unless `exposure.exceptions` lists the others."] if short else []
    )
    console.table(f"Groups shared out among {people} people", columns, rows, notes=notes)


def _taken(step: Step, project: str) -> tuple[Moved, dict[str, float | int | None] | None]:
    """Take a step; how the project is then, and its frozen plan."""
    from annotation.store import queries
    from bot.commands import session

    with session.opened() as database, database.transaction() as transaction:
        found = queries.project(transaction, session.project_name(project))
        moved = step(transaction, project=found, now=session.now())
        return moved, (found.frozen or {}).get("plan")


def _told(step: Step, project: str, *, json: bool) -> None:
    moved, _ = _taken(step, project)
    if json:
        _show_json(moved)
    else:
        _show(moved)


def _show_json(moved: Moved, **more: object) -> None:
    from bot.commands import console

    console.show_json({"project": moved.project, "state": moved.status.value, "notes": list(moved.said)} | more)


def _show(moved: Moved) -> None:
    from bot.commands import console

    for line in (f"{moved.project} is {moved.status.value}.", *moved.said):
        console.console().print(line, markup=False)
