"""`hromada follow-up`: the next campaign from the consensus of a finished one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.commands import terminal_output
from bot.commands.command_line import AsJson
from bot.commands.data_sets import Method, MethodOption, Unblind, open_view


def follow_up(
    folder: Annotated[Path, typer.Argument(help="The folder of the new project, or an items file (.jsonl).")],
    source: Annotated[str, typer.Option("--from", help="The project whose consensus is used.")],
    where: Annotated[
        list[str] | None, typer.Option(help="A condition, like `answer = yes`; several must all hold.")
    ] = None,
    template: Annotated[str | None, typer.Option(help="A template for the new project.")] = None,
    language: Annotated[str, typer.Option(help="With --template: uk or en.")] = "uk",
    project: Annotated[Path | None, typer.Option(help="Or a project file for it, whose items are items.jsonl.")] = None,
    gold: Annotated[str | None, typer.Option(help="The question whose consensus becomes the gold.")] = None,
    method: MethodOption = Method.MAJORITY,
    unblind: Unblind = False,
    json: AsJson = False,
) -> None:
    """Create the next campaign from this one's consensus.

    Items keep ids and groups, and say where they come from. Nothing is loaded yet.
    """
    from annotation.workflow.lifecycle import follow_up
    from bot.commands import database_session, follow_up_files

    with open_view([source], by="follow-up", unblind=unblind) as view:
        finished = database_session.get_project(view, source)
        derived = follow_up.derive_items(view, source=finished, where=where or [], gold=gold, method=method.value)
    written = follow_up_files.write_follow_up(
        derived, folder, template=template, language=language, project_file=project
    )
    if json:
        facts = {"items": len(derived.rows), "of": derived.source_count, "method": derived.lineage["method"]}
        terminal_output.print_json(facts | {"warnings": derived.warnings, "files": [str(path) for path in written]})
        return
    source = terminal_output.format_count(derived.source_count, "item")
    terminal_output.print_sentence(f"{len(derived.rows)} of {source} of {finished.name}:")
    for path in written:
        terminal_output.print_line(str(path))
    for warning in derived.warnings:
        terminal_output.print_sentence(f"Note: {warning}")
