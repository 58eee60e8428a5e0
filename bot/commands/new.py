"""`hromada new`: a campaign from a template, or from files of data."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from annotation.errors import BadInput
from bot.commands import terminal_output
from bot.commands.command_line import AsJson, refuse_options


def new(
    folder: Annotated[Path | None, typer.Argument(help="The folder to make.", show_default=False)] = None,
    more: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]...", help="More files for --from.", show_default=False)
    ] = None,
    from_: Annotated[
        list[Path] | None,
        typer.Option("--from", metavar="FILE", help="Write the project file for this file of votes, items or gold."),
    ] = None,
    as_: Annotated[
        list[str] | None,
        typer.Option("--as", metavar="ROLE=COLUMN", help="With --from: what a column holds, as in --as answer=says."),
    ] = None,
    template: Annotated[str, typer.Option(help="The template to begin from.")] = "baseline",
    language: Annotated[
        str | None, typer.Option(help="The language of items, texts and comments: uk (as it is without it) or en.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the templates.")] = False,
    json: AsJson = False,
) -> None:
    """Create a campaign from your files or a template.

    --from looks at tables, exports of annotation tools and labelling configurations, copies them into the folder, and
    writes a project file that `hromada check` accepts, with a comment at every guess. Without --from writes a template:
    a commented project file, a few items and instructions.
    """
    if list_:
        _list_templates(language or "en", json=json)
        return
    if folder is None:
        rest = f"--from {shlex.quote(str(from_[0]))}" if from_ else "--template NAME; --list shows the templates"
        raise BadInput("The folder to make is missing.", remedy=f"Write hromada new FOLDER {rest}.")
    refuse_options(
        (not from_ and bool(more), "Files are given without --from.", "Write hromada new FOLDER --from FILE."),
        (not from_ and bool(as_), "--as is about the columns of a file.", "Also write --from FILE."),
    )
    if from_:
        from bot.commands import new_from_files

        chosen = [*(as_ or ()), *([f"language={language}"] if language else [])]
        new_from_files.write_project(folder, [*from_, *(more or ())], chosen=chosen, json=json)
        return
    _write_template(folder, template=template, language=language, json=json)


def _list_templates(language: str, *, json: bool) -> None:
    from annotation.campaigns import template_files

    templates = template_files.list_templates(language)
    if json:
        terminal_output.print_json({entry.name: entry.description for entry in templates})
    else:
        rows = [(entry.name, entry.description) for entry in templates]
        terminal_output.print_table("Templates", ("template", "about"), rows)


def _write_template(folder: Path, *, template: str, language: str | None, json: bool) -> None:
    from annotation.campaigns import template_files

    written = template_files.write_template(
        folder, template_name=template, language=language or template_files.LANGUAGES[0]
    )
    if json:
        terminal_output.print_json([str(path) for path in written])
        return
    for path in written:
        terminal_output.print_line(str(path))
    file = next(path for path in written if path.name in {template_files.PROJECT, template_files.PROGRAMME})
    terminal_output.print_line(f"Look at it and write your own items, then: hromada check {file}")
