"""`hromada export`: the published files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bot.commands.campaigns import AsJson
from bot.commands.datasets import Method, MethodOption, Seed


class GoldTies(StrEnum):
    """The tie rules that leave one label or none, as a gold file needs."""

    FIRST = "first"
    ALPHABETICAL = "alphabetical"
    RANDOM = "random"
    DROP = "drop"


def export(
    projects: Annotated[list[str] | None, typer.Argument(help="Projects by name or file; all by default.")] = None,
    to: Annotated[Path, typer.Option(help="The folder for the files; made if it is not there.")] = Path("export"),
    method: MethodOption = Method.MAJORITY,
    ties: Annotated[GoldTies, typer.Option(help="What becomes of a tie in gold.csv.")] = GoldTies.DROP,
    seed: Seed = 0,
    anchors: Annotated[
        bool, typer.Option("--anchors", help="Take declared gold for known (dawid_skene, gold_majority).")
    ] = False,
    json: AsJson = False,
) -> None:
    """Write the published files and the report page; corrected texts and filtered items have files of their own."""
    from bot import release
    from bot.commands import console, session
    from exports import items, report, stories, tables

    with session.opened() as database, database.reading() as view:
        data = release.data_sets(view, [session.project_name(one) for one in projects or ()])
        sheets = release.sheets(view, data)
    with console.progress("numbers", quiet=json) as told:
        made = tables.release(data, method=method.value, ties=ties.value, seed=seed, anchors=anchors, progress=told)
        desk = {**stories.files(sheets, seed=seed), **items.files(sheets, seed=seed)}
        written = tables.write(made, to, also={"report.html": report.page(made), **desk})
    if json:
        console.show_json([str(path) for path in written])
        return
    for line in map(str, written):
        console.console().print(line, markup=False, soft_wrap=True)
