"""`hromada allocate-groups`: which annotators may meet which groups of items."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.commands import terminal_output
from bot.commands.command_line import AsJson


def allocate_groups(
    projects: Annotated[list[str], typer.Argument(help="The projects, by name or file.", show_default=False)],
    people: Annotated[int, typer.Option(min=2, help="How many annotators will take part.", show_default=False)],
    seed: Annotated[int, typer.Option(help="Of the random classes of groups.")] = 0,
    json: AsJson = False,
) -> None:
    """Allocate groups so nobody sees one in two projects.

    Do it before the projects start: a shortage of annotators stops the start.
    """
    from annotation.workflow.allocation import group_allocation
    from bot.commands import database_session

    with database_session.open_database() as database, database.transaction() as transaction:
        loaded = [database_session.get_project(transaction, project) for project in projects]
        allocations = group_allocation.allocate_groups(
            transaction, projects=loaded, annotators=people, seed=seed, now=database_session.get_time(transaction)
        )
    columns = ("project", "shared groups", "people for each", "groups with too few", "judgements missing")
    rows = [
        (
            allocation.project,
            allocation.shared_groups,
            allocation.annotators_per_group,
            allocation.short_groups,
            allocation.missing_judgements,
        )
        for allocation in allocations
    ]
    if json:
        terminal_output.print_json([dict(zip(columns, row, strict=True)) for row in rows])
        return
    short = any(allocation.short_groups for allocation in allocations)
    notes = (
        ["Too few annotators: `hromada start` will refuse unless `exposure.exceptions` lists the others."]
        if short
        else []
    )
    if not any(allocation.shared_groups for allocation in allocations):
        notes = ["They share no group. Name a column as `items.group` in their files."]
    terminal_output.print_table(f"Groups allocated to {people} annotators", columns, rows, notes=notes)
