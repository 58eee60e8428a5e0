"""Commands that bring campaigns in: check, load, import."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

File = Annotated[Path, typer.Argument(help="The project file (YAML).", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of a table.")]


def check(file: File, json: AsJson = False) -> None:
    """Check a project or programme file, with items and votes; store nothing.

    Says what is still to be done before people come: items that are missing, facts that a release will have to state.
    """
    from bot.commands import checking, console

    found = checking.checked(file)
    if json:
        console.show_json(found.facts | {"to do": list(found.to_do), "to declare": dict(found.to_declare)})
        return
    console.table(f"{file} can be loaded", ("what", "is"), list(found.facts.items()))
    for line in found.to_do:
        console.console().print(f"To do before people come: {line}", markup=False)
    if found.to_declare:
        told = [(f"declared.{name}", says) for name, says in found.to_declare.items()]
        console.table("A release has to state, and only you know", ("key", "say"), told)


def load(
    file: File,
    plan: Annotated[bool, typer.Option("--plan", help="Only show what would change, and what may not.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Change a project that is loaded already.")] = False,
    json: AsJson = False,
) -> None:
    """Store a project with its items.

    Loading the same file again changes nothing; a changed file needs --yes, and what people have met stays as it is.
    """
    from annotation.workflow import projects
    from bot.commands import console, session

    if plan:
        _show_plan(file, json=json)
        return
    with session.opened(create=True) as database, database.transaction() as transaction:
        loaded = projects.load_file(transaction, file, now=session.now(), yes=yes)
    facts: dict[str, console.Cell] = {
        "project": loaded.name,
        "items": loaded.items,
        "with gold": loaded.golds,
        "stored": loaded.fresh,
        "changed": not loaded.plan.empty,
    }
    if json:
        console.show_json(facts)
        return
    same = "Loaded already, nothing changed:" if loaded.plan.empty else "Changed"
    verb = "Loaded" if loaded.fresh else same
    console.console().print(f"{verb} {loaded.name}: {loaded.items} items, {loaded.golds} with gold.", markup=False)


def _show_plan(file: Path, *, json: bool) -> None:
    from annotation.workflow import projects
    from bot.commands import console, session

    with session.opened(create=True) as database, database.transaction() as transaction:
        found = projects.plan_file(transaction, file)
    lines = [("everything", "is new")] if found is None else list(found.lines)
    refused = [] if found is None else [(one.what, one.why) for one in found.refused]
    if json:
        console.show_json({"changes": dict(lines), "refused": dict(refused)})
        return
    console.table(f"Loading {file} would change", ("what", "which"), lines, notes=() if lines else ["Nothing."])
    if refused:
        console.table("And these may not change", ("what", "why"), refused)


def import_(
    project: Annotated[str, typer.Argument(help="The project's name, or its file.", show_default=False)],
    file: Annotated[
        Path | None, typer.Argument(help="The file of votes; by default the one that the project file names.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Import votes from another tool.

    The project's `votes` section says how the file is read. A file that was imported before is refused.
    """
    from annotation.settings import settings
    from annotation.store import pseudonyms, queries
    from annotation.workflow import imports
    from bot.commands import console, session

    with session.opened() as database, database.transaction() as transaction, console.progress("votes", quiet=json):
        found = queries.project(transaction, session.project_name(project))
        key = pseudonyms.key(transaction, file=settings().key_file, now=session.now())
        result = imports.import_votes(transaction, found, key=key, now=session.now(), path=file)
    changed = [[raw, label, times] for (raw, label), times in sorted(result.changed.items())]
    if json:
        facts = {"project": result.project, "votes": result.votes, "retained": result.retained}
        facts |= {"annotators": result.annotators, "repeats": result.repeats, "policy": result.policy.value}
        console.show_json(facts | {"excluded": dict(result.excluded), "changed": changed})
        return
    facts_shown: list[Sequence[console.Cell]] = [
        ("votes", result.votes),
        ("that count", result.retained),
        ("annotators", result.annotators),
        (f"repeats (policy: {result.policy.value})", result.repeats),
        *((f"not counted: {reason}", times) for reason, times in result.excluded.items()),
        *((f"label {raw!r} became {label!r}", times) for (raw, label), times in sorted(result.changed.items())),
    ]
    console.table(f"Imported into {result.project}", ("what", "number"), facts_shown)
