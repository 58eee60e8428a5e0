"""Commands that look at files and votes: check, import."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from annotation.workflow.imports.vote_import import Imported

File = Annotated[Path, typer.Argument(help="The project file (YAML).", show_default=False, readable=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of a table.")]


def check(file: File, json: AsJson = False) -> None:
    """Check a project or programme file, with items and votes; store nothing.

    Says what is wrong with the items, and what is still to be done before people come: items that are missing, facts
    that a release will have to state.
    """
    from bot.commands import checking, console, findings

    found = checking.checked(file)
    if json:
        told = {"to do": list(found.to_do), "to declare": dict(found.to_declare)}
        console.show_json(found.facts | told | {"findings": findings.as_json(found.findings)})
    else:
        verdict = "cannot be loaded yet" if findings.worst(found.findings) == "error" else "can be loaded"
        console.table(f"{file} {verdict}", ("what", "is"), list(found.facts.items()))
        findings.show(found.findings)
        for line in found.to_do:
            console.console().print(f"To do before people come: {line}", markup=False)
        if found.to_declare:
            rows = [(f"declared.{name}", says) for name, says in found.to_declare.items()]
            console.table("A release has to state, and only you know", ("key", "say"), rows)
    found.refuse()


def import_(
    project: Annotated[str, typer.Argument(help="The project's name, or its file.", show_default=False)],
    file: Annotated[
        Path | None,
        typer.Argument(help="The file of votes; by default the one that the project file names.", readable=False),
    ] = None,
    json: AsJson = False,
) -> None:
    """Import votes from another tool.

    The project's `votes` section says how the file is read. A file that was imported before is refused.
    """
    from annotation.settings import settings
    from annotation.store import pseudonyms, queries
    from annotation.workflow.imports import vote_import
    from bot.commands import console, session

    with session.opened() as database, console.progress("votes", quiet=json) as told:
        with database.reading() as view:
            found = queries.project(view, session.project_name(project))
            ballot = vote_import.read_votes(view, found, path=file)
        with database.transaction() as transaction:
            key = pseudonyms.key(transaction, file=settings().key_file, now=session.now())
            result = vote_import.store_votes(transaction, found, ballot, key=key, now=session.now(), progress=told)
    changed = [[raw, label, times] for (raw, label), times in sorted(result.changed.items())]
    if json:
        facts = {"project": result.project, "votes": result.votes, "retained": result.retained}
        facts |= {"annotators": result.annotators, "repeats": result.repeats, "policy": result.policy.value}
        facts |= {"answered_controls": result.judged.people, "failed_controls": _failed(result)}
        console.show_json(facts | {"excluded": dict(result.excluded), "changed": changed})
        return
    facts_shown: list[Sequence[console.Cell]] = [
        ("votes", result.votes),
        ("that count", result.retained),
        ("annotators", result.annotators),
        (f"repeats (policy: {result.policy.value})", result.repeats),
        *([("annotators who answered control items", result.judged.people)] if result.judged.people else []),
        *((f"annotators with {rule}", people) for rule, people in _failed(result).items()),
        *((f"not counted: {reason}", times) for reason, times in result.excluded.items()),
        *((f"label {raw!r} became {label!r}", times) for (raw, label), times in sorted(result.changed.items())),
    ]
    console.table(f"Imported into {result.project}", ("what", "number"), facts_shown)


def _failed(result: Imported) -> dict[str, int]:
    """How many people failed each rule about control items."""
    judged = result.judged
    return {rule: len(people) for rule, people in sorted({**judged.flagged, **judged.excluded}.items())}
