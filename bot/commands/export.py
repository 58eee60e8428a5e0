"""`hromada export`: the published files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.commands import terminal_output
from bot.commands.command_line import AsJson
from bot.commands.data_sets import Anchors, GoldTies, Method, MethodOption, Seed, Unblind, open_view


def export(
    projects: Annotated[list[str] | None, typer.Argument(help="Projects by name or file; all by default.")] = None,
    to: Annotated[Path, typer.Option(help="The folder for the files; made if it is not there.")] = Path("export"),
    method: MethodOption = Method.MAJORITY,
    ties: Annotated[GoldTies, typer.Option(help="The label of a tie in gold.csv.")] = GoldTies.DROP,
    seed: Seed = 0,
    anchors: Anchors = False,
    unblind: Unblind = False,
    json: AsJson = False,
) -> None:
    """Export result tables and a report page.

    Corrected texts and filtered items have files of their own.
    """
    from bot import release
    from bot.commands import database_session
    from exports import corrections, filtering, gold_tables, report, tables

    with open_view(projects or (), by="export", unblind=unblind) as view:
        read = release.read_projects(view, [database_session.resolve_project_name(name) for name in projects or ()])
        data = [data_set for project in read for data_set in project.data_sets]
        responses = [project.joint_answers for project in read if project.joint_answers is not None]
    with terminal_output.show_progress("numbers", quiet=json) as progress:
        published = tables.build_release(
            data, method=method.value, ties=ties.value, seed=seed, anchors=anchors, progress=progress
        )
        data_set_files = {
            **corrections.build_correction_files(responses, seed=seed),
            **filtering.build_filtering_files(responses, seed=seed),
            **gold_tables.build_review_files(data),
        }
        written = tables.write_release(
            published, to, extra_files={**report.build_report_pages(published), **data_set_files}
        )
    if json:
        terminal_output.print_json([str(path) for path in written])
        return
    for line in map(str, written):
        terminal_output.print_line(line)
    for data_set in data:
        if data_set.responses.empty:
            terminal_output.print_line(f"{data_set.name} has no answers yet: import votes, or let people answer.")
    own_pages = [to / name for name in ("stories.html", "items.html") if name in data_set_files]
    pages = " and ".join(map(str, [*own_pages, to / "report.html"]))
    terminal_output.print_line(f"Open {pages} in a browser (.uk.html is Ukrainian).")
