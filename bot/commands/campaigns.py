"""Commands that bring campaigns in: check, load, import."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

File = Annotated[Path, typer.Argument(help="The project file (YAML).", show_default=False, readable=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of a table.")]


def check(file: File, json: AsJson = False) -> None:
    """Check a project file, its items and votes; store nothing."""
    from annotation.campaigns import project
    from annotation.loading import campaign as loading
    from annotation.loading import inspection
    from bot.commands import console, findings

    campaign = project.read(file)
    contents = loading.contents(campaign)
    found = inspection.findings(campaign, contents)
    options = sorted({len(contents.choice.options_of(item.options)) for item in contents.items})
    facts: dict[str, console.Cell] = {
        "project": campaign.name,
        "items": len(contents.items),
        "groups": len({item.group for item in contents.items}),
        "with gold": sum(item.gold is not None for item in contents.items),
        "options per item": " – ".join(str(number) for number in dict.fromkeys((options[0], options[-1]))),
        "classes": ", ".join(contents.choice.classes or ()) or "none: options differ from item to item",
    }
    section = campaign.definition.votes
    if section is not None and section.file is not None:
        read = loading.votes(campaign.path(section.file), section, labels=contents.labels)
        facts |= {
            "votes": len(read.votes),
            "repeated votes": loading.repeated(read.votes),
            "labels changed": sum(read.changed.values()),
            "votes that do not count": sum(vote.excluded is not None for vote in read.votes),
        }
    if json:
        console.show_json(facts | {"findings": findings.as_json(found)})
    else:
        verdict = "cannot be loaded yet" if findings.worst(found) == "error" else "can be loaded"
        console.table(f"{file} {verdict}", ("what", "is"), list(facts.items()))
        findings.show(found)
    inspection.refuse(found, campaign, contents)


def load(file: File, json: AsJson = False) -> None:
    """Store a project with its items.

    Loading the same file again changes nothing.
    """
    from annotation.campaigns import project
    from annotation.loading import campaign as loading
    from annotation.loading import inspection
    from annotation.workflow import projects
    from bot.commands import console, findings, session

    campaign = project.read(file)
    with console.progress("items", quiet=json) as told:
        contents = loading.contents(campaign)
        found = inspection.findings(campaign, contents)
        inspection.refuse(found, campaign, contents)
        with session.opened(create=True) as database, database.transaction() as transaction:
            loaded = projects.load(transaction, campaign, contents, now=session.now(), findings=found, progress=told)
    facts: dict[str, console.Cell] = {
        "project": loaded.name,
        "items": loaded.items,
        "with gold": loaded.golds,
        "stored": loaded.fresh,
    }
    if json:
        console.show_json(facts | {"findings": findings.as_json(loaded.findings)})
        return
    verb = "Loaded" if loaded.fresh else "Loaded already, nothing changed:"
    console.console().print(f"{verb} {loaded.name}: {loaded.items} items, {loaded.golds} with gold.", markup=False)
    findings.show(loaded.findings)


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
    from annotation.workflow import imports
    from bot.commands import console, session

    with session.opened() as database, console.progress("votes", quiet=json) as told:
        with database.reading() as view:
            found = queries.project(view, session.project_name(project))
            ballot = imports.read_votes(view, found, path=file)
        with database.transaction() as transaction:
            key = pseudonyms.key(transaction, file=settings().key_file, now=session.now())
            result = imports.store_votes(transaction, found, ballot, key=key, now=session.now(), progress=told)
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
