"""Commands that begin campaigns: new, derive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.commands.campaigns import AsJson
from bot.commands.datasets import Method, MethodOption


def new(
    folder: Annotated[Path | None, typer.Argument(help="The folder to make.", show_default=False)] = None,
    template: Annotated[str, typer.Option(help="The template to begin from.")] = "baseline",
    list_: Annotated[bool, typer.Option("--list", help="List the templates.")] = False,
    json: AsJson = False,
) -> None:
    """Begin a campaign from a template.

    Writes a commented project file, a few items and instructions that load as they are.
    """
    from annotation.campaigns import starting
    from annotation.errors import BadInput
    from bot.commands import console

    if list_:
        found = starting.templates()
        if json:
            console.show_json({one.name: one.about for one in found})
        else:
            console.table("Templates", ("template", "about"), [(one.name, one.about) for one in found])
        return
    if folder is None:
        raise BadInput("Where to?", remedy="Write hromada new FOLDER --template NAME; --list shows the templates.")
    written = starting.start(folder, template_name=template)
    if json:
        console.show_json([str(path) for path in written])
        return
    for path in written:
        console.console().print(str(path), markup=False, soft_wrap=True)


def derive(
    folder: Annotated[Path, typer.Argument(help="The folder of the new project, or an items file (.jsonl).")],
    source: Annotated[str, typer.Option("--from", help="The project whose consensus is handed on.")],
    where: Annotated[
        list[str] | None, typer.Option(help="A condition, like `answer = yes`; several must all hold.")
    ] = None,
    template: Annotated[str | None, typer.Option(help="A template for the new project.")] = None,
    project: Annotated[Path | None, typer.Option(help="Or a project file for it, whose items are items.jsonl.")] = None,
    gold: Annotated[str | None, typer.Option(help="The question whose consensus becomes the gold.")] = None,
    method: MethodOption = Method.MAJORITY,
    json: AsJson = False,
) -> None:
    """Hand consensus on to the next campaign.

    Items keep ids and groups, and say where they come from. Nothing is loaded yet.
    """
    from annotation.store import queries
    from annotation.workflow.lifecycle import derivation
    from bot.commands import console, inheriting, session

    with session.opened() as database, database.reading() as view:
        found = queries.project(view, session.project_name(source))
        derived = derivation.derive(view, source=found, where=where or [], gold=gold, method=method.value)
    written = inheriting.write(derived, folder, template=template, project_file=project)
    if json:
        facts = {"items": len(derived.rows), "of": derived.of, "method": derived.lineage["method"]}
        console.show_json(facts | {"warnings": derived.warnings, "files": [str(path) for path in written]})
        return
    console.console().print(f"{len(derived.rows)} of {derived.of} items of {found.name}:", markup=False)
    for path in written:
        console.console().print(str(path), markup=False, soft_wrap=True)
    for warning in derived.warnings:
        console.console().print(f"Note: {warning}", markup=False)
